"""The trainer's own attention gives what PyTorch's gives; on a processor it is computed in plain products."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

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
