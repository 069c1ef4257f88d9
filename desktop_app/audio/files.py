"""Audio and video files as a stream of 16 kHz mono blocks. FFmpeg (through PyAV) reads them, soxr resamples.

Only a second or so of sound is in memory at a time, whatever the length of the file.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Any

import av
import av.logging
import numpy as np
import numpy.typing as npt
import soxr

from desktop_app.problems import Problem
from desktop_app.transcript.constants import SAMPLE_RATE

Samples = npt.NDArray[np.float32]

_BLOCK = SAMPLE_RATE // 2
_SMALLEST_GAP = 0.1
_SHORT_BY = 0.05
_LAST_RATE = 4_000_000

av.logging.set_level(None)


class AudioFile:
    """One file, opened by `with`, read once by iterating: float32 blocks of 16 kHz mono, channels averaged.

    Time 0 is the start of the container, so that subtitles fit its video: sound that begins later is preceded by
    silence, and a gap in it is filled. With `start` the blocks begin there; beyond the end there are none.

    Attributes:
        seconds: the length that the container tells; 0.0 where it tells none.
        damage: after reading, what could not be read, or None.

    Raises Problem, mostly on entering: the first block is decoded there.
    """

    def __init__(self, path: str | os.PathLike[str], start: float = 0.0) -> None:
        self._path, self._start = Path(path), start
        self._stack = ExitStack()
        self.seconds = 0.0
        self.damage: Problem | None = None

    def __enter__(self) -> AudioFile:
        _check(self._path)
        try:
            # A URL of FFmpeg's file protocol, and nothing else is allowed: no playlist can reach for the network.
            self._container = self._stack.enter_context(
                av.open(
                    f"file:{self._path.absolute()}",
                    options={"protocol_whitelist": "file"},
                    metadata_errors="ignore",
                )
            )
        except (av.FFmpegError, OSError, ValueError) as error:
            raise _not_media(error) from error
        try:
            self._stream = _sound(self._container)
            self.seconds = _length(self._container, self._stream)
            if self._start:
                self._seek()
            self._blocks = self._read()
            self._first = next(self._blocks, None)
            if self._first is None and not self._start:
                raise Problem("file.damaged") if self.damage else Problem("file.no_sound")
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def __iter__(self) -> Iterator[Samples]:
        if self._first is not None:
            first, self._first = self._first, None
            yield first
        yield from self._blocks

    def _seek(self) -> None:
        """Go near the start; what FFmpeg cannot seek in is decoded up to there."""
        with suppress(av.FFmpegError, OSError):
            origin = self._container.start_time or 0
            self._container.seek(max(int(self._start * av.time_base) + origin, 0))

    def _read(self) -> Iterator[Samples]:
        mono = _Mono(self.seconds, self._start)
        for frame, time in self._frames():
            early = self._start - time if self._start and time is not None else 0.0
            if early < frame.samples / frame.sample_rate:
                yield from mono.take(frame, time, max(early, 0.0))
        yield from mono.end()
        read = self._start + mono.seconds
        short = _tells_length(self._container) and self.seconds - read > max(1.0, _SHORT_BY * self.seconds)
        if short:
            self.damage = Problem("file.cut_short", read=_clock(read), length=_clock(self.seconds))

    def _frames(self) -> Iterator[tuple[av.AudioFrame, float | None]]:
        """Every frame that can be decoded, with its time.

        A packet that cannot be is left out and noted, as FFmpeg's own program does.
        """
        packets = self._container.demux(self._stream)
        start = self._container.start_time
        origin = start / av.time_base if start is not None else 0.0
        while True:
            try:
                packet = next(packets, None)
            except (av.FFmpegError, OSError):
                self.damage = Problem("file.parts_missing")
                return
            if packet is None:
                return
            try:
                frames = packet.decode()
            except av.FFmpegError as error:
                if not isinstance(error, av.error.EOFError):
                    self.damage = Problem("file.parts_missing")
                continue
            for frame in frames:
                if isinstance(frame, av.AudioFrame) and frame.samples and frame.sample_rate:
                    time = None
                    if frame.pts is not None and frame.time_base is not None:
                        time = float(frame.pts * frame.time_base) - origin
                    yield frame, time


class _Mono:
    """Turns decoded frames into blocks of 16 kHz mono.

    `length` is the container's, the bound for gaps that are believed: a damaged time must not make hours of silence.
    `start` is the time of the first sample.
    """

    def __init__(self, length: float, start: float = 0.0) -> None:
        self._length = length
        self._rate = 0
        self._resampler: Any = None
        self._pending: list[Samples] = []
        self._waiting = 0
        self._samples_in = 0
        self._before = start
        self.samples = 0

    @property
    def seconds(self) -> float:
        """How much has been given out or waits for it."""
        return (self.samples + self._waiting) / SAMPLE_RATE

    def take(self, frame: av.AudioFrame, time: float | None, early: float = 0.0) -> Iterator[Samples]:
        """The blocks that are complete with this frame, which belongs at `time` seconds; the first `early` seconds of
        it are left out.
        """
        if frame.sample_rate != self._rate:
            self._change_rate(frame.sample_rate)
        sound = _average(frame)[round(early * self._rate) :]
        if time is not None:
            time += early
            now = self._before + self._samples_in / self._rate
            gap = time - now
            if gap > _SMALLEST_GAP and time + sound.size / self._rate <= self._length + 1.0:
                yield from self._silence(gap)
        self._samples_in += sound.size
        self._add(self._resampler.resample_chunk(sound) if self._resampler else sound)
        yield from self._full()

    def end(self) -> Iterator[Samples]:
        """The rest."""
        self._flush()
        yield from self._full(least=1)

    def _silence(self, seconds: float) -> Iterator[Samples]:
        left = round(seconds * self._rate)
        self._samples_in += left
        while left > 0:
            size = min(left, self._rate)
            left -= size
            quiet = np.zeros(size, np.float32)
            self._add(self._resampler.resample_chunk(quiet) if self._resampler else quiet)
            yield from self._full()

    def _change_rate(self, rate: int) -> None:
        if rate > _LAST_RATE:
            raise Problem("file.sample_rate", rate=rate)
        self._flush()
        if self._rate:
            self._before += self._samples_in / self._rate
        self._samples_in = 0
        self._rate = rate
        self._resampler = soxr.ResampleStream(rate, SAMPLE_RATE, 1, dtype="float32") if rate != SAMPLE_RATE else None

    def _flush(self) -> None:
        if self._resampler is not None:
            self._add(self._resampler.resample_chunk(np.zeros(0, np.float32), last=True))
            self._resampler = None

    def _add(self, sound: Samples) -> None:
        if sound.size:
            self._pending.append(sound)
            self._waiting += sound.size

    def _full(self, least: int = _BLOCK) -> Iterator[Samples]:
        if self._waiting >= least:
            block = np.concatenate(self._pending)
            self._pending.clear()
            self._waiting = 0
            self.samples += block.size
            yield block


def _check(path: Path) -> None:
    """Tell what FFmpeg would only call invalid."""
    try:
        found = path.stat()
        if stat.S_ISDIR(found.st_mode):
            raise Problem("file.folder")
        if not stat.S_ISREG(found.st_mode):
            raise Problem("file.not_regular")
        if not found.st_size:
            raise Problem("file.empty")
        with path.open("rb"):
            pass
    except FileNotFoundError as error:
        raise Problem("file.missing") from error
    except PermissionError as error:
        raise Problem("file.forbidden") from error
    except (OSError, ValueError) as error:
        raise Problem("file.not_opened", error=_why(error)) from error


def _not_media(error: Exception | None = None) -> Problem:
    if isinstance(error, av.error.PermissionError):
        return Problem("file.list")
    if error is None or isinstance(error, (av.InvalidDataError, av.error.EOFError)):
        return Problem("file.not_media")
    return Problem("file.not_read", error=_why(error))


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def _sound(container: Any) -> Any:
    stream = container.streams.best("audio")
    if stream is None:
        if not container.streams or container.format.name == "tty":  # FFmpeg paints any text as pictures
            raise _not_media()
        raise Problem("file.no_sound")
    if stream.codec_context is None:
        raise Problem("file.format")
    return stream


def _length(container: Any, stream: Any) -> float:
    if container.duration is not None and container.duration > 0:
        return float(container.duration / av.time_base)
    if stream.duration is not None and stream.duration > 0 and stream.time_base is not None:
        return float(stream.duration * stream.time_base)
    return 0.0


def _tells_length(container: Any) -> bool:
    """Whether the container writes its length down: that of a bare MP3 or AAC stream is a guess from its bit rate."""
    return container.format.name not in ("mp3", "aac", "ac3", "eac3", "mpeg", "mpegts", "mp2", "amr")


def _average(frame: av.AudioFrame) -> Samples:
    """The mean of all channels, full scale at 1; what is not a number is silence."""
    raw = frame.to_ndarray()
    channels = frame.layout.nb_channels
    grid = raw if frame.format.is_planar else raw.reshape(-1, channels).T
    if grid.dtype.kind == "f":
        sound = grid.mean(axis=0, dtype=np.float64)
        if not np.isfinite(sound).all():  # to look is quicker than to replace nothing, tens of times a second
            sound = np.nan_to_num(sound, nan=0.0, posinf=1.0, neginf=-1.0)
    else:
        middle, full = (128.0, 128.0) if grid.dtype == np.uint8 else (0.0, 2.0 ** (8 * grid.dtype.itemsize - 1))
        sound = (grid.mean(axis=0, dtype=np.float64) - middle) / full
    return sound.astype(np.float32)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
