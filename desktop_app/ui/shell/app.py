"""The desktop program: puts window, session, library and engine together."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from functools import partial

from PySide6.QtCore import QEvent, QSettings, Qt, QTimer
from PySide6.QtGui import QFileOpenEvent, QGuiApplication, QIcon
from PySide6.QtWidgets import QApplication, QMessageBox

from desktop_app import NAME, __version__, folders, resources, texts
from desktop_app.app.background import BackgroundThread
from desktop_app.app.core import DesktopCore, data_folder_problem
from desktop_app.app.live.inputs import Inputs
from desktop_app.app.models.model_store import ModelStore
from desktop_app.app.presentation.problems import sentence
from desktop_app.app.settings.preferences import Preferences
from desktop_app.app.system.instance import Instance
from desktop_app.app.system.notices import Notices
from desktop_app.audio import microphone
from desktop_app.audio.recording import Recorder
from desktop_app.engine.client import Engine
from desktop_app.texts import _
from desktop_app.ui.mailbox import Mailbox
from desktop_app.ui.player.playback import Playback
from desktop_app.ui.player.waveforms import Waveforms
from desktop_app.ui.recording.listening import OpenStream
from desktop_app.ui.shell import qt_texts
from desktop_app.ui.shell.main_window import MainWindow
from desktop_app.ui.shell.notifier import notifier
from desktop_app.ui.shell.quick_turns import quick_turns
from desktop_app.ui.widgets import theme

_WATCH = 4000  # milliseconds between two looks into the watched folder
_GLANCE = 1000  # milliseconds between two looks at what another Galley has written, and what was typed here


class Application(QApplication):
    """The application as the system sees it: macOS hands it files by events, even before there is a window."""

    def __init__(self, arguments: list[str]) -> None:
        super().__init__(arguments)
        self._handed: list[str] = []
        self._take: Callable[[list[str]], None] | None = None

    def deliver_to(self, take: Callable[[list[str]], None]) -> None:
        """Who gets the files, those that have come already too."""
        self._take = take
        self._deliver()

    def _deliver(self) -> None:
        if self._take is not None and self._handed:
            handed, self._handed = self._handed, []
            self._take(handed)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QFileOpenEvent) and event.file():
            self._handed.append(event.file())
            self._deliver()
            return True
        return super().event(event)


class Program:
    """The window and everything that outlives it: another language makes the window anew over the same session.

    Attributes: post (makes a call in the window's thread), window, core, playback, engine, theme; and of the core:
    session, live, models, library (None when it cannot be opened), preferences.
    """

    def __init__(
        self,
        app: QApplication,
        list_inputs: Callable[[], list[microphone.Input]] = microphone.inputs,
        open_stream: OpenStream = microphone.open_stream,
    ) -> None:
        self._app, self._open_stream = app, open_stream
        theme.load_fonts()
        app.setFont(theme.font(13))
        self._mailbox = Mailbox(lambda event: self.session.handle(event))
        post = self.post = self._mailbox.call
        worker = BackgroundThread("library", post)
        self.preferences = Preferences(worker)
        self.theme = theme.Theme(app, self.preferences)
        self.engine = Engine(self._mailbox.post)
        core = self.core = DesktopCore(
            self.engine,
            worker,
            self.preferences,
            ModelStore(self.preferences, post),
            Inputs(list_inputs, post, self.preferences),
            partial(Recorder, open_stream=open_stream),
        )
        self.session, self.live, self.models, self.library = core.session, core.live, core.models, core.library
        self.playback, self._waveforms = Playback(), Waveforms()
        self.session.removed.connect(self.playback.forget)
        self._notices = Notices(
            self.session,
            core.checks,
            self.preferences,
            lambda: app.applicationState() == Qt.ApplicationState.ApplicationActive,
            notifier(post),
        )
        app.applicationStateChanged.connect(lambda state: self._notices.forget())
        self._use_language()
        self.window = self._make_window()
        self.window.start()
        self.preferences.changed.connect(lambda: post(self._follow_language))
        self._open, self._is_renewing = True, False
        self._looking = QTimer(interval=_GLANCE)
        self._looking.timeout.connect(self.session.refresh)
        self._looking.timeout.connect(core.edits.save)
        self._looking.start()
        self._watching = QTimer(interval=_WATCH)
        self._watching.timeout.connect(core.watch.check)
        self._watching.start()
        core.tell_trouble()

    def _make_window(self) -> MainWindow:
        made = MainWindow(self.theme, self.core, self.playback, self._waveforms, self._open_stream)
        made.closed.connect(self.close)
        return made

    def _use_language(self) -> bool:
        """Use the language that the user chose; whether it is another one than before."""
        before = texts.current()
        texts.use_preferred(self.preferences.language)
        qt_texts.use(self._app, texts.current())
        return texts.current() != before

    def _follow_language(self) -> None:
        if self._open and not self._is_renewing and not self.window.live.is_ending and self._use_language():
            self._is_renewing = True
            self._take_turns(self._renew_window())

    def _take_turns(self, steps: Iterator[None]) -> None:
        """Take one step in each turn of the event loop: in between a window can answer."""
        try:
            next(steps)
        except StopIteration:
            self._is_renewing = False
            self._follow_language()  # perhaps the user has chosen another one meanwhile
        else:
            QTimer.singleShot(1, self._app, partial(self._take_turns, steps))

    def _renew_window(self) -> Iterator[None]:
        """Make the window anew, in steps. The one before is in use until the last but one."""
        yield
        made = self._make_window()
        yield
        yield from made.prepare()
        before = self.window
        if not self._open or before.live.is_ending:
            made.connections.close()
            made.deleteLater()
            return
        before.connections.close()
        self.window = made
        made.start()
        yield
        if self._open:
            made.replace(before)
        self.preferences.when_saved(before.deleteLater)  # until then it may get answers that it asked for

    def take(self, paths: list[str]) -> None:
        """Take the files of another start of the program, and come to the front."""
        window = self.window
        window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
        window.show()
        window.raise_()
        window.activateWindow()
        if paths:
            window.take(paths)

    def close(self) -> None:
        """End the engine and write what is still to be written; an unfinished recording is interrupted."""
        if self._open:
            self._open = False
            self._looking.stop()
            self._watching.stop()
            self._notices.close()
            self.core.close()
            self.playback.close()
            self._waveforms.rest()


def make_application() -> Application:
    """Qt's side of the program: its names, its look, and where Qt keeps what it remembers."""
    # Its file dialog writes down which folders were visited, into a file of all programs with Qt. Windows and macOS
    # keep such settings elsewhere, and this changes nothing there.
    QSettings.setPath(QSettings.Format.NativeFormat, QSettings.Scope.UserScope, str(folders.data() / "qt"))
    QGuiApplication.setDesktopFileName("galley")
    app = Application(sys.argv[:1])
    app.setApplicationName(NAME)
    app.setApplicationDisplayName(NAME)
    app.setApplicationVersion(__version__)
    app.setWindowIcon(QIcon(str(resources.path("resources", "icons", "galley.svg"))))
    app.setStyle("Fusion")
    return app


def run(files: list[str]) -> int:
    """Open the window with these files queued; returns the exit status when it is closed."""
    app = make_application()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if problem := data_folder_problem():
        return _refuse(app, sentence(problem))
    instance, paths = Instance(), [os.path.abspath(file) for file in files]
    if not instance.claim():
        if instance.hand_over(paths):
            return 0
        return _refuse(app, _("Galley is already open and does not answer. Close it or end it, then try again."))
    program = Program(app)
    program.window.show()
    instance.serve(program.post, program.take)
    app.deliver_to(program.take)
    if paths:
        QTimer.singleShot(0, lambda: program.window.add(paths))
    with quick_turns(app):
        status = app.exec()
    program.close()
    instance.close()
    return status


def _refuse(app: QApplication, why: str) -> int:
    """Say why there is no window, where whoever started it looks; gives the exit status."""
    line = f"galley: {why}\n"
    if sys.stderr is not None:
        sys.stderr.write(line)
    if app.platformName() not in ("offscreen", "minimal"):
        QMessageBox.critical(None, NAME, why)
    return 1
