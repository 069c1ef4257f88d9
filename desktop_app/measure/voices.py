"""Clips of known speakers, one speaker a clip, as the folders of speech corpora have them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from desktop_app.audio.files import AudioFile, AudioProblem
from desktop_app.audio.silero import FRAME, Silero
from desktop_app.transcript.model import Word

RATE = 16_000
Samples = npt.NDArray[np.float32]

PAUSE = 0.2
"""Seconds of silence between two phrases."""

_SPEECH = 0.5  # probability
_AUDIO = {".flac", ".wav", ".mp3", ".ogg", ".opus", ".m4a"}
_MARGIN = 0.1  # seconds around speech that belong to a phrase
_LAG = 0.03  # seconds by which Silero's probabilities come late


@dataclass(frozen=True)
class Clip:
    """A file in which one person speaks, and the words, as far as they are known."""

    file: Path
    speaker: str
    text: str


@dataclass(frozen=True, eq=False)
class Phrase:
    """Speech between two pauses: its samples with a little around, when speech begins and ends, and the words, in
    seconds from the first sample. Words are shared out over the time by their letters.
    """

    samples: Samples
    start: float
    end: float
    words: tuple[Word, ...]


def clips(folder: Path) -> list[Clip]:
    """The clips of a folder: those of its index.json with one speaker, or files named SPEAKER-CHAPTER-NUMBER as in
    LibriSpeech, with SPEAKER-CHAPTER.trans.txt beside them. Raises AudioProblem where there are none.
    """
    index = folder / "index.json"
    found = _indexed(index) if index.is_file() else _librispeech(folder)
    if not found:
        raise AudioProblem(
            f"{folder} has no clips of known speakers", "name a folder with index.json or in LibriSpeech's layout"
        )
    return sorted(found, key=lambda clip: clip.file.as_posix())


def _indexed(index: Path) -> list[Clip]:
    try:
        entries = json.loads(index.read_text(encoding="utf-8"))
        rows = [(index.parent / each["file"], str(each["speakers"]), str(each.get("text", ""))) for each in entries]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise AudioProblem(f"{index} cannot be read", "it is a list of objects with file, speakers and text") from error
    return [
        Clip(file, speaker, text)
        for file, speaker, text in rows
        if speaker and len(speaker.split()) == 1 and file.parent.name != "speakers" and file.is_file()
    ]


def _librispeech(folder: Path) -> list[Clip]:
    texts: dict[str, str] = {}
    for listing in folder.rglob("*.trans.txt"):
        rows = (line.partition(" ") for line in listing.read_text(encoding="utf-8").splitlines())
        texts |= {name: text for name, _, text in rows}
    return [
        Clip(file, file.stem.split("-")[0], texts.get(file.stem, ""))
        for file in folder.rglob("*-*-*")
        if file.suffix in _AUDIO
    ]


@lru_cache(maxsize=256)
def phrases(clip: Clip) -> tuple[Phrase, ...]:
    """The phrases of a clip in order, found by Silero's voice activity. Raises AudioProblem."""
    with AudioFile(str(clip.file)) as audio:
        samples = np.concatenate(list(audio))
    probability = Silero()(np.pad(samples, (0, -samples.size % FRAME)))
    places = np.flatnonzero(probability > _SPEECH)
    if not places.size:
        return ()
    cuts = np.flatnonzero(np.diff(places) * FRAME / RATE > PAUSE)
    begins = places[[0, *(cuts + 1)]] * FRAME / RATE - _LAG
    ends = np.minimum((places[[*cuts, -1]] + 1) * FRAME / RATE - _LAG, samples.size / RATE)
    spans = [(max(0.0, float(begin)), float(end)) for begin, end in zip(begins, ends, strict=True)]
    words = _words(clip, spans)
    found = []
    for start, end in spans:
        first, last = max(0, round((start - _MARGIN) * RATE)), round((end + _MARGIN) * RATE)
        at = first / RATE
        mine = (word for word in words if start <= word.start < end)
        said = tuple(Word(word.text, word.start - at, word.end - at, 1.0, clip.speaker) for word in mine)
        found.append(Phrase(samples[first:last], start - at, end - at, said))
    return tuple(found)


def _words(clip: Clip, spans: list[tuple[float, float]]) -> list[Word]:
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
