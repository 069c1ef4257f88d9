"""What the room knows of its networks: callables, and what was found out about them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]

REDUCTION = 8
"""Filter bank frames for which an embedding network has one frame of features."""

Segment = Callable[[Array], Array]
"""Samples [1, 1, 160000] -> scores of the powerset classes [1, frames, 7], as pyannote's segmentation-3.0 has them."""

Features = Callable[[Array], Array]
"""Filter banks [1, frames, bins] less their mean -> features [1, frames / REDUCTION, dims]: an embedding network up to
its statistics pooling."""

Embed = Callable[[Array], Array]
"""The mean and the standard deviation of features over some time [n, 2 dims] -> a vector for each voice [n, size]: an
embedding network from its statistics pooling on."""


@dataclass(frozen=True)
class VoiceLimits:
    """What is known of an embedding's likeness, calibrated for it; how it is used: `clustering`.

    Attributes:
        alike: the mean cosine of two pieces of one voice, 2 s each and some time apart.
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
        segment: finds up to three speakers in ten seconds, also two at once.
        features, embed: the two halves of a network that makes a vector of speech; vectors of one voice point the same
            way. What lies between, the pooling, is done here, so that it can leave out who else speaks.
        limits: when two clusters of its vectors are one speaker.
    """

    name: str
    segment: Segment
    features: Features
    embed: Embed
    limits: VoiceLimits
