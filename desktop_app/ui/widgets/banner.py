"""A line that tells something and offers what to do about it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QWidget

from desktop_app.texts import ngettext
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
        self._queue: BannerQueue | None = None
        self._more: QPushButton | None = None
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
        """Show a sentence, when it is this banner's turn; none hides the banner."""
        if sentence != self.text.text():
            self.text.setText(sentence)
            announce(self, sentence)
        self.setAccessibleName(sentence)
        if self._queue is None:
            self.setVisible(bool(sentence))
        else:
            self._queue.place()

    def stand_in(self, queue: BannerQueue) -> None:
        """Be shown only when that queue says so."""
        self._queue = queue
        self._more = self.add_button("", "link")
        self._more.clicked.connect(queue.turn)
        self._count(0)

    def show_with(self, others: int) -> None:
        """Show it, and how many others wait behind it."""
        self._count(others)
        self.show()

    def _count(self, others: int) -> None:
        if self._more is not None:
            self._more.setText(ngettext("{n} more", "{n} more", others))
            self._more.setAccessibleName(ngettext("Show {n} more message", "Show {n} more messages", others))
            self._more.setVisible(others > 0)

    def _retint(self) -> None:
        colors = self._theme.palette
        color = {NOTICE: colors.warn, PROBLEM: colors.bad, NEUTRAL: colors.muted}[self._tone]
        self._icon.setPixmap(icons.pixmap(self._mark, color, 18, self.devicePixelRatioF()))


class BannerQueue:
    """The banners of a page, the most important one first: one at most is shown, and the others wait behind it."""

    def __init__(self) -> None:
        self._banners: list[Banner] = []
        self._front: Banner | None = None  # that the user has turned to
        self._held = False

    def add(self, *banners: Banner) -> None:
        """More of them, less important than those before."""
        for banner in banners:
            self._banners.append(banner)
            banner.stand_in(self)
        self.place()

    def hold(self, held: bool) -> None:
        """Show none as long as something else is said on the page."""
        self._held = held
        self.place()

    def turn(self) -> None:
        """Show the next one."""
        waiting = self._waiting
        if waiting:
            shown = self._front if self._front in waiting else waiting[0]
            self._front = waiting[(waiting.index(shown) + 1) % len(waiting)]
            self.place()

    def place(self) -> None:
        """Show whose turn it is."""
        waiting = self._waiting
        shown = self._front if self._front in waiting else next(iter(waiting), None)
        for banner in self._banners:
            if banner is not shown or self._held:
                banner.hide()
        if shown is not None and not self._held:
            shown.show_with(len(waiting) - 1)

    @property
    def _waiting(self) -> list[Banner]:
        """Those that have something to say."""
        return [banner for banner in self._banners if banner.text.text()]


class BannerArea(QWidget):
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
