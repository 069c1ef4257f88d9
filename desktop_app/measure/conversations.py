"""Conversations that were never held: synthetic voices in a synthetic room, with the exact times of who says what.

The voices are espeak-ng's and flite's, those that the starter's speaker network never heard. They are spoken by the
starter's training scripts, so this needs a checkout, both programs and their Python packages.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from desktop_app.speakers.turns import Turn
from desktop_app.transcript.model import Word

RATE = 16_000
Samples = npt.NDArray[np.float32]
_Voice = tuple[str, str, int]  # engine, name, pitch

VOICES = (
    ("espeak", "en-us+m7", 50),
    ("espeak", "en+Alicia", 50),
    ("espeak", "en-gb-scotland", 45),
    ("flite", "awb", 50),
    ("espeak", "en-us+f5", 55),
    ("espeak", "en+boris", 50),
    ("espeak", "en-gb-x-rp+linda", 50),
    ("espeak", "en-us+pablo", 45),
    ("espeak", "en-us+announcer", 50),
    ("espeak", "en+shelby", 55),
    ("espeak", "en-gb-x-rp+robert", 40),
    ("espeak", "en-gb-scotland+f2", 60),
)
"""Engine, name and pitch. No training of the starter's speaker network has any of them."""

DEVELOPMENT = (
    ("espeak", "en-us+edward", 50),
    ("espeak", "en-gb-x-rp+edward", 60),
    ("espeak", "en+klatt2", 45),
    ("espeak", "en-us+Nguyen", 50),
    ("espeak", "en+zac", 50),
    ("espeak", "en-gb-x-rp+zac", 40),
    ("espeak", "en-gb-scotland+m3", 50),
    ("espeak", "en-gb-scotland+grandma", 50),
    ("espeak", "en+max", 47),
    ("espeak", "en-us+belinda", 53),
    ("espeak", "en-gb-x-rp+Andy", 43),
    ("espeak", "en+f3", 57),
    ("espeak", "en-us+steph", 50),
    ("flite", "rms", 50),
    ("flite", "slt", 50),
    ("espeak", "en+david", 53),
    ("espeak", "en-us+sandro", 47),
    ("espeak", "en-gb-x-rp+caleb", 50),
)
"""Voices to choose thresholds on: none is the benchmark's. The first eight are of variants or an accent that no
training had, two pairs of them of one variant each; the others' variants were trained on in other company."""

CONVERSATIONS = 50
"""The seeds below this are the benchmark's."""

_LONGEST_PAUSE = 0.3  # a shorter silence inside a sentence still counts as speech, as human labellers have it
_QUIET = 0.004  # of full scale, for a sentence whose peak is at 0.7


class SynthesisProblem(Exception):
    """The conversations cannot be made: one sentence with the reason and the remedy."""


@dataclass(frozen=True)
class Conversation:
    """A recording, who speaks when, and the words with their speakers."""

    name: str
    samples: Samples
    turns: tuple[Turn, ...]
    words: tuple[Word, ...]

    @property
    def seconds(self) -> float:
        return self.samples.size / RATE

    @property
    def speakers(self) -> int:
        return len({turn.speaker for turn in self.turns})


@dataclass(frozen=True)
class _Said:
    """A sentence as it was spoken: the dry sound, its sounding stretches and its words, in seconds from its start."""

    samples: Samples
    spans: tuple[tuple[float, float], ...]
    words: tuple[Word, ...]


def make(seed: int, folder: Path | None = None, voices: Sequence[_Voice] = VOICES) -> Conversation:
    """The conversation of this seed, of 2 to 6 of the voices, the same on every computer with the same synthesisers.

    Kept in `folder` if that is given. Raises SynthesisProblem.
    """
    kept = folder / f"conversation-{seed}.npz" if folder else None
    if kept and kept.is_file():
        return _read(kept)
    made = _make(seed, voices)
    if kept:
        _write(kept, made)
    return made


def _make(seed: int, voices: Sequence[_Voice]) -> Conversation:
    rng = np.random.default_rng(seed)
    count = 2 + seed % 5
    chosen = rng.choice(len(voices), count, replace=False)
    speeds = rng.integers(140, 185, count)
    sentences = _sentences(seed)
    tracks: list[list[tuple[int, Samples]]] = [[] for _ in range(count)]
    turns: list[Turn] = []
    words: list[Word] = []
    length, now, last = 40.0 + 20.0 * count, 0.5, -1

    def say(who: int, at: float, text: str) -> float:
        said = _speak(text, voices[chosen[who]], int(speeds[who]))
        name = voices[chosen[who]][1]
        tracks[who].append((round(at * RATE), said.samples))
        turns.extend(Turn(at + begin, at + end, name) for begin, end in said.spans)
        words.extend(Word(word.text, at + word.start, at + word.end, 1.0, name) for word in said.words)
        return at + said.samples.size / RATE

    while now < length:
        who = int(rng.choice([one for one in range(count) if one != last]))
        for _ in range(int(rng.integers(1, 4))):
            begin, now = now, say(who, now, next(sentences))
            if count > 1 and rng.random() < 0.06 and now - begin > 2.0:  # "yes", while the other one goes on
                other = int(rng.choice([one for one in range(count) if one != who]))
                say(other, float(rng.uniform(begin + 0.5, now - 1.0)), str(rng.choice(["Yes.", "Right.", "I see."])))
            now += float(rng.uniform(0.1, 0.5))
        last = who
        chance = rng.random()
        if chance < 0.12:  # an interruption
            now -= float(rng.uniform(0.4, 1.2))
        elif chance < 0.35:  # at once
            now -= float(rng.uniform(0.0, 0.3))
        else:
            now += float(rng.uniform(0.0, 0.7))
    return Conversation(f"conversation-{seed}", _room(tracks, rng), _joined(turns), tuple(sorted(words, key=_start)))


