"""The guard removes hallucinated text and reports each removal.

Whisper was trained on speech and writes fluent text for music, noise and silence, too (Koenecke et al., "Careless
Whisper", 2024); and it sometimes repeats itself without end. Where the target's own figures or the sound are in doubt,
a detector of voices is asked whether anybody speaks there. Small models also write speech with times that are seconds
too early, so the target's attention is asked when a line was spoken before it is removed. Lines stay as they are or
go: apart from repetitions, no token of a line is touched, and where the next window begins does not depend on the
guard.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from desktop_app.decoding.audio_window import BEFORE, AudioWindow, Samples
from desktop_app.decoding.lines import Line
from desktop_app.decoding.setup import Listen, Setup, Voice
from desktop_app.decoding.window import WindowText, is_repetitive
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.model import GuardReport

SPOKEN, MISSED_SPEECH = 0.25, 0.6
"""Seconds of speech without a pause that save a line, and that make a stretch without text worth a report. The first is
a frame less than in the shortest of 870 recordings of six corpora of English, single letters among them; of 128 clips
of dogs, rain, machines (ESC-10, folds 1 and 2) one has more, a chain saw. The second was tried on synthetic music,
noise and machines: never above 0.5."""
UNSURE, NO_SPEECH_IN_DOUBT = -0.7, 0.2
"""A window whose mean log-probability is lower, or whose no-speech probability is higher, is in doubt."""
SILENT, QUIET, STEADY, FAINT = -70.0, -50.0, 12.0, 20.0
"""Decibels. Nothing below SILENT is speech. A sound is not like that of speech if its loud parts are below QUIET, or by
FAINT below the window's loud parts, or if its soft parts are less than STEADY below them: speech rises and falls."""
SOFT, LOUD = 10, 95  # percentiles of the levels in 20 ms
AROUND = 1.0  # seconds around a line in which a voice counts: the target's times are not exact
LONG = 4.0  # seconds without text from which on speech may have been missed
PACE = 0.25  # seconds of a token; where a line's voice lasts half of LONG longer than that, speech may be missed
LOOP_REPETITIONS, LOOP_TOKENS = 5, 24  # a loop has at least so many repetitions, and tokens in all
SETTLING = 2 * SAMPLE_RATE  # samples that the detector is given before a window
_FRAME = SAMPLE_RATE // 50


SpeechTimes = Callable[[Sequence[Line]], Sequence[tuple[float, float]]]
"""The time of speech of each of a window's lines by the target's cross-attention (as for `--words`), in seconds of the
window. Costs a pass, so used only before a line is removed."""

WordTimes = Callable[[Sequence[Line]], Sequence[tuple[float, float]]]
"""The same of all their words. These follow each other without a gap, so that one of them covers what was missed. Costs
the same pass, unless words are timed anyway."""


