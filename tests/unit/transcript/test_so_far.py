"""The text of a recording while it is written: both keepers, both kinds of jobs and the command line add to one."""

from __future__ import annotations

from desktop_app.transcript.model import GuardReport, Segment
from desktop_app.transcript.so_far import TextSoFar

LINES = [Segment(number, number, number + 1.0, f"Line {number}.") for number in range(3)]
LOOP = GuardReport(1.0, 2.0, "loop", "and and and")


def written() -> TextSoFar:
    text = TextSoFar("talk.wav")
    text.add(LINES, [LOOP])
    return text


def test_it_begins_with_what_was_written_before() -> None:
    before = written().transcript(3.0)
    again = TextSoFar("talk.wav", before)
    again.add([Segment(3, 3.0, 4.0, "Line 3.")])
    assert [each.text for each in again.transcript(4.0).segments] == [f"Line {number}." for number in range(4)]
    assert again.transcript(4.0).guarded == (LOOP,)
    assert len(before.segments) == 3, "what was there stays as it was"


def test_what_was_left_out_is_forgotten_with_a_text_that_is_written_again_from_its_start() -> None:
    kept, anew = written(), written()
    kept.keep(1)
    anew.keep(0)
    assert (kept.transcript().segments, kept.transcript().guarded) == ((LINES[0],), (LOOP,))
    assert (anew.transcript().segments, anew.transcript().guarded) == ((), ())


def test_speakers_may_be_known_later_and_change() -> None:
    text = written()
    assert text.speaker_count == 0 and text.transcript().speakers == ()
    text.give_speakers({0: "S1", 1: "S2"})
    text.give_speakers({1: "S1"})
    made = text.transcript()
    assert [each.speaker for each in made.segments] == ["S1", "S1", None]
    assert [speaker.id for speaker in made.speakers] == ["S1"]
    assert text.speaker_count == 1
    assert all(each.speaker is None for each in text.segments), "they are kept apart from the lines"
