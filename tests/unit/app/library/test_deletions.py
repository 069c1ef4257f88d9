"""What is deleted can be brought back for a while, and then nothing of it is left, whatever ends the program."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from desktop_app import folders
from desktop_app.app.library import media
from desktop_app.app.recordings import entry as states
from desktop_app.library.store import Library
from desktop_app.messages.jobs import Cancelled, SegmentReady, Started
from tests.staging import MODELS, Stage, finish, segment

Make = Callable[[str], Path]
WORD = "Xylophonquartett"


@pytest.fixture
def spoken(stage: Stage) -> str:
    """A live recording with its sound, of which nobody has its text but Galley."""
    sound = folders.recordings() / "Recording 2026-05-04 14.02.flac"
    sound.parent.mkdir(parents=True)
    sound.write_bytes(WORD.encode())
    stored = stage.library.add_live(str(sound))
    stage.library.begin(stored.id, MODELS, 60.0)
    stage.library.append(stored.id, segment(0, f" {WORD} at noon."))
    stage.library.recorded(stored.id, 60.0)
    stage.library.fail(stored.id, states.DAMAGED)
    stage.library.describe(stored.id, "Noon", (WORD,), "")
    while stage.library.index():
        pass
    return stored.id


def traces() -> list[str]:
    """The files of the data folder that hold the word."""
    files = (path for path in folders.data().rglob("*") if path.is_file())
    return [
        path.name for path in files if WORD.encode() in path.read_bytes() or WORD.lower().encode() in path.read_bytes()
    ]


def test_undo_brings_text_sound_and_place_back(stage: Stage, spoken: str) -> None:
    later = stage.restart()
    one = later.library.add("/one.wav").id
    later = later.restart()
    order = list(later.session.entries)
    later.deletions.delete([spoken, one])
    assert not later.session.entries and len(later.deletions.offered) == 2
    later.settle()
    assert later.library.recordings() == [] and later.library.search(WORD) == set() and traces()
    later.deletions.undo()
    later.settle()
    assert list(later.session.entries) == order and later.library.search(WORD) == {spoken}
    assert (later.session.entries[spoken].name, later.session.entries[spoken].tags) == ("Noon", (WORD,))


@pytest.mark.parametrize("end", ["settled", "closed", "killed"])
def test_in_the_end_nothing_is_left(stage: Stage, spoken: str, end: str) -> None:
    """Sound, text, tags, index: after the offer to undo, at the end of the program, and after a crash."""
    later = stage.restart()
    later.deletions.delete([spoken])
    if end == "killed":
        later.settle()
        later = later.restart()
    else:
        later.deletions.settle()
    later.settle()
    later.settle()
    assert later.library.recording(spoken) is None
    assert traces() == []


def test_another_galley_leaves_an_offer_alone_as_long_as_it_stands(stage: Stage, spoken: str) -> None:
    later = stage.restart()
    later.deletions.delete([spoken])
    later.settle()
    other = Library(folders.data() / "library")
    assert other.left_deleted() == [] and other.recordings() == []
    other.close()
    later.deletions.undo()
    later.settle()
    assert later.library.recording(spoken) is not None


def test_the_next_deletion_settles_the_one_before_it(stage: Stage, recording: Make) -> None:
    one, two = stage.drop(recording("one.wav"), recording("two.wav"))
    for entry in (one, two):
        finish(stage, entry)
    stage.deletions.delete([one.id])
    stage.deletions.delete([two.id])
    stage.settle()
    assert (stage.library.recording(one.id), stage.deletions.offered) == (None, [two])


def test_a_file_in_work_is_cancelled_and_comes_back_with_its_text(stage: Stage, recording: Make) -> None:
    (one,) = stage.drop(recording("one.wav"))
    stage.say(Started(one.id, 60.0, MODELS), SegmentReady(one.id, segment(0)))
    stage.deletions.delete([one.id])
    assert stage.engine.cancelled == [one.id]
    stage.say(Cancelled(one.id))
    stage.deletions.undo()
    stage.settle()
    assert (one.state, one.segments) == (states.CANCELLED, [segment(0)])
    assert stage.library.recordings()[0].state == "cancelled"


def test_sound_that_cannot_be_deleted_is_said_and_tried_again(
    stage: Stage, spoken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = stage.restart()

    def refuse(path: str) -> None:
        raise PermissionError(13, "no", path)

    monkeypatch.setattr(media, "delete", refuse)
    later.deletions.delete([spoken])
    with later.emits(later.session.trouble) as told:
        later.deletions.settle()
    assert told.args[0][0].code == "disk.forbidden"
    monkeypatch.undo()
    last = later.restart()
    last.settle()
    last.settle()
    assert last.library.recording(spoken) is None and traces() == []


@pytest.mark.parametrize("end", ["settled", "killed", "from another start"])
def test_a_file_that_the_user_located_is_never_deleted(stage: Stage, spoken: str, end: str, tmp_path: Path) -> None:
    """Any file can be chosen, and its name is all that Galley knows of it."""
    recorded, chosen = Path(stage.restart().session.entries[spoken].path), tmp_path / "Wedding.wav"
    chosen.write_bytes(b"the only copy")
    later = stage.restart()
    later.session.locate(spoken, str(chosen))
    later.settle()
    if end == "from another start":
        later = later.restart()
    later.deletions.delete([spoken])
    later.settle()
    if end == "killed":
        later = later.restart()
    else:
        later.deletions.settle()
    later.settle()
    later.settle()
    assert later.library.recording(spoken) is None
    assert (chosen.read_bytes(), recorded.exists()) == (b"the only copy", True)