class Guard:
    """Checks the lines of one window after another with the setup's detector of voices; without one all stay."""

    def __init__(self, setup: Setup) -> None:
        self._listen, self._end, self._text = setup.listen, setup.vocabulary.end, setup.text
        self._since = 0.0  # seconds of the recording: where the last window's text ended, if that is not long ago

    def check(
        self,
        window: AudioWindow,
        text: WindowText,
        lines: Sequence[Line],
        covered: float,
        speech_times: SpeechTimes | None = None,
        word_times: WordTimes | None = None,
    ) -> tuple[list[Line], list[GuardReport]]:
        """The lines of a window's text that stay, and a report of each removal or gap, in order of time.

        The text covers `covered` seconds of the window; the rest is decoded again in the next one. Without
        `speech_times` the lines' own times are used, and without `word_times` only speech between lines is missed.
        """
        if self._listen is None:
            return list(lines), []
        sound = _Sound(window, covered, self._listen)
        silent = self._silent(text, lines, sound, speech_times)
        reports = [self._report("silence", line.start, line.end, line.tokens) for line in silent]
        kept, looped = self._without_loop([line for line in lines if line not in silent])
        missed = [*self._passed_over(lines, sound), *self._covered_up(lines, sound, word_times)]
        reports += looped + [GuardReport(start, end, "unwritten") for start, end in _joined(missed)]
        return kept, sorted(reports, key=lambda report: report.start)

    def _passed_over(self, lines: Sequence[Line], sound: _Sound) -> list[tuple[float, float]]:
        """The stretches between lines in which somebody speaks; the first one begins where the last window's text
        ended."""
        first = self._since if 0 <= sound.begin - self._since < LONG else sound.begin
        borders = [first, *(time for line in lines for time in (line.start, line.end)), sound.end]
        last = max(borders[:-1])
        self._since = last if sound.end - last < LONG else sound.end
        free = zip(borders[::2], borders[1::2], strict=True)
        return [(start, end) for start, end in free if end - start >= LONG and sound.has_speech(start, end)]

    def _covered_up(
        self, lines: Sequence[Line], sound: _Sound, word_times: WordTimes | None
    ) -> list[tuple[float, float]]:
        """The stretches within lines in which somebody speaks and the target has not listened: the times of lines reach
        over what it passed over, and one of their words takes all of it."""
        if word_times is None or not any(self._is_stretched(line, sound) for line in lines):
            return []
        words = [(sound.begin + start, min(sound.begin + end, sound.end)) for start, end in word_times(lines)]
        return [
            (start, end)
            for start, end in words
            if end - start >= LONG and sound.has_speech(start + AROUND, end - AROUND)
        ]

    def _is_stretched(self, line: Line, sound: _Sound) -> bool:
        """Whether somebody speaks for longer than a line has words."""
        most = PACE * sum(token < self._end for token in line.tokens) + LONG / 2
        return line.end - line.start >= most and sound.voiced(line.start, line.end) >= most

    def _silent(
        self, text: WindowText, lines: Sequence[Line], sound: _Sound, speech_times: SpeechTimes | None
    ) -> list[Line]:
        """The doubtful lines without a voice both at their own times and where the target attended."""
        doubtful = self._is_doubtful(text)
        in_doubt = [line for line in lines if doubtful or sound.is_dull(line.start, line.end)]
        silent = [line for line in in_doubt if not sound.is_spoken(line.start, line.end)]
        if speech_times is None or not silent or not sound.has_voice:
            return silent
        timed = zip(lines, speech_times(lines), strict=True)
        spoken = [line for line, (start, end) in timed if start < end and sound.is_spoken_within(start, end)]
        return [line for line in silent if line not in spoken]

    def _is_doubtful(self, text: WindowText) -> bool:
        unsure = text.mean_log_probability < UNSURE or text.no_speech_probability > NO_SPEECH_IN_DOUBT
        return unsure or is_repetitive(self._text(text.tokens))

    def _without_loop(self, lines: Sequence[Line]) -> tuple[list[Line], list[GuardReport]]:
        """The lines without a loop at their end: its first repetition stays."""
        end = self._end
        left = first_repetition([token for line in lines for token in line.tokens if token < end])
        if left is None:
            return list(lines), []
        kept: list[Line] = []
        gone: list[int] = []
        since = until = lines[-1].end
        for line in lines:
            words = [token for token in line.tokens if token < end]
            if len(words) <= left:
                kept.append(line)
            else:
                since = min(since, line.start)
                gone += words[left:]
                if left:
                    kept.append(replace(line, tokens=_beginning(line.tokens, left, end)))
            left = max(0, left - len(words))
        return kept, [self._report("loop", since, until, gone)]

    def _report(self, kind: str, start: float, end: float, tokens: Sequence[int]) -> GuardReport:
        return GuardReport(start, end, kind, self._text(tokens).strip())


