"""The desktop program: puts window, session, library and engine together."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication, QIcon
from PySide6.QtWidgets import QApplication

from desktop_app import NAME, __version__, resources, texts
from desktop_app.app.core import Core
from desktop_app.app.inputs import Inputs
from desktop_app.app.models import ModelStore
from desktop_app.app.preferences import Preferences
from desktop_app.app.recovery import Recovery
from desktop_app.app.signals import gathered
from desktop_app.app.speaker_edits import Edits
from desktop_app.app.worker import Worker
from desktop_app.audio import microphone
from desktop_app.audio.recording import Recorder
from desktop_app.engine.client import Engine
from desktop_app.ui.mailbox import Mailbox
from desktop_app.ui.player.playback import Playback
from desktop_app.ui.recording.listening import OpenStream
from desktop_app.ui.shell import qt_texts
from desktop_app.ui.shell.window import Window
from desktop_app.ui.widgets import theme


class Program:
    """The window and everything that outlives it: another language makes the window anew over the same session.

    Attributes: window, session, live, playback, models, engine, library (None when it cannot be opened), theme,
    preferences.
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
        post = self._mailbox.call
        worker = Worker("library", post)
        self.preferences = Preferences(worker)
        self.theme = theme.Theme(app, self.preferences)
        self.engine = Engine(self._mailbox.post)
        self._core = Core(
            self.engine,
            worker,
            self.preferences.options,
            Inputs(list_inputs, post, self.preferences),
            partial(Recorder, open_stream=open_stream),
            lambda: self.preferences.recordings,
        )
        self.session, self.live, self.library = self._core.session, self._core.live, self._core.library
        self.playback = Playback()
        self.models = ModelStore(self.preferences, post)
        self._edits, self._recovery = Edits(self.session), Recovery(self.session, self.preferences)
        self._use_language()
        self.window = self._make_window()
        self.preferences.changed.connect(lambda: post(self._follow_language))
        self._open = True
        self._core.tell_trouble()

    def _make_window(self) -> Window:
        with gathered() as self._connections:
            made = Window(
                self.theme,
                self.session,
                self.live,
                self._core.checks,
                self._edits,
                self._recovery,
                self.playback,
                self.models,
                self.preferences,
                self._open_stream,
            )
        made.closed.connect(self.close)
        return made

    def _use_language(self) -> bool:
        """Use the language that the user chose; whether it is another one than before."""
        before = texts.current()
        texts.use_preferred(self.preferences.language)
        qt_texts.use(self._app, texts.current())
        return texts.current() != before

    def _follow_language(self) -> None:
        if self._open and not self.window.live.is_ending and self._use_language():
            before = self.window
            self._connections.close()
            self.window = self._make_window()
            self.window.replace(before)
            self.preferences.when_saved(before.deleteLater)  # until then it may get answers that it asked for

    def close(self) -> None:
        """End the engine and write what is still to be written; an unfinished recording is interrupted."""
        if self._open:
            self._open = False
            self._recovery.close()
            self._core.close()
            self.playback.close()
            self.models.close()


def run(files: list[str]) -> int:
    """Open the window with these files queued; returns the exit status when it is closed."""
    QGuiApplication.setDesktopFileName("galley")
    app = QApplication(sys.argv[:1])
    app.setApplicationName(NAME)
    app.setApplicationDisplayName(NAME)
    app.setApplicationVersion(__version__)
    app.setWindowIcon(QIcon(str(resources.path("resources", "icons", "galley.svg"))))
    app.setStyle("Fusion")
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    program = Program(app)
    program.window.show()
    if files:
        paths = [os.path.abspath(file) for file in files]
        QTimer.singleShot(0, lambda: program.window.add(paths))
    status = app.exec()
    program.close()
    return status
