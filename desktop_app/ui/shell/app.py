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

from desktop_app import __version__, resources
from desktop_app.app.core import Core
from desktop_app.app.inputs import Inputs
from desktop_app.app.models import ModelStore
from desktop_app.app.preferences import Preferences
from desktop_app.app.speaker_edits import Edits
from desktop_app.app.worker import Worker
from desktop_app.audio import microphone
from desktop_app.audio.recording import Recorder
from desktop_app.engine.client import Engine
from desktop_app.ui.mailbox import Mailbox
from desktop_app.ui.player.playback import Playback
from desktop_app.ui.recording.listening import OpenStream
from desktop_app.ui.shell.window import Window
from desktop_app.ui.widgets import theme


class Program:
    """Everything that lives as long as the window.

    Attributes: window, session, live, playback, models, engine, library (None when it cannot be opened), theme,
    preferences.
    """

    def __init__(
        self,
        app: QApplication,
        list_inputs: Callable[[], list[microphone.Input]] = microphone.inputs,
        open_stream: OpenStream = microphone.open_stream,
    ) -> None:
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
        self.window = Window(
            self.theme,
            self.session,
            self.live,
            self._core.checks,
            Edits(self.session),
            self.playback,
            self.models,
            self.preferences,
            open_stream,
        )
        self.window.closed.connect(self.close)
        self._open = True
        self._core.tell_trouble()

    def close(self) -> None:
        """End the engine and write what is still to be written; an unfinished recording is interrupted."""
        if self._open:
            self._open = False
            self._core.close()
            self.playback.close()
            self.models.close()


def run(files: list[str]) -> int:
    """Open the window with these files queued; returns the exit status when it is closed."""
    QGuiApplication.setDesktopFileName("galley")
    app = QApplication(sys.argv[:1])
    app.setApplicationName("Galley")
    app.setApplicationDisplayName("Galley")
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
