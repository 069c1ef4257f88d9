"""People made of tones: everybody hums to and fro between two notes, and the vector of a piece says which."""

from __future__ import annotations

import numpy as np

from desktop_app.speakers.networks import RATE, Array, Limits, Networks
from desktop_app.speakers.speech import CHUNK

NOTES = {"a": (300.0, 500.0), "b": (900.0, 1300.0), "c": (2400.0, 3200.0)}


def talk(*parts: tuple[str, float]) -> Array:
    """Sounds one after another, each of somebody and so many seconds long; "" is silence."""
    return np.concatenate([_hum(who, seconds) for who, seconds in parts])


def _hum(who: str, seconds: float) -> Array:
    times = np.arange(round(seconds * RATE)) / RATE
    noise = np.random.default_rng(1).standard_normal(times.size) * 1e-3
    low, high = NOTES.get(who, (0.0, 0.0))
    note = np.where(times * 5 % 1 < 0.5, np.sin(2 * np.pi * low * times), np.sin(2 * np.pi * high * times))
    return np.asarray(0.3 * note + noise, np.float32)


def loud(samples: Array) -> Array:
    """A Voice that takes every sound for speech."""
    return np.asarray(np.abs(samples.reshape(-1, CHUNK)).max(1) > 0.05, np.float32)


def embed(banks: Array) -> Array:
    """An Embed: which bands come and go."""
    return np.asarray(np.maximum(banks.std(1) - 2.0, 0.0), np.float32)


NETWORKS = Networks("tones", embed, Limits(alike=0.9, doubt=0.5, same=0.85, least=0.7))
