"""Sounds in which nobody speaks: silence, noise, machines, music. Made by numpy, the same each time."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from desktop_app.transcript.constants import SAMPLE_RATE

Samples = npt.NDArray[np.float32]
_SCALE = (220, 247, 262, 294, 330, 349, 392, 440, 494, 523)


def without_speech(seconds: int = 12) -> dict[str, Samples]:
    """Twenty named sounds, mono at 16 kHz."""
    draw = np.random.default_rng(0)
    time = np.arange(seconds * SAMPLE_RATE) / SAMPLE_RATE
    seven_hertz = 1 + 0.3 * np.sin(2 * np.pi * 7 * time)
    found = {
        "silence": np.zeros_like(time),
        "offset": np.full_like(time, 0.01),
        **{f"white noise {level}": draw.normal(0, level, len(time)) for level in (0.001, 0.01, 0.2)},
        **{f"pink noise {level}": level * _noise(len(time), 0.5) for level in (0.02, 0.2)},
        **{f"brown noise {level}": level * _noise(len(time), 1.0) for level in (0.02, 0.2)},
        "mains hum": 0.1 * _tones(time, 50, 100, 150),
        "mains hum and noise": 0.05 * _tones(time, 60) + draw.normal(0, 0.005, len(time)),
        "fan": 0.1 * _noise(len(time), 0.7) * seven_hertz,
        "dial tone": 0.1 * _tones(time, 350, 440),
        "beeps": 0.3 * _tones(time, 800) * (2 * time % 1 < 0.3),
        "whistle": 0.2 * np.sin(2 * np.pi * (100 + 150 * time) * time),
        "clicks": np.where(np.arange(len(time)) % (SAMPLE_RATE // 2) == 0, 0.9, 0.0),
        "drums": _hits(time, np.arange(0, seconds, 0.5), 30, 0.4),
        "typing": _hits(time, np.cumsum(draw.uniform(0.08, 0.3, 5 * seconds)), 120, 0.2),
        "plucked strings": _melody(time, 4, 1),
        "organ": _melody(time, 0.7, 2),
    }
    return {name: np.clip(sound, -1, 1).astype(np.float32) for name, sound in found.items()}


def babble(seconds: float, seed: int) -> Samples:
    """Gliding tones in noise, another one every second or so: something else to hear in every window."""
    draw, parts, left = np.random.default_rng(seed), [], round(seconds * SAMPLE_RATE)
    while left > 0:
        count = min(left, int(draw.integers(SAMPLE_RATE // 10, SAMPLE_RATE * 3 // 2)))
        time = np.arange(count) / SAMPLE_RATE
        tone = np.sin(2 * np.pi * np.exp(draw.uniform(4.5, 8)) * time * (1 + draw.uniform(-0.2, 0.2) * time))
        parts.append(draw.uniform(0, 0.3) * tone + draw.normal(0, draw.uniform(0, 0.1), count))
        left -= count
    return np.concatenate(parts).astype(np.float32)


def _tones(time: npt.NDArray[np.float64], *hertz: float) -> npt.NDArray[np.float64]:
    return np.sum([np.sin(2 * np.pi * each * time) / (index + 1) for index, each in enumerate(hertz)], axis=0)


def _noise(count: int, power: float) -> npt.NDArray[np.float64]:
    """Noise whose spectrum falls with this power of the frequency, at most 1."""
    spectrum = np.fft.rfft(np.random.default_rng(1).normal(size=count))
    noise = np.fft.irfft(spectrum / np.maximum(np.arange(len(spectrum)), 1) ** power, count)
    return noise / np.abs(noise).max()


def _fading(time: npt.NDArray[np.float64], start: float, speed: float) -> npt.NDArray[np.float64]:
    return (time >= start) * np.exp(-np.maximum(time - start, 0) * speed)


def _hits(time: npt.NDArray[np.float64], starts: npt.NDArray[np.float64], speed: float, level: float) -> Samples:
    noise = np.random.default_rng(2).normal(0, level, len(time))
    return np.sum([_fading(time, start, speed) * noise for start in starts], axis=0)


def _melody(time: npt.NDArray[np.float64], speed: float, seed: int) -> npt.NDArray[np.float64]:
    draw, sound = np.random.default_rng(seed), np.zeros_like(time)
    for start in np.arange(0, time[-1], 0.25):
        note = _SCALE[draw.integers(len(_SCALE))]
        sound += _fading(time, start, speed) * _tones(time - start, *(note * (index + 1) for index in range(5)))
    return 0.25 * sound / np.abs(sound).max()
