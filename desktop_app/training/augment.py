"""Changes windows of speech as rooms, lines and other people do, so that a draft that learns from few recordings meets
many kinds.

The label of a changed window is what the target writes of it, so that no change can teach anything wrong. Rooms, noise
and voices behind after Ko et al., "A study on data augmentation of reverberant speech for robust speech recognition"
(2017); the line is that of ITU-T G.711.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from desktop_app.transcript.constants import SAMPLE_RATE

_ROOM_SECONDS = 0.8
_MU = 255.0


@dataclass(frozen=True)
class Shares:
    """The share of windows that each change is made to; several may meet in one."""

    speed: float = 0.5
    room: float = 0.4
    voice: float = 0.15
    noise: float = 0.5
    band: float = 0.25
    telephone: float = 0.12
    loudness: float = 0.7


class Augmenter:
    """Changes windows by chance, the same ones alike for a `seed`."""

    def __init__(self, seed: int, shares: Shares | None = None) -> None:
        self._seed, self._shares = seed, shares or Shares()
        self._generators: dict[torch.device, torch.Generator] = {}

    def __call__(self, windows: Tensor) -> Tensor:
        """The windows [B, samples] at 16 kHz, most of them changed. A window that became shorter ends in silence."""
        shares, clean = self._shares, windows
        windows = self._some(windows, shares.speed, self._speed)
        windows = self._some(windows, shares.room, self._room)
        windows = self._some(windows, shares.voice, lambda some: self._voice(some, clean))
        windows = self._some(windows, shares.noise, lambda some: self._noise(some, clean))
        windows = self._some(windows, shares.band, self._band)
        windows = self._some(windows, shares.telephone, self._telephone)
        return self._some(windows, shares.loudness, self._loudness).clamp(-1, 1)

    def _some(self, windows: Tensor, share: float, change: Callable[[Tensor], Tensor]) -> Tensor:
        chosen = self._uniform(windows, 0, 1)[:, 0] < share
        if not chosen.any():
            return windows
        found = windows.clone()
        found[chosen] = change(windows[chosen])
        return found

    def _speed(self, windows: Tensor) -> Tensor:
        """0.88 to 1.14 times as fast, and higher or lower with it."""
        changed = torch.zeros_like(windows)
        for row, factor in enumerate(self._uniform(windows, 0.88, 1.14)[:, 0].tolist()):
            length = round(windows.shape[1] / factor)
            sound = torch.nn.functional.interpolate(windows[None, None, row], length, mode="linear")[0, 0]
            kept = min(length, windows.shape[1])
            changed[row, :kept] = sound[:kept]
        return changed

    def _room(self, windows: Tensor) -> Tensor:
        """Behind each sound an echo that dies away within 0.15 to 0.7 s."""
        length = round(_ROOM_SECONDS * SAMPLE_RATE)
        at = torch.arange(length, device=windows.device) / SAMPLE_RATE
        fading = torch.exp(-6.9 * at / self._uniform(windows, 0.15, 0.7))
        echo = self._normal(windows, length) * fading * (at > 0.002)
        echo = echo / echo.norm(dim=1, keepdim=True).clamp_min(1e-6) * _factor(self._uniform(windows, -12, 3))
        echo[:, 0] = 1.0
        reverberant = _convolved(windows, echo)
        return reverberant * (_level(windows) / _level(reverberant))

    def _voice(self, windows: Tensor, others: Tensor) -> Tensor:
        """Somebody else speaks for a part of the window, 3 to 15 dB softer."""
        other = others[self._which(windows, len(others))]
        at = torch.arange(windows.shape[1], device=windows.device) / windows.shape[1]
        start = self._uniform(windows, 0, 0.9)
        during = (at >= start) & (at < start + self._uniform(windows, 0.05, 0.3))
        softer = _factor(-self._uniform(windows, 3, 15))
        return windows + other * during * (_level(windows) * softer / _level(other))

    def _noise(self, windows: Tensor, others: Tensor) -> Tensor:
        """A noise 0 to 25 dB softer behind it: a hiss, or four people at once."""
        hiss = self._hiss(windows)
        babble = sum(others[self._which(windows, len(others))].roll(shift * SAMPLE_RATE, 1) for shift in (3, 7, 11, 17))
        behind = torch.where(self._uniform(windows, 0, 1) < 0.25, hiss, babble)
        softer = _factor(-self._uniform(windows, 0, 25))
        return windows + behind * (_level(windows) * softer / _level(behind))

    def _hiss(self, windows: Tensor) -> Tensor:
        """From white to brown noise."""
        spectrum = torch.fft.rfft(self._normal(windows, windows.shape[1]))
        hertz = torch.fft.rfftfreq(windows.shape[1], 1 / SAMPLE_RATE, device=windows.device).clamp_min(20)
        return torch.fft.irfft(spectrum * hertz ** -self._uniform(windows, 0, 1), windows.shape[1])

    def _band(self, windows: Tensor) -> Tensor:
        """Without what is above 2.5 to 6 kHz and below 20 to 250 Hz."""
        return _filtered(windows, self._uniform(windows, 20, 250), self._uniform(windows, 2500, 6000))

    def _telephone(self, windows: Tensor) -> Tensor:
        """300 to 3,400 Hz in 8 bits."""
        line = _filtered(windows, self._uniform(windows, 200, 350), self._uniform(windows, 3200, 3500))
        loudest = line.abs().amax(1, keepdim=True).clamp_min(1e-4)
        whole = torch.log1p(torch.tensor(_MU))
        packed = ((line / loudest).abs().mul(_MU).log1p() / whole * 127).round() / 127
        return line.sign() * torch.expm1(packed * whole) / _MU * loudest

    def _loudness(self, windows: Tensor) -> Tensor:
        """30 dB softer to 9 dB louder, which may clip."""
        return windows * _factor(self._uniform(windows, -30, 9))

    def _generator(self, device: torch.device) -> torch.Generator:
        if device not in self._generators:
            self._generators[device] = torch.Generator(device).manual_seed(self._seed)
        return self._generators[device]

    def _uniform(self, windows: Tensor, low: float, high: float) -> Tensor:
        """A number for each window, [B, 1]."""
        drawn = torch.rand((len(windows), 1), generator=self._generator(windows.device), device=windows.device)
        return low + (high - low) * drawn

    def _normal(self, windows: Tensor, length: int) -> Tensor:
        return torch.randn((len(windows), length), generator=self._generator(windows.device), device=windows.device)

    def _which(self, windows: Tensor, count: int) -> Tensor:
        """One of so many for each window, [B]."""
        generator = self._generator(windows.device)
        return torch.randint(count, (len(windows),), generator=generator, device=windows.device)


def _level(windows: Tensor) -> Tensor:
    """The root of the mean square, [B, 1]."""
    return windows.square().mean(1, keepdim=True).sqrt().clamp_min(1e-6)


def _factor(decibels: Tensor) -> Tensor:
    return 10 ** (decibels / 20)


def _convolved(windows: Tensor, kernels: Tensor) -> Tensor:
    size = windows.shape[1] + kernels.shape[1]
    return torch.fft.irfft(torch.fft.rfft(windows, size) * torch.fft.rfft(kernels, size), size)[:, : windows.shape[1]]


def _filtered(windows: Tensor, low: Tensor, high: Tensor) -> Tensor:
    """The frequencies between `low` and `high` [B, 1] in hertz, with soft edges."""
    spectrum = torch.fft.rfft(windows)
    hertz = torch.fft.rfftfreq(windows.shape[1], 1 / SAMPLE_RATE, device=windows.device)
    kept = torch.sigmoid((hertz - low) / (0.1 * low)) * torch.sigmoid((high - hertz) / (0.05 * high))
    return torch.fft.irfft(spectrum * kept, windows.shape[1])
