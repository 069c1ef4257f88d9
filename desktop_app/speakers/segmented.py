"""Who speaks when, where a segmentation network is there: it finds changes and overlap itself, ten seconds at a time.

Each speaker of each window becomes one vector, made of what is said alone; the vectors are clustered like pieces, and
the windows, which overlap by half, vote (the pipeline of pyannote 3.1, Bredin 2023, with longer steps).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from desktop_app.speakers.clustering import CLEAR, SECONDS, Clusters, merged, unit, voices
from desktop_app.speakers.filterbanks import SHIFT, filterbanks
from desktop_app.speakers.networks import RATE, Array, Networks, Segment
from desktop_app.speakers.pieces import LENGTH, embedded
from desktop_app.speakers.powerset import SPEAKERS, WINDOW, Active, active, spans
from desktop_app.speakers.turns import Turn, joined, named

STEP = WINDOW // 2
"""Samples from one window to the next."""

LEAST = 0.4
"""Seconds that somebody has to speak alone in a window to be a vector of their own."""

GAP, SHORTEST = 0.3, 0.1
"""Seconds: a shorter silence in a turn is a part of it, a shorter turn is none."""

BLOCK = 300
"""Vectors that are clustered together in the first stage: about ten minutes."""


@dataclass(frozen=True)
class _Window:
    """What was found in one window: who is active in each frame, and whose vectors there are (rows of the speakers):
    the mean vector of each one's pieces, and the seconds of speech alone.
    """

    begin: int
    active: Active
    speakers: tuple[int, ...]
    vectors: Array
    seconds: Array


class Segmented:
    """Hears a recording block by block, and then tells who spoke when; the same face as `diarisation.Diarisation`."""

    def __init__(self, networks: Networks, segment: Segment, count: int | None = None) -> None:
        self._networks, self._segment, self._count = networks, segment, count
        self._kept: Array = np.zeros(0, np.float32)
        self._first = 0
        self._windows: list[_Window] = []

    def hear(self, samples: Array) -> None:
        """The next samples, any number, mono at 16 kHz."""
        self._kept = np.concatenate([self._kept, samples])
        while self._kept.size >= WINDOW:
            self._window(self._kept[:WINDOW])
            self._kept, self._first = self._kept[STEP:], self._first + STEP

    def finish(self) -> list[Turn]:
        """The turns of the whole recording in order of time, two at once where that was heard."""
        if self._kept.size > (STEP if self._windows else 0):
            self._window(np.pad(self._kept, (0, WINDOW - self._kept.size)))
        centre = self._voices()
        if not len(centre):
            return []
        turns = [turn for at in range(len(self._windows)) for turn in self._turns(at, centre)]
        return named([turn for turn in joined(turns, GAP) if turn.end - turn.start >= SHORTEST])

    def _window(self, samples: Array) -> None:
        who = active(self._segment(samples[None, None]))[0]
        alone = who & (who.sum(1, keepdims=True) == 1)
        banks = filterbanks(samples)
        places = np.minimum((np.arange(len(banks)) + 0.5) * SHIFT * len(who) / WINDOW, len(who) - 1).astype(int)
        speakers, found, seconds = [], [], []
        for one in range(SPEAKERS):
            mine = banks[alone[places, one]]
            if len(mine) < LEAST * RATE / SHIFT:
                continue
            parts = [mine[at : at + LENGTH] for at in range(0, max(1, len(mine) - LENGTH // 2), LENGTH)]
            speakers.append(one)
            found.append(embedded(self._networks.embed, parts).mean(0))
            seconds.append(len(mine) * SHIFT / RATE)
        vectors = np.stack(found) if found else np.zeros((0, 1), np.float32)
        self._windows.append(_Window(self._first, who, tuple(speakers), vectors, np.array(seconds, np.float32)))

    def _voices(self) -> Array:
        heard = [window for window in self._windows if window.speakers]
        if not heard:
            return np.zeros((0, 1), np.float32)
        vectors = np.concatenate([window.vectors for window in heard])
        seconds, limits = np.concatenate([window.seconds for window in heard]), self._networks.limits
        found = Clusters.of(vectors * seconds[:, None], seconds)
        parts = [merged(found[at : at + BLOCK], limits, CLEAR) for at in range(0, len(found), BLOCK)]
        return voices(parts, limits, SECONDS, self._count)

    def _turns(self, at: int, centre: Array) -> list[Turn]:
        """The turns in the middle of a window, where no other window hears farther to both sides."""
        window = self._windows[at]
        frames = len(window.active)
        first = frames // 4 if at else 0
        last = frames - frames // 4 if at + 1 < len(self._windows) else frames
        mapped = self._mapped(window, centre)
        found = []
        for one, speaker in mapped.items():
            for begin, end in spans(window.active[first:last, one]):
                start, stop = ((first + place) * WINDOW / frames + window.begin for place in (begin, end))
                found.append(Turn(start / RATE, stop / RATE, str(speaker)))
        return found

    def _mapped(self, window: _Window, centre: Array) -> dict[int, int]:
        """Which voice each speaker of a window is; two of one window are never the same, if there are enough voices.
        Somebody who never speaks alone there is nobody.
        """
        found: dict[int, int] = {}
        if len(window.vectors):
            likeness = unit(window.vectors) @ centre.T
            for row, voice in sorted(np.ndindex(*likeness.shape), key=lambda place: -likeness[place]):
                speaker = window.speakers[row]
                enough = len(centre) >= len(window.speakers)
                if speaker not in found and not (enough and voice in found.values()):
                    found[speaker] = int(voice)
        return found
