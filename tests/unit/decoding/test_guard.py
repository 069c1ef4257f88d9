"""The guard leaves out what nobody said, says so, and touches nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.decoding.audio_window import AudioWindow, Samples
from desktop_app.decoding.guard import LONG, LOOP_REPETITIONS, LOOP_TOKENS, Guard, SpeechTimes, first_repetition
from desktop_app.decoding.lines import Line
from desktop_app.decoding.setup import Setup
from desktop_app.decoding.window import WindowText
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.model import GuardReport

from .toys import END, FIRST_TIME, TEXT, Toy, vocabulary

BEGIN = 60.0


def say(tokens: Sequence[int]) -> str:
    return " ".join(f"w{token}" for token in tokens if token < END)


@cache
def speech(*spoken: tuple[float, float], seconds: float = 30.0) -> AudioWindow:
    """A window with noise that swells and fades where somebody speaks, and soft steady noise elsewhere."""
    time = np.arange(round(seconds * SAMPLE_RATE)) / SAMPLE_RATE
    noise = np.random.default_rng(0).normal(0, 1, len(time))
    inside = np.any([(time >= start) & (time < end) for start, end in spoken] or [time < 0], axis=0)
    sound = noise * np.where(inside, 0.1 * (1 + np.sin(25 * time)), 0.002)
    return AudioWindow(sound.astype(np.float32), lambda samples, bins: samples, round(BEGIN * SAMPLE_RATE))


class Detector:
    """Hears loud sound as speech, and counts how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, samples: Samples) -> Detector:
        self.samples = samples
        return self

    def longest(self, start: float, end: float) -> float:
        self.asked += 1
        part = self.samples[round(start * SAMPLE_RATE) : round(end * SAMPLE_RATE)]
        return float(np.sum(np.abs(part) > 0.02)) / (SAMPLE_RATE / 4)

    def total(self, start: float, end: float) -> float:
        return self.longest(start, end)


def spoken(count: int) -> tuple[int, ...]:
    """So many words, in no loop."""
    return tuple(np.random.default_rng(count).integers(0, TEXT, count).tolist())


def line(start: float, end: float, *words: int) -> Line:
    return Line(BEGIN + start, BEGIN + end, (FIRST_TIME, *words, FIRST_TIME + 1))


def check(
    window: AudioWindow,
    lines: list[Line],
    mean: float = -0.2,
    no_speech: float = 0.0,
    covered: float = 30.0,
    speech_times: SpeechTimes | None = None,
) -> tuple[list[Line], list[GuardReport], int]:
    detector = Detector()
    text = WindowText(tuple(token for each in lines for token in each.tokens), mean, no_speech)
    kept, reports = Guard(Setup(Toy(1), vocabulary(), say, listen=detector)).check(
        window, text, lines, covered, speech_times
    )
    return kept, reports, detector.asked


def test_clear_speech_stays_and_nobody_is_asked() -> None:
    lines = [line(0, 10, 1, 2), line(10, 30, 3)]
    assert check(speech((0, 30)), lines) == (lines, [], 0)


@pytest.mark.parametrize(("mean", "no_speech"), [(-1.5, 0.0), (-0.2, 0.4)])
def test_a_doubtful_text_stays_where_somebody_speaks(mean: float, no_speech: float) -> None:
    lines = [line(0, 10, 1, 2), line(10, 20, 3)]
    kept, reports, asked = check(speech((0, 20)), lines, mean, no_speech, 20.0)
    assert (kept, reports, asked) == (lines, [], 2)


def test_a_line_where_nobody_speaks_goes_however_sure_the_target_is() -> None:
    first, last = line(0, 10, 1, 2), line(20, 24, 3, 4)
    kept, reports, _ = check(speech((0, 10)), [first, last], covered=24.0)
    assert kept == [first]
    assert reports == [GuardReport(BEGIN + 20, BEGIN + 24, "silence", "w3 w4")]


def test_a_line_behind_the_end_of_the_audio_goes_and_silence_is_not_listened_to() -> None:
    window = AudioWindow(
        np.zeros(5 * SAMPLE_RATE, np.float32), lambda samples, bins: samples, round(BEGIN * SAMPLE_RATE)
    )
    kept, reports, asked = check(window, [line(0, 4, 1), line(5, 5, 2)], covered=5.0)
    assert kept == []
    assert [act.kind for act in reports] == ["silence", "silence"]
    assert asked == 0


def test_a_line_with_times_that_are_too_early_stays() -> None:
    """Whisper base writes speech that begins at 10 s as lines of 0 to 2 s, one after the other."""
    lines = [line(0, 1, 1), line(1, 2, 2), line(11, 20, 3)]
    said = [(10.0, 11.0), (11.0, 12.5), (12.5, 20.0)]
    assert check(speech((10, 20)), lines, covered=20.0)[0] == lines[2:]
    kept, reports, _ = check(speech((10, 20)), lines, covered=20.0, speech_times=lambda asked: said)
    assert (kept, [act.kind for act in reports]) == (lines, ["unwritten"])


