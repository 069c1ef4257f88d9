"""A live recording: from the microphone through a ring buffer to the disk, and only then to the listener."""

from __future__ import annotations

import logging
import queue
import time
from collections.abc import Callable
from concurrent import futures
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from threading import Thread
from typing import Any, Protocol

import numpy as np

from desktop_app.audio import disk, microphone
from desktop_app.audio.files import Samples
from desktop_app.audio.microphone import InputStream
from desktop_app.audio.recording_file import RecordingFile
from desktop_app.problems import Problem
from desktop_app.transcript.constants import SAMPLE_RATE

TICK = 0.05
"""Seconds between two reads of the ring buffer, and so between two levels."""

FLUSH = 0.5
"""Seconds between two flushes to the disk."""

_AGAIN, _LATER = 1.0, 5.0  # seconds between two attempts to reopen a lost device: at first, and at most
_STALLED = 3.0  # seconds without sound after which a device counts as lost
_QUIET = 0.3  # an input that pauses in silence does so from then on
_CLOSING = 2.0
_GRAVEST_FIRST = ("input", "mute", "disk")
_MUTE = 3.0  # no working microphone sends exact zeros for so long


@dataclass(frozen=True)
class Gap:
    """Sound that was lost: replaced by `seconds` of silence from `start` on."""

    start: float
    seconds: float


@dataclass(frozen=True)
class Recorded:
    """A recording that has ended; `problem` is why it ended early, or has no sound."""

    path: Path
    seconds: float
    gaps: tuple[Gap, ...]
    problem: Problem | None = None


class RecorderListener(Protocol):
    """Receives a recording's events in the recorder's own thread. It must not block, nor call the recorder."""

    def began(self) -> None:
        """The first sample has arrived. Called again after each `resume`."""

    def block(self, samples: Samples, start: int) -> None:
        """Sound that is in the file, mono at 16 kHz; `start` is the index of its first sample. Blocks are
        contiguous: lost sound is replaced by silence."""

    def level(self, peak: float, rms: float) -> None:
        """How loud it is, 0 to 1, some twenty times a second while sound comes."""

    def trouble(self, problems: tuple[Problem, ...]) -> None:
        """The current problems, the gravest first, while the recording continues as it can; empty when all is well."""

    def ended(self, recorded: Recorded) -> None:
        """It is over, by `stop` or because the disk takes no more. The last call."""


class Reporter:
    """Calls a listener, whose errors do not stop the recording. Problems are reported together, the gravest first, and
    only when they change."""

    def __init__(self, listener: RecorderListener) -> None:
        self._listener = listener
        self._troubles: dict[str, Problem] = {}
        self._reported: tuple[Problem, ...] = ()

    def began(self) -> None:
        """The first sample has arrived."""
        self._call(self._listener.began)

    def block(self, samples: Samples, start: int) -> None:
        """Sound that is in the file."""
        self._call(self._listener.block, samples, start)

    def level(self, sound: Samples, peak: float) -> None:
        """How loud the newest sound is."""
        rms = float(np.sqrt(np.mean(np.square(sound))))
        self._call(self._listener.level, min(peak, 1.0), min(rms, 1.0))

    def trouble(self, kind: str, problem: Problem | None) -> None:
        """Set the problem of that kind ("input", "mute" or "disk"); None clears it."""
        if problem is None:
            self._troubles.pop(kind, None)
        else:
            self._troubles[kind] = problem
        now = tuple(self._troubles[name] for name in _GRAVEST_FIRST if name in self._troubles)
        if now != self._reported:
            self._reported = now
            self._call(self._listener.trouble, now)

    def ended(self, recorded: Recorded) -> None:
        """It is over."""
        self._call(self._listener.ended, recorded)

    def _call(self, method: Callable[..., None], *what: Any) -> None:
        try:
            method(*what)
        except Exception:  # a listener's bug must not end the recording
            logging.getLogger(__name__).exception("a listener failed")


@dataclass(frozen=True)
class _Interruption:
    """Nothing comes `since` then, when the recording was `at` samples long; `is_gap` unless that means silence."""

    since: float
    at: int
    is_gap: bool


