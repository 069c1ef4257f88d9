"""Painting a paragraph in its colours: what is final in ink, what may still change lighter, the draft grey."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from desktop_app.ui.transcript.flow import Flow, Paragraph
from desktop_app.ui.widgets.theme import Palette

Part = tuple[int, int, str]  # first character, the one after the last, the palette's name of the colour


def parts(paragraph: Paragraph, over: Iterable[Part] = ()) -> list[Part]:
    """Which colour each stretch of a paragraph has; those of `over` come before the others."""
    found = [
        (0, paragraph.final, "ink"),
        (paragraph.final, paragraph.verified, "unsettled"),
        (paragraph.verified, len(paragraph.text), "draft"),
    ]
    for begin, end, role in over:
        left = [(first, min(last, begin), name) for first, last, name in found]
        right = [(max(first, end), last, name) for first, last, name in found]
        found = [*left, (begin, end, role), *right]
    return [(first, last, role) for first, last, role in found if first < last]


def paint(
    painter: QPainter, flow: Flow, index: int, place: QPointF, colors: Palette, over: Iterable[Part] = ()
) -> None:
    """Draw a paragraph of a flow; colours never change where the text stands.

    Each colour is drawn through a window of its own: QTextLayout.draw loses every second of two selections that touch.
    """
    found = parts(flow.paragraphs[index], over)
    layout = flow.layout(index)
    if len(found) == 1:
        painter.setPen(colors.color(found[0][2]))
        layout.draw(painter, place)
        return
    for begin, end, role in found:
        painter.setPen(colors.color(role))
        for left, right, top in flow.spans(index, begin, end):
            painter.save()
            row = QRectF(place.x() + left, place.y() + top, right - left, flow.line_height)
            painter.setClipRect(row, Qt.ClipOperation.IntersectClip)
            layout.draw(painter, place)
            painter.restore()
