"""Galley writes what transformers' own greedy `generate` writes, token for token, each side with its own features."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import soundfile

from desktop_app import resources
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.settings import Settings
from tests import random_models
from tests.parity.comparison import compare_recording, compare_windows
from tests.parity.galley import Galley, loaded
from tests.parity.hugging_face import HuggingFace
from tests.random_models import Recipe
from tests.small_pair import SMALL_PAIR
from tests.sounds import babble

pytestmark = pytest.mark.usefixtures("one_thread")
CLIPS = Path(__file__).parents[1] / "data" / "clips"
ENGLISH = Settings("en")
Samples = npt.NDArray[np.float32]
Both = tuple[Galley, HuggingFace]


def both(folder: Path) -> Both:
    return loaded(folder), HuggingFace(folder)


@pytest.fixture(scope="module")
def small_pair() -> Both:
    return both(SMALL_PAIR)


def sound(path: Path) -> Samples:
    samples, rate = soundfile.read(path, dtype="float32")
    assert rate == SAMPLE_RATE
    return np.asarray(samples)


@pytest.mark.parity
@pytest.mark.parametrize("share", [3, pytest.param(1, marks=pytest.mark.long)])
def test_clips(small_pair: Both, share: int) -> None:
    """Every third clip, or all of them."""
    clips = {path.name: sound(path) for path in sorted(CLIPS.glob("*.flac"))[::share]}
    assert len(clips) >= 30 / share
    outcome = compare_windows(*small_pair, clips, ENGLISH)
    print(f"{outcome.tokens} equal tokens in {len(clips)} clips")
    assert outcome.tokens > 8 * len(clips)


@pytest.mark.parity
def test_whole_windows(small_pair: Both) -> None:
    """Thirty seconds of conversation: several segments, pairs of timestamps, no silence at the end."""
    samples = sound(resources.path("resources", "sample", "conversation.flac"))
    windows = {f"from {start} s": samples[start * SAMPLE_RATE : (start + 30) * SAMPLE_RATE] for start in (0, 20)}
    assert compare_windows(*small_pair, windows, ENGLISH).tokens > 40


@pytest.mark.parity
@pytest.mark.parametrize("seed", [0, 1])
def test_random_weights(tmp_path: Path, seed: int) -> None:
    """Text without sense runs into rules that sense seldom meets, up to the last position."""
    noise = np.random.default_rng(seed).normal(0, 0.1, 5 * SAMPLE_RATE).astype(np.float32)
    folder = random_models.toy(tmp_path / "toy", seed)
    assert compare_windows(*both(folder), {f"seed {seed}": noise}, ENGLISH).tokens > 0


KINDS = {
    "multilingual": random_models.TOY,
    "English": Recipe.of(32, 2, 2, 2, text=300, languages=("en", "de"), english=True),
    "turbo": Recipe.of(32, 4, 4, 1, text=300, languages=("en", "xx", "de"), bins=128),
    "distil": Recipe.of(48, 3, 3, 2, text=310, languages=("en", "de"), bins=128, padding=7),
    "distil, English": Recipe.of(32, 2, 3, 1, text=300, languages=("en", "de"), english=True),
}
QUESTIONS = {
    "no timestamps": Settings("en", timestamps=False),
    "prompt": Settings("en", prompt=(40, 41, 42)),
    "prompt, no timestamps": Settings("en", timestamps=False, prompt=(40, 41, 42)),
    "German": Settings("de"),
    "translation": Settings("de", translate=True),
}
ALWAYS = {("turbo", "translation"), ("distil, English", "prompt")}


@pytest.mark.parity
@pytest.mark.parametrize(
    ("kind", "question"),
    [
        pytest.param(kind, question, marks=() if (kind, question) in ALWAYS else pytest.mark.long)
        for kind in KINDS
        for question in QUESTIONS
        if "English" not in kind or QUESTIONS[question].language == "en"
    ],
)
def test_every_kind_of_model_and_question(tmp_path: Path, kind: str, question: str) -> None:
    """Layers, heads, mel bins, languages, rows behind the last time: what real checkpoints differ in."""
    folder = random_models.write(tmp_path / "model", KINDS[kind])
    sounds = {f"{kind}, {question}, {seed}": babble(3 + 8 * seed, seed) for seed in range(3)}
    assert compare_windows(*both(folder), sounds, QUESTIONS[question]).tokens > 10


@pytest.mark.long
@pytest.mark.parametrize("times", [1, 10])
def test_a_long_recording(small_pair: Both, times: int) -> None:
    """The sample conversation, and eleven minutes of it softer and louder, as the long form of `generate` writes it."""
    once = sound(resources.path("resources", "sample", "conversation.flac"))
    samples = np.concatenate([once * 10 ** -(number % 4) for number in range(times)]).astype(np.float32)
    outcome, _ = compare_recording(*small_pair, f"{times} times", samples, ENGLISH)
    print(f"{outcome.tokens} tokens in {len(samples) / SAMPLE_RATE:.0f} s")
    assert outcome.tokens > 40
