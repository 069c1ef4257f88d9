"""What `galley bench live` plays, and when each of its words is spoken: the sample, a file with known times, or short
recordings of real speech with a known text, joined; and audio without speech.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from desktop_app import bounded, resources
from desktop_app.decoding.audio_window import Samples
from desktop_app.measure.error_rates import matched, normalised
from desktop_app.measure.in_process import file_text
from desktop_app.measure.live_figures import SpokenWord
from desktop_app.measure.recordings import audio_of, references
from desktop_app.messages.options import Options
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.worker.loaded_models import Pair

PAUSES = 0.5, 2.5  # seconds of a quiet room between two recordings
_SEED = 17


def sample() -> tuple[Samples, list[SpokenWord]]:
    """The sample and its words. Only its turns have known times: within one, words are as long as their letters."""
    folder = resources.path("resources", "sample")
    turns = [line.split() for line in (folder / "conversation.rttm").read_text("utf-8").splitlines()]
    texts = [line.partition(": ")[2] for line in (folder / "conversation.txt").read_text("utf-8").splitlines()]
    spoken = []
    for turn, text in zip(turns, texts, strict=True):
        start, length = float(turn[3]), float(turn[4])
        words = normalised(text)
        letters = sum(len(word) + 1 for word in words)
        for word in words:
            end = start + length * (len(word) + 1) / letters
            spoken.append(SpokenWord(word, start, end))
            length, letters, start = length - (end - start), letters - len(word) - 1, end
    return audio_of(folder / "conversation.flac"), spoken


def known_words(path: Path) -> list[SpokenWord]:
    """The words of a JSON file {"words": [[text, start, end], ...]}, seconds. Raises OSError, ValueError, KeyError."""
    entries = bounded.read_json(path, bounded.LARGE)["words"]
    return [SpokenWord(word, start, end) for text, start, end in entries for word in normalised(text)]


def real_speech(pair: Pair, options: Options, folder: Path, seconds: float) -> tuple[Samples, list[SpokenWord]]:
    """At least so many seconds of a folder's recordings (`references`), drawn by chance but always alike, with pauses
    between them, and their words; all of them where they are shorter. Raises Problem.
    """
    draw = random.Random(_SEED)
    clips = references(folder)
    draw.shuffle(clips)
    pieces: list[Samples] = []
    spoken: list[SpokenWord] = []
    length = 0
    for clip in clips:
        if length >= seconds * SAMPLE_RATE:
            break
        audio = audio_of(clip.path)
        known = replace(options, language=clip.language or options.language, words=True)
        spoken += spoken_words(pair, known, audio, clip.text, length / SAMPLE_RATE)
        pause = silence(draw.uniform(*PAUSES), "silence")
        pieces += [audio, pause]
        length += len(audio) + len(pause)
    return np.concatenate(pieces), spoken


def spoken_words(pair: Pair, options: Options, audio: Samples, text: str, begin: float) -> list[SpokenWord]:
    """The words of a text that is spoken in `audio`, which begins at `begin` seconds. `options` ask for words.

    Their times are those that the target finds for the words it writes alike (`galley transcribe --words`); between
    those, words follow each other at equal distances.
    """
    reference = normalised(text)
    found = file_text(pair, audio, options)
    timings = [timing for segment in found.segments for timing in segment.words]
    written = [(word, timing) for timing in timings for word in normalised(timing.text)]
    pairs, _ = matched(reference, [word for word, _ in written])
    places = [place for place, _ in pairs]
    starts = _between(places, [written[at][1].start for _, at in pairs], len(reference))
    ends = _between(places, [written[at][1].end for _, at in pairs], len(reference))
    return [
        SpokenWord(word, begin + start, begin + end) for word, start, end in zip(reference, starts, ends, strict=True)
    ]


def _between(places: Sequence[int], times: Sequence[float], count: int) -> list[float]:
    """The times of `count` words of which those at `places` are known."""
    return [float(time) for time in np.interp(np.arange(count), places, times)] if places else [0.0] * count


def silence(seconds: float, kind: str) -> Samples:
    """Audio without speech: "silence" (a quiet room), "noise" (hiss and rumble), "music" (chords and a beat)."""
    draw = np.random.default_rng(5)
    count = round(seconds * SAMPLE_RATE)
    white = draw.normal(size=count).astype(np.float32)
    if kind == "silence":
        return white * np.float32(2e-4)
    time = np.arange(count) / SAMPLE_RATE
    if kind == "noise":
        rumble = np.convolve(white, np.ones(64, np.float32) / 8, "same")
        swell = 0.6 + 0.4 * np.sin(2 * np.pi * time / 7)
        return np.asarray((0.02 * white + 0.02 * rumble) * swell, np.float32)
    music = np.zeros(count)
    chords = ((220.0, 277.2, 329.6), (196.0, 246.9, 293.7), (174.6, 220.0, 261.6), (164.8, 207.7, 246.9))
    for start in range(0, count, SAMPLE_RATE):
        beat = time[start : start + SAMPLE_RATE] - time[start]
        for pitch in chords[start // (2 * SAMPLE_RATE) % len(chords)]:
            for harmonic in range(1, 5):
                music[start : start + SAMPLE_RATE] += (
                    np.sin(2 * np.pi * pitch * harmonic * beat) / harmonic * np.exp(-2 * beat)
                )
        music[start : start + SAMPLE_RATE] += 0.5 * white[start : start + SAMPLE_RATE] * np.exp(-30 * beat)
    return np.asarray(0.08 * music, np.float32)
