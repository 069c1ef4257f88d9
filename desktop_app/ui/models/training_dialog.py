"""The sheet that asks what a draft is to be trained on, and says before what it takes and what may come of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QDialog, QFileDialog, QMenu, QWidget

from desktop_app.app.models.draft_training import LEAST, MINUTES, TORCH, Counted, DraftTraining
from desktop_app.app.models.model_store import ModelStore
from desktop_app.app.presentation import wording
from desktop_app.app.recordings.entry import RECORDING, Entry
from desktop_app.app.settings.preferences import Preferences
from desktop_app.engine.model_list import ListedModel
from desktop_app.messages.options import AUTO
from desktop_app.texts import _
from desktop_app.ui.models import training_words as words
from desktop_app.ui.models.recording_picker import RecordingPicker
from desktop_app.ui.settings.spoken_language import language_menu
from desktop_app.ui.widgets.buttons import button
from desktop_app.ui.widgets.choice import Choice
from desktop_app.ui.widgets.elided import ElidedLabel
from desktop_app.ui.widgets.labels import label
from desktop_app.ui.widgets.layouts import STRETCH, column, row
from desktop_app.ui.widgets.menus import MenuButton
from desktop_app.ui.widgets.meters import Bar
from desktop_app.ui.widgets.screen_reader import named
from desktop_app.ui.widgets.sheet import ScrollArea, quiet, rule, setting
from desktop_app.ui.widgets.theme import S1, S2, S3, S4, S5, Theme

_WIDTH = 600
_FRAME = 150  # pixels of title and buttons
_ALL, _SELECTED, _FOLDER = range(3)
_USUAL = 60  # minutes


class TrainDraftDialog(QDialog):
    """Attributes: source, minutes (choices); list (of the library's recordings); folder, language, torch,
    start, cancel (buttons); summary, advice, costs, about_torch (labels).
    """

    def __init__(
        self,
        theme: Theme,
        models: ModelStore,
        preferences: Preferences,
        training: DraftTraining,
        entries: Sequence[Entry],
        model: ListedModel,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._models, self._preferences, self._training, self._model = models, preferences, training, model
        self._entries = [each for each in entries if each.seconds and each.state != RECORDING]
        self._language = preferences.options().language
        if not {"*", self._language} & set(model.languages):
            self._language = AUTO
        self._folder, self._counted = "", Counted(0, 0, 0.0)
        heading = _("Train a draft for {model}", model=model.title)
        self.setWindowTitle(heading)
        self.setFixedWidth(min(_WIDTH, parent.width() - 2 * S5))
        self._room = parent.height()
        self._later = QTimer(self, singleShot=True, interval=0)  # once what changed is laid out
        self._later.timeout.connect(self._fit)
        self.source = Choice(_("Recordings"), [_("All"), _("Selected"), _("Folder")])
        self.source.picked.connect(self._pick_source)
        self.list = RecordingPicker(theme, self._entries)
        self.list.changed.connect(self.refresh)
        self.folder = button(_("Choose a folder…"), "plain", self._ask_folder)
        self._place = ElidedLabel("quiet")
        self._folder_row = QWidget()
        row((self._place, 1), self.folder, inside=self._folder_row, spacing=S3)
        self.summary, self.advice, self.costs = quiet(), quiet(role="warn"), quiet()
        self.language = MenuButton(theme, self.language_menu)
        self.minutes = Choice(_("Training time"), [wording.span(60 * each) for each in MINUTES])
        self.minutes.pick(MINUTES.index(_USUAL))
        self.minutes.picked.connect(lambda number: self.refresh())
        self.about_torch, self.torch = quiet(), button(_("Download PyTorch"), "plain", training.get_torch)
        self._torch_heading = label("", "heading")
        self._loading = Bar(theme, _("Downloading PyTorch"), height=4)
        self._torch_part, self._body, self._scrolled = QWidget(), QWidget(), ScrollArea()
        self.start = button(_("Start training"), "primary", self._begin)
        self.cancel = button(_("Cancel"), "plain", self.reject)
        self.start.setDefault(True)
        self._lay_out(heading)
        self._pick_source(_ALL if self._entries else _FOLDER)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.finished.connect(training.stop_counting)
        refresh, show_torch = self.refresh, self._show_torch
        training.changed.connect(refresh)
        models.moved.connect(show_torch)
        self.destroyed.connect(lambda: training.changed.disconnect(refresh))
        self.destroyed.connect(lambda: models.moved.disconnect(show_torch))
        training.look_for_torch()
        self._fit()

    def _lay_out(self, heading: str) -> None:
        about = quiet(
            _(
                "A draft model proposes text that {model} verifies: the text stays the same, and is there sooner."
                " One that has learnt from your recordings is right more often. Nothing leaves this computer.",
                model=self._model.title,
            )
        )
        column(
            rule(), self._torch_heading, row((self.about_torch, 1), self.torch, spacing=S5),
            self._loading, inside=self._torch_part, spacing=S2,
        )  # fmt: skip
        language = quiet(_("It drafts only in the languages that it was trained on."))
        foot = row(STRETCH, self.cancel, self.start, spacing=S2)
        time = row((label(_("Training time"), "heading"), 1), self.minutes)
        column(
            about, S1,
            setting(_("Recordings"), self.summary, self.source, self.advice), self.list, self._folder_row, rule(),
            setting(_("Spoken language"), language, self.language), rule(),
            column(time, self.costs, spacing=S2), rule(),
            column(label(_("What to expect"), "heading"), quiet(words.expectation()), spacing=S1),
            self._torch_part, STRETCH,
            inside=self._body, spacing=S3, margins=(S5, 0, S5, 0),
        )  # fmt: skip
        self._scrolled.setWidget(self._body)
        column(
            row(S5, (quiet(heading, "title"), 1), S5), (self._scrolled, 1), row(foot, S5),
            inside=self, spacing=S4, margins=(0, S5, 0, S4),
        )  # fmt: skip

    def _fit(self) -> None:
        """Be as high as what is shown, within the window; the rest is scrolled to."""
        body, own = self._body.layout(), self.layout()
        assert body is not None and own is not None
        frame = own.heightForWidth(self.width()) - self._scrolled.sizeHint().height()
        wanted = body.heightForWidth(self.width()) + max(frame, _FRAME)
        self.resize(self.width(), min(wanted, self._room - 2 * S4))

    # What is chosen.

    @property
    def _chosen(self) -> list[Entry]:
        """The recordings of the library that are learnt from."""
        if self.source.group.checkedId() == _ALL:
            return self._entries
        return self.list.chosen

    @property
    def _amount(self) -> tuple[int, float]:
        """How many recordings, and how many seconds."""
        if self.source.group.checkedId() == _FOLDER:
            return self._counted.total, self._counted.seconds
        return len(self._chosen), sum(entry.seconds for entry in self._chosen)

    def _pick_source(self, number: int) -> None:
        self.source.pick(number)
        self.list.setVisible(number == _SELECTED)
        self._folder_row.setVisible(number == _FOLDER)
        self.refresh()

    def _ask_folder(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, _("Choose a folder"), self._preferences.folder("open"))
        if folder:
            self._preferences.remember_folder("open", folder)
            self.use_folder(folder)

    def use_folder(self, folder: str) -> None:
        """Learn from the recordings in a folder, and count them."""
        self._folder, self._counted = folder, Counted(0, 0, 0.0)
        self._place.setText(folder)
        self._training.count(folder, self._take_count)
        self.refresh()

    def _take_count(self, counted: Counted) -> None:
        self._counted = counted
        self.refresh()

    def language_menu(self) -> QMenu:
        """The languages that the model knows."""
        return language_menu(self, self._preferences, self._language, self._take_language, self._model.languages)

    def _take_language(self, code: str) -> None:
        self._language = code
        self.refresh()

    def _begin(self) -> None:
        audio: Path | tuple[Path, ...] = tuple(sorted({Path(entry.path) for entry in self._chosen}))
        if self.source.group.checkedId() == _FOLDER:
            audio = Path(self._folder)
        self._training.begin(self._model, audio, self._language, MINUTES[self.minutes.group.checkedId()])
        self.accept()

    # What is shown.

    def refresh(self) -> None:
        """Show what was chosen, what it takes, and whether it can begin."""
        count, seconds = self._amount
        from_folder = self.source.group.checkedId() == _FOLDER
        counting = from_folder and self._counted.files < self._counted.total
        summary = words.recordings(count, seconds) if count else _("None yet")
        self.summary.setText(words.counting(self._counted) if counting else summary)
        advice = "" if counting else words.advice(count, seconds)
        self.advice.setText(advice)
        self.advice.setVisible(bool(advice))
        speed = self._models.speeds.latest(str(self._model.folder))
        self.costs.setText(words.costs(self._model, seconds, MINUTES[self.minutes.group.checkedId()], speed))
        language = _("Automatic") if self._language == AUTO else wording.language(self._language)
        self.language.setText(language)
        self.language.setAccessibleName(named(_("Spoken language"), language))
        torch = self._training.torch
        self.start.setEnabled(seconds >= LEAST and torch is not None and torch.here)
        self._show_torch(TORCH)
        self._later.start()

    def _show_torch(self, name: str) -> None:
        torch, job = self._training.torch, self._models.jobs.get(TORCH)
        self._torch_part.setVisible(torch is not None and not torch.here)
        if name != TORCH or torch is None or torch.here:
            return
        self._torch_heading.setText(_("PyTorch is needed") if job is None else _("Downloading PyTorch…"))
        self._loading.setVisible(job is not None)
        self.torch.setVisible(torch.offered and bool(torch.index) and job is None)
        if job is not None:
            self._loading.set_value(job.share)
            self.about_torch.setText(job.words())
        elif problem := self._models.problems.get(TORCH, ""):
            self.about_torch.setText(problem)
        elif not torch.offered:
            self.about_torch.setText(_("Galley runs from source: pip install --editable '.[torch]' installs it."))
        elif not torch.index:
            self.about_torch.setText(
                _("This Galley knows no server that has it: galley devices add cuda --index ADDRESS downloads it.")
            )
        else:
            self.about_torch.setText(
                _(
                    "Galley downloads it from {host} and the file servers that it names: up to several GB, once.",
                    host=torch.index.split("/")[2] if "://" in torch.index else torch.index,
                )
            )
