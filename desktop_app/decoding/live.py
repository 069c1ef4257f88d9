"""Live: words while they are spoken. The window grows with the audio and is written again at every update.

What two updates in a row agree on is committed (LocalAgreement-2, as in ufal/whisper_streaming), and so is everything
when the speaker pauses. Committed text never changes; where the target hears it otherwise later, only what comes behind
it is taken. The window is cut where a committed line ends, and at a word where no line ends for too long.

The audio that is fed and the moments of the updates decide the text; drafts do not (docs/live.md).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Protocol

import numpy as np

from desktop_app.decoding.hearing import Hear, Samples, Window
from desktop_app.decoding.lines import Line
from desktop_app.decoding.live_drafters import PreviousDrafter
from desktop_app.decoding.live_language import SpokenLanguage
from desktop_app.decoding.live_lines import Lines
from desktop_app.decoding.live_text import Hypothesis, Item, agreed, behind, parse, shifted, unlooped
from desktop_app.decoding.longform import BEFORE
from desktop_app.decoding.ngram import NGramDrafter
from desktop_app.decoding.rules import Rules
from desktop_app.decoding.setup import Setup
from desktop_app.decoding.task import Task
from desktop_app.decoding.vocabulary import Vocabulary
from desktop_app.decoding.window import Language, WindowDecoder, WindowText
from desktop_app.decoding.words import UNSPACED
from desktop_app.transcript.constants import SAMPLE_RATE, WINDOW_SECONDS
from desktop_app.transcript.model import GuardReport, Segment
from desktop_app.transcript.settings import Settings
from desktop_app.transcript.statistics import Counter

CUT_AFTER = 8.0  # seconds of window from which on it is cut at a committed line's end
FORCE_AFTER = 20.0  # seconds of window after which it is cut at a word
LEFT_OUT = 2  # words at the end of the window that a forced cut does not commit
SILENCE = 3.0  # seconds after which the text before is no prompt any more
REACH_BACK = 1.5  # seconds that are kept in silence: a speech may begin that much before it is noticed
LEAST = 0.1  # seconds of new audio that are worth an update


class Gate(Protocol):
    """Says where speech begins and ends; `audio.voice.VoiceGate` is one."""

    speaking: bool

    def feed(self, samples: Samples) -> list[tuple[bool, int]]:
        """Listen on: (True, the sample where speech begins) and (False, the one where it has ended), in order."""

    def finish(self) -> list[tuple[bool, int]]:
        """Nothing more comes."""


@dataclass(frozen=True)
class LiveText:
    """What is on the screen after an update: `committed` segments are new and final; of the open line behind them,
    which starts at `start` seconds, `ink` is final, `uncommitted` the target's and `draft` the draft's."""

    committed: tuple[Segment, ...]
    ink: str
    uncommitted: str
    draft: str
    start: float


@dataclass(frozen=True)
class Resume:
    """Where a session goes on that was broken off: at the recording's sample `at`, behind the tokens `ink` of a line
    that was open there."""

    at: int = 0
    ink: tuple[int, ...] = ()


class Live:
    """One live session. `feed` takes audio, at any time; `update` writes, and takes its time.

    `hear` makes log-mel features, `ahead` hears the draft's text before the target is
    asked. With `previous` the text of the update before is the first draft. `guard` keeps out text where the gate heard
    speech and nobody speaks. `counter` counts. Raises ValueError for a language that the checkpoint does not have.

    Attributes:
        reports: what the guard removed.
    """

    def __init__(
        self,
        hear: Hear,
        setup: Setup,
        gate: Gate,
        *,
        previous: bool = True,
        settings: Settings | None = None,
        counter: Counter | None = None,
        ahead: Callable[[LiveText], None] = lambda text: None,
        resume: Resume = Resume(),
    ) -> None:
        settings = settings or Settings()
        target, vocabulary, words, drafter = setup.target, setup.vocabulary, setup.text, setup.drafter
        if settings.language and vocabulary.languages and settings.language not in vocabulary.languages:
            raise ValueError(f"this model does not know the language {settings.language!r}")
        self._hear, self._vocabulary, self._words, self._gate = hear, vocabulary, words, gate
        self._settings, self._ahead, self._positions = settings, ahead, target.positions
        self._said = NGramDrafter(drafter)
        self._previous = PreviousDrafter(vocabulary, self._said) if previous else None
        self._decoder = WindowDecoder(target, vocabulary, counter or Counter(), self._previous or drafter)
        self._language = SpokenLanguage(Language(settings.language, 1.0) if settings.language else None)
        self._origin = self._first = self.heard = resume.at
        self._audio: Samples = np.zeros(0, np.float32)
        self._speeches: deque[tuple[int, int | None]] = deque()
        self._begin = self._stop = resume.at  # of the window in work
        self._guard, self._spoken = setup.guard, -1  # the begin of the last window in which somebody speaks for certain
        self.reports: list[GuardReport] = []
        self._prompt = list(settings.prompt)
        self._before: Hypothesis | None = None
        self._lines = Lines(vocabulary, words, settings.timestamps)
        self._lines.resume(parse(resume.ink, vocabulary, words, spaced=True).items, resume.at / SAMPLE_RATE)
        self._last = self._shown(())

    @property
    def language(self) -> Language | None:
        """What is written in; None before any speech."""
        return self._language.language

    @property
    def speaking(self) -> bool:
        """Whether somebody speaks now."""
        return self._gate.speaking

    @property
    def decoded(self) -> int:
        """The sample up to which the text goes; silence counts as written, also before a speech that begins."""
        return max(self._stop, self._speeches[0][0]) if self._speeches else self.heard

    @property
    def due(self) -> bool:
        """Whether an update would have something new to write."""
        if not self._speeches:
            return False
        end = self._speeches[0][1]
        return end is not None or self.heard - max(self._stop, self._speeches[0][0]) >= LEAST * SAMPLE_RATE

    @property
    def is_full(self) -> bool:
        """Whether nothing more will come into the window in work: its speech is over, or it is as long as it may be."""
        if not self._speeches:
            return False
        begin, end = self._speeches[0]
        return end is not None or self.heard - max(self._begin, begin) >= WINDOW_SECONDS * SAMPLE_RATE

    @property
    def text(self) -> LiveText:
        """What is on the screen between two updates."""
        if self._speeches:
            return self._last
        open_since = self._lines.start if self._lines.ink else max(self._lines.start, self._kept_from() / SAMPLE_RATE)
        return LiveText((), self._lines.text(self._lines.open), "", "", open_since)

    def feed(self, samples: Samples) -> None:
        """The next samples: mono, 16 kHz."""
        self._audio = np.concatenate([self._audio, samples])
        self.heard += len(samples)
        self._note(self._gate.feed(samples))
        drop = self._kept_from() - BEFORE - self._first
        if drop > SAMPLE_RATE:  # not with every block
            self._audio, self._first = self._audio[drop:].copy(), self._first + drop

    def finish(self) -> None:
        """Nothing more comes; updates go on until none is due."""
        self._note(self._gate.finish())

    def update(self) -> LiveText | None:
        """Write the window as it is now; None where nothing is due."""
        if not self.due:
            return None
        begin, end = self._speeches[0]
        self._enter(begin)
        stop = min(self.heard if end is None else end, self._begin + WINDOW_SECONDS * SAMPLE_RATE)
        final = stop == end
        seconds = (stop - self._begin) / SAMPLE_RATE
        first = self._begin - self._first
        before = self._audio[max(0, first - BEFORE) : first]
        window = Window(self._audio[first : stop - self._first], self._hear, self._begin, before)
        self._stop = stop
        if final and seconds < LEAST:
            return self._end_speech(None, seconds)
        now, text = self._write(window, seconds, final)
        tail: Sequence[Item] = now.items[behind(self._lines.ink, now.items) :]
        if final:
            self._commit(tail, now, text)
            return self._end_speech(now, seconds)
        if self._before is not None:
            old = self._before.items[behind(self._lines.ink, self._before.items) :]
            sure = agreed(old, tail)
            self._commit(tail[:sure], now, text)
            tail = tail[sure:]
        self._before = now
        if seconds >= FORCE_AFTER and not self._lines.breaks:
            tail = self._force(window, now, text, tail, seconds)
        elif seconds >= CUT_AFTER and self._lines.breaks:
            self._cut(self._lines.breaks[-1], now)
        return self._shown(tail)

    def _note(self, turns: Sequence[tuple[bool, int]]) -> None:
        for begins, at in turns:
            if begins:
                self._speeches.append((self._origin + at, None))
            else:
                self._speeches[-1] = (self._speeches[-1][0], self._origin + at)

    def _kept_from(self) -> int:
        """The first sample that may still be needed."""
        if self._speeches:
            return max(self._begin, self._speeches[0][0])
        return max(self._first, self.heard - round(REACH_BACK * SAMPLE_RATE))

    def _enter(self, begin: int) -> None:
        """Let the window begin with the speech in work, if it is a new one."""
        if begin > self._begin:
            if self._stop > self._origin and begin - self._stop > SILENCE * SAMPLE_RATE:
                self._prompt = []
            self._begin = begin

    def _write(self, window: Window, seconds: float, final: bool) -> tuple[Hypothesis, WindowText]:
        """What the target writes of the window, with the text of the update before for its draft."""
        if not self._language.is_kept:
            self._language.detected(self._decoder.detect_language(window), seconds)
        assert self.language is not None
        settings = self._settings
        prompt = tuple(self._prompt) if settings.condition or settings.prompt else ()
        task = Task(self.language.code, settings.translate, settings.timestamps, prompt, settings.hot_words)
        spaced = self.language.code not in UNSPACED
        self._look_ahead(window, task, spaced, final)
        temperatures = settings.temperatures if final else settings.temperatures[:1]
        text = self._decoder.write_at(temperatures, window, task, lambda tokens, draft: None, self._words)
        now = parse(() if text.is_silence else text.tokens, self._vocabulary, self._words, spaced, seconds)
        items = tuple(unlooped(now.items))
        if len(items) < len(now.items):
            now = replace(now, tokens=now.tokens[: now.items[len(items)].place], items=items, end=None)
        if items and not self._is_spoken(window, text, now, seconds, final):
            now = Hypothesis((), (), 0.0, None)
        if now.items:
            self._language.spoken(final)
        return now, text

    def _is_spoken(self, window: Window, text: WindowText, now: Hypothesis, seconds: float, final: bool) -> bool:
        """Whether the guard lets the text stand, which it judges as if it were one line of a file that may be said
        anywhere in the window. In a window that has once passed it is not asked again."""
        if self._guard is None or self._spoken == window.place:
            return True
        begin = window.place / SAMPLE_RATE
        line = Line(begin + now.start, begin + (seconds if now.end is None else now.end), now.tokens)
        kept, reports = self._guard.check(window, text, [line], seconds, lambda lines: [(0.0, seconds)])
        if kept:
            self._spoken = window.place
        elif final:
            self.reports += reports
        return bool(kept)

    def _look_ahead(self, window: Window, task: Task, spaced: bool, final: bool) -> None:
        """Make the old text the draft, and show what the draft model thinks comes behind it."""
        if self._previous is None:
            return
        old = self._before
        if final:
            self._previous.expect([*(old.tokens if old else ()), self._vocabulary.end])
            return
        words = [item for item in (old.items if old else ()) if item.word]
        known = old.tokens[: words[-1].place] if old and words else ()  # the last word may have been cut
        self._previous.expect(known)
        rules = Rules(self._vocabulary, self._settings.timestamps)
        found = self._previous.ahead(window, task, rules)
        shown = parse([*known, *found[: _end(found, self._vocabulary)]], self._vocabulary, self._words, spaced).items
        shown = shown[behind(self._lines.ink, shown) :]
        sure = tuple(item for item in shown if item.place < len(known))
        self._ahead(self._shown(sure, tuple(item for item in shown if item.place >= len(known)), keep=True))

    def _commit(self, items: Sequence[Item], now: Hypothesis, text: WindowText) -> None:
        self._said.learn([token for item in items for token in item.tokens])
        self._lines.commit(items, self._begin / SAMPLE_RATE, now.start, text)

    def _end_speech(self, now: Hypothesis | None, seconds: float) -> LiveText:
        """The speech in work is over and written."""
        end = now.end if now is not None and now.end is not None else seconds
        self._lines.close(self._begin / SAMPLE_RATE, min(end, seconds))
        self._forget_window(self._stop)
        self._speeches.popleft()
        return self._shown(())

    def _force(
        self, window: Window, now: Hypothesis, text: WindowText, tail: Sequence[Item], seconds: float
    ) -> Sequence[Item]:
        """Cut the window at a word: no line has ended for too long. Commits what is not at the very end."""
        places = [place for place, item in enumerate(tail) if item.word]
        sure = places[-LEFT_OUT] if len(places) >= LEFT_OUT else 0
        self._commit(tail[:sure], now, text)
        at = behind(self._lines.ink, now.items)
        where = self._word_time(window, now, at, seconds) if at else 0.0
        where = where if 1.0 <= where < seconds else seconds - 1.0
        self._lines.close(self._begin / SAMPLE_RATE, where)
        rest = now.tokens[now.items[at].place :] if at < len(now.items) else ()
        self._move(where, rest)
        return tail[sure:]

    def _word_time(self, window: Window, now: Hypothesis, at: int, seconds: float) -> float:
        """The seconds of the window between the items before `at` and those behind."""
        assert self.language is not None
        tokens = [token for item in now.items for token in item.tokens]
        timings = self._decoder.words(window, Task(self.language.code), tokens, seconds, self._words)
        before = sum(len(item.tokens) for item in now.items[:at])
        ends = list(accumulate(len(timing.tokens) for timing in timings))
        index = next((i for i, end in enumerate(ends) if end >= before), len(ends) - 1)
        if index < 0:
            return seconds
        after = timings[index + 1].start if index + 1 < len(timings) else timings[index].end
        return (timings[index].end + after) / 2

    def _cut(self, last: int, now: Hypothesis) -> None:
        """Let the window begin behind the line break `last` of the ink."""
        ink = self._lines.ink
        at = behind(ink[: last + 1], now.items)
        place = now.items[at].place if at < len(now.items) else len(now.tokens)
        if place and self._vocabulary.is_timestamp(now.tokens[place - 1]):
            place -= 1
        self._move(ink[last].start, now.tokens[place:])

    def _move(self, seconds: float, rest: Sequence[int]) -> None:
        """Let the window begin `seconds` later; `rest` is what the hypothesis says behind."""
        step = self._vocabulary.seconds_per_timestamp
        later = round(seconds / step) * step
        spaced = self.language is None or self.language.code not in UNSPACED
        self._forget_window(self._begin + round(later * SAMPLE_RATE))
        self._before = parse(shifted(rest, self._vocabulary, later), self._vocabulary, self._words, spaced)

    def _forget_window(self, begin: int) -> None:
        if self._settings.condition:
            self._prompt = [*self._prompt, *self._lines.said()][-self._positions :]
        self._lines.cut()
        self._begin, self._before = begin, None

    def _shown(self, tail: Sequence[Item], draft: Sequence[Item] = (), keep: bool = False) -> LiveText:
        """The state; with `keep` the finished segments stay for the next one."""
        text = self._lines.text
        ink = self._lines.open
        begun = text([*ink, *tail])
        start = self._lines.start if ink or not tail else self._begin / SAMPLE_RATE
        uncommitted, grey = begun[len(text(ink)) :], text([*ink, *tail, *draft])[len(begun) :]
        self._last = LiveText((), text(ink), uncommitted, grey, start)
        return self._last if keep else replace(self._last, committed=self._lines.taken())


def _end(tokens: Sequence[int], vocabulary: Vocabulary) -> int:
    """How many of the tokens are text and times."""
    return next((i for i, token in enumerate(tokens) if token == vocabulary.end), len(tokens))
