"""The drafters that need no draft model, by their names for `--draft`. Each is imported when it is created, so that the
command line can list them without loading anything."""

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
