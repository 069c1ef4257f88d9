"""The loop of the comparisons notices a difference, and lets one pass only where the choice was as close as epsilon."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from desktop_app.decoding.audio_window import Samples
from desktop_app.decoding.words import Timing
from desktop_app.transcript.model import Segment
from desktop_app.transcript.settings import Settings
from tests.parity import comparison
from tests.parity.comparison import (
    Case,
    Outcome,
    Text,
    Texts,
    Words,
    compare_recording,
    compare_windows,
    compare_words,
)
from tests.parity.galley import Galley
from tests.sounds import babble
from tests.unit.decoding.toys import END, Toy, vocabulary

CLIP = {"clip": babble(3, 1)}
LONG = babble(70, 2)
ENGLISH = Settings("en")


class Echo:
    """A reference that writes what Galley writes, apart from one token (or one line that is missing)."""

    def __init__(self, galley: Galley, line: int = 0, at: int | None = None, missing: bool = False) -> None:
        self._galley, self._line, self._at, self._missing = galley, line, at, missing

    def windows(self, sounds: Sequence[Samples], settings: Settings) -> list[Text]:
        texts = [each.text.tokens for each in self._galley.windows(sounds, settings)]
        return [self._changed(tokens, index) for index, tokens in enumerate(texts)]

    def recording(self, samples: Samples, settings: Settings, places: Sequence[int]) -> Texts:
        lines = [line.segment.tokens for line in self._galley.recording(samples, settings).lines]
        if self._missing:
            del lines[self._line]
        return Texts([self._changed(tokens, index) for index, tokens in enumerate(lines)])

    def prepared(self, samples: Samples) -> Samples:
        return samples

    def _changed(self, tokens: tuple[int, ...], index: int) -> Text:
        if index == self._line and self._at is not None:
            tokens = (*tokens[: self._at], 1 + (tokens[self._at] == 1), *tokens[self._at + 1 :])
        return Text(tokens)


def galley(epsilon: float = 0.0) -> Galley:
    target = Toy(3, positions=40)
    target.epsilon = epsilon
    checkpoint = SimpleNamespace(vocabulary=vocabulary(), text=lambda tokens: "a" * sum(each < END for each in tokens))
    return Galley(checkpoint, target)  # type: ignore[arg-type]


def test_what_is_equal_is_counted() -> None:
    ours = galley()
    written = len(ours.windows(list(CLIP.values()), ENGLISH)[0].text.tokens)
    outcome = compare_windows(ours, Echo(ours), CLIP, ENGLISH)
    assert (outcome.compared, outcome.tokens, outcome.exceptions) == (1, written, [])
    assert written > 3


@pytest.mark.parametrize(("close", "epsilon"), [(1.01, 2), (2, 1.01)])
def test_another_token_fails_unless_the_choice_was_close(
    monkeypatch: pytest.MonkeyPatch, close: float, epsilon: float
) -> None:
    """And closer than Galley's own passes may be apart."""
    with pytest.raises(AssertionError, match=r"clip: another token at 2 of \d+, margin"):
        compare_windows(galley(), Echo(galley(), at=2), CLIP, ENGLISH)
    ours = galley()
    margin = ours.margin(ours.windows(list(CLIP.values()), ENGLISH)[0], 2)
    monkeypatch.setattr(comparison, "CLOSE", margin * close)
    outcome = compare_windows(galley(margin * epsilon), Echo(galley(), at=2), CLIP, ENGLISH)
    assert outcome.tokens == 2
    assert outcome.exceptions == [f"clip: another token at 2 of {_length()}, margin {margin:.2e}, {_below(margin)}"]


def _length() -> int:
    return len(galley().windows(list(CLIP.values()), ENGLISH)[0].text.tokens)


def _below(margin: float) -> str:
    return f"accepted below {margin * 1.01:.0e}"


def test_a_line_of_a_recording_is_judged_by_its_own_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = galley().recording(LONG, ENGLISH).lines
    assert len(lines) > 2
    last = len(lines) - 1
    margin = galley().margin(lines[last].attempt, lines[last].offset + 1)
    with pytest.raises(AssertionError, match=re.escape(f"margin {margin:.2e}")):
        compare_recording(galley(), Echo(galley(), last, at=1), "long", LONG, ENGLISH)
    monkeypatch.setattr(comparison, "CLOSE", margin * 1.01)
    outcome, _ = compare_recording(galley(margin * 1.01), Echo(galley(), last, at=1), "long", LONG, ENGLISH)
    assert [told.partition(":")[0] for told in outcome.exceptions] == [f"long, line {last}"]
    assert outcome.tokens == sum(len(line.segment.tokens) for line in lines[:last]) + 1


@pytest.mark.parametrize("place", ["first", "last"])
def test_a_line_that_is_missing_fails(place: str) -> None:
    last = len(galley().recording(LONG, ENGLISH).lines) - 1
    with pytest.raises(AssertionError, match="another token at 0"):
        compare_recording(
            galley(), Echo(galley(), 0 if place == "first" else last, missing=True), "long", LONG, ENGLISH
        )


def test_another_language_fails() -> None:
    class German(Echo):
        def windows(self, sounds: Sequence[Samples], settings: Settings) -> list[Text]:
            return [replace(each, language="de") for each in super().windows(sounds, settings)]

    with pytest.raises(AssertionError, match="another language"):
        compare_windows(galley(), German(galley()), CLIP, ENGLISH)


@pytest.mark.parametrize(("late", "passes"), [(0.02, True), (0.04, False)])
def test_words_may_be_a_frame_apart(monkeypatch: pytest.MonkeyPatch, late: float, passes: bool) -> None:
    class Late:
        def words(
            self, samples: Samples, begin: float, segments: Sequence[Segment], spoken: float, task: Settings
        ) -> Words:
            return [[(word.text, word.start + late, word.end) for word in segment.words] for segment in segments]

    ours, said = galley(), (Timing("a", (1,), 0.5, 1.0, 0.9),)
    recording = ours.recording(LONG, ENGLISH)
    recording.windows = [
        (begin, [replace(line, segment=replace(line.segment, words=said)) for line in lines])
        for begin, lines in recording.windows
    ]
    monkeypatch.setattr(ours, "recording", lambda samples, settings: recording)
    if passes:
        assert compare_words(ours, Late(), {"long": LONG}, ENGLISH).tokens == len(recording.lines)
    else:
        with pytest.raises(AssertionError, match="is from"):
            compare_words(ours, Late(), {"long": LONG}, ENGLISH)


def test_a_kept_case_is_not_run_again(case: Case, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GALLEY_PARITY_KEEP", str(tmp_path / "kept"))
    first = case(lambda: Outcome(tokens=2, exceptions=["clip: another token"]))
    assert case(pytest.fail) == first
    monkeypatch.setenv("GALLEY_PARITY_CLIPS", "4")
    assert case(Outcome) == Outcome()
