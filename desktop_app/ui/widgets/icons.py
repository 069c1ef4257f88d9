"""Galley's own icons: SVG files drawn with `currentColor`, tinted to the palette when they are used."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from desktop_app import resources
from desktop_app.ui.widgets.painting import painting


@lru_cache(maxsize=256)
def _renderer(name: str, color: str) -> QSvgRenderer:
    text = resources.path("resources", "icons", f"{name}.svg").read_text(encoding="utf-8")
    return QSvgRenderer(QByteArray(text.replace("currentColor", color).encode()))


def paint(painter: QPainter, name: str, color: str, place: QRectF) -> None:
    """Draw an icon into a rectangle, sharp at every scale."""
    _renderer(name, color).render(painter, place)


@lru_cache(maxsize=256)
def pixmap(name: str, color: str, size: int, scale: float = 1.0) -> QPixmap:
    """An icon as a pixmap of `size` logical pixels for a screen of `scale` pixels to one."""
    made = QPixmap(round(size * scale), round(size * scale))
    made.fill(Qt.GlobalColor.transparent)
    with QPainter(made) as painter:
        paint(painter, name, color, QRectF(0, 0, made.width(), made.height()))
    made.setDevicePixelRatio(scale)
    return made


def icon(name: str, color: str, disabled: str | None = None, size: int = 18) -> QIcon:
    """An icon for buttons and menus; `disabled` is its colour when the control cannot be used."""
    made = QIcon()
    for scale in (1.0, 1.5, 2.0, 3.0):
        made.addPixmap(pixmap(name, color, size, scale))
        if disabled:
            made.addPixmap(pixmap(name, disabled, size, scale), QIcon.Mode.Disabled)
    return made


@lru_cache(maxsize=64)
def dot(color: str, size: int, scale: float = 1.0) -> QPixmap:
    """A filled circle, for legends."""
    made = QPixmap(round(size * scale), round(size * scale))
    made.fill(Qt.GlobalColor.transparent)
    with painting(made) as painter:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(color))
        painter.drawEllipse(QRectF(0, 0, made.width(), made.height()))
    made.setDevicePixelRatio(scale)
    return made
