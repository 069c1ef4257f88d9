"""Who speaks when, as stretches of lanes under each other."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from desktop_app.app.presentation import wording
from desktop_app.texts import _
from desktop_app.transcript.model import Span

_LEAST = 2.0  # pixels: the shortest turn can be seen

Lane = tuple[str, QColor, tuple[Span, ...]]
"""Name, colour and turns of a speaker."""


@lru_cache(maxsize=64)
def runs(turns: tuple[Span, ...], span: Span, width: float) -> list[tuple[float, float]]:
    """The turns in a span of the recording as stretches of a lane, left edge and width in pixels. What would touch is
    one, however long the recording.

    Each is at least two pixels wide, and none reaches over an end of the lane.
    """
    found: list[tuple[float, float]] = []
    first, last = span
    if last <= first or width <= 0:
        return found
    scale = width / (last - first)
    for begin, end in turns:
        if end < first or begin > last:
            continue
        left = min(max((begin - first) * scale, 0.0), width - _LEAST)
        right = min(max((end - first) * scale, left + _LEAST), width)
        if found and left <= found[-1][0] + found[-1][1] + 0.5:
            before = found.pop()
            left, right = before[0], max(right, before[0] + before[1])
        found.append((left, right - left))
    return found


def paint_lane(painter: QPainter, place: QRectF, lane: Lane, span: Span) -> None:
    """Draw the turns in a span of the recording; the lane is as high as they are."""
    _, color, turns = lane
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    for left, width in runs(turns, span, place.width()):
        radius = min(3.0, width / 2, place.height() / 2)
        painter.drawRoundedRect(QRectF(place.left() + left, place.top(), width, place.height()), radius, radius)


def words_at(lanes: Sequence[Lane], seconds: float) -> str:
    """The time, and who speaks then."""
    if not lanes:
        return wording.clock(seconds)
    names = [name for name, _, turns in lanes if any(begin <= seconds < end for begin, end in turns)]
    return f"{wording.clock(seconds)}, {', '.join(names) or _('no speech')}"
