"""Where guard, fallback and sampling draw their lines: the numbers themselves, from just below and just above.

Another number would change texts without a word; the numbers of openai/whisper are also what makes both write the same.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from functools import partial

import numpy as np
import pytest

from desktop_app.decoding.audio_window import AudioWindow, Samples
from desktop_app.decoding.drafters import is_unsure
from desktop_app.decoding.guard import Guard, first_repetition
from desktop_app.decoding.lines import Line
from desktop_app.decoding.longform import transcribe
from desktop_app.decoding.rules import Decision, Rules
from desktop_app.decoding.sampling import Sampling
from desktop_app.decoding.setup import Setup
from desktop_app.decoding.window import WindowDecoder, WindowText, is_repetitive
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.settings import Settings
from desktop_app.transcript.statistics import Counter

from .test_longform import PREVIOUS, Notes, Prompted, at, blocks, extract, say
from .toys import FIRST_TIME, Toy, vocabulary

FRAME = SAMPLE_RATE // 50


# The fallback


def text(mean: float = -0.3, no_speech: float = 0.0, temperature: float = 0.0) -> WindowText:
    return WindowText((1, 2), mean, no_speech, temperature)


class Tries(WindowDecoder):
    """Gives one text after another and notes how each was to be drawn."""

    def __init__(self, words: str, *texts: WindowText) -> None:
        super().__init__(
            Setup(Toy(1), vocabulary(), lambda tokens: words if len(self.drawn) == 1 else "fine"), Counter()
        )
        self.texts, self.drawn = list(texts), []

    def decode_steps(self, window, settings, watch, sampling=None):  # type: ignore[no-untyped-def]
        self.drawn.append(sampling)
        return self.texts[len(self.drawn) - 1]
        yield


def tried(first: WindowText, words: str = "fine words", place: int = 0) -> list[Sampling | None]:
    """How the texts of a window were drawn, the first of which is this."""
    tries = Tries(words, first, text())
    window = AudioWindow(np.zeros(0, np.float32), lambda samples, bins: samples, place)
    tries.decode_with_fallback(window, Settings("en", temperatures=(0.0, 0.2)), lambda *seen: None)
    return tries.drawn


@pytest.mark.parametrize(("mean", "count"), [(-0.99, 1), (-1.0, 1), (-1.01, 2)])
def test_a_text_below_a_mean_log_probability_of_minus_one_is_tried_again(mean: float, count: int) -> None:
    assert len(tried(text(mean))) == count


@pytest.mark.parametrize(
    ("mean", "no_speech", "silent"),
    [(-1.0, 0.61, True), (-1.0, 0.59, False), (-1.0, 0.6, False), (-0.99, 0.9, False), (-1.5, 0.61, True)],
)
def test_a_window_is_silence_by_both_thresholds(mean: float, no_speech: float, silent: bool) -> None:
    assert text(mean, no_speech).is_silence is silent


@pytest.mark.parametrize(("low", "high", "repeats"), [(2.35, 2.4, False), (2.4, 2.45, True)])
def test_a_text_that_compresses_by_more_than_two_point_four_is_repetitive(
    low: float, high: float, repeats: bool
) -> None:
    texts = ("abcdefghijklmnopqrstuvwxyz" * 2 + "ab" * count for count in range(400))
    found = next(each for each in texts if low < len(each) / len(zlib.compress(each.encode())) < high)
    assert is_repetitive(found) is repeats
    assert len(tried(text(), found)) == 1 + repeats


# Sampling


def test_the_noise_is_the_same_in_every_version() -> None:
    """A text at a temperature can be had again, with any draft, on any computer."""
    np.testing.assert_allclose(
        Sampling(0.8, 480_000).noise(3, 5), [-0.69337034, -0.38350996, 0.13235749, 2.318465, 0.54334205], rtol=1e-5
    )
    np.testing.assert_allclose(Sampling(0.2, 0).noise(0, 3), [1.8673215, 3.530584, 1.5460732], rtol=1e-5)


def test_a_window_is_drawn_by_its_own_place_and_temperature() -> None:
    assert tried(text(-2.0), place=480_320) == [None, Sampling(0.2, 480_320)]


# The draft


@pytest.mark.parametrize(("share", "unsure"), [(0.29, True), (0.31, False)])
def test_no_token_is_drafted_that_the_draft_itself_hardly_believes(share: float, unsure: bool) -> None:
    decision = Decision(1, math.log(share), 1.0)
    assert is_unsure(decision, Rules(vocabulary())) is unsure
    assert not is_unsure(decision, Rules(vocabulary(), sampling=Sampling(0.2, 0))), "drawn by lot as the target's are"


# The prompt


@pytest.mark.parametrize(("temperature", "prompts"), [(0.5, True), (0.51, False)])
def test_a_text_drawn_at_more_than_half_prompts_nothing(
    temperature: float, prompts: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    decode = WindowDecoder.decode

    def drawn(self, window, settings, watch, sampling=None):  # type: ignore[no-untyped-def]
        found = decode(self, window, settings, watch, None)
        return WindowText(found.tokens, found.mean_log_probability, found.no_speech_probability, sampling.temperature)

    monkeypatch.setattr(WindowDecoder, "decode", drawn)
    model = Prompted([[at(0), 1, at(4), at(4)], [at(0), 2, at(4)]])
    wanted = Settings(language="en", condition=True, temperatures=(temperature,))
    transcribe(blocks(8), extract, Setup(model, vocabulary(previous=PREVIOUS), say), Notes(), wanted)
    assert model.prompts == [[], [at(0), 1, at(4)] if prompts else []]


# The guard


class Voice:
    """Somebody speaks without a pause from `start` to `end`. Attributes: asked (how often)."""

    def __init__(self, start: float = 0.0, end: float = 0.0) -> None:
        self.start, self.end, self.asked = start, end, 0

    def __call__(self, samples: Samples) -> Voice:
        return self

    def longest(self, start: float, end: float) -> float:
        self.asked += 1
        return max(0.0, min(end, self.end) - max(start, self.start))

    total = longest


def levels(*parts: tuple[float, float, float, float]) -> AudioWindow:
    """A window of parts: seconds, the level of its loud frames and of its soft ones, and the share of the loud ones."""
    frames = [
        loud if number * share % 1 + share >= 1 - 1e-9 else soft
        for seconds, loud, soft, share in parts
        for number in range(round(seconds * 50))
    ]
    amplitude = np.repeat(10 ** (np.array(frames) / 20), FRAME)
    sign = np.where(np.arange(amplitude.size) % 2, 1, -1)
    return AudioWindow((amplitude * sign).astype(np.float32), lambda samples, bins: samples)


SPEECH = partial(levels, (20.0, -20.0, -60.0, 0.5))


def line(start: float, end: float) -> Line:
    return Line(start, end, (FIRST_TIME, 1, 2, FIRST_TIME + 1))


def check(
    window: AudioWindow,
    voice: Voice,
    *lines: Line,
    mean: float = -0.2,
    no_speech: float = 0.0,
    words: str = "fine words",
) -> tuple[int, list[str]]:
    """How many lines stay, and what is reported."""
    found = WindowText((1, 2), mean, no_speech)
    guard = Guard(Setup(Toy(1), vocabulary(), lambda tokens: words, listen=voice))
    kept, reports = guard.check(window, found, lines, len(window.samples) / SAMPLE_RATE)
    return len(kept), [report.kind for report in reports]


@pytest.mark.parametrize(
    ("mean", "no_speech", "words", "doubtful"),
    [
        (-0.69, 0.0, "fine words", False),
        (-0.71, 0.0, "fine words", True),
        (-0.2, 0.19, "fine words", False),
        (-0.2, 0.21, "fine words", True),
        (-0.2, 0.0, "again " * 40, True),
    ],
)
def test_what_puts_a_window_in_doubt(mean: float, no_speech: float, words: str, doubtful: bool) -> None:
    voice = Voice(0.0, 20.0)
    check(SPEECH(), voice, line(0, 20), mean=mean, no_speech=no_speech, words=words)
    assert bool(voice.asked) is doubtful


@pytest.mark.parametrize(("spoken", "stays"), [(0.24, 0), (0.26, 1)])
def test_a_quarter_of_a_second_of_speech_saves_a_line(spoken: float, stays: int) -> None:
    assert check(SPEECH(), Voice(5.0, 5.0 + spoken), line(0, 20), mean=-1.5)[0] == stays


@pytest.mark.parametrize(("voice", "stays"), [((5.0, 9.3), 1), ((5.0, 9.2), 0), ((14.7, 18.0), 1), ((14.8, 18.0), 0)])
def test_a_voice_within_a_second_of_a_line_counts(voice: tuple[float, float], stays: int) -> None:
    assert check(SPEECH(), Voice(*voice), line(10, 14), mean=-1.5)[0] == stays


@pytest.mark.parametrize(
    ("line_at", "voice", "stays"),
    [
        ((70, 74), (5.0, 11.3), 1),  # what is listened to begins two seconds before the window, at 58
        ((70, 74), (5.0, 11.2), 0),
        ((70, 74), (16.7, 20.0), 1),
        ((70, 74), (16.8, 20.0), 0),
        ((60, 62), (0.0, 2.0), 0),  # before the window
        ((60, 62), (2.0, 2.3), 1),
    ],
)
def test_a_voice_is_looked_for_on_the_recordings_clock(
    line_at: tuple[float, float], voice: tuple[float, float], stays: int
) -> None:
    sound = SPEECH()
    window = AudioWindow(
        sound.samples, lambda samples, bins: samples, 60 * SAMPLE_RATE, np.zeros(2 * SAMPLE_RATE, "f4")
    )
    assert check(window, Voice(*voice), line(*line_at), mean=-1.5)[0] == stays


@pytest.mark.parametrize(("level", "stays"), [(-69.0, 1), (-71.0, 0)])
def test_nothing_below_minus_70_decibels_is_speech(level: float, stays: int) -> None:
    window = levels((20.0, level, level, 1.0))
    assert check(window, Voice(0.0, 20.0), line(0, 20))[0] == stays


@pytest.mark.parametrize(
    ("window", "dull"),
    [
        (levels((20.0, -49.0, -90.0, 0.5)), False),
        (levels((20.0, -51.0, -90.0, 0.5)), True),
        (levels((20.0, -20.0, -33.0, 0.5)), False),
        (levels((20.0, -20.0, -31.0, 0.5)), True),
        (levels((20.0, -20.0, -60.0, 0.88)), False),  # a tenth of the frames is soft
        (levels((20.0, -20.0, -60.0, 0.92)), True),
        (levels((20.0, -20.0, -60.0, 0.07)), False),  # a twentieth is loud
        (levels((20.0, -20.0, -60.0, 0.03)), True),
    ],
)
def test_sound_whose_levels_are_not_those_of_speech_is_listened_to(window: AudioWindow, dull: bool) -> None:
    voice = Voice(0.0, 20.0)
    assert check(window, voice, line(0, 20)) == (1, [])
    assert bool(voice.asked) is dull


@pytest.mark.parametrize(("level", "faint"), [(-39.0, False), (-41.0, True)])
def test_sound_far_below_the_loud_parts_of_the_window_is_listened_to(level: float, faint: bool) -> None:
    voice = Voice(0.0, 20.0)
    window = levels((10.0, -20.0, -60.0, 0.5), (10.0, level, -90.0, 0.5))
    assert check(window, voice, line(0, 10), line(10, 20)) == (2, [])
    assert bool(voice.asked) is faint


@pytest.mark.parametrize(("spoken", "reports"), [(0.59, []), (0.61, ["unwritten"])])
def test_speech_without_text_is_reported_from_so_long_on(spoken: float, reports: list[str]) -> None:
    assert check(SPEECH(), Voice(5.0, 5.0 + spoken)) == (0, reports)


@pytest.mark.parametrize(("gap", "reports"), [(3.9, []), (4.1, ["unwritten"])])
def test_a_gap_of_four_seconds_is_looked_into(gap: float, reports: list[str]) -> None:
    assert check(SPEECH(), Voice(0.0, 20.0), line(0, 20 - gap)) == (1, reports)


@pytest.mark.parametrize(
    ("period", "times", "found"),
    [(1, 23, False), (1, 24, True), (4, 5, False), (4, 6, True), (5, 4, False), (5, 5, True), (6, 4, False)],
)
def test_a_loop_has_five_repetitions_and_24_tokens(period: int, times: int, found: bool) -> None:
    tokens: Sequence[int] = [90, 91, *range(period)] + [*range(period)] * (times - 1)
    assert first_repetition(tokens) == (2 + period if found else None)
