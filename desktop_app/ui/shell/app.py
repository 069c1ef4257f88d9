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

from desktop_app import __version__, folders, resources
from desktop_app.audio import microphone
from desktop_app.audio.recording import Recorder
from desktop_app.engine.client import Engine
from desktop_app.library.store import Library, LibraryProblem
from desktop_app.ui.keeper import Keeper
from desktop_app.ui.mailbox import Mailbox
from desktop_app.ui.models.store import ModelStore
from desktop_app.ui.player.playback import Playback
from desktop_app.ui.recording.checks import Checks
from desktop_app.ui.recording.inputs import Inputs
from desktop_app.ui.recording.listening import OpenStream
from desktop_app.ui.recording.live import Live
from desktop_app.ui.session import Session
from desktop_app.ui.settings.preferences import Preferences
from desktop_app.ui.shell.window import Window
from desktop_app.ui.speakers.edits import Edits
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
        self.preferences = Preferences()
        self.theme = theme.Theme(app, self.preferences.settings)
        self.library: Library | None = None
        trouble: LibraryProblem | None = None
        try:
            self.library = Library(folders.data() / "library")
        except LibraryProblem as problem:
            trouble = problem
        self._keeper = Keeper()
        self._mailbox = Mailbox(lambda event: self.session.handle(event))
        self.engine = Engine(self._mailbox.post)
        self.session = Session(self.engine, self.library, self._keeper, self.preferences.options)
        self.live = Live(
            self.session,
            self.engine,
            self.library,
            self._keeper,
            Inputs(list_inputs, self.preferences),
            partial(Recorder, open_stream=open_stream),
            self.preferences,
        )
        checks = Checks(self.session, self.engine, self.library, self._keeper, self.preferences.options)
        edits = Edits(self.session, self.library, self._keeper)
        self.playback = Playback()
        self.models = ModelStore(self.preferences)
        self.window = Window(
            self.theme,
            self.session,
            self.live,
            checks,
            edits,
            self.playback,
            self.models,
            self.preferences,
            open_stream,
        )
        self.window.closed.connect(self.close)
        self._open = True
        if trouble is not None:
            self.session.trouble.emit(f"transcripts cannot be kept, {trouble.reason}", trouble.remedy)
        elif self.library is not None and self.library.notice:
            self.session.trouble.emit(self.library.notice, "")

    def close(self) -> None:
        """End the engine and write what is still to be written; an unfinished recording is interrupted."""
        if self._open:
            self._open = False
            self.live.close()
            self.playback.close()
            self.models.close()
            self.engine.close()
            self._keeper.close()
            if self.library is not None:
                self.library.close()


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
