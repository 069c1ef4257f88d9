"""The models and helpers that transcribe a recording."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from desktop_app.decoding.audio_window import Samples
from desktop_app.decoding.drafters import Drafter
from desktop_app.decoding.lookahead import LookAhead
from desktop_app.decoding.protocol import Model
from desktop_app.decoding.vocabulary import Vocabulary


class Voice(Protocol):
    """Voice activity in some audio; `audio.voice.Voices` implements it."""

    def longest(self, start: float, end: float) -> float:
        """The length of the longest speech without a pause between two times, all in seconds."""

    def total(self, start: float, end: float) -> float:
        """How long somebody speaks between two times, all in seconds."""


Listen = Callable[[Samples], Voice]
"""Detects voice in mono samples at 16 kHz, from their beginning on. Costly, so used only in doubt."""


@dataclass(frozen=True)
class Setup:
    """The target model with its vocabulary, a drafter that speeds it up, and a detector of voices to guard its text.

    `text` makes text of the target's tokens. Without a `drafter` the target works alone; without `listen` its text is
    taken as it is. `look_ahead` carries over what other recordings showed about target and drafter; without one it
    measures anew whether drafting saves time. Live text always uses the drafter.
    """

    target: Model
    vocabulary: Vocabulary
    text: Callable[[Sequence[int]], str]
    drafter: Drafter | None = None
    listen: Listen | None = None
    look_ahead: LookAhead | None = None
