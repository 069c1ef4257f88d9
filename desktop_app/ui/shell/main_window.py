"""The window: sidebar, one page, and the panel with the figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from functools import cached_property, partial
from typing import TypeVar

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QIcon,
    QResizeEvent,
)
from PySide6.QtWidgets import QApplication, QMainWindow, QStackedWidget, QWidget

from desktop_app import NAME, resources
from desktop_app.app.core import DesktopCore
from desktop_app.app.presentation import wording
from desktop_app.app.presentation.problems import sentence
from desktop_app.app.recordings.entry import IN_WORK
from desktop_app.app.settings.recent import Recent
from desktop_app.app.signals import collect_connections
from desktop_app.audio import microphone
from desktop_app.problems import Problem
from desktop_app.texts import _, ngettext
from desktop_app.transcript.search import Snippet
from desktop_app.ui.context import Context
from desktop_app.ui.current import Current
from desktop_app.ui.export.controller import ExportController
from desktop_app.ui.guard.controller import GuardController
from desktop_app.ui.models.page import ModelsPage, model_folders
from desktop_app.ui.player.controller import PlayerController
from desktop_app.ui.player.playback import Playback
from desktop_app.ui.player.video import VideoController
from desktop_app.ui.player.waveforms import Waveforms
from desktop_app.ui.recording.controller import RecordingController
from desktop_app.ui.recording.listening import OpenStream
from desktop_app.ui.recording.recovery_bar import RecoveryBar
from desktop_app.ui.settings.page import SettingsPage
from desktop_app.ui.shell.about import About
from desktop_app.ui.shell.actions import DESCRIPTIONS, Situation
from desktop_app.ui.shell.drop_veil import DropVeil
from desktop_app.ui.shell.files import Files
from desktop_app.ui.shell.idle_page import IdlePage
from desktop_app.ui.shell.keys import Keys
from desktop_app.ui.shell.known_bar import KnownBar
from desktop_app.ui.shell.recent_menu import recent_menu
from desktop_app.ui.shell.report_saver import ReportSaver
from desktop_app.ui.shell.shortcuts import ShortcutList
from desktop_app.ui.shell.sidebar import Sidebar
from desktop_app.ui.shell.tab_order import has_stop_beside, move_focus
from desktop_app.ui.speakers.controller import SpeakerController
from desktop_app.ui.transcript.editor import TextEditor
from desktop_app.ui.transcript.figures_saver import FiguresSaver
from desktop_app.ui.transcript.page import TranscriptPage
from desktop_app.ui.transcript.speed_panel import SpeedPanel
from desktop_app.ui.versions.controller import VersionController
from desktop_app.ui.versions.conversation_hint import ConversationHint
from desktop_app.ui.widgets.actions import Actions
from desktop_app.ui.widgets.banner import PROBLEM, Banner, BannerArea
from desktop_app.ui.widgets.confirm import confirm
from desktop_app.ui.widgets.geometry import keep_geometry, restore_geometry
from desktop_app.ui.widgets.layouts import column, row
from desktop_app.ui.widgets.menus import open_under
from desktop_app.ui.widgets.theme import USUAL_TEXT_SIZE, Theme
from desktop_app.ui.widgets.toast import Toast

_ROOM_FOR_PANEL = 1040
_SAMPLE = resources.path("resources", "sample", "conversation.flac")
Page = TypeVar("Page", bound=QWidget)


class MainWindow(QMainWindow):
    """Shows what the session says and asks of it what the user wants. Its parts are made when they are first needed.

    It does nothing before `start`: so it can be prepared, in turns of the event loop, while another window is in use.

    Attributes: connections (to what outlives the window; whoever lets it go before the program ends closes them).
    Signals: closed() once, when the window goes.
    """

    closed = Signal()

    def __init__(
        self,
        theme: Theme,
        core: DesktopCore,
        playback: Playback,
        waveforms: Waveforms,
        open_stream: OpenStream = microphone.open_stream,
    ) -> None:
        super().__init__()
        self._theme, self._core = theme, core
        self._session, self._live = core.session, core.live
        self._models, self._preferences = core.models, core.preferences
        self._playback, self._waveforms, self._open_stream = playback, waveforms, open_stream
        self._recent = Recent(core.session, core.preferences)
        self.connections = ExitStack()
        with collect_connections(self.connections):
            self._make_parts()

    def _make_parts(self) -> None:
        theme, session, preferences = self._theme, self._session, self._preferences
        self.all_actions = actions = Actions(theme, DESCRIPTIONS, self)
        self.keys = Keys(actions, preferences)
        self.current = Current(session, self)
        # Outer widgets first: Qt restyles all that is in a widget whenever that is put into another one.
        self.setCentralWidget(whole := QWidget())
        middle = self._middle = QWidget(whole)
        middle.setObjectName("page")
        middle.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.sidebar = Sidebar(theme, actions, session, self._core.deletions, preferences, whole)
        self.stack = QStackedWidget(middle)
        self.idle = IdlePage(theme, actions, preferences, self._models, self.stack)
        self.stack.addWidget(self.idle)
        self._row = row(self.sidebar, (middle, 1), inside=whole)
        self._column = column((self.stack, 1), inside=middle)
        self._problems: tuple[Problem, ...] = ()
        self._trouble_on: tuple[QWidget | None, str] = self.idle, ""  # the page that they belong to
        self._recovery_bar: RecoveryBar | None = None
        self._awaits = 0  # the drop whose first file is shown when it is listed, 0 for none
        self._drops = 0
        self._refresh_later = QTimer(self, singleShot=True, interval=0)
        self._refresh_later.timeout.connect(self._refresh)
        self.trouble = Banner(theme, PROBLEM, "problem", middle)
        self.trouble.add_button(_("Dismiss"), "link").clicked.connect(lambda: self._say_trouble(()))
        self._put_above(self.trouble)
        self._say_trouble(())
        self.veil = DropVeil(theme, self)
        self.toast = Toast(self._middle, self._height_of_player)
        self.setWindowTitle(NAME)
        self.setWindowIcon(QIcon(str(resources.path("resources", "icons", "galley.svg"))))
        self.setMinimumSize(760, 520)
        self.setAcceptDrops(True)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setFocus()  # no control is chosen before the user chooses one
        self.resize(1280, 800)
        restore_geometry(self, preferences, "window")

    def prepare(self) -> Iterator[None]:
        """Make, one in each step, the parts that are needed when it is started and takes the place of another one."""
        for make in (lambda: self.page, lambda: self.panel, lambda: self.settings.refresh()):
            make()
            yield

    def start(self) -> None:
        """Follow what happens, and do what the user asks for."""
        with collect_connections(self.connections):
            self._make_controllers()
            self._connect()
        self._show_live()
        self._show_fetching()
        self._offer_sample()
        self.show_idle()

    def _make_controllers(self) -> None:
        page, context = self.page, Context(self._core, self._theme, self.all_actions, self.current)
        self.files = Files(self, context, page.view.text)
        self.exports = ExportController(self, context)
        self.report = ReportSaver(self, self._session, self._preferences)
        self.figures = FiguresSaver(self, context)
        self.live = RecordingController(self, page, context, self._open_stream)
        page.put_bars(self.live.strip, self.live.lost, self.live.check)
        self._put_above(self.live.recovery_bar)
        self._recovery_bar = self.live.recovery_bar
        self.known = KnownBar(self._theme)
        self._put_above(self.known)
        self.known.opened.connect(self.show_entry)
        self.known.again_asked.connect(self._session.add)
        self.editor = TextEditor(page, context)
        self.speakers = SpeakerController(page, context, self._playback)
        self.player = PlayerController(page, context, self._playback, self._waveforms)
        self.video = VideoController(page, context, self._playback, self._waveforms, self.player.bar)
        self.connections.callback(self.video.close)
        self.closed.connect(self.video.close)
        self.versions = VersionController(page, context)
        page.banners.add(page.problem, self.live.lost, self.versions.speakers)
        self.guard = GuardController(page, context, self.player)
        self.guard.redo_asked.connect(self.versions.redo_missed)
        self.conversation = ConversationHint(page, context)
        notices = (page.broken_off, page.notice, self.guard.gaps, self.guard.removed, self.conversation.banner)
        page.banners.add(self.live.check, *notices)
        self.files.again_asked.connect(self.versions.open_sheet)
        self.speakers.strip.asked.connect(self.player.play_from)

    def replace(self, before: MainWindow) -> None:
        """Take the place of another window: it shows the settings, as that one did, and what is wrong."""
        self.restoreGeometry(before.saveGeometry())
        self.sidebar.search.setText(before.sidebar.search.text())
        self.page.replace(before.page)
        self.show_settings()
        self._say_trouble(before._problems)
        self.show()
        self.live.replace(before.live)
        before.hide()

    @cached_property
    def page(self) -> TranscriptPage:
        """The page of a recording."""
        return self._late(lambda: TranscriptPage(self._theme, self.all_actions, self.stack))

    @cached_property
    def panel(self) -> SpeedPanel:
        """The figures beside it."""
        with collect_connections(self.connections):
            made = SpeedPanel(self._theme, self._models, self.centralWidget())
        self._row.addWidget(made)
        return made

    @cached_property
    def models(self) -> ModelsPage:
        """The page of models."""
        return self._late(lambda: ModelsPage(self._theme, self._core, self.stack))

    @cached_property
    def settings(self) -> SettingsPage:
        """The page of settings."""
        return self._late(lambda: SettingsPage(self._theme, self.all_actions, self._preferences, self.stack))

    def _late(self, make: Callable[[], Page]) -> Page:
        with collect_connections(self.connections):
            page = make()
        self.stack.addWidget(page)
        return page

    def focusNextPrevChild(self, forwards: bool) -> bool:
        """Tab and Shift+Tab. Qt asks too when what has the focus can be used no more, as a button whose work is done:
        what stands beside it gets the focus then, and no tool of a recording's page, which nobody has chosen."""
        focus = QApplication.focusWidget()
        if focus is None or (focus.isVisible() and focus.isEnabled()) or not self.page.isAncestorOf(focus):
            return move_focus(self, forwards)
        if has_stop_beside(focus) and not self.page.header.isAncestorOf(focus):
            return move_focus(self, forwards)
        self.page.setFocus()
        return True

    def _put_above(self, banner: Banner) -> None:
        """A line over every page; while it is hidden it takes no room."""
        self._column.insertWidget(0, BannerArea(banner, self._middle))

    def _connect(self) -> None:
        session, files, live = self._session, self.files, self.live
        self.all_actions.on(
            new=self.show_idle,
            recent=self._open_recent,
            models=self.show_models,
            settings=self.show_settings,
            report=self.report.browse,
            shortcuts=lambda: ShortcutList(self.all_actions, self.keys, self).exec(),
            about=lambda: About(session.worker.post, self).exec(),
            close=self._close_what_is_open,
            larger=partial(self._theme.step_text_size, 1),
            smaller=partial(self._theme.step_text_size, -1),
            usual_size=partial(self._theme.choose_text_size, USUAL_TEXT_SIZE),
            quit=self.close,
        )
        speed = self.all_actions["speed"]
        speed.setChecked(self._preferences.text("speed") == "shown")
        speed.triggered.connect(self._toggle_speed)
        session.arrived.connect(self._arrived)
        self.page.view.edit_asked.connect(self._await_nothing)
        session.changed.connect(self._changed)
        session.text_changed.connect(self._text_changed)
        session.replaced.connect(self._replaced)
        session.removed.connect(self._removed)
        session.trouble.connect(self._say_trouble)
        for signal in (session.changed, session.text_changed, session.revised):
            signal.connect(lambda key: self._update_actions() if key == self.current.key else None)
        self.current.changed.connect(self._update_actions)
        self.player.changed.connect(self._update_actions)
        controllers = (self.editor, self.speakers, self.versions, self._models, self.report, self.figures)
        for source in (files, self.exports, live, *controllers):
            source.told.connect(self.toast.say)
        for source in (files, live):
            source.entry_asked.connect(self.show_entry)
        files.added.connect(self.add)
        self.sidebar.chosen.connect(self._open_found)
        self.sidebar.entered.connect(partial(self._open_found, enter=True))
        files.rename_asked.connect(self.sidebar.rename)
        self.player.bar.locate_asked.connect(lambda: files.locate(self.current.key))
        files.located.connect(lambda key: self.player.try_again())
        self.sidebar.cancel_asked.connect(session.cancel)
        self.sidebar.remove_asked.connect(files.delete)
        self.sidebar.menu_asked.connect(files.open_menu)
        self.idle.sample_asked.connect(lambda: self.add([str(_SAMPLE)]))
        session.reloaded.connect(self._offer_sample)
        self.idle.record.inputs_asked.connect(lambda: live.open_inputs(self.idle.record.inputs))
        self._live.changed.connect(self._show_live)
        self._live.inputs.changed.connect(self.idle.refresh)
        self._models.changed.connect(self._show_fetching)
        self._models.moved.connect(lambda name: self._show_fetching())
        self.page.again_asked.connect(lambda: session.transcribe_again(self.current.key))
        self.page.cpu_asked.connect(lambda: session.transcribe_on_cpu(self.current.key))
        self.panel.save_asked.connect(self.figures.browse)
        files.export_asked.connect(self.exports.open)

    def _update_actions(self) -> None:
        """What can be done depends on what is looked at."""
        entry = self.current.entry
        situation = Situation()
        if entry is not None:
            in_progress, editable = entry.state in IN_WORK, self._core.edits.may_edit(entry.id)
            situation = Situation(True, entry.has_text, in_progress, editable, self.player.can_play)
        self.all_actions.update(situation)

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
            focus = self.focusWidget()
            was_on_page = focus is not None and self.stack.isAncestorOf(focus)
            self._turn_to(self.page, key)
            self._session.load(key)
            self.page.show_entry(entry, self._session.in_work)
            self.panel.show_entry(entry)
            if was_on_page:  # Qt gives the focus to the first button of the new page, which nobody has chosen
                self.page.setFocus()

    def _open_found(self, key: str, enter: bool = False) -> None:
        """The page of a recording, at the words that it was found by; `enter` takes the focus into its text."""
        self.show_entry(key)
        wanted = self.sidebar.search_for(key)
        if wanted:
            self._session.snippet(key, wanted, partial(self._show_found, key, enter))

    def _show_found(self, key: str, enter: bool, found: Snippet | None) -> None:
        if key != self.current.key or self.page.view.hasFocus():  # the user has gone on meanwhile
            return
        if found is not None:
            self.page.show_found(found.found, (found.line, found.begin))
        if enter and self.sidebar.list.hasFocus():
            self.page.view.setFocus()

    def _height_of_player(self) -> int:
        return self.player.bar.height() if self.player.bar.isVisible() else 0

    def _open_recent(self) -> None:
        """The recordings that were looked at last, under the link of the first page."""
        self.show_idle()
        open_under(self.idle.recent, recent_menu(self, self._recent, self.show_entry))

    def _turn_to(self, page: QWidget, key: str) -> None:
        self._awaits = 0
        self.stack.setCurrentWidget(page)
        self.all_actions["models"].setChecked(isinstance(page, ModelsPage))
        self.all_actions["settings"].setChecked(isinstance(page, SettingsPage))
        self.sidebar.select(key)
        self.current.show(key)
        if key:
            self._recent.note(key)
        self._say_title()
        self._place_panel()
        self._place_banners()

    def _say_title(self) -> None:
        entry = self.current.entry
        self.setWindowTitle(f"{entry.name} – {NAME}" if entry else NAME)

    def _place_panel(self) -> None:
        """Beside every recording where it is open, whether there are figures or not: no text moves for it."""
        speed, is_recording = self.all_actions["speed"], self.current.entry is not None
        wide = self.width() >= _ROOM_FOR_PANEL
        self.panel.fit(self.width())
        self.panel.setVisible(speed.isChecked() and is_recording and wide)
        self.page.header.speed.setVisible(is_recording)
        speed.setEnabled(wide)
        speed.show_as(_("Speed"), "" if wide else _("Speed (make the window wider to show it)"))

    def _toggle_speed(self, shown: bool) -> None:
        self._preferences.set("speed", "shown" if shown else "hidden")
        self._place_panel()

    # What the session says.

    def _arrived(self) -> None:
        """More stands in the list; the page is the user's to turn."""
        self._offer_sample()
        self._refresh()

    def _refresh(self) -> None:
        if self.current.entry is not None:
            self.page.refresh(self._session.in_work)

    def _offer_sample(self) -> None:
        self.idle.show_first_start(not self._session.entries)

    def _show_dropped(self, drop: int, key: str) -> None:
        """Show the first file of a drop, unless the user has gone on meanwhile, or follows a recording in work."""
        if drop != self._awaits:
            return
        self._awaits = 0
        shown = self.current.entry
        if shown is None or shown.state not in IN_WORK:
            told_here = self._trouble_on == (self.stack.currentWidget(), self.current.key)
            self.show_entry(key)
            if told_here:  # what is said of the drop stays in sight
                self._trouble_on = self.stack.currentWidget(), self.current.key
                self._place_banners()

    def _await_nothing(self) -> None:
        self._awaits = 0

    def _changed(self, key: str) -> None:
        entry = self.current.entry
        if entry is None:
            return
        if key != self.current.key:  # its place in the queue may be another one: once for all that change together
            self._refresh_later.start()
            return
        self._refresh()
        self._say_title()  # it may have been renamed
        self.panel.show_entry(entry)
        self._place_panel()

    def _text_changed(self, key: str) -> None:
        if key == self.current.key:
            self.page.refresh_text(self._session.in_work)

    def _replaced(self, key: str) -> None:
        if key == self.current.key:
            self.page.begin_again(self._session.in_work)

    def _removed(self, key: str) -> None:
        self._offer_sample()
        if key == self.current.key:
            self.show_idle()

    def _show_live(self) -> None:
        self.idle.record.setEnabled(not self._live.is_on)
        self.sidebar.show_live(self._live.is_on)

    def _show_fetching(self) -> None:
        job = self._models.fetching
        label = _("Models · {percent}", percent=wording.percent(job.share)) if job else _("Models")
        self.all_actions["models"].show_as(label, _("Models"))

    def _say_trouble(self, problems: tuple[Problem, ...]) -> None:
        self._problems = problems
        self._trouble_on = self.stack.currentWidget(), self.current.key
        self._place_banners()

    def _place_banners(self) -> None:
        """One at most, and only over the page that it belongs to."""
        here = self.stack.currentWidget(), self.current.key
        is_here = bool(self._problems) and here == self._trouble_on
        self.trouble.say(sentence(*self._problems) if is_here else "")
        if self._recovery_bar is not None:
            self._recovery_bar.show_over(self.stack.currentWidget() is self.idle and not is_here)
            self.page.banners.hold(is_here)

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
        """Queue files and folders that the user gives to this window, or add models, and show them; what was wrong
        before is forgotten."""
        self._say_trouble(())
        self.known.clear()
        files = list(files)
        folders = model_folders(files, every=isinstance(self.stack.currentWidget(), ModelsPage))
        if folders:
            self.show_models()
            for folder in folders:
                self._models.add(folder)
        else:
            self._drops = self._awaits = self._drops + 1
            on_idle = self.stack.currentWidget() is self.idle
            options = self.idle.take_options() if on_idle else None
            known = self._show_known if options is None else None
            self._session.add(files, options, partial(self._show_dropped, self._drops), known)

    def _show_known(self, files: dict[str, str]) -> None:
        self.known.show_files(files, self.current.key)

    def take(self, files: Iterable[str]) -> None:
        """Queue files and folders, or add models, of another start: page, focus and caret stay as they are."""
        files = list(files)
        folders = model_folders(files, every=False)
        for folder in folders:
            self._models.add(folder)
        if not folders:
            self._session.add(files)

    def _show_dragged(self, dragged: bool) -> None:
        on_card = self.stack.currentWidget() is self.idle
        self.idle.card.set_dragged(dragged and on_card)
        if dragged and not on_card:
            models = isinstance(self.stack.currentWidget(), ModelsPage)
            self.veil.cover(_("Drop to add this model") if models else _("Drop to add to the queue"))
        else:
            self.veil.hide()

    # The window itself.

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._place_panel()
        self.sidebar.fit()
        super().resizeEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self._may_close():
            event.ignore()
            return
        self.live.captions.hide()
        keep_geometry(self, self._preferences, "window")
        self.closed.emit()
        event.accept()

    def _may_close(self) -> bool:
        return self.live.may_close() and (self.live.closing or self._may_leave_unfinished())

    def _may_leave_unfinished(self) -> bool:
        """Whether nothing is unfinished, or the user says that recordings, a download or a training may be left
        so."""
        count = len(self._session.in_work) + self._core.checks.attempts
        if count:
            question = ngettext("A recording is not finished", "{n} recordings are not finished", count)
            text = _("The text so far is kept. You can continue transcribing later.")
        elif self._models.fetching is not None:
            question = _("A download is not finished")
            text = _("What has been downloaded is kept. You can resume the download later.")
        elif self._core.training.runs:
            question = _("A draft is being trained")
            text = _("What has been done is kept. You can continue the training later.")
        else:
            return True
        return confirm(self, question, text, _("Close Galley"))

    def _close_what_is_open(self) -> None:
        """Close the search or the settings. Work is never stopped by it."""
        if self.page.find_bar.isVisible():
            self.page.close_find()
        elif self.sidebar.search.text():
            self.sidebar.search.clear()
        elif self.settings.isVisible() or self.models.isVisible():
            self.show_idle()


def local_files(event: QDropEvent) -> list[str]:
    """The files and folders of this computer in what is dragged."""
    return [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
