"""The left side: Galley's name, a new transcription, the search and the recordings."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QListView, QVBoxLayout, QWidget

from desktop_app.app import wording
from desktop_app.app.session import Session
from desktop_app.ui.shell import keys
from desktop_app.ui.shell.recording_model import RecordingModel
from desktop_app.ui.shell.recording_row import RecordingRow
from desktop_app.ui.widgets import icons
from desktop_app.ui.widgets.buttons import button
from desktop_app.ui.widgets.theme import S1, S2, S3, S4, Theme, font

WIDTH, NARROW_WIDTH = 264, 224


class RecordingList(QListView):
    """The list itself. Signals: remove_asked() when Delete is pressed."""

    remove_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Recordings")
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
    """Signals: new_asked(); record_asked(); models_asked(); settings_asked(); chosen(id); cancel_asked(id);
    remove_asked(id); menu_asked(id, place).
    """

    new_asked = Signal()
    record_asked = Signal()
    models_asked = Signal()
    settings_asked = Signal()
    chosen = Signal(str)
    cancel_asked = Signal(str)
    remove_asked = Signal(str)
    menu_asked = Signal(str, QPoint)

    def __init__(self, theme: Theme, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._session = theme, session
        self._current = ""
        self.setObjectName("side")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedWidth(WIDTH)
        self._mark, self._name = QLabel(), QLabel("Galley")
        self._name.setProperty("role", "wordmark")
        self.new = button("New transcription", "row", self.new_asked.emit)
        self.record = button("Record", "row", self.record_asked.emit)
        self.record.setFont(font(13, "Medium", figures=True))
        self._recording = False
        self.search = QLineEdit()
        self.search.setPlaceholderText("Search recordings")
        self.search.setAcceptDrops(False)  # files dropped on it are for the window
        self.search.setAccessibleName("Search recordings")
        self._search_mark = QAction(self.search)
        self.search.addAction(self._search_mark, QLineEdit.ActionPosition.LeadingPosition)
        self._search_later = QTimer(self)
        self._search_later.setSingleShot(True)
        self._search_later.setInterval(180)
        self._search_later.timeout.connect(lambda: session.search(self.search.text(), self._show_found))
        self.search.textChanged.connect(self._search_later.start)
        self._nothing = QLabel("Nothing found", alignment=Qt.AlignmentFlag.AlignHCenter)
        self._nothing.hide()
        self._nothing.setProperty("role", "quiet")
        self._nothing.setContentsMargins(0, S4, 0, 0)
        self.model = RecordingModel(session, self)
        self.list = RecordingList()
        self.list.setModel(self.model)
        row = RecordingRow(theme, self)
        row.cancel_asked.connect(self.cancel_asked)
        self.list.setItemDelegate(row)
        self.list.clicked.connect(self._choose)
        self.list.activated.connect(self._choose)
        self.list.selectionModel().currentChanged.connect(self._current_moved)
        self.list.customContextMenuRequested.connect(self._ask_menu)
        self.list.remove_asked.connect(self._ask_remove)
        self.model.modelReset.connect(lambda: self.select(self._current))
        self.models = button("Models", "row", self.models_asked.emit)
        self.models.setFont(font(13, "Medium", figures=True))
        self.settings = button("Settings", "row", self.settings_asked.emit)
        self.models.setCheckable(True)
        self.settings.setCheckable(True)
        for row_button in (self.new, self.record, self.models, self.settings):
            row_button.setIconSize(QSize(18, 18))
        self._lay_out()
        theme.changed.connect(self._retint)
        self.show_recording(False, 0.0)
        self._retint()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(S2 + 2, 0, 0, 0)
        head.setSpacing(10)
        head.addWidget(self._mark)
        head.addWidget(self._name, 1)
        box = QVBoxLayout(self)
        box.setContentsMargins(S3, S4 + S1, S3, S3)
        box.setSpacing(0)
        box.addLayout(head)
        box.addSpacing(S4)
        box.addWidget(self.new)
        box.addWidget(self.record)
        box.addSpacing(S2)
        box.addWidget(self.search)
        box.addSpacing(S1)
        box.addWidget(self._nothing)
        box.addWidget(self.list, 1)
        box.addSpacing(S2)
        box.addWidget(self.models)
        box.addWidget(self.settings)

    def show_fetching(self, share: float | None) -> None:
        """How much of a model has arrived; None while none is fetched."""
        self.models.setText("Models" if share is None else f"Models · {wording.percent(share)}")

    def show_recording(self, recording: bool, seconds: float) -> None:
        """What the button for recording does now, and for how long it has been recording."""
        self.record.setText(f"Stop · {wording.clock(seconds)}" if recording else "Record")
        does = "Stop recording" if recording else "Record and write along"
        self.record.setAccessibleName("Stop recording" if recording else "Record")
        self.record.setToolTip(f"{does} ({keys.shown('record')})")
        if recording != self._recording:
            self._recording = recording
            self._retint()

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
        self.new.setIcon(icons.icon("plus", colors.ink))
        self.record.setIcon(
            icons.icon("stop" if self._recording else "mic", colors.bad if self._recording else colors.ink)
        )
        self.models.setIcon(icons.icon("model", colors.muted))
        self.settings.setIcon(icons.icon("settings", colors.muted))
        self._search_mark.setIcon(icons.icon("search", colors.muted))
        self.list.viewport().update()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self._retint()
        super().changeEvent(event)
