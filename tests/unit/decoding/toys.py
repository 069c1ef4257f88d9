"""Small random-weight models in numpy: the decoder of a window is a recurrent network over the whole prefix.

Passes of several tokens get noise in their last bits, as real devices give, so that near ties really fall either way.
As on a device, the same pass at the same place gives the same noise.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from desktop_app.decoding.audio_window import AudioWindow
from desktop_app.decoding.protocol import Scores
from desktop_app.decoding.vocabulary import Vocabulary

TEXT, TIMES = 12, 16
END, START, ENGLISH, GERMAN, TRANSCRIBE, NO_SPEECH, NO_TIMES = range(TEXT, TEXT + 7)
FIRST_TIME = NO_TIMES + 1
SIZE = FIRST_TIME + TIMES


def vocabulary(**changes: object) -> Vocabulary:
    """A vocabulary of 12 words, the specials, and 16 timestamps two seconds apart."""
    values: dict[str, object] = {
        "size": SIZE,
        "end": END,
        "start": START,
        "no_timestamps": NO_TIMES,
        "first_timestamp": FIRST_TIME,
        "no_speech": NO_SPEECH,
        "transcribe": TRANSCRIBE,
        "languages": {"en": ENGLISH, "de": GERMAN},
        "suppress": (START, ENGLISH, GERMAN, TRANSCRIBE, NO_SPEECH),
        "begin_suppress": (0, END),
        "max_initial_timestamp": 3,
        "seconds_per_timestamp": 2.0,
    }
    return Vocabulary(**{**values, **changes})  # type: ignore[arg-type]


def toy_window() -> AudioWindow:
    """A window whose features are the same for every toy with as many bins."""
    return AudioWindow(np.zeros(0, np.float32), lambda samples, bins: np.linspace(-1, 1, 12 * bins).reshape(bins, 12))


class Toy:
    """A model whose scores depend on every token of the prefix and on the window."""

    mel_bins = 2

    def __init__(
        self, seed: int, positions: int = 48, noise: float = 0.0, coarse: bool = False, size: int = SIZE
    ) -> None:
        draw = np.random.default_rng(seed)
        self.positions, self.epsilon, self._noise, self._coarse = positions, 4 * noise, noise, coarse
        self._embed = draw.normal(size=(size, 24)).astype(np.float32)
        self._step = (draw.normal(size=(24, 24)) / 4).astype(np.float32)
        self._head = draw.normal(size=(24, size)).astype(np.float32)
        self._seed = seed
        self.widths: list[int] = []

    def encode(self, features: np.ndarray) -> np.ndarray:
        return np.resize(features.astype(np.float32).ravel(), 24)

    def open(self, encoded: np.ndarray) -> ToyCursor:
        return ToyCursor(self, encoded)

    def step(self, state: np.ndarray, token: int) -> np.ndarray:
        return np.tanh(state @ self._step + self._embed[token])

    def scores(self, states: Sequence[np.ndarray], length: int) -> Scores:
        self.widths.append(len(states))
        rows = np.stack(states) @ self._head
        if self._coarse:  # many exact ties
            rows = np.round(rows)
        if len(states) > 1:
            shake = np.random.default_rng((self._seed, length, len(states)))
            rows = rows + shake.uniform(-self._noise, self._noise, rows.shape)
        return rows.astype(np.float32)


class ToyCursor:
    """Remembers the state after each token it has read."""

    def __init__(self, model: Toy, encoded: np.ndarray) -> None:
        self._model, self._states = model, [encoded]

    @property
    def length(self) -> int:
        return len(self._states) - 1

    def run(self, tokens: Sequence[int]) -> Scores:
        assert tokens, "a pass reads at least one token"
        assert self.length + len(tokens) <= self._model.positions, "beyond the last position"
        for token in tokens:
            self._states.append(self._model.step(self._states[-1], token))
        return self._model.scores(self._states[-len(tokens) :], self.length)

    def rewind(self, length: int) -> None:
        assert 0 <= length <= self.length, "a rewind goes back"
        del self._states[length + 1 :]
