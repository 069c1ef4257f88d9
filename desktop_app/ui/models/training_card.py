"""The card of the models page that says how the training of a draft goes, and what it has brought."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop_app.app.models.draft_training import TORCH, DraftTraining
from desktop_app.app.models.model_store import ModelStore
from desktop_app.texts import _
from desktop_app.ui.models import training_words as words
from desktop_app.ui.widgets.buttons import button
from desktop_app.ui.widgets.labels import explain, label
from desktop_app.ui.widgets.layouts import STRETCH, column, row
from desktop_app.ui.widgets.meters import Bar
from desktop_app.ui.widgets.screen_reader import announce
from desktop_app.ui.widgets.sheet import card, quiet
from desktop_app.ui.widgets.theme import S1, S2, S3, S4, S6, Theme


class TrainingCard(QWidget):
    """Hidden where nothing is trained, and PyTorch is not downloaded.

    Attributes: title, line, details, problem (labels); bar; stop, resume, use, again, discard (buttons).
    Signals: again_asked(model) when another training of it is to be asked for.
    """

    again_asked = Signal(str)

    def __init__(self, theme: Theme, models: ModelStore, training: DraftTraining) -> None:
        super().__init__()
        self._models, self._training = models, training
        self.title = label("", "heading")
        self.line, self.details, self.problem = quiet(role="plain"), quiet(), quiet(role="bad")
        self.bar = Bar(theme, _("Training a draft"), height=4)
        self.stop = button(_("Stop training"), "plain", self._stop)
        self.resume = button(_("Continue"), "primary", training.resume)
        self.use = button(_("Use this draft"), "primary", training.use)
        self.again = button(_("Train again…"), "plain", self._ask_again)
        self.discard = button(_("Discard"), "plain", self._discard)
        ground = card()
        controls = row(STRETCH, self.discard, self.again, self.stop, self.resume, self.use, spacing=S2)
        column(
            self.title, self.line, self.bar, self.details, self.problem, S1, controls,
            inside=ground, spacing=S2, margins=(S4, S4, S4, S3),
        )  # fmt: skip
        column(ground, S6, inside=self)
        self.hide()

    def refresh(self) -> None:
        """Show what is known now."""
        training, current = self._training, self._training.current
        loads = TORCH in self._models.jobs
        problem = self._models.problems.get(TORCH, "") or training.problem
        self.setVisible(current is not None or loads or bool(problem))
        if self.isHidden():
            return
        idle = current is not None and not training.runs
        gain = current.gain if current is not None else None
        if loads or current is None:
            self.title.setText(_("PyTorch for training"))
        else:
            self.title.setText(_("Draft for {model}", model=current.model))
        if problem and problem != self.problem.text():
            announce(self, problem)
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        about = "" if current is None else words.figures(gain) if gain is not None else words.details(current)
        self.details.setText(about)
        self.details.setVisible(bool(about))
        explain(self.details, *(current.skipped if current is not None else ()))
        self.stop.setVisible(loads or training.runs)
        self.stop.setText(_("Cancel") if loads else _("Stop training"))
        self.resume.setVisible(idle and not loads and gain is None)
        self.resume.setText(_("Try again") if problem else _("Continue"))
        self.use.setVisible(idle and gain is not None and gain.pays)
        self.again.setVisible(idle and gain is not None and not gain.pays)
        self.discard.setVisible(not loads and not training.runs)
        self.discard.setText(_("Dismiss") if current is None else _("Discard"))
        self.show_job()

    def show_job(self) -> None:
        """How far the work is now."""
        training, current = self._training, self._training.current
        job = self._models.jobs.get(TORCH) or training.job
        self.bar.setVisible(job is not None)
        if job is not None:
            self.bar.set_value(job.share)
            self.stop.setEnabled(not job.stopping)
        if TORCH in self._models.jobs:
            self.line.setText(self._models.jobs[TORCH].words())
        elif training.runs:
            self.line.setText(words.progress(training))
        elif current is not None:
            self.line.setText(words.verdict(current, current.gain) if current.gain else words.stopped(current))
        self.line.setVisible(job is not None or current is not None)

    def _stop(self) -> None:
        if TORCH in self._models.jobs:
            self._models.cancel(TORCH)
        else:
            self._training.stop()

    def _discard(self) -> None:
        if self._training.current is not None:
            self._training.discard()
        else:
            self._models.forget(TORCH)

    def _ask_again(self) -> None:
        if self._training.current is not None:
            self.again_asked.emit(self._training.current.model)
