"""What the room knows of its networks: callables, and what was found out about them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

RATE = 16_000
Array = npt.NDArray[np.float32]

Voice = Callable[[Array], Array]
"""The probability of speech in each 512 samples of a stream: [n * 512] -> [n]. It remembers what came before."""

Embed = Callable[[Array], Array]
"""Filter banks [n, frames, bins] without their mean -> a vector for each voice [n, dims]."""

Segment = Callable[[Array], Array]
"""Samples [n, 1, 160000] -> scores of the powerset classes [n, frames, 7], as pyannote's segmentation-3.0 has them."""


@dataclass(frozen=True)
class Networks:
    """The networks that tell voices apart.

    Attributes:
        name: for people.
        embed: makes a vector of a piece of speech; vectors of one voice point the same way.
        same: two clusters whose centres have at least this cosine are one speaker; calibrated for `embed`.
        join: pieces of 1.5 s are put together down to this mean cosine; calibrated for `embed`.
        segment: finds up to three speakers in ten seconds, also two at once; None where no such network is there.
    """

    name: str
    embed: Embed
    same: float
    join: float
    segment: Segment | None = None
