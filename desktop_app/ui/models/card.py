"""The card of the models page that says which models are in use, and lets others be chosen."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from desktop_app.app.models.model_store import PAIR, SMALL, SPEED, ModelStore
from desktop_app.app.presentation import wording
from desktop_app.app.settings.preferences import PRECISIONS, Preferences
from desktop_app.engine.model_list import ListedModel, name_of
from desktop_app.messages.model_work import Quantise
from desktop_app.messages.options import AUTO, OFF
from desktop_app.texts import N_, _, pgettext
from desktop_app.ui.models import words as models_words
from desktop_app.ui.widgets.buttons import button
from desktop_app.ui.widgets.choice import Choice
from desktop_app.ui.widgets.labels import label
from desktop_app.ui.widgets.layouts import STRETCH, column, row
from desktop_app.ui.widgets.menus import MenuButton, choice_menu
from desktop_app.ui.widgets.meters import Bar
from desktop_app.ui.widgets.sheet import card, quiet, rule, setting
from desktop_app.ui.widgets.theme import S1, S2, S3, S4, Theme

_LONGEST = 30  # characters of a name on a button
_OPTIONS = (N_("Full"), N_("8-bit"), N_("4-bit"))  # in the order of PRECISIONS


class ModelsCard(QWidget):
    """What a newcomer needs, and below "Advanced" the draft and the precision.

    Attributes: target, draft (buttons with menus); precision (a choice); quantising (its progress); measure (a button);
    measuring (its progress); fold (a link).

    Signals: folder_asked() when a model is to be used where it lies.
    """

    folder_asked = Signal()

    def __init__(self, theme: Theme, models: ModelStore, preferences: Preferences) -> None:
        super().__init__()
        self._models, self._preferences = models, preferences
        self.target, self.draft = MenuButton(theme, self.target_menu), MenuButton(theme, self.draft_menu)
        self.precision = Choice(_("Precision"), [_(option) for option in _OPTIONS])
        self.precision.picked.connect(lambda number: models.choose_precision(PRECISIONS[number]))
        self._target_line = quiet()
        self._draft_line = quiet()
        self._precision_line = quiet()
        self._speed_line, self._better_line = quiet(), quiet()
        self.measure = button(_("Measure"), "plain", models.measure)
        self.fold = button("", "link", self._toggle)
        self.fold.setProperty("flush", True)  # its words stand under the others
        self._advanced = QWidget()
        self.quantising = _Progress(theme, models, SMALL, _("Quantising the weights"))
        self.measuring = _Progress(theme, models, SPEED, _("Measuring the speed"))
        self._lay_out()
        self._unfold(preferences.options().draft != AUTO or preferences.options().precision != AUTO)
        self.refresh()

    def _lay_out(self) -> None:
        ground = card()
        model = setting(_("Model"), self._target_line, self.target)
        speed = setting(_("Speed on this computer"), self._speed_line, self.measure, self._better_line)
        column(
            rule(),
            setting(_("Draft model"), self._draft_line, self.draft),
            rule(),
            setting(_("Precision"), self._precision_line, self.precision),
            inside=self._advanced,
            spacing=S3,
        )
        column(
            model, rule(), speed, self.measuring, self._advanced, self.quantising, rule(), row(self.fold, STRETCH),
            inside=ground, spacing=S3, margins=(S4, S4, S4, S3),
        )  # fmt: skip
        column(ground, inside=self)

    def _toggle(self) -> None:
        self._unfold(self._advanced.isHidden())

    def _unfold(self, unfolded: bool) -> None:
        """Show draft and precision, or not."""
        self._advanced.setVisible(unfolded)
        self.fold.setText(_("Fewer settings") if unfolded else _("Advanced…"))

    def refresh(self) -> None:
        """Show what is chosen."""
        models, preferences = self._models, self._preferences
        used = models.find(models.in_use)
        name = used.title if used else name_of(preferences.folder_in_use)
        self._show(self.target, _("Model"), name)
        self._target_line.setText(
            _("Every word comes from this model.")
            if preferences.options().target
            else _("The best installed model, chosen automatically. Every word comes from it.")
        )
        chosen = {AUTO: _("Automatic"), OFF: pgettext("draft model", "None")}.get(preferences.options().draft)
        self._show(self.draft, _("Draft model"), chosen or self._named(preferences.options().draft))
        self._draft_line.setText(self._about_draft())
        graphs = used is not None and used.graphs
        self._precision_line.setText(
            _("This is an OpenVINO model; its precision is fixed.")
            if graphs
            else _("Lower precision uses less memory and is faster; a few words may differ.")
        )
        job = models.jobs.get(SMALL)
        making = job.work if job and isinstance(job.work, Quantise) and not job.stopping else None
        precision = making.precision if making else preferences.options().precision
        self.precision.pick(PRECISIONS.index(precision) if precision in PRECISIONS else 0)
        for button_ in self.precision.group.buttons()[1:]:
            button_.setEnabled(not graphs)
        self._show_speed()
        self.show_job()

    def _show_speed(self) -> None:
        speed, better = self._models.speed, self._models.suggestion
        self.measure.setEnabled(SPEED not in self._models.jobs)
        self.measure.setText(_("Measure again") if speed else _("Measure"))
        self._speed_line.setText(
            "\n".join(filter(None, (models_words.speed(speed), wording.busy(speed))))
            if speed
            else _("Transcribes a part of the sample conversation with these models. Takes about half a minute.")
        )
        self._better_line.setVisible(better is not None)
        if better is not None:
            self._better_line.setText(models_words.suggestion(*better))

    def show_job(self) -> None:
        """How far quantising and measuring are."""
        self.quantising.refresh()
        self.measuring.refresh()

    def _about_draft(self) -> str:
        models = self._models
        if PAIR in models.jobs:
            return _("Checking compatibility…")
        if self._preferences.options().draft == OFF:
            return _("Without a draft model the text is the same, but takes longer.")
        if models.draft_in_use:
            return _("{model} speeds this up without changing the result.", model=models.draft_in_use)
        if models.draft_in_use is None:
            return _("A small draft model speeds this up without changing the result.")
        return _("No compatible draft model. One would speed this up without changing the text.")

    def _named(self, folder: str) -> str:
        found = self._models.at(folder)
        return found.title if found else name_of(Path(folder))

    @staticmethod
    def _show(control: QPushButton, what: str, name: str) -> None:
        short = name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
        control.setText(short.replace("&", "&&"))
        control.setAccessibleName(f"{what}: {name}")
        control.setToolTip(name if short != name else "")

    # The menus.

    def target_menu(self) -> QMenu:
        """Every model that can transcribe."""
        models, chosen = self._models, self._preferences.options().target
        best = models.find(models.list.best) if models.list else None
        choices = [(_("Automatic ({model})", model=best.title) if best else _("Automatic"), "")]
        choices += [(each.title, str(each.folder)) for each in self._writers()]
        menu = choice_menu(self, _("Model"), choices, chosen, models.choose_target)
        menu.addSeparator()
        menu.addAction(_("Use a folder without copying it…"), self.folder_asked.emit)
        return menu

    def draft_menu(self) -> QMenu:
        """Every model that can be tried as a draft."""
        choices = [(_("Automatic"), AUTO), (pgettext("draft model", "None"), OFF)]
        used = self._models.in_use
        choices += [(each.title, str(each.folder)) for each in self._writers() if each.name != used]
        return choice_menu(
            self, _("Draft model"), choices, self._preferences.options().draft, self._models.choose_draft
        )

    def _writers(self) -> list[ListedModel]:
        found = self._models.list
        return [each for each in found.installed if not each.speakers] if found else []


class _Progress(QWidget):
    """Work that the page shows with a bar, while there is any. Attributes: bar, text, cancel."""

    def __init__(self, theme: Theme, models: ModelStore, name: str, spoken: str) -> None:
        super().__init__()
        self._models, self._name = models, name
        self.bar = Bar(theme, spoken, height=4)
        self.text = label("", "quiet")
        self.cancel = button(_("Cancel"), "link", partial(models.cancel, name))
        state = row((self.text, 1), self.cancel, spacing=S1 + 2)
        column(self.bar, state, inside=self, spacing=S1 + 2, margins=(0, S2, 0, 0))

    def refresh(self) -> None:
        """Show how far it is."""
        job = self._models.jobs.get(self._name)
        self.setVisible(job is not None)
        if job is not None:
            self.bar.set_value(job.share)
            self.text.setText(job.words())
            self.cancel.setEnabled(not job.stopping)
