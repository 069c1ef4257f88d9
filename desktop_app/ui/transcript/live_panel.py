"""The figures of a live recording: how soon the text follows the voice."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from desktop_app.app.presentation import wording
from desktop_app.app.recordings.entry import Entry
from desktop_app.texts import N_, _
from desktop_app.ui.widgets.labels import NONE, figure_columns, label, show_value, value_rows
from desktop_app.ui.widgets.layouts import column
from desktop_app.ui.widgets.sheet import rule
from desktop_app.ui.widgets.theme import S4, S5

_LATENCY = N_("Time from the newest sound to the text that it changed. The draft in grey appears sooner.")
_BEHIND = N_("Recorded sound that has no text yet. It is saved on the disk, and the text catches up.")
_TIME = N_("Length of the recording so far, without pauses.")


class LivePanel(QWidget):
    """The part at the top of the speed panel that is shown while something is recorded.

    Attributes: latency, behind, time, now, final (the labels).
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.latency = label(NONE, "figure", _(_LATENCY))
        self.behind = label(NONE, "figure2", _(_BEHIND))
        self.time = label(NONE, "figure2", _(_TIME))
        pair = figure_columns(
            (self.behind, _("backlog"), _(_BEHIND)),
            (self.time, _("recorded"), _(_TIME)),
        )
        self.now, self.final = label(NONE, "value"), label(NONE, "value")
        self._targets = QWidget()  # shown where these are two
        rows = value_rows((_("Live model"), self.now, ""), (_("Final model"), self.final, ""))
        column(rows, inside=self._targets, margins=(0, 0, 0, S5))
        column(
            label(_("LIVE"), "section"), S4, self.latency, label(_("delay"), "quiet", _(_LATENCY)), S5, pair, S5,
            self._targets, rule(),
            inside=self, margins=(0, 0, 0, S4),
        )  # fmt: skip

    def show_entry(self, entry: Entry) -> None:
        """The figures of a recording that runs."""
        state = entry.live
        latency = state.latency if state is not None else None
        show_value(self.latency, _("Delay"), _seconds(latency) if latency is not None else NONE)
        show_value(self.behind, _("Backlog"), _seconds(entry.behind) if entry.models else NONE)
        show_value(self.time, _("Recorded"), wording.clock(entry.seconds) if entry.seconds else NONE)
        models = entry.models
        self._targets.setVisible(models is not None and bool(models.final))
        if models is not None:
            show_value(self.now, _("Live model"), models.target)
            show_value(self.final, _("Final model"), models.final)


def _seconds(value: float) -> str:
    return _("{seconds} s", seconds=wording.number(value, 1))
