"""The bars of a waveform: how loud a recording is, in as many pieces as there is room for."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from desktop_app.audio.peaks import RATE
from desktop_app.transcript.model import Span
from desktop_app.ui.player.waveforms import Peaks

_BAR, _GAP = 2.0, 1.0
_QUIETEST = 0.02 * 65_535  # a recording without louder sound is not shown louder


def paint_bars(painter: QPainter, place: QRectF, peaks: Peaks, span: Span, color: QColor) -> None:
    """Draw the stretch `span` of a recording, in seconds; a plain line where its peaks are not known yet."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    count = int(place.width() // (_BAR + _GAP))
    if count < 1 or span[1] <= span[0]:
        return
    # The pieces begin at multiples of their length, so that a part that is moved shows the same bars elsewhere.
    piece = (span[1] - span[0]) / count
    first = int(span[0] / piece)
    wide = place.width() / count
    left = place.left() - (span[0] / piece - first) * wide
    heights = bars(Known(peaks), first, count + 1, piece)
    known, middle = left + len(heights) * wide, place.center().y()
    if known < place.right() - wide:
        painter.drawRoundedRect(QRectF(known, middle - 1, place.right() - known, 2), 1, 1)
    for number, height in enumerate(heights):
        tall = max(height * place.height(), _BAR)
        painter.drawRoundedRect(QRectF(left + number * wide, middle - tall / 2, wide - _GAP, tall), 1, 1)


class Known:
    """Peaks that are known again by their array, not by all that is in it."""

    def __init__(self, peaks: Peaks) -> None:
        self.peaks = peaks

    def __hash__(self) -> int:
        return id(self.peaks)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Known) and other.peaks is self.peaks


@lru_cache(maxsize=4)
def bars(known: Known, first: int, count: int, piece: float) -> tuple[float, ...]:
    """How high `count` bars are from number `first` on, each of `piece` seconds: 0 to 1, the loudest of the whole
    recording; fewer where less is known."""
    edges = (np.arange(first, first + count + 1) * (piece * RATE)).astype(np.intp)
    begins = edges[:-1][edges[:-1] < known.peaks.size]
    if not begins.size:
        return ()
    highest = np.maximum.reduceat(known.peaks[: max(edges[len(begins)], begins[-1] + 1)], begins)
    return tuple((highest / _loudest(known)).tolist())


@lru_cache(maxsize=2)
def _loudest(known: Known) -> float:
    return max(float(known.peaks.max()), _QUIETEST)
