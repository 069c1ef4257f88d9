"""One window of audio: encode it, write the tokens before the text, write the text."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from desktop_app.decoding.drafters import Drafter
from desktop_app.decoding.figures import Figures
from desktop_app.decoding.lookahead import LookAhead
from desktop_app.decoding.protocol import Model, Scores
from desktop_app.decoding.rules import Rules
from desktop_app.decoding.speculation import Speculation, Watch


@dataclass(frozen=True)
class WindowText:
    """What the target wrote for one window.

    `mean_log_probability` is over the tokens and the end token, under the rules.
    """

    tokens: tuple[int, ...]
    mean_log_probability: float
    no_speech_probability: float


@dataclass(frozen=True)
class Language:
    """A language code and how likely the target holds it to be; "" where the checkpoint knows one language only
    and does not name it."""

    code: str
    probability: float


class WindowDecoder:
    """A target, perhaps with a drafter, set up to write windows one after another."""

    def __init__(self, target: Model, rules: Rules, figures: Figures, drafter: Drafter | None = None) -> None:
        self._target, self._rules, self._figures, self._drafter = target, rules, figures, drafter
        self._look_ahead = LookAhead()

    def encode(self, features: npt.NDArray[np.float32]) -> Any:
        """The target's view of the window's features [bins, frames]."""
        began = perf_counter()
        encoded = self._target.encode(features)
        self._figures.encode_seconds += perf_counter() - began
        return encoded

    def detect_language(self, encoded: Any) -> Language:
        """The likeliest language, by the scores behind the start token as in openai/whisper's `detect_language`."""
        languages = self._rules.vocabulary.languages
        if len(languages) < 2:
            return Language(next(iter(languages), ""), 1.0)
        scores = self._speculation(encoded).run([self._rules.vocabulary.start])[-1]
        codes = list(languages)
        shares = _softmax(scores[[languages[code] for code in codes]])
        best = int(shares.argmax())
        return Language(codes[best], float(shares[best]))

    def write(self, features: npt.NDArray[np.float32], encoded: Any, language: str, watch: Watch) -> WindowText:
        """The window's text with timestamps, in `language` (a code of the checkpoint's, ignored where it has none)."""
        prefill = self._prefill(language)
        speculation = self._speculation(encoded)
        scores = speculation.run(prefill)
        if self._drafter is not None:
            began = perf_counter()
            self._drafter.begin(features, encoded, prefill)
            self._figures.draft_seconds += perf_counter() - began
        text = speculation.write(scores, watch)
        mean = text.log_probability / (len(text.tokens) + 1)
        return WindowText(tuple(text.tokens), mean, self._no_speech(scores, prefill))

    def _speculation(self, encoded: Any) -> Speculation:
        target = self._target
        return Speculation(
            target.open(encoded),
            target.positions,
            target.epsilon,
            self._rules,
            self._figures,
            self._drafter,
            self._look_ahead,
        )

    def _prefill(self, language: str) -> list[int]:
        vocabulary = self._rules.vocabulary
        if not vocabulary.languages or vocabulary.transcribe is None:
            return [vocabulary.start]
        return [vocabulary.start, vocabulary.languages[language], vocabulary.transcribe]

    def _no_speech(self, scores: Scores, prefill: list[int]) -> float:
        vocabulary = self._rules.vocabulary
        if vocabulary.no_speech is None:
            return 0.0
        return float(_softmax(scores[prefill.index(vocabulary.start)])[vocabulary.no_speech])


def _softmax(row: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    shares = np.exp(row - row.max())
    return np.asarray(shares / shares.sum())
