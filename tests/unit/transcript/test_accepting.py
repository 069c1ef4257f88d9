"""Taking differences over one by one: the words become those of the other text, and nothing else changes."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from desktop_app.transcript.accepting import accepted
from desktop_app.transcript.difference import changes
from desktop_app.transcript.model import Models, Segment, Speaker, Transcript, Word


def line(number: int, text: str, speaker: str | None = "S1", start: float | None = None) -> Segment:
    """Five seconds of text whose words share the time."""
    begin = number * 5.0 if start is None else start
    words = text.split()
    each = 5.0 / max(len(words), 1)
    timed = tuple(
        Word(f" {word}", begin + at * each, begin + (at + 1) * each, 0.9, speaker) for at, word in enumerate(words)
    )
    return Segment(number, begin, begin + 5, f" {text}", (number,), speaker=speaker, words=timed)


def text(*lines: Segment) -> Transcript:
    return Transcript(
        "", 60.0, "en", 1.0, Models("", "", "", "", ""), lines, (Speaker("S1", "Ann"), Speaker("S2", "Bo"))
    )


def words(transcript: Transcript) -> list[str]:
    return " ".join(segment.text for segment in transcript.segments).split()


def test_one_change_leaves_the_others_and_the_speakers() -> None:
    before = text(line(0, "The roof is down."), line(1, "They come Friday.", "S2"))
    after = text(line(0, "The roof is done.", None), line(1, "They come on Friday.", None))
    down, added = changes(before.segments, after.segments)
    made = accepted(before, after, [added])
    assert [segment.text for segment in made.segments] == [" The roof is down.", " They come on Friday."]
    assert [segment.speaker for segment in made.segments] == ["S1", "S2"]
    assert {word.speaker for word in made.segments[1].words} == {"S2"}
    assert accepted(made, after, [down]).segments[0].text == " The roof is done."


def test_words_keep_their_times_and_new_ones_have_those_of_the_model() -> None:
    """They are no words of the reader's: they are not marked as edited, and the player finds them."""
    before, after = text(line(0, "one two three four five")), text(line(0, "one two tree four five"))
    fresh = replace(after.segments[0].words[2], start=2.3, end=2.9, probability=0.4)
    heard = replace(after.segments[0], words=(*after.segments[0].words[:2], fresh, *after.segments[0].words[3:]))
    (made,) = accepted(before, replace(after, segments=(heard,)), changes(before.segments, [heard])).segments
    assert made.words[:2] + made.words[3:] == before.segments[0].words[:2] + before.segments[0].words[3:]
    assert (made.words[2].text, made.words[2].start, made.words[2].end) == (" tree", 2.3, 2.9)
    assert (made.words[2].probability, made.words[2].edited, made.words[2].speaker) == (0.4, False, "S1")
    assert made.tokens == (0,), "no token of the target is lost"


def test_a_change_over_several_lines_gives_each_the_words_of_its_time() -> None:
    """Another language differs in every word: lines and speakers stay all the same."""
    before = text(line(0, "das Dach ist fertig"), line(1, "sie kommen am Freitag", "S2"))
    after = text(line(0, "the roof is done", None), line(1, "they come on Friday", None))
    made = accepted(before, after, changes(before.segments, after.segments))
    assert [(one.text.strip(), one.speaker) for one in made.segments] == [
        ("the roof is done", "S1"),
        ("they come on Friday", "S2"),
    ]


def test_missing_speech_comes_as_a_line_of_its_own_and_invented_text_goes_with_its_line() -> None:
    before = text(line(0, "We begin."), line(1, "We end.", start=20.0))
    after = text(line(0, "We begin."), line(1, "Nobody heard this.", start=10.0), line(2, "We end.", start=20.0))
    made = accepted(before, after, changes(before.segments, after.segments))
    assert [(one.id, one.text.strip(), one.start) for one in made.segments] == [
        (0, "We begin.", 0.0),
        (1, "Nobody heard this.", 10.0),
        (2, "We end.", 20.0),
    ]
    assert made.segments[1].speaker is None
    back = accepted(made, before, changes(made.segments, before.segments))
    assert [one.text.strip() for one in back.segments] == ["We begin.", "We end."]


LINES = st.lists(st.lists(st.sampled_from("a b c d the roof".split()), min_size=1, max_size=6), min_size=1, max_size=4)


@settings(max_examples=40)
@given(LINES, LINES, st.randoms(use_true_random=False))
def test_in_whatever_order_they_are_taken_the_words_are_those_of_the_other_text(
    old: list[list[str]], new: list[list[str]], chance: object
) -> None:
    before = text(*(line(number, " ".join(one)) for number, one in enumerate(old)))
    after = text(*(line(number, " ".join(one), None) for number, one in enumerate(new)))
    assert words(accepted(before, after, changes(before.segments, after.segments))) == words(after)
    made = before
    while found := changes(made.segments, after.segments):
        made = accepted(made, after, [chance.choice(found)])  # type: ignore[attr-defined]
        assert [one.id for one in made.segments] == list(range(len(made.segments)))
        for one in made.segments:
            assert "".join(word.text.strip() for word in one.words) == "".join(one.text.split())
            assert "  " not in one.text and not any(word.edited for word in one.words)
            assert all(some.end <= next_.start + 1e-9 for some, next_ in zip(one.words, one.words[1:], strict=False))
    assert words(made) == words(after)
