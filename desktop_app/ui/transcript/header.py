"""The tool bar over a transcript: what it is, and what can be done with it."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QMenu, QPushButton, QVBoxLayout, QWidget

from desktop_app.ui.shell import keys
from desktop_app.ui.widgets import icons
from desktop_app.ui.widgets.buttons import button, icon_button
from desktop_app.ui.widgets.elided import ElidedLabel
from desktop_app.ui.widgets.theme import S1, S2, S3, Theme

_NARROW = 520  # then the tools stand under the title

FORMAT_WORDS = {
    "txt": "Text (.txt)",
    "srt": "Subtitles (.srt)",
    "vtt": "Web subtitles (.vtt)",
    "csv": "Table (.csv)",
    "rttm": "Who spoke when (.rttm)",
    "json": "Everything, for programs (.json)",
}


class PageHeader(QWidget):
    """Title, one line about the recording, and the tools.

    Signals: save_asked(format), copy_asked(), folder_asked(), find_asked(), play_asked(), speakers_toggled(shown),
    speed_toggled(shown).
    """

    save_asked = Signal(str)
    copy_asked = Signal()
    folder_asked = Signal()
    find_asked = Signal()
    play_asked = Signal()
    speakers_toggled = Signal(bool)
    speed_toggled = Signal(bool)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.title, self.about = ElidedLabel("title"), ElidedLabel("quiet")
        self.save = button("Save as", "primary", self.open_save_menu)
        self.save.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the arrow stands behind the words
        self.save_menu = QMenu(self.save)
        self.formats = {
            name: self.save_menu.addAction(words, partial(self.save_asked.emit, name))
            for name, words in FORMAT_WORDS.items()
        }
        self.play = icon_button("Play", self.play_asked.emit)
        self.playing = False
        self.copy = icon_button("Copy the text", self.copy_asked.emit)
        self.folder = icon_button("Show the recording in its folder", self.folder_asked.emit)
        self.search = icon_button("Find in the text (Ctrl+F)", self.find_asked.emit)
        self.speakers = icon_button("Speakers")
        self.speakers.setCheckable(True)
        self.speakers.toggled.connect(self.speakers_toggled)
        self.speed = icon_button("Speed")
        self.speed.setCheckable(True)
        self.speed.toggled.connect(self.speed_toggled)
        self._tools = QWidget()
        row = QHBoxLayout(self._tools)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(S1)
        for tool in self._icons():
            row.addWidget(tool)
        row.addSpacing(S2)
        row.addWidget(self.save)
        row.addStretch(1)
        lines = QVBoxLayout()
        lines.setSpacing(2)
        lines.addWidget(self.title)
        lines.addWidget(self.about)
        self._box = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(S3)
        self._box.addLayout(lines, 1)
        self._box.addWidget(self._tools)
        for first, then in pairwise((*self._icons(), self.save)):
            QWidget.setTabOrder(first, then)
        theme.changed.connect(self._retint)
        self._retint()

    def _icons(self) -> tuple[QPushButton, ...]:
        return self.play, self.search, self.copy, self.folder, self.speakers, self.speed

    def open_save_menu(self) -> None:
        """Ask for the format, under the button."""
        self.save_menu.popup(self.save.mapToGlobal(self.save.rect().bottomLeft()))

    def set_usable(self, has_text: bool, comes: bool) -> None:
        """Whether there is a text to save, copy or search, or one `comes`; else the tools go."""
        for control in (self.save, self.copy, self.search):
            control.setEnabled(has_text)
            control.setVisible(has_text or comes)

    def set_speakers(self, known: bool, audible: bool) -> None:
        """Whether speakers are known, and whether there is something to hear."""
        self.speakers.setVisible(known)
        self.formats["rttm"].setEnabled(known)
        self.play.setVisible(audible)

    def show_playing(self, playing: bool) -> None:
        """Whether the button plays or stops."""
        name = f"{'Stop' if playing else 'Play'} ({keys.shown('play')})"
        self.play.setToolTip(name)
        self.play.setAccessibleName(name)
        if playing != self.playing:
            self.playing = playing
            self._retint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        narrow = event.size().width() < _NARROW
        self._box.setDirection(QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight)

    def _retint(self) -> None:
        colors = self._theme.palette
        for tool, name in (
            (self.play, "pause" if self.playing else "play"),
            (self.speakers, "speakers"),
            (self.copy, "copy"),
            (self.folder, "folder"),
            (self.search, "search"),
            (self.speed, "speed"),
        ):
            tool.setIcon(icons.icon(name, colors.muted, colors.line_strong))
        self.save.setIcon(icons.icon("chevron-down", colors.on_accent, colors.draft))
