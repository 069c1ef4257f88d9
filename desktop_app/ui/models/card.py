"""The card of the models page that says which models are in use, and lets others be chosen."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from desktop_app.app.models import PAIR, SMALL, ModelStore
from desktop_app.app.preferences import AUTO, OFF, PRECISIONS, Preferences, name_of
from desktop_app.engine.model_list import Listed
from desktop_app.engine.model_work import Shrink
from desktop_app.ui.widgets import icons
from desktop_app.ui.widgets.buttons import button
from desktop_app.ui.widgets.choice import Choice
from desktop_app.ui.widgets.labels import label
from desktop_app.ui.widgets.layouts import add, column, row
from desktop_app.ui.widgets.meters import Bar
from desktop_app.ui.widgets.sheet import card, quiet, rule, setting
from desktop_app.ui.widgets.theme import S1, S2, S3, S4, Theme

_LONGEST = 30  # characters of a name on a button
_OPTIONS = ("Full", "8 bits", "4 bits")


class ModelsCard(QWidget):
    """Attributes: target, draft (buttons with menus); precision (a choice); bar, progress, cancel (making small).

    Signals: folder_asked() when a model is to be used where it lies.
    """

    folder_asked = Signal()

    def __init__(self, theme: Theme, models: ModelStore, preferences: Preferences) -> None:
        super().__init__()
        self._theme, self._models, self._preferences = theme, models, preferences
        self.target = _menu_button(lambda: self._open(self.target, self.target_menu()))
        self.draft = _menu_button(lambda: self._open(self.draft, self.draft_menu()))
        self.precision = Choice("Precision", _OPTIONS)
        self.precision.picked.connect(lambda number: models.choose_precision(PRECISIONS[number]))
        self._target_line = quiet("It writes every word.")
        self._draft_line = quiet()
        self._precision_line = quiet()
        self.bar = Bar(theme, "Quantising the weights", height=4)
        self.progress = label("", "quiet")
        self.cancel = button("Cancel", "link", partial(models.cancel, SMALL))
        self._making = QWidget()
        self._lay_out()
        theme.changed.connect(self._retint)
        self._retint()
        self.refresh()

    def _lay_out(self) -> None:
        state = row((self.progress, 1), self.cancel, spacing=S1 + 2)
        column(self.bar, state, inside=self._making, spacing=S1 + 2, margins=(0, S2, 0, 0))
        ground = card()
        box = column(inside=ground, spacing=S3, margins=(S4, S4, S4, S4))
        for heading, line, control in (
            ("Model", self._target_line, self.target),
            ("Draft", self._draft_line, self.draft),
            ("Precision", self._precision_line, self.precision),
        ):
            if control is not self.target:
                add(box, rule())
            add(box, setting(heading, line, control))
        add(box, self._making)
        column(ground, inside=self)

    def refresh(self) -> None:
        """Show what is chosen."""
        models, preferences = self._models, self._preferences
        used = models.find(models.in_use)
        name = used.title if used else name_of(preferences.folder_in_use)
        self._show(self.target, "Model", name)
        by_itself = "It writes every word." if preferences.target else "The best one here. It writes every word."
        self._target_line.setText(by_itself)
        chosen = {AUTO: "Chosen by itself", OFF: "None"}.get(preferences.draft)
        self._show(self.draft, "Draft", chosen or self._named(preferences.draft))
        self._draft_line.setText(self._about_draft())
        graphs = used is not None and used.graphs
        self._precision_line.setText(
            "This model holds OpenVINO's own graphs, whose numbers stay as they are."
            if graphs
            else "Weights of 8 or 4 bits take less memory and time; a word may come out differently."
        )
        job = models.jobs.get(SMALL)
        making = job.work if job and isinstance(job.work, Shrink) and not job.stopping else None
        self.precision.pick(PRECISIONS.index(making.precision if making else preferences.precision))
        for button_ in self.precision.group.buttons()[1:]:
            button_.setEnabled(not graphs)
        self.show_job()

    def show_job(self) -> None:
        """How far the small weights are."""
        job = self._models.jobs.get(SMALL)
        self._making.setVisible(job is not None)
        if job is not None:
            self.bar.set_value(job.share)
            self.progress.setText(job.words())
            self.cancel.setEnabled(not job.stopping)

    def _about_draft(self) -> str:
        models = self._models
        if PAIR in models.jobs:
            return "Looking whether they work together…"
        if self._preferences.draft == OFF:
            return "Nothing writes ahead."
        if models.draft_in_use:
            return f"{models.draft_in_use} writes ahead. It makes the text faster and changes no word."
        if models.draft_in_use is None:
            return "It writes ahead, makes the text faster and changes no word."
        return "There is none that fits. With one the text is the same, sooner."

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
        """Every model that can write."""
        models, chosen = self._models, self._preferences.target
        best = models.find(models.list.best) if models.list else None
        choices = [(f"The best one here ({best.title})" if best else "The best one here", "")]
        choices += [(each.title, str(each.folder)) for each in self._writers()]
        menu = self._menu("Models", choices, chosen, models.choose_target)
        menu.addSeparator()
        menu.addAction("Use a folder where it lies…", self.folder_asked.emit)
        return menu

    def draft_menu(self) -> QMenu:
        """Every model that can be tried as a draft."""
        choices = [("Chosen by itself", AUTO), ("None", OFF)]
        used = self._models.in_use
        choices += [(each.title, str(each.folder)) for each in self._writers() if each.name != used]
        return self._menu("Drafts", choices, self._preferences.draft, self._models.choose_draft)

    def _writers(self) -> list[Listed]:
        found = self._models.list
        return [each for each in found.installed if not each.speakers] if found else []

    def _menu(self, name: str, choices: list[tuple[str, str]], chosen: str, then: Callable[[str], None]) -> QMenu:
        menu = QMenu(self)
        menu.setAccessibleName(name)
        menu.aboutToHide.connect(menu.deleteLater)
        group = QActionGroup(menu)
        for text, value in choices:
            action = menu.addAction(text.replace("&", "&&"), partial(then, value))
            action.setCheckable(True)
            action.setChecked(value == chosen)
            group.addAction(action)
        return menu

    @staticmethod
    def _open(control: QPushButton, menu: QMenu) -> None:
        menu.popup(control.mapToGlobal(control.rect().bottomLeft()))

    def _retint(self) -> None:
        colors = self._theme.palette
        for control in (self.target, self.draft):
            control.setIcon(icons.icon("chevron-down", colors.muted, colors.draft))


def _menu_button(then: Callable[[], None]) -> QPushButton:
    made = button("", "plain", then)
    made.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the arrow stands behind the words
    return made
