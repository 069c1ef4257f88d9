"""With the guard the bundled model writes nothing where nobody speaks, and keeps every word where somebody does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile

from desktop_app.audio import voice
from desktop_app.audio.spectrogram import Spectrogram
from desktop_app.checkpoints import installed
from desktop_app.checkpoints.folder import Checkpoint, read
from desktop_app.decoding.longform import DecodingListener, transcribe
from desktop_app.decoding.setup import Setup
from desktop_app.runtimes.openvino import OpenVinoModel, load
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.model import GuardReport, Segment
from desktop_app.transcript.settings import Settings
from tests.sounds import Samples, without_speech

CLIPS = sorted((Path(__file__).parents[1] / "data" / "clips").glob("*.flac"))
Loaded = tuple[Checkpoint, OpenVinoModel]


class Notes(DecodingListener):
    def __init__(self) -> None:
        self.made: list[Segment] = []
        self.reports: list[GuardReport] = []

    def guarded(self, reports) -> None:  # type: ignore[no-untyped-def]
        self.reports += reports

    def segments(self, segments, done_seconds) -> None:  # type: ignore[no-untyped-def]
        self.made += segments


@pytest.fixture(scope="module")
def loaded() -> Loaded:
    checkpoint = read(installed.bundled())
    return checkpoint, load(checkpoint)


def write(loaded: Loaded, sound: Samples, guarded: bool = True) -> Notes:
    checkpoint, model = loaded
    notes, settings = Notes(), Settings(language="en")
    blocks: Iterator[Samples] = iter([sound])
    extract = Spectrogram([sound], [model.mel_bins]).features
    listen = voice.Voices if guarded else None
    setup = Setup(model, checkpoint.vocabulary, checkpoint.text, listen=listen)
    transcribe(blocks, extract, setup, notes, settings)
    return notes


@pytest.mark.parity
@pytest.mark.parametrize("name", ["silence", "mains hum", "organ"])
def test_nobody_speaks(loaded: Loaded, name: str) -> None:
    notes = write(loaded, without_speech(4)[name])
    assert notes.made == []
    assert {act.kind for act in notes.reports} <= {"silence"}


@pytest.mark.long
@pytest.mark.parametrize("name", list(without_speech(1)))
def test_nobody_speaks_in_any_of_twenty_sounds(loaded: Loaded, name: str) -> None:
    assert write(loaded, without_speech(12)[name]).made == []


@pytest.mark.parity
def test_speech_keeps_its_tokens(loaded: Loaded) -> None:
    sound = np.concatenate([soundfile.read(clip, dtype="float32")[0] for clip in CLIPS[:8]])
    plain, guarded = write(loaded, sound, guarded=False), write(loaded, sound)
    assert [segment.tokens for segment in guarded.made] == [segment.tokens for segment in plain.made]
    assert guarded.reports == []


@pytest.mark.long
@pytest.mark.parametrize("clip", CLIPS, ids=lambda clip: clip.name)
def test_every_clip_keeps_its_words(loaded: Loaded, clip: Path) -> None:
    """A line behind the end of the audio says nothing, so the words within it are what counts."""
    sound, rate = soundfile.read(clip, dtype="float32")
    assert rate == SAMPLE_RATE
    plain, guarded = write(loaded, sound, guarded=False), write(loaded, sound)
    seconds = len(sound) / SAMPLE_RATE
    assert [s.tokens for s in guarded.made] == [s.tokens for s in plain.made if s.start < seconds]


@pytest.mark.parity
def test_a_soft_sentence_that_the_model_passes_over_is_told(loaded: Loaded) -> None:
    """Whether a model passes over it is the model's affair; it is not passed over without a word."""
    clips = [soundfile.read(clip, dtype="float32")[0] for clip in CLIPS]
    soft = [np.concatenate([clips[7], clips[1]]), np.concatenate([clips[21], clips[4]]), clips[14], clips[28]]
    places, parts = list[tuple[float, float]](), list[Samples]()
    for loud, other in zip((0, 2, 3, 5), soft, strict=True):
        parts += [clips[loud], np.zeros(SAMPLE_RATE, np.float32)]
        begin = sum(map(len, parts)) / SAMPLE_RATE
        places.append((begin, begin + len(other) / SAMPLE_RATE))
        parts += [other * np.float32(0.02), np.zeros(SAMPLE_RATE, np.float32)]
    notes = write(loaded, np.concatenate([*parts, clips[6]]))
    told = [act for act in notes.reports if act.kind == "unwritten"]
    for begin, end in places:
        written = any(line.start < end - 1 and line.end > begin + 1 for line in notes.made)
        assert written or any(act.start < end and act.end > begin for act in told), f"{begin:.1f} to {end:.1f}"
    assert told, "this model passes over one"
