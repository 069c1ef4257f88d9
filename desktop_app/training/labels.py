"""What a draft learns from: windows as the target heard them, and what the target wrote and thought of writing.

The target writes greedily, alone, one token a pass; at every token its likeliest choices are noted. A window becomes
one file, so that a stopped run keeps what it has, and later the draft trains without running the target again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from desktop_app.audio.spectrogram import Spectrogram
from desktop_app.checkpoints.folder import Checkpoint
from desktop_app.decoding import longform
from desktop_app.decoding.hearing import Samples
from desktop_app.decoding.protocol import Cursor, Model, Scores
from desktop_app.decoding.rules import Row, Rules
from desktop_app.decoding.task import Task, prefix

CHOICES = 32
"""How many of the target's likeliest tokens are kept for a place; the rest is kept as one number."""


@dataclass(frozen=True)
class Labels:
    """One window.

    `heard` float16 [positions, width] is the encoder's view; `read` int32 [n] the tokens that a decoder reads; behind
    the last m of them the target would write `wrote` int32 [m], its `choices` int32 [m, k] being likely by `shares`
    float32 [m, k].
    """

    heard: npt.NDArray[np.float16]
    read: npt.NDArray[np.int32]
    wrote: npt.NDArray[np.int32]
    choices: npt.NDArray[np.int32]
    shares: npt.NDArray[np.float32]

    def save(self, path: Path) -> None:
        """Write the file, whole or not at all."""
        partial = path.with_suffix(".partial")
        with partial.open("wb") as file:
            np.savez(file, **vars(self))
        partial.replace(path)

    @classmethod
    def load(cls, path: Path) -> Labels:
        with np.load(path) as kept:
            return cls(**{name: kept[name] for name in cls.__dataclass_fields__})

    @staticmethod
    def bytes(width: int, positions: int) -> int:
        """About how much room the file of a window takes."""
        return 2 * width * positions + 100_000


class Labeller:
    """A target that notes what it does."""

    def __init__(self, checkpoint: Checkpoint, model: Model, language: str | None) -> None:
        """`language` None: found out for each stretch of audio."""
        self._checkpoint, self._model, self._language = checkpoint, _Noting(model), language

    def stretch(self, audio: Samples) -> list[Labels]:
        """All windows of some minutes of audio, cut as Galley cuts a file; silent ones are left out."""
        longform.transcribe(
            iter([audio]),
            Spectrogram([audio], [self._model.mel_bins]).features,
            self._model,
            self._checkpoint.vocabulary,
            self._checkpoint.text,
            longform.Listener(),
            settings=longform.Settings(self._language),
        )
        return [labels for noted in self._model.taken() if (labels := self._labels(noted)) is not None]

    def _labels(self, noted: _Noted) -> Labels | None:
        """The labels of a pass through a window; None where no text was written in it."""
        vocabulary = self._checkpoint.vocabulary
        if vocabulary.start not in noted.read:
            return None
        read = noted.read
        task = Task(self._language or _spoken(read, vocabulary.languages))
        before = len(prefix(vocabulary, task, self._model.positions))
        if len(read) <= before + 1:  # the language was asked for, or nothing was said
            return None
        rules = Rules(vocabulary)
        text, rows = read[before:], noted.rows[-(len(read) - before) - 1 :]
        wrote, choices, shares = [], [], []
        for i, row in enumerate(rows):
            written = rules.written(text[:i])
            wrote.append(text[i] if i < len(text) else rules.decide(row, written).token)
            best, likely = _likeliest(rules.allow(row, written))
            choices.append(best)
            shares.append(likely)
        return Labels(
            np.asarray(noted.encoded, np.float16).reshape(-1, self._checkpoint.shape.width),
            np.array(read, np.int32),
            np.array(wrote, np.int32),
            np.stack(choices).astype(np.int32),
            np.stack(shares).astype(np.float32),
        )


def _spoken(read: Sequence[int], languages: Mapping[str, int]) -> str:
    return next((code for code, token in languages.items() if token in read), "")


def _likeliest(allowed: Row) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    """The likeliest tokens and their probabilities among all that are allowed."""
    count = min(CHOICES, len(allowed))
    best = np.argpartition(-allowed, count - 1)[:count]
    weights = np.exp(allowed - allowed.max())
    return best, np.asarray(weights[best] / weights.sum(), np.float32)


@dataclass
class _Noted:
    """One time that a window was opened: what the encoder gave, the tokens read, a row of scores for the last token of
    each pass."""

    encoded: Any
    read: list[int]
    rows: list[Row]


class _Noting:
    """A model that keeps what passes through it (`decoding.protocol.Model`)."""

    def __init__(self, model: Model) -> None:
        self._inner = model
        self._noted: list[_Noted] = []
        self.positions, self.epsilon, self.mel_bins = model.positions, model.epsilon, model.mel_bins

    def encode(self, window: npt.NDArray[np.float32]) -> Any:
        return self._inner.encode(window)

    def open(self, encoded: Any) -> Cursor:
        noted = _Noted(_array(encoded), [], [])
        self._noted.append(noted)
        return _NotingCursor(self._inner.open(encoded), noted)

    def attend(self, encoded: Any, tokens: Sequence[int]) -> tuple[Scores, npt.NDArray[np.float32]]:
        return self._inner.attend(encoded, tokens)

    def taken(self) -> Iterable[_Noted]:
        """What was noted since the last time."""
        noted, self._noted = self._noted, []
        return noted


class _NotingCursor:
    """A cursor of a `_Noting` (`decoding.protocol.Cursor`)."""

    def __init__(self, inner: Cursor, noted: _Noted) -> None:
        self._inner, self._noted = inner, noted

    @property
    def length(self) -> int:
        return self._inner.length

    def rewind(self, length: int) -> None:
        self._inner.rewind(length)  # a target that writes alone rejects nothing

    def run(self, tokens: Sequence[int]) -> Scores:
        scores = self._inner.run(tokens)
        self._noted.read += tokens
        self._noted.rows.append(scores[-1])
        return scores


def _array(encoded: Any) -> npt.NDArray[np.float32]:
    """The encoder's view as numpy has it, wherever the runtime keeps it."""
    return np.asarray(encoded if isinstance(encoded, np.ndarray) else encoded.float().cpu().numpy())
