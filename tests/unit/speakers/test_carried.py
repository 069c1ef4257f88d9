"""Corrections of speakers in a new text of the same recording: the reader's work is kept, and not a word changes."""

from __future__ import annotations

from dataclasses import replace

from desktop_app.speakers.carried import carried, is_named
from desktop_app.transcript import speakers
from desktop_app.transcript.model import Speaker
from tests.unit.transcript.test_speakers import TALK, line, said


def test_the_same_text_gets_the_same_speakers() -> None:
    mine = speakers.rename(speakers.reassign(TALK, [1], "S1"), "S1", "Rose")
    found = carried(mine, TALK)
    assert (found.segments, found.speakers) == (mine.segments, mine.speakers)


def test_half_a_line_that_was_given_away_is_split_off_again() -> None:
    mine = speakers.reassign_selection(TALK, (0, 13), (0, 19), "S2")
    assert said(carried(mine, TALK)) == said(mine)


def test_other_words_at_other_times_go_to_who_spoke_then() -> None:
    mine = speakers.rename(TALK, "S2", "Ben")
    other = replace(
        TALK, speakers=(), segments=(line(0, "good mourning to you", None), line(1, "an two you", None, words=False))
    )
    found = carried(mine, other)
    assert said(found) == [("good mourning to you", "S1"), ("an two you", "S2")]
    assert speakers.name_of(found, "S2") == "Ben"


def test_a_line_where_there_was_none_goes_to_the_nearest() -> None:
    mine = replace(TALK, segments=TALK.segments[:2])
    assert said(carried(mine, TALK))[-1] == ("yes", "S2")


def test_only_somebody_with_a_name_of_their_own_is_named() -> None:
    assert not is_named(TALK)
    assert is_named(speakers.rename(TALK, "S1", "Rose"))


def test_without_speakers_there_is_nothing_to_carry() -> None:
    assert carried(replace(TALK, speakers=()), TALK) is TALK


def test_what_was_written_behind_a_corrected_text_is_said_by_who_was_found_for_it() -> None:
    """A recording was broken off after two lines, somebody was renamed, and then the rest was written: with other
    numbers for the two, and a third voice.
    """
    half = replace(TALK, segments=TALK.segments[:2], speakers=tuple(_until(each, 4.0) for each in TALK.speakers))
    mine = speakers.rename(half, "S1", "Rose")
    whole = replace(
        TALK,
        segments=(
            line(0, "good morning to you", "S2"),
            line(1, "and to you", "S1"),
            line(2, "shall we begin", "S2"),
            line(3, "yes", "S3"),
        ),
        speakers=(
            Speaker("S1", "Speaker 1", ((1.5, 4.0),)),
            Speaker("S2", "Speaker 2", ((0.0, 2.0), (4.0, 6.0))),
            Speaker("S3", "Speaker 3", ((6.0, 8.0),)),
        ),
    )
    found = carried(mine, whole)
    assert said(found)[:2] == said(mine)
    assert [speakers.name_of(found, who) for _, who in said(found)[2:]] == ["Rose", "Speaker 3"]
    assert [each.turns for each in found.speakers] == [((0.0, 2.0), (4.0, 6.0)), ((1.5, 4.0),), ((6.0, 8.0),)]


def test_what_nobody_was_found_for_is_said_by_nobody() -> None:
    mine = replace(TALK, segments=TALK.segments[:2])
    alone = replace(TALK, segments=tuple(speakers.spoken_by(each, None) for each in TALK.segments), speakers=())
    assert said(carried(mine, alone))[-1] == ("yes", None)


def _until(speaker: Speaker, end: float) -> Speaker:
    return replace(speaker, turns=tuple(speakers.intersect(speaker.turns, [(0.0, end)])))
