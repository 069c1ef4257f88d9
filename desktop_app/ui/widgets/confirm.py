"""A question with two answers."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from desktop_app.ui.widgets.buttons import button
from desktop_app.ui.widgets.theme import S2, S5

_WIDTH = 420


class Question(QDialog):
    """What is asked, what follows from it, and the answers. Attributes: yes, no (the buttons; Escape means no)."""

    def __init__(self, parent: QWidget, question: str, explanation: str, yes: str) -> None:
        super().__init__(parent)
        self.setWindowTitle("Galley")
        self.setFixedWidth(_WIDTH)
        self.yes = button(yes, "primary", self.accept)
        self.no = button("Cancel", "plain", self.reject)
        self.no.setDefault(True)
        box = QVBoxLayout(self)
        box.setContentsMargins(S5, S5, S5, S5)
        box.setSpacing(S2)
        for text, role in ((question, "heading"), (explanation, "quiet")):
            label = QLabel(text)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setProperty("role", role)
            label.setWordWrap(True)
            box.addWidget(label)
        row = QHBoxLayout()
        row.setSpacing(S2)
        row.addStretch(1)
        row.addWidget(self.no)
        row.addWidget(self.yes)
        box.addSpacing(S2)
        box.addLayout(row)
        self.no.setFocus()


def confirm(parent: QWidget, question: str, explanation: str, yes: str) -> bool:
    """Ask, and wait for the answer."""
    return Question(parent, question, explanation, yes).exec() == QDialog.DialogCode.Accepted
