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
class Limits:
    """What is known of an embedding's likeness, calibrated for it; how it is used: `clustering`.

    Attributes:
        alike: the mean cosine of two pieces of one voice, 1.5 s each and some time apart.
        doubt: seconds; by this over the seconds of speech the likeness of one voice may stay below 1.
        same: no more likeness than this is asked, however much speech there is: nobody sounds the same for hours.
        least: nobody who is less alike is the same, however little speech there is.
    """

    alike: float
    doubt: float
    same: float
    least: float


@dataclass(frozen=True)
class Networks:
    """The networks that tell voices apart.

    Attributes:
        name: for people.
        embed: makes a vector of a piece of speech; vectors of one voice point the same way.
        limits: when two clusters of its vectors are one speaker.
        segment: finds up to three speakers in ten seconds, also two at once; None where no such network is there.
    """

    name: str
    embed: Embed
    limits: Limits
    segment: Segment | None = None