class Recorder:
    """One recording into the new file `path`, from an input or, with None, from what the system chooses.

    `start`, `pause`, `resume`, `switch` and `stop` take as long as a device takes to open or close: a window calls
    them from a thread of its own, one at a time. After the recording has ended by itself they do nothing.
    """

    def __init__(
        self,
        path: Path,
        input_id: str | None,
        listener: RecorderListener,
        open_stream: Callable[[str | None], InputStream] = microphone.open_stream,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._path, self._input, self._open, self._clock = path, input_id, open_stream, clock
        self._reporter = Reporter(listener)
        self._orders: queue.SimpleQueue[tuple[Callable[[], Any], futures.Future[Any]]] = queue.SimpleQueue()
        self._thread = Thread(target=self._serve, name="recorder", daemon=True)
        self._recorded: Recorded | None = None
        self._stream: InputStream | None = None  # None while it is paused or gone
        self._next: tuple[InputStream, float] | None = None  # takes over with its first sample; when it was opened
        self._paused = self._flowing = False
        self._interruption: _Interruption | None = None
        self._arrived_at = self._loud_at = self._tried_at = self._synced_at = 0.0
        self._gaps: list[Gap] = []
        self._retry_after = _AGAIN

    def start(self) -> None:
        """Open the input and make the file. Raises Problem, and then there is no file."""
        stream = self._open(self._input)
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            disk.check(self._path.parent)
            self._file = RecordingFile(self._path, self._reporter.block)
        except OSError as error:
            stream.close()
            raise disk.explained(error, self._path) from error
        self._stream = stream
        self._arrived_at = self._clock()
        self._thread.start()

    def pause(self) -> None:
        """Release the microphone; the recording's clock stops until `resume`."""
        self._do(self._pause)

    def resume(self) -> None:
        """Open the microphone again. Raises Problem, and then it is still paused."""
        self._do(self._resume)

    def switch(self, input_id: str | None) -> None:
        """Go on with another input, without a gap where both can be open at once.

        Raises Problem, and then it goes on with the one before.
        """
        self._do(lambda: self._switch(input_id))

    def stop(self) -> Recorded:
        """End it; what has ended by itself tells once more how. What was never begun is no recording."""
        if self._thread.ident is None:
            return Recorded(self._path, 0.0, ())
        self._do(self._end)
        self._thread.join()
        assert self._recorded is not None
        return self._recorded

    def _do(self, order: Callable[[], Any]) -> None:
        """Run a call in the recorder's thread, the only one that uses streams and file."""
        future: futures.Future[Any] = futures.Future()
        self._orders.put((order, future))
        while self._thread.is_alive() and not future.done():
            futures.wait([future], timeout=_CLOSING)
        if future.done():
            future.result()

    # From here on everything runs in the recorder's thread.

    def _serve(self) -> None:
        try:
            while self._recorded is None:
                self._obey()
                if self._recorded is None:
                    self._tick(self._clock())
        except OSError as error:
            self._break_off(disk.explained(error, self._path))
        except Exception as error:
            logging.getLogger(__name__).exception("the recorder failed")
            self._break_off(Problem("engine.failed", error=str(error)))

    def _obey(self) -> None:
        """Run the next order, or wait a tick."""
        try:
            order, future = self._orders.get(timeout=TICK)
        except queue.Empty:
            return
        try:
            future.set_result(order())
        except Problem as problem:
            future.set_exception(problem)

    def _tick(self, now: float) -> None:
        if self._next is not None:
            stream, opened = self._next
            if stream.ring.waiting or stream.is_lost() or now - opened > _STALLED:
                self._take_over(stream)
        if self._stream is not None:
            if self._stream.ring.waiting:
                self._take(self._stream, now)
            else:
                self._miss(self._stream, now)
        elif not self._paused and now - self._tried_at >= self._retry_after:
            self._find_again(now)
        if self._interruption is not None:
            self._fill(now)
        if now - self._synced_at >= FLUSH:
            self._synced_at = now
            self._file.sync()
            self._reporter.trouble("disk", disk.check(self._path.parent))

    def _take(self, stream: InputStream, now: float) -> None:
        """Write the ring buffer's sound to the file."""
        blocks = [(block.mean(axis=1, dtype=np.float32), lost) for block, lost in stream.ring.read()]
        sound = np.concatenate([block for block, _ in blocks])
        rate = stream.ring.rate
        self._flow(now)
        if self._interruption is not None:
            self._fill(now - sound.size / rate)
            self._come_back(self._interruption)
            self._loud_at = now  # there was no sound to measure, which is not silence
        for block, lost in blocks:
            if lost:
                self._lack(lost / rate)
            self._file.add(block, rate)
        self._arrived_at = now
        peak = float(np.abs(sound).max())
        self._reporter.level(sound, peak)
        self._reporter.trouble("input", None)
        self._listen_for_life(stream, peak, now)

    def _flow(self, now: float) -> None:
        if not self._flowing:
            self._flowing, self._loud_at = True, now
            self._reporter.began()

    def _listen_for_life(self, stream: InputStream, peak: float, now: float) -> None:
        """Exact silence for seconds: the input is muted, forbidden, or gone and replaced without a word."""
        if peak > 0:
            self._loud_at = now
            self._reporter.trouble("mute", None)
        elif now - self._loud_at > _MUTE:
            self._loud_at = now
            if not stream.is_listed():
                self._lose(stream)
            elif not stream.is_system:
                self._reporter.trouble("mute", Problem("microphone.mute", name=stream.name))

    def _miss(self, stream: InputStream, now: float) -> None:
        """Nothing has come."""
        quiet = now - self._arrived_at
        if stream.is_lost() or (quiet > _STALLED and not stream.pauses):
            self._lose(stream)
        elif stream.pauses and quiet > _QUIET and self._interruption is None:
            self._flow(now)
            self._interruption = _Interruption(self._arrived_at, self._file.samples, is_gap=False)

    def _lose(self, stream: InputStream) -> None:
        """The device has gone: wait for it."""
        self._drop(stream)
        self._tried_at, self._retry_after = self._clock(), _AGAIN
        self._reporter.trouble("mute", None)
        self._reporter.trouble("input", Problem("microphone.gone", name=stream.name))

    def _find_again(self, now: float) -> None:
        self._retry_after = min(self._retry_after * 1.2, _LATER)  # looking costs a fraction of a second of computing
        try:
            self._stream = self._open(self._input)
        except Problem:
            self._tried_at = now
        else:
            self._arrived_at = self._clock()

    def _fill(self, until: float) -> None:
        """Write silence in place of missing sound."""
        assert self._interruption is not None
        lacking = self._interruption.at + round((until - self._interruption.since) * SAMPLE_RATE) - self._file.samples
        if lacking > 0:
            self._file.silence(lacking)

    def _come_back(self, away: _Interruption) -> None:
        self._interruption = None
        if away.is_gap:
            self._gaps.append(Gap(away.at / SAMPLE_RATE, (self._file.samples - away.at) / SAMPLE_RATE))

    def _lack(self, seconds: float) -> None:
        """Sound was lost on its way: the program or the computer was too busy."""
        self._file.cut()
        self._gaps.append(Gap(self._file.seconds, seconds))
        self._file.silence(round(seconds * SAMPLE_RATE))

    def _pause(self) -> None:
        self._rest()
        self._paused, self._flowing = True, False
        self._reporter.trouble("input", None)
        self._reporter.trouble("mute", None)

    def _resume(self) -> None:
        if self._paused:
            self._stream = self._open(self._input)
            self._arrived_at = self._clock()
            self._paused = False

    def _switch(self, input_id: str | None) -> None:
        before, self._input = self._input, input_id
        if self._paused:
            return
        if self._next is not None:
            self._take_over(self._next[0])
        now = self._clock()
        try:
            opened = self._open(input_id)
        except Problem:
            if self._stream is None:
                self._input = before
                raise
            # Some devices cannot be open twice, and PortAudio sees a new one only while nothing is open.
            self._drop(self._stream)
            try:
                self._stream = self._open(input_id)
            except Problem:
                self._input, self._tried_at = before, 0.0
                raise
            return
        if self._stream is None:
            self._stream, self._arrived_at = opened, now
        else:
            self._next = opened, now

    def _take_over(self, stream: InputStream) -> None:
        """The input that was switched to goes on from here."""
        self._next = None
        if self._stream is not None:
            self._let_go(self._stream)
        self._file.cut()
        self._stream = stream

    def _drop(self, stream: InputStream) -> None:
        """Do without the device; until another sample comes there is a gap."""
        self._let_go(stream)
        self._stream = None
        if self._next is not None:
            self._stream, self._next = self._next[0], None
        if self._flowing and self._interruption is None:
            self._file.cut()
            self._interruption = _Interruption(self._arrived_at, self._file.samples, is_gap=True)

    def _let_go(self, stream: InputStream) -> None:
        """Close the device, and take what it has sent until then."""
        _close(stream)
        if stream.ring.waiting:
            self._take(stream, self._clock())

    def _rest(self) -> None:
        """Write everything up to this moment to the file, and release the devices."""
        if self._next is not None:
            _close(self._next[0])
            self._next = None
        if self._stream is not None:
            self._let_go(self._stream)
            self._stream = None
        if self._interruption is not None:
            self._fill(self._clock())
            self._come_back(self._interruption)
        self._file.cut()

    def _end(self) -> None:
        self._rest()
        self._file.close()
        self._finish(None)

    def _break_off(self, problem: Problem) -> None:
        """Writing failed: what is in the file is kept."""
        for stream in (self._stream, self._next[0] if self._next else None):
            if stream is not None:
                _close(stream)
        self._file.abandon()
        self._finish(problem)

    def _finish(self, problem: Problem | None) -> None:
        if not self._file.samples:
            problem = problem or Problem("microphone.nothing_heard")
            self._path.unlink(missing_ok=True)
        self._recorded = Recorded(self._path, self._file.seconds, tuple(self._gaps), problem)
        self._reporter.ended(self._recorded)


def new_place(folder: Path) -> Path:
    """The file of the next recording there; the folder is made. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    name = f"Recording {datetime.now():%Y-%m-%d %H.%M}"
    number, place = 1, folder / f"{name}.flac"
    while place.exists():
        number += 1
        place = folder / f"{name} ({number}).flac"
    return place


def _close(stream: InputStream) -> None:
    """Some drivers never come back when a device was pulled: then its thread is left behind."""
    closing = Thread(target=stream.close, name="closing", daemon=True)
    closing.start()
    closing.join(_CLOSING)
