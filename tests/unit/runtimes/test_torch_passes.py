"""What is recorded once is right every time it is repeated.

`Tape` stands for a CUDA graph and is as strict: it repeats the operations that were started, on the memory they were
started on, and no Python runs again. What it cannot show is CUDA's own part, the ten lines of `cuda_graphs`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from desktop_app.checkpoints.folder import read
from desktop_app.runtimes.torch import reader
from desktop_app.runtimes.torch_network import TorchDecoder, Weights
from desktop_app.runtimes.torch_passes import EACH_WIDTH, ONE_WIDTH, Passes, Replay, cuda_graphs
from tests.unit.runtimes.conftest import Pair

pytestmark = pytest.mark.usefixtures("one_thread")

READS_THE_DEVICE = {"_local_scalar_dense", "nonzero", "lift_fresh", "lift_fresh_copy", "is_nonzero", "item"}


class Calls(TorchDispatchMode):
    """The operations of a pass, in order. Not in inference mode, where large ones choose their parts anew."""

    def __init__(self) -> None:
        super().__init__()
        self._steps: list[tuple[Any, Any, Any, Any]] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        assert func.overloadpacket.__name__ not in READS_THE_DEVICE, f"{func} cannot be recorded"
        found = func(*args, **(kwargs or {}))
        self._steps.append((func, args, kwargs or {}, found))
        return found

    def replay(self) -> None:
        for func, args, kwargs, found in self._steps:
            again = func(*args, **kwargs)
            for old, new in zip(tree_leaves(found), tree_leaves(again), strict=True):
                if isinstance(old, Tensor) and old.data_ptr() != new.data_ptr():
                    old.copy_(new)


class Recorder:
    """Captures on a tape; `widths` are those that were recorded."""

    def __init__(self) -> None:
        self.recorded, self.repeated = 0, 0

    def __call__(self, work: Callable[[], Tensor]) -> Replay:
        self.recorded += 1
        with Calls() as tape:
            scores = work()
        scores.fill_(float("nan"))  # nothing has run yet when a CUDA graph is recorded

        def replay() -> Tensor:
            self.repeated += 1
            tape.replay()
            return scores

        return replay


@pytest.fixture(params=[torch.float32, torch.bfloat16], ids=["f32", "bf16"])
def decoder(request: pytest.FixtureRequest, toy: Pair) -> TorchDecoder:
    checkpoint = read(toy.folder)
    with torch.no_grad():
        weights = Weights(reader(checkpoint), torch.device("cpu"), request.param)
        decoder = TorchDecoder(weights, checkpoint.shape, spare=16)
        decoder.set_window(torch.from_numpy(toy.encoded[0]).to(request.param))
    return decoder


@torch.no_grad()
def scores(passes: Passes, tokens: list[int], sizes: list[int]) -> np.ndarray:
    """The scores of a text in passes of these sizes, each with three wrong tokens behind it that are written over."""
    found, at = [], 0
    for size in sizes:
        found.append(passes.run([(0, [*tokens[at : at + size], 7, 7, 7], at)])[0][:size])
        at += size
    return np.concatenate(found)


@pytest.mark.parametrize("widths", [ONE_WIDTH, EACH_WIDTH], ids=["one width", "each width"])
def test_a_recorded_pass_is_the_pass(decoder: TorchDecoder, widths: tuple[int, ...]) -> None:
    tokens = np.random.default_rng(4).integers(0, 300, 200).tolist()
    sizes = [30, *np.random.default_rng(5).integers(1, 16, 18).tolist()]
    plain = scores(Passes(decoder, torch.device("cpu"), widths), tokens, sizes)
    recorder = Recorder()
    recorded = scores(Passes(decoder, torch.device("cpu"), widths, recorder), tokens, sizes)
    np.testing.assert_array_equal(recorded, plain)
    sizes = [size + 3 for size in sizes]
    used = {min(width for width in widths if width >= part) for size in sizes for part in _parts(size)}
    assert recorder.recorded == len(used), "each width is recorded once, and only when it is used"
    assert recorder.repeated == sum(len(_parts(size)) for size in sizes)


def _parts(size: int) -> list[int]:
    return [16] * (size // 16) + ([size % 16] if size % 16 else [])


def test_what_a_cuda_graph_is_made_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """The order of CUDA's calls, with stand-ins for them: tried once aside, recorded in the shared memory, repeated."""
    said: list[str] = []

    class Stream:
        def wait_stream(self, other: Stream) -> None:
            said.append("wait")

    class Graph:
        def replay(self) -> None:
            said.append("replay")

    def recording(graph: Graph, pool: str) -> AbstractContextManager[None]:
        said.append(f"record in {pool}")
        return nullcontext()

    monkeypatch.setattr(torch.cuda, "graph_pool_handle", lambda: "pool")
    monkeypatch.setattr(torch.cuda, "Stream", Stream)
    monkeypatch.setattr(torch.cuda, "current_stream", Stream)
    monkeypatch.setattr(torch.cuda, "stream", lambda stream: nullcontext())
    monkeypatch.setattr(torch.cuda, "CUDAGraph", Graph)
    monkeypatch.setattr(torch.cuda, "graph", recording)

    made: list[Tensor] = []

    def work() -> Tensor:
        said.append("work")
        made.append(torch.zeros(1))
        return made[-1]

    replay = cuda_graphs()(work)
    assert said == ["wait", "work", "wait", "record in pool", "work"]
    assert replay() is made[1] and replay() is made[1]
    assert said[5:] == ["replay", "replay"]
