"""The application put together: what both front ends need, and what only the one with a window does."""

from __future__ import annotations

import errno
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from desktop_app import folders
from desktop_app.app.background import BackgroundThread
from desktop_app.app.editing.conversations import Conversations
from desktop_app.app.editing.edits import Edits
from desktop_app.app.editing.recheck import Checks
from desktop_app.app.library.deletions import Deletions
from desktop_app.app.library.dragged import DraggedFiles
from desktop_app.app.library.exports import Exports
from desktop_app.app.library.recovery import Recovery
from desktop_app.app.library.watching import Watch
from desktop_app.app.live.inputs import Inputs
from desktop_app.app.live.live_recording import LiveRecording, MakeRecorder
from desktop_app.app.models.draft_training import DraftTraining
from desktop_app.app.models.model_store import ModelStore
from desktop_app.app.recordings.engine_port import EnginePort
from desktop_app.app.recordings.session import Session
from desktop_app.app.settings.preferences import Preferences
from desktop_app.app.system.awake import Awake, Hold, hold
from desktop_app.library.store import Library
from desktop_app.messages.options import Options
from desktop_app.problems import Problem


def data_folder_problem() -> Problem | None:
    """Why nothing can be kept in the data folder, which is made here; None where it can, or only the disk is full."""
    folder = folders.data()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            return Problem("disk.data_folder", path=str(folder), error=error.strerror or str(error))
    return None


class ClosablePort(EnginePort, Protocol):
    """What is needed of desktop_app.engine.client.Engine."""

    def close(self) -> None: ...


class Core:
    """Everything but the front end, which lets `engine` call `session.handle`, and `worker` post, in its own thread.

    Attributes: worker, session, live, checks, deletions, exports; library (None when it cannot be opened).
    """

    def __init__(
        self,
        engine: ClosablePort,
        worker: BackgroundThread,
        options: Callable[[], Options],
        inputs: Inputs,
        make_recorder: MakeRecorder,
        recordings: Callable[[], Path],
        hold_awake: Hold = hold,
    ) -> None:
        self._engine, self.worker = engine, worker
        self.library: Library | None = None
        self._problem: Problem | None = None
        try:
            self.library = Library(folders.data() / "library")
            self._problem = self.library.notice
        except Problem as problem:
            self._problem = Problem("library.unusable", cause=problem)
        self.session = Session(engine, self.library, worker, options)
        self.live = LiveRecording(self.session, inputs, make_recorder, recordings)
        self.checks = Checks(self.session)
        self.deletions = Deletions(self.session)
        self.exports = Exports(self.session)
        self._awake = Awake(self.session, self.live, self.checks, hold_awake)

    def tell_trouble(self) -> None:
        """Say what was wrong with the library, when somebody listens."""
        if self._problem is not None:
            self.session.tell(self._problem)

    def close(self) -> None:
        """Make the sound whole, end the engine and write what is still to be written; what is unfinished is
        interrupted."""
        self.live.close()
        self.deletions.settle()
        self.exports.close()
        self._awake.close()
        self._engine.close()
        self.worker.close()
        if self.library is not None:
            self.library.close()


class DesktopCore(Core):
    """Core, and what belongs to a program with a window but outlives each window.

    Attributes: preferences, models, edits, conversations, recovery, dragged; watch (the folder whose new recordings
        are transcribed); training (of drafts).
    """

    def __init__(
        self,
        engine: ClosablePort,
        worker: BackgroundThread,
        preferences: Preferences,
        models: ModelStore,
        inputs: Inputs,
        make_recorder: MakeRecorder,
        hold_awake: Hold = hold,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(
            engine, worker, preferences.options, inputs, make_recorder, lambda: preferences.recordings, hold_awake
        )
        self.preferences, self.models = preferences, models
        self.edits = Edits(self.session, clock)
        self.conversations = Conversations(self.session, preferences)
        self.recovery = Recovery(self.session, preferences)
        self.watch = Watch(self.session, self.checks, preferences)
        self.dragged = DraggedFiles()
        self.training = DraftTraining(models, preferences, worker, lambda: self._awake.is_busy)
        self._awake.busy_changed.connect(self.training.hold)
        self._awake.follow_training(self.training.changed, lambda: self.training.runs and not self.training.held)

    def close(self) -> None:
        """As Core does; what was typed is saved, and work on models is given up."""
        self.watch.close()
        self.edits.save()
        self.recovery.close()
        self.training.close()
        super().close()
        self.dragged.clear()
        self.models.close()
