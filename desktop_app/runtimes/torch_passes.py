"""Passes of a decoder at fixed widths, on CUDA as graphs: the work of a pass is recorded once per width, then
replayed without Python.

A pass of n tokens runs at the smallest width that holds it, padded at its end: what the padding writes into the KV
cache lies after the text and is overwritten before a token attends it. At one width for all, every row of scores comes
from the same kernels in the same order, however the tokens are grouped, so passes of one and of many tokens agree to
the last bit. At a width for each number of tokens they differ in the last bits, as they do on other runtimes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from desktop_app.runtimes.torch_network import Decoder

Replay = Callable[[], Tensor]
Capture = Callable[[Callable[[], Tensor]], Replay]
"""Records the device work of a function; the replay repeats it on the same tensors and returns the same output."""

WIDEST = 16
ONE_WIDTH = (WIDEST,)
EACH_WIDTH = tuple(range(1, WIDEST + 1))


class Passes:
    """The passes of one decoder, recorded by `capture` when a width is first used; run step by step without it."""

    def __init__(
        self, decoder: Decoder, device: torch.device, widths: Sequence[int], capture: Capture | None = None
    ) -> None:
        self._decoder = decoder
        self._device = device
        self._widths = sorted(widths)
        self._capture = capture
        self._recorded: dict[int, tuple[Tensor, Replay]] = {}

    def run(self, tokens: Sequence[int], position: int) -> npt.NDArray[np.float32]:
        """Scores [k, vocabulary] that follow each of `tokens`, the first of which is at `position`.

        More tokens than the largest width are run in several passes, in a prefill too: the first draft follows it, and
        the prefill's scores must be those that it has without a draft.
        """
        widest = self._widths[-1]
        starts = range(0, len(tokens), widest)
        return np.concatenate([self._pass(tokens[at : at + widest], position + at) for at in starts])

    def _pass(self, tokens: Sequence[int], position: int) -> npt.NDArray[np.float32]:
        count = len(tokens)
        width = next(width for width in self._widths if width >= count)
        numbers = torch.tensor([[*tokens, *[0] * (width - count)], list(range(position, position + width))])
        if self._capture is None:
            scores = self._decoder(*numbers.to(self._device))
        else:
            if width not in self._recorded:
                self._recorded[width] = self._record(numbers.to(self._device), self._capture)
            inputs, replay = self._recorded[width]
            inputs.copy_(numbers)
            scores = replay()
        # Memory that the device can write to directly, and new each time: the scores are the caller's.
        found = torch.empty((count, scores.shape[1]), pin_memory=scores.is_cuda)
        return np.asarray(found.copy_(scores[:count]).numpy())

    def _record(self, inputs: Tensor, capture: Capture) -> tuple[Tensor, Replay]:
        return inputs, capture(lambda: self._decoder(*inputs))


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