def test_a_line_that_the_target_listened_to_nothing_for_goes() -> None:
    """Where the target's attention finds no time for a line, or silence, its words were not said."""
    lines = [line(0, 1, 1), line(1, 2, 2), line(11, 20, 3)]
    said = [(0.0, 3.0), (20.0, 20.0), (12.5, 20.0)]
    kept, reports, _ = check(speech((10, 20)), lines, covered=20.0, speech_times=lambda asked: said)
    assert kept == lines[2:]
    assert [act.text for act in reports if act.kind == "silence"] == ["w1", "w2"]


def test_the_target_is_not_asked_where_nobody_speaks_at_all() -> None:
    def fail(asked: Sequence[Line]) -> list[tuple[float, float]]:
        raise AssertionError("costs a pass")

    assert check(speech(), [line(0, 5, 1)], covered=5.0, speech_times=fail)[0] == []
    assert check(speech((0, 30)), [line(0, 30, 1)], mean=-1.5, speech_times=fail)[0] == [line(0, 30, 1)]


def test_a_voice_that_needs_time_is_heard_from_before_the_window() -> None:
    """The network knows a voice that is far away after a second or two; it is not to begin with every window."""
    begun = 0

    def listen(samples: Samples) -> Detector:
        nonlocal begun
        begun = len(samples)
        return Detector()(samples)

    window = speech((0, 5), seconds=5.0)
    longer = AudioWindow(window.samples, lambda samples, bins: samples, window.place, np.zeros(SAMPLE_RATE, np.float32))
    text = WindowText((1,), -1.5, 0.0)
    assert Guard(Setup(Toy(1), vocabulary(), say, listen=listen)).check(longer, text, [line(1, 2, 1)], 5.0) == (
        [line(1, 2, 1)],
        [],
    )
    assert begun == 6 * SAMPLE_RATE


def test_the_turns_of_a_circle_go_but_for_the_first() -> None:
    lines = [line(0, 10, 5, *(1, 2, 3) * 4), line(10, 20, *(1, 2, 3) * 4)]
    kept, reports, _ = check(speech((0, 30)), lines, covered=20.0)
    assert [each.tokens for each in kept] == [(FIRST_TIME, 5, 1, 2, 3, FIRST_TIME + 1)]
    assert reports == [GuardReport(BEGIN, BEGIN + 20, "loop", say((1, 2, 3) * 7))]


def test_speech_that_was_passed_over_is_told_and_nothing_changes() -> None:
    first = line(0, 10, 1)
    kept, reports, _ = check(speech((0, 10), (15, 25)), [first])
    assert kept == [first]
    assert reports == [GuardReport(BEGIN + 10, BEGIN + 30, "unwritten")]
    assert check(speech((0, 10), (15, 25)), [first], covered=10 + LONG / 2)[1] == []


SOFT = 0.0045  # of full scale: 27 decibels below the others


def soft(window: AudioWindow, start: float, end: float) -> AudioWindow:
    """The window with somebody else in it, who speaks so softly that no loudness tells."""
    time = np.arange(len(window.samples)) / SAMPLE_RATE
    voice = np.where((time >= start) & (time < end), SOFT * (1 + np.sin(25 * time)), 0)
    samples = np.where(voice > 0, np.random.default_rng(1).normal(0, 1, len(time)) * voice, window.samples)
    return AudioWindow(samples.astype(np.float32), lambda samples, bins: samples, window.place)


class Voices(Detector):
    """Hears what is soft, too, for as long as it lasts."""

    def longest(self, start: float, end: float) -> float:
        self.asked += 1
        part = np.abs(self.samples[round(start * SAMPLE_RATE) : round(end * SAMPLE_RATE)])
        return float(np.sum(part > SOFT)) / (SAMPLE_RATE / 2)


def missed(
    window: AudioWindow,
    lines: list[Line],
    words: Sequence[tuple[float, float]] = (),
    covered: float = 30.0,
    guard: Guard | None = None,
) -> list[tuple[float, float]]:
    """Where speech is missed, in seconds of the recording. `words` are in seconds of the window."""
    text = WindowText(tuple(token for each in lines for token in each.tokens), -0.2, 0.0)
    guard = guard or Guard(Setup(Toy(1), vocabulary(), say, listen=Voices()))
    kept, reports = guard.check(window, text, lines, covered, word_times=lambda asked: words)
    assert kept == lines, "nothing changes"
    return [(report.start, report.end) for report in reports if report.kind == "unwritten"]


