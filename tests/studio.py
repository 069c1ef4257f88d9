"""Microphones that tests play: what the system lists, and recorders that hear what a test says."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from desktop_app.audio.microphone import Input
from desktop_app.audio.recording import Recorded, RecorderListener
from desktop_app.problems import Problem
from desktop_app.transcript.constants import SAMPLE_RATE

DESK = Input("alsa:desk", "Desk microphone", "ALSA", 1, 48_000, True, False)
HEADSET = Input("alsa:headset", "Headset", "ALSA", 1, 16_000, False, False)
SPEAKERS = Input("pulse:monitor", "Monitor of Speakers", "PulseAudio", 2, 44_100, False, True)


class FakeRecorder:
    """Writes a file of a few bytes and says what the test lets it say. Attributes: asked (the calls, in order)."""

    def __init__(self, path: Path, input_id: str | None, listener: RecorderListener, studio: Studio) -> None:
        self.path, self.input_id, self.listener, self._studio = path, input_id, listener, studio
        self.samples = 0
        self.asked: list[str] = []

    def start(self) -> None:
        self.asked.append("start")
        if self._studio.refusal is not None:
            raise self._studio.refusal
        self.path.write_bytes(b"sound")

    def pause(self) -> None:
        self.asked.append("pause")

    def resume(self) -> None:
        self.asked.append("resume")

    def switch(self, input_id: str | None) -> None:
        self.asked.append(f"switch {input_id}")
        if self._studio.refusal is not None:
            raise self._studio.refusal

    def stop(self) -> Recorded:
        self.asked.append("stop")
        made = Recorded(
            self.path, self.samples / SAMPLE_RATE, (), None if self.samples else Problem("microphone.nothing_heard")
        )
        self.listener.ended(made)
        return made

    def feed(self, seconds: float, peak: float = 0.3) -> None:
        """Let it take in sound."""
        block = np.full(round(seconds * SAMPLE_RATE), peak, np.float32)
        if not self.samples:
            self.listener.began()
        self.listener.block(block, self.samples)
        self.samples += block.size
        self.listener.level(peak, peak / 2)


class FakeStream:
    """An input that is open only for its level."""

    def __init__(self) -> None:
        self.ring = self
        self.closed = False

    def read(self) -> list[tuple[np.ndarray, int]]:
        return [(np.full((800, 1), 0.5, np.float32), 0)]

    def is_lost(self) -> bool:
        return False

    def close(self) -> None:
        self.closed = True


@dataclass
class Studio:
    """What the system has.

    Attributes: inputs; refusal (what opening an input raises); recorders and streams (all that were made).
    """

    inputs: list[Input] = field(default_factory=lambda: [DESK, HEADSET, SPEAKERS])
    refusal: Problem | None = None
    recorders: list[FakeRecorder] = field(default_factory=list)
    streams: list[FakeStream] = field(default_factory=list)

    def list_inputs(self) -> list[Input]:
        if not self.inputs:
            raise Problem("microphone.none")
        return self.inputs

    def make(self, path: Path, input_id: str | None, listener: RecorderListener) -> FakeRecorder:
        made = FakeRecorder(path, input_id, listener, self)
        self.recorders.append(made)
        return made

    def open_stream(self, input_id: str | None) -> FakeStream:
        """An input that hums, for the level."""
        if self.refusal is not None:
            raise self.refusal
        self.streams.append(FakeStream())
        return self.streams[-1]

    @property
    def recorder(self) -> FakeRecorder:
        """The newest one."""
        return self.recorders[-1]
