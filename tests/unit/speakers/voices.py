"""People made of tones: everybody hums to and fro between two notes, and the networks here hear which."""

from __future__ import annotations

import numpy as np

from desktop_app.speakers.networks import REDUCTION, Array, Networks, VoiceLimits
from desktop_app.speakers.powerset import CENTRE, CLASSES, FRAMES, SHIFT
from desktop_app.transcript.constants import SAMPLE_RATE

NOTES = {"a": (300.0, 500.0), "b": (900.0, 1300.0), "c": (2400.0, 3200.0)}


def talk(*parts: tuple[str, float]) -> Array:
    """Sounds one after another, each of somebody and so many seconds long; "" is silence."""
    return np.concatenate([_hum(who, seconds) for who, seconds in parts])


def _hum(who: str, seconds: float) -> Array:
    times = np.arange(round(seconds * SAMPLE_RATE)) / SAMPLE_RATE
    noise = np.random.default_rng(1).standard_normal(times.size) * 1e-3
    low, high = NOTES.get(who, (0.0, 0.0))
    note = np.where(times * 5 % 1 < 0.5, np.sin(2 * np.pi * low * times), np.sin(2 * np.pi * high * times))
    return np.asarray(0.3 * note + noise, np.float32)


def segment(samples: Array) -> Array:
    """A Segment that hears the people: who comes first in the window is the first of its speakers."""
    parts = np.lib.stride_tricks.sliding_window_view(samples[0, 0], 2 * CENTRE)[::SHIFT][:FRAMES]
    spectrum = np.abs(np.fft.rfft(parts, axis=1))
    bins = {who: [round(note * 2 * CENTRE / SAMPLE_RATE) for note in notes] for who, notes in NOTES.items()}
    on = {who: spectrum[:, places].max(1) > 20 for who, places in bins.items()}
    order = sorted(on, key=lambda who: int(on[who].argmax()) if on[who].any() else FRAMES)
    speaking = np.stack([on[who] for who in order], 1)
    speaking[speaking.all(1), 2] = False
    kind = (speaking[:, None] == CLASSES).all(2).argmax(1)
    return np.asarray(10 * np.eye(len(CLASSES))[kind][None], np.float32)


def features(banks: Array) -> Array:
    """Features: the filter banks themselves."""
    return banks[:, ::REDUCTION]


def embed(statistics: Array) -> Array:
    """An Embed: which bands come and go."""
    return np.asarray(np.maximum(statistics[:, statistics.shape[1] // 2 :] - 2.0, 0.0), np.float32)


NETWORKS = Networks("tones", segment, features, embed, VoiceLimits(alike=0.9, doubt=0.5, same=0.85, least=0.7))
