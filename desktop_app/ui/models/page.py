"""The page of models: which are in use, which are on this computer, which can be downloaded. Of the last
only those that a newcomer is told of are shown until all are asked for."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import QSize, QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop_app.app.core import DesktopCore
from desktop_app.app.models.draft_training import TORCH, TRAINING
from desktop_app.app.models.model_store import PAIR, SMALL, SPEED
from desktop_app.app.presentation.problems import sentence
from desktop_app.app.presentation.wording import size
from desktop_app.engine.model_list import ListedModel, ModelList
from desktop_app.messages.model_work import Add
from desktop_app.texts import _
from desktop_app.ui.models import words as models_words
from desktop_app.ui.models.card import ModelsCard
from desktop_app.ui.models.row import ModelRow
from desktop_app.ui.models.training_card import TrainingCard
from desktop_app.ui.models.training_dialog import TrainDraftDialog
from desktop_app.ui.widgets.banner import PROBLEM, Banner
from desktop_app.ui.widgets.buttons import button, set_icon
from desktop_app.ui.widgets.confirm import confirm, inform
from desktop_app.ui.widgets.labels import field, label
from desktop_app.ui.widgets.layouts import STRETCH, add, column, row
from desktop_app.ui.widgets.sheet import Sheet, card, quiet, rule
from desktop_app.ui.widgets.theme import S1, S2, S3, S6, Theme

_AT_ONCE = 2  # rows
_INSET = 5  # pixels from the edge of a link to its words
_PARTS = (".safetensors", ".bin", ".pt", ".pth", ".ckpt", ".json", ".xml")


class ModelsPage(QWidget):
    """Attributes: card (what is in use); rows (by the model's name); add, mirror, address, save, fold (controls)."""

    def __init__(self, theme: Theme, core: DesktopCore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        models, preferences = core.models, core.preferences
        self._theme, self.models, self._preferences = theme, models, preferences
        self._training, self._session = core.training, core.session
        self.rows: dict[str, ModelRow] = {}
        self._rest = QTimer(self, singleShot=True, interval=1)
        self._rest.timeout.connect(self._fill)
        self.card = ModelsCard(theme, models, preferences)
        self.card.folder_asked.connect(self._choose_folder)
        self.training = TrainingCard(theme, models, core.training)
        self.training.again_asked.connect(self._train)
        self.problem = Banner(theme, PROBLEM, "problem")
        self.problem.add_button(_("Dismiss"), "link").clicked.connect(self._dismiss)
        self.add = button(_("Add a folder…"), "plain", self._add_folder)
        self.add.setIconSize(QSize(16, 16))
        set_icon(self.add, theme, "plus", "ink")
        self._where = quiet()
        self.mirror = button(_("Use a mirror…"), "link", self._ask_mirror)
        self.address = field(_("Address of the mirror; empty for the public hub"), "https://…")
        self.address.returnPressed.connect(self._choose_mirror)
        self.save = button(_("Use mirror"), "plain", self._choose_mirror)
        self.never_mind = button(_("Cancel"), "link", self._close_mirror)
        self._mirror_row = QWidget()
        self._here, self._offered = card(), card()
        self.fold = button("", "link", self._toggle)
        self.fold.setProperty("flush", True)  # its words stand under the card
        self.fold.hide()  # until it is known how many there are
        self._unfolded = False
        self._stalled = QTimer(self, interval=1000)  # what does not come says nothing
        self._stalled.timeout.connect(self._show_jobs)
        self._lay_out()
        self.problem.say("")
        models.changed.connect(self.refresh)
        models.moved.connect(self._show_job)
        core.training.changed.connect(self._show_training)
        preferences.changed.connect(self.card.refresh)

    def _lay_out(self) -> None:
        self.sheet = Sheet(self)
        column(self.sheet, inside=self)
        about = quiet(_("Have a model folder? Drop it here."))
        here = column(label(_("On this computer"), "heading"), about, spacing=S1)
        row((self.address, 1), self.save, self.never_mind, inside=self._mirror_row, spacing=S2, margins=(0, S2, 0, 0))
        self._mirror_row.hide()
        offered = row((label(_("Available to download"), "heading"), 1), self.mirror, margins=(0, 0, -_INSET, 0))
        add(self.sheet.head, label(_("Models"), "title"))
        add(
            self.sheet.first, label(_("In use"), "heading"), S3, self.card, S2, self.problem, S6 - S2, self.training,
            row((here, 1), self.add), S3, self._here,
        )  # fmt: skip
        add(
            self.sheet.second, offered, S1, self._where,
            self._mirror_row, S3, self._offered, S3, row(self.fold, STRETCH),
        )  # fmt: skip
        for ground in (self._here, self._offered):
            column(inside=ground)

    # What is shown.

    def refresh(self) -> None:
        """Show what there is, as long as the page is looked at."""
        found = self.models.list
        if found is None or not self.isVisible():
            return
        self._fill(self.rows)
        offered = self._shown_offered(found)
        self._offered.setVisible(bool(offered))
        self.fold.setVisible(self._unfolded or len(offered) < len(found.offered))
        count = len(found.offered)
        self.fold.setText(_("Show fewer models") if self._unfolded else _("Show all {count} models", count=count))
        source = found.source
        self._where.setText(sentence(source.problem) if source.problem else models_words.where(source))
        self.mirror.setText(_("Change mirror…") if source.mirror else _("Use a mirror…"))
        self.mirror.setVisible(not source.fixed and self._mirror_row.isHidden())
        problems = self.models.problems
        self.problem.say(problems.get(PAIR) or problems.get(SMALL) or problems.get(SPEED) or "")
        self.card.refresh()
        self.training.refresh()

    def _fill(self, stale: Iterable[str] = ()) -> None:
        """Let both cards have their rows, and show again what the `stale` ones say. Only so many rows are made at once,
        because the window has to answer; the rest come in the next turns.
        """
        found = self.models.list
        if found is None or not self.isVisible():
            return
        anew = set(stale)
        offered = self._shown_offered(found)
        room = _AT_ONCE
        added = tuple(_added(folder) for folder in self._folders())
        for ground, models in ((self._here, found.installed + added), (self._offered, offered)):
            fresh = [each.name for each in models if each.name not in self.rows][: max(room, 0)]
            room -= len(fresh)
            for name in fresh:
                self.rows[name] = ModelRow(self._theme, self.models, self._preferences, name)
                self.rows[name].remove_asked.connect(self._remove)
                self.rows[name].train_asked.connect(self._train)
                self.rows[name].about_asked.connect(self._tell)
            anew.update(fresh)
            for each in models:  # before they are seen, when that costs little
                if each.name in anew and each.name in self.rows:
                    self.rows[each.name].show_model(each, found.source)
            _arrange(ground, [self.rows[each.name] for each in models if each.name in self.rows])
        known = {each.name for each in (*found.installed, *added, *offered)}
        for name in self.rows.keys() - known:
            self.rows.pop(name).deleteLater()
        if known - self.rows.keys():
            self._rest.start()

    def _shown_offered(self, found: ModelList) -> tuple[ListedModel, ...]:
        """What can be downloaded and is shown: the featured ones first, and those that there is something to say of."""
        better = self.models.suggestion
        named = {*self.models.jobs, *self.models.problems, better[0].name if better else ""}
        shown = [each for each in found.offered if self._unfolded or each.featured or each.begun or each.name in named]
        return tuple(sorted(shown, key=lambda each: not each.featured))

    def _toggle(self) -> None:
        """Show all that can be downloaded, or only what a newcomer is told of."""
        self._unfolded = not self._unfolded
        self.refresh()

    def _folders(self) -> list[str]:
        """The folders that are added, or could not be."""
        adding = [name for name, job in self.models.jobs.items() if isinstance(job.work, Add)]
        failed = [name for name in self.models.problems if "/" in Path(name).as_posix()]
        return list(dict.fromkeys(adding + failed))

    def _show_job(self, name: str) -> None:
        if not self.isVisible():
            return
        if name in (SMALL, SPEED):
            self.card.show_job()
        elif name in (TRAINING, TORCH):
            self.training.show_job()
        elif name in self.rows:
            self.rows[name].show_job()

    def _show_jobs(self) -> None:
        for name in self.models.jobs:
            self._show_job(name)

    def _dismiss(self) -> None:
        for name in (PAIR, SMALL, SPEED):
            self.models.forget(name)

    # Folders, and removing.

    def _choose_folder(self) -> None:
        """Use a model where it lies."""
        folder = self._ask_folder(_("Choose a model folder"))
        if folder:
            self.models.choose_target(folder)

    def _add_folder(self) -> None:
        """Copy a model from a folder."""
        folder = self._ask_folder(_("Choose a model folder to add"))
        if folder:
            self.models.add(folder)

    def _ask_folder(self, title: str) -> str:
        folder = QFileDialog.getExistingDirectory(self.window(), title, self._preferences.folder("model"))
        if folder:
            self._preferences.remember_folder("model", str(Path(folder).parent))
        return folder

    def _remove(self, name: str) -> None:
        """Delete a model, once the user has said yes."""
        model = self.models.find(name)
        if model is None:
            return
        much = size(model.bytes)
        if self.models.in_use == name:
            text = _("This frees {size}. The model is in use; another one will be used instead.", size=much)
        else:
            text = _("This frees {size}. You can download or add it again.", size=much)
        if confirm(self.window(), _("Remove “{model}”?", model=model.title), text, _("Remove")):
            self.models.remove(name)

    def _tell(self, name: str) -> None:
        """Tell what few ask of a model."""
        model = self.models.find(name)
        if model is not None:
            inform(self.window(), model.title, models_words.about(model))

    # Training a draft.

    def _show_training(self) -> None:
        if self.isVisible():
            self.training.refresh()

    def _train(self, name: str) -> None:
        """Ask what a draft is to be trained on; while another is in hand, show that one."""
        model, current = self.models.find(name), self._training.current
        if current is not None and not (current.made and current.gain):
            self.sheet.ensureWidgetVisible(self.training)
            self.models.told.emit(
                _("Finish or discard the training of the draft for {model} first.", model=current.model)
            )
        elif model is not None:
            entries = list(self._session.entries.values())
            TrainDraftDialog(
                self._theme, self.models, self._preferences, self._training, entries, model, self.window()
            ).open()

    # The mirror.

    def _ask_mirror(self) -> None:
        self.address.setText(self._preferences.mirror)
        self._mirror_row.show()
        self.mirror.hide()
        self.address.setFocus()

    def _choose_mirror(self) -> None:
        self.models.choose_mirror(self.address.text())
        self._close_mirror()

    def _close_mirror(self) -> None:
        self._mirror_row.hide()
        self.mirror.show()

    # The page itself.

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._stalled.start()
        self.refresh()
        self.models.refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._stalled.stop()


def _arrange(ground: QWidget, rows: list[ModelRow]) -> None:
    """Let a card have these rows, with lines between them."""
    box = ground.layout()
    assert box is not None
    items = [box.itemAt(at) for at in range(box.count())]
    there = [row for item in items if item is not None and isinstance(row := item.widget(), ModelRow)]
    if there != rows[: len(there)]:
        while (item := box.takeAt(0)) is not None:
            widget = item.widget()
            if isinstance(widget, ModelRow):
                widget.hide()
            elif widget is not None:
                widget.deleteLater()
        there = []
    for row in rows[len(there) :]:
        if box.count():
            box.addWidget(rule())
        box.addWidget(row)
        if row.isHidden():
            row.show()


def model_folders(paths: Iterable[str], every: bool) -> list[str]:
    """The folders among dropped files that may be models: those with settings in them, or where a model's files lie;
    `every` folder, where nothing else than a model can be meant.
    """
    found = []
    for path in map(Path, paths):
        if (path / "config.json").is_file() or (every and path.is_dir()):
            found.append(str(path))
        elif path.suffix in _PARTS and path.is_file():
            found.append(str(path.parent))
    return list(dict.fromkeys(found))


def _added(folder: str) -> ListedModel:
    return ListedModel(folder, Path(folder).name, None, 0)
