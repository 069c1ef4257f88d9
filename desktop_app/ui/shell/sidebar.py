"""The left side: Galley's name, a new transcription, the search and the recordings."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QListView, QWidget

from desktop_app import NAME
from desktop_app.app.session import Session
from desktop_app.texts import _
from desktop_app.ui.shell.recording_model import RecordingModel
from desktop_app.ui.shell.recording_row import RecordingRow
from desktop_app.ui.widgets import icons
from desktop_app.ui.widgets.actions import Actions
from desktop_app.ui.widgets.labels import field, label
from desktop_app.ui.widgets.layouts import column, row
from desktop_app.ui.widgets.theme import S1, S2, S3, S4, Theme, font

WIDTH, NARROW_WIDTH = 264, 224


class RecordingList(QListView):
    """The list itself. Signals: remove_asked() when Delete is pressed."""

    remove_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(_("Recordings"))
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self.setProperty("keyboard", True)
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.remove_asked.emit()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.setProperty(
            "keyboard", event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
        )
        super().focusInEvent(event)


class Sidebar(QWidget):
    """Signals: chosen(id); cancel_asked(id); remove_asked(id); menu_asked(id, place)."""

    chosen = Signal(str)
    cancel_asked = Signal(str)
    remove_asked = Signal(str)
    menu_asked = Signal(str, QPoint)

    def __init__(self, theme: Theme, actions: Actions, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._session = theme, session
        self._current = ""
        self.setObjectName("side")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedWidth(WIDTH)
        self._mark, self._name = QLabel(), label(NAME, "wordmark")
        self.new, self.record = (actions.button(name, "row", "ink") for name in ("new", "record"))
        self.models, self.settings = (actions.button(name, "row") for name in ("models", "settings"))
        for counting in (self.record, self.models):
            counting.setFont(font(13, "Medium", figures=True))
        actions.on(search=self._begin_search)
        self.search = field(_("Search recordings"), _("Search recordings"))
        self._search_mark = QAction(self.search)
        self.search.addAction(self._search_mark, QLineEdit.ActionPosition.LeadingPosition)
        self._search_later = QTimer(self, singleShot=True, interval=180)
        self._search_later.timeout.connect(lambda: session.search(self.search.text(), self._show_found))
        self.search.textChanged.connect(self._search_later.start)
        self._nothing = label(_("Nothing found"), "quiet")
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._nothing.hide()
        self._nothing.setContentsMargins(0, S4, 0, 0)
        self.model = RecordingModel(session, self)
        self.list = RecordingList()
        self.list.setModel(self.model)
        delegate = RecordingRow(theme, self)
        delegate.cancel_asked.connect(self.cancel_asked)
        self.list.setItemDelegate(delegate)
        self.list.clicked.connect(self._choose)
        self.list.activated.connect(self._choose)
        self.list.selectionModel().currentChanged.connect(self._current_moved)
        self.list.customContextMenuRequested.connect(self._ask_menu)
        self.list.remove_asked.connect(self._ask_remove)
        self.model.modelReset.connect(lambda: self.select(self._current))
        self._lay_out()
        theme.changed.connect(self._retint)
        self._retint()

    def _lay_out(self) -> None:
        head = row(self._mark, (self._name, 1), spacing=10, margins=(S2 + 2, 0, 0, 0))
        column(
            head, S4, self.new, self.record, S2, self.search, S1, self._nothing, (self.list, 1), S2,
            self.models, self.settings,
            inside=self, margins=(S3, S4 + S1, S3, S3),
        )  # fmt: skip

    def _begin_search(self) -> None:
        self.search.setFocus()
        self.search.selectAll()

    def select(self, key: str) -> None:
        """Show which recording is looked at; "" for none."""
        self._current = key
        index = self.model.row_of(key)
        self.list.selectionModel().blockSignals(True)
        if index.isValid():
            self.list.setCurrentIndex(index)
        else:
            self.list.clearSelection()
            self.list.setCurrentIndex(QModelIndex())
        self.list.selectionModel().blockSignals(False)
        self.list.viewport().update()

    def _choose(self, index: QModelIndex) -> None:
        entry = self.model.entry(index)
        if entry is not None:
            self._current = entry.id
            self.chosen.emit(entry.id)

    def _current_moved(self, index: QModelIndex) -> None:
        if self.list.property("keyboard") and self.list.hasFocus():
            self._choose(index)

    def _ask_remove(self) -> None:
        if self._current:
            self.remove_asked.emit(self._current)

    def _ask_menu(self, point: QPoint) -> None:
        entry = self.model.entry(self.list.indexAt(point))
        if entry is not None:
            self.menu_asked.emit(entry.id, self.list.viewport().mapToGlobal(point))

    def _show_found(self, ids: set[str] | None) -> None:
        self.model.show_only(ids)
        self._nothing.setVisible(ids is not None and self.model.rowCount() == 0)

    def _retint(self) -> None:
        colors = self._theme.palette
        self._mark.setPixmap(icons.pixmap("galley", "", 26, self.devicePixelRatioF()))
        self._search_mark.setIcon(icons.icon("search", colors.muted))
        self.list.viewport().update()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self._retint()
        super().changeEvent(event)
