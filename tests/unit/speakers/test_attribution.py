"""Words get the speaker who is heard most while they are said; text and tokens stay what they were."""

from __future__ import annotations

from desktop_app.speakers.attribution import attribute, main_speaker, text_by_speaker
from desktop_app.speakers.turns import Turn
from desktop_app.transcript.model import Models, Segment, Transcript, Word
from desktop_app.transcript.speakers import spoken_by


def transcript(*segments: Segment) -> Transcript:
    return Transcript("a.wav", 20.0, "en", 1.0, Models("t", "", "off", "CPU", "f32"), segments)


def line(number: int, start: float, *pieces: str, step: float = 0.5, words: bool = True) -> Segment:
    """A line of words of half a second each."""
    spoken = tuple(Word(f" {each}", start + at * step, start + (at + 1) * step, 0.9) for at, each in enumerate(pieces))
    text = " ".join(pieces).replace(" ,", ",")
    return Segment(number, start, start + step * len(pieces), text, (1, 2), words=spoken if words else ())


def lines(found: Transcript) -> list[tuple[str | None, str]]:
    assert all(word.speaker == each.speaker for each in found.segments for word in each.words)
    assert [each.id for each in found.segments] == list(range(len(found.segments)))
    return [(each.speaker, each.text) for each in found.segments]


def test_who_is_heard_most_is_summed_over_turns_and_over_lines() -> None:
    turns = [Turn(0.0, 1.0, "S1"), Turn(1.0, 2.5, "S2"), Turn(2.5, 3.5, "S1")]
    assert main_speaker(turns, 0.0, 3.5) == "S1"
    assert main_speaker(turns, 0.9, 2.6) == "S2"
    assert main_speaker(turns, 4.0, 5.0) is None
    said = [line(at, turn.start, "a", step=turn.end - turn.start) for at, turn in enumerate(turns)]
    assert main_speaker([spoken_by(each, turn.speaker) for each, turn in zip(said, turns, strict=True)], 0, 4) == "S1"


def test_a_line_is_split_where_the_speaker_changes() -> None:
    given = transcript(line(0, 0.0, "how", "are", "you?", "fine", "thank", "you."), line(1, 4.0, "good."))
    found = attribute(given, [Turn(0.0, 1.5, "S1"), Turn(1.5, 3.0, "S2"), Turn(4.0, 4.5, "S1")])
    assert lines(found) == [("S1", "how are you?"), ("S2", "fine thank you."), ("S1", "good.")]
    assert [(each.id, each.name) for each in found.speakers] == [("S1", "Speaker 1"), ("S2", "Speaker 2")]
    assert found.speakers[0].turns == ((0.0, 1.5), (4.0, 4.5))
    assert [token for each in found.segments for token in each.tokens] == [1, 2, 1, 2]


def test_punctuation_follows_the_word_before_it() -> None:
    words = (
        Word(" yes", 0.0, 0.9, 1.0),
        Word(",", 1.1, 1.3, 1.0),
        Word(" well", 1.4, 1.9, 1.0),
        Word(" no", 2.0, 3.0, 1.0),
    )
    given = transcript(Segment(0, 0.0, 3.0, "yes, well no", (), words=words))
    assert lines(attribute(given, [Turn(0, 1, "S1"), Turn(1, 3, "S2")])) == [("S1", "yes,"), ("S2", "well no")]


def test_a_word_outside_all_turns_belongs_to_the_nearest_or_to_the_speaker_before() -> None:
    given = transcript(line(0, 0.0, "one", "two", "three", "four"))
    assert lines(attribute(given, [Turn(0.0, 0.9, "S1"), Turn(1.8, 2.0, "S2")]))[0][0] == "S1"
    far = transcript(line(0, 10.0, "one", "two"))
    assert lines(attribute(far, [Turn(0.0, 0.9, "S1"), Turn(15.0, 16.0, "S2")])) == [(None, "one two")]


def test_times_of_words_are_a_little_wrong_and_ends_of_sentences_are_not() -> None:
    given = transcript(line(0, 0.0, "so", "it", "is.", "never", "mind", "that."))
    late = attribute(given, [Turn(0.0, 2.0, "S1"), Turn(2.0, 3.0, "S2")])
    assert lines(late) == [("S1", "so it is."), ("S2", "never mind that.")]
    early = attribute(given, [Turn(0.0, 1.0, "S1"), Turn(1.0, 3.0, "S2")])
    assert lines(early) == [("S1", "so it is."), ("S2", "never mind that.")]


def test_a_fleeting_word_in_the_middle_of_a_sentence_is_no_turn_but_a_yes_is() -> None:
    turns = [Turn(0.0, 0.4, "S1"), Turn(0.4, 0.6, "S2"), Turn(0.6, 2.0, "S1")]
    given = transcript(line(0, 0.0, "we", "went", "there", "today", step=0.2))
    assert lines(attribute(given, turns)) == [("S1", "we went there today")]
    asked = transcript(line(0, 0.0, "we", "went.", "Yes.", "Today", step=0.2))
    assert ("S2", "Yes.") in lines(attribute(asked, turns))


def test_of_two_at_once_the_one_who_spoke_already_keeps_the_word() -> None:
    given = transcript(line(0, 0.0, "one", "two", "three"))
    assert lines(attribute(given, [Turn(0.0, 1.5, "S1"), Turn(0.5, 1.0, "S2")])) == [("S1", "one two three")]


def test_a_line_without_times_of_words_is_shared_out_by_time() -> None:
    given = transcript(line(0, 0.0, "aaaa", "bbbb", "cccc", "dddd", words=False))
    found = attribute(given, [Turn(0.0, 1.0, "S1"), Turn(1.0, 2.0, "S2")])
    assert lines(found) == [("S1", "aaaa bbbb"), ("S2", "cccc dddd")]


def test_without_turns_nothing_changes() -> None:
    given = transcript(line(0, 0.0, "one", "two"), Segment(1, 3.0, 3.0, ""))
    assert attribute(given, []) == given


def test_the_words_of_each() -> None:
    assert text_by_speaker([Word(" a", 0, 1, 1, "S1"), Word(" b", 1, 2, 1, "S2"), Word(" c", 2, 3, 1, "S1")]) == {
        "S1": "a c",
        "S2": "b",
    }
