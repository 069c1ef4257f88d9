"""Times, figures and names are written as the language in use writes them."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import docx
import pytest

from desktop_app import texts
from desktop_app.app.presentation import wording
from desktop_app.app.recordings.entry import DONE, RECORDING, Entry
from desktop_app.export.document import Document
from desktop_app.export.formats import FORMATS
from desktop_app.transcript.model import GuardReport, Segment, Speaker

NOW = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)
SPEAKERS = (Speaker("S1", "Speaker 1"), Speaker("S2", "Rose"), Speaker("S3", "Speaker 1"))


@pytest.fixture(autouse=True)
def language() -> Iterator[None]:
    """English before and after each test."""
    texts.use("en")
    yield
    texts.use("en")


def figures() -> list[str]:
    return [
        wording.number(1234.56, 1),
        wording.size(3_100_000_000),
        wording.size(967_000_000),
        wording.size(400_000),
        wording.percent(0.999),
        wording.percent(0.0),
        wording.span(4800),
        wording.left(5400),
        wording.day(NOW - timedelta(days=9), NOW),
        wording.day(NOW - timedelta(days=400), NOW),
        wording.language("fr"),
        wording.language("xx"),
    ]


def test_figures_in_english_and_german() -> None:
    """A decimal sign, the order of a date and the space before a unit are the language's, whatever the system says."""
    assert figures() == [
        *("1234.6", "3.1 GB", "967 MB", "0.4 MB", "99%", "0%", "1 h 20 min", "about 1 h 30 min left"),
        *("14 November", "19 October 2025", "French", "xx"),
    ]
    texts.use("de")
    assert figures() == [
        *(
            "1234,6",
            "3,1\N{NO-BREAK SPACE}GB",
            "967\N{NO-BREAK SPACE}MB",
            "0,4\N{NO-BREAK SPACE}MB",
            "99\N{NO-BREAK SPACE}%",
            "0\N{NO-BREAK SPACE}%",
            "1 Std. 20 Min.",
        ),
        *(
            "noch etwa 1 Std. 30 Min.",
            "14.\N{NO-BREAK SPACE}November",
            "19.\N{NO-BREAK SPACE}Oktober 2025",
            "Französisch",
            "xx",
        ),
    ]


def test_what_the_guard_did_is_told_with_the_first_places_of_each_kind() -> None:
    silent = [GuardReport(at, at + 4.9, "silence", "Thank you.") for at in (0.0, 60.0, 120.0, 180.0, 240.0)]
    told = wording.guard_report([*silent, GuardReport(4000, 4030, "loop", "no no"), GuardReport(9, 20, "unwritten")])
    assert told == (
        "Hallucinated text removed (0:00–0:04, 1:00–1:04, 2:00–2:04 and 2 more). "
        "Repeated text removed (1:06:40–1:07:10). Possibly speech without text (0:09–0:20)."
    )
    assert wording.guard_report(()) == ""


def test_speakers_without_a_name_have_one_in_the_language_in_use() -> None:
    """What a reader has typed is never translated, and what is stored stays as it is."""
    entry = Entry("a", "/talk.wav", "talk.wav", NOW, segments=[Segment(0, 0.0, 1.0, "Hello.", speaker="S1")])
    entry.speakers = SPEAKERS
    texts.use("de")
    assert [each.name for each in entry.shown().speakers] == ["Sprecher 1", "Rose", "Speaker 1"]
    assert entry.transcript().speakers == SPEAKERS


@pytest.mark.parametrize("name", FORMATS)
def test_files_for_people_name_speakers_in_the_language_in_use_and_files_for_programs_never(name: str) -> None:
    entry = Entry("a", "/talk.wav", "talk.wav", NOW, segments=[Segment(0, 0.0, 1.0, "Hello.", speaker="S1")])
    entry.speakers = SPEAKERS[:1]
    texts.use("de")
    rendered = wording.rendered(Document(entry.transcript()), FORMATS[name])
    if isinstance(rendered, bytes):
        rendered = " ".join(line.text for line in docx.Document(io.BytesIO(rendered)).paragraphs)
    written = rendered.replace("Speaker_1", "Speaker 1")
    is_translated = name in ("txt", "srt", "vtt", "docx", "html", "md")
    assert ("Sprecher 1" in written, "Speaker 1" in written) == (is_translated, not is_translated)


def test_states_and_titles_follow_the_language() -> None:
    """A live recording has no name of its own: its title is made when it is shown."""
    entry = Entry("a", "/x/Recording.flac", "Recording.flac", NOW, RECORDING, spoken=True, elsewhere=True)
    time = f"{NOW.astimezone():%H:%M}"
    assert (entry.name, entry.summary()) == (f"Recording, 23 Nov, {time}", "Recording in another Galley")
    texts.use("de")
    assert (entry.name, entry.summary()) == (f"Aufnahme, 23. Nov., {time}", "Aufnahme in anderem Galley")
    entry.spoken = False
    assert entry.name == "Recording.flac"


def test_a_row_says_day_and_length_in_words() -> None:
    """A clock time and a length in the same digits read alike: 00:16 and 1:13."""
    local = NOW.astimezone()
    entry = Entry("a", "/x/talk.flac", "talk.flac", NOW, DONE, seconds=73.2)
    assert entry.summary(NOW) == f"Today {local:%H:%M} · 1 min 13 s"
    assert entry.summary(NOW + timedelta(days=1)) == f"Yesterday {local:%H:%M} · 1 min 13 s"
    assert entry.summary(NOW + timedelta(days=30)) == "23 November · 1 min 13 s"
    assert [wording.length(seconds) for seconds in (0.2, 40, 60, 119.6, 3599.8, 4800)] == [
        *("1 s", "40 s", "1 min", "2 min", "1 h", "1 h 20 min")
    ]
    assert wording.moment(NOW, NOW) == f"Today {local:%H:%M}"
    assert wording.moment(NOW, NOW + timedelta(days=30), seconds=True) == f"23 November, {local:%H:%M:%S}"
    texts.use("de")
    assert entry.summary(NOW) == f"Heute {local:%H:%M} · 1\N{NO-BREAK SPACE}Min. 13\N{NO-BREAK SPACE}s"
