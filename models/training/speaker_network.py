"""The speaker network: filter banks of a few seconds to a vector that says who speaks.

A small time-delay network with gates over channels and attentive pooling, after ECAPA-TDNN (Desplanques et al. 2020,
https://arxiv.org/abs/2005.07143), without its splits, so that few lines run it anywhere. Shapes: N pieces, T frames of
10 ms, T' = ceil(T / 2), C channels.
"""

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from models.training.voices import RATE

BINS, DIMS, CHANNELS, WIDE = 80, 128, 192, 384
DILATIONS = (1, 2, 3, 4)
STRIDE = 2
FRAME, SHIFT, SPECTRUM = 400, 160, 512
FEATURES = {
    "sample_rate": RATE,
    "scale": 32768,
    "bins": BINS,
    "frame_ms": 25,
    "shift_ms": 10,
    "window": "hamming",
    "dither": 0.0,
    "low_hz": 20,
    "high_hz": RATE // 2,
    "whole_frames_only": True,
    "mean_subtracted": True,
}
"""The filter banks in the words of `speakers.json`: Kaldi's, as kaldi-native-fbank computes them."""


class FilterBanks(nn.Module):
    """Kaldi's log-mel filter banks, the mean over time subtracted."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("window", torch.hamming_window(FRAME, periodic=False))
        self.register_buffer("filters", mel_filters())

    @torch.no_grad()
    def forward(self, audio: Tensor) -> Tensor:
        """audio [N, samples], -1..1, to [N, T, 80]."""
        frames = (audio * FEATURES["scale"]).unfold(-1, FRAME, SHIFT)
        frames = frames - frames.mean(-1, keepdim=True)
        before = torch.cat([frames[..., :1], frames[..., :-1]], -1)
        power = torch.fft.rfft((frames - 0.97 * before) * self.window, SPECTRUM).abs().square()
        banks = (power[..., : SPECTRUM // 2] @ self.filters).clamp_min(torch.finfo(torch.float32).eps).log()
        return banks - banks.mean(1, keepdim=True)


def mel_filters() -> Tensor:
    """Kaldi's triangles [256, 80]: even on its mel scale from 20 Hz to half the sample rate."""

    def mel(hertz: Tensor) -> Tensor:
        return 1127.0 * torch.log1p(hertz / 700.0)

    ends = mel(torch.tensor([20.0, RATE / 2]))
    edges = torch.linspace(float(ends[0]), float(ends[1]), BINS + 2)
    places = mel(torch.arange(SPECTRUM // 2) * (RATE / SPECTRUM))[:, None]
    left, centre, right = edges[:-2], edges[1:-1], edges[2:]
    rising, falling = (places - left) / (centre - left), (right - places) / (right - centre)
    return torch.minimum(rising, falling).clamp_min(0.0)


class Normed(nn.Module):
    """A convolution and its batch norm, which the export folds into one convolution."""

    def __init__(self, inputs: int, outputs: int, width: int, stride: int = 1, dilation: int = 1) -> None:
        super().__init__()
        padding = dilation * (width // 2)
        self.conv = nn.Conv1d(inputs, outputs, width, stride, padding, dilation, bias=False)
        self.norm = nn.BatchNorm1d(outputs)

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(self.conv(x))  # type: ignore[no-any-return]

    def folded(self) -> tuple[Tensor, Tensor]:
        """Weight and bias of the one convolution that does the same once trained."""
        assert self.norm.running_mean is not None and self.norm.running_var is not None
        gain = self.norm.weight / (self.norm.running_var + self.norm.eps).sqrt()
        return self.conv.weight * gain[:, None, None], self.norm.bias - self.norm.running_mean * gain


class Block(nn.Module):
    """A dilated and a plain convolution beside a shortcut, gated per channel by the means over time."""

    def __init__(self, dilation: int) -> None:
        super().__init__()
        self.wide = Normed(CHANNELS, CHANNELS, 3, dilation=dilation)
        self.narrow = Normed(CHANNELS, CHANNELS, 1)
        self.squeeze = nn.Linear(CHANNELS, CHANNELS // 4)
        self.open = nn.Linear(CHANNELS // 4, CHANNELS)

    def forward(self, x: Tensor) -> Tensor:
        y = self.narrow(F.relu(self.wide(x)))
        gate = torch.sigmoid(self.open(F.relu(self.squeeze(y.mean(-1)))))
        return F.relu(x + y * gate[..., None])


class SpeakerNetwork(nn.Module):
    """Filter banks [N, T, 80] to unit vectors [N, 128]; their scalar product is the likeness of two voices."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = Normed(BINS, CHANNELS, 5, STRIDE)
        self.blocks = nn.ModuleList([Block(dilation) for dilation in DILATIONS])
        self.last = Normed(CHANNELS, WIDE, 1)
        self.attend = nn.Conv1d(WIDE, 64, 1)
        self.choose = nn.Conv1d(64, WIDE, 1)
        self.pooled = nn.BatchNorm1d(2 * WIDE)
        self.embed = nn.Linear(2 * WIDE, DIMS)

    def forward(self, banks: Tensor) -> Tensor:
        x = F.relu(self.stem(banks.transpose(1, 2)))
        for block in self.blocks:
            x = block(x)
        x = F.relu(self.last(x))
        shares = self.choose(torch.tanh(self.attend(x))).float().softmax(-1)
        x = x.float()
        mean = (shares * x).sum(-1)
        spread = ((shares * x * x).sum(-1) - mean * mean).clamp_min(1e-6).sqrt()
        return F.normalize(self.embed(self.pooled(torch.cat([mean, spread], -1))), dim=-1)


class AngularMargin(nn.Module):
    """Cross-entropy over speakers on cosines, the right one made harder by an angle (ArcFace, as used by ECAPA)."""

    def __init__(self, speakers: int, scale: float = 30.0) -> None:
        super().__init__()
        self.centres = nn.Parameter(torch.randn(speakers, DIMS))
        self.scale = scale

    def forward(self, vectors: Tensor, speakers: Tensor, margin: float) -> tuple[Tensor, Tensor]:
        """vectors [N, 128] of length 1 and speaker numbers [N] to the loss and the share of right guesses."""
        cosines = vectors.float() @ F.normalize(self.centres, dim=-1).T
        right = cosines.gather(1, speakers[:, None])
        harder = right * math.cos(margin) - (1 - right * right).clamp_min(1e-6).sqrt() * math.sin(margin)
        scores = self.scale * cosines.scatter(1, speakers[:, None], harder)
        return F.cross_entropy(scores, speakers), (cosines.argmax(-1) == speakers).float().mean()


def folded_tensors(network: SpeakerNetwork) -> Iterator[tuple[str, Tensor]]:
    """Names and values of the exported file: every batch norm is part of the layer beside it."""
    norms = {name: module for name, module in network.named_modules() if isinstance(module, Normed)}
    for name, module in norms.items():
        weight, bias = module.folded()
        yield f"{name}.weight", weight
        yield f"{name}.bias", bias
    for name, module in network.named_modules():
        if name == "embed":
            norm = network.pooled
            assert norm.running_mean is not None and norm.running_var is not None
            gain = norm.weight / (norm.running_var + norm.eps).sqrt()
            shift = norm.bias - norm.running_mean * gain
            yield "embed.weight", network.embed.weight * gain
            yield "embed.bias", network.embed.bias + network.embed.weight @ shift
        elif isinstance(module, nn.Linear | nn.Conv1d) and name.rpartition(".")[0] not in norms:
            yield f"{name}.weight", module.weight
            yield f"{name}.bias", module.bias  # type: ignore[misc]


@torch.no_grad()
def unfolded(folder: Path, banks: Tensor) -> SpeakerNetwork:
    """The network that `export` wrote, to be trained on: every batch norm is made anew, with the means and spreads of
    these filter banks [N, T, 80] and the scale and shift that leave everything as it was.
    """
    network, found = SpeakerNetwork().eval(), load_file(folder / "speakers.safetensors")
    for name, module in network.named_modules():
        if isinstance(module, Normed):
            module.conv.weight.copy_(found[f"{name}.weight"])
            module.norm.bias.copy_(found[f"{name}.bias"])
        elif f"{name}.weight" in found and isinstance(module, nn.Linear | nn.Conv1d):
            module.weight.copy_(found[f"{name}.weight"])
            module.bias.copy_(found[f"{name}.bias"])  # type: ignore[union-attr]

    def begin(norm: nn.BatchNorm1d, inputs: tuple[Tensor]) -> None:
        axes = [axis for axis in range(inputs[0].ndim) if axis != 1]
        mean, spread = inputs[0].mean(axes), inputs[0].var(axes)
        norm.running_mean, norm.running_var = mean, spread
        norm.weight.copy_((spread + norm.eps).sqrt())
        norm.bias.add_(mean)

    hooks = [m.register_forward_pre_hook(begin) for m in network.modules() if isinstance(m, nn.BatchNorm1d)]
    network(banks)
    for hook in hooks:
        hook.remove()
    return network


def export(
    network: SpeakerNetwork, folder: Path, threshold: float, clustering: dict[str, float], measured: dict[str, Any]
) -> int:
    """Write `speakers.safetensors` (half precision) and `speakers.json` into `folder`; returns the bytes of weights.
    `clustering` holds the limits of likeness (desktop_app/speakers/networks.py).
    """
    tensors = {name: value.detach().half().contiguous() for name, value in folded_tensors(network)}
    path = folder / "speakers.safetensors"
    save_file(tensors, path, metadata={"format": "pt"})
    path.chmod(0o644)
    described = {
        "format": 1,
        "architecture": "tdnn-se-asp",
        "stride": STRIDE,
        "dilations": DILATIONS,
        "dims": DIMS,
        "features": FEATURES,
        "threshold": round(threshold, 3),
        "clustering": clustering,
        "measured": measured,
    }
    (folder / "speakers.json").write_text(json.dumps(described, indent=2) + "\n")
    return path.stat().st_size
