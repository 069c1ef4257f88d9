"""Sampling at a temperature that can be replayed: noise keyed by window, temperature and position.

The token is the argmax of logits / temperature + Gumbel noise, which draws from the softmax at that temperature (the
Gumbel-max trick; Maddison, Tarlow and Minka, "A* sampling", 2014). Because the noise depends on the place alone, the
text is the same with and without a draft, and a draft under the same noise keeps agreeing with the target.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Sampling:
    """How the tokens of one window are drawn: a `temperature` above 0, and the `window`'s place in samples."""

    temperature: float
    window: int

    def noise(self, position: int, size: int) -> npt.NDArray[np.float32]:
        """Gumbel noise for the token at `position` of the text, [size]."""
        key = np.array([self.window, round(self.temperature * 1_000_000)], np.uint64)
        # The high word of the counter: positions are as far apart as streams can be.
        draw = np.random.Generator(np.random.Philox(key=key, counter=[0, 0, 0, position]))
        uniform = np.maximum(draw.random(size, dtype=np.float32), np.finfo(np.float32).tiny)
        return np.asarray(-np.log(-np.log(uniform)), np.float32)
