"""How far the recording on the page is, and the way to stop it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from desktop_app.app.entry import Entry
from desktop_app.ui.widgets.buttons import button
from desktop_app.ui.widgets.meters import Bar
from desktop_app.ui.widgets.theme import S1, S2, Theme


class ProgressStrip(QWidget):
    """Signals: cancel_asked()."""

    cancel_asked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bar = Bar(theme, "Progress", height=4)
        self.words = QLabel()
        self.queue = QLabel()
        for label in (self.words, self.queue):
            label.setProperty("role", "quiet")
        self.cancel = button("Cancel", "link", self.cancel_asked.emit)
        self.cancel.setToolTip("Stop here and keep the text so far (Ctrl+.)")
        row = QHBoxLayout()
        row.setSpacing(S2)
        row.addWidget(self.words)
        row.addStretch(1)
        row.addWidget(self.queue)
        row.addWidget(self.cancel)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(S1)
        box.addWidget(self.bar)
        box.addLayout(row)

    def show_entry(self, entry: Entry, queue: list[Entry]) -> None:
        """The state of a recording in work, and its place in the queue."""
        self.bar.set_value(entry.progress)
        self.words.setText(entry.progress_words())
        self.words.setAccessibleName(f"Progress: {entry.progress_words()}")
        places = [waiting.id for waiting in queue]
        before = places.index(entry.id) if entry.id in places else 0
        behind = len(places) - before - 1
        parts = [f"{before} before this"] if before else []
        parts += [f"{behind} waiting"] if behind and not before else []
        self.queue.setText(", ".join(parts))
