"""How much faster a recording is transcribed with the draft model: measured on a part of it, when asked."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from desktop_app.app.models.model_store import ModelStore, comparison
from desktop_app.app.presentation import wording
from desktop_app.app.recordings.entry import IN_WORK, Entry
from desktop_app.texts import _
from desktop_app.ui.widgets.buttons import button
from desktop_app.ui.widgets.labels import explain
from desktop_app.ui.widgets.layouts import STRETCH, column, row
from desktop_app.ui.widgets.sheet import quiet
from desktop_app.ui.widgets.theme import S1


class SpeedComparison(QWidget):
    """Attributes: line (what is known), measure, cancel (buttons)."""

    def __init__(self, models: ModelStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._models = models
        self._entry: Entry | None = None
        self.line = quiet(role="")
        self.measure, self.cancel = button("", "link", self._measure), button(_("Cancel"), "link", self._cancel)
        for each in (self.measure, self.cancel):
            each.setProperty("flush", True)
        tip = _("Transcribes up to 45 seconds from its middle again, with the draft model and without, and times both.")
        explain(self.measure, tip)
        buttons = row(self.measure, self.cancel, STRETCH)
        column(self.line, buttons, inside=self, spacing=S1)
        models.changed.connect(self._refresh)
        models.moved.connect(lambda name: self._refresh())

    def show_entry(self, entry: Entry) -> None:
        """Turn to a recording."""
        self._entry = entry
        self._refresh()

    def _refresh(self) -> None:
        entry = self._entry
        offered = entry is not None and entry.state not in IN_WORK and entry.models is not None
        self.setVisible(offered and bool(entry and entry.models and entry.models.draft))
        if entry is None:
            return
        name, speed = comparison(entry.path), self._models.compared.get(entry.path)
        job, problem = self._models.jobs.get(name), self._models.problems.get(name, "")
        if job is not None:
            text = job.words()
        elif problem or speed is None:
            text = problem or _("How much faster than without the draft model?")
        elif not speed.with_draft:
            text = _("The models in use have no draft model.")
        else:
            gain = speed.with_draft / speed.alone
            times = wording.number(max(gain, 1 / gain), 1)
            text = (
                _("{times} × faster than without the draft model", times=times)
                if gain >= 1
                else _("{times} × slower than without the draft model", times=times)
            )
            text = ". ".join(filter(None, (text, wording.busy(speed))))
        self.line.setText(text)
        self.measure.setText(_("Measure again") if speed else _("Measure"))
        self.measure.setAccessibleName(_("Measure the speed-up by the draft model"))
        self.measure.setVisible(job is None)
        self.cancel.setVisible(job is not None)

    def _measure(self) -> None:
        if self._entry is not None:
            self._models.compare(self._entry.path, self._entry.language or "auto")

    def _cancel(self) -> None:
        if self._entry is not None:
            self._models.cancel(comparison(self._entry.path))
