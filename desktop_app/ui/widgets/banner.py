"""A line that tells something and offers what to do about it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from desktop_app.ui.widgets import icons
from desktop_app.ui.widgets.buttons import button
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
        self._icon = QLabel()
        self.text = QLabel()
        self.text.setWordWrap(True)
        self.text.setTextFormat(Qt.TextFormat.PlainText)
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.text.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        if tone == NOTICE:
            self.text.setProperty("role", "warn")
        self.buttons: list[QPushButton] = []
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(S4, S2 + 1, S2, S2 + 1)
        self._row.setSpacing(S2)
        self._row.addWidget(self._icon)
        self._row.addSpacing(S2 - 2)
        self._row.addWidget(self.text, 1)
        theme.changed.connect(self._retint)
        self._retint()

    def add_button(self, text: str, kind: str = "plain") -> QPushButton:
        """One more thing to do, at the right."""
        made = button(text, kind)
        self._row.addWidget(made, 0, Qt.AlignmentFlag.AlignVCenter)
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
        box = QVBoxLayout(self)
        box.setContentsMargins(S4, S3, S4, 0)
        box.addWidget(banner)
        banner.installEventFilter(self)
        self.setVisible(not banner.isHidden())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.ShowToParent, QEvent.Type.HideToParent):
            self.setVisible(event.type() == QEvent.Type.ShowToParent)
        return False
