"""A recording through the speaker networks, step by step: who of up to three people speaks in each ten seconds, and
what the voice is like every quarter of a second.

A window of the segmentation network begins every 2 s, so that five of them cover each moment. The
embedding network's convolutions run once over everything; its pooling is done here for each piece of speech, over the
frames in which, by the segmentation, the same person speaks alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from desktop_app.speakers.filterbanks import FRAME as FILTER
from desktop_app.speakers.filterbanks import SHIFT as BANK
from desktop_app.speakers.filterbanks import filterbanks
from desktop_app.speakers.networks import REDUCTION, Array, Networks
from desktop_app.speakers.pieces import embedded, pooled
from desktop_app.speakers.powerset import CENTRE, CLASSES, FRAMES, SHIFT, SPEAKERS, WINDOW, probabilities
from desktop_app.transcript.constants import SAMPLE_RATE

FEATURE = BANK * REDUCTION
"""Samples from one frame of features to the next."""

STEP = 2 * SAMPLE_RATE
"""Samples from one window to the next."""

AHEAD = 4
"""Steps before the recording at which windows begin for who cannot wait for ten seconds."""

PADDED = 1e-3
"""What a window counts that holds silence from before or behind the recording: where there is no other, it decides."""

STEP_FEATURES, WINDOW_FEATURES = STEP // FEATURE, WINDOW // FEATURE

HOP = 3
"""Frames of features from one piece to the next: 0.24 s."""

REACH = 6
"""Frames of features that a piece reaches to both sides, half a second, as far as the same person speaks."""

_ALONE = 0.5  # probability from which somebody counts as speaking alone
_LEAST_WEIGHT = 0.4  # mean weight from which a piece says something of a voice
_LEAST = 4  # frames of features, 0.3 s: less says nothing of a voice
_SAME = 0.6  # share of windows in which two neighbouring pieces have to be of the same person
_CONTEXT = 12  # frames of features beside what is kept: the reach of the convolutions
_MUTE = -15.0  # logarithm: filter banks of digital silence

Half = npt.NDArray[np.float16]


@dataclass(frozen=True)
class SegmentedWindow:
    """The segmentation of one window, which begins at this frame of features: the probability that each speaker is
    active, in 255ths, [FRAMES, 3], and that each is alone, where the features are, [WINDOW_FEATURES, 3]. `weight` is
    what it counts beside others.
    """

    begin: int
    weight: float
    active: npt.NDArray[np.uint8]
    alone: Half


@dataclass(frozen=True)
class VoicePieces:
    """Pieces of speech of one voice: their frames of features, counted from the recording's begin, [n]; a vector of
    length 1 for each, [n, size]; and whether it is the same person's as the piece before, without a pause, [n].
    """

    places: npt.NDArray[np.intp]
    vectors: Half
    follows: npt.NDArray[np.bool_]

    def __getitem__(self, which: slice) -> VoicePieces:
        return VoicePieces(self.places[which], self.vectors[which], self.follows[which])

    @staticmethod
    def together(parts: list[VoicePieces]) -> VoicePieces:
        """All of them, in order."""
        parts = [part for part in parts if len(part.places)]
        return VoicePieces(
            np.concatenate([np.zeros(0, np.intp), *(part.places for part in parts)]),
            np.concatenate([part.vectors for part in parts]) if parts else np.zeros((0, 1), np.float16),
            np.concatenate([np.zeros(0, bool), *(part.follows for part in parts)]),
        )


class VoiceStream:
    """Takes samples; the networks' results are in `windows` and `pieces`.

    `every` is the number of steps after which voices are looked at: the network works on longer blocks, and so at less
    cost, when that is seldom. The first window begins `ahead` steps before the recording.

    Attributes:
        windows: of all steps so far.
    """

    def __init__(self, networks: Networks, every: int, ahead: int = 0) -> None:
        self._networks, self._every, self._ahead = networks, every, ahead
        self._block = every * STEP_FEATURES + 2 * _CONTEXT
        self._kept: Array = np.zeros(ahead * STEP, np.float32)
        self._first = -ahead * STEP  # the recording's sample that is kept first
        self._received = 0  # samples
        self._features: Array | None = None  # the last ones
        self._begin = self._known = 0  # frames of features: the first of those, and the end of what is known
        self._settled: list[VoicePieces] = []
        self._fresh = VoicePieces.together([])
        self._next = 0  # frames of features whose pieces are settled
        self.windows: list[SegmentedWindow] = []

    @property
    def seconds(self) -> float:
        """The length so far."""
        return self._received / SAMPLE_RATE

    def feed(self, samples: Array) -> bool:
        """The next samples, any number; returns whether there are new voices."""
        self._received += samples.size
        return self._take(samples)

    def finish(self) -> None:
        """The recording is over: one more window covers what no window has covered yet."""
        end = self._next_window() + WINDOW - (STEP if self.windows else WINDOW)
        if self._received > end:
            self._take(np.zeros(end + STEP - self._received if self.windows else WINDOW - self._received, np.float32))
        self._update_features(last=True)

    def pieces(self, first: int = 0) -> VoicePieces:
        """The pieces from this frame of features on, and maybe some before."""
        return VoicePieces.together([*(part for part in self._settled if part.places[-1] >= first), self._fresh])

    def _take(self, samples: Array) -> bool:
        looked = False
        self._kept = np.concatenate([self._kept, samples])
        while (begin := self._next_window()) + WINDOW <= self._first + self._kept.size:
            at = begin - self._first
            scores = self._networks.segment(self._kept[None, None, at : at + WINDOW])[0]
            whole = begin >= 0 and begin + WINDOW <= self._received
            self.windows.append(_window(scores, begin // FEATURE, 1.0 if whole else PADDED))
            if len(self.windows) % self._every == 0:
                self._update_features()
                looked = True
            needed = min(begin + STEP, (self._known - 2 * _CONTEXT) * FEATURE)
            if needed - self._first >= STEP:
                self._kept, self._first = self._kept[needed - self._first :].copy(), needed
        return looked

    def _next_window(self) -> int:
        """The sample at which the next window begins."""
        return (len(self.windows) - self._ahead) * STEP

    def _update_features(self, *, last: bool = False) -> None:
        """Make the features that are new, and pieces of what is new or was too near to the end before."""
        covered = self.windows[-1].begin + WINDOW_FEATURES if self.windows else 0
        end = min(covered, -(-self._received // FEATURE))
        while self._known < end:
            self._extend(min(end, self._known + self._every * STEP_FEATURES))
        settled = end if last else max(self._next, end - STEP_FEATURES)
        made = self._pieces(np.arange(-(-self._next // HOP) * HOP, end, HOP))
        old = int(np.searchsorted(made.places, settled))
        if old:
            self._settled.append(made[:old])
        self._fresh, self._next = made[old:], settled

    def _extend(self, end: int) -> None:
        """Make the features up to this frame; those that had nothing behind them before are made anew."""
        first = end - self._block
        begin = max(first * FEATURE, self._first, 0)
        banks = filterbanks(self._kept[begin - self._first : min(end * FEATURE, self._received) - self._first])
        sounding = banks.max(1, initial=_MUTE) > _MUTE
        if sounding.any():
            banks = np.where(sounding[:, None], banks - banks[sounding].mean(0), np.float32(0.0))
        given = np.zeros((self._block * REDUCTION, banks.shape[1]), np.float32)
        at = begin // BANK - first * REDUCTION
        given[at : at + len(banks)] = banks[: len(given) - at]
        made = self._networks.features(given[None])[0]
        redone = max(0, self._known - _CONTEXT)
        kept = max(0, self._next - REACH)
        split = max(kept, redone)
        old = made[:0] if self._features is None else self._features[kept - self._begin : split - self._begin]
        self._features, self._begin, self._known = np.concatenate([old, made[split - first :]]), kept, end

    def _pieces(self, places: npt.NDArray[np.intp]) -> VoicePieces:
        """The pieces around these frames of features, as far as somebody speaks there alone."""
        if not len(places) or self._features is None:
            return VoicePieces.together([])
        around = np.arange(-REACH, REACH + 1)
        weights = np.zeros((len(places), len(around)), np.float32)
        covered, both, same = np.zeros(len(places)), np.zeros(len(places)), np.zeros(len(places))
        for window in self.windows[-(2 * AHEAD + self._every) :]:
            at = places - window.begin
            rows = np.flatnonzero((at >= 0) & (at < WINDOW_FEATURES))
            at = at[rows] + REACH
            alone = np.pad(window.alone.astype(np.float32), ((REACH, REACH), (0, 0)))
            who, before = alone[at].argmax(1), alone[at - HOP].argmax(1)
            sure = alone[at, who] >= _ALONE
            own = np.where(sure[:, None], alone[at[:, None] + around, who[:, None]], 0.0)
            weights[rows] += window.weight * own
            covered[rows] += window.weight
            sure &= alone[at - HOP, before] >= _ALONE
            both[rows] += window.weight * sure
            same[rows] += window.weight * (sure & (who == before))
        columns = places[:, None] + around - self._begin
        known = (columns >= 0) & (columns < len(self._features))
        spread = np.zeros((len(places), len(self._features)), np.float32)
        spread[np.nonzero(known)[0], columns[known]] = weights[known]
        enough = (weights[:, REACH] >= _LEAST_WEIGHT * covered) & ((weights * known).sum(1) >= _LEAST * covered)
        chosen = enough & (covered > 0)
        if not chosen.any():
            return VoicePieces.together([])
        vectors = embedded(self._networks.embed, pooled(self._features, spread[chosen]))
        before = self._settled[-1].places[-1] if self._settled else -HOP
        here = places[chosen]
        neighbours = np.diff(here, prepend=before) == HOP
        follows = neighbours & (same[chosen] >= _SAME * both[chosen])
        return VoicePieces(here, vectors.astype(np.float16), follows)


def _window(scores: Array, begin: int, weight: float) -> SegmentedWindow:
    found = probabilities(scores)
    alone = np.add.reduceat(found[:, 1 : SPEAKERS + 1], _EDGES[:-1], axis=0) / np.diff(_EDGES)[:, None]
    active = np.stack([found[:, CLASSES[:, one]].sum(1) for one in range(SPEAKERS)], 1)
    return SegmentedWindow(begin, weight, np.round(active * 255).astype(np.uint8), alone.astype(np.float16))


# The first of the segmentation's frames in each frame of features, whose middle is that of every eighth filter bank.
_BEGINS = np.arange(WINDOW_FEATURES + 1) * FEATURE + FILTER // 2 - FEATURE // 2
_EDGES = np.clip(-(-(_BEGINS - CENTRE) // SHIFT), 0, FRAMES)
