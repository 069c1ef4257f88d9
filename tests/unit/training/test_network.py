"""The trainer's own attention gives what PyTorch's gives; on a processor it is computed in plain products."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from desktop_app.training import network
from desktop_app.training.network import Attention


@pytest.mark.parametrize("causal", [False, True])
def test_attention_is_pytorchs(causal: bool) -> None:
    torch.manual_seed(1)
    attention, x = Attention(16, 2), torch.randn(3, 7, 16)
    own = attention(x, x, causal=causal)
    theirs = attention.mixed(F.scaled_dot_product_attention(*attention.split(x, x), is_causal=causal))
    assert torch.allclose(own, theirs, atol=1e-6)


def test_what_comes_later_changes_nothing_before_it() -> None:
    torch.manual_seed(2)
    attention, x = Attention(16, 2), torch.randn(1, 7, 16)
    changed = x.clone()
    changed[:, 5:] += 1
    before, after = attention(x, x, causal=True), attention(changed, changed, causal=True)
    assert torch.equal(before[:, :5], after[:, :5]) and not torch.equal(before[:, 5:], after[:, 5:])


@pytest.mark.parametrize(
    ("able", "halves_and_whole", "faster"), [(True, (1, 2), True), (True, (2, 1), False), (False, (1, 2), False)]
)
def test_a_processor_that_computes_halves_slowly_is_not_given_any(
    monkeypatch: pytest.MonkeyPatch, able: bool, halves_and_whole: tuple[int, int], faster: bool
) -> None:
    """Some can compute them, but need longer than for f32."""
    tries = iter(halves_and_whole)
    monkeypatch.setattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", lambda: able)
    monkeypatch.setattr(network.timeit, "repeat", lambda *_, **__: [9, next(tries), 9])
    network.processor_is_faster_with_halves.cache_clear()
    try:
        assert network.processor_is_faster_with_halves() is faster
        with network.autocast(torch.device("cpu")):
            assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == (torch.bfloat16 if faster else torch.float32)
    finally:
        network.processor_is_faster_with_halves.cache_clear()
