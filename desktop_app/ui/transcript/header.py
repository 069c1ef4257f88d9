"""The tool bar over a transcript: what it is, and what can be done with it."""

from __future__ import annotations

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

from desktop_app.ui.widgets.actions import Actions
from desktop_app.ui.widgets.elided import ElidedLabel
from desktop_app.ui.widgets.layouts import STRETCH, row
from desktop_app.ui.widgets.theme import S1, S2, S3

_NARROW = 520  # then the tools stand under the title


class PageHeader(QWidget):
    """One line about the recording, and the tools. Attributes: title (which the page puts over it)."""

    def __init__(self, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title, self.about = ElidedLabel("title"), ElidedLabel("quiet")
        self.save = actions.button("export", "primary", "on_accent")
        tools = [actions.button(name) for name in ("find", "copy", "folder", "speakers", "speed")]
        self.search, self.copy, self.folder, self.speakers, self.speed = tools
        self._tools = QWidget()
        row(*tools, S2, self.save, STRETCH, inside=self._tools, spacing=S1)
        self._below = row((self.about, 1), spacing=S2)
        self._box = row((self._below, 1), self._tools, inside=self, spacing=S3)

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
        narrow = event.size().width() < _NARROW
        self._box.setDirection(QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight)
