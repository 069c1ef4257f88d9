"""An input without any sound hardware, for tests of what records it."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import numpy.typing as npt

from desktop_app.audio.files import AudioFile
from desktop_app.audio.recording import Recorded, Recorder
from desktop_app.audio.ring import Ring
from desktop_app.problems import Problem
from desktop_app.transcript.constants import SAMPLE_RATE
from tests.waiting import wait_until

Sound = npt.NDArray[np.float32]


class FakeInput:
    """A stream whose sound the test says."""

    def __init__(self, name: str = "Fake", rate: int = 16_000, channels: int = 1, pauses: bool = False) -> None:
        self.name, self.ring = name, Ring(rate, channels)
        self.is_system = self.pauses = pauses
        self.lost = self.closed = False
        self.listed = True

    def say(self, sound: npt.NDArray[np.float32], driver_lost: bool = False) -> None:
        """Give a block as the driver does: interleaved."""
        self.ring.write(memoryview(sound.tobytes()), len(sound) // self.ring.channels, driver_lost)

    def is_lost(self) -> bool:
        return self.lost

    def is_listed(self) -> bool:
        return self.listed

    def close(self) -> None:
        self.closed = True


class Events:
    """A listener that keeps what it was told."""

    def __init__(self) -> None:
        self.began_times = 0
        self.blocks: list[npt.NDArray[np.float32]] = []
        self.samples = 0
        self.levels: list[tuple[float, float]] = []
        self.troubles: list[str | None] = []
        self.recorded: Recorded | None = None

    def began(self) -> None:
        self.began_times += 1

    def block(self, samples: npt.NDArray[np.float32], start: int) -> None:
        assert start == self.samples, "a hole between two blocks"
        self.samples += samples.size
        self.blocks.append(samples)

    def level(self, peak: float, rms: float) -> None:
        self.levels.append((peak, rms))

    def trouble(self, problems: tuple[Problem, ...]) -> None:
        self.troubles.append(", ".join(map(str, problems)) or None)

    def ended(self, recorded: Recorded) -> None:
        self.recorded = recorded

    @property
    def sound(self) -> npt.NDArray[np.float32]:
        return np.concatenate(self.blocks)


def noise(seconds: float, rate: int = SAMPLE_RATE, seed: int = 0) -> Sound:
    """Sound whose every sample 16 bits can hold."""
    whole = np.random.default_rng(seed).integers(-20_000, 20_000, round(seconds * rate))
    return (whole / 2**15).astype(np.float32)


def read(path: Path) -> Sound:
    with AudioFile(path) as audio:
        sound = np.concatenate(list(audio))
    assert audio.damage is None
    return sound


class Clock:
    """The real time, until it is held: from then on it is what the test says."""

    def __init__(self) -> None:
        self._held: float | None = None

    def __call__(self) -> float:
        return time.monotonic() if self._held is None else self._held

    def hold(self) -> None:
        """Stand still."""
        self._held = self()

    def skip(self, seconds: float) -> None:
        """Go on by so many seconds, and stand still again."""
        self._held = self() + seconds


class Desk:
    """Inputs by name, a recorder with a clock, and its listener."""

    def __init__(self, path: Path) -> None:
        self.path, self.events, self.clock = path, Events(), Clock()
        self.inputs: dict[str | None, FakeInput | Problem] = {None: FakeInput()}
        self.recorder = Recorder(path, None, self.events, self.open, self.clock)

    def open(self, name: str | None) -> FakeInput:
        found = self.inputs.get(name, Problem("microphone.not_connected", name=name))
        if isinstance(found, Problem):
            raise found
        return found

    @property
    def input(self) -> FakeInput:
        return self.open(None)

    def taken(self, samples: int) -> None:
        """Wait until so much is on its way to the file."""
        wait_until(lambda: self.recorder._file.samples >= samples)

    def look(self) -> None:
        """Wait until the recorder has looked at its input once more."""
        for _ in range(2):
            self.recorder._do(lambda: None)
