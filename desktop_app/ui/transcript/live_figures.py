"""The figures of a live recording: how soon the text follows the voice."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from desktop_app.app import wording
from desktop_app.app.entry import Entry
from desktop_app.ui.widgets.labels import NONE, figure_columns, label, show_value, value_rows
from desktop_app.ui.widgets.layouts import column
from desktop_app.ui.widgets.sheet import rule
from desktop_app.ui.widgets.theme import S4, S5

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
        pair = figure_columns(
            (self.behind, "waiting for text", _BEHIND),
            (self.time, "recorded", _TIME),
        )
        self.now, self.final = label(NONE, "value"), label(NONE, "value")
        self._targets = QWidget()  # shown where these are two
        rows = value_rows(("Writes now", self.now, ""), ("Final text", self.final, ""))
        column(rows, inside=self._targets, margins=(0, 0, 0, S5))
        column(
            label("LIVE", "section"), S4, self.latency, label("delay", "quiet", _LATENCY), S5, pair, S5,
            self._targets, rule(),
            inside=self, margins=(0, 0, 0, S4),
        )  # fmt: skip

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
