"""What was acknowledged is there after a power cut, which takes all that was written and not synced.

Each test also takes away what makes the writes durable, and shows that it would notice.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import av
import pytest

from desktop_app.library import database
from desktop_app.library.store import Library
from tests.disk_log import HAS_COMPILER, Step, after_cut, record

pytestmark = pytest.mark.skipif(not HAS_COMPILER, reason="what a program writes is noted by a library built with gcc")

ACKNOWLEDGED = "acknowledged"
"""The file of the folder in which a program notes what it may rely on."""

Check = Callable[[Path, list[str]], None]

NOTE = """
import os, sys, time
from pathlib import Path
folder = Path(sys.argv[1])
noted = open(folder / "acknowledged", "ab", buffering=0)
def note(text):
    noted.write(f"{text}\\n".encode())
"""


def holds(steps: Sequence[Step], tmp_path: Path, check: Check, cuts: int) -> None:
    """Cut the power at moments of all kinds, and check what is left, knowing what was acknowledged before."""
    chance = random.Random(1)
    noted = [place + 1 for place, step in enumerate(steps) if step.path == ACKNOWLEDGED]
    moments = [len(steps), *chance.sample(noted, min(cuts, len(noted))), *chance.sample(range(len(steps)), cuts)]
    for number, moment in enumerate(moments):
        so_far = steps[:moment]
        said = b"".join(step.data for step in so_far if step.path == ACKNOWLEDGED).decode().splitlines()
        rest = [step for step in so_far if step.path != ACKNOWLEDGED]
        for way in ("names", "no names", "some"):
            place = tmp_path / f"cut {number} {way}"
            place.mkdir()
            after_cut(rest, place, random.Random(number) if way == "some" else None, names=way == "names")
            check(place, said)


def recorded(code: str, tmp_path: Path) -> list[Step]:
    folder = tmp_path / "folder"
    folder.mkdir()
    return record(NOTE + code, [str(folder)], folder, tmp_path / "log")


LIBRARY = """
from desktop_app.library.store import Library
from desktop_app.transcript.model import Models, Segment, Transcript
models = Models("T", "", "off", "CPU", "f32")
library = Library(folder / "library")
library._writer.execute("PRAGMA wal_autocheckpoint = 40")
{broken}
for talk in range(3):
    key = library.add(f"/talks/{{talk}}.wav").id
    library.begin(key, models, 60.0)
    lines = [Segment(number, number, number + 1, "x" * 2000) for number in range(10)]
    for line in lines:
        library.append(key, line)
        note(f"line {{key}}")
    library.finish(key, Transcript("/talks/t.wav", 60.0, "en", 0.9, models, tuple(lines)))
    note(f"done {{key}}")
    if talk != 1:
        library.renew(key, Transcript("/talks/t.wav", 60.0, "de", 0.9, models, tuple(lines[:4])), "")
        note(f"twice {{key}}")
    if talk == 1:
        library.remove(key)
        note(f"gone {{key}}")
