"""Mutated media files, each read as the program reads a user's: `python -m tests.chaos.media --count 3000 --seed 1`.

A file of every container and codec that FFmpeg writes here is changed by seeded random damage. Whatever becomes of it,
nothing but the process that decodes may crash, no process may take 3 GB, no file 30 s, and what is wrong is said in a
sentence, never by a traceback. Each file has a number; `--only NUMBER` makes and reads that one again.
"""

from __future__ import annotations

import os
import random
import resource
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path
from typing import IO

import av
import numpy as np

from desktop_app.app.presentation import problems
from desktop_app.audio import decoder_process, length
from desktop_app.audio.files import AudioFile
from desktop_app.problems import Problem
from tests.chaos import mutated
from tests.chaos.mutated import Outcome

LONGEST = 30.0
"""Seconds that one file may take."""

MOST = 3 << 30
"""Bytes that any process may hold."""

_AT_ONCE = 5  # files that a reader gets at a time

_SOUND = (
    # (file name, codec, rate, layout)
    ("s16.wav", "pcm_s16le", 16_000, "mono"),
    ("float.wav", "pcm_f32le", 16_000, "stereo"),
    ("double.wav", "pcm_f64le", 8000, "mono"),
    ("adpcm.wav", "adpcm_ms", 22_050, "mono"),
    ("mulaw.au", "pcm_mulaw", 8000, "mono"),
    ("a.w64", "pcm_s24le", 16_000, "stereo"),
    ("a.flac", "flac", 16_000, "stereo"),
    ("a.mp3", "libmp3lame", 44_100, "stereo"),
    ("a.mp2", "mp2", 44_100, "mono"),
    ("a.opus", "libopus", 48_000, "stereo"),
    ("many.opus", "libopus", 48_000, "7.1"),
    ("vorbis.ogg", "vorbis", 44_100, "stereo"),
    ("a.aac", "aac", 44_100, "stereo"),
    ("a.m4a", "aac", 44_100, "stereo"),
    ("many.m4a", "aac", 48_000, "7.1"),
    ("alac.m4a", "alac", 44_100, "stereo"),
    ("a.mov", "pcm_s16be", 16_000, "mono"),
    ("a.mka", "libopus", 48_000, "mono"),
    ("pcm.mkv", "pcm_s16le", 16_000, "mono"),
    ("a.webm", "libopus", 48_000, "stereo"),
    ("a.wv", "wavpack", 44_100, "stereo"),
    ("many.wv", "wavpack", 16_000, "16 channels"),
    ("a.tta", "tta", 44_100, "stereo"),
    ("a.ac3", "ac3", 48_000, "5.1"),
    ("a.eac3", "eac3", 48_000, "stereo"),
    ("a.ts", "aac", 48_000, "stereo"),
    ("a.flv", "aac", 44_100, "stereo"),
    ("a.aiff", "pcm_s16be", 16_000, "stereo"),
    ("a.caf", "pcm_s16be", 16_000, "mono"),
    ("a.avi", "libmp3lame", 44_100, "stereo"),
    ("a.wma", "wmav2", 44_100, "stereo"),
    ("a.voc", "pcm_u8", 8000, "mono"),
    ("a.g722", "g722", 16_000, "mono"),
    ("a.rm", "ac3", 44_100, "stereo"),
    ("a.nut", "pcm_s16le", 16_000, "mono"),
    ("a.sox", "pcm_s32le", 16_000, "mono"),
)
_PICTURES = (
    # The same with pictures: (file name, codec of the sound, codec of the pictures)
    ("pictures.mp4", "aac", "mpeg4"),
    ("pictures.mkv", "libopus", "mpeg4"),
    ("pictures.ts", "mp2", "mpeg2video"),
    ("pictures.mpg", "mp2", "mpeg2video"),
    ("pictures.flv", "libmp3lame", "flv1"),
    ("pictures.avi", "pcm_s16le", "mjpeg"),
)


def make_seeds(folder: Path) -> list[Path]:
    """A file of each kind that this FFmpeg can write, of half a second of sound."""
    found = []
    plain = [partial(_encode, folder / name, codec, rate, layout) for name, codec, rate, layout in _SOUND]
    filmed = [partial(_encode, folder / name, sound, 48_000, "mono", film) for name, sound, film in _PICTURES]
    for write in [*plain, *filmed]:
        path = write.args[0]
        try:
            write()
        except (av.FFmpegError, ValueError) as error:  # this build of FFmpeg has no such encoder
            print(f"{path.name} cannot be written here: {error}", file=sys.stderr)
            path.unlink(missing_ok=True)
        else:
            found.append(path)
    return found


