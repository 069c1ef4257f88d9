"""A search finds what is there, at once and in every script, and nothing that is there no more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from desktop_app.library import database, index
from desktop_app.library.store import Library
from desktop_app.transcript.model import Models, Segment, Transcript
from desktop_app.transcript.search import Snippet, find

MODELS = Models("Target", "", "", "CPU", "f32")
TEXTS = {
    "english": ("The café opens at NOON.", "Budget of the third quarter"),
    "german": ("Die Straße zur Videokonferenz", "100% Regen"),
    "japanese": ("会議は三時からです。",),
    "quotes": ('He said "yes" AND left; NOT (or) *',),
}


def text(*lines: str) -> Transcript:
    return Transcript(
        "/a.wav", 9.0, "en", 0.9, MODELS, tuple(Segment(at, at, at + 1.0, it) for at, it in enumerate(lines))
    )


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    opened = Library(tmp_path)
    yield opened
    opened.close()


def made(library: Library, name: str, *lines: str) -> str:
    key = library.add(f"/talks/{name}.wav").id
    library.begin(key, MODELS, 9.0)
    library.finish(key, text(*lines))
    return key


def indexed(library: Library) -> None:
    while library.index():
        pass
    assert library._index.unknown() == []


@pytest.mark.parametrize("is_indexed", [False, True], ids=["read", "indexed"])
def test_every_query_finds_what_has_all_its_words(library: Library, is_indexed: bool) -> None:
    """With and without the index."""
    keys = {name: made(library, name, *lines) for name, lines in TEXTS.items()}
    if is_indexed:
        indexed(library)
    for query, names in {
        "cafe": {"english"}, "CAFÉ noon": {"english"}, "noon quarter": {"english"}, "strasse": {"german"},
        "STRASSE": {"german"}, "konferenz": {"german"}, "100%": {"german"}, "会議": {"japanese"}, "議": {"japanese"},
        '"yes" and': {"quotes"}, "*": {"quotes"}, "or) not": {"quotes"}, "noon regen": set(), "%": {"german"},
        "wav": set(TEXTS), "  ": set(), "zz": set(),
    }.items():  # fmt: skip
        assert library.search(query) == {keys[name] for name in names} or not query.strip(), query


def test_what_changes_is_found_as_it_is_now(library: Library) -> None:
    """Edited, named, tagged, described, moved, transcribed again, in work."""
    key = made(library, "one", "the first words")
    indexed(library)
    library.revise(key, text("other letters"))
    assert (library.search("first"), library.search("letters")) == (set(), {key})
    library.describe(key, "Board meeting", ("finance",), "call back on Friday")
    library.locate(key, "/elsewhere/moved.wav")
    for step in range(2):
        assert all(library.search(each) == {key} for each in ("board", "#fin", "friday", "moved", "letters")), step
        assert not library.search("one.wav")
        indexed(library)
    library.requeue(key)
    library.begin(key, MODELS, 9.0)
    library.append(key, Segment(0, 0.0, 1.0, "a third text"))
    assert (library.search("letters"), library.search("third")) == (set(), {key})


def test_nothing_of_what_is_removed_is_left_in_the_index(library: Library, tmp_path: Path) -> None:
    keys = [made(library, f"{number}", f"the word number{number} zebra{number}") for number in range(30)]
    indexed(library)
    library.remove(keys[3], keys[20])
    files = [path.read_bytes() for path in tmp_path.iterdir() if path.is_file()]
    for word in (b"zebra3 ", b"number20", b"zebra20"):
        assert not any(word in data for data in files)
    assert library.search("zebra") == set(keys) - {keys[3], keys[20]}
    assert library._index._connection is not None
    terms = "SELECT count(*) FROM instance WHERE doc NOT IN (SELECT number FROM known)"
    library._index._connection.execute("CREATE VIRTUAL TABLE temp.instance USING fts5vocab(main, words, instance)")
    assert library._index._connection.execute(terms).fetchone() == (0,)


def test_an_index_that_is_damaged_gone_or_of_another_library_costs_nothing(tmp_path: Path) -> None:
    library = Library(tmp_path)
    key = made(library, "one", "the first words")
    indexed(library)
    library.close()
    file = tmp_path / index.NAME
    data = file.read_bytes()
    for damaged in (data[:5000], b"", b"no database" * 1000, data[:8192] + bytes(len(data) - 8192), None):
        if damaged is None:
            file.unlink()
        else:
            file.write_bytes(damaged)
        again = Library(tmp_path)
        assert again.search("first") == {key} and again.search("second") == set()
        indexed(again)
        assert again.search("first") == {key}
        assert again.notice is None
        again.close()


def test_a_library_that_was_made_anew_gets_a_new_index(tmp_path: Path) -> None:
    """Its numbers may be those of other recordings."""
    library = Library(tmp_path)
    made(library, "one", "the first words")
    indexed(library)
    library.close()
    (tmp_path / database.NAME).write_bytes(b"damaged" * 1000)
    again = Library(tmp_path)
    assert again.notice is not None and again.search("first") == set()
    key = made(again, "two", "the second words")
    indexed(again)
    assert again.search("words") == {key}
    again.close()


def test_the_index_locks_nobody_out_of_the_library(library: Library, tmp_path: Path) -> None:
    """While it writes, the library can be written."""
    key = made(library, "one", "the first words")
    with library._index._write() as connection:
        connection.execute("DELETE FROM known")
        library.describe(key, title="New")
    assert library.recordings()[0].title == "New"


def test_a_snippet_is_the_line_with_most_of_the_words() -> None:
    lines = ("Rain at noon.", "The café, and the straße", "Café at noon: rain")
    assert find(lines, "cafe noon") == Snippet(2, lines[2], 0, 4)
    assert find(lines, "the cafe") == Snippet(1, lines[1], 0, 8)
    assert find(lines, "STRASSE") == Snippet(1, lines[1], 18, 24)
    assert find(lines, "STRASSE").found == "straße"  # type: ignore[union-attr]
    assert find(lines, "snow") is None


def test_the_phrase_stands_before_single_words() -> None:
    lines = ("noon and rain", "rain at noon")
    found = find(lines, "rain at noon")
    assert found is not None and (found.line, found.found) == (1, "rain at noon")


def test_what_the_user_keeps_comes_back(tmp_path: Path) -> None:
    library = Library(tmp_path)
    key = made(library, "one", "words")
    library.describe(key, "Title \ud800", ("a", "b, c"), "Two\nlines")
    library.arrange([key])
    library.close()
    again = Library(tmp_path)
    (found,) = again.recordings()
    assert (found.title, found.tags, found.notes, found.place) == ("Title ?", ("a", "b, c"), "Two\nlines", 1.0)
    assert replace(found, title="") != found and not found.damaged
    again.close()
