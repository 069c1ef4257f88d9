"""Live transcription: the window grows with the audio and is decoded again at every update.

The text on which two consecutive updates agree becomes final (LocalAgreement-2, as in ufal/whisper_streaming), and so
does all text when the speaker pauses. Final text never changes: where the target later transcribes the same audio
differently, only the text that follows the final words is used. The window is cut at the end of a final line, or at a
word if no line has ended for too long.

The audio that is fed and the moments of the updates decide the text; drafts do not (docs/design/live-text.md).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from desktop_app.decoding.audio_window import BEFORE, AudioWindow, FeatureExtractor, Samples
from desktop_app.decoding.guard import Guard
from desktop_app.decoding.lines import Line
from desktop_app.decoding.live_drafters import PreviousDrafter
from desktop_app.decoding.live_language import SpokenLanguage
from desktop_app.decoding.live_lines import Lines
from desktop_app.decoding.live_text import Hypothesis, Item, agreed, index_after, parse, shifted, unlooped
from desktop_app.decoding.ngram import NGramDrafter
from desktop_app.decoding.rules import Rules
from desktop_app.decoding.setup import Setup
from desktop_app.decoding.vocabulary import Vocabulary
from desktop_app.decoding.window import Language, WindowDecoder, WindowText
from desktop_app.decoding.words import UNSPACED, spans
from desktop_app.transcript.constants import SAMPLE_RATE, WINDOW_SECONDS
from desktop_app.transcript.model import GuardReport, Segment
from desktop_app.transcript.settings import Settings
from desktop_app.transcript.statistics import Counter

CUT_AFTER = 8.0  # seconds; a longer window is cut at the end of a final line
FORCE_AFTER = 20.0  # seconds; a longer window without such a line is cut at a word
WORDS_LEFT_OPEN = 2  # words at the end of the window that stay provisional at a forced cut
SILENCE = 3.0  # seconds of silence after which the preceding text is no longer used as the prompt
PRE_ROLL = 1.5  # seconds of audio kept during silence: speech may begin that long before it is detected
SHORTEST_UPDATE = 0.1  # seconds of new audio that an update needs


class Gate(Protocol):
    """Voice activity detection on a stream; `audio.voice.VoiceGate` implements it."""

    speaking: bool

    def feed(self, samples: Samples) -> list[tuple[bool, int]]:
        """Take the next samples. Returns the changes found in them, in order: (True, sample at which speech begins) and
        (False, sample at which it ended)."""

    def finish(self) -> list[tuple[bool, int]]:
        """The audio has ended; returns the last changes."""


@dataclass(frozen=True)
class LiveText:
    """The text after an update: the `segments` finished since the last one, and the open line that follows them.

    Attributes:
        segments: new finished segments; they never change.
        final: the beginning of the open line, which never changes.
        provisional: the rest of the target's text, which may still change.
        draft: the draft's continuation, which the target has not verified.
        start: where the open line starts, in seconds of the recording.
    """

    segments: tuple[Segment, ...]
    final: str
    provisional: str
    draft: str
    start: float


@dataclass(frozen=True)
class Resume:
    """Where an interrupted session resumes: at sample `at` of the recording, after the final `tokens` of a line that
    was still open there."""

    at: int = 0
    tokens: tuple[int, ...] = ()


class Live:
    """One live session. `feed` takes audio and returns at once; `update` decodes, which takes as long as it takes.

    `extract` computes log-mel features. `ahead` is called with the draft's text before the target runs. With `previous`
    the text of the last update is the first draft. The guard removes hallucinated text where the gate took noise for
    speech. `counter` collects the statistics. Raises ValueError for a language that the checkpoint lacks.

    Attributes:
        received: the number of the recording's next sample: how much audio has come in.
        reports: what the guard removed.
    """

    def __init__(
        self,
        extract: FeatureExtractor,
        setup: Setup,
        gate: Gate,
        *,
        previous: bool = True,
        settings: Settings | None = None,
        counter: Counter | None = None,
        ahead: Callable[[LiveText], None] = lambda text: None,
        resume: Resume = Resume(),
    ) -> None:
        settings, vocabulary, words = settings or Settings(), setup.vocabulary, setup.text
        if settings.language and vocabulary.languages and settings.language not in vocabulary.languages:
            raise ValueError(f"this model does not know the language {settings.language!r}")
        self._extract, self._vocabulary, self._words, self._gate = extract, vocabulary, words, gate
        self._settings, self._ahead, self._positions = settings, ahead, setup.target.positions
        self._ngrams = NGramDrafter(setup.drafter)
        self._previous = PreviousDrafter(vocabulary, self._ngrams) if previous else None
        setup = replace(setup, drafter=self._previous or setup.drafter, look_ahead=None)
        self._decoder = WindowDecoder(setup, counter or Counter())
        self._language = SpokenLanguage(Language(settings.language, 1.0) if settings.language else None)
        self._origin = self._first = self.received = resume.at
        self._audio: Samples = np.zeros(0, np.float32)
        self._speeches: deque[tuple[int, int | None]] = deque()
        self._begin = self._stop = resume.at  # of the current window
        self._guard, self._spoken = Guard(setup), -1  # where the last window began whose text the guard has kept
        self.reports: list[GuardReport] = []
        self._prompt = list(settings.prompt)
        self._before: Hypothesis | None = None
        self._lines = Lines(vocabulary, words, settings.timestamps)
        self._lines.resume(parse(resume.tokens, vocabulary, words, spaced=True).items, resume.at / SAMPLE_RATE)
        self._last = self._shown(())

    @property
    def language(self) -> Language | None:
        """The language of the text; None before any speech."""
        return self._language.language

    @property
    def speaking(self) -> bool:
        """Whether somebody speaks now."""
        return self._gate.speaking

    @property
    def decoded(self) -> int:
        """The sample up to which the recording is transcribed; silence counts as transcribed."""
        return max(self._stop, self._speeches[0][0]) if self._speeches else self.received

    @property
    def due(self) -> bool:
        """Whether there is new speech for an update to transcribe."""
        if not self._speeches:
            return False
        end = self._speeches[0][1]
        return end is not None or self.received - max(self._stop, self._speeches[0][0]) >= SHORTEST_UPDATE * SAMPLE_RATE

    @property
    def is_full(self) -> bool:
        """Whether the current window will not grow any more: its speech is over, or it has its full length."""
        if not self._speeches:
            return False
        begin, end = self._speeches[0]
        return end is not None or self.received - max(self._begin, begin) >= WINDOW_SECONDS * SAMPLE_RATE

    @property
    def text(self) -> LiveText:
        """The text between two updates."""
        if self._speeches:
            return self._last
        open_since = self._lines.start if self._lines.final else max(self._lines.start, self._kept_from() / SAMPLE_RATE)
        return LiveText((), self._lines.text(self._lines.open), "", "", open_since)

    def feed(self, samples: Samples) -> None:
        """The next samples: mono, 16 kHz."""
        self._audio = np.concatenate([self._audio, samples])
        self.received += len(samples)
        self._note(self._gate.feed(samples))
        drop = self._kept_from() - BEFORE - self._first
        if drop > SAMPLE_RATE:  # not with every block
            self._audio, self._first = self._audio[drop:].copy(), self._first + drop

    def finish(self) -> None:
        """The audio has ended. Call `update` until none is due."""
        self._note(self._gate.finish())

    def update(self) -> LiveText | None:
        """Decode the current window; None where nothing is due."""
        if not self.due:
            return None
        begin, end = self._speeches[0]
        self._enter(begin)
        stop = min(self.received if end is None else end, self._begin + WINDOW_SECONDS * SAMPLE_RATE)
        final = stop == end
        seconds = (stop - self._begin) / SAMPLE_RATE
        first = self._begin - self._first
        before = self._audio[max(0, first - BEFORE) : first]
        window = AudioWindow(self._audio[first : stop - self._first], self._extract, self._begin, before)
        self._stop = stop
        if final and seconds < SHORTEST_UPDATE:
            return self._end_speech(None, seconds)
        now, text = self._decode(window, seconds, final)
        tail: Sequence[Item] = now.items[index_after(self._lines.final, now.items) :]
        if final:
            self._commit(tail, now, text)
            return self._end_speech(now, seconds)
        if self._before is not None:
            old = self._before.items[index_after(self._lines.final, self._before.items) :]
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
        return max(self._first, self.received - round(PRE_ROLL * SAMPLE_RATE))

    def _enter(self, begin: int) -> None:
        """Begin a new window where a new stretch of speech begins."""
        if begin > self._begin:
            if self._stop > self._origin and begin - self._stop > SILENCE * SAMPLE_RATE:
                self._prompt = []
            self._begin = begin

    def _decode(self, window: AudioWindow, seconds: float, final: bool) -> tuple[Hypothesis, WindowText]:
        """The target's text for the window, drafted from the text of the last update."""
        if not self._language.is_kept:
            self._language.detected(self._decoder.detect_language(window), seconds)
        assert self.language is not None
        settings = self._settings
        prompt = tuple(self._prompt) if settings.condition or settings.prompt else ()
        temperatures = settings.temperatures if final else settings.temperatures[:1]
        settings = replace(settings, language=self.language.code, prompt=prompt, temperatures=temperatures)
        spaced = self.language.code not in UNSPACED
        self._look_ahead(window, settings, spaced, final)
        text = self._decoder.decode_with_fallback(window, settings, lambda tokens, draft: None)
        now = parse(() if text.is_silence else text.tokens, self._vocabulary, self._words, spaced, seconds)
        items = tuple(unlooped(now.items))
        if len(items) < len(now.items):
            now = replace(now, tokens=now.tokens[: now.items[len(items)].place], items=items, end=None)
        if items and not self._is_spoken(window, text, now, seconds, final):
            now = Hypothesis((), (), 0.0, None)
        if now.items:
            self._language.spoken(final)
        return now, text

    def _is_spoken(self, window: AudioWindow, text: WindowText, now: Hypothesis, seconds: float, final: bool) -> bool:
        """Whether the guard keeps the text. It treats the text as one line of a file, spoken anywhere in the window.
        Once it has kept the text of a window, it is not asked again about that window."""
        if self._spoken == window.place:
            return True
        begin = window.place / SAMPLE_RATE
        line = Line(begin + now.start, begin + (seconds if now.end is None else now.end), now.tokens)
        kept, reports = self._guard.check(window, text, [line], seconds, lambda lines: [(0.0, seconds)])
        if kept:
            self._spoken = window.place
        elif final:
            self.reports += reports
        return bool(kept)

    def _look_ahead(self, window: AudioWindow, settings: Settings, spaced: bool, final: bool) -> None:
        """Make the old text the draft, and show how the draft model continues it."""
        if self._previous is None:
            return
        old = self._before
        if final:
            self._previous.expect([*(old.tokens if old else ()), self._vocabulary.end])
            return
        words = [item for item in (old.items if old else ()) if item.word]
        known = old.tokens[: words[-1].place] if old and words else ()  # the last word may have been cut
        self._previous.expect(known)
        found = self._previous.ahead(window, settings, Rules(self._vocabulary, settings.timestamps))
        shown = parse([*known, *found[: _end(found, self._vocabulary)]], self._vocabulary, self._words, spaced).items
        shown = shown[index_after(self._lines.final, shown) :]
        sure = tuple(item for item in shown if item.place < len(known))
        self._ahead(self._shown(sure, tuple(item for item in shown if item.place >= len(known)), keep=True))

    def _commit(self, items: Sequence[Item], now: Hypothesis, text: WindowText) -> None:
        self._ngrams.learn([token for item in items for token in item.tokens])
        self._lines.commit(items, self._begin / SAMPLE_RATE, now.start, text)

    def _end_speech(self, now: Hypothesis | None, seconds: float) -> LiveText:
        """The current stretch of speech is over and transcribed."""
        end = now.end if now is not None and now.end is not None else seconds
        self._lines.close(self._begin / SAMPLE_RATE, min(end, seconds))
        self._forget_window(self._stop)
        self._speeches.popleft()
        return self._shown(())

    def _force(
        self, window: AudioWindow, now: Hypothesis, text: WindowText, tail: Sequence[Item], seconds: float
    ) -> Sequence[Item]:
        """Cut the window at a word, because no line has ended for too long. All but the last words become final."""
        places = [place for place, item in enumerate(tail) if item.word]
        sure = places[-WORDS_LEFT_OPEN] if len(places) >= WORDS_LEFT_OPEN else 0
        self._commit(tail[:sure], now, text)
        at = index_after(self._lines.final, now.items)
        where = self._word_time(window, now, at, seconds) if at else 0.0
        where = where if 1.0 <= where < seconds else seconds - 1.0
        self._lines.close(self._begin / SAMPLE_RATE, where)
        rest = now.tokens[now.items[at].place :] if at < len(now.items) else ()
        self._move(where, rest)
        return tail[sure:]

    def _word_time(self, window: AudioWindow, now: Hypothesis, at: int, seconds: float) -> float:
        """The time between item `at` - 1 and item `at`, in seconds of the window, by cross-attention."""
        assert self.language is not None
        tokens = [token for item in now.items for token in item.tokens]
        timings = self._decoder.words(window, Settings(self.language.code), tokens, seconds)
        counts = [sum(len(item.tokens) for item in part) for part in (now.items[:at], now.items[at:])]
        (_, end), (start, _) = spans(timings, counts)
        return (end + start) / 2

    def _cut(self, last: int, now: Hypothesis) -> None:
        """Let the window begin after the line break `last` of the final items."""
        final = self._lines.final
        at = index_after(final[: last + 1], now.items)
        place = now.items[at].place if at < len(now.items) else len(now.tokens)
        if place and self._vocabulary.is_timestamp(now.tokens[place - 1]):
            place -= 1
        self._move(final[last].start, now.tokens[place:])

    def _move(self, seconds: float, rest: Sequence[int]) -> None:
        """Let the window begin `seconds` later; `rest` are the hypothesis' tokens from there on."""
        step = self._vocabulary.seconds_per_timestamp
        later = round(seconds / step) * step
        assert self.language is not None
        spaced = self.language.code not in UNSPACED
        self._forget_window(self._begin + round(later * SAMPLE_RATE))
        self._before = parse(shifted(rest, self._vocabulary, later), self._vocabulary, self._words, spaced)

    def _forget_window(self, begin: int) -> None:
        if self._settings.condition:
            self._prompt = [*self._prompt, *self._lines.finished_tokens()][-self._positions :]
        self._lines.cut()
        self._begin, self._before = begin, None

    def _shown(self, tail: Sequence[Item], draft: Sequence[Item] = (), keep: bool = False) -> LiveText:
        """The text as it is now; with `keep` the finished segments stay for the next call."""
        text = self._lines.text
        final = self._lines.open
        begun = text([*final, *tail])
        start = self._lines.start if final or not tail else self._begin / SAMPLE_RATE
        provisional, draft_text = begun[len(text(final)) :], text([*final, *tail, *draft])[len(begun) :]
        self._last = LiveText((), text(final), provisional, draft_text, start)
        return self._last if keep else replace(self._last, segments=self._lines.taken())


def _end(tokens: Sequence[int], vocabulary: Vocabulary) -> int:
    """The number of tokens before the end token."""
    return next((i for i, token in enumerate(tokens) if token == vocabulary.end), len(tokens))