def test_a_sentence_is_missed_however_soft_it_is_beside_the_others() -> None:
    window = soft(speech((0, 10)), 15, 22)
    assert missed(window, [line(0, 10, *spoken(40))]) == [(BEGIN + 10, BEGIN + 30)]


def test_a_short_sentence_is_missed_in_a_long_silence() -> None:
    window = speech((0, 5), (20, 21.2))
    assert missed(window, [line(0, 5, *spoken(20))]) == [(BEGIN + 5, BEGIN + 30)]


def test_speech_that_begins_in_one_window_and_ends_in_the_next_is_missed() -> None:
    """Three and a half seconds on either side, less than what is worth a report."""
    guard = Guard(Setup(Toy(1), vocabulary(), say, listen=Voices()))
    first, then = speech((0, 30)), speech((0, 30), seconds=29.0)
    assert missed(first, [line(0, 26.5, *spoken(100))], guard=guard) == []
    second = AudioWindow(
        then.samples, lambda samples, bins: samples, first.place + len(first.samples), first.samples[-6 * SAMPLE_RATE :]
    )
    assert missed(second, [line(33.5, 59, *spoken(100))], covered=29.0, guard=guard) == [(BEGIN + 26.5, BEGIN + 33.5)]
    third = AudioWindow(
        speech((0, 30)).samples,
        lambda samples, bins: samples,
        second.place + 29 * SAMPLE_RATE,
        then.samples[-6 * SAMPLE_RATE :],
    )
    assert missed(third, [line(59, 89, *spoken(120))], guard=guard) == [], "a gap is told once"


def test_a_sentence_is_missed_where_the_times_of_lines_reach_over_it() -> None:
    lines = [line(0, 10, *spoken(24)), line(10, 20, *spoken(24))]
    words = [(0.0, 6.0), (6.0, 6.4), (6.4, 13.6), (13.6, 14.0), (14.0, 20.0)]
    window = speech((0, 20))
    assert missed(window, lines, [(0.0, 1.0), (1.0, 6.4), *words[2:4]], covered=20.0) == [(BEGIN + 1, BEGIN + 13.6)], (
        "two that touch are one"
    )
    silent = speech((0, 6.5), (13, 20))
    assert missed(silent, lines, words[2:4], covered=20.0) == [], "a pause, with the words around it"
    beyond = [(12.0, 30.0)]
    assert missed(speech((0, 12), (20, 30)), lines, beyond, covered=20.0) == [], "the next window has that"


def test_the_target_is_asked_for_words_only_where_lines_are_longer_than_their_words() -> None:
    def fail(asked: Sequence[Line]) -> list[tuple[float, float]]:
        raise AssertionError("costs a pass")

    lines = [line(0, 10, *spoken(40)), line(10, 20, *spoken(33))]
    text = WindowText(tuple(token for each in lines for token in each.tokens), -0.2, 0.0)
    guard = Guard(Setup(Toy(1), vocabulary(), say, listen=Detector()))
    assert guard.check(speech((0, 20)), text, lines, 20.0, word_times=fail) == (lines, [])


def test_steady_noise_without_text_is_not_listened_to() -> None:
    assert check(speech(), []) == ([], [], 0)


words = st.lists(st.integers(0, 2), min_size=0, max_size=60)


@given(st.lists(words, min_size=1, max_size=4), st.floats(-2, 0), st.lists(st.booleans(), min_size=4, max_size=4))
def test_what_stays_is_as_it_was_or_the_beginning_of_it(texts: list[list[int]], mean: float, loud: list[bool]) -> None:
    lines = [line(7 * i, 7 * i + 7, *text) for i, text in enumerate(texts) if text]
    kept, reports, _ = check(speech(*((7 * i, 7 * i + 7) for i in range(4) if loud[i])), lines, mean)
    starts = {each.start: each.tokens for each in lines}
    for each in kept:
        whole = starts[each.start]
        assert each.tokens == whole or each.tokens[:-1] == whole[: len(each.tokens) - 1]
    gone = sum(len(act.text.split()) for act in reports)
    assert sum(map(len, texts)) == gone + sum(sum(token < TEXT for token in each.tokens) for each in kept)


@given(words, st.integers(1, 6), st.integers(1, 12))
def test_a_circle_is_found_if_it_has_turns_enough(before: list[int], period: int, turns: int) -> None:
    cycle = [3 + i for i in range(period)]
    found = first_repetition([*before, *cycle * turns])
    if turns >= LOOP_REPETITIONS and turns * period >= LOOP_TOKENS:
        assert found == len(before) + period


def test_people_repeat_themselves() -> None:
    assert first_repetition([1, 2] * 6) is None
    assert first_repetition([1] * 12) is None
    assert first_repetition([7, 8, 9, 10, 11, 12] * 4) is None
