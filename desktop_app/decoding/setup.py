"""What takes part in writing the text of a recording."""

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
    """The target model with its vocabulary, and what helps and checks it.

    `text` makes text of the target's tokens. Without a `drafter` the target works alone, and without a `guard` the text
    is the target's, whatever it is like. `look_ahead` brings what it learned about target and drafter from other
    recordings; without one a draft that costs time is found out anew. Live text always asks the drafter.
    """

    target: Model
    vocabulary: Vocabulary
    text: Callable[[Sequence[int]], str]
    drafter: Drafter | None = None
    guard: Guard | None = None
    look_ahead: LookAhead | None = None
