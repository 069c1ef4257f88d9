"""Conversations whose speakers are known: real ones, which a folder's index.json names, and ones that were never held,
put together in a room from phrases of real clips of one speaker each, with the exact times of who says what. In those
the turns, rooms, levels and noise are drawn; nothing is synthesised.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any
from unicodedata import normalize

import numpy as np
import numpy.typing as npt

from desktop_app import bounded
from desktop_app.audio.silero import FRAME, Silero
from desktop_app.decoding.audio_window import Samples
from desktop_app.measure.recordings import Reference, audio_of, references
from desktop_app.problems import Problem
from desktop_app.speakers.turns import Turn, joined
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.model import Word

CONVERSATIONS = 50
"""The seeds below this are the benchmark's."""

PEOPLE = 5
"""Conversations have 2 to 6 people, one number after another."""

SEVERAL = "speakers"
"""The folder of recordings in which several people speak."""

PAUSE = 0.2
"""Seconds of silence between two phrases."""

_BREATH = 0.3  # seconds; a shorter silence in a turn still counts as speech, as human labellers have it
_INTERJECTION = 1.5  # seconds at most
_MEDIAN, _SPREAD = 3.0, 0.8
_SHORTEST, _LONGEST = 0.7, 15.0  # seconds of a turn: lognormal about the median
_SPEECH = 0.5  # probability
_MARGIN = 0.1  # seconds around speech that belong to a phrase
_LAG = 0.03  # seconds by which Silero's probabilities come late
_NOTE = re.compile(r"([\d.]+)-([\d.]+) (S\d+)")


@dataclass(frozen=True)
class Conversation:
    """A recording, who speaks when, and the words with their speakers."""

    name: str
    samples: Samples
    turns: tuple[Turn, ...]
    words: tuple[Word, ...]

    @property
    def seconds(self) -> float:
        return self.samples.size / SAMPLE_RATE

    @property
    def speakers(self) -> int:
        return len({turn.speaker for turn in self.turns})


@dataclass(frozen=True, eq=False)
class Phrase:
    """Speech between two pauses: its samples with a little around, when speech begins and ends, and the words, in
    seconds from the first sample. Words are shared out over the time by their letters.
    """

    samples: Samples
    start: float
    end: float
    words: tuple[Word, ...]


def real_conversations(folder: Path) -> Iterator[Conversation]:
    """The recordings of `folder`/index.json that lie in its folder "speakers" and whose speakers are known. Raises
    Problem.
    """
    try:
        entries = bounded.read_json(folder / "index.json", bounded.LARGE)
    except (OSError, ValueError) as error:
        raise Problem("file.no_index", folder=str(folder)) from error
    for entry in entries:
        place = folder / entry["file"]
        if entry["file"].startswith(f"{SEVERAL}/") and place.is_file():
            turns = _noted_turns(place, entry)
            if turns:
                yield Conversation(place.stem, audio_of(place), tuple(joined(turns, 0.0)), ())


def _noted_turns(place: Path, entry: dict[str, Any]) -> list[Turn]:
    """Who speaks when, in whatever form it was written down."""
    noted = [Turn(float(start), float(end), who) for start, end, who in _NOTE.findall(entry["speakers"])]
    if noted:
        return noted
    plain = "".join(letter for letter in normalize("NFKD", place.stem) if letter.isascii())
    found = []
    for file in sorted(place.parent.glob("*.rttm")):
        for line in file.read_text(encoding="utf-8").splitlines():
            fields = line.split()
            if len(fields) > 7 and fields[0] == "SPEAKER" and fields[1] == plain:
                found.append(Turn(float(fields[3]), float(fields[3]) + float(fields[4]), fields[7]))
    segments = place.with_suffix(".segments")
    if not found and segments.is_file():
        rows = [line.split() for line in segments.read_text(encoding="utf-8").replace(",", " ").splitlines()]
        found = [Turn(float(start), float(end), who) for start, end, who in (row[:3] for row in rows if len(row) >= 3)]
    return found


