"""Decoding one window of audio: encoder, prefill, text, and the fallback to higher temperatures."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
import numpy.typing as npt

from desktop_app.decoding.audio_window import AudioWindow
from desktop_app.decoding.lookahead import LookAhead
from desktop_app.decoding.protocol import Scores
from desktop_app.decoding.rules import Rules
from desktop_app.decoding.sampling import Sampling
from desktop_app.decoding.setup import Setup
from desktop_app.decoding.speculation import Speculation, Watch
from desktop_app.decoding.steps import Steps, alone
from desktop_app.decoding.task import prefix
from desktop_app.decoding.vocabulary import ENGLISH
from desktop_app.decoding.words import FRAMES_A_SECOND, UNSPACED, Timing, align, split
from desktop_app.transcript.settings import Settings
from desktop_app.transcript.statistics import Counter, Statistics

TOO_REPETITIVE, TOO_UNSURE, NO_SPEECH = 2.4, -1.0, 0.6
"""openai/whisper's thresholds of the text's compression ratio, mean log-probability and no-speech probability."""


@dataclass(frozen=True)
class WindowText:
    """The target's text for one window.

    `mean_log_probability` is over the tokens and the end token, under the rules, at temperature 1.
    """

    tokens: tuple[int, ...]
    mean_log_probability: float
    no_speech_probability: float
    temperature: float = 0.0

    @property
    def is_silence(self) -> bool:
        """Whether the target takes the window for silence, by openai/whisper's two thresholds."""
        return self.no_speech_probability > NO_SPEECH and self.mean_log_probability <= TOO_UNSURE


@dataclass(frozen=True)
class Language:
    """A language code and how likely the target holds it to be; English where the checkpoint names no language."""

    code: str
    probability: float


class WindowDecoder:
    """Decodes windows one after another with the target of a setup and perhaps its drafter.

    The setup's `look_ahead` says how far to draft, and may disable the draft; without one the drafter is always used.
    The settings of a window name its language.
    """

    def __init__(self, setup: Setup, counter: Counter) -> None:
        self._target, self._vocabulary, self._text, self._drafter = (
            setup.target,
            setup.vocabulary,
            setup.text,
            setup.drafter,
        )
        self._counter, self._look_ahead = counter, setup.look_ahead or LookAhead()

    def detect_language(self, window: AudioWindow) -> Language:
        """The likeliest language, by the scores behind the start token as in openai/whisper's `detect_language`."""
        languages = self._vocabulary.languages
        if len(languages) < 2:
            return Language(next(iter(languages), ENGLISH), 1.0)
        scores = alone(self._speculation(window, Rules(self._vocabulary)).run([self._vocabulary.start]))[-1]
        codes = list(languages)
        shares = _softmax(scores[[languages[code] for code in codes]])
        best = int(shares.argmax())
        return Language(codes[best], float(shares[best]))

    def decode(
        self, window: AudioWindow, settings: Settings, watch: Watch, sampling: Sampling | None = None
    ) -> WindowText:
        """The window's text: greedy, or drawn by `sampling`."""
        return alone(self.decode_steps(window, settings, watch, sampling))

    def decode_with_fallback(self, window: AudioWindow, settings: Settings, watch: Watch) -> WindowText:
        """The text at the first of the temperatures at which it is neither repetitive nor unsure, else at the last:
        openai/whisper's `decode_with_fallback`."""
        return alone(self.fallback_steps(window, settings, watch))

    def fallback_steps(self, window: AudioWindow, settings: Settings, watch: Watch) -> Steps[WindowText]:
        """`decode_with_fallback` in steps."""
        for temperature in settings.temperatures:
            sampling = Sampling(temperature, window.place) if temperature > 0 else None
            text = yield from self.decode_steps(window, settings, watch, sampling)
            if text.is_silence or not (_unsure(text) or is_repetitive(self._text(text.tokens))):
                break
        return text

    def decode_steps(
        self, window: AudioWindow, settings: Settings, watch: Watch, sampling: Sampling | None = None
    ) -> Steps[WindowText]:
        """`decode` in steps."""
        prefill = prefix(self._vocabulary, settings, self._target.positions)
        rules = Rules(self._vocabulary, settings.timestamps, sampling)

        def begin() -> None:
            if self._drafter is not None:
                self._drafter.begin(window, settings, rules)

        text, scores = yield from self._speculation(window, rules).decode(prefill, watch, begin)
        mean = text.log_probability / (len(text.tokens) + 1)
        temperature = sampling.temperature if sampling else 0.0
        return WindowText(tuple(text.tokens), mean, self._no_speech(scores, prefill), temperature)

    def words(self, window: AudioWindow, settings: Settings, tokens: Sequence[int], seconds: float) -> list[Timing]:
        """The times of each word of the text tokens `tokens`, by cross-attention; the window holds `seconds` of audio.

        Takes one more pass of the target over the whole text.
        """
        if not tokens:
            return []
        plain = replace(settings, timestamps=False, prompt=(), hot_words=())
        start = prefix(self._vocabulary, plain, self._target.positions)
        tokens = tokens[: self._target.positions - len(start) - 1]  # the last ones of a full text get no times
        began = perf_counter()
        scores, attention = self._target.attend(window.encoded(self._target), [*start, *tokens, self._vocabulary.end])
        self._counter.add(Statistics(verify_seconds=perf_counter() - began, target_passes=1))
        first = len(start) - 1
        shares = (_softmax(row[: self._vocabulary.end]) for row in scores[first:])
        probabilities = np.array([share[token] for share, token in zip(shares, tokens, strict=False)], np.float32)
        spelled = split(tokens, self._text, settings.language not in UNSPACED)
        return align(attention, first, probabilities, spelled, int(seconds * FRAMES_A_SECOND + 1e-6))

    def _speculation(self, window: AudioWindow, rules: Rules) -> Speculation:
        target = self._target
        began = perf_counter()
        cursor = target.open(window.encoded(target))
        self._counter.add(Statistics(encode_seconds=perf_counter() - began))
        return Speculation(
            target,
            cursor,
            rules,
            self._counter,
            self._drafter,
            self._look_ahead,
        )

    def _no_speech(self, scores: Scores, prefill: list[int]) -> float:
        vocabulary = self._vocabulary
        if vocabulary.no_speech is None:
            return 0.0
        return float(_softmax(scores[prefill.index(vocabulary.start)])[vocabulary.no_speech])


def _unsure(text: WindowText) -> bool:
    return text.mean_log_probability < TOO_UNSURE


def is_repetitive(words: str) -> bool:
    """Whether a text is repetitive: its zlib compression ratio is above openai/whisper's threshold."""
    raw = words.strip().encode()
    return bool(raw) and len(raw) / len(zlib.compress(raw)) > TOO_REPETITIVE


def _softmax(row: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    shares = np.exp(row - row.max())
    return np.asarray(shares / shares.sum())
