"""One window of audio: encode it, write the tokens before the text, write the text, and again where it went wrong."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from desktop_app.decoding.drafters import Drafter
from desktop_app.decoding.figures import Figures
from desktop_app.decoding.lookahead import LookAhead
from desktop_app.decoding.protocol import Model, Scores
from desktop_app.decoding.rules import Rules
from desktop_app.decoding.sampling import Sampling
from desktop_app.decoding.speculation import Speculation, Watch
from desktop_app.decoding.vocabulary import Vocabulary
from desktop_app.decoding.words import FRAMES_A_SECOND, UNSPACED, Timing, align, split

TOO_REPETITIVE, TOO_UNSURE, NO_SPEECH = 2.4, -1.0, 0.6
"""openai/whisper's thresholds of the text's compression ratio, mean log-probability and no-speech probability."""


@dataclass(frozen=True)
class Task:
    """What is to be written of a window, behind the tokens of `hot_words` that may occur and of a `prompt`.

    `language` is a code of the checkpoint's, and ignored where it has none; `translate` means into English.
    """

    language: str
    translate: bool = False
    timestamps: bool = True
    prompt: tuple[int, ...] = ()
    hot_words: tuple[int, ...] = ()


@dataclass(frozen=True)
class WindowText:
    """What the target wrote for one window.

    `mean_log_probability` is over the tokens and the end token, under the rules, at temperature 1.
    """

    tokens: tuple[int, ...]
    mean_log_probability: float
    no_speech_probability: float
    temperature: float = 0.0

    @property
    def is_silence(self) -> bool:
        """Whether the target holds the window to be without speech: openai/whisper's two thresholds."""
        return self.no_speech_probability > NO_SPEECH and self.mean_log_probability <= TOO_UNSURE


@dataclass(frozen=True)
class Language:
    """A language code and how likely the target holds it to be; "" where the checkpoint knows one language only
    and does not name it."""

    code: str
    probability: float


