"""The page where the model, the draft and the look are chosen."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from desktop_app import __version__
from desktop_app.engine import default
from desktop_app.ui.banner import PROBLEM, Banner
from desktop_app.ui.buttons import button
from desktop_app.ui.choice import Choice
from desktop_app.ui.elided import ElidedLabel
from desktop_app.ui.preferences import Preferences, name_of, problem_with
from desktop_app.ui.speakers_choice import SpeakersChoice
from desktop_app.ui.theme import CHOICES, S1, S2, S4, S5, S6, Theme

_WIDTH = 600


class SettingsPage(QWidget):
    """Signals: folder_asked() and recordings_asked() when another folder for models or recordings is to be chosen;
    keys_asked(); closed().
    """

    folder_asked = Signal()
    recordings_asked = Signal()
    keys_asked = Signal()
    closed = Signal()

    def __init__(self, theme: Theme, preferences: Preferences, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._preferences = theme, preferences
        self.model, self.place = QLabel(), ElidedLabel("quiet")
        self.model.setProperty("role", "strong")
        self.choose = button("Choose folder…", "plain", self.folder_asked.emit)
        self.best = button("Use the best installed", "plain", self._use_best)
        self.problem = Banner(theme, PROBLEM, "problem")
        self.problem.say("")
        self.recordings = ElidedLabel("quiet")
        self.choose_recordings = button("Choose folder…", "plain", self.recordings_asked.emit)
        self.choose_recordings.setAccessibleName("Choose folder for recordings…")
        self.keys = button("Keys", "link", self.keys_asked.emit)
        self.draft = Choice("Draft", ["On", "Off"])
        self.draft.picked.connect(self._set_draft)
        self.speakers = SpeakersChoice(theme)
        self.speakers.picked.connect(self._set_speakers)
        self.look = Choice("Appearance", [choice.capitalize() for choice in CHOICES])
        self.look.picked.connect(lambda number: theme.choose(CHOICES[number]))
        self._lay_out()
        preferences.changed.connect(self.refresh)
        self.refresh()

    def _lay_out(self) -> None:
        inner = QWidget()
        inner.setMaximumWidth(_WIDTH)
        box = QVBoxLayout(inner)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(0)
        box.addWidget(_label("Settings", "title"))
        box.addSpacing(S6)
        box.addWidget(_label("Model", "heading"))
        box.addSpacing(S1)
        box.addWidget(_label("The model that writes the text: a folder in the Whisper layout.", "quiet"))
        box.addSpacing(S4)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self.model)
        words.addWidget(self.place)
        card = QWidget()
        card.setObjectName("card")
        card.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        row = QHBoxLayout(card)
        row.setContentsMargins(S4, S4, S4, S4)
        row.setSpacing(S2)
        row.addLayout(words, 1)
        row.addWidget(self.best)
        row.addWidget(self.choose)
        box.addWidget(card)
        box.addSpacing(S2)
        box.addWidget(self.problem)
        for heading, text, choice in (
            (
                "Draft",
                "A small model writes ahead and the large one checks every word. The text is the same, sooner.",
                self.draft,
            ),
            (
                "Speakers",
                "Who says what is found out by the voices, on this computer. A number helps where you know it.",
                self.speakers,
            ),
            ("Appearance", "Light, dark, or as the system says.", self.look),
        ):
            box.addSpacing(S5)
            box.addWidget(_rule())
            box.addSpacing(S5)
            box.addLayout(_setting(heading, text, choice))
            if choice is self.speakers:
                box.addSpacing(S5)
                box.addWidget(_rule())
                box.addSpacing(S5)
                box.addLayout(self._recordings())
        box.addStretch(1)
        box.addSpacing(S5)
        foot = QHBoxLayout()
        foot.addWidget(_label(f"Galley {__version__}. Nothing leaves this computer.", "quiet"), 1)
        foot.addWidget(self.keys)
        box.addLayout(foot)
        page = QWidget()
        outer = QHBoxLayout(page)
        outer.setContentsMargins(S6, S5 + S2, S6, S5)
        outer.addStretch(1)
        outer.addWidget(inner, 100)
        outer.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(page)
        page.setObjectName("page")
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(scroll)

    def _recordings(self) -> QHBoxLayout:
        lines = QVBoxLayout()
        lines.setSpacing(S1)
        lines.addWidget(_label("Recordings", "heading"))
        lines.addWidget(_label("What is recorded live is kept here. Galley never deletes it.", "quiet"))
        lines.addWidget(self.recordings)
        row = QHBoxLayout()
        row.setSpacing(S5)
        row.addLayout(lines, 1)
        row.addWidget(self.choose_recordings, 0, Qt.AlignmentFlag.AlignTop)
        return row

    def refresh(self) -> None:
        """Show what is chosen."""
        target = self._preferences.target
        folder = self._preferences.folder_in_use
        standard = "Comes with Galley" if default.is_starter(folder) else "The best model installed"
        self.model.setText(name_of(folder))
        self.place.setText(target or standard)
        self.best.setVisible(bool(target))
        self.problem.say(problem_with(folder) if target else "")
        self.recordings.setText(str(self._preferences.recordings))
        self.look.pick(CHOICES.index(self._theme.choice))
        self.speakers.show_wanted(self._preferences.speakers)
        self.draft.pick(0 if self._preferences.drafts else 1)

    def try_folder(self, folder: str) -> bool:
        """Take a folder as the model if it can be one; else say why not. Whether it was taken."""
        problem = problem_with(Path(folder))
        if problem:
            self.problem.say(problem)
            return False
        self._preferences.target = folder
        return True

    def _use_best(self) -> None:
        self._preferences.target = ""

    def _set_speakers(self, wanted: str) -> None:
        self._preferences.speakers = wanted

    def _set_draft(self, number: int) -> None:
        self._preferences.drafts = number == 0


def _label(text: str, role: str) -> QLabel:
    made = QLabel(text, wordWrap=role == "quiet")
    made.setProperty("role", role)
    return made


def _rule() -> QWidget:
    made = QWidget()
    made.setObjectName("rule")
    made.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    made.setFixedHeight(1)
    return made


def _setting(heading: str, text: str, choice: QWidget) -> QHBoxLayout:
    words = QVBoxLayout()
    words.setSpacing(S1)
    words.addWidget(_label(heading, "heading"))
    words.addWidget(_label(text, "quiet"))
    words.addStretch(1)
    row = QHBoxLayout()
    row.setSpacing(S5)
    row.addLayout(words, 1)
    row.addWidget(choice, 0, Qt.AlignmentFlag.AlignTop)
    return row
