"""A row of joined buttons of which one is chosen."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QSizePolicy, QWidget

from desktop_app.ui.widgets.buttons import button
from desktop_app.ui.widgets.layouts import add, row
from desktop_app.ui.widgets.screen_reader import named


class Choice(QWidget):
    """Signals: picked(number) when the user picks another one."""

    picked = Signal(int)

    def __init__(self, name: str, options: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("choice")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(name)
        self.group = QButtonGroup(self)
        box = row(inside=self, spacing=2, margins=(3, 3, 3, 3))
        for number, option in enumerate(options):
            segment = button(option, "segment")
            segment.setCheckable(True)
            segment.setAccessibleName(named(name, option))
            self.group.addButton(segment, number)
            add(box, segment)
        self.group.idClicked.connect(self.picked)

    def offer(self, numbers: Collection[int]) -> None:
        """Show these options alone."""
        for number, segment in enumerate(self.group.buttons()):
            segment.setVisible(number in numbers)

    def pick(self, number: int) -> None:
        """Show which one is chosen, without a signal."""
        self.group.button(number).setChecked(True)