def _encode(path: Path, codec: str, rate: int, layout: str, pictures: str | None = None) -> None:
    options = {"fflags": "+bitexact", "strict": "experimental"}
    with av.open(str(path), "w", options=options) as container:
        film = container.add_stream(pictures, rate=25) if pictures else None
        stream = container.add_stream(codec, rate=rate, layout=layout, options={"strict": "experimental"})
        stream.bit_rate = 128_000
        if film:
            film.width, film.height, film.pix_fmt = 64, 48, "yuvj420p" if pictures == "mjpeg" else "yuv420p"
            for shade in range(12):
                picture = np.full((48, 64, 3), 20 * shade, np.uint8)
                container.mux(film.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
            container.mux(film.encode(None))
        context = stream.codec_context
        if not context.is_open:
            context.open()
        convert = av.AudioResampler(context.format, layout, rate, context.frame_size or None)
        channels = av.AudioLayout(layout).nb_channels
        tone = 0.4 * np.sin(np.arange(rate // 2) * 2 * np.pi * 440 / rate)
        sound = np.repeat(tone[:, None].astype(np.float32), channels, axis=1).reshape(1, -1)
        frame = av.AudioFrame.from_ndarray(sound, format="flt", layout=layout)
        frame.sample_rate = rate
        for ready in [*convert.resample(frame), *convert.resample(None), None]:
            container.mux(stream.encode(ready))


_FIELDS = (0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 2**63 - 1, 2**64 - 1)
_Damage = Callable[[bytearray, random.Random], None]


def _place(data: bytearray, rng: random.Random) -> int:
    """Mostly in the header, where a byte means most."""
    return rng.randrange(min(len(data), 256) if rng.random() < 0.6 else len(data))


def _flip(data: bytearray, rng: random.Random) -> None:
    for _ in range(rng.choice((1, 3, 10, 60))):
        data[_place(data, rng)] ^= 1 << rng.randrange(8)


def _field(data: bytearray, rng: random.Random) -> None:
    size = rng.choice((1, 2, 4, 8))
    value = rng.choice((*_FIELDS, rng.getrandbits(64))) % (1 << 8 * size)
    place = _place(data, rng)
    data[place : place + size] = value.to_bytes(size, rng.choice(("little", "big")))


def _cut(data: bytearray, rng: random.Random) -> None:
    del data[rng.randrange(1, len(data)) :]


def _chunk(data: bytearray, rng: random.Random) -> slice:
    place = _place(data, rng)
    return slice(place, place + rng.choice((1, 4, 16, 188, 1000, 20_000)))


def _drop(data: bytearray, rng: random.Random) -> None:
    if len(data) > 1:
        del data[_chunk(data, rng)]


def _repeat(data: bytearray, rng: random.Random) -> None:
    piece = data[_chunk(data, rng)]
    place = _place(data, rng)
    data[place:place] = piece * rng.choice((1, 2, 20))


def _overwrite(data: bytearray, rng: random.Random) -> None:
    where = _chunk(data, rng)
    size = len(data[where])
    data[where] = rng.choice((bytes(size), b"\xff" * size, rng.randbytes(size)))


_DAMAGES: tuple[_Damage, ...] = (_flip, _flip, _field, _field, _field, _cut, _drop, _repeat, _overwrite)


def mutate(seeds: Sequence[Path], rng: random.Random) -> tuple[str, bytes]:
    """A name and the content of a damaged file."""
    seed = rng.choice(seeds)
    data = bytearray(seed.read_bytes())
    if rng.random() < 0.1:  # the head of one and the rest of another
        other = rng.choice(seeds).read_bytes()
        data[rng.randrange(len(data)) :] = other[rng.randrange(len(other)) :]
    for _ in range(rng.choice((1, 1, 2, 4))):
        if data:
            rng.choice(_DAMAGES)(data, rng)
    return seed.name, bytes(data)


def read_one(folder: Path, seeds: Sequence[Path], seed: int, number: int) -> Outcome:
    """Make one damaged file and read it, in one of the ways in which the program reads files."""
    rng = random.Random(f"{seed} {number}")
    name, data = mutate(seeds, rng)
    path = folder / f"{number}-{name}"
    path.write_bytes(data)
    way = rng.choice(("whole", "whole", "whole", "from a place", "length"))
    findings, code = [], "done"
    decoder_process._ERRORS = errors = _errors()
    before = os.fstat(errors.fileno()).st_size
    began = time.monotonic()
    try:
        damage = _read(path, way, rng.uniform(0.0, 1.0))
        if damage:
            code = damage.code
            findings += _unsaid(damage)
    except Problem as problem:
        code = problem.code
        findings += _unsaid(problem)
    except Exception:
        findings.append(traceback.format_exc())
    seconds = time.monotonic() - began
    if printed := os.pread(errors.fileno(), 10_000, before):
        findings.append(printed.decode(errors="replace"))
    if seconds > LONGEST:
        findings.append(f"took {seconds:.0f} s")
    if number % _AT_ONCE == _AT_ONCE - 1:
        decoder_process.close()  # a fork server that has ended tells the largest of its children
    peak = 1024 * max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    if peak > MOST:
        findings.append(f"this file, or one before it in the same process, took {peak >> 20} MiB")
    if not findings:
        path.unlink()
    return Outcome(number, name, (code,), seconds, peak, tuple(findings))


@cache
def _errors() -> IO[bytes]:
    """Where the tracebacks of all children of this process go."""
    return tempfile.TemporaryFile()


def _read(path: Path, way: str, start: float) -> Problem | None:
    if way == "length":
        length.seconds(path)
        return None
    with AudioFile(path, start if way == "from a place" else 0.0) as audio:
        for block in audio:
            assert np.isfinite(block).all()
        return audio.damage


def _unsaid(problem: Problem) -> Iterator[str]:
    sentence = problems.sentence(problem)
    if not sentence.endswith(".") or "\n" in sentence or "Traceback" in sentence:
        yield f"{problem} is said as {sentence!r}"


def run(count: int, seed: int, folder: Path, jobs: int, first: int = 0) -> list[Outcome]:
    """Read so many damaged files, which lie in `folder` afterwards if something was found about them."""
    seeds_folder = folder / "seeds"
    seeds_folder.mkdir(parents=True, exist_ok=True)
    read = partial(read_one, folder, make_seeds(seeds_folder), seed)
    numbers = range(first, first + count)
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:  # a crash of a reader raises here
        return list(pool.map(read, numbers, chunksize=_AT_ONCE, timeout=4 * LONGEST * count))


if __name__ == "__main__":
    sys.exit(mutated.main("tests.chaos.media", __doc__, run, 300))
