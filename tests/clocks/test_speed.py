"""What has to be quick, in processor time of this computer; the same work is counted beside what it belongs to."""

from __future__ import annotations

import random
import time

import numpy as np
import pytest

from desktop_app.audio.silero import FRAME, Silero
from desktop_app.audio.voice import VoiceGate
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.difference import changes
from desktop_app.transcript.model import Segment

pytestmark = pytest.mark.clocks

MINUTE = np.random.default_rng(1).normal(size=60 * SAMPLE_RATE).astype(np.float32)


def test_the_voice_network_costs_far_less_than_the_goal_of_all_speaker_work() -> None:
    """The goal is 0.03 of the length of a file; measured 0.0014."""
    network, samples = Silero(), MINUTE[: len(MINUTE) // FRAME * FRAME]
    network(samples)
    began = time.process_time()
    network(samples)
    assert time.process_time() - began < 0.015 * 60


def test_near_silence_costs_next_to_nothing() -> None:
    """A tenth of the processor time that silence may take."""
    gate, quiet = VoiceGate(), MINUTE * np.float32(1e-4)
    began = time.process_time()
    gate.feed(quiet)
    assert time.process_time() - began < 0.05 * 60 / 10


def test_hours_of_text_are_compared_in_a_moment() -> None:
    chance = random.Random(1)
    common = [f"w{number}" for number in range(60)]
    words = [chance.choice(common) for _ in range(20_000)]
    other = [chance.choice(common) if chance.random() < 0.02 else word for word in words]
    old, new = (Segment(0, 0.0, 1.0, " ".join(text)) for text in (words, other))
    began = time.process_time()
    changes([old], [new])
    assert time.process_time() - began < 3
