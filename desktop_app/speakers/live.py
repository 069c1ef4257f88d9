"""Speakers while they speak: labels soon, the same people under the same names, and nothing changed that is old.

Every two seconds the last two minutes are clustered anew. The clusters get the names of the people whose turns they
cover; turns that leave the two minutes are frozen. When the recording stops, one pass over everything decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from desktop_app.speakers.assignment import best_assignment
from desktop_app.speakers.clustering import unit
from desktop_app.speakers.diarisation import GAP, centres_of, turns_by
from desktop_app.speakers.networks import Array, Networks
from desktop_app.speakers.stream import AHEAD, FEATURE, VoiceStream
from desktop_app.speakers.turns import Turn, joined
from desktop_app.transcript.constants import SAMPLE_RATE

WINDOW = 120.0
"""Seconds that are clustered again and again."""

NEW = 0.75
"""Seconds after which somebody new is somebody, as long as the recording goes on."""


class LiveSpeakers:
    """Takes a live recording; `feed` returns whether turns may have changed, `turns` what they are now.

    `count` is the number of speakers where somebody knows it.
    """

    def __init__(self, networks: Networks, count: int | None = None) -> None:
        self._networks, self._count = networks, count
        self._stream = VoiceStream(networks, 1, AHEAD)
        self._first = 0  # the first window that is not frozen
        self._frozen: list[Turn] = []
        self._open: list[Turn] = []
        self._known: dict[str, Array] = {}

    def feed(self, samples: Array) -> bool:
        """The next samples of the microphone."""
        if not self._stream.feed(samples):
            return False
        self._update()
        return True

    def turns(self) -> list[Turn]:
        """All turns so far, in order of time; those that are older than the window do not change any more."""
        return joined([*self._frozen, *self._open], GAP)

    def finish(self) -> list[Turn]:
        """The recording is over: its turns after one pass over all of it, under the names that were shown."""
        shown = [*self._frozen, *self._open]
        self._stream.finish()
        pieces = self._stream.pieces()
        if not len(pieces.places):
            return []
        whole = turns_by(self._stream, pieces, centres_of(pieces, self._networks, self._count))
        names = _matched(whole, shown, {})
        names |= dict(zip(_missing(whole, names), self._new(shown), strict=False))
        return [replace(turn, speaker=names[turn.speaker]) for turn in whole]

    def _update(self) -> None:
        before = self._stream.seconds - WINDOW
        while self._stream.windows[self._first].begin * FEATURE / SAMPLE_RATE < before:
            self._first += 1
        limit = self._stream.windows[self._first].begin * FEATURE / SAMPLE_RATE if self._first else 0.0
        self._freeze(limit)
        pieces = self._stream.pieces(round(limit * SAMPLE_RATE / FEATURE))
        if not len(pieces.places):
            return
        centre = centres_of(pieces, self._networks, self._count, NEW)
        fresh = _behind(turns_by(self._stream, pieces, centre, max(0, self._first - AHEAD)), limit)
        alike = {
            str(cluster): {
                name: cosine
                for name, known in self._known.items()
                if (cosine := float(vector @ known)) >= self._networks.limits.least
            }
            for cluster, vector in enumerate(centre)
        }
        names = _matched(fresh, [*self._frozen[-1:], *self._open], alike)
        names |= dict(zip(_missing(fresh, names), self._new([*self._frozen, *self._open]), strict=False))
        self._open = [replace(turn, speaker=names[turn.speaker]) for turn in fresh]
        for cluster, name in names.items():
            old, new = self._known.get(name), centre[int(cluster)]
            self._known[name] = new if old is None else unit(0.9 * old + 0.1 * new)

    def _freeze(self, limit: float) -> None:
        """Keep the speakers of all turns before this time as they are."""
        self._frozen += [replace(turn, end=min(turn.end, limit)) for turn in self._open if turn.start < limit]
        self._open = _behind(self._open, limit)

    def _new(self, shown: Sequence[Turn]) -> list[str]:
        """Names that no speaker has had."""
        taken = {turn.speaker for turn in shown} | set(self._known)
        return [name for number in range(1, len(taken) + 60) if (name := f"S{number}") not in taken]


def _behind(turns: Sequence[Turn], limit: float) -> list[Turn]:
    """The turns, or parts of turns, from this time on."""
    return [replace(turn, start=max(turn.start, limit)) for turn in turns if turn.end > limit]


def _matched(fresh: Sequence[Turn], shown: Sequence[Turn], alike: dict[str, dict[str, float]]) -> dict[str, str]:
    """Names for the speakers of `fresh` turns: of those who speak at the same time in the turns that were shown, so
    that as many seconds as possible keep their name; for who is left, of the most alike.
    """
    clusters = list(dict.fromkeys(turn.speaker for turn in fresh))
    names = list(
        dict.fromkeys([*(turn.speaker for turn in shown), *(name for each in alike.values() for name in each)])
    )
    if not clusters or not names:
        return {}
    both = np.zeros((len(clusters), len(names)))
    for turn in fresh:
        for old in shown:
            common = min(turn.end, old.end) - max(turn.start, old.start)
            if common > 0:
                both[clusters.index(turn.speaker), names.index(old.speaker)] += common
    for cluster, each in alike.items():
        for name, cosine in each.items():
            if cluster in clusters:
                both[clusters.index(cluster), names.index(name)] += 0.01 * cosine
    rows, columns = best_assignment(both)
    return {clusters[row]: names[column] for row, column in zip(rows, columns, strict=True) if both[row, column] > 0}


def _missing(turns: Sequence[Turn], names: dict[str, str]) -> list[str]:
    return [speaker for speaker in dict.fromkeys(turn.speaker for turn in turns) if speaker not in names]
