"""A question with two answers, and a text that is read and closed."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog, QWidget

from desktop_app import NAME
from desktop_app.texts import _
from desktop_app.ui.widgets.buttons import button
from desktop_app.ui.widgets.layouts import STRETCH, column, row
from desktop_app.ui.widgets.sheet import quiet
from desktop_app.ui.widgets.theme import S2, S5

_WIDTH = 420


class Question(QDialog):
    """What is asked, what follows from it, and the answers; without the text of a `yes`, something that is told.
    Attributes: yes, no (the buttons; Escape means no)."""

    def __init__(self, parent: QWidget, question: str, explanation: str, yes: str) -> None:
        super().__init__(parent)
        self.setWindowTitle(NAME)
        self.setFixedWidth(_WIDTH)
        self.yes = button(yes, "primary", self.accept)
        self.yes.setVisible(bool(yes))
        self.no = button(_("Cancel") if yes else _("Close"), "plain", self.reject)
        self.no.setDefault(True)
        for answer in (self.no, self.yes):
            answer.setAutoDefault(True)  # Enter means the answer that has the focus
        heading = quiet(question, "heading")
        answers = row(STRETCH, self.no, self.yes, spacing=S2)
        column(heading, quiet(explanation), S2, answers, inside=self, spacing=S2, margins=(S5, S5, S5, S5))
        self.no.setFocus()


def confirm(parent: QWidget, question: str, explanation: str, yes: str) -> bool:
    """Ask, and wait for the answer."""
    return Question(parent, question, explanation, yes).exec() == QDialog.DialogCode.Accepted


def inform(parent: QWidget, heading: str, text: str) -> None:
    """Tell something, and wait until it is closed."""
    Question(parent, heading, text, "").exec()