def _start(word: Word) -> float:
    return word.start


def _room(tracks: list[list[tuple[int, Samples]]], rng: np.random.Generator) -> Samples:
    """All voices where they sit in one room, and its noise. A third of the rooms are dry."""
    end = max(at + sound.size for track in tracks for at, sound in track) + RATE // 2
    total = np.zeros(end, np.float64)
    dry, reverberation = rng.random() < 1 / 3, rng.uniform(0.15, 0.5)
    for track in tracks:
        voice = np.zeros(end, np.float64)
        for at, sound in track:
            voice[at : at + sound.size] += sound
        total += (voice if dry else _heard(voice, reverberation, rng)) * 10 ** (rng.uniform(-4, 4) / 20)
    loud = np.sqrt(np.mean(total[np.abs(total) > 0.01] ** 2))
    total += rng.standard_normal(end) * loud * 10 ** (-rng.uniform(18, 40) / 20)
    return np.asarray(total * (0.5 / np.abs(total).max()), np.float32)


def _heard(voice: npt.NDArray[np.float64], reverberation: float, rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """A voice through a room: the direct sound, then noise that decays by 60 dB in `reverberation` seconds."""
    count = round(reverberation * RATE)
    tail = rng.standard_normal(count) * np.exp(-6.9 * np.arange(count) / count)
    tail[: round(0.004 * RATE)] = 0.0
    tail *= 10 ** (-rng.uniform(2, 10) / 20) / np.sqrt(np.sum(tail**2))
    tail[0] = 1.0
    size = 1 << (voice.size + count).bit_length()
    return np.fft.irfft(np.fft.rfft(voice, size) * np.fft.rfft(tail, size), size)[: voice.size]


def _joined(turns: list[Turn]) -> tuple[Turn, ...]:
    """The turns in order; those of one speaker with a short silence between them are one."""
    found: list[Turn] = []
    for speaker in sorted({turn.speaker for turn in turns}):
        mine: list[Turn] = []
        for turn in sorted((turn for turn in turns if turn.speaker == speaker), key=lambda turn: turn.start):
            if mine and turn.start - mine[-1].end < _LONGEST_PAUSE:
                mine[-1] = Turn(mine[-1].start, max(mine[-1].end, turn.end), speaker)
            else:
                mine.append(turn)
        found += mine
    return tuple(sorted(found, key=lambda turn: (turn.start, turn.end)))


def _speak(text: str, voice: _Voice, speed: int) -> _Said:
    engine, name, pitch = voice
    synthesise, voices, speaker = _synthesiser()
    try:
        spoken = synthesise.speak(speaker, text, voices.Voice(engine, name, speed, pitch))
    except ValueError as error:
        raise SynthesisProblem(f"espeak-ng does not know the voice {name}; install espeak-ng-data") from error
    if spoken is None:
        raise SynthesisProblem(f"{engine} cannot speak; install espeak-ng and flite")
    loud = np.flatnonzero(np.abs(spoken.audio) > _QUIET) / RATE
    gaps = np.flatnonzero(np.diff(loud) > _LONGEST_PAUSE)
    spans = tuple(zip(loud[[0, *(gaps + 1)]].tolist(), loud[[*gaps, -1]].tolist(), strict=True))
    return _Said(np.asarray(spoken.audio, np.float32), spans, _words(text, spoken, spans[0][0], spans[-1][1]))


def _words(text: str, spoken: Any, start: float, end: float) -> tuple[Word, ...]:
    """The words of a sentence; where the synthesiser does not tell their times, shared out by letters."""
    pieces, places, at = text.split(), [], 0
    for piece in pieces:
        places.append(text.index(piece, at))
        at = places[-1] + len(piece)
    known = {place: sample / RATE for place, sample in spoken.words}
    shares = [start + (end - start) * place / len(text) for place in places]
    begins = [known.get(place, share) for place, share in zip(places, shares, strict=True)] if known else shares
    begins = np.clip(np.maximum.accumulate(begins), start, end).tolist()
    return tuple(
        Word(piece, begin, stop, 1.0) for piece, begin, stop in zip(pieces, begins, [*begins[1:], end], strict=True)
    )


@cache
def _synthesiser() -> tuple[Any, Any, Any]:
    try:
        synthesise = importlib.import_module("models.training.synthesise")
        voices = importlib.import_module("models.training.voices")
    except ImportError as error:
        raise SynthesisProblem(
            f"the starter's training scripts are needed ({error}); use a checkout with make setup"
        ) from error
    try:
        return synthesise, voices, voices.Espeak()
    except OSError as error:
        raise SynthesisProblem("espeak-ng is not installed; install espeak-ng and flite") from error


def _sentences(seed: int) -> Any:
    grammar = importlib.import_module("models.training.grammar") if _synthesiser() else None
    texts = [text for text in grammar.sentences_from_grammar(2000, seed) if text[-1] in ".?!"]
    np.random.default_rng(seed).shuffle(texts)
    return iter(texts)


def _write(path: Path, made: Conversation) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    turns = [(turn.start, turn.end, turn.speaker) for turn in made.turns]
    words = [(word.start, word.end, word.text, word.speaker) for word in made.words]
    np.savez(path, samples=(made.samples * 32767).astype(np.int16), turns=np.array(turns), words=np.array(words))


def _read(path: Path) -> Conversation:
    with np.load(path) as found:
        return Conversation(
            path.stem,
            found["samples"].astype(np.float32) / 32767,
            tuple(Turn(float(start), float(end), str(who)) for start, end, who in found["turns"]),
            tuple(Word(str(text), float(start), float(end), 1.0, str(who)) for start, end, text, who in found["words"]),
        )