os._exit(0)
"""


def library_has(place: Path, said: list[str]) -> None:
    """Every line that was appended, every result, and nothing that was deleted; and the file is whole."""
    lines = Counter(one.split()[1] for one in said if one.startswith("line"))
    gone = {one.split()[1] for one in said if one.startswith("gone")}
    done = {one.split()[1] for one in said if one.startswith("done")}
    with closing(Library(place / "library")) as library:
        assert library.notice is None
        states = {one.id: one.state for one in library.recordings()}
        assert not gone & states.keys()
        deleted = set(list(lines)[1:2]) & done  # it may be gone before that is noted
        for key in lines.keys() - gone - (deleted - states.keys()):
            assert key in states
            texts = [library.version(key, one.number) for one in library.versions(key)[1:]]
            assert max(len(one.segments) for one in (library.transcript(key), *texts)) >= lines[key]
            assert len(texts) == 1 or f"twice {key}" not in said
            assert states[key] == "done" or key not in done


@pytest.mark.parametrize("broken", ["", "NORMAL", "OFF"])
def test_the_library_loses_nothing_that_it_has_acknowledged(tmp_path: Path, broken: str) -> None:
    pragma = f'library._writer.execute("PRAGMA synchronous = {broken}")' if broken else ""
    steps = recorded(LIBRARY.format(broken=pragma), tmp_path)
    assert Counter(step.kind for step in steps if step.path == f"library/{database.NAME}")["s"] or broken == "OFF"
    if broken:
        with pytest.raises(AssertionError):
            holds(steps, tmp_path, library_has, 4)
    else:
        holds(steps, tmp_path, library_has, 6)


SOUND = """
from desktop_app.audio.recording import Recorder
from desktop_app.audio.flac import FlacWriter
from tests.fake_input import FakeInput, noise
{broken}
class Listener:
    heard = 0
    def began(self): pass
    def level(self, peak, rms): pass
    def trouble(self, problems): pass
    def ended(self, recorded): pass
    def block(self, samples, start):
        self.heard = start + len(samples)
        note(self.heard)
listener, stream = Listener(), FakeInput()
recorder = Recorder(folder / "talk.flac", None, listener, lambda name: stream)
recorder.start()
def is_syncing():
    syncing = recorder._file._file._syncing
    return syncing is not None and not syncing.done()
for tenth in range(1, 25):
    stream.say(noise(0.1))
    began = time.monotonic()
    while listener.heard < tenth * 1600 - 1152 or time.monotonic() - began < 0.1 or is_syncing():
        time.sleep(0.01)  # the sound waits for a busy computer, so that a second of it is what it is
os._exit(0)
"""


def sound_is_there(place: Path, said: list[str]) -> None:
    """All but the last second."""
    file, samples = place / "talk.flac", 0
    told = int(said[-1]) if said else 0
    if file.exists() and file.stat().st_size:
        try:
            with av.open(str(file)) as container:
                samples = sum(frame.samples for frame in container.decode(audio=0))
        except av.FFmpegError:
            samples = 0
    assert samples >= told - 16_000


@pytest.mark.parametrize("broken", ["", "FlacWriter.sync = lambda self: None"])
def test_a_recording_loses_at_most_a_second(tmp_path: Path, broken: str) -> None:
    steps = recorded(SOUND.format(broken=broken), tmp_path)
    assert sum(len(step.data) for step in steps if step.path == "talk.flac") > 20_000
    if broken:
        with pytest.raises(AssertionError):
            holds(steps, tmp_path, sound_is_there, 2)
    else:
        holds(steps, tmp_path, sound_is_there, 12)


FILES = """
from desktop_app import atomic, folders, settings
os.environ["GALLEY_HOME"] = str(folder)
{broken}
for number in range(10):
    atomic.write(folder / "talk.txt", str(number) * 5000)
    settings.write({{"number": str(number), "text": "x" * 5000}})
    note(number)
"""


def files_are_whole(place: Path, said: list[str]) -> None:
    """As they were at some time, and nothing less."""
    text, settings = place / "talk.txt", place / "data" / "settings.ini"
    if text.exists():
        content = text.read_text(encoding="utf-8")
        assert content in {str(number) * 5000 for number in range(10)}
    if settings.exists():
        content = settings.read_text(encoding="utf-8")
        assert content in {f"[General]\nnumber={number}\ntext={'x' * 5000}\n" for number in range(10)}


@pytest.mark.parametrize("broken", ["", "os.fsync = lambda file: None"])
def test_a_file_is_there_as_it_was_or_as_it_is_to_be(tmp_path: Path, broken: str) -> None:
    steps = recorded(FILES.format(broken=broken), tmp_path)
    assert sum(step.kind == "r" for step in steps) == 20
    if broken:
        with pytest.raises(AssertionError):
            holds(steps, tmp_path, files_are_whole, 4)
    else:
        holds(steps, tmp_path, files_are_whole, 10)
