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
def runs(turns: tuple[Span, ...], seconds: float, width: float) -> list[tuple[float, float]]:
    """Turns as stretches of a lane, left edge and width in pixels. What would touch is one, however long the recording.

    Each is at least two pixels wide, and none reaches over an end of the lane.
    """
    found: list[tuple[float, float]] = []
    if seconds <= 0 or width <= 0:
        return found
    for begin, end in turns:
        left = min(max(begin / seconds * width, 0.0), width - _LEAST)
        right = min(max(end / seconds * width, left + _LEAST), width)
        if found and left <= found[-1][0] + found[-1][1] + 0.5:
            before = found.pop()
            left, right = before[0], max(right, before[0] + before[1])
        found.append((left, right - left))
    return found


def paint_lane(painter: QPainter, place: QRectF, lane: Lane, seconds: float) -> None:
    """Draw the turns of a lane that is as high as they are."""
    _, color, turns = lane
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    for left, width in runs(turns, seconds, place.width()):
        radius = min(3.0, width / 2, place.height() / 2)
        painter.drawRoundedRect(QRectF(place.left() + left, place.top(), width, place.height()), radius, radius)


def words_at(lanes: Sequence[Lane], seconds: float) -> str:
    """The time, and who speaks then."""
    if not lanes:
        return wording.clock(seconds)
    names = [name for name, _, turns in lanes if any(begin <= seconds < end for begin, end in turns)]
    return f"{wording.clock(seconds)}, {', '.join(names) or _('no speech')}"
