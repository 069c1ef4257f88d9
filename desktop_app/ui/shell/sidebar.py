"""The left side: Galley's name, a new transcription, the search and the recordings."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from desktop_app import NAME
from desktop_app.app.library.deletions import Deletions
from desktop_app.app.recordings.session import Session
from desktop_app.app.settings.preferences import Preferences
from desktop_app.texts import _
from desktop_app.ui.shell.grip import Grip
from desktop_app.ui.shell.queue_bar import QueueBar
from desktop_app.ui.shell.recording_list import RecordingListView
from desktop_app.ui.shell.recording_model import RecordingModel
from desktop_app.ui.shell.recording_row import RecordingRow
from desktop_app.ui.shell.undo_bar import UndoBar
from desktop_app.ui.widgets import icons
from desktop_app.ui.widgets.actions import Actions
from desktop_app.ui.widgets.labels import field, label
from desktop_app.ui.widgets.layouts import column, row
from desktop_app.ui.widgets.theme import S1, S2, S3, S4, Theme, font

WIDTH, NARROW_WIDTH, WIDEST = 264, 224, 400
"""Of a sidebar that nobody has drawn to another width: in usual windows, in narrow ones, and in very wide ones."""

_SHARE = 0.2  # of the window
_PAGE = 480  # pixels that are always left for the page
_PLAIN = (Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier)


class Sidebar(QWidget):
    """Attributes: search, list, model, queue, undo, grip, and the buttons new, record, live (in its place while
    something is recorded: the page of the recording has the only Stop), models and settings.

    Signals: chosen(id); entered(id) by Enter on what was found; cancel_asked(id); remove_asked(ids);
    menu_asked(ids, place).
    """

    chosen = Signal(str)
    entered = Signal(str)
    cancel_asked = Signal(str)
    remove_asked = Signal(list)
    menu_asked = Signal(list, QPoint)

    def __init__(
        self,
        theme: Theme,
        actions: Actions,
        session: Session,
        deletions: Deletions,
        preferences: Preferences,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme, self._session, self._preferences = theme, session, preferences
        self._deletions = deletions
        self._current = ""
        self._kept: list[str] = []  # what is selected while the rows are put anew
        self.setObjectName("side")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedWidth(WIDTH)
        self._mark, self._name = QLabel(), label(NAME, "wordmark")
        self.new, self.record, self.live = (
            actions.button(name, "row", "ink") for name in ("new", "record", "show_live")
        )
        self.live.hide()
        self.models, self.settings = (actions.button(name, "row") for name in ("models", "settings"))
        for counting in (self.live, self.models):
            counting.setFont(font(13, "Medium", figures=True))
        actions.on(search=self._begin_search)
        self.search = field(_("Search recordings"), _("Search recordings"))
        self._search_mark = QAction(self.search)
        self.search.addAction(self._search_mark, QLineEdit.ActionPosition.LeadingPosition)
        self._search_later = QTimer(self, singleShot=True, interval=60)
        self._search_later.timeout.connect(lambda: session.search(self.search.text(), self._show_found))
        self.search.textChanged.connect(self._search_later.start)
        self._nothing = label("", "quiet")
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._nothing.setWordWrap(True)
        self._nothing.setContentsMargins(S3, S4, S3, 0)
        self.queue, self.undo = QueueBar(theme, session, self), UndoBar(theme, deletions, self)
        self.model = RecordingModel(session, self)
        self.list = RecordingListView()
        self.list.setModel(self.model)
        delegate = RecordingRow(theme, self)
        delegate.cancel_asked.connect(self.cancel_asked)
        delegate.editing.connect(self.model.hold)
        self.list.setItemDelegate(delegate)
        self.list.clicked.connect(self._clicked)
        self.list.activated.connect(self._activated)
        self.list.selectionModel().currentChanged.connect(self._current_moved)
        self.list.menu_asked.connect(self._ask_menu)
        self.list.remove_asked.connect(lambda: self.remove_asked.emit(self.selected()))
        self.list.undo_asked.connect(deletions.undo)
        self.list.move_asked.connect(self._move)
        deletions.changed.connect(self._follow_deletions)
        self.model.modelAboutToBeReset.connect(self._keep_selection)
        self.model.modelReset.connect(self._select_again)
        self.model.modelReset.connect(self._show_nothing)
        session.reloaded.connect(self._show_nothing)
        self.grip = Grip(theme, self)
        self.grip.moved.connect(lambda by: self.set_width(self.width() + by))
        self.grip.reset.connect(lambda: self.set_width(0))
        self._lay_out()
        self._show_nothing()
        theme.changed.connect(self._retint)
        self._retint()

    def _lay_out(self) -> None:
        head = row(self._mark, (self._name, 1), spacing=10, margins=(S2 + 2, 0, 0, 0))
        column(
            head, S4, self.new, self.record, self.live, S2, self.search, S1, self.queue, self._nothing, (self.list, 1),
            S2, self.undo, S1, self.models, self.settings,
            inside=self, margins=(S3, S4 + S1, S3, S3),
        )  # fmt: skip

    def _begin_search(self) -> None:
        self.search.setFocus()
        self.search.selectAll()

    def show_live(self, is_on: bool) -> None:
        """Whether something is recorded."""
        had_focus = self.record.hasFocus() or self.live.hasFocus()
        self.record.setVisible(not is_on)
        self.live.setVisible(is_on)
        if had_focus:
            (self.live if is_on else self.record).setFocus()

    def search_for(self, key: str) -> str:
        """The text that a recording was found by, "" where nothing is searched for."""
        return self.model.wanted if self.model.is_found(key) else ""

    # Width.

    def set_width(self, width: int) -> None:
        """Keep a width that the user has drawn; 0 for the usual one."""
        self._preferences.set("sidebar", str(width))
        self.fit()

    def fit(self) -> None:
        """Take the room that the window has for it."""
        room = self.window().width()
        usual = NARROW_WIDTH if room < 900 else min(max(WIDTH, round(room * _SHARE)), WIDEST)
        kept = self._preferences.text("sidebar")
        wanted = int(kept) if kept.isdecimal() and int(kept) else usual
        self.setFixedWidth(max(min(wanted, room - _PAGE), NARROW_WIDTH))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.grip.place(self.rect())

    # Selection.

    def select(self, key: str) -> None:
        """Show which recording is looked at; "" for none."""
        self._current = key
        self._kept = [key] if key else []
        self._select_again()
        row = self.model.row_of(key)
        if row.isValid():
            self.list.scrollTo(row)

    def selected(self) -> list[str]:
        """The ids of what is selected, in the order of the list."""
        rows = sorted(index.row() for index in self.list.selectionModel().selectedIndexes())
        entries = [self.model.entry(self.model.index(row)) for row in rows]
        return [entry.id for entry in entries if entry is not None]

    def _keep_selection(self) -> None:
        self._kept = self.selected()

    def _select_again(self) -> None:
        rows = [index for key in self._kept if (index := self.model.row_of(key)).isValid()]
        choice, current = self.list.selectionModel(), self.model.row_of(self._current)
        choice.blockSignals(True)
        choice.clear()
        for index in rows:
            choice.select(index, QItemSelectionModel.SelectionFlag.Select)
        if current.isValid():
            self.list.go_to(current)
        choice.blockSignals(False)
        self.list.viewport().update()

    def _clicked(self, index: QModelIndex) -> None:
        if not any(QGuiApplication.keyboardModifiers() & key for key in _PLAIN):  # else more is selected
            self._choose(index)

    def _choose(self, index: QModelIndex) -> None:
        entry = self.model.entry(index)
        if entry is not None:
            self._current = entry.id
            self.chosen.emit(entry.id)

    def _activated(self, index: QModelIndex) -> None:
        entry = self.model.entry(index)
        if entry is not None and self.model.wanted:
            self._current = entry.id
            self.entered.emit(entry.id)
        else:
            self._choose(index)

    def _current_moved(self, index: QModelIndex) -> None:
        if self.list.property("keyboard") and self.list.hasFocus() and not self.list.extends:
            self._choose(index)

    def _move(self, by: int) -> None:
        entry = self.model.entry(self.list.currentIndex())
        place = self._session.queue.place(entry.id) if entry is not None else None
        if entry is not None and place is not None:
            self._session.queue.move(entry.id, place + by)

    def _ask_menu(self, point: QPoint) -> None:
        entry, keys = self.model.entry(self.list.indexAt(point)), self.selected()
        if entry is not None:
            self.menu_asked.emit(keys if entry.id in keys else [entry.id], self.list.viewport().mapToGlobal(point))

    def rename(self, key: str) -> None:
        """Let the user change the title in its row."""
        index = self.model.row_of(key)
        self.list.scrollTo(index)
        self.list.edit(index)

    def _follow_deletions(self) -> None:
        self.list.can_undo = bool(self._deletions.offered)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Down and self.search.hasFocus():
            if self.model.wanted and self.model.first_found.isValid():
                self.list.go_to(self.model.first_found)
            self.list.setFocus(Qt.FocusReason.TabFocusReason)
            self._choose(self.list.currentIndex())
        else:
            super().keyPressEvent(event)

    def _show_found(self, ids: set[str] | None) -> None:
        self.model.show_only(ids, self.search.text())
        self._show_nothing()

    def _show_nothing(self) -> None:
        """Say why the list is empty, or has no result, where it is."""
        searched = bool(self.model.wanted)
        self._nothing.setText(_("Nothing found") if searched else _("Your recordings appear here"))
        is_empty = not self.model.first_found.isValid() if searched else self.model.rowCount() == 0
        self._nothing.setVisible(self._session.is_read and is_empty)

    def _retint(self) -> None:
        colors = self._theme.palette
        self._mark.setPixmap(icons.pixmap("galley", "", 26, self.devicePixelRatioF()))
        self._search_mark.setIcon(icons.icon("search", colors.muted))
        self.list.viewport().update()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self._retint()
        super().changeEvent(event)
