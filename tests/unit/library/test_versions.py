"""Other texts of a recording beside the one that stands: nothing of any of them is lost."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from desktop_app.library import database
from desktop_app.library.store import Library
from desktop_app.library.versions import STANDING
from desktop_app.problems import Problem
from desktop_app.transcript.model import Transcript
from tests.talks import talk

ASKED = '{"language": "de"}'


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    made = Library(tmp_path / "library")
    yield made
    made.close()


def done(library: Library, text: Transcript) -> str:
    """A recording with this text."""
    key = library.add("/talks/one.wav").id
    library.begin(key, text.models, text.seconds)
    library.finish(key, text)
    return key


def test_another_text_takes_the_place_and_the_old_one_is_a_version(library: Library) -> None:
    old, new = talk(2), replace(talk(3), path="/talks/one.wav", language="de")
    key = done(library, old)
    library.revise(key, old, corrected=True, reworded=True)
    library.renew(key, new, ASKED)
    standing, version = library.versions(key)
    assert (standing.number, standing.asked, standing.language) == (STANDING, ASKED, "de")
    assert (version.asked, version.corrected, version.models) == ("", True, old.models)
    assert standing.made > version.made
    assert library.transcript(key) == new
    assert library.version(key, version.number) == replace(old, path="/talks/one.wav")


def test_a_version_is_taken_back_with_what_a_reader_corrected_in_it(library: Library) -> None:
    old, new = talk(2), talk(3)
    key = done(library, old)
    library.revise(key, old, corrected=True, reworded=True)
    made = library.versions(key)[0].made
    library.renew(key, new, ASKED)
    stored = library.exchange(key, library.versions(key)[1].number)
    assert stored is not None and stored.reworded
    assert library.transcript(key).segments == old.segments
    standing, version = library.versions(key)
    assert (standing.made, standing.asked, version.asked) == (made, "", ASKED)
    assert library.version(key, version.number).segments == new.segments


def test_a_text_that_begins_anew_stays_as_a_version_and_one_that_goes_on_makes_none(library: Library) -> None:
    """What was transcribed of a file is never thrown away because it cannot be resumed."""
    text = talk(2)
    key = library.add("/talks/one.wav").id
    library.begin(key, text.models, 60.0)
    library.append(key, text.segments[0])
    library.cancel(key)
    for kept, versions in ((1, 1), (0, 2)):
        library.requeue(key)
        library.begin(key, text.models, 60.0, kept=kept)
        library.cancel(key)
        assert len(library.versions(key)) == versions
    assert library.version(key, library.versions(key)[1].number).segments == text.segments[:1]


def test_a_text_keeps_its_date_and_options_while_another_one_is_asked_for(library: Library) -> None:
    """The version that it becomes says how that text was made, and not the next one."""
    text = talk(2)
    key = library.add("/talks/one.wav").id
    library.ask(key, ASKED)
    library.begin(key, text.models, 60.0)
    library.append(key, text.segments[0])
    library.cancel(key)
    (before,) = library.versions(key)
    library.requeue(key)
    library.ask(key, "{}")
    stored = library.recording(key)
    assert stored is not None and stored.asked == "{}", "as the next start takes it up"
    assert library.versions(key) == [before] and before.asked == ASKED
    library.begin(key, text.models, 60.0)
    standing, version = library.versions(key)
    assert (version.made, version.asked) == (before.made, ASKED)
    assert standing.asked == "{}" and standing.made > version.made


def test_a_version_that_was_being_written_is_left_when_the_program_is_gone(tmp_path: Path) -> None:
    """Until it is there, or nobody wants it; another program's is not offered while that runs."""
    with closing(Library(tmp_path)) as ours, closing(Library(tmp_path)) as theirs:
        keys = [done(ours, talk(2)) for _ in range(4)]
        for key in keys:
            ours.attempt(key, ASKED)
        ours.renew(keys[1], talk(3), ASKED)
        ours.add_version(keys[2], talk(3), ASKED)
        ours.end_attempt(keys[3])
        assert not ours.left_attempts() and not theirs.left_attempts()
        ours.attempt("gone", ASKED)
        ours.close()
        assert theirs.left_attempts() == {keys[0]: ASKED}
        theirs.remove(keys[0])
        assert not theirs.left_attempts()


def test_no_version_takes_the_place_of_a_text_in_work_and_none_that_is_gone(library: Library) -> None:
    text = talk(2)
    key = done(library, text)
    number = library.add_version(key, talk(3), ASKED)
    library.requeue(key)
    assert library.exchange(key, number) is None
    assert len(library.versions(key)) == 2
    library.cancel(key)
    library.remove_version(key, number)
    for call in (library.exchange, library.version):
        with pytest.raises(Problem) as refused:
            call(key, number)
        assert refused.value.code == "library.no_version"
    assert library.transcript(key).segments == text.segments


@pytest.mark.parametrize("whole", [False, True])
def test_no_word_of_a_deleted_version_is_left_in_the_files(library: Library, tmp_path: Path, whole: bool) -> None:
    word = b"Xylophonquartett"
    text = talk(2)
    key = done(library, text)
    secret = replace(text, segments=tuple(replace(it, text=f" {word.decode()}", words=()) for it in text.segments))
    number = library.add_version(key, secret, ASKED)

    def files() -> bytes:
        return b"".join(path.read_bytes() for path in (tmp_path / "library").glob("library*"))

    assert word in files()
    if whole:
        library.remove(key)
    else:
        library.remove_version(key, number)
    assert word not in files()


def test_versions_survive_a_damaged_library_and_one_that_is_cut_off_keeps_its_whole_lines(tmp_path: Path) -> None:
    folder = tmp_path / "library"
    library = Library(folder)
    key = done(library, talk(2))
    numbers = [library.add_version(key, talk(many), ASKED) for many in (2, 3)]
    with library._write() as connection:
        (lines,) = connection.execute("SELECT lines FROM version WHERE number = ?", (numbers[1],)).fetchone()
        connection.execute("UPDATE version SET lines = ? WHERE number = ?", (lines[:-30], numbers[1]))
    library.close()
    with (folder / database.NAME).open("r+b") as file:
        file.write(b"damage!")  # SQLite opens it no more
    with closing(Library(folder)) as again:
        assert again.notice is not None and again.notice.code == "library.salvaged"
        assert again.transcript(key).segments == talk(2).segments
        assert again.version(key, numbers[0]).segments == talk(2).segments
        cut = again.version(key, numbers[1])
        assert cut.damage == Problem("library.row")
        assert cut.segments == talk(3).segments[:-1]
        with pytest.raises(Problem):
            again.exchange(key, numbers[1])
        assert again.transcript(key).segments == talk(2).segments, "what is damaged takes no place"


def test_other_columns_are_taken_for_damage(tmp_path: Path) -> None:
    library = Library(tmp_path)
    key = done(library, talk(2))
    library.close()
    with closing(sqlite3.connect(tmp_path / database.NAME)) as other:
        other.execute("ALTER TABLE version RENAME COLUMN lines TO other")
        other.commit()
    with closing(Library(tmp_path)) as again:
        assert again.notice is not None
        assert again.transcript(key).segments == talk(2).segments
