"""Damaged files of Galley's own, as the next start opens them: `python -m tests.chaos.stored --count 234 --seed 1`.

The write-ahead log of a killed program has a flipped bit, or sectors of zeros or noise: the library opens, and what is
missing or another text is told. Compiled models have a flipped bit, are cut off, filled up, zeroed, or exchanged for
each other: none is loaded, and the scores stay what they were. The files beside them hold damaged, nested or endless
JSON: each counts as none. Each case has a number; `--only NUMBER` tries that one again.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import sys
import time
import traceback
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt

from desktop_app import __version__, folders, settings
from desktop_app.app.library import watching
from desktop_app.app.models.speeds import Speeds
from desktop_app.checkpoints.folder import read
from desktop_app.decoding.lookahead import LookAhead
from desktop_app.library import database
from desktop_app.library.store import Library
from desktop_app.runtimes.openvino import load
from desktop_app.transcript.model import Transcript
from desktop_app.worker import measured
from tests import random_models
from tests.chaos import mutated
from tests.chaos.mutated import Outcome
from tests.libraries import frames_of, killed, told

KINDS = ("flip", "flip", "flip", "flip", "sector", "compiled", "compiled", "compiled", "settings")
"""In turn: of 234 cases 104 logs with a flipped bit, 26 with damaged sectors, 78 compiled models, 26 settings."""

_SECTOR = 512
_FRAME = 4096 + 24

Scores = npt.NDArray[np.float32]


class Damaged(Exception):
    """What breaks the promise."""


@contextmanager
def same_ids(seed: int) -> Iterator[None]:
    """Recordings get the same ids each time, and so lie in the same pages."""
    chance, usual = random.Random(seed), uuid.uuid4
    uuid.uuid4 = lambda: uuid.UUID(int=chance.getrandbits(128), version=4)
    try:
        yield
    finally:
        uuid.uuid4 = usual


def _log(folder: Path, chance: random.Random, kind: str) -> str:
    """One bit of the log, as a disk flips it, or a few sectors of it, but of the last transaction: without them it is
    one that was never committed, as a power cut leaves it."""
    with same_ids(1):
        before = killed(folder)
    wal = folder / f"{database.NAME}-wal"
    data = bytearray(wal.read_bytes())
    end = 32 + _FRAME * frames_of(data)
    commits = [at for at in range(32, end, _FRAME) if any(data[at + 4 : at + 8])]
    if kind == "flip":
        data[chance.randrange(end)] ^= 1 << chance.randrange(8)
    else:
        at, size = _SECTOR * chance.randrange(commits[-2] // _SECTOR), _SECTOR * chance.choice((1, 1, 8))
        size = min(size, commits[-2] - at)
        data[at : at + size] = bytes(size) if chance.random() < 0.5 else chance.randbytes(size)
    wal.write_bytes(data)
    notice = told(folder, before)
    if told(folder, before if notice is None else _now(folder)) is not None:
        raise Damaged("the second start is not calm")
    return notice.code if notice else "done"


def _now(folder: Path) -> dict[str, Transcript]:
    with closing(Library(folder)) as library:
        return {entry.id: library.transcript(entry.id) for entry in library.recordings()}


def scores(model: Path, cache: Path) -> Scores:
    """What a model computes that was compiled into `cache`, or is now."""
    loaded = load(read(model), cache=cache)
    sound = np.random.default_rng(5).uniform(-1, 1.5, (80, 3000)).astype(np.float32)
    return np.asarray(loaded.open(loaded.encode(sound)).run([300, 1, 2]))


def _compiled(folder: Path, chance: random.Random, model: Path, cache: Path, right: Scores) -> str:
    mine = folder / "cache"
    shutil.copytree(cache, mine)
    blobs = sorted(mine.rglob("*.blob"))
    for blob in chance.sample(blobs, chance.randint(1, len(blobs))):
        data = bytearray(blob.read_bytes())
        at = chance.randrange(len(data))
        match chance.choice(("bit", "bit", "bit", "cut", "more", "zeros", "other", "no record")):
            case "bit":
                data[at] ^= 1 << chance.randrange(8)
            case "cut":
                del data[at:]
            case "more":
                data += chance.randbytes(_SECTOR)
            case "zeros":
                data[at : at + _SECTOR] = bytes(len(data[at : at + _SECTOR]))
            case "other":
                data = bytearray(chance.choice(blobs).read_bytes())
            case _:
                blob.with_name(f"{blob.name}.checksum").unlink()
        blob.chmod(0o600)
        blob.write_bytes(data)
    for _start in range(2):
        if not np.array_equal(scores(model, mine), right):
            raise Damaged("another text")
    return "done"


def _settings(folder: Path, chance: random.Random) -> str:
    """Each file as it is written, with some bytes of it changed, or a value that is nested, huge or none."""
    os.environ["GALLEY_HOME"] = str(folder)
    policy = LookAhead(may_disable_draft=True, has_head=True)
    measured.keep("m", policy)
    files = {
        folders.cache() / "look-ahead.json": (folders.cache() / "look-ahead.json").read_bytes(),
        folders.cache()
        / "speeds.json": f'{{"version": "{__version__}", "speeds": [["m", "", "", 2.5, 3.5]]}}'.encode(),
        folders.data() / "watched.json": b'{"folder": "f", "known": {"0a": [5, 6]}}',
        settings.path(): b'[General]\ndraft=auto\nexport="{\\"form\\": \\"txt\\"}"\n',
    }
    values = (
        b"[" * 100_000,
        b'{"a":' * 300 + b"1" + b"}" * 300,
        b"9" * 400,
        b"1e999",
        b"NaN",
        b"null",
        b"-1",
        b'"\\ud800"',
    )
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        data, at = bytearray(text), chance.randrange(len(text))
        match chance.choice(("bytes", "cut", "value", "value")):
            case "bytes":
                for _byte in range(chance.randint(1, 5)):
                    data[chance.randrange(len(data))] = chance.randrange(256)
            case "cut":
                del data[at:]
            case _:
                places = [place for place, byte in enumerate(text) if byte in b":,["] or [at]
                place = chance.choice(places) + 1
                data[place:place] = chance.choice(values) + chance.choice((b"", b",", b"}"))
        path.write_bytes(data)
    Speeds().latest("m")
    measured.resume("m", policy)
    measured.keep("m", policy)
    watching._read("f")
    settings.write({"draft": "off"})
    if settings.read().get("draft") != "off":
        raise Damaged("what is set is not read")
    return "done"


def try_one(folder: Path, seed: int, model: Path, cache: Path, right: Scores, number: int) -> Outcome:
    """One case. Whatever is raised is a finding."""
    chance, kind, began = random.Random(f"{seed} {number}"), KINDS[number % len(KINDS)], time.monotonic()
    mine, code, findings = folder / str(number), "failed", tuple[str, ...]()
    mine.mkdir()
    try:
        match kind:
            case "compiled":
                code = _compiled(mine, chance, model, cache, right)
            case "settings":
                code = _settings(mine, chance)
            case _:
                code = _log(mine, chance, kind)
    except Exception as error:
        findings = ("".join(traceback.format_exception(error)),)
    else:
        shutil.rmtree(mine)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return Outcome(number, kind, (f"{kind}: {code}",), time.monotonic() - began, peak, findings)


def run(count: int, seed: int, folder: Path, jobs: int, first: int = 0) -> list[Outcome]:
    """Try so many cases, one after another: of each only a finding stays in `folder`."""
    model, cache = random_models.toy(folder / "model"), folder / "compiled"
    cache.mkdir()
    right = scores(model, cache)
    return [try_one(folder, seed, model, cache, right, number) for number in range(first, first + count)]


if __name__ == "__main__":
    sys.exit(mutated.main("tests.chaos.stored", __doc__, run, 234))