class WindowDecoder:
    """A target, perhaps with a drafter, set up to write windows one after another."""

    def __init__(self, target: Model, vocabulary: Vocabulary, figures: Figures, drafter: Drafter | None = None) -> None:
        self._target, self._vocabulary, self._figures, self._drafter = target, vocabulary, figures, drafter
        self._look_ahead = LookAhead()

    def encode(self, features: npt.NDArray[np.float32]) -> Any:
        """The target's view of the window's features [bins, frames]."""
        began = perf_counter()
        encoded = self._target.encode(features)
        self._figures.encode_seconds += perf_counter() - began
        return encoded

    def detect_language(self, encoded: Any) -> Language:
        """The likeliest language, by the scores behind the start token as in openai/whisper's `detect_language`."""
        languages = self._vocabulary.languages
        if len(languages) < 2:
            return Language(next(iter(languages), ""), 1.0)
        scores = self._speculation(encoded, Rules(self._vocabulary)).run([self._vocabulary.start])[-1]
        codes = list(languages)
        shares = _softmax(scores[[languages[code] for code in codes]])
        best = int(shares.argmax())
        return Language(codes[best], float(shares[best]))

    def write(
        self,
        features: npt.NDArray[np.float32],
        encoded: Any,
        task: Task,
        watch: Watch,
        sampling: Sampling | None = None,
    ) -> WindowText:
        """The window's text: greedy, or drawn by `sampling`."""
        prefill = prefix(self._vocabulary, task, self._target.positions)
        rules = Rules(self._vocabulary, task.timestamps, sampling)
        speculation = self._speculation(encoded, rules)
        scores = speculation.run(prefill)
        if self._drafter is not None:
            began = perf_counter()
            self._drafter.begin(features, encoded, prefill, rules)
            self._figures.draft_seconds += perf_counter() - began
        text = speculation.write(scores, watch)
        mean = text.log_probability / (len(text.tokens) + 1)
        temperature = sampling.temperature if sampling else 0.0
        return WindowText(tuple(text.tokens), mean, self._no_speech(scores, prefill), temperature)

    def write_at(
        self,
        temperatures: Sequence[float],
        features: npt.NDArray[np.float32],
        encoded: Any,
        task: Task,
        watch: Watch,
        window: int,
        words: Callable[[Sequence[int]], str],
    ) -> WindowText:
        """The text at the first of `temperatures` at which it is neither repetitive nor unsure, else at the last.

        openai/whisper's `decode_with_fallback`; temperature 0 is greedy. `window` is the window's place in samples,
        `words` makes text of tokens.
        """
        for temperature in temperatures:
            sampling = Sampling(temperature, window) if temperature > 0 else None
            text = self.write(features, encoded, task, watch, sampling)
            if text.is_silence or not (_unsure(text) or _repetitive(words(text.tokens))):
                break
        return text

    def words(
        self,
        encoded: Any,
        task: Task,
        tokens: Sequence[int],
        seconds: float,
        spell: Callable[[Sequence[int]], str],
    ) -> list[Timing]:
        """When each word of the text tokens `tokens` was said; the window holds `seconds` of audio.

        One more pass of the target over the whole text, which is counted as one.
        """
        if not tokens:
            return []
        start = prefix(
            self._vocabulary, replace(task, timestamps=False, prompt=(), hot_words=()), self._target.positions
        )
        tokens = tokens[: self._target.positions - len(start) - 1]  # the last of a text that fills them stay untimed
        began = perf_counter()
        scores, attention = self._target.attend(encoded, [*start, *tokens, self._vocabulary.end])
        self._figures.verify_seconds += perf_counter() - began
        self._figures.target_passes += 1
        first = len(start) - 1
        shares = (_softmax(row[: self._vocabulary.end]) for row in scores[first:])
        probabilities = np.array([share[token] for share, token in zip(shares, tokens, strict=False)], np.float32)
        spelled = split(tokens, spell, task.language not in UNSPACED)
        return align(attention[:, first:-1], probabilities, spelled, round(seconds * FRAMES_A_SECOND))

    def _speculation(self, encoded: Any, rules: Rules) -> Speculation:
        target = self._target
        return Speculation(
            target.open(encoded),
            target.positions,
            target.epsilon,
            rules,
            self._figures,
            self._drafter,
            self._look_ahead,
        )

    def _no_speech(self, scores: Scores, prefill: list[int]) -> float:
        vocabulary = self._vocabulary
        if vocabulary.no_speech is None:
            return 0.0
        return float(_softmax(scores[prefill.index(vocabulary.start)])[vocabulary.no_speech])


def prefix(vocabulary: Vocabulary, task: Task, positions: int) -> list[int]:
    """The tokens before the text: prompt, start, language, task, and whether there are timestamps.

    Hot words and prompt have half of the positions, less one for their own start token: of the hot words the beginning
    stays, of the prompt the end. Raises ValueError for a translation by a checkpoint that cannot translate.
    """
    tokens = [vocabulary.start]
    if vocabulary.languages and vocabulary.transcribe is not None:
        tokens += [vocabulary.languages[task.language], vocabulary.transcribe]
    if task.translate:
        if vocabulary.translate is None or len(tokens) == 1:
            raise ValueError("this model does not translate")
        tokens[-1] = vocabulary.translate
    if not task.timestamps:
        tokens.append(vocabulary.no_timestamps)
    if (task.prompt or task.hot_words) and vocabulary.previous is not None:
        hot_words = task.hot_words[: positions // 2 - 1]
        room = positions // 2 - 1 - len(hot_words)
        tokens = [vocabulary.previous, *hot_words, *task.prompt[max(0, len(task.prompt) - room) :], *tokens]
    return tokens


def _unsure(text: WindowText) -> bool:
    return text.mean_log_probability < TOO_UNSURE


def _repetitive(words: str) -> bool:
    raw = words.encode()
    return bool(raw) and len(raw) / len(zlib.compress(raw)) > TOO_REPETITIVE


def _softmax(row: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    shares = np.exp(row - row.max())
    return np.asarray(shares / shares.sum())
