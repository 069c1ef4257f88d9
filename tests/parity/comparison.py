"""The loop that all comparisons share: Galley's tokens against a reference's, window by window and line by line.

A difference is accepted only where the two best tokens were so close that the last bits of the scores could have
decided; it is listed with its margin. Behind one, the rest of that window or recording is another text and is not
compared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import pytest

from desktop_app.decoding.audio_window import Samples
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.model import Segment
from desktop_app.transcript.settings import Settings
from tests.parity.galley import Attempt, Galley, Recording, WrittenLine


@dataclass(frozen=True)
class Text:
    """A window's text or a line of a recording as a reference wrote it; None is what it does not tell."""

    tokens: tuple[int, ...]
    language: str | None = None
    mean_log_probability: float | None = None
    no_speech_probability: float | None = None
    start: float | None = None
    end: float | None = None


@dataclass(frozen=True)
class Texts:
    """A recording as a reference wrote it: its lines with text, the language it heard, how many texts it took."""

    lines: list[Text]
    language: str | None = None
    attempts: int | None = None


Words = list[list[tuple[str, float, float]]]
"""The words of some lines with their start and end in seconds."""
WORD_WITHIN = 0.0201
"""Seconds: a frame of the decoder's."""
CLOSE = 1e-3
"""The margin below which another implementation may choose the other token, if Galley's own passes may too."""


class Reference(Protocol):
    """Another program that writes what Galley shall write, with the same model."""

    def windows(self, sounds: Sequence[Samples], settings: Settings) -> list[Text]:
        """The texts of sounds of at most 30 s."""

    def recording(self, samples: Samples, settings: Settings, places: Sequence[int]) -> Texts:
        """The text of a recording; `places` are the first samples of the windows that Galley cut."""

    def prepared(self, samples: Samples) -> Samples:
        """A recording as both sides are to hear it."""


@runtime_checkable
class WordReference(Protocol):
    """A program that times words by Galley's method."""

    def words(
        self, samples: Samples, begin: float, segments: Sequence[Segment], spoken: float, task: Settings
    ) -> Words:
        """The words of each of `segments`, which are all of one window: that of the recording `samples` that starts at
        `begin` seconds. What was said before it ended at `spoken`."""


Case = Callable[[Callable[[], "Outcome"]], "Outcome"]
"""Runs a comparison, or takes what it gave before, and has it reported: the fixture `case`."""


@dataclass
class Outcome:
    """What a case compared: windows or recordings, tokens (or words) that were equal, and the differences that were
    accepted."""

    compared: int = 0
    tokens: int = 0
    exceptions: list[str] = field(default_factory=list)

    def add(self, other: Outcome) -> None:
        """Count another one in."""
        self.compared += other.compared
        self.tokens += other.tokens
        self.exceptions += other.exceptions


def compare_windows(galley: Galley, reference: Reference, sounds: Mapping[str, Samples], settings: Settings) -> Outcome:
    """Compare named sounds of at most 30 s."""
    outcome = Outcome()
    ours = galley.windows(list(sounds.values()), settings)
    theirs = reference.windows(list(sounds.values()), settings)
    for name, one, other in zip(sounds, ours, theirs, strict=True):
        outcome.compared += 1
        if other.language is not None:
            assert one.settings.language == other.language, f"{name}: another language"
        if _same(outcome, name, galley, one, 0, one.text.tokens, other.tokens):
            assert _close(one.text.mean_log_probability, other.mean_log_probability, 1e-3), name
            assert _close(one.text.no_speech_probability, other.no_speech_probability, 1e-3), name
    return outcome


def compare_recording(
    galley: Galley, reference: Reference, name: str, samples: Samples, settings: Settings
) -> tuple[Outcome, Recording]:
    """Compare a recording of any length; gives what Galley wrote too."""
    outcome, samples = Outcome(compared=1), reference.prepared(samples)
    ours = galley.recording(samples, settings)
    theirs = reference.recording(samples, settings, list(dict.fromkeys(each.window.place for each in ours.attempts)))
    seconds, lines = len(samples) / SAMPLE_RATE, ours.lines
    for index in range(max(len(lines), len(theirs.lines))):
        other = theirs.lines[index] if index < len(theirs.lines) else Text(())
        attempt, at, tokens = _line(ours, lines, index)
        if not _same(outcome, f"{name}, line {index}", galley, attempt, at, tokens, other.tokens):
            return outcome, ours
        segment = lines[index].segment
        assert _close(segment.start, None if other.start is None else min(other.start, seconds), 1e-6), name
        assert _close(segment.end, None if other.end is None else min(other.end, seconds), 1e-6), name
        assert _close(segment.mean_log_probability, other.mean_log_probability, 1e-2), name
    assert theirs.attempts in (None, len(ours.attempts)), (
        f"{name}: {theirs.attempts} attempts, not {len(ours.attempts)}"
    )
    assert theirs.language in (None, ours.language_code), f"{name}: {theirs.language}, not {ours.language_code}"
    return outcome, ours


def compare_words(
    galley: Galley, reference: WordReference, sounds: Mapping[str, Samples], settings: Settings
) -> Outcome:
    """Compare the times of words in the lines that Galley wrote, which the reference is given."""
    outcome = Outcome()
    for name, samples in sounds.items():
        outcome.compared += 1
        recording, spoken = galley.recording(samples, settings), 0.0
        task = Settings(recording.language_code, settings.translate)
        for begin, lines in recording.windows:
            segments = [line.segment for line in lines]
            theirs = reference.words(samples, begin, segments, spoken, task)
            for segment, words in zip(segments, theirs, strict=True):
                told = f"{name}, line from {segment.start:.2f} s"
                assert [word.text for word in segment.words] == [text for text, _, _ in words], told
                for one, (_, start, end) in zip(segment.words, words, strict=True):
                    apart = max(abs(one.start - start), abs(one.end - end))
                    assert apart < WORD_WITHIN, f"{told}: {one} is from {start} to {end}"
                    outcome.tokens += 1
            spoken = next((words[-1][2] for words in reversed(theirs) if words), spoken)
    return outcome


def _line(ours: Recording, lines: Sequence[WrittenLine], index: int) -> tuple[Attempt, int, tuple[int, ...]]:
    """A line's text, where in the text it begins, and its tokens; behind the last line there are none."""
    if index < len(lines):
        return lines[index].attempt, lines[index].offset, lines[index].segment.tokens
    if lines:
        return lines[-1].attempt, lines[-1].offset + len(lines[-1].segment.tokens), ()
    return ours.attempts[-1], 0, ()


def _same(
    outcome: Outcome,
    name: str,
    galley: Galley,
    attempt: Attempt,
    begin: int,
    ours: tuple[int, ...],
    theirs: tuple[int, ...],
) -> bool:
    """Whether both wrote the same from the index `begin` of a text on; fails where no near tie explains that not."""
    equal = next((at for at, (one, other) in enumerate(zip(ours, theirs, strict=False)) if one != other), None)
    if equal is None:
        equal = min(len(ours), len(theirs))
    outcome.tokens += equal
    if ours == theirs:
        return True
    margin, close = galley.margin(attempt, begin + equal), min(CLOSE, galley.target.epsilon)
    told = f"{name}: another token at {equal} of {len(theirs)}, margin {margin:.2e}, accepted below {close:.0e}"
    assert margin < close, f"{told}: {ours[equal:]} where the reference has {theirs[equal:]}"
    outcome.exceptions.append(told)
    return False


def _close(ours: float, theirs: float | None, within: float) -> bool:
    return theirs is None or ours == pytest.approx(theirs, abs=within)
