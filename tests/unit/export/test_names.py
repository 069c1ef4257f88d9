"""Files get the names that were asked for, which every system takes, and none takes the place of another."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote

import pytest

from desktop_app.export.document import Document, ExportOptions, read_options
from desktop_app.export.names import address, apart, file_name, possible, shortened, unknown_fields
from desktop_app.transcript.model import Models, Transcript
from tests.calls import calls

TALK = Document(
    Transcript("/talks/a01.wav", 9.0, "en", 1.0, Models("base", "", "off", "", "")),
    "Board: spring/summer",
    datetime(2026, 11, 23, 12, 5, tzinfo=UTC),
)


def test_a_template_is_filled_in() -> None:
    day, time = TALK.created.astimezone().strftime("%Y-%m-%d %H-%M").split() if TALK.created else ("", "")
    assert file_name("{date} {title}", TALK) == f"{day} Board- spring-summer"
    assert file_name("{time}_{language}_{model}_{file}", TALK) == f"{time}_en_base_a01"
    assert file_name("{nothing} {title}", TALK) == "{nothing} Board- spring-summer"
    assert unknown_fields("{date} {nothing} {title}") == ["nothing"]
    assert file_name("{title}", Document(TALK.transcript)) == "a01"


def test_a_title_of_a_million_letters_is_shortened_at_once() -> None:
    made: list[str] = []
    assert calls(lambda: made.append(shortened("é" * 1_000_000, 21))) < 100, "not a step for each letter"
    assert made == ["é" * 10]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("a/b\\c:d", "a-b-c-d"), ("con", "_con"), ("Com1.old", "_Com1.old"), ("contact", "contact"), (" . ", "transcript"),
     ("///", "transcript"), ("dots...", "dots"), ("two\n lines", "two- lines"), ("..", "transcript"),
     ("talk \udcff", "talk -")],
)  # fmt: skip
def test_every_system_takes_a_name(name: str, expected: str) -> None:
    assert possible(name) == expected


def test_files_that_are_there_stay_and_new_ones_never_meet(tmp_path: Path) -> None:
    (tmp_path / "Talk.srt").touch()
    (tmp_path / "talk (2).srt").touch()
    found = apart(["Talk", "talk", "other", "x" * 300, "x" * 300], tmp_path, "srt")
    assert [place.name for place in found[:3]] == ["Talk (3).srt", "talk (4).srt", "other.srt"]
    for place in found:
        assert not place.exists()
        place.touch()
    assert len(list(tmp_path.iterdir())) == 7


def test_a_page_refers_to_its_sound_from_where_it_lies(tmp_path: Path) -> None:
    there = address(str(tmp_path / "sounds" / "a #1?.wav"), tmp_path / "pages")
    assert unquote(there) == "../sounds/a #1?.wav"
    assert "#" not in there and "?" not in there


def test_a_page_refers_to_a_sound_whose_name_is_no_utf8(tmp_path: Path) -> None:
    assert address(str(tmp_path / "a\udcff.wav"), tmp_path) == "a%FF.wav"


def test_options_that_are_kept_can_be_read_and_what_is_impossible_is_as_usual() -> None:
    chosen = ExportOptions(times=True, names=False, line_length=37, lines=1, shortest=0.5, longest=5.0, speed=15.0)
    assert read_options(chosen.plain()) == chosen
    wrong = {"line_length": 10**9, "lines": "2", "speed": float("nan"), "names": 1, "times": "yes", "more": 1}
    assert read_options(wrong) == ExportOptions()
