"""Passes of a decoder at fixed widths, on CUDA as graphs: the work of a pass is recorded once per width, then
replayed without Python.

A pass of n tokens runs at the smallest width that holds it, padded at its end: what the padding writes into the KV
cache lies after the text and is overwritten before a token attends it. At one width for all, the scores of a token come
from the same kernels in the same order, however the tokens are grouped, so passes of one and of many tokens agree to
the last bit. At a width for each number of tokens they differ in the last bits, as they do on other runtimes.

A pass has all rows of the decoder, whether they have tokens to read or not, for the same reason: its shape, and with
it every sum, is the same whatever other texts there are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from desktop_app.runtimes.torch_network import TorchDecoder

Read = tuple[int, Sequence[int], int]
"""What a row reads in a pass: its number, some tokens, and the position of the first of them."""

Replay = Callable[[], Tensor]
Capture = Callable[[Callable[[], Tensor]], Replay]
"""Records the device work of a function; the replay repeats it on the same tensors and returns the same output."""

WIDEST = 16
ONE_WIDTH = (WIDEST,)
EACH_WIDTH = tuple(range(1, WIDEST + 1))


class Passes:
    """The passes of one decoder, recorded by `capture` when a width is first used; run step by step without it."""

    def __init__(
        self, decoder: TorchDecoder, device: torch.device, widths: Sequence[int], capture: Capture | None = None
    ) -> None:
        self._decoder = decoder
        self._device = device
        self._widths = sorted(widths)
        self._capture = capture
        self._recorded: dict[int, tuple[Tensor, Replay]] = {}

    @property
    def narrowest(self) -> int:
        """The tokens of the smallest pass: fewer are filled up to that many."""
        return self._widths[0]

    def run(self, reads: Sequence[Read]) -> list[npt.NDArray[np.float32]]:
        """For each read, which is of a row of its own, the scores [k, vocabulary] that follow its k tokens.

        More tokens than the largest width are run in several passes, in a prefill too: the first draft follows it, and
        the prefill's scores must be those that it has without a draft.
        """
        widest = self._widths[-1]
        found: dict[int, list[npt.NDArray[np.float32]]] = {row: [] for row, _, _ in reads}
        for at in range(0, max(len(tokens) for _, tokens, _ in reads), widest):
            parts = [(row, part, first + at) for row, tokens, first in reads if (part := tokens[at : at + widest])]
            for (row, _, _), scores in zip(parts, self._pass(parts), strict=True):
                found[row].append(scores)
        return [np.concatenate(parts) for parts in found.values()]

    def _pass(self, reads: Sequence[Read]) -> list[npt.NDArray[np.float32]]:
        most = max(len(tokens) for _, tokens, _ in reads)
        width = next(width for width in self._widths if width >= most)
        decoder = self._decoder
        numbers = torch.zeros((2, decoder.rows, width), dtype=torch.int64)
        numbers[1] = torch.arange(decoder.positions, decoder.positions + width)  # of rows that read nothing
        for row, tokens, first in reads:
            numbers[0, row, : len(tokens)] = torch.tensor(tokens)
            numbers[1, row] = torch.arange(first, first + width)
        if self._capture is None:
            scores = decoder(*numbers.to(self._device))
        else:
            if width not in self._recorded:
                self._recorded[width] = self._record(numbers.to(self._device), self._capture)
            inputs, replay = self._recorded[width]
            inputs.copy_(numbers)
            scores = replay()
        return [_copy(scores[row, : len(tokens)]) for row, tokens, _ in reads]

    def _record(self, inputs: Tensor, capture: Capture) -> tuple[Tensor, Replay]:
        return inputs, capture(lambda: self._decoder(*inputs))


def _copy(scores: Tensor) -> npt.NDArray[np.float32]:
    """In memory that the device can write to directly, and new each time: the scores are the caller's."""
    found = torch.empty(scores.shape, pin_memory=scores.is_cuda)
    return np.asarray(found.copy_(scores).numpy())


def cuda_graphs() -> Capture:
    """CUDA graphs on the current device. They share their memory, as only one of them runs at a time."""
    pool = torch.cuda.graph_pool_handle()

    def capture(work: Callable[[], Tensor]) -> Replay:
        aside = torch.cuda.Stream()
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            work()  # libraries make themselves ready at their first call, which must not be recorded
        torch.cuda.current_stream().wait_stream(aside)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=pool):
            scores = work()

        def replay() -> Tensor:
            graph.replay()
            return scores

        return replay

    return capture
