"""The card that asks for a recording."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPaintEvent, QPen

from desktop_app.texts import _
from desktop_app.ui.widgets import icons
from desktop_app.ui.widgets.card_button import CardButton
from desktop_app.ui.widgets.painting import painting
from desktop_app.ui.widgets.theme import S4, Theme, font

_DISC = 56


class DropCard(CardButton):
    """One thing to do: drop a file on it, or press it."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, 272)
        self._dragged = False
        self.setAccessibleName(_("Drop audio, video or a folder, or press to choose files"))

    def set_dragged(self, dragged: bool) -> None:
        """Whether files hang over the window."""
        self._dragged = dragged
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        colors = self._theme.palette
        with painting(self) as painter:
            lit = self._dragged or self.underMouse()
            place = QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5)
            edge = colors.color("accent" if self._dragged or self.hasFocus() else "muted" if lit else "edge")
            pen = QPen(edge, 2 if self._dragged else 1.5)
            pen.setDashPattern([5, 4])
            pen.setCapStyle(Qt.PenCapStyle.FlatCap)
            painter.setPen(pen)
            painter.setBrush(colors.color("accent_soft" if self._dragged else "raised"))
            painter.drawRoundedRect(place, 16, 16)
            middle = place.center().x()
            disc = QRectF(middle - _DISC / 2, place.top() + 58, _DISC, _DISC)
            painter.setPen(Qt.PenStyle.NoPen if self._dragged else QPen(colors.color("line"), 1))
            painter.setBrush(colors.color("accent" if self._dragged else "page"))
            painter.drawEllipse(disc)
            mark = QRectF(0, 0, 26, 26)
            mark.moveCenter(disc.center())
            icons.paint(painter, "drop", colors.on_accent if self._dragged else colors.accent, mark)
            subtitle = _("Any number of files and folders") if self._dragged else _("or click to choose files")
            title = _("Drop to transcribe") if self._dragged else _("Drop audio, video or a folder")
            for text, face, role, top in (
                (title, font(21, "SemiBold", serif=True), "ink", disc.bottom() + 20),
                (subtitle, font(14), "muted", disc.bottom() + 56),
            ):
                painter.setFont(face)
                painter.setPen(colors.color(role))
                painter.drawText(QRectF(S4, top, self.width() - 2 * S4, 32), Qt.AlignmentFlag.AlignHCenter, text)
