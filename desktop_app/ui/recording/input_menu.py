"""The menu of inputs: every one with its host, what the computer plays marked, and how loud the chosen one is."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QWidget, QWidgetAction

from desktop_app.app.live.inputs import Inputs
from desktop_app.app.live.live_recording import LiveRecording
from desktop_app.app.presentation.problems import sentence
from desktop_app.audio.microphone import Input
from desktop_app.problems import Problem
from desktop_app.texts import N_, _
from desktop_app.ui.widgets import icons
from desktop_app.ui.widgets.labels import label
from desktop_app.ui.widgets.layouts import STRETCH, row
from desktop_app.ui.widgets.level_meter import LevelMeter
from desktop_app.ui.widgets.theme import S2, S3, S4, Theme

_LONGEST = 48  # characters of a name
_SECTIONS = ((N_("Microphones"), False), (N_("System audio"), True))  # heading, whether the computer plays it


class InputMenu(QMenu):
    """Attributes: meter (the level of the input in use)."""

    def __init__(
        self, theme: Theme, inputs: Inputs, in_use: Input | None, choose: Callable[[Input], None], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(_("Inputs"))
        self.setToolTipsVisible(True)
        self.aboutToHide.connect(self.deleteLater)
        self.meter = LevelMeter(theme)
        self._level = label(_("Level"), "quiet")
        if inputs.problem is not None:
            self._say(sentence(inputs.problem))
        elif not inputs.found:
            self._say(_("No input found. Connect a microphone, then open this menu again."))
        else:
            self._add_line(self._level, self.meter)
        group = QActionGroup(self)
        for heading, system in _SECTIONS:
            some = [found for found in inputs.found if found.is_system == system]
            if some:
                self.addSeparator()
                self._add_line(label(_(heading).upper(), "section"))
            for found in some:
                name = short(found.name, _LONGEST)
                shown = _("{input} (default)", input=name) if found.is_default else name
                action = self.addAction(f"{shown}\t{found.host}", partial(choose, found))
                action.setCheckable(True)
                action.setChecked(in_use is not None and found.id == in_use.id)
                action.setToolTip(f"{found.name}, {found.host}")
                if system:
                    action.setIcon(icons.icon("loudspeaker", theme.palette.muted))
                group.addAction(action)

    def follow(self, live: LiveRecording) -> None:
        """Show the level of the recording that runs."""

        def show() -> None:
            self.meter.set_peak(live.peak)

        live.levelled.connect(show)
        self.aboutToHide.connect(lambda: live.levelled.disconnect(show))

    def say_problem(self, problem: Problem) -> None:
        """Say why there is no level."""
        self._level.setText(sentence(problem))
        self.meter.hide()

    def _say(self, text: str) -> None:
        self.addAction(text).setEnabled(False)

    def _add_line(self, *widgets: QWidget) -> None:
        holder = QWidget()
        row(*widgets, STRETCH, inside=holder, spacing=S3, margins=(S3, S2, S4, S2))
        shown = QWidgetAction(self)
        shown.setDefaultWidget(holder)
        shown.setEnabled(False)
        self.addAction(shown)


def short(name: str, longest: int) -> str:
    """A name for menus and buttons: with its beginning at most, and no letter taken for a key."""
    return (name if len(name) <= longest else f"{name[: longest - 1].rstrip()}…").replace("&", "&&")
