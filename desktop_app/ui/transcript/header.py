"""The tool bar over a transcript: what it is, and what can be done with it."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QMenu, QWidget

from desktop_app.texts import _
from desktop_app.transcript.formats import FORMATS
from desktop_app.ui.widgets.actions import Actions
from desktop_app.ui.widgets.elided import ElidedLabel
from desktop_app.ui.widgets.layouts import STRETCH, row
from desktop_app.ui.widgets.menus import open_under
from desktop_app.ui.widgets.theme import S1, S2, S3

_NARROW = 520  # then the tools stand under the title


class PageHeader(QWidget):
    """One line about the recording, and the tools. Attributes: title (which the page puts over it). Signals:
    save_asked(format)."""

    save_asked = Signal(str)

    def __init__(self, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title, self.about = ElidedLabel("title"), ElidedLabel("quiet")
        self.save = actions.button("export", "primary", "on_accent")
        actions.on(export=lambda: open_under(self.save, self.save_menu))
        self.save.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the arrow stands behind the words
        self.save_menu = QMenu(self.save)
        self.formats = {
            name: self.save_menu.addAction(_(form.label), partial(self.save_asked.emit, name))
            for name, form in FORMATS.items()
        }
        tools = [actions.button(name) for name in ("find", "copy", "folder", "speakers", "speed")]
        self.search, self.copy, self.folder, self.speakers, self.speed = tools
        self._tools = QWidget()
        row(*tools, S2, self.save, STRETCH, inside=self._tools, spacing=S1)
        self._below = row((self.about, 1), spacing=S2)
        self._box = row((self._below, 1), self._tools, inside=self, spacing=S3)
        for first, then in pairwise((*tools, self.save)):
            QWidget.setTabOrder(first, then)

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
        for name, form in FORMATS.items():
            self.formats[name].setEnabled(known or not form.needs_speakers)

    def resizeEvent(self, event: QResizeEvent) -> None:
        narrow = event.size().width() < _NARROW
        self._box.setDirection(QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight)
