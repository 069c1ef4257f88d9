"""Windows for training: utterances placed one after another, with their tokens, times and guides.

A window is shorter than or equal to 30 s. A short one is given a random place (offset) in the 30 s, so that few
seconds of audio train all positions and all time tokens.
"""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import soxr
import torch
from torch.utils.data import DataLoader, IterableDataset

from models.training.network import FRAMES
from models.training.phones import PHONE_ID, SILENCE, UNKNOWN
from models.training.rooms import disturb, drowned, non_speech
from models.training.settings import DATA
from models.training.tokenise import Tokens
from models.training.voices import RATE

FRAME = 320
IGNORED = -100
STRETCH = 0.12
"""How much faster or slower than spoken an utterance may be played."""


@dataclass(frozen=True)
class Utterance:
    """`audio` int16; `ids` the text's tokens; `centres` the frame where each token is spoken; `phones` a frame each."""

    audio: np.ndarray
    ids: list[int]
    centres: list[float]
    phones: np.ndarray


@dataclass
class Batch:
    """audio [B, samples], ends [B] (sample behind which a recording is over), offsets [B], inputs and labels [B, T],
    centres [B, T] (frames, -1: none), phones [B, F]."""

    audio: torch.Tensor
    ends: torch.Tensor
    offsets: torch.Tensor
    inputs: torch.Tensor
    labels: torch.Tensor
    centres: torch.Tensor
    phones: torch.Tensor

    def to(self, device: torch.device) -> "Batch":
        return Batch(*(value.to(device) for value in vars(self).values()))


