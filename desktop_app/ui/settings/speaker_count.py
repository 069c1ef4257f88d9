"""Whether speakers are looked for, and how many there are: off, auto, or a number that the user knows."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QWidget

from desktop_app.messages.options import MOST_SPEAKERS
from desktop_app.texts import _, ngettext
from desktop_app.ui.widgets.buttons import icon_button, set_icon
from desktop_app.ui.widgets.choice import Choice
from desktop_app.ui.widgets.layouts import STRETCH, column, row
from desktop_app.ui.widgets.theme import S1, S2, Theme

OFF, AUTO = "off", "auto"
_USUAL = 2
_OFF, _AUTO, _NUMBER = range(3)


class SpeakerCount(QWidget):
    """Attributes: choice, fewer, more (its controls). Signals: picked("off", "auto" or a number as text)."""

    picked = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._number = _USUAL
        self.choice = Choice(_("Speakers"), [_("Off"), _("Automatic"), _("Number")])
        self.choice.picked.connect(self._pick)
        self.fewer = icon_button(_("One speaker fewer"), lambda: self._step(-1), 16)
        self.more = icon_button(_("One speaker more"), lambda: self._step(1), 16)
        self._label = QLabel(alignment=Qt.AlignmentFlag.AlignCenter)
        self._label.setMinimumWidth(84)
        self._stepper = QWidget()
        row(STRETCH, self.fewer, self._label, self.more, inside=self._stepper, spacing=S1)
        column((self.choice, Qt.AlignmentFlag.AlignRight), self._stepper, inside=self, spacing=S2)
        set_icon(self.fewer, theme, "minus", "ink")
        set_icon(self.more, theme, "plus", "ink")

    def show_wanted(self, wanted: str) -> None:
        """Show what is chosen."""
        number = _OFF if wanted == OFF else _AUTO if wanted == AUTO else _NUMBER
        if number == _NUMBER:
            self._number = int(wanted)
        self.choice.pick(number)
        self._label.setText(ngettext("{n} speaker", "{n} speakers", self._number))
        self.fewer.setEnabled(self._number > 1)
        self.more.setEnabled(self._number < MOST_SPEAKERS)
        self._stepper.setVisible(number == _NUMBER)

    def _pick(self, number: int) -> None:
        self.picked.emit((OFF, AUTO, str(self._number))[number])

    def _step(self, by: int) -> None:
        self.picked.emit(str(self._number + by))
