"""Whisper's network in plain PyTorch, with the parameter names of Hugging Face, and what only the training needs.

Shapes: B rows, F encoder frames (50 a second), T tokens, D width. A window may be shorter than 30 s: it then uses a
slice of the encoder's positions that starts at the row's offset.
"""

import math
import random
from collections.abc import Mapping

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from transformers import WhisperFeatureExtractor

from desktop_app.training.network import Attention

FRAMES = 1500
TARGET_POSITIONS = 448
MELS = 80


class SeenAttention(Attention):
    """Attention that also says where it looked."""

    def with_weights(self, x: Tensor, source: Tensor) -> tuple[Tensor, Tensor]:
        """As `forward`, and the attention weights [B, heads, T, S]."""
        q, k, v = self.split(x, source)
        weights = self.weights(q, k)
        return self.mixed(weights @ v.contiguous()), weights


class EncoderLayer(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.self_attn = Attention(width, heads)
        self.self_attn_layer_norm = nn.LayerNorm(width)
        self.fc1 = nn.Linear(width, 4 * width)
        self.fc2 = nn.Linear(4 * width, width)
        self.final_layer_norm = nn.LayerNorm(width)

    def forward(self, x: Tensor) -> Tensor:
        normed = self.self_attn_layer_norm(x)
        x = x + self.self_attn(normed, normed)
        return x + self.fc2(F.gelu(self.fc1(self.final_layer_norm(x))))


class Encoder(nn.Module):
    def __init__(self, width: int, heads: int, layers: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv1d(MELS, width, 3, padding=1)
        self.conv2 = nn.Conv1d(width, width, 3, stride=2, padding=1)
        self.embed_positions = nn.Embedding(FRAMES, width)
        self.layers = nn.ModuleList([EncoderLayer(width, heads) for _ in range(layers)])
        self.layer_norm = nn.LayerNorm(width)

    def grow(self, layers: int) -> None:
        """Make it so many layers. A new one, behind the last, changes nothing until it has learnt: the last matrix of
        each of its parts is zero (Net2Net's deeper student, arXiv:1511.05641)."""
        width, heads = self.layer_norm.weight.shape[0], self.layers[0].self_attn.heads
        while len(self.layers) < layers:
            layer = EncoderLayer(width, heads).to(self.layer_norm.weight.device)
            start(layer)
            for last in (layer.self_attn.out_proj, layer.fc2):
                nn.init.zeros_(last.weight)
            self.layers.append(layer)

    def forward(self, mel: Tensor, offsets: Tensor) -> Tensor:
        """Log-mel [B, 80, 2F] and the first position of each row [B] to [B, F, D]."""
        x = F.gelu(self.conv2(F.gelu(self.conv1(mel)))).transpose(1, 2)
        positions = offsets[:, None] + torch.arange(x.shape[1], device=x.device)
        x = x + self.embed_positions(positions)
        for layer in self.layers:
            x = layer(x)
        return self.layer_norm(x)


class DecoderLayer(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.self_attn = Attention(width, heads)
        self.self_attn_layer_norm = nn.LayerNorm(width)
        self.encoder_attn = SeenAttention(width, heads)
        self.encoder_attn_layer_norm = nn.LayerNorm(width)
        self.fc1 = nn.Linear(width, 4 * width)
        self.fc2 = nn.Linear(4 * width, width)
        self.final_layer_norm = nn.LayerNorm(width)

    def forward(self, x: Tensor, audio: Tensor, weights: bool) -> tuple[Tensor, Tensor | None]:
        normed = self.self_attn_layer_norm(x)
        x = x + self.self_attn(normed, normed, causal=True)
        normed, seen = self.encoder_attn_layer_norm(x), None
        if weights:
            heard, seen = self.encoder_attn.with_weights(normed, audio)
        else:
            heard = self.encoder_attn(normed, audio)
        x = x + heard
        return x + self.fc2(F.gelu(self.fc1(self.final_layer_norm(x)))), seen


class Decoder(nn.Module):
    def __init__(self, vocabulary: int, width: int, heads: int, layers: int) -> None:
        super().__init__()
        self.embed_tokens = nn.Embedding(vocabulary, width)
        self.embed_positions = nn.Embedding(TARGET_POSITIONS, width)
        self.layers = nn.ModuleList([DecoderLayer(width, heads) for _ in range(layers)])
        self.layer_norm = nn.LayerNorm(width)

    def forward(
        self,
        tokens: Tensor,
        audio: Tensor,
        guided: tuple[int, ...] = (),
        exits: tuple[int, ...] = (),
        skip: float = 0.0,
    ) -> tuple[Tensor, list[Tensor], list[Tensor]]:
        """Tokens [B, T] and the encoder's output to scores [B, T, V], the cross-attention weights of the layers
        `guided`, and the scores of a decoder that stops after each layer of `exits`.

        Each layer behind the first exit is left out with the chance `skip` (layer dropout of LayerSkip,
        arXiv:2404.16710), so that those before it learn to write alone.
        """
        x = self.embed_tokens(tokens) + self.embed_positions.weight[: tokens.shape[1]]
        seen: list[Tensor] = []
        early: list[Tensor] = []
        for i, layer in enumerate(self.layers):
            if skip and i > exits[0] and random.random() < skip:
                continue
            x, weights = layer(x, audio, weights=i in guided)
            if weights is not None:
                seen.append(weights)
            if i in exits:
                early.append(self.scores(x))
        return self.scores(x), seen, early

    def scores(self, x: Tensor) -> Tensor:
        """The final norm and the head, which is the token embedding."""
        return F.linear(self.layer_norm(x), self.embed_tokens.weight)


class Whisper(nn.Module):
    """Encoder and decoder, and the phone head that only training uses."""

    def __init__(self, vocabulary: int, phones: int, width: int, heads: int, layers: int) -> None:
        super().__init__()
        self.encoder = Encoder(width, heads, layers)
        self.decoder = Decoder(vocabulary, width, heads, layers)
        self.phone_head = nn.Linear(width, phones)
        start(self)


def encoder_layers(weights: Mapping[str, Tensor]) -> int:
    """How many layers the encoder has whose tensors these are, among others."""
    return len({name.split("encoder.layers.")[1].split(".")[0] for name in weights if "encoder.layers." in name})


def start(model: nn.Module) -> None:
    """Initial weights that leave the first plateau: Xavier for matrices, quiet positions and embeddings."""
    quiet: list[Encoder] = []
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear):
            nn.init.xavier_uniform_(module.weight)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
        elif isinstance(module, nn.Embedding):
            nn.init.normal_(module.weight, std=0.02 if "positions" in name else 0.05)
        if isinstance(module, Encoder):
            quiet.append(module)
    for encoder in quiet:
        with torch.no_grad():
            encoder.embed_positions.weight.copy_(0.3 * sinusoids(FRAMES, encoder.embed_positions.embedding_dim))


def place_times(decoder: "Decoder", time0: int) -> None:
    """Start time tokens and decoder positions as waves, as the encoder's positions are: one linear map then leads from
    a start time to its place in the audio, another counts the tokens since."""
    width = decoder.embed_tokens.embedding_dim
    with torch.no_grad():
        decoder.embed_tokens.weight[time0:].copy_(0.07 * sinusoids(FRAMES + 1, width))
        decoder.embed_positions.weight.copy_(0.07 * sinusoids(TARGET_POSITIONS, width))


def sinusoids(length: int, width: int) -> Tensor:
    """Whisper's position waves [length, width]."""
    rates = torch.exp(-math.log(10000.0) / (width // 2 - 1) * torch.arange(width // 2))
    angles = torch.arange(length)[:, None] * rates
    return torch.cat([angles.sin(), angles.cos()], dim=1)


class LogMel(nn.Module):
    """Whisper's log-mel spectrogram; behind the end of a recording it is 0, as in the last window of a long one."""

    def __init__(self) -> None:
        super().__init__()
        filters = WhisperFeatureExtractor(feature_size=MELS).mel_filters.T
        self.register_buffer("filters", torch.from_numpy(filters.astype("float32")))
        self.register_buffer("window", torch.hann_window(400))

    @torch.no_grad()
    def forward(self, audio: Tensor, ends: Tensor | None = None) -> Tensor:
        """audio [B, samples] at 16 kHz, over behind the samples `ends` [B], to [B, 80, samples / 160]."""
        spectrum = torch.stft(audio, 400, 160, window=self.window, return_complex=True)[..., :-1]
        log = (self.filters @ spectrum.abs().square()).clamp_min(1e-10).log10()
        mel = (torch.maximum(log, log.amax((1, 2), keepdim=True) - 8.0) + 4.0) / 4.0
        if ends is None:
            return mel
        return mel * (torch.arange(mel.shape[-1], device=mel.device) < ends[:, None, None] // 160)


def other_throats(mel: Tensor, share: float) -> Tensor:
    """The spectrogram [B, 80, T] with a `share` of its rows read at other bands, off by a smooth curve of about two
    bands: formants move one by one, as from one throat to another (after vocal tract length perturbation, Jaitly and
    Hinton 2013, which moves all of them together)."""
    rows, bands, times = mel.shape
    at = torch.arange(bands, device=mel.device, dtype=torch.float32)
    waves = torch.arange(1, 5, device=mel.device)[:, None] * (math.pi / bands) * at
    phases = 2 * math.pi * torch.rand(rows, 4, 1, device=mel.device)
    heights = torch.randn(rows, 4, 1, device=mel.device) * (torch.rand(rows, 1, 1, device=mel.device) < share)
    places = (at + (heights * torch.cos(waves + phases)).sum(1)).clamp(0, bands - 1)
    below = places.floor().clamp_max(bands - 2)
    part = (places - below)[:, :, None]
    below = below.long()[:, :, None].expand(-1, -1, times)
    return mel.gather(1, below) * (1 - part) + mel.gather(1, below + 1) * part


def masked(mel: Tensor, share: float) -> Tensor:
    """The spectrogram [B, 80, T] with a `share` of its rows coloured and masked.

    Such a row gets a smooth curve over its bands (about 4 dB), and the row's mean in two of its bands and two moments
    of up to 0.25 s (SpecAugment, arXiv:1904.08779).
    """
    rows, bands, times = mel.shape
    chosen = torch.rand(rows, 1, 1, device=mel.device) < share
    at, when = torch.arange(bands, device=mel.device), torch.arange(times, device=mel.device)
    waves = torch.arange(1, 5, device=mel.device)[:, None] * (math.pi / bands) * at
    phases = 2 * math.pi * torch.rand(rows, 4, 1, device=mel.device)
    heights = 0.06 * torch.randn(rows, 4, 1, device=mel.device)
    hidden = torch.zeros_like(mel, dtype=torch.bool)
    for _ in range(2):
        hidden = hidden | _stretch(at, rows, 12)[:, :, None] | _stretch(when, rows, 25)[:, None, :]
    changed = mel + (heights * torch.cos(waves + phases)).sum(1)[:, :, None]
    changed = torch.where(hidden, mel.mean((1, 2), keepdim=True), changed)
    return torch.where(chosen, changed, mel)


def _stretch(places: Tensor, rows: int, longest: int) -> Tensor:
    """For each row whether each of the places lies in one stretch of random place and length, [rows, places]."""
    length = longest * torch.rand(rows, 1, device=places.device)
    first = (len(places) - length) * torch.rand(rows, 1, device=places.device)
    return (places >= first) & (places < first + length)
