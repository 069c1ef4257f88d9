"""Speakers while they speak: labels soon, the same people under the same names, and nothing changed that is old.

Every two seconds the last two minutes are clustered anew. The clusters get the names of the people whose turns they
cover; turns that leave the two minutes are frozen. When the recording stops, one pass over everything decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.optimize import linear_sum_assignment

from desktop_app.speakers.clustering import unit
from desktop_app.speakers.diarisation import GAP, Diarisation, Stretch, centres_of, read
from desktop_app.speakers.networks import RATE, Array, Networks, Voice
from desktop_app.speakers.turns import Turn, joined

WINDOW = 120.0
"""Seconds that are clustered again and again."""

EVERY = 2.0
"""Seconds from one clustering to the next."""

LONGEST = 1.8
"""Seconds after which speech without a pause is looked at."""

NEW = 0.75
"""Seconds after which somebody new is somebody, as long as the recording goes on."""

ENOUGH = 1.75
"""Seconds of speech by which somebody is a speaker in the last pass. Fewer than in a file, because speech that is cut
sooner has fewer pieces.
"""

SHORT = 1.0
"""Seconds; a shorter stretch says too little of a voice: it inherits the label next to it and moves no centre."""


class LiveSpeakers:
    """Hears a live recording; `hear` says whether labels may have changed, `turns` what they are now.

    `count` is the number of speakers where somebody knows it.
    """

    def __init__(self, networks: Networks, voice: Voice, count: int | None = None) -> None:
        self._networks, self._count = networks, count
        self._heard = Diarisation(networks, voice, count, LONGEST, ENOUGH)
        self._samples, self._due = 0, round(EVERY * RATE)
        self._first = 0  # the first stretch in the window
        self._frozen: list[Turn] = []
        self._open: list[Turn] = []
        self._known: dict[str, Array] = {}
        self._centre: Array = np.zeros((0, 1), np.float32)
        self._names: dict[str, str] = {}

    def hear(self, samples: Array) -> bool:
        """The next samples of the microphone."""
        self._heard.hear(samples)
        self._samples += samples.size
        before = len(self._heard.stretches)
        self._heard.flush()
        if self._samples >= self._due:
            self._due = self._samples + round(EVERY * RATE)
            self._update()
            return True
        new = self._heard.stretches[before:]
        if new and self._names:
            self._open += self._named(_with_short(new, self._centre, self._open[-1:]))
        return bool(new)

    def turns(self) -> list[Turn]:
        """All turns so far, in order of time; those that are older than the window do not change any more."""
        return joined([*self._frozen, *self._open], GAP)

    def finish(self) -> list[Turn]:
        """The recording is over: its turns after one pass over all of it, under the names that were shown."""
        shown = [*self._frozen, *self._open]
        whole = self._heard.finish()
        names = _matched(whole, shown, {})
        names |= dict(zip(_missing(whole, names), self._new(shown), strict=False))
        return [replace(turn, speaker=names[turn.speaker]) for turn in whole]

    def _update(self) -> None:
        self._freeze(self._samples / RATE - WINDOW)
        window = self._heard.stretches[self._first :]
        solid = [stretch for stretch in window if stretch.seconds >= SHORT]
        if not solid:
            return
        centre = centres_of(solid, self._networks, self._count, NEW)
        fresh = _with_short(window, centre, [])
        likeness = {
            str(cluster): {name: float(vector @ known) for name, known in self._known.items()}
            for cluster, vector in enumerate(centre)
        }
        alike = {
            cluster: {name: cosine for name, cosine in each.items() if cosine >= self._networks.limits.least}
            for cluster, each in likeness.items()
        }
        names = _matched(fresh, [*self._frozen[-1:], *self._open], alike)
        missing = _missing(fresh, names)
        names |= dict(zip(missing, self._new([*self._frozen, *self._open]), strict=False))
        self._centre, self._names = centre, names
        self._open = self._named(fresh)
        for cluster, name in names.items():
            old, new = self._known.get(name), centre[int(cluster)]
            self._known[name] = new if old is None else unit(0.9 * old + 0.1 * new)

    def _named(self, turns: Sequence[Turn]) -> list[Turn]:
        return [replace(turn, speaker=self._names.get(turn.speaker, turn.speaker)) for turn in turns]

    def _freeze(self, before: float) -> None:
        """What ended before this time stays as it is."""
        while self._first < len(self._heard.stretches):
            stretch = self._heard.stretches[self._first]
            if stretch.begin + stretch.seconds > before:
                break
            self._first += 1
        limit = self._heard.stretches[self._first].begin if self._first < len(self._heard.stretches) else before
        self._frozen += [turn for turn in self._open if turn.start < limit]
        self._open = [turn for turn in self._open if turn.start >= limit]

    def _new(self, shown: Sequence[Turn]) -> list[str]:
        """Names that nobody has had."""
        taken = {turn.speaker for turn in shown} | set(self._known)
        return [name for number in range(1, len(taken) + 60) if (name := f"S{number}") not in taken]


def _with_short(window: Sequence[Stretch], centre: Array, before: Sequence[Turn]) -> list[Turn]:
    """The turns of the stretches; a short one gets the label of the long one that is nearest in time, among them those
    that were there `before`.
    """
    long = [turn for stretch in window if stretch.seconds >= SHORT for turn in read(stretch, centre)]
    found = list(long)
    for stretch in window:
        if stretch.seconds < SHORT:
            begin, end = stretch.begin, stretch.begin + stretch.seconds
            near = [(max(turn.start - end, begin - turn.end), turn.speaker) for turn in (*before, *long)]
            found += [Turn(begin, end, min(near)[1])] if near else []
    return sorted(found, key=lambda turn: (turn.start, turn.end))


def _matched(fresh: Sequence[Turn], shown: Sequence[Turn], alike: dict[str, dict[str, float]]) -> dict[str, str]:
    """Names for the speakers of `fresh` turns: of those who are heard at the same time in the turns that were shown, so
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
    rows, columns = linear_sum_assignment(-both)
    return {clusters[row]: names[column] for row, column in zip(rows, columns, strict=True) if both[row, column] > 0}


def _missing(turns: Sequence[Turn], names: dict[str, str]) -> list[str]:
    return [speaker for speaker in dict.fromkeys(turn.speaker for turn in turns) if speaker not in names]