class _Sound:
    """The samples of a window: their levels, and where there is a voice."""

    def __init__(self, window: AudioWindow, covered: float, listen: Listen) -> None:
        self._window, self._listen = window, listen
        self._voices: dict[int, Voice] = {}
        self.begin = window.place / SAMPLE_RATE
        self.end = self.begin + covered
        self._levels = _levels(window.samples)
        self._loud = float(np.percentile(self._levels, LOUD)) if len(self._levels) else SILENT

    @cached_property
    def has_voice(self) -> bool:
        """Whether somebody speaks anywhere in the window."""
        return self._longest(self.begin, self.begin + len(self._window.samples) / SAMPLE_RATE) >= SPOKEN

    def is_spoken(self, start: float, end: float) -> bool:
        """Whether there is a voice near a line, whose times are the recording's."""
        start, end = max(start - AROUND, self.begin), end + AROUND
        if self._levels[self._part(start, end)].max(initial=SILENT) <= SILENT:
            return False
        return self._longest(start, end) >= SPOKEN

    def is_spoken_within(self, start: float, end: float) -> bool:
        """The same for seconds of the window."""
        return self.is_spoken(self.begin + start, self.begin + end)

    def has_speech(self, start: float, end: float) -> bool:
        """Whether somebody speaks for a while between two times of the recording, the first of which may lie before the
        window. However soft that is beside the rest, and however short in a long silence: a sentence is not missed for
        that."""
        first = self.begin - len(self._window.before) / SAMPLE_RATE
        sound = np.concatenate([self._window.before, self._window.samples])
        levels = _levels(sound[slice(*(max(0, round((time - first) * SAMPLE_RATE)) for time in (start, end)))])
        if not len(levels) or levels.max() < max(SILENT, np.percentile(levels, SOFT) + STEADY):
            return False
        return self._longest(start, end, SETTLING if start >= self.begin else BEFORE) >= MISSED_SPEECH

    def is_dull(self, start: float, end: float) -> bool:
        """Whether the levels between two times of the recording do not vary like those of speech."""
        levels = self._levels[self._part(start, end)]
        if len(levels) < 2:
            return True
        soft, loud = np.percentile(levels, [SOFT, LOUD])
        return bool(loud < QUIET or loud - soft < STEADY or loud < self._loud - FAINT)

    def voiced(self, start: float, end: float) -> float:
        """How many seconds somebody speaks between two times of the recording, in the window."""
        voice, first = self._voice(SETTLING)
        return voice.total(start - first, end - first)

    def _longest(self, start: float, end: float, before: int = SETTLING) -> float:
        voice, first = self._voice(before)
        return voice.longest(max(0.0, start - first), max(0.0, end - first))

    def _voice(self, before: int) -> tuple[Voice, float]:
        """The detector, whose stream begins so many samples before the window, as far as there are any, and when that
        is in seconds of the recording."""
        earlier = self._window.before[-before:]
        if before not in self._voices:
            self._voices[before] = self._listen(np.concatenate([earlier, self._window.samples]))
        return self._voices[before], self.begin - len(earlier) / SAMPLE_RATE

    def _part(self, start: float, end: float) -> slice:
        """The indexes of the levels between two times of the recording."""
        return slice(*(max(0, round((time - self.begin) * SAMPLE_RATE / _FRAME)) for time in (start, end)))


def _levels(samples: Samples) -> npt.NDArray[np.float64]:
    """The level of each 20 ms, in decibels."""
    frames = samples[: len(samples) // _FRAME * _FRAME].reshape(-1, _FRAME)
    energies = np.einsum("ij,ij->i", frames, frames, dtype=np.float64)
    return np.asarray(10 * np.log10(energies / _FRAME + 1e-12))


def _joined(spans: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Stretches in order, those that touch as one."""
    made: list[tuple[float, float]] = []
    for start, end in sorted(spans):
        if made and start <= made[-1][1]:
            made[-1] = made[-1][0], max(made[-1][1], end)
        else:
            made.append((start, end))
    return made


def first_repetition(tokens: Sequence[int]) -> int | None:
    """The number of tokens up to the end of the first repetition of the loop in which a text ends; None without a
    loop."""
    for period in range(1, len(tokens) // LOOP_REPETITIONS + 1):
        again = 0
        while again < len(tokens) - period and tokens[-1 - again] == tokens[-1 - again - period]:
            again += 1
        if again + period >= max(LOOP_REPETITIONS * period, LOOP_TOKENS):
            return len(tokens) - again
    return None


def _beginning(tokens: Sequence[int], count: int, end: int) -> tuple[int, ...]:
    """The first `count` text tokens of a line, with the timestamps around it."""
    words = [index for index, token in enumerate(tokens) if token < end]
    return (*tokens[: words[count - 1] + 1], *tokens[words[-1] + 1 :])
