"""The drafters that have names for `--draft`: those that need no draft model, and the ways to use one that has a CTC
head. Each is imported when it is created, so that the command line can list them without loading anything."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from desktop_app.decoding.drafters import Drafter


def ngram() -> Drafter:
    """What followed the same words earlier in the recording."""
    from desktop_app.decoding.ngram import NGramDrafter

    return NGramDrafter()


DRAFTERS: Mapping[str, Callable[[], Drafter]] = {"ngram": ngram}
"""Those without a draft model."""

LAYERS, HEAD, TIERS = WAYS = ("layers", "head", "tiers")
"""The ways of the target's own draft: its decoder layers, pass by pass; its CTC head, all at once; or the head, which
the layers correct."""
