"""The control for an option that needs no widget of its own: a row of buttons for what it offers, or a line of text."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from desktop_app.messages.options import DECLARED, SWITCH
from desktop_app.texts import N_, _
from desktop_app.ui.widgets.choice import Choice
from desktop_app.ui.widgets.labels import field
from desktop_app.ui.widgets.layouts import row

_ON_OR_OFF = ((True, N_("On")), (False, N_("Off")))


class OptionControl(QWidget):
    """Attributes: choice (its buttons) or line (its text); the other one is None. Signals: chosen(value) when the user
    has changed it."""

    chosen = Signal(object)

    def __init__(self, name: str, hint: str = "") -> None:
        """`name` is that of a field of Options; `hint` stands in the empty line instead of the option's own."""
        super().__init__()
        option = DECLARED[name]
        self._codec = option.codec
        offers = option.offers or (_ON_OR_OFF if self._codec is SWITCH else ())
        self._values = [value for value, _label in offers]
        self.choice: Choice | None = None
        self.line: QLineEdit | None = None
        if offers:
            self.choice = Choice(_(option.title), [_(label) for _value, label in offers])
            self.choice.picked.connect(lambda number: self.chosen.emit(self._values[number]))
            row(self.choice, inside=self)
        else:
            self.line = field(_(option.title), hint or (_(option.hint) if option.hint else ""))
            self.line.editingFinished.connect(lambda: self.chosen.emit(self.value()))
            row((self.line, 1), inside=self)

    def offer(self, values: Collection[Any]) -> None:
        """Show the buttons of these values alone."""
        assert self.choice is not None
        self.choice.offer([number for number, value in enumerate(self._values) if value in values])

    def show_value(self, value: Any) -> None:
        """Show what is chosen, without a signal; the first of the buttons where none stands for it."""
        if self.choice is not None:
            self.choice.pick(self._values.index(value) if value in self._values else 0)
        if self.line is not None:
            self.line.setText(self._codec.text(value))

    def value(self) -> Any:
        """What stands in the line. Raises ValueError with a sentence where that cannot be read."""
        assert self.line is not None
        return self._codec.parse(self.line.text())
