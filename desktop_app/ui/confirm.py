"""A question with two answers."""

from __future__ import annotations

from PySide6.QtWidgets import QMessageBox, QWidget


def confirm(parent: QWidget, question: str, explanation: str, yes: str) -> bool:
    """Ask; "Cancel" is what Return and Escape answer."""
    box = QMessageBox(QMessageBox.Icon.NoIcon, "Galley", question, parent=parent)
    box.setInformativeText(explanation)
    go = box.addButton(yes, QMessageBox.ButtonRole.DestructiveRole)
    stay = box.addButton(QMessageBox.StandardButton.Cancel)
    for button in (go, stay):
        button.setProperty("kind", "plain")
    box.setDefaultButton(QMessageBox.StandardButton.Cancel)
    box.setEscapeButton(QMessageBox.StandardButton.Cancel)
    box.exec()
    return box.clickedButton() is go
