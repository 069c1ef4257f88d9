"""A box that is ticked, in the colours of the palette: the style's own has no visible edge in the dark."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPaintEvent, QPen
from PySide6.QtWidgets import QCheckBox, QWidget

from desktop_app.ui.widgets.painting import painting
from desktop_app.ui.widgets.theme import S1, S2, Theme

_BOX = 16


class CheckBox(QCheckBox):
    """Words behind a box."""

    def __init__(self, theme: Theme, text: str, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self._theme = theme
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        letters = self.fontMetrics()
        return QSize(_BOX + S2 + letters.horizontalAdvance(self.text()) + S1, max(_BOX, letters.height()) + S1)

    def hitButton(self, place: object) -> bool:
        return True

    def paintEvent(self, event: QPaintEvent) -> None:
        colors, enabled = self._theme.palette, self.isEnabled()
        backwards = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        top = (self.height() - _BOX) / 2
        box = QRectF(self.width() - _BOX - 1 if backwards else 1, top, _BOX, _BOX).adjusted(0.5, 0.5, -0.5, -0.5)
        with painting(self) as painter:
            edge = "accent" if self.isChecked() or self.hasFocus() else "muted"
            painter.setPen(QPen(colors.color(edge if enabled else "line_strong"), 1))
            painter.setBrush(colors.color(("accent" if enabled else "line_strong") if self.isChecked() else "page"))
            painter.drawRoundedRect(box, 4, 4)
            if self.isChecked():
                pen = QPen(colors.color("on_accent"), 2)
                pen.setCapStyle(Qt.PenCapStyle.RoundCap)
                painter.setPen(pen)
                middle = box.center()
                painter.drawPolyline([middle + QPointF(x, y) for x, y in ((-3.5, 0.2), (-1, 2.8), (3.8, -2.8))])
            painter.setPen(colors.color("ink" if enabled else "draft"))
            painter.setFont(self.font())
            words = self.rect().adjusted(0 if backwards else _BOX + S2, 0, -_BOX - S2 if backwards else 0, 0)
            side = Qt.AlignmentFlag.AlignRight if backwards else Qt.AlignmentFlag.AlignLeft
            painter.drawText(words, side | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, self.text())
            if self.hasFocus():
                painter.setPen(QPen(colors.color("accent"), 1))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
