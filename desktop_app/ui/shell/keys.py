"""The keys of the window: one table, for the shortcuts themselves, the tooltips and the list that the user reads."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QDialog, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.ui.widgets.buttons import button
from desktop_app.ui.widgets.labels import label
from desktop_app.ui.widgets.theme import S2, S4, S5, S6

_STANDARD = QKeySequence.StandardKey
KEYS: dict[str, tuple[str, str | QKeySequence.StandardKey]] = {
    "record": ("Start or stop recording", "Ctrl+R"),
    "pause": ("Pause the recording, or go on", "Ctrl+Shift+R"),
    "captions": ("Captions over other windows", "Ctrl+L"),
    "open": ("Choose files to transcribe", _STANDARD.Open),
    "new": ("New transcription", _STANDARD.New),
    "cancel": ("Stop transcribing", "Ctrl+."),
    "save": ("Save the text", _STANDARD.Save),
    "export": ("Save in another format", "Ctrl+E"),
    "copy": ("Copy the whole text", "Ctrl+Shift+C"),
    "find": ("Find in the text", _STANDARD.Find),
    "find_next": ("Find the next one", _STANDARD.FindNext),
    "play": ("Play from the line, or stop", "Ctrl+Space"),
    "speaker": ("Give the line or the selection to speaker 1 to 9", "Alt+1"),
    "split": ("Split the line at the caret", "Ctrl+Enter"),
    "undo": ("Undo", "Ctrl+Z"),
    "redo": ("Redo", "Ctrl+Shift+Z"),
    "recordings": ("Search all recordings", "Ctrl+K"),
    "models": ("Models", "Ctrl+Shift+M"),
    "settings": ("Settings", "Ctrl+,"),
    "keys": ("This list", "Ctrl+/"),
    "escape": ("Close what is open", "Esc"),
    "quit": ("Quit", _STANDARD.Quit),
}
"""What each key does, by a name for the program."""


def sequence(name: str) -> QKeySequence:
    """The keys to be pressed for what is called `name` in KEYS."""
    return QKeySequence(KEYS[name][1])


def shown(name: str) -> str:
    """The same as this system writes them."""
    return sequence(name).toString(QKeySequence.SequenceFormat.NativeText)


class KeyList(QDialog):
    """All keys, in two columns."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keys – Galley")
        grid = QGridLayout()
        grid.setHorizontalSpacing(S6)
        grid.setVerticalSpacing(S2)
        rows = [(words, shown(name)) for name, (words, _) in KEYS.items() if shown(name)]
        half = (len(rows) + 1) // 2
        for number, (words, keys) in enumerate(rows):
            column = 3 * (number // half)
            what = label(words, "plain")
            what.setAccessibleName(f"{words}: {keys}")
            grid.addWidget(what, number % half, column)
            grid.addWidget(label(keys, "quiet"), number % half, column + 1, Qt.AlignmentFlag.AlignRight)
        grid.setColumnMinimumWidth(2, S4)
        self.done_button = button("Close", "plain", self.accept)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(self.done_button)
        box = QVBoxLayout(self)
        box.setContentsMargins(S5, S5, S5, S5)
        box.setSpacing(S4)
        box.addWidget(label("Keys", "heading"))
        box.addLayout(grid)
        box.addLayout(foot)
        box.setSizeConstraint(QVBoxLayout.SizeConstraint.SetFixedSize)
