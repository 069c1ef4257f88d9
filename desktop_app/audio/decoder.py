"""The program of the processes that decode media, one file each: FFmpeg (through PyAV) reads it, soxr resamples.

Nothing else imports FFmpeg to read with it. The process opens the file itself, hands FFmpeg only the open file, and
then gives up the right to open anything: files, connections, devices. Half a minute of sound is in memory at most,
whatever the length of the file.
"""

from __future__ import annotations

import gc
import io
import json
import os
import signal
import socket
import stat
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from queue import Queue
from threading import Thread
from time import monotonic
from typing import Any, BinaryIO, NoReturn

import av
import av.logging
import av.subtitles.codeccontext  # PyAV imports both only when it meets subtitles, and then it is too late
import av.subtitles.stream
import numpy as np
import numpy.typing as npt
import soxr

from desktop_app import problems
from desktop_app.audio.decoder_process import ALIVE, BLOCK, END, HEADER, OPENED, PICTURE, PICTURE_HEADER, PROBLEM
from desktop_app.audio.peaks import loudest
from desktop_app.audio.tempo import stretched
from desktop_app.audio.video import pictures, video_of
from desktop_app.problems import Problem
from desktop_app.transcript.constants import SAMPLE_RATE

Samples = npt.NDArray[np.float32]

_BLOCK = SAMPLE_RATE // 2
_AHEAD = 64  # messages, each of half a second: what a model needs for its next window
_SMALLEST_GAP = 0.1
_LONGEST_GAPS = 3600.0  # seconds in total: longer ones are damaged times, not pauses
_SHORT_BY = 0.05
_RATES = range(1000, 4_000_001)
_LOUDEST = 2.0**15  # float files in units of 16 bits, which exist, stay below it
_MOST_PLANES = 7  # PyAV ends a frame's planes at a null pointer, which FFmpeg leaves room for only after so many
_FORMATS_64 = {"s64": "dbl", "s64p": "dbl"}
_MEMORY = 2 << 30
_LONGER_PROBE = {"probesize": "50000000", "analyzeduration": "3600000000"}
_WITHOUT_HEADER = ("flv", "live_flv", "mpeg", "mpegts")  # streams may begin anywhere
_LISTS = (b"#EXTM3U", b"ffconcat ", b"<?xml", b"<MPD", b"v=0", b"[playlist]", b"<asx", b"<smil", b"[Reference]")

# Containers, and bare streams, of sound. None of them names other files that FFmpeg would open.
_FORMATS = frozenset(
    "aa aac aax ac3 ac4 aea aiff alaw amr amrnb amrwb ape aptx aptx_hd asf asf_o ast au av1 avi bonk caf codec2 dhav"
    " dsf dss dts dtshd dv eac3 flac flv g722 g723_1 g726 g726le g728 g729 gsm gxf iamf iff ilbc ircam kux kvag lc3"
    " live_flv loas lxf matroska mlp mmf mov mp3 mpc mpc8 mpeg mpegts mpegtsraw mulaw mxf mxg nistsphere nsv nut obu"
    " ogg oma osq paf pva pvf qcp qoa rm sbc sds shn siff sln sox spdif swf tak truehd tta ty voc vqf w64 wady wav"
    " wavarc webm wsd wtv wv xa xwma".split()
)


