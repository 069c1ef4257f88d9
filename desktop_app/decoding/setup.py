"""The models and helpers that transcribe a recording."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from desktop_app.decoding.drafters import Drafter
from desktop_app.decoding.guard import Guard
from desktop_app.decoding.lookahead import LookAhead
from desktop_app.decoding.protocol import Model
from desktop_app.decoding.vocabulary import Vocabulary


@dataclass(frozen=True)
class Setup:
    """The target model with its vocabulary, a drafter that speeds it up, and a guard that checks its text.

    `text` makes text of the target's tokens. Without a `drafter` the target works alone; without a `guard` its text is
    taken as it is. `look_ahead` carries over what other recordings showed about target and drafter; without one it
    measures anew whether drafting saves time. Live text always uses the drafter.
    """

    target: Model
    vocabulary: Vocabulary
    text: Callable[[Sequence[int]], str]
    drafter: Drafter | None = None
    guard: Guard | None = None
    look_ahead: LookAhead | None = None
