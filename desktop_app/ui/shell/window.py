"""The window: sidebar, one page, and the panel with the figures."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QIcon,
    QResizeEvent,
)
from PySide6.QtWidgets import QHBoxLayout, QMainWindow, QStackedWidget, QVBoxLayout, QWidget

from desktop_app import resources
from desktop_app.app.entry import DONE, IN_WORK
from desktop_app.app.live import Live
from desktop_app.app.models import ModelStore
from desktop_app.app.preferences import Preferences
from desktop_app.app.recheck import Checks
from desktop_app.app.session import Session
from desktop_app.app.speaker_edits import Edits
from desktop_app.app.wording import sentence
from desktop_app.audio import microphone
from desktop_app.ui.models.page import ModelsPage, model_folders
from desktop_app.ui.player.playback import Playback
from desktop_app.ui.recording.desk import LiveDesk
from desktop_app.ui.recording.listening import OpenStream
from desktop_app.ui.settings.page import SettingsPage
from desktop_app.ui.shell.desk import Desk
from desktop_app.ui.shell.drop_veil import DropVeil
from desktop_app.ui.shell.idle_page import IdlePage
from desktop_app.ui.shell.sidebar import NARROW_WIDTH, WIDTH, Sidebar
from desktop_app.ui.speakers.desk import SpeakerDesk
from desktop_app.ui.transcript.page import TranscriptPage
from desktop_app.ui.transcript.speed_panel import SpeedPanel
from desktop_app.ui.widgets.banner import PROBLEM, Banner, Shelf
from desktop_app.ui.widgets.theme import Theme
from desktop_app.ui.widgets.toast import Toast

_ROOM_FOR_PANEL = 1040


class Window(QMainWindow):
    """Shows what the session says and asks of it what the user wants.

    Signals: closed() once, when the window goes.
    """

    closed = Signal()

    def __init__(
        self,
        theme: Theme,
        session: Session,
        live: Live,
        checks: Checks,
        edits: Edits,
        playback: Playback,
        models: ModelStore,
        preferences: Preferences,
        open_stream: OpenStream = microphone.open_stream,
    ) -> None:
        super().__init__()
        self._session, self._preferences = session, preferences
        self.current = ""
        self.sidebar = Sidebar(theme, session)
        self.idle = IdlePage(theme, preferences)
        self.page = TranscriptPage(theme)
        self.models = ModelsPage(theme, models, preferences)
        self.settings = SettingsPage(theme, preferences)
        self.panel = SpeedPanel(theme)
        self.trouble = Banner(theme, PROBLEM, "problem")
        self.trouble.add_button("Dismiss", "link").clicked.connect(lambda: self._say_trouble("", ""))
        self._lay_out()
        self.veil = DropVeil(theme, self)
        self.toast = Toast(self._middle)
        self.desk = Desk(self, session, models, preferences)
        self.live = LiveDesk(self, theme, session, live, checks, preferences, open_stream)
        self.speakers = SpeakerDesk(self, theme, session, edits, playback, preferences)
        self._connect()
        self.setWindowTitle("Galley")
        self.setWindowIcon(QIcon(str(resources.path("resources", "icons", "galley.svg"))))
        self.setMinimumSize(760, 520)
        self.setAcceptDrops(True)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setFocus()  # no control is chosen before the user chooses one
        self.resize(1280, 800)
        place = preferences.value("window")
        if isinstance(place, bytes):
            self.restoreGeometry(place)
        self.show_idle()

    def _lay_out(self) -> None:
        self.stack = QStackedWidget()
        for page in (self.idle, self.page, self.models, self.settings):
            self.stack.addWidget(page)
        middle = self._middle = QWidget()
        middle.setObjectName("page")
        middle.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        column = self._column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.stack, 1)
        self.put_above(self.trouble)
        whole = QWidget()
        row = QHBoxLayout(whole)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.sidebar)
        row.addWidget(middle, 1)
        row.addWidget(self.panel)
        self.setCentralWidget(whole)
        self._say_trouble("", "")

    def put_above(self, banner: Banner) -> None:
        """A line over every page; while it is hidden it takes no room."""
        self._column.insertWidget(0, Shelf(banner, self._middle))

    def _connect(self) -> None:
        session, desk, header = self._session, self.desk, self.page.header
        session.added.connect(self._added)
        session.changed.connect(self._changed)
        session.text_changed.connect(self._text_changed)
        session.replaced.connect(self._replaced)
        session.removed.connect(self._removed)
        session.trouble.connect(self._say_trouble)
        self.sidebar.new_asked.connect(self.show_idle)
        self.sidebar.models_asked.connect(self.show_models)
        self.sidebar.settings_asked.connect(self.show_settings)
        self.sidebar.chosen.connect(self.show_entry)
        self.sidebar.cancel_asked.connect(session.cancel)
        self.sidebar.remove_asked.connect(desk.remove)
        self.sidebar.menu_asked.connect(desk.open_menu)
        self.idle.browse_asked.connect(desk.browse)
        self.idle.model_asked.connect(self.show_models)
        self.models.folder_asked.connect(desk.choose_model)
        self.models.add_asked.connect(desk.add_model)
        self.models.remove_asked.connect(desk.remove_model)
        self.models.models.changed.connect(self._show_fetching)
        self.models.models.moved.connect(lambda name: self._show_fetching())
        self.models.models.told.connect(self.toast.say)
        self.settings.models_asked.connect(self.show_models)
        self.settings.recordings_asked.connect(desk.choose_recordings_folder)
        self.settings.keys_asked.connect(desk.show_keys)
        self.page.model_asked.connect(self.show_models)
        self.page.again_asked.connect(lambda: session.again(self.current))
        self.page.cancel_asked.connect(lambda: session.cancel(self.current))
        header.save_asked.connect(desk.save)
        header.copy_asked.connect(desk.copy)
        header.folder_asked.connect(desk.show_folder)
        header.speed.setChecked(self._preferences.text("speed") != "hidden")
        header.speed_toggled.connect(self._toggle_speed)

    # Navigation.

    def show_idle(self) -> None:
        """The page that asks for a recording."""
        self._turn_to(self.idle, "")

    def show_models(self) -> None:
        """The page of models."""
        self._turn_to(self.models, "")
        self.models.sheet.setFocus()  # the next Tab is on the page, and its keys scroll

    def show_settings(self) -> None:
        """The page of settings."""
        self.settings.refresh()
        self._turn_to(self.settings, "")
        self.settings.sheet.setFocus()

    def show_entry(self, key: str) -> None:
        """The page of a recording."""
        entry = self._session.entries.get(key)
        if entry is not None:
            self._turn_to(self.page, key)
            self._session.load(key)
            self.page.show_entry(entry, self._session.in_work)
            self.panel.show_entry(entry)

    def _turn_to(self, page: QWidget, key: str) -> None:
        self.current = key
        self.stack.setCurrentWidget(page)
        self.sidebar.models.setChecked(page is self.models)
        self.sidebar.settings.setChecked(page is self.settings)
        self.sidebar.select(key)
        entry = self._session.entries.get(key)
        self.setWindowTitle(f"{entry.name} – Galley" if entry else "Galley")
        self.live.place()
        self.speakers.place()
        self._place_panel()

    def _place_panel(self) -> None:
        entry = self._session.entries.get(self.current)
        # One that is done has figures, though they may still be on their way: the text gets its width once.
        comes = entry is not None and entry.state == DONE and entry.models is None
        has_figures = entry is not None and (entry.state in IN_WORK or comes or entry.stats.target_passes > 0)
        wanted = self.page.header.speed.isChecked() and has_figures
        self.panel.setVisible(wanted and self.width() >= _ROOM_FOR_PANEL)
        self.page.header.speed.setVisible(has_figures)
        self.page.header.speed.setEnabled(self.width() >= _ROOM_FOR_PANEL)
        too_narrow = "" if self.width() >= _ROOM_FOR_PANEL else " (there is room for it in a wider window)"
        self.page.header.speed.setToolTip(f"Speed{too_narrow}")

    def _toggle_speed(self, shown: bool) -> None:
        self._preferences.set("speed", "shown" if shown else "hidden")
        self._place_panel()

    # What the session says.

    def _added(self, key: str) -> None:
        shown = self._session.entries.get(self.current)
        if shown is None or shown.state not in IN_WORK:
            self.show_entry(key)
        else:
            self.page.refresh(self._session.in_work)

    def _changed(self, key: str) -> None:
        entry = self._session.entries.get(self.current)
        if entry is not None:
            self.page.refresh(self._session.in_work)
            if key == self.current:
                self.panel.show_entry(entry)
                self._place_panel()

    def _text_changed(self, key: str) -> None:
        if key == self.current:
            self.page.refresh_text(self._session.in_work)

    def _replaced(self, key: str) -> None:
        if key == self.current:
            self.page.begin_again(self._session.in_work)

    def _removed(self, key: str) -> None:
        if key == self.current:
            self.show_idle()

    def _show_fetching(self) -> None:
        job = self.models.models.fetching
        self.sidebar.show_fetching(job.share if job else None)

    def _say_trouble(self, reason: str, remedy: str) -> None:
        self.trouble.say(sentence(reason, remedy) if reason else "")

    # Dropping.

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if local_files(event):
            event.acceptProposedAction()
            self._show_dragged(True)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        event.acceptProposedAction()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._show_dragged(False)

    def dropEvent(self, event: QDropEvent) -> None:
        self._show_dragged(False)
        files = local_files(event)
        if files:
            event.acceptProposedAction()
            self.add(files)

    def add(self, files: Iterable[str]) -> None:
        """Queue files and folders, or add models; what was wrong before is forgotten."""
        self._say_trouble("", "")
        files = list(files)
        folders = model_folders(files, every=self.stack.currentWidget() is self.models)
        if folders:
            self.show_models()
        for folder in folders:
            self.models.models.add(folder)
        if not folders:
            self._session.add(files)

    def _show_dragged(self, dragged: bool) -> None:
        on_card = self.stack.currentWidget() is self.idle
        self.idle.card.set_dragged(dragged and on_card)
        if dragged and not on_card:
            models = self.stack.currentWidget() is self.models
            self.veil.cover("Drop a model's folder to add it" if models else "Drop to add to the queue")
        else:
            self.veil.hide()

    # The window itself.

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._place_panel()
        self.sidebar.setFixedWidth(WIDTH if self.width() >= 900 else NARROW_WIDTH)
        super().resizeEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self._may_close():
            event.ignore()
            return
        self.live.captions.hide()
        self._preferences.set("window", bytes(self.saveGeometry().data()))
        self.closed.emit()
        event.accept()

    def _may_close(self) -> bool:
        if not self.live.may_close():
            return False
        count = len(self._session.in_work)
        return self.live.closing or self.desk.may_close(count)


def local_files(event: QDropEvent) -> list[str]:
    """The files and folders of this computer in what is dragged."""
    return [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
