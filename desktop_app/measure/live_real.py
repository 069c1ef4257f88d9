"""Real speech for `galley bench live`: short recordings with a known text, joined, and when each word is said."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from desktop_app.decoding.hearing import Samples
from desktop_app.engine.messages import Options
from desktop_app.engine.models import Pair
from desktop_app.measure import references
from desktop_app.measure.file_text import file_text
from desktop_app.measure.live_figures import Said
from desktop_app.measure.live_run import silence
from desktop_app.measure.recordings import audio_of
from desktop_app.measure.words import matched, normalised
from desktop_app.transcript.constants import SAMPLE_RATE

PAUSES = 0.5, 2.5  # seconds of a quiet room between two recordings
_SEED = 17


def real_speech(pair: Pair, options: Options, folder: Path, seconds: float) -> tuple[Samples, list[Said]]:
    """At least so many seconds of a folder's recordings (`references.read`), drawn by chance but always alike, with
    pauses between them, and their words; all of them where they are shorter. Raises AudioProblem.
    """
    draw = random.Random(_SEED)
    clips = references.read(folder)
    draw.shuffle(clips)
    pieces: list[Samples] = []
    said: list[Said] = []
    length = 0
    for clip in clips:
        if length >= seconds * SAMPLE_RATE:
            break
        audio = audio_of(clip.path)
        known = replace(options, language=clip.language or options.language, words=True)
        said += spoken_words(pair, known, audio, clip.text, length / SAMPLE_RATE)
        pause = silence(draw.uniform(*PAUSES), "silence")
        pieces += [audio, pause]
        length += len(audio) + len(pause)
    return np.concatenate(pieces), said


def spoken_words(pair: Pair, options: Options, audio: Samples, text: str, begin: float) -> list[Said]:
    """The words of a text that is said in `audio`, which begins at `begin` seconds. `options` ask for words.

    Their times are those that the target finds for the words it writes alike (`galley transcribe --words`); between
    those, words follow each other at equal distances.
    """
    gold = normalised(text)
    found = file_text(pair, audio, options)
    timings = [timing for segment in found.segments for timing in segment.words]
    heard = [(word, timing) for timing in timings for word in normalised(timing.text)]
    pairs, _ = matched(gold, [word for word, _ in heard])
    places = [place for place, _ in pairs]
    starts = _between(places, [heard[at][1].start for _, at in pairs], len(gold))
    ends = _between(places, [heard[at][1].end for _, at in pairs], len(gold))
    return [Said(word, begin + start, begin + end) for word, start, end in zip(gold, starts, ends, strict=True)]


def _between(places: Sequence[int], times: Sequence[float], count: int) -> list[float]:
    """The times of `count` words of which those at `places` are known."""
    return [float(time) for time in np.interp(np.arange(count), places, times)] if places else [0.0] * count
