"""A model as a row: what it is, what can be done with it, and how far the work on it is."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from desktop_app.app.models.model_store import ModelStore
from desktop_app.app.presentation.wording import size
from desktop_app.app.settings.preferences import Preferences
from desktop_app.engine.model_list import DownloadSource, ListedModel
from desktop_app.texts import _
from desktop_app.ui.models import words as models_words
from desktop_app.ui.widgets.buttons import button, icon_button, set_icon
from desktop_app.ui.widgets.elided import ElidedLabel
from desktop_app.ui.widgets.labels import label
from desktop_app.ui.widgets.layouts import column, row
from desktop_app.ui.widgets.menus import open_under
from desktop_app.ui.widgets.meters import Bar
from desktop_app.ui.widgets.screen_reader import announce
from desktop_app.ui.widgets.sheet import quiet
from desktop_app.ui.widgets.theme import S1, S2, S3, S4, Theme

Part = TypeVar("Part", bound=QWidget)
_LINES = ("purpose", "slow", "facts", "advice", "problem", "dismiss", "draft", "bar", "progress", "discard")
_CONTROLS = ("get", "use", "cancel", "more")
_LINKS = ("dismiss", "draft", "discard")


class ModelRow(QWidget):
    """Its parts are made when they are first needed: a catalogue has many rows, and most show little.

    Attributes: title; tag, purpose, slow, facts, advice, problem, progress (labels); bar; dismiss, discard, get, use,
    cancel, more, draft (buttons). Signals: remove_asked(name), because that is asked again; about_asked(name);
    train_asked(name).
    """

    remove_asked, about_asked, train_asked = Signal(str), Signal(str), Signal(str)

    def __init__(self, theme: Theme, models: ModelStore, preferences: Preferences, name: str) -> None:
        super().__init__()
        self._theme, self._models, self._preferences, self.name = theme, models, preferences, name
        self._model = ListedModel(name, name, None, 0)
        self.title = ElidedLabel("strong")
        self._places = {each: row() for each in ("tag", *_LINES, *_CONTROLS)}
        head = row((self.title, 1), self._places["tag"], spacing=S2)
        lines = column(head, *(self._places[each] for each in _LINES), spacing=S1)
        controls = (self._places[each] for each in _CONTROLS)
        row((lines, 1), *controls, inside=self, spacing=S2, margins=(S4, S3, S3, S3))

    # The parts.

    tag = cached_property(lambda row: row._put("tag", label("", "tag")))
    purpose = cached_property(lambda row: row._put("purpose", quiet(role="")))
    slow = cached_property(lambda row: row._put("slow", quiet(role="warn")))
    facts = cached_property(lambda row: row._put("facts", quiet()))
    advice = cached_property(lambda row: row._put("advice", quiet()))
    problem = cached_property(lambda row: row._put("problem", quiet(role="bad")))
    draft = cached_property(lambda row: row._put("draft", button("", "link", row._get_draft)))
    progress = cached_property(lambda row: row._put("progress", quiet()))
    get = cached_property(lambda row: row._control("get", "", "", row._models.get))

    @cached_property
    def dismiss(self) -> QPushButton:
        spoken = _("Dismiss the message about {model}", model=self._model.title)
        return self._control("dismiss", _("Dismiss"), spoken, self._models.forget, "link")

    @cached_property
    def discard(self) -> QPushButton:
        spoken = _("Delete partial download of {model}", model=self._model.title)
        return self._control("discard", _("Delete partial download"), spoken, self._models.remove, "link")

    @cached_property
    def use(self) -> QPushButton:
        return self._control("use", _("Use"), _("Use {model}", model=self._model.title), self._use)

    @cached_property
    def cancel(self) -> QPushButton:
        return self._control(
            "cancel", _("Cancel"), _("Cancel work on {model}", model=self._model.title), self._models.cancel
        )

    @cached_property
    def bar(self) -> Bar:
        self._places["bar"].setContentsMargins(0, S1, 0, 0)
        return self._put("bar", Bar(self._theme, self.name, height=4))

    @cached_property
    def more(self) -> QPushButton:
        made = self._put("more", icon_button(_("More actions for {model}", model=self._model.title), self.open_menu))
        set_icon(made, self._theme, "more")
        return made

    def _control(
        self, place: str, text: str, spoken: str, then: Callable[[str], object], kind: str = "plain"
    ) -> QPushButton:
        made = self._put(place, button(text, kind, partial(then, self.name)))
        made.setAccessibleName(spoken)
        return made

    def _put(self, place: str, made: Part) -> Part:
        made.hide()
        self._places[place].addWidget(made)
        if place in _LINKS:
            made.setProperty("flush", True)  # its words stand under the others
            self._places[place].addStretch(1)
        return made

    def _show(self, part: str, shown: bool) -> bool:
        """Let a part be seen or not; one that never was is not made to be hidden."""
        if shown or part in self.__dict__:
            getattr(self, part).setVisible(shown)
        return shown

    def _say(self, line: str, text: str) -> None:
        if self._show(line, bool(text)):
            getattr(self, line).setText(text)

    # What is shown.

    def show_model(self, model: ListedModel, source: DownloadSource) -> None:
        """What is known of it now."""
        self._model = model
        models, here = self._models, model.folder is not None
        idle, problem = self.name not in models.jobs, models.problems.get(self.name, "")
        offered = idle and not here and not is_folder(model)
        transcribes, drafts = models.in_use == model.name, models.draft_in_use == model.name
        first = next(iter(model.drafts), None) if here and idle else None
        self.title.setText(model.title)
        self._say("tag", "" if not here else _("In use") if transcribes else _("Draft") if drafts else "")
        speed, estimated = models.speeds.latest(str(model.folder)), models.estimate(model)
        slow = models_words.too_slow(speed, estimated)
        self._say("purpose", _(model.featured) if model.featured and not slow else "")
        self._say("slow", slow)
        self._say("facts", models_words.facts(model, speed, estimated, models.memory))
        self._say("advice", "" if first or model.featured else models_words.advice(model))
        if problem and ("problem" not in self.__dict__ or self.problem.text() != problem):
            announce(self, f"{model.title}: {problem}")
        self._say("problem", problem)
        if self._show("draft", first is not None and first.name not in models.jobs) and first is not None:
            download = _("Download draft model {model}", model=first.name)
            self.draft.setText(" · ".join([download, *([size(first.bytes)] if first.bytes else [])]))
            self.draft.setToolTip(
                _("Speeds up transcription without changing the text. From {host}.", host=source.host)
            )
        if self._show("get", offered):
            self._show_get(model, source)
        self._show("discard", offered and bool(model.begun))
        self._show("use", here and idle and not transcribes and not model.speakers)
        self._show("more", idle and (here or bool(models_words.about(model))))
        self._show("dismiss", idle and bool(problem))
        self._show("cancel", not idle)
        self.show_job()

    def show_job(self) -> None:
        """How far the work is now."""
        job, model = self._models.jobs.get(self.name), self._model
        if self._show("bar", job is not None and not job.waiting) and job is not None:
            self.bar.set_value(job.share)
        if job is not None:
            self.cancel.setEnabled(not job.stopping)
        begun = _("{size} already downloaded", size=size(model.begun)) if model.begun and not model.folder else ""
        self._say("progress", job.words() if job else begun)

    def _show_get(self, model: ListedModel, source: DownloadSource) -> None:
        much = models_words.download(model)
        self.get.setText(" · ".join(filter(None, [_("Resume") if model.begun else _("Download"), much])))
        self.get.setEnabled(not source.problem)
        values = {"model": model.title, "host": source.host, "size": much or _("size unknown")}
        self.get.setToolTip(_("From {host}: {size}", host=values["host"], size=values["size"]))
        self.get.setAccessibleName(
            _("Resume {model} from {host}: {size}", **values)
            if model.begun
            else _("Download {model} from {host}: {size}", **values)
        )

    # What is asked.

    def _use(self, name: str) -> None:
        self._models.choose_target(str(self._model.folder))

    def _get_draft(self) -> None:
        self._models.get(self._model.drafts[0].name)

    def open_menu(self) -> None:
        """What else can be done, under the button."""
        open_under(self.more, self.menu())

    def menu(self) -> QMenu:
        """What else can be done with a model, and what else is known of it."""
        menu, model, folder = QMenu(self), self._model, str(self._model.folder)
        menu.aboutToHide.connect(menu.deleteLater)
        if model.folder is None:
            self._add_about(menu)
            return menu
        if not model.speakers:
            draft = menu.addAction(_("Use as draft model"), partial(self._models.choose_draft, folder))
            draft.setEnabled(self._models.in_use != model.name and self._preferences.options().draft != folder)
        if model.training:
            menu.addAction(_("Train a draft on my recordings…"), partial(self.train_asked.emit, model.name))
        menu.addAction(_("Verify files"), partial(self._models.verify, model.name))
        self._add_about(menu)
        menu.addSeparator()
        remove = menu.addAction(_("Remove…"), partial(self.remove_asked.emit, model.name))
        remove.setEnabled(model.removable)
        return menu

    def _add_about(self, menu: QMenu) -> None:
        if models_words.about(self._model):
            menu.addAction(_("Licence and origin…"), partial(self.about_asked.emit, self.name))


def is_folder(model: ListedModel) -> bool:
    """Whether a row stands for a folder that is being added: no model's name is a path."""
    return model.folder is None and "/" in Path(model.name).as_posix()
