"""A line that tells something and offers what to do about it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QWidget

from desktop_app.ui.widgets import icons
from desktop_app.ui.widgets.buttons import button
from desktop_app.ui.widgets.layouts import add, column, row
from desktop_app.ui.widgets.screen_reader import announce
from desktop_app.ui.widgets.theme import S2, S3, S4, Theme

NOTICE, PROBLEM, NEUTRAL = "warn", "bad", "plain"


class Banner(QFrame):
    """Icon, sentence, buttons.

    Attributes: text (the sentence's label); buttons (those added, in order).
    """

    def __init__(self, theme: Theme, tone: str, mark: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._tone, self._mark = theme, tone, mark
        self.setProperty("banner", tone)
        self._icon, self.text = QLabel(), QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.text.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        if tone == NOTICE:
            self.text.setProperty("role", "warn")
        self.buttons: list[QPushButton] = []
        margins = (S4, S2 + 1, S2, S2 + 1)
        self._row = row(self._icon, S2 - 2, (self.text, 1), inside=self, spacing=S2, margins=margins)
        theme.changed.connect(self._retint)
        self._retint()

    def add_button(self, text: str, kind: str = "plain") -> QPushButton:
        """One more thing to do, at the right."""
        made = button(text, kind)
        add(self._row, (made, Qt.AlignmentFlag.AlignVCenter))
        self.buttons.append(made)
        return made

    def say(self, sentence: str) -> None:
        """Show a sentence; none hides the banner."""
        if sentence != self.text.text():
            self.text.setText(sentence)
            announce(self, sentence)
        self.setAccessibleName(sentence)
        self.setVisible(bool(sentence))

    def _retint(self) -> None:
        colors = self._theme.palette
        color = {NOTICE: colors.warn, PROBLEM: colors.bad, NEUTRAL: colors.muted}[self._tone]
        self._icon.setPixmap(icons.pixmap(self._mark, color, 18, self.devicePixelRatioF()))


class Shelf(QWidget):
    """A banner with room around it, which goes when the banner does."""

    def __init__(self, banner: Banner, parent: QWidget) -> None:
        super().__init__(parent)
        column(banner, inside=self, margins=(S4, S3, S4, 0))
        banner.installEventFilter(self)
        self.setVisible(not banner.isHidden())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.ShowToParent, QEvent.Type.HideToParent):
            self.setVisible(event.type() == QEvent.Type.ShowToParent)
        return False