def load_shard(name: str, tokens: Tokens) -> list[Utterance]:
    """All utterances of a shard's finished parts."""
    found = []
    for listing in sorted(DATA.glob(f"{name}-[0-9]*.jsonl")):
        pcm = np.memmap(listing.with_suffix(".pcm"), "<i2", "r")
        phones = np.memmap(listing.with_suffix(".phones"), np.uint8, "r")
        for line in listing.read_text().splitlines():
            entry = json.loads(line)
            start, count = entry["offset"], entry["samples"]
            ids = tokens.encode(entry["text"])
            centres = _centres(entry, ids, tokens)
            spoken = phones[start // FRAME : (start + count) // FRAME]
            found.append(Utterance(pcm[start : start + count], ids, centres, spoken))
    return found


def _centres(entry: dict[str, Any], ids: list[int], tokens: Tokens) -> list[float]:
    """Where each token is spoken, in frames: its middle character, placed between the known starts of words."""
    if not entry["words"]:  # flite does not say where its words are
        return [-1.0] * len(ids)
    lengths = np.array([len(tokens.tokenizer.decode([i])) for i in ids], float)
    middles = np.cumsum(lengths) - lengths / 2 - 1
    known = [(-1, 0), *((p, at) for p, at in entry["words"] if p > 0), (len(entry["text"]), entry["samples"])]
    characters, samples = zip(*known, strict=True)
    return [float(x) for x in np.interp(middles, characters, samples) / FRAME]


def stretched(utterance: Utterance, factor: float) -> Utterance:
    """The utterance played slower (a factor above 1) or faster, so that all its frequencies move with it."""
    audio = soxr.resample(np.asarray(utterance.audio), 1.0, factor, quality="LQ")
    audio = np.pad(audio, (0, -len(audio) % FRAME))
    places = (np.arange(len(audio) // FRAME) / factor).astype(int)
    return Utterance(
        audio,
        utterance.ids,
        [centre * factor if centre >= 0 else centre for centre in utterance.centres],
        utterance.phones[np.minimum(places, len(utterance.phones) - 1)],
    )


@dataclass
class Window:
    """One row while it is being filled."""

    audio: np.ndarray
    end: int
    offset: int
    tokens: list[int] = field(default_factory=list)
    centres: list[float] = field(default_factory=list)
    phones: np.ndarray = field(default_factory=lambda: np.zeros(0, np.uint8))
    silent: bool = True


class Windows(IterableDataset[Batch]):
    """Draws windows from utterances by the rules of one stage of the recipe."""

    def __init__(self, tokens: Tokens, stage: dict[str, Any], seed: int) -> None:
        self.tokens, self.stage = tokens, stage
        self.shards = [load_shard(name, tokens) for name in stage["shards"]]
        for name, shard in zip(stage["shards"], self.shards, strict=True):
            if not shard:
                raise FileNotFoundError(f"{DATA} has no finished part of {name}: run models.training.synthesise")
        self.shares = list(stage["shards"].values())
        self.rng = random.Random(seed)
        self.noise = np.random.default_rng(seed)

    def _choices(self, count: int) -> list[Utterance]:
        """Utterances at random, from each shard by its share."""
        return [self.rng.choice(shard) for shard in self.rng.choices(self.shards, self.shares, k=count)]

    def _time(self, frame: float) -> int:
        return self.tokens.time0 + min(1500, max(0, round(frame)))

    def draw(self, seconds: int) -> Window:
        """One window of `seconds`: pauses, utterances, sometimes few or none of them, sometimes a cut-off last one."""
        rng, samples = self.rng, seconds * RATE
        frames = samples // FRAME
        offset = int(rng.triangular(0, min(self.stage["spread"], FRAMES - frames), 0))
        window = Window(np.zeros(samples, np.float32), samples, offset)
        window.phones = np.full(frames, PHONE_ID[SILENCE], np.uint8)
        chance, limit = rng.random(), 100
        if chance < self.stage["empty"]:
            limit = 0
        elif seconds > 5 and chance < self.stage["empty"] + 0.2:
            limit = rng.randint(1, 3)
        level, before = 10 ** (rng.uniform(-15, 0) / 20), rng.triangular(0, 1.0, 0.1)
        if rng.random() < self.stage["late"]:
            before = rng.uniform(1.0, 0.6 * seconds)
        cursor = int(before * RATE)
        while limit > 0:
            limit -= 1
            utterance = next((u for u in self._choices(6) if cursor + len(u.audio) <= samples), None)
            if utterance is None:
                if rng.random() < self.stage["cut"]:
                    self._cut(window, cursor, level)
                    cursor = samples
                break
            if rng.random() < self.stage["stretch"]:
                changed = stretched(utterance, rng.uniform(1 - STRETCH, 1 + STRETCH))
                utterance = changed if cursor + len(changed.audio) <= samples else utterance
            self._place(window, utterance, cursor, level * 10 ** (rng.uniform(-4, 0) / 20))
            pause = rng.uniform(2.0, 6.0) if seconds > 10 and rng.random() < 0.1 else rng.triangular(0.05, 1.2, 0.3)
            cursor += len(utterance.audio) + int(pause * RATE)
        if window.silent:
            window.tokens = [self._time(window.offset)]
            window.centres = [-1.0]
            if rng.random() < 0.8:
                window.audio = non_speech(samples, self.noise)
        else:
            self._disturb(window)
        if cursor < samples and rng.random() < self.stage["over"]:
            window.end = cursor
        return window

    def _place(self, window: Window, utterance: Utterance, at: int, gain: float) -> None:
        """Add a whole utterance at sample `at`: its start time, text and end time."""
        end = at + len(utterance.audio)
        window.audio[at:end] += utterance.audio * np.float32(gain / 32768)
        frame = round(at / FRAME)
        window.phones[frame : frame + len(utterance.phones)] = utterance.phones[: len(window.phones) - frame]
        first, last = at / FRAME, end / FRAME
        window.tokens += [self._time(window.offset + first), *utterance.ids, self._time(window.offset + last)]
        window.centres += [first, *(first + c if c >= 0 else c for c in utterance.centres), last]
        window.silent = False

    def _cut(self, window: Window, at: int, gain: float) -> None:
        """Begin an utterance that the window's end cuts off: by Whisper's rule only its start time is written."""
        room = len(window.audio) - at
        if room < RATE // 5 or window.silent:
            return
        utterance = self._choices(1)[0]
        part = utterance.audio[:room]
        window.audio[at : at + len(part)] += part * np.float32(gain / 32768)
        frame = round(at / FRAME)
        window.phones[frame:] = UNKNOWN
        if len(part) == room:
            window.tokens.append(self._time(window.offset + at / FRAME))
            window.centres.append(at / FRAME)
        else:
            window.tokens += [
                self._time(window.offset + at / FRAME),
                *utterance.ids,
                self._time(window.offset + (at + len(part)) / FRAME),
            ]
            window.centres += [-1.0] * (len(utterance.ids) + 2)

    def _disturb(self, window: Window) -> None:
        """What else is heard: noise or murmur near the speech, a room and whatever is in it, or a faint hiss."""
        rng, stage = self.rng, self.stage
        chance = rng.random()
        if chance >= stage["drowned"] + stage["rooms"]:
            self._add_noise(window)
            return
        others = [np.float32(1 / 32768) * u.audio for u in self._choices(5)]
        if chance < stage["drowned"]:
            window.audio = drowned(window.audio, self.noise, others)
        else:
            window.audio = disturb(window.audio, self.noise, rng.uniform(0.3, 1.0), others, stage["faintest"])

    def _add_noise(self, window: Window) -> None:
        """Digital silence, or white or low noise at a random level."""
        if self.rng.random() < 0.35:
            return
        noise = self.noise.standard_normal(len(window.audio), np.float32)
        if self.rng.random() < 0.5:
            noise[1:] += noise[:-1]
            noise[2:] += noise[:-2]
        window.audio += noise * np.float32(10 ** (self.rng.uniform(-85, self.stage["noise"]) / 20))

    def _line(self, window: Window) -> tuple[list[int], list[int], list[float]]:
        """The row's tokens, labels (one token later) and guides, in one of Whisper's forms."""
        t, rng = self.tokens, self.rng
        text = list(zip(window.tokens, window.centres, strict=True))
        form, before = rng.random(), []
        prefix = list(t.prefix)
        if window.silent:
            text = text if rng.random() < 0.7 else []
        elif form < self.stage["plain"]:
            prefix.append(t.id("<|notimestamps|>"))
            text = [(token, centre) for token, centre in text if token < t.end]
        elif form < self.stage["plain"] + self.stage["prompt"]:
            earlier = [i for u in self._choices(rng.randint(1, 3)) for i in u.ids]
            before = [t.id("<|startofprev|>"), *earlier[-60:]]
        line = [*before, *prefix, *(token for token, _ in text), t.end]
        labels = [IGNORED] * len(before) + line[len(before) + 1 :]
        if window.silent:
            labels[len(before)] = t.id("<|nospeech|>")
        guides = [-1.0] * (len(before) + len(prefix) - 1) + [centre for _, centre in text] + [-1.0]
        inputs = [
            rng.randrange(t.end) if token < t.end and rng.random() < self.stage["corrupt"] else token
            for token in line[:-1]
        ]
        return inputs, labels, guides

    def batch(self) -> Batch:
        """One batch of windows of one length, so many that they hold the stage's seconds of audio."""
        lengths = self.stage["windows"]
        seconds = self.rng.choices([int(s) for s in lengths], [float(w) for w in lengths.values()])[0]
        rows = [self.draw(seconds) for _ in range(max(2, self.stage["seconds"] // seconds))]
        lines = [self._line(row) for row in rows]
        # Filled up, so that few sizes of tensors come again and again and the memory of one serves the next.
        longest = -(-max(len(inputs) for inputs, _, _ in lines) // 16) * 16
        inputs = torch.full((len(rows), longest), self.tokens.end)
        labels = torch.full((len(rows), longest), IGNORED)
        centres = torch.full((len(rows), longest), -1.0)
        for i, (ids, wanted, guides) in enumerate(lines):
            inputs[i, : len(ids)] = torch.tensor(ids)
            labels[i, : len(wanted)] = torch.tensor(wanted)
            centres[i, : len(guides)] = torch.tensor(guides)
        return Batch(
            torch.from_numpy(np.stack([row.audio for row in rows])),
            torch.tensor([row.end for row in rows]),
            torch.tensor([row.offset for row in rows]),
            inputs,
            labels,
            centres,
            torch.from_numpy(np.stack([row.phones for row in rows])).long(),
        )

    def __iter__(self) -> Iterator[Batch]:
        """Batches without end."""
        while True:
            yield self.batch()

    def ahead(self) -> Iterator[Batch]:
        """Batches without end, made ahead by a process of its own."""
        return iter(DataLoader(self, batch_size=None, num_workers=1, prefetch_factor=4))
