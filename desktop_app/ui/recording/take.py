"""One live recording, from the first sample to the last, as the window's main thread sees it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import numpy as np
from PySide6.QtCore import QObject, Signal, SignalInstance

from desktop_app.audio.microphone import MicrophoneProblem
from desktop_app.audio.recording import Recorded, RecorderListener
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.ui.errands import Errands


class RecorderPort(Protocol):
    """What a take needs of desktop_app.audio.recording.Recorder."""

    def start(self) -> None: ...

    def pause(self) -> None: ...

    def resume(self) -> None: ...

    def switch(self, input_id: str) -> None: ...

    def stop(self) -> Recorded: ...


MakeRecorder = Callable[[Path, str | None, RecorderListener], RecorderPort]
Hear = Callable[[np.ndarray, int], None]


class Take(QObject):
    """Drives a recorder beside the main thread: no call of it is made in the main thread, and none waits.

    Signals:
        refused(reason, remedy): the input could not be opened; nothing is recorded.
        not_switched(reason, remedy): another input could not be taken; it goes on as before.
        not_resumed(reason, remedy): the input could not be opened again; the pause goes on.
        began(): the first sample has arrived.
        levelled(peak): how loud it is now, 0 to 1, about 20 times a second.
        troubled(problem): the input is lost or the disk nearly full; None when that is over.
        ended(recorded): the audio is whole on the disk.
    """

    refused = Signal(str, str)
    not_switched = Signal(str, str)
    not_resumed = Signal(str, str)
    began = Signal()
    levelled = Signal(float)
    troubled = Signal(object)
    ended = Signal(object)

    def __init__(
        self, make: MakeRecorder, path: Path, input_id: str | None, hear: Hear, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._hear = hear
        self._samples = 0
        self._errands = Errands("recorder", self)
        self._recorder = make(path, input_id, _Ear(self))

    @property
    def seconds(self) -> float:
        """How much is recorded."""
        return self._samples / SAMPLE_RATE

    def start(self) -> None:
        """Open the input and begin."""
        self._do(self._recorder.start, self.refused)

    def pause(self) -> None:
        """Leave out what is said from now on."""
        self._errands.do(self._recorder.pause)

    def resume(self) -> None:
        """Go on after a pause."""
        self._do(self._recorder.resume, self.not_resumed)

    def switch(self, input_id: str) -> None:
        """Go on with another input."""
        self._do(lambda: self._recorder.switch(input_id), self.not_switched)

    def stop(self) -> None:
        """End the recording; `ended` follows."""
        self._errands.do(self._recorder.stop)

    def close(self, seconds: float = 0.0) -> None:
        """End the thread; what was asked before is done first, and waited for at most this long."""
        self._errands.close(seconds)

    def _do(self, call: Callable[[], object], refused: SignalInstance) -> None:
        self._errands.do(call, refused=lambda problem: refused.emit(problem.reason, problem.remedy))

    def take_in(self, samples: np.ndarray, start: int) -> None:
        """A block, in the recorder's thread: it is on the disk and goes on to the engine."""
        self._samples = start + len(samples)
        self._hear(samples, start)


class _Ear:
    """What the recorder calls, in its own thread; signals carry it into the main thread."""

    def __init__(self, take: Take) -> None:
        self._take = take

    def began(self) -> None:
        self._take.began.emit()

    def block(self, samples: np.ndarray, start: int) -> None:
        self._take.take_in(samples, start)

    def level(self, peak: float, rms: float) -> None:
        self._take.levelled.emit(peak)

    def trouble(self, problem: MicrophoneProblem | None) -> None:
        self._take.troubled.emit(problem)

    def ended(self, recorded: Recorded) -> None:
        self._take.ended.emit(recorded)
