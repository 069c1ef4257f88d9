"""Subtitles can be shown by every player and read in time, whatever the text and its times are."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.export.cues import Cue, cues, width
from desktop_app.export.document import ExportOptions
from desktop_app.transcript.model import Models, Segment, Speaker, Transcript, Word

NOBODY = Transcript("talk.wav", 99.0, "en", 1.0, Models("", "", "off", "", ""))
SPEAKERS = (Speaker("S1", "Ann"), Speaker("S2", "Bo Li"))
WORDS = (
    "a",
    "so",
    "word,",
    "sentence.",
    "extraordinarily",
    "—",
    "-->",
    "<i>",
    "don't",
    "e\u0301",
    "שלום",
    "私は",
    "x" * 60,
)


def spoken(text: str, start: float = 0.0, each: float = 0.3, speaker: str | None = None, number: int = 0) -> Segment:
    """A line whose words follow each other without a pause."""
    parts = text.split()
    words = tuple(
        Word(f" {part}", start + place * each, start + (place + 1) * each, 0.9, speaker)
        for place, part in enumerate(parts)
    )
    return Segment(number, start, start + each * len(parts), f" {text}", words=words, speaker=speaker)


def of(*segments: Segment, names: bool = False, **chosen: object) -> list[Cue]:
    whole = replace(NOBODY, segments=segments, speakers=SPEAKERS)
    return cues(whole, ExportOptions(**chosen), names=names)  # type: ignore[arg-type]


@st.composite
def segments(draw: st.DrawFn) -> list[Segment]:
    """Lines with words whose times may be anything: edited, merged, going back, of no length."""
    found = []
    time = st.floats(0, 60)
    for number in range(draw(st.integers(1, 5))):
        parts = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=20))
        text = draw(st.sampled_from(("", " "))) + draw(st.sampled_from((" ", "  ", "\n"))).join(parts)
        start, end = draw(time), draw(time)
        speaker = draw(st.sampled_from((None, "S1", "S2")))
        if draw(st.booleans()):
            spelled = parts if draw(st.booleans()) else parts[1:]  # a text that the words are not of
            words = tuple(Word(f" {part}", draw(time), draw(time), 0.5, speaker) for part in spelled)
        else:
            words = ()
        found.append(Segment(number, start, end, text, words=words, speaker=speaker))
    return found


options = st.builds(
    ExportOptions,
    split=st.booleans(),
    line_length=st.integers(10, 60),
    lines=st.integers(1, 3),
    shortest=st.floats(0.2, 3.0),
    longest=st.floats(1.0, 9.0),
    speed=st.floats(5.0, 40.0),
)


@given(segments(), options, st.booleans())
def test_cues_never_overlap_are_never_empty_and_have_every_word_whole(
    lines: list[Segment], chosen: ExportOptions, names: bool
) -> None:
    found = cues(replace(NOBODY, segments=tuple(lines), speakers=SPEAKERS), chosen, names=names)
    now = 0
    for cue in found:
        assert now <= cue.start < cue.end
        now = cue.end
        assert cue.lines and all(line.strip() == line and line for line in cue.lines)
        assert not any("-->" in line or "\n" in line for line in cue.lines)
    written = " ".join(line for cue in found for line in cue.lines)
    if names:
        for each in SPEAKERS:
            written = written.replace(f"{each.name}: ", "")
    said = " ".join(line.text for line in lines).replace("-->", "→")
    assert written.replace("私 は", "私は").split() == said.split()


@given(segments(), options)
def test_a_split_cue_holds_no_more_than_was_asked(lines: list[Segment], chosen: ExportOptions) -> None:
    """But for a word that is longer than a line, and times that leave no room."""
    for cue in of(*lines, **{**vars(chosen), "split": True, "names": False}):
        assert len(cue.lines) <= chosen.lines
        for line in cue.lines:
            assert width(line) <= chosen.line_length or " " not in line
        assert cue.end - cue.start <= max(round(chosen.longest * 1000), 1) + 1


def test_a_long_line_is_split_where_clauses_end() -> None:
    clauses = (
        "Nobody had ever painted the wall behind the stove,",
        "and that was all she would say about it to them all.",
    )
    found = of(spoken(" ".join(clauses)))
    assert tuple(" ".join(cue.lines) for cue in found) == clauses
    assert found[0].lines == ("Nobody had ever painted", "the wall behind the stove,")
    assert all(len(line) <= 42 for cue in found for line in cue.lines)


def test_a_pause_ends_a_cue() -> None:
    found = of(spoken("One thing", 0.0), spoken("another thing", 5.0, number=1))
    assert [cue.lines for cue in found] == [("One thing",), ("another thing",)]


def test_short_lines_of_one_speaker_share_a_cue_and_others_never() -> None:
    one, two = spoken("Yes.", 0.0, speaker="S1"), spoken("I do.", 0.3, speaker="S1", number=1)
    assert [cue.lines for cue in of(one, two)] == [("Yes. I do.",)]
    other = replace(two, speaker="S2")
    assert [cue.lines for cue in of(one, other, names=True)] == [("Ann: Yes.",), ("Bo Li: I do.",)]


def test_a_speaker_is_named_once_until_another_one_speaks() -> None:
    lines = [spoken("First here.", 9.0 * at, speaker="S1", number=at) for at in range(2)]
    assert [cue.lines[0] for cue in of(*lines, names=True)] == ["Ann: First here.", "First here."]


def test_a_short_cue_stays_as_long_as_it_takes_to_read_where_there_is_time() -> None:
    (alone,) = of(spoken("No.", 2.0, each=0.2))
    assert (alone.start, alone.end) == (2000, 3000)
    first, _second = of(spoken("No.", 2.0, each=0.2), spoken("Yes.", 2.5, each=0.2, speaker="S2", number=1))
    assert (first.start, first.end) == (2000, 2500)
    (read,) = of(spoken("unintelligibilities notwithstanding", 0.0, each=0.1), speed=10.0)
    assert read.end == 3600


def test_no_cue_is_shown_longer_than_asked() -> None:
    (cue,) = of(Segment(0, 0.0, 60.0, "Word", words=(Word(" Word", 0.0, 60.0, 0.5),)))
    assert cue.end == 7000


def test_a_script_without_spaces_is_split_between_its_characters_and_counts_double() -> None:
    found = of(
        Segment(0, 0.0, 12.0, "今日はとても天気がいいので、公園まで散歩に行きました。そのあと本屋に寄って帰りました。")
    )
    assert "".join(line for cue in found for line in cue.lines) == (
        "今日はとても天気がいいので、公園まで散歩に行きました。そのあと本屋に寄って帰りました。"
    )
    assert all(len(line) <= 21 for cue in found for line in cue.lines)
    assert not any(line[0] in "、。" for cue in found for line in cue.lines)


def test_each_cue_begins_when_it_is_said_though_the_one_before_lasts_longer() -> None:
    found = of(Segment(0, 0.0, 5.0, "One."), Segment(1, 2.0, 6.0, "Two."), split=False)
    assert [(cue.start, cue.end) for cue in found] == [(0, 2000), (2000, 6000)]


def test_a_word_that_holds_a_space_loses_nothing() -> None:
    words = (Word(" New York", 0.0, 0.5, 0.9), Word(" is York", 0.6, 1.0, 0.9))
    (cue,) = of(Segment(0, 0.0, 1.0, " New  York is  York", words=words))
    assert cue.lines == ("New York is York",)


@pytest.mark.parametrize("names", [True, False])
def test_unsplit_a_cue_is_a_line_of_the_text(names: bool) -> None:
    found = of(
        spoken("One. " * 30, 0.0, speaker="S1"), spoken("Two.", 10.0, speaker="S1", number=1), split=False, names=names
    )
    assert len(found) == 2
    assert found[1].lines == ("Ann: Two." if names else "Two.",)
