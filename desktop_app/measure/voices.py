"""Clips of known speakers, one speaker a clip, as the folders of speech corpora have them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from desktop_app.audio.files import AudioProblem
from desktop_app.audio.silero import FRAME, Silero
from desktop_app.measure.recordings import audio_of
from desktop_app.measure.references import Reference, read
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.model import Word

Samples = npt.NDArray[np.float32]

SEVERAL = "speakers"
"""The folder of recordings in which several people speak."""

PAUSE = 0.2
"""Seconds of silence between two phrases."""

_SPEECH = 0.5  # probability
_MARGIN = 0.1  # seconds around speech that belong to a phrase
_LAG = 0.03  # seconds by which Silero's probabilities come late


@dataclass(frozen=True, eq=False)
class Phrase:
    """Speech between two pauses: its samples with a little around, when speech begins and ends, and the words, in
    seconds from the first sample. Words are shared out over the time by their letters.
    """

    samples: Samples
    start: float
    end: float
    words: tuple[Word, ...]


def clips(folder: Path) -> list[Reference]:
    """The recordings of a folder, as `references.read` finds them, in which one known person speaks. Raises
    AudioProblem where there are none.
    """
    found = [each for each in read(folder) if len(each.speaker.split()) == 1 and each.path.parent.name != SEVERAL]
    here = sorted((each for each in found if each.path.is_file()), key=lambda each: each.path)
    if not here:
        raise AudioProblem(f"{folder} has no clips of known speakers", 'its index.json has "speakers" for each')
    return here


@lru_cache(maxsize=256)
def phrases(clip: Reference) -> tuple[Phrase, ...]:
    """The phrases of a clip in order, found by Silero's voice activity. Raises AudioProblem."""
    samples = audio_of(clip.path)
    probability = Silero()(np.pad(samples, (0, -samples.size % FRAME)))
    places = np.flatnonzero(probability > _SPEECH)
    if not places.size:
        return ()
    cuts = np.flatnonzero(np.diff(places) * FRAME / SAMPLE_RATE > PAUSE)
    begins = places[[0, *(cuts + 1)]] * FRAME / SAMPLE_RATE - _LAG
    ends = np.minimum((places[[*cuts, -1]] + 1) * FRAME / SAMPLE_RATE - _LAG, samples.size / SAMPLE_RATE)
    spans = [(max(0.0, float(begin)), float(end)) for begin, end in zip(begins, ends, strict=True)]
    words = _words(clip, spans)
    found = []
    for start, end in spans:
        first, last = max(0, round((start - _MARGIN) * SAMPLE_RATE)), round((end + _MARGIN) * SAMPLE_RATE)
        at = first / SAMPLE_RATE
        mine = (word for word in words if start <= word.start < end)
        said = tuple(Word(word.text, word.start - at, word.end - at, 1.0, clip.speaker) for word in mine)
        found.append(Phrase(samples[first:last], start - at, end - at, said))
    return tuple(found)


def _words(clip: Reference, spans: list[tuple[float, float]]) -> list[Word]:
    """The clip's words, shared out over its speech by their letters; a word lies in one span."""
    texts = clip.text.split()
    letters = np.concatenate([[0], np.cumsum([len(text) + 1 for text in texts])])
    lengths = np.cumsum([0.0, *(end - start for start, end in spans)])
    places = letters / max(1, letters[-1]) * lengths[-1]
    found = []
    for text, begin, end in zip(texts, places[:-1], places[1:], strict=True):
        span = min(int(np.searchsorted(lengths, begin, "right")) - 1, len(spans) - 1)
        shift = spans[span][0] - lengths[span]
        found.append(Word(text, float(begin + shift), min(float(end + shift), spans[span][1]), 1.0))
    return found