def main() -> NoReturn:
    """Answer one request, a line, and end; end at once when the other end of the connection is closed.

    Where standard input is a socket, this is the fork server: each child does so with the connection it was made for.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    av.logging.set_level(None)
    if stat.S_ISSOCK(os.fstat(0).st_mode):
        connection = _wait_in_fork_server()
        requests, answers = os.fdopen(connection, "rb"), os.fdopen(os.dup(connection), "wb")
    else:
        requests, answers = os.fdopen(0, "rb"), os.fdopen(os.dup(1), "wb")
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what a library prints is not a message
    with suppress(ConnectionError):
        if line := requests.readline():
            Thread(target=_end_with_parent, args=(requests,), daemon=True).start()
            with _Messages(answers) as messages:
                _answer(json.loads(line), messages)
    os._exit(0)


def _wait_in_fork_server() -> int:
    """Make a child for every connection that arrives with a name, and end the one whose name arrives alone.

    Returns only in the children: the number of the connection.
    """
    control = socket.socket(fileno=os.dup(0))
    children: dict[bytes, int] = {}
    gc.freeze()
    while True:
        name, connections, _, _ = socket.recv_fds(control, 64, 1)
        if not name:
            os._exit(0)  # the parent has ended; the children see it by themselves
        for connection in connections:
            with suppress(OSError):  # no more processes: the parent sees the connection closed
                pid = os.fork()
                if pid == 0:
                    control.close()
                    return connection
                children[name] = pid
            os.close(connection)
        if not connections and name in children:
            os.kill(children[name], signal.SIGKILL)
            os.waitpid(children.pop(name), 0)


def _end_with_parent(requests: BinaryIO) -> None:
    with suppress(OSError):
        requests.read()
    os._exit(0)


class _Messages:
    """Messages to the parent. A thread writes them, so that decoding goes on while the parent computes: up to `_AHEAD`
    messages wait for it."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._waiting: Queue[tuple[bytes, bytes | memoryview] | None] = Queue(_AHEAD)
        self._last = monotonic()
        self._writer = Thread(target=self._write, name="messages", daemon=True)

    def __enter__(self) -> _Messages:
        self._writer.start()
        return self

    def __exit__(self, *about: object) -> None:
        """Wait until all are written."""
        self._waiting.put(None)
        self._writer.join()

    def send(self, kind: bytes, content: bytes | memoryview = b"") -> None:
        self._waiting.put((kind, content))
        self._last = monotonic()

    def send_alive(self) -> None:
        """Report progress that has not given any sound yet, at most once a second."""
        if monotonic() - self._last > 1.0:
            self.send(ALIVE)

    def _write(self) -> None:
        try:
            while (message := self._waiting.get()) is not None:
                kind, content = message
                self._out.write(HEADER.pack(kind, len(content)))
                self._out.write(content)
                self._out.flush()
        except OSError:  # the parent reads no more; Windows does not call that a ConnectionError
            os._exit(0)


def _answer(request: dict[str, Any], messages: _Messages) -> None:
    try:
        with _open(Path(request["path"])) as file:
            _confine()
            source = _Source(file, request["path"], messages)
            if request["length"]:
                messages.send(END, json.dumps({"seconds": _counted(source)}).encode())
                return
            if request["pictures"]:
                _let_others_go_first()
                _send_pictures(source, request["start"], messages)
                return
            reader = _Reader(source, request["start"], messages)
            blocks = reader.blocks()
            if request["peaks"]:
                _let_others_go_first()
            for block in loudest(blocks) if request["peaks"] else stretched(blocks, request["speed"]):
                messages.send(BLOCK, block.astype("<f4", copy=False).data.cast("B"))
            damage = problems.plain(reader.damage) if reader.damage else None
            messages.send(END, json.dumps({"damage": damage}).encode())
    except Problem as problem:
        messages.send(PROBLEM, json.dumps(problems.plain(problem)).encode())
    except MemoryError:
        messages.send(PROBLEM, json.dumps(problems.plain(Problem("file.memory"))).encode())


def _send_pictures(source: _Source, start: float, messages: _Messages) -> None:
    with _container(source) as container:
        for time, picture in pictures(container, start, messages.send_alive):
            header = PICTURE_HEADER.pack(time, picture.shape[1], picture.shape[0])
            messages.send(PICTURE, header + picture.tobytes())
    messages.send(END, json.dumps({"damage": None}).encode())


def _open(path: Path) -> io.FileIO:
    """A regular file, and nothing else. Raises Problem."""
    try:
        _check(path.stat())
        number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        _check(os.fstat(number))  # again: it may have been replaced by a pipe
        return io.FileIO(number, "rb")
    except FileNotFoundError as error:
        raise Problem("file.missing") from error
    except PermissionError as error:
        raise Problem("file.forbidden") from error
    except (OSError, ValueError) as error:
        raise Problem("file.not_opened", error=_why(error)) from error


def _check(found: os.stat_result) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise Problem("file.folder")
    if not stat.S_ISREG(found.st_mode):
        raise Problem("file.not_regular")
    if not found.st_size:
        raise Problem("file.empty")


