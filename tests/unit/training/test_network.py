"""The trainer's own attention gives what PyTorch's gives; on a processor it is computed in plain products."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from desktop_app.checkpoints.shape import Shape
from desktop_app.training import network
from desktop_app.training.network import Attention, Decoder


@pytest.mark.parametrize("causal", [False, True])
def test_attention_is_pytorchs(causal: bool) -> None:
    torch.manual_seed(1)
    attention, x = Attention(16, 2), torch.randn(3, 7, 16)
    q, (k, v) = attention.queries(x), attention.memory(x)
    own = attention.attend(q, k, v, causal)
    theirs = attention.out_proj(F.scaled_dot_product_attention(q, k, v, is_causal=causal).transpose(1, 2).flatten(2))
    assert torch.allclose(own, theirs, atol=1e-6)


def test_token_by_token_the_scores_are_those_of_one_pass() -> None:
    """Labels are written by steps with a memory, drafts learn in one pass: both must be the same network."""
    torch.manual_seed(3)
    shape = Shape(16, 1, 2, 32, 2, 2, 32, 80, 30, 20, 50, own_head=False)
    decoder, tokens, encoded = Decoder(shape).eval(), torch.randint(50, (3, 6)), torch.randn(3, 30, 16)
    together = decoder(tokens, encoded, torch.ones(3, 6, dtype=torch.bool)).view(3, 6, 50)
    past = None
    for position in range(6):
        scores, past = decoder.step(tokens[:, position], position, decoder.memory(encoded), past)
        assert torch.allclose(scores, together[:, position], atol=1e-5)


def test_what_comes_later_changes_nothing_before_it() -> None:
    torch.manual_seed(2)
    attention, x = Attention(16, 2), torch.randn(1, 7, 16)
    changed = x.clone()
    changed[:, 5:] += 1
    before, after = (attention.attend(attention.queries(each), *attention.memory(each), True) for each in (x, changed))
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
