"""A chart of acceptance and look-ahead over a recording."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QMouseEvent, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from desktop_app.app.presentation import wording
from desktop_app.app.recordings.speed_history import Point
from desktop_app.texts import _
from desktop_app.ui.widgets.painting import painting
from desktop_app.ui.widgets.theme import Theme

ACCEPTANCE, LOOK_AHEAD = "accent", "muted"
"""The colours of the two lines."""

_HEIGHT, _MARGIN = 64, 3
_MOST_AHEAD = 8.0  # tokens drafted for a pass, at the top of the chart


class SpeedChart(QWidget):
    """Two lines from left to right: the share of draft tokens accepted (0 to 100%), and how many tokens were drafted
    for a pass (0 to 8). The figures of a place are told by the pointer; a screen reader hears where the lines end.

    Attributes: points.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.points: Sequence[Point] = ()
        self.setFixedHeight(_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        self.setAccessibleName(_("Draft tokens accepted and look-ahead over time"))
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(120, _HEIGHT)

    def set_points(self, points: Sequence[Point]) -> None:
        """Show other points, in order."""
        self.points = tuple(points)
        self.setAccessibleDescription(describe(points[-1]) if points else "")
        self.update()

    def at(self, x: float) -> Point | None:
        """The point that is nearest to a place from the left."""
        return min(self.points, key=lambda point: abs(self._x(point) - x), default=None)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        point = self.at(event.position().x())
        if point is not None:
            QToolTip.showText(event.globalPosition().toPoint(), describe(point), self)

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as painter:
            colors = self._theme.palette
            painter.setPen(QPen(colors.color("line"), 1))
            for share in (0.0, 0.5, 1.0):
                y = self._y(share)
                painter.drawLine(QPointF(0, y), QPointF(self.width(), y))
            lines = {
                LOOK_AHEAD: [min(point.look_ahead / _MOST_AHEAD, 1.0) for point in self.points],
                ACCEPTANCE: [point.acceptance for point in self.points],
            }
            for color, shares in lines.items():
                pen = QPen(colors.color(color), 2)
                pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
                painter.setPen(pen)
                places = zip(map(self._x, self.points), map(self._y, shares), strict=True)
                painter.drawPolyline(QPolygonF([QPointF(x, y) for x, y in places]))

    def _x(self, point: Point) -> float:
        first, last = self.points[0].seconds, self.points[-1].seconds
        share = (point.seconds - first) / (last - first) if last > first else 1.0
        return _MARGIN + share * (self.width() - 2 * _MARGIN)

    def _y(self, share: float) -> float:
        return _MARGIN + (1 - share) * (self.height() - 2 * _MARGIN)


def describe(point: Point) -> str:
    """The figures of a place in one line."""
    return _(
        "{time}: {accepted} accepted, look-ahead {tokens}",
        time=wording.clock(point.seconds),
        accepted=wording.percent(point.acceptance),
        tokens=wording.number(point.look_ahead, 1),
    )