def clips(folder: Path) -> list[Reference]:
    """The recordings of a folder, as `references` finds them, in which one known person speaks. Raises
    Problem where there are none.
    """
    found = [each for each in references(folder) if len(each.speaker.split()) == 1 and each.path.parent.name != SEVERAL]
    here = sorted((each for each in found if each.path.is_file()), key=lambda each: each.path)
    if not here:
        raise Problem("file.no_speakers", folder=str(folder))
    return here


@lru_cache(maxsize=256)
def phrases(clip: Reference) -> tuple[Phrase, ...]:
    """The phrases of a clip in order, found by Silero's voice activity. Raises Problem."""
    samples = audio_of(clip.path)
    probability = Silero()(np.pad(samples, (0, -samples.size % FRAME)))
    places = np.flatnonzero(probability > _SPEECH)
    if not places.size:
        return ()
    cuts = np.flatnonzero(np.diff(places) * FRAME / SAMPLE_RATE > PAUSE)
    begins = places[[0, *(cuts + 1)]] * FRAME / SAMPLE_RATE - _LAG
    ends = np.minimum((places[[*cuts, -1]] + 1) * FRAME / SAMPLE_RATE - _LAG, samples.size / SAMPLE_RATE)
    spans = [(max(0.0, float(begin)), float(end)) for begin, end in zip(begins, ends, strict=True)]
    words = _shared_out(clip, spans)
    found = []
    for start, end in spans:
        first, last = max(0, round((start - _MARGIN) * SAMPLE_RATE)), round((end + _MARGIN) * SAMPLE_RATE)
        at = first / SAMPLE_RATE
        mine = (word for word in words if start <= word.start < end)
        moved = tuple(Word(word.text, word.start - at, word.end - at, 1.0, clip.speaker) for word in mine)
        found.append(Phrase(samples[first:last], start - at, end - at, moved))
    return tuple(found)


def _shared_out(clip: Reference, spans: list[tuple[float, float]]) -> list[Word]:
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


def make(
    seed: int,
    found: Sequence[Reference],
    phrases_of: Callable[[Reference], Sequence[Phrase]] = phrases,
    *,
    mix_sessions: bool = False,
) -> Conversation:
    """The conversation of this seed from these clips, of 2 to 6 of their speakers; 40 s and 20 s for each of them, less
    where the speakers have not said so much. `phrases_of` gives the phrases of a clip. Raises Problem.

    A person's clips are of one session, since nobody changes rooms and microphones in the middle of a conversation,
    unless `mix_sessions`.
    """
    rng = np.random.default_rng(seed)
    everybody = sorted({clip.speaker for clip in found})
    people = [str(who) for who in rng.choice(everybody, min(2 + seed % PEOPLE, len(everybody)), replace=False)]
    left = {who: _shuffled(_clips_of(who, found, rng, mix_sessions), phrases_of, rng) for who in people}
    share = {who: float(rng.uniform(1.0, 3.0)) for who in people}
    tracks: dict[str, list[tuple[int, Samples]]] = {who: [] for who in people}
    turns: list[Turn] = []
    words: list[Word] = []
    length, now, last = 40.0 + 20.0 * len(people), 0.5, ""

    def say(who: str, at: float, phrase: Phrase) -> float:
        """Put the phrase where its speech begins `at`; gives where it ends."""
        first = max(0, round((at - phrase.start) * SAMPLE_RATE))
        begin = first / SAMPLE_RATE
        tracks[who].append((first, phrase.samples))
        turns.append(Turn(begin + phrase.start, begin + phrase.end, who))
        words.extend(Word(each.text, begin + each.start, begin + each.end, 1.0, who) for each in phrase.words)
        return begin + phrase.end

    while now < length:
        others = [who for who in people if who != last and left[who]]
        if not others:
            break
        weights = np.array([share[who] for who in others])
        who = str(rng.choice(others, p=weights / weights.sum()))
        wanted = float(np.clip(rng.lognormal(np.log(_MEDIAN), _SPREAD), _SHORTEST, _LONGEST))
        begin = now
        while left[who] and (now == begin or now - begin + left[who][-1].end < wanted):
            start, now = now, say(who, now, left[who].pop())
            if now - start > 2.0 and rng.random() < 0.06:  # "yes", while the other one goes on
                other = str(rng.choice([one for one in people if one != who]))
                short = next((each for each in left[other] if each.end - each.start < _INTERJECTION), None)
                if short is not None:
                    left[other].remove(short)
                    say(other, float(rng.uniform(start + 0.5, now - 1.0)), short)
            now += float(rng.uniform(0.1, 0.5))
        last = who
        chance = rng.random()
        if chance < 0.12:  # an interruption
            now -= float(rng.uniform(0.4, 1.2))
        elif chance < 0.35:  # at once
            now -= float(rng.uniform(0.0, 0.3))
        else:
            now += float(rng.uniform(0.0, 0.7))
    ordered = tuple(sorted(words, key=lambda word: word.start))
    return Conversation(f"conversation-{seed}", _room(list(tracks.values()), rng), _joined(turns), ordered)


