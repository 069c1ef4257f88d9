"""The list of keyboard shortcuts."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QGridLayout, QLayout, QWidget

from desktop_app.texts import _
from desktop_app.ui.widgets.actions import Actions
from desktop_app.ui.widgets.buttons import button
from desktop_app.ui.widgets.labels import label
from desktop_app.ui.widgets.layouts import STRETCH, column, row
from desktop_app.ui.widgets.screen_reader import named
from desktop_app.ui.widgets.theme import S2, S4, S5, S6


class ShortcutList(QDialog):
    """All actions that have keys, in two columns."""

    def __init__(self, actions: Actions, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(_("Keyboard shortcuts – Galley"))
        grid = QGridLayout()
        grid.setHorizontalSpacing(S6)
        grid.setVerticalSpacing(S2)
        rows = [(action.what, action.keys) for action in actions if action.keys and action.what]
        half = (len(rows) + 1) // 2
        for number, (text, keys) in enumerate(rows):
            place = 3 * (number // half)
            what = label(text, "plain")
            what.setAccessibleName(named(text, keys))
            grid.addWidget(what, number % half, place)
            grid.addWidget(label(keys, "quiet"), number % half, place + 1, Qt.AlignmentFlag.AlignRight)
        grid.setColumnMinimumWidth(2, S4)
        self.done_button = button(_("Close"), "plain", self.accept)
        heading, foot = label(_("Keyboard shortcuts"), "heading"), row(STRETCH, self.done_button)
        box = column(heading, grid, foot, inside=self, spacing=S4, margins=(S5, S5, S5, S5))
        box.setSizeConstraint(QLayout.SizeConstraint.SetFixedSize)
