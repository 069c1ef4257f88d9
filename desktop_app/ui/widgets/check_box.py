"""A box that is ticked, in the colours of the palette: the style's own has no visible edge in the dark."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QCheckBox, QWidget

from desktop_app.ui.widgets.painting import painting
from desktop_app.ui.widgets.theme import S1, S2, Palette, Theme

BOX = 16


def paint_box(
    painter: QPainter, colors: Palette, box: QRect, checked: bool, focused: bool, enabled: bool = True
) -> None:
    """Paint a box of BOX pixels, which has a tick in it where it is `checked`."""
    edge = "accent" if checked or focused else "muted"
    painter.setPen(QPen(colors.color(edge if enabled else "line_strong"), 1))
    painter.setBrush(colors.color(("accent" if enabled else "line_strong") if checked else "page"))
    around = QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5)
    painter.drawRoundedRect(around, 4, 4)
    if checked:
        pen = QPen(colors.color("on_accent"), 2)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        painter.setPen(pen)
        painter.drawPolyline([around.center() + QPointF(x, y) for x, y in ((-3.5, 0.2), (-1, 2.8), (3.8, -2.8))])


class CheckBox(QCheckBox):
    """Words behind a box."""

    def __init__(self, theme: Theme, text: str, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self._theme = theme
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        letters = self.fontMetrics()
        return QSize(BOX + S2 + letters.horizontalAdvance(self.text()) + S1, max(BOX, letters.height()) + S1)

    def hitButton(self, place: object) -> bool:
        return True

    def paintEvent(self, event: QPaintEvent) -> None:
        colors, enabled = self._theme.palette, self.isEnabled()
        backwards = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        box = QRect(self.width() - BOX - 1 if backwards else 1, round((self.height() - BOX) / 2), BOX, BOX)
        with painting(self) as painter:
            paint_box(painter, colors, box, self.isChecked(), self.hasFocus(), enabled)
            painter.setPen(colors.color("ink" if enabled else "draft"))
            painter.setFont(self.font())
            words = self.rect().adjusted(0 if backwards else BOX + S2, 0, -BOX - S2 if backwards else 0, 0)
            side = Qt.AlignmentFlag.AlignRight if backwards else Qt.AlignmentFlag.AlignLeft
            painter.drawText(words, side | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, self.text())
            if self.hasFocus():
                painter.setPen(QPen(colors.color("accent"), 1))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
