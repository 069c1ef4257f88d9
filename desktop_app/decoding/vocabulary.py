"""The ids that a checkpoint gives to Whisper's special tokens.

None is a constant: all come from the checkpoint's files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

ENGLISH = "en"
"""The language of checkpoints that name none."""


@dataclass(frozen=True)
class Vocabulary:
    """Special tokens and suppress lists of one checkpoint.

    Timestamps are the ids from `first_timestamp` to `size` - 1, `seconds_per_timestamp` apart. `languages` maps codes
    ("en") to ids and is empty for English-only checkpoints, whose prefill has neither language nor task. `suppress` is
    never written, `begin_suppress` not as first token.
    """

    size: int
    end: int
    start: int
    no_timestamps: int
    first_timestamp: int
    previous: int | None = None
    no_speech: int | None = None
    transcribe: int | None = None
    translate: int | None = None
    languages: Mapping[str, int] = field(default_factory=dict)
    suppress: tuple[int, ...] = ()
    begin_suppress: tuple[int, ...] = ()
    max_initial_timestamp: int | None = 50
    seconds_per_timestamp: float = 0.02

    def is_timestamp(self, token: int) -> bool:
        """Whether `token` is a time."""
        return token >= self.first_timestamp

    def seconds(self, token: int) -> float:
        """The time that a timestamp stands for, from the start of its window."""
        return (token - self.first_timestamp) * self.seconds_per_timestamp

    def timestamp(self, seconds: float) -> int | None:
        """The timestamp nearest to a time, None beyond the last."""
        token = self.first_timestamp + round(seconds / self.seconds_per_timestamp)
        return token if token < self.size else None

    def knows(self, language: str) -> bool:
        """Whether a text can be written in the language of this code."""
        return language in (self.languages or {ENGLISH})

    @property
    def translates(self) -> bool:
        """Whether a text can be written in English of what is said in another language."""
        return self.translate is not None and bool(set(self.languages) - {ENGLISH})