def _clips_of(who: str, found: Sequence[Reference], rng: np.random.Generator, mix_sessions: bool) -> list[Reference]:
    """Somebody's clips, all of them or those of one session: the more clips it has, the more often it is drawn."""
    mine = [clip for clip in found if clip.speaker == who]
    if mix_sessions:
        return mine
    session = mine[int(rng.integers(len(mine)))].session
    return [clip for clip in mine if clip.session == session]


def _shuffled(
    mine: Sequence[Reference], phrases_of: Callable[[Reference], Sequence[Phrase]], rng: np.random.Generator
) -> list[Phrase]:
    """What somebody can say, the last phrase first: clip by clip, so that neighbours follow each other."""
    order = rng.permutation(len(mine))
    return [phrase for at in order for phrase in reversed(phrases_of(mine[int(at)]))]


def _room(tracks: list[list[tuple[int, Samples]]], rng: np.random.Generator) -> Samples:
    """All voices where they sit in one room, and its noise. A third of the rooms are dry."""
    end = max((at + sound.size for track in tracks for at, sound in track), default=0) + SAMPLE_RATE // 2
    total = np.zeros(end, np.float64)
    dry, reverberation = rng.random() < 1 / 3, rng.uniform(0.15, 0.5)
    for track in tracks:
        voice = np.zeros(end, np.float64)
        for at, sound in track:
            voice[at : at + sound.size] += sound
        voice *= 10 ** (rng.uniform(-4, 4) / 20) / (_level(voice) or 1.0)
        total += voice if dry else _reverberated(voice, reverberation, rng)
    loud = _level(total)
    total += rng.standard_normal(end) * loud * 10 ** (-rng.uniform(18, 40) / 20)
    return np.asarray(total * (0.5 / np.abs(total).max()), np.float32)


def _level(sound: npt.NDArray[np.float64]) -> float:
    """The root of the mean power where there is sound: where it is above a hundredth of the peak."""
    loud = sound[np.abs(sound) > 0.01 * np.abs(sound).max(initial=0.0)]
    return float(np.sqrt(np.mean(loud**2))) if loud.size else 0.0


def _reverberated(
    voice: npt.NDArray[np.float64], reverberation: float, rng: np.random.Generator
) -> npt.NDArray[np.float64]:
    """A voice through a room: the direct sound, then noise that decays by 60 dB in `reverberation` seconds."""
    count = round(reverberation * SAMPLE_RATE)
    tail = rng.standard_normal(count) * np.exp(-6.9 * np.arange(count) / count)
    tail[: round(0.004 * SAMPLE_RATE)] = 0.0
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
            if mine and turn.start - mine[-1].end < _BREATH:
                mine[-1] = Turn(mine[-1].start, max(mine[-1].end, turn.end), speaker)
            else:
                mine.append(turn)
        found += mine
    return tuple(sorted(found, key=lambda turn: (turn.start, turn.end)))
