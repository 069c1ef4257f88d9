"""The card that starts a live recording."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPaintEvent, QPen

from desktop_app.texts import _
from desktop_app.ui.widgets import icons
from desktop_app.ui.widgets.actions import Actions
from desktop_app.ui.widgets.buttons import button
from desktop_app.ui.widgets.card_button import CardButton
from desktop_app.ui.widgets.layouts import STRETCH, row
from desktop_app.ui.widgets.painting import painting
from desktop_app.ui.widgets.screen_reader import named
from desktop_app.ui.widgets.theme import S2, S4, Theme, font

_DISC = 40


class RecordCard(CardButton):
    """Press it to record from the input that is named on it, in the language beside it.

    Signals: inputs_asked(), language_asked().
    """

    inputs_asked = Signal()
    language_asked = Signal()

    def __init__(self, theme: Theme, actions: Actions) -> None:
        super().__init__(theme, 72)
        self._record = record = actions["record"]
        self._label = _(record.description.text)
        self._source = ""
        self._title, self._line, self._key = font(15, "SemiBold"), font(13), font(12, figures=True)
        self.inputs = button(_("Choose input"), "link", self.inputs_asked.emit)
        record.changed.connect(self._follow)
        self._follow()
        self.clicked.connect(record.trigger)
        self.language = button("", "link", self.language_asked.emit)
        row(STRETCH, self.language, self.inputs, inside=self, margins=(S4, 0, S4, 0))
        self.show_source("")

    def _follow(self) -> None:
        self.setToolTip(self._record.toolTip())
        self.update()

    def show_source(self, name: str) -> None:
        """Say which input it is; "" for the system's default."""
        self._source = name or _("System default microphone")
        self.setAccessibleName(f"{self._label}, {self._source}")
        self.update()

    def show_language(self, name: str) -> None:
        """Say in which language it will be transcribed."""
        self.language.setText(_("Language: {language}", language=name))
        self.language.setAccessibleName(named(_("Spoken language"), name))
        self.language.setToolTip(_("Spoken language"))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        colors = self._theme.palette
        with painting(self) as painter:
            on_link = self.inputs.underMouse() or self.language.underMouse()
            lit = self.isEnabled() and self.underMouse() and not on_link
            edge = "accent" if self.hasFocus() else "line_strong" if lit else "line"
            painter.setPen(QPen(colors.color(edge), 1.5))
            painter.setBrush(colors.color("hover" if self.isDown() else "raised"))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 16, 16)
            disc = QRectF(S4, (self.height() - _DISC) / 2, _DISC, _DISC)
            painter.setPen(QPen(colors.color("line"), 1))
            painter.setBrush(colors.color("page"))
            painter.drawEllipse(disc)
            mark = QRectF(0, 0, 20, 20)
            mark.moveCenter(disc.center())
            icons.paint(painter, "mic", colors.bad, mark)
            left = round(disc.right()) + S4
            room = self.language.x() - S2 - left
            middle = self.height() // 2
            painter.setFont(self._title)
            painter.setPen(colors.color("ink" if self.isEnabled() else "muted"))
            painter.drawText(left, middle - 5, self._label)
            used = QFontMetrics(self._title).horizontalAdvance(self._label) + S2 + 2
            if used + QFontMetrics(self._key).horizontalAdvance(self._record.keys) <= room:
                painter.setFont(self._key)
                painter.setPen(colors.color("muted"))
                painter.drawText(left + used, middle - 5, self._record.keys)
            painter.setFont(self._line)
            painter.setPen(colors.color("muted"))
            shown = QFontMetrics(self._line).elidedText(self._source, Qt.TextElideMode.ElideRight, room)
            painter.drawText(left, middle + 17, shown)
