"""A chart of acceptance and look-ahead over a recording."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QMouseEvent, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from desktop_app.app.presentation import wording
from desktop_app.app.recordings.speed_history import Point
from desktop_app.texts import _
from desktop_app.ui.widgets.painting import painting
from desktop_app.ui.widgets.theme import Theme, font

ACCEPTANCE, LOOK_AHEAD = "accent", "muted"
"""The colours of the two lines."""

_HEIGHT = 104
_LEFT, _RIGHT, _ABOVE, _UNDER = 36, 14, 7, 20  # pixels beside the lines, for what stands at the axes
_MOST_AHEAD = 8  # tokens drafted for a pass, at the top of the chart
_SHARES = (0.0, 0.5, 1.0)  # of the height, where a line has figures at its ends


class SpeedChart(QWidget):
    """Two lines over the time of the recording: the share of draft tokens accepted (0 to 100%, at the left), and how
    many tokens were drafted for a pass (0 to 8, at the right). The figures of a place are told by the pointer; a screen
    reader hears where the lines end.

    Attributes: points.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._figures = font(10, figures=True)
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
            for share in _SHARES:
                y = self._y(share)
                painter.drawLine(QPointF(_LEFT, y), QPointF(self.width() - _RIGHT, y))
            painter.setFont(self._figures)
            painter.setPen(colors.color("muted"))
            for text, place, alignment in self.axes():
                painter.drawText(place, alignment, text)
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

    def axes(self) -> Iterator[tuple[str, QRectF, Qt.AlignmentFlag]]:
        """What stands at the axes, where, and how it is aligned: shares left, tokens right, times below."""
        right, middle = Qt.AlignmentFlag.AlignRight, Qt.AlignmentFlag.AlignVCenter
        for share in _SHARES:
            top = self._y(share) - 8
            yield wording.percent(share), QRectF(0, top, _LEFT - 5, 16), right | middle
            yield wording.number(share * _MOST_AHEAD), QRectF(self.width() - _RIGHT, top, _RIGHT, 16), right | middle
        if self.points:
            under = QRectF(_LEFT, self.height() - 15, self.width() - _LEFT - _RIGHT, 15)
            yield wording.clock(self.points[0].seconds), under, Qt.AlignmentFlag.AlignLeft
            yield wording.clock(self.points[-1].seconds), under, right

    def _x(self, point: Point) -> float:
        first, last = self.points[0].seconds, self.points[-1].seconds
        share = (point.seconds - first) / (last - first) if last > first else 1.0
        return _LEFT + share * (self.width() - _LEFT - _RIGHT)

    def _y(self, share: float) -> float:
        return _ABOVE + (1 - share) * (self.height() - _ABOVE - _UNDER)


def describe(point: Point) -> str:
    """The figures of a place in one line."""
    return _(
        "{time}: {accepted} accepted, look-ahead {tokens}",
        time=wording.clock(point.seconds),
        accepted=wording.percent(point.acceptance),
        tokens=wording.number(point.look_ahead, 1),
    )
