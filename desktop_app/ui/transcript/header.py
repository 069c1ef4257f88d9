"""The tool bar over a transcript: what it is, and what can be done with it."""

from __future__ import annotations

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from desktop_app.ui.widgets.actions import Actions
from desktop_app.ui.widgets.elided import ElidedLabel
from desktop_app.ui.widgets.layouts import STRETCH, column, row
from desktop_app.ui.widgets.theme import S1, S2

INSET = 8
"""From the left edge of the header to that of the text: so far the first tool's icon stands within it."""


class PageHeader(QWidget):
    """One line about the recording, and under it the tools, with words where all of them have room. Attributes: title
    (which the page puts over it)."""

    def __init__(self, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title, self.about = ElidedLabel("title"), ElidedLabel("quiet")
        self.save = actions.button("export", "primary", "on_accent")
        self._tools = [actions.button(name) for name in ("find", "copy", "folder", "speakers", "speed")]
        self.search, self.copy, self.folder, self.speakers, self.speed = self._tools
        self._bar = QWidget()
        row(*self._tools, STRETCH, self.save, inside=self._bar, spacing=S1)
        self._below = row((self.about, 1), spacing=S2)
        column(column(self._below, margins=(INSET, 0, 0, 0)), self._bar, inside=self, spacing=S2)

    def put_versions(self, control: QWidget) -> None:
        """What chooses among the versions of the text, beside what is said about it."""
        self._below.addWidget(control)

    def set_usable(self, has_text: bool, comes: bool) -> None:
        """Whether there is a text to save, copy or search, or one `comes`; else the tools go."""
        for control in (self.save, self.copy, self.search):
            control.setVisible(has_text or comes)

    def set_speakers(self, known: bool) -> None:
        """Whether speakers are known."""
        self.speakers.setVisible(known)

    def resizeEvent(self, event: QResizeEvent) -> None:
        wanted = sum(tool.width_with_words() + S1 for tool in self._tools) + self.save.sizeHint().width()
        for tool in self._tools:  # those that are hidden too: no other one changes when they come
            tool.show_words(wanted <= event.size().width())
