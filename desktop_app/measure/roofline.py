"""The least time that a pass of a decoder can take: the bytes that it has to read, over the bandwidth of the memory
(Williams et al. 2009, the roofline model, of which a pass of few tokens knows only the slope).
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from time import perf_counter

import numpy as np
import numpy.typing as npt

from desktop_app.checkpoints import quantised
from desktop_app.checkpoints.shape import Shape

TRIALS = 5
"""The best of so many counts: whatever disturbs one makes it slower."""

_LEAST_READ = 1 << 30  # bytes of a trial, so that starting threads does not count
_FLOAT_BYTES = {"f32": 4, "f16": 2, "bf16": 2}
_BITS = {"int8": 8, "int4": 4}


@dataclass(frozen=True)
class Roofline:
    """`bytes` that each pass reads, and `bandwidth` in bytes a second, read by so many `threads`."""

    bytes: int
    bandwidth: float
    threads: int

    @property
    def seconds(self) -> float:
        """The least that a pass can take."""
        return self.bytes / self.bandwidth


def weight_bytes(shape: Shape, weights: str) -> int:
    """Bytes of the decoder's weights that a pass of any number of tokens reads; the matrices have the precision
    `weights`.

    Left out is what only some rows are read of (the embeddings of positions, and of tokens where the head is another
    matrix), and what is applied once a window (the projections of cross-attention's keys and values).
    """
    tensors = {name: sides for name, sides in shape.decoder_tensors().items() if _is_read(name, shape)}
    matrices = set(quantised.matrices(tensors))
    total = 0
    for name, sides in tensors.items():
        count = int(np.prod(sides))
        if weights not in _BITS or name not in matrices:
            total += count * (_FLOAT_BYTES[weights] if name in matrices else 4)
            continue
        bits = quantised.bits_of(name, _BITS[weights])
        groups = sides[0] * quantised.groups_of(sides[1], bits)
        total += count * bits // 8 + 4 * groups + (groups // 2 if bits == 4 else 0)
    return total


def _is_read(name: str, shape: Shape) -> bool:
    if ".encoder_attn.k_proj" in name or ".encoder_attn.v_proj" in name:
        return False
    return "embed_positions" not in name and not (shape.own_head and "embed_tokens" in name)


def bandwidth(size: int, threads: int) -> float:
    """Bytes a second that so many threads read together: each looks with numpy for the largest number of its part of
    `size` bytes, again and again; the best of TRIALS.

    With the `size` of what a pass reads, the caches help here as much as they do there.
    """
    part = max(8, size // threads // 8)
    turns = max(1, _LEAST_READ // (8 * part * threads))
    with ThreadPoolExecutor(threads) as pool:
        parts = list(pool.map(lambda _: np.ones(part, np.int64), range(threads)))
        return max(_trial(pool, parts, turns) for _ in range(TRIALS))


def _trial(pool: ThreadPoolExecutor, parts: list[npt.NDArray[np.int64]], turns: int) -> float:
    def read(part: npt.NDArray[np.int64]) -> None:
        for _ in range(turns):
            part.max()

    began = perf_counter()
    list(pool.map(read, parts))
    return turns * sum(part.nbytes for part in parts) / (perf_counter() - began)
