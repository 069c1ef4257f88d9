"""Galley writes what openai-whisper writes, token for token, on random models with its vocabularies.

Where Galley follows another rule than the reference (docs/design/references.md), the test says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from whisper import timing
from whisper.timing import WordTiming, add_word_timestamps

from desktop_app.audio import logmel
from desktop_app.decoding import longform
from desktop_app.decoding.audio_window import AudioWindow
from desktop_app.decoding.lines import Line
from desktop_app.decoding.words import Timing, tidy
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.settings import Settings
from tests import openai_models
from tests.parity.comparison import WORD_WITHIN, compare_recording, compare_windows
from tests.parity.galley import Galley, loaded
from tests.parity.openai import OpenAI
from tests.sounds import babble
from tests.unit.decoding.toys import vocabulary

pytestmark = pytest.mark.usefixtures("one_thread")
Both = tuple[Galley, OpenAI]


@pytest.fixture(
    scope="module",
    params=[51_865, pytest.param(51_864, marks=pytest.mark.long), pytest.param(51_866, marks=pytest.mark.long)],
)
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Both:
    folder = openai_models.write(tmp_path_factory.mktemp("models") / str(request.param), request.param)
    return loaded(folder), OpenAI(folder)


def settings(galley: Galley) -> dict[str, Settings]:
    """Named settings that the model can do."""
    prompt = tuple(galley.checkpoint.tokens(" What was said before."))
    found = {
        "plain": Settings("en"),
        "without timestamps": Settings("en", timestamps=False),
        "prompt": Settings("en", prompt=prompt),
        "too long a prompt": Settings("en", prompt=prompt * 60),
        "drawn": Settings("en", temperatures=(0.4,)),
    }
    if galley.checkpoint.vocabulary.translates:
        found |= {"German": Settings("de"), "translation": Settings("fr", translate=True)}
    return found


@pytest.mark.parity
def test_a_window_as_decode_writes_it(both: Both) -> None:
    """One sound for each question; `make parity` has more."""
    asked = settings(both[0])
    tokens = [
        compare_windows(*both, {name: babble(5 + 4 * seed, seed)}, asked[name]).tokens
        for seed, name in enumerate(asked)
    ]
    assert sum(tokens) > 20


@pytest.mark.long
def test_twenty_windows_as_decode_writes_them(both: Both) -> None:
    tokens = 0
    for start, (name, asked) in enumerate(settings(both[0]).items()):
        sounds = {f"{name}, {seed}": babble(1 + seed * 29 / 19, 100 + seed) for seed in range(start % 3, 20, 3)}
        tokens += compare_windows(*both, sounds, asked).tokens
    assert tokens > 300


@pytest.mark.parity
def test_the_language_is_heard_as_there(both: Both) -> None:
    galley, openai = both
    if not galley.checkpoint.vocabulary.languages:
        return
    for seed in range(3):
        samples = babble(20, seed)
        code, probability = openai.language(samples)
        found = galley.decoder.detect_language(AudioWindow(samples, logmel.features))
        assert found.code == code
        assert found.probability == pytest.approx(probability, abs=1e-3)


@pytest.mark.parity
@pytest.mark.parametrize(
    "shares",
    [
        pytest.param((1.0,), id="one segment", marks=pytest.mark.long),
        pytest.param((0.1, 0.15, 0.35, 0.4), id="four segments"),
    ],
)
def test_words_are_timed_as_there(both: Both, shares: Sequence[float]) -> None:
    """To 0.02 s, a frame of the decoder's; the reference rounds to 0.01 s besides. The words of several segments are
    timed together, and the first and last of each are corrected where they are longer than words are."""
    galley, openai = both
    checkpoint = galley.checkpoint
    timed = corrected = 0
    for seed in range(4):
        samples = babble(30 - 0.97 * seed, 40 + seed)
        (attempt,) = galley.windows([samples], Settings("en"))
        tokens = [token for token in attempt.text.tokens if token < checkpoint.vocabulary.end][:80]
        segments = list(_segments(tokens, shares, len(samples) / SAMPLE_RATE))
        timings = galley.decoder.words(attempt.window, Settings("en"), tokens, len(samples) / SAMPLE_RATE)
        tidied, median = tidy(timings)
        ours = longform.share_out(tidied, segments, 0.0, median, 0.0, checkpoint.vocabulary)
        theirs = openai.words(samples, 0.0, segments, 0.0, Settings("en"))
        assert [[word.text for word in words] for words in ours] == [[text for text, _, _ in each] for each in theirs]
        for one, (_, start, end) in zip(
            (w for words in ours for w in words), (w for w_ in theirs for w in w_), strict=True
        ):
            assert one.start == pytest.approx(start, abs=WORD_WITHIN)
            assert one.end == pytest.approx(end, abs=WORD_WITHIN)
            timed += 1
        plain = [(word.start, word.end) for word in tidied]
        corrected += [(word.start, word.end) for words in ours for word in words] != plain
    assert timed > 20
    assert corrected


def _segments(tokens: Sequence[int], shares: Sequence[float], seconds: float) -> Iterator[Line]:
    """The tokens as segments that have their share of tokens and of time, with half a second between two."""
    place = 0.0
    for share in shares:
        first, last = (round(at * len(tokens)) for at in (place, place + share))
        start, end = place * seconds, (place + share) * seconds
        yield Line(start, end - 0.5, tuple(tokens[first:last]))
        place += share


@pytest.mark.parity
def test_words_that_are_too_long_are_cut_as_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """To the hundredth: both get the same alignments, made up so that words, pauses and lines are often too long."""
    random = np.random.default_rng(0)
    for _ in range(1500):
        count = int(random.integers(1, 14))
        times = np.round(random.choice((0.0, 0.2, 1.0, 2.0)) + np.cumsum([0, *random.choice(LENGTHS, count)]), 2)
        pieces = random.choice(PIECES, count)
        made = [Timing(str(piece), (at,), *map(float, times[at : at + 2]), 0.5) for at, piece in enumerate(pieces)]
        begin = int(random.integers(0, 5000)) * 0.02
        last = round(max(0.0, begin - float(random.choice((0.0, 0.5, 1.0, 3.0)))), 2)
        border = int(random.integers(0, count))
        segments = []
        for first, behind in ((0, border), (border, count)):
            if first < behind:
                start = max(0.0, times[first] + random.choice((0.0, 0.6, -0.2, 1.0)))
                end = max(start, times[behind] + random.choice((0.0, -0.6, 0.2, -1.2)))
                segments.append(Line(begin + start, begin + end, tuple(range(first, behind))))
        words, median = tidy(made)
        ours = longform.share_out(words, segments, begin, median, last, vocabulary(end=count))
        theirs = _corrected(made, segments, begin, last, monkeypatch)
        assert [[(w.text, round(w.start, 2), round(w.end, 2)) for w in one] for one in ours] == theirs


LENGTHS = (0.0, 0.02, 0.1, 0.2, 0.2, 0.2, 0.3, 0.4, 0.4, 0.6, 0.8, 1.2, 2.0, 3.0)
PIECES = (" ab", " cd", "。", ".", ",", " (", " '", "ef", "?")


def _corrected(
    made: Sequence[Timing], segments: Sequence[Line], begin: float, last: float, monkeypatch: pytest.MonkeyPatch
) -> list[list[tuple[str, float, float]]]:
    """The words of each segment as the reference makes them of the same alignment."""
    aligned = [WordTiming(w.text, list(w.tokens), w.start, w.end, w.probability) for w in made]
    monkeypatch.setattr(timing, "find_alignment", lambda *given, **more: aligned)
    theirs: list[dict[str, Any]] = [
        {"seek": round(100 * begin), "start": one.start, "end": one.end, "tokens": list(one.tokens)} for one in segments
    ]
    add_word_timestamps(
        segments=theirs,
        model=None,
        tokenizer=SimpleNamespace(eot=len(made)),
        mel=None,
        num_frames=3000,
        last_speech_timestamp=last,
    )
    return [[(w["word"], round(w["start"], 2), round(w["end"], 2)) for w in one["words"]] for one in theirs]


@pytest.mark.parity
def test_a_recording_as_transcribe_writes_it(both: Both) -> None:
    _, ours = compare_recording(*both, "70 s", babble(70, 7), Settings(condition=True))
    assert len(ours.windows) >= 3


@pytest.mark.long
@pytest.mark.parametrize("condition", [True, False], ids=["prompt and condition", "drawn"])
def test_eleven_minutes_as_transcribe_writes_them(both: Both, condition: bool) -> None:
    """Windows that went wrong are written again, with noise where they are drawn."""
    prompt = tuple(both[0].checkpoint.tokens(" Names and terms."))
    asked = Settings("en", prompt=prompt, condition=True) if condition else Settings("en")
    asked = replace(asked, temperatures=(0.0, 0.2, 0.6))
    _, ours = compare_recording(*both, "eleven minutes", babble(660, 11), asked)
    print(f"{len(ours.windows)} windows, {len(ours.attempts)} texts")
    assert len(ours.attempts) > 22