def _confine() -> None:
    """Give up what decoding does not need: more memory, and opening or writing any file."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        for limit, most in (
            (resource.RLIMIT_AS, used + _MEMORY),
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_FSIZE, 0),
            (resource.RLIMIT_NOFILE, 0),
        ):
            resource.setrlimit(limit, (most, most))


def _let_others_go_first() -> None:
    """Take only the processor time that nobody else wants."""
    with suppress(AttributeError, OSError):  # Windows has no such call
        os.nice(10)


class _Source:
    """An open file as FFmpeg reads it, which reports progress."""

    def __init__(self, file: io.FileIO, name: str, messages: _Messages) -> None:
        self._file, self._messages = file, messages
        self._furthest = 0
        self.name = name  # FFmpeg recognises bare streams by its extension, and cannot open it
        self.seek, self.tell = file.seek, file.tell

    def read(self, size: int) -> bytes:
        found = self._file.read(size) or b""
        if (place := self._file.tell()) > self._furthest:
            self._furthest = place
            self._messages.send_alive()
        return found


def _container(source: _Source, **options: str) -> Any:
    """The file as FFmpeg opens it. Raises Problem."""
    source.seek(0)
    allowed = {"format_whitelist": ",".join(sorted(_FORMATS)), "protocol_whitelist": "none"}
    try:
        return av.open(source, "r", container_options=allowed | options, metadata_errors="ignore")
    except MemoryError:
        raise
    except (av.FFmpegError, OSError, ValueError) as error:
        source.seek(0)
        head = source.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()
        if head.lower().startswith(tuple(each.lower() for each in _LISTS)):
            raise Problem("file.list") from error
        if isinstance(error, (av.InvalidDataError, av.error.EOFError, av.error.ArgumentError)):
            raise Problem("file.not_media") from error
        raise Problem("file.not_read", error=_why(error)) from error


class _Reader:
    """Reads a file once: float32 blocks of 16 kHz mono, channels averaged; `damage` is what could not be read."""

    def __init__(self, source: _Source, start: float, messages: _Messages) -> None:
        self._source, self._start, self._messages = source, start, messages
        self._others_end = 0.0  # how far the other streams, as pictures, were read
        self.damage: Problem | None = None

    def blocks(self) -> Iterator[Samples]:
        """The blocks; before the first one the parent is told how long the file says it is. Raises Problem."""
        with ExitStack() as stack:
            self._container = stack.enter_context(_container(self._source))
            if self._container.format.name in _WITHOUT_HEADER and self._container.streams.best("audio") is None:
                self._container = stack.enter_context(_container(self._source, **_LONGER_PROBE))
            self._stream = _sound(self._container)
            self._seconds = _length(self._container, self._stream)
            self._origin = (self._container.start_time or 0) / av.time_base
            if self._start:
                self._seek()
            blocks = self._read()
            first = next(blocks, None)
            if first is None and not self._start:
                raise Problem("file.damaged" if self.damage else "file.no_sound")
            opened = {"seconds": self._seconds, "pictures": video_of(self._container) is not None}
            self._messages.send(OPENED, json.dumps(opened).encode())
            if first is not None:
                yield first
                yield from blocks

    def _seek(self) -> None:
        """Go near the start; what FFmpeg cannot seek in is decoded up to there."""
        with suppress(av.FFmpegError, OSError):
            self._container.seek(max(int((self._start + self._origin) * av.time_base), 0))

    def _read(self) -> Iterator[Samples]:
        mono = _Mono(self._seconds, self._start)
        for frame, time in self._frames():
            early = self._start - time if self._start and time is not None else 0.0
            if early < frame.samples / frame.sample_rate:
                yield from mono.take(frame, time, max(early, 0.0))
            else:
                self._messages.send_alive()
        yield from mono.end()
        self.damage = self.damage or mono.damage
        read = max(self._start + mono.seconds + mono.skipped, self._others_end)  # pictures may go on without sound
        missing = self._seconds - read - self._origin  # a length may be told from the origin, or from 0 (Matroska)
        if _tells_length(self._container) and missing > max(1.0, _SHORT_BY * self._seconds):
            self.damage = Problem("file.cut_short", read=_clock(read), length=_clock(self._seconds))

    def _frames(self) -> Iterator[tuple[av.AudioFrame, float | None]]:
        """Every frame that can be decoded, with its time.

        A packet that cannot be is left out and noted, as FFmpeg's own program does.
        """
        packets = self._container.demux()
        while True:
            try:
                packet = next(packets, None)
            except IndexError:  # PyAV knows no streams that begin in the middle, and asks for them at the end
                return
            except (av.FFmpegError, OSError):
                self.damage = Problem("file.parts_missing")
                return
            if packet is None:
                return
            if packet.stream.index != self._stream.index:
                if packet.pts is not None and packet.time_base is not None:
                    self._others_end = max(self._others_end, float(packet.pts * packet.time_base) - self._origin)
                continue
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
                        time = float(frame.pts * frame.time_base) - self._origin
                    yield frame, time


class _Mono:
    """Turns decoded frames into blocks of 16 kHz mono.

    `length` is the container's, the bound for gaps that are believed: a damaged time must not make hours of silence.
    `start` is the time of the first sample.

    Attributes: damage (what had to be repaired), skipped (seconds of gaps that were not believed).
    """

    def __init__(self, length: float, start: float = 0.0) -> None:
        self._length = length
        self._rate = 0
        self._resampler: Any = None
        self._packed = _Packed()
        self._pending: list[Samples] = []
        self._waiting = 0
        self._samples_in = 0
        self._before = start
        self._silent = 0.0
        self.samples = 0
        self.skipped = 0.0
        self.damage: Problem | None = None

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
        sound, is_whole = _average(self._packed.frame(frame))
        if not is_whole:
            self.damage = self.damage or Problem("file.bad_samples")
        sound = sound[round(early * self._rate) :]
        if time is not None:
            time += early
            now = self._before + self._samples_in / self._rate
            gap = time - self.skipped - now
            if gap > _SMALLEST_GAP and time + sound.size / self._rate <= self._length + 1.0:
                if self._silent + gap > _LONGEST_GAPS:
                    self.skipped += gap
                    self.damage = Problem("file.gap", length=_clock(gap))
                else:
                    self._silent += gap
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
        if rate not in _RATES:
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


class _Packed:
    """Makes frames that PyAV can give as arrays: those of many planes become one plane, 64-bit integers floats."""

    def __init__(self) -> None:
        self._kind: tuple[str, str, int, int] | None = None
        self._converter: Any = None

    def frame(self, frame: av.AudioFrame) -> av.AudioFrame:
        """The same sound. Raises Problem where FFmpeg cannot convert it."""
        channels = frame.layout.nb_channels
        wanted = _FORMATS_64.get(frame.format.name)
        if wanted is None and not (frame.format.is_planar and channels > _MOST_PLANES):
            return frame
        kind = frame.format.name, frame.layout.name, channels, frame.sample_rate
        try:
            if kind != self._kind:
                self._kind = kind
                self._converter = av.AudioResampler(wanted or frame.format.packed.name, frame.layout, frame.sample_rate)
            (converted,) = self._converter.resample(frame)
        except (av.FFmpegError, ValueError) as error:
            raise Problem("file.channels", channels=channels) from error
        return converted


def _sound(container: Any) -> Any:
    stream = container.streams.best("audio")
    if stream is None:
        raise Problem("file.no_sound") if container.streams else Problem("file.not_media")
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


def _counted(source: _Source) -> float:
    """The length of the first sound in a file, counted packet by packet without decoding; 0.0 where there is none."""
    with _container(source) as container:
        stream = container.streams.best("audio")
        if stream is None or stream.time_base is None:
            return 0.0
        ticks = 0
        with suppress(av.FFmpegError, OSError, IndexError):
            for packet in container.demux(stream):
                ticks += packet.duration or 0
        return float(ticks * stream.time_base)


def _average(frame: av.AudioFrame) -> tuple[Samples, bool]:
    """The mean of all channels, full scale at 1, and whether all samples were possible: those that are not numbers, or
    impossibly loud, are replaced by silence."""
    raw = frame.to_ndarray()
    channels = frame.layout.nb_channels
    grid = raw if frame.format.is_planar else raw.reshape(-1, channels).T
    if grid.dtype.kind != "f":
        middle, full = (128.0, 128.0) if grid.dtype == np.uint8 else (0.0, 2.0 ** (8 * grid.dtype.itemsize - 1))
        return ((grid.mean(axis=0, dtype=np.float64) - middle) / full).astype(np.float32), True
    sound = grid.mean(axis=0, dtype=np.float64)
    is_whole = bool(np.abs(sound).max() <= _LOUDEST)  # False if one is not a number
    if not is_whole:
        sound = np.where(np.abs(grid) <= _LOUDEST, grid, 0.0).mean(axis=0, dtype=np.float64)
    return sound.astype(np.float32), is_whole


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
