"""The figures of a live recording: how soon the text follows the voice."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QVBoxLayout, QWidget

from desktop_app.app import wording
from desktop_app.app.entry import Entry
from desktop_app.ui.transcript.figures import NONE
from desktop_app.ui.widgets.labels import label, show_value
from desktop_app.ui.widgets.theme import S2, S4, S5

_LATENCY = "From the newest sound to the text that it changed. The draft's grey words come sooner."
_BEHIND = "Sound that came in and has no text yet. It is on the disk and is never left out: the text catches up."
_TIME = "The length of the recording so far, without pauses."


class LiveFigures(QWidget):
    """Stands at the top of the panel while a recording runs.

    Attributes: latency, behind, time, now, final (the labels).
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.latency = label(NONE, "figure", _LATENCY)
        self.behind = label(NONE, "figure2", _BEHIND)
        self.time = label(NONE, "figure2", _TIME)
        grid = QGridLayout()
        grid.setHorizontalSpacing(S4)
        grid.setVerticalSpacing(1)
        for column, (value, text, tip) in enumerate(
            ((self.behind, "waiting for text", _BEHIND), (self.time, "recorded", _TIME))
        ):
            grid.addWidget(value, 0, column)
            grid.addWidget(label(text, "quiet", tip), 1, column)
            grid.setColumnStretch(column, 1)
        self.now, self.final = label(NONE, "value"), label(NONE, "value")
        self._targets = self._two_targets()
        rule = QFrame()
        rule.setObjectName("rule")
        rule.setFixedHeight(1)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, S4)
        box.setSpacing(0)
        box.addWidget(label("LIVE", "section"))
        box.addSpacing(S4)
        box.addWidget(self.latency)
        box.addWidget(label("from voice to text", "quiet", _LATENCY))
        box.addSpacing(S5)
        box.addLayout(grid)
        box.addSpacing(S5)
        box.addWidget(self._targets)
        box.addWidget(rule)

    def _two_targets(self) -> QWidget:
        """Which target writes now and which one the final text is for, where these are two."""
        made = QWidget()
        grid = QGridLayout(made)
        grid.setContentsMargins(0, 0, 0, S5)
        grid.setHorizontalSpacing(S4)
        grid.setVerticalSpacing(S2)
        grid.setColumnStretch(1, 1)
        for row, (text, value) in enumerate((("Writes now", self.now), ("Final text", self.final))):
            value.setWordWrap(True)
            value.setAlignment(Qt.AlignmentFlag.AlignRight)
            grid.addWidget(label(text, "quiet"), row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(value, row, 1)
        return made

    def show_entry(self, entry: Entry) -> None:
        """The figures of a recording that runs."""
        state = entry.live
        latency = f"{state.latency:.1f} s" if state is not None and state.latency is not None else NONE
        show_value(self.latency, "From voice to text", latency)
        show_value(self.behind, "Sound that waits for its text", f"{entry.behind:.1f} s" if entry.models else NONE)
        show_value(self.time, "Recorded", wording.clock(entry.seconds) if entry.seconds else NONE)
        models = entry.models
        self._targets.setVisible(models is not None and bool(models.final))
        if models is not None:
            show_value(self.now, "Writes now", models.target)
            show_value(self.final, "For the final text", models.final)
