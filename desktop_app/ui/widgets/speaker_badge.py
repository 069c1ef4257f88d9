"""How a speaker looks: a colour, a shape and an initial, so that nobody has to tell colours apart.

What a speaker looks like comes from the id alone: it stays when others are merged, renamed or brought back.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPainterPath, QPixmap, QPolygonF

from desktop_app.ui.widgets.theme import SPEAKER_COLORS, Palette, font

CIRCLE, SQUARE, HEXAGON, DROP, DIAMOND = SHAPES = ("circle", "square", "hexagon", "drop", "diamond")
BADGE = 18
"""The width of a badge in device-independent pixels."""

_ROUND = 0.2  # the corners of a square, as a share of its width


@dataclass(frozen=True)
class Look:
    """Attributes: color (a place in SPEAKER_COLORS), shape (one of SHAPES)."""

    color: int
    shape: str

    def ink(self, palette: Palette) -> str:
        """The colour itself."""
        return SPEAKER_COLORS[palette.name][self.color]


def look_of(speaker: str) -> Look:
    """What the speaker with this id looks like. The first forty all look different."""
    digits = re.search(r"\d+$", speaker)
    number = int(digits.group()) - 1 if digits else zlib.crc32(speaker.encode())
    colors = len(SPEAKER_COLORS["light"])
    return Look(number % colors, SHAPES[number % len(SHAPES)])


def initial(name: str) -> str:
    """What stands in the badge: the number of "Speaker 2", else the first letter or digit of the name."""
    numbered = re.fullmatch(r"\D*?(\d{1,2})", name)
    if numbered:
        return numbered.group(1)
    return next((letter.upper()[:1] for letter in name if letter.isalnum()), "·")


def outline(shape: str, place: QRectF) -> QPainterPath:
    """The shape of a badge, inside a square."""
    path = QPainterPath()
    if shape == CIRCLE:
        path.addEllipse(place)
    elif shape == SQUARE:
        inside = place.adjusted(0.5, 0.5, -0.5, -0.5)
        path.addRoundedRect(inside, _ROUND * place.width(), _ROUND * place.width())
    elif shape == DROP:  # a circle with one corner
        path.setFillRule(Qt.FillRule.WindingFill)
        path.addEllipse(place)
        corner = QRectF(place.left(), place.center().y(), place.width() / 2, place.height() / 2)
        path.addRoundedRect(corner, 1.5, 1.5)
    else:
        path.addPolygon(QPolygonF([_inside(place, x, y) for x, y in _CORNERS[shape]]))
        path.closeSubpath()
    return path


_CORNERS = {
    HEXAGON: ((0.25, 0.03), (0.75, 0.03), (1.02, 0.5), (0.75, 0.97), (0.25, 0.97), (-0.02, 0.5)),
    DIAMOND: ((0.5, -0.1), (1.1, 0.5), (0.5, 1.1), (-0.1, 0.5)),
}


def _inside(place: QRectF, x: float, y: float) -> QPointF:
    return QPointF(place.left() + x * place.width(), place.top() + y * place.height())


def paint_badge(painter: QPainter, place: QRectF, look: Look, letter: str, palette: Palette) -> None:
    """Draw a badge: the letter in the page's colour on the speaker's, which is as legible as the other way round."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(look.ink(palette)))
    painter.drawPath(outline(look.shape, place))
    painter.setFont(font(place.height() * (0.61 if len(letter) == 1 else 0.53), "SemiBold", figures=True))
    painter.setPen(palette.color("page"))
    painter.drawText(place, Qt.AlignmentFlag.AlignCenter, letter)
    painter.restore()


@lru_cache(maxsize=128)
def badge(look: Look, letter: str, palette: Palette, scale: float = 1.0) -> QPixmap:
    """A badge as a pixmap for a screen of `scale` pixels to one; one pixel is left free around it."""
    made = QPixmap(round((BADGE + 2) * scale), round((BADGE + 2) * scale))
    made.setDevicePixelRatio(scale)
    made.fill(Qt.GlobalColor.transparent)
    with QPainter(made) as painter:
        paint_badge(painter, QRectF(1, 1, BADGE, BADGE), look, letter, palette)
    return made


def badge_icon(look: Look, letter: str, palette: Palette) -> QIcon:
    """A badge for buttons and menus."""
    made = QIcon()
    for scale in (1.0, 1.5, 2.0, 3.0):
        made.addPixmap(badge(look, letter, palette, scale))
    return made
