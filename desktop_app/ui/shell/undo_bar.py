"""What was deleted can be brought back here for some time."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QEnterEvent
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QWidget

from desktop_app.app.library.deletions import Deletions
from desktop_app.texts import _, ngettext
from desktop_app.ui.widgets.buttons import button, icon_button, set_icon
from desktop_app.ui.widgets.layouts import row
from desktop_app.ui.widgets.screen_reader import announce
from desktop_app.ui.widgets.theme import S1, S2, S3, Theme

_OFFERED_MS = 30_000


class UndoBar(QFrame):
    """Stands as long as a deletion can be undone; not over while the mouse or the focus is on it. Attributes: undo,
    dismiss (its buttons)."""

    def __init__(self, theme: Theme, deletions: Deletions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._deletions = deletions
        self.setProperty("banner", "plain")
        self._text = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.undo = button(_("Undo"), "link", deletions.undo)
        self.dismiss = icon_button(_("Remove for good"), deletions.settle, 14)
        set_icon(self.dismiss, theme, "close")
        row((self._text, 1), self.undo, self.dismiss, inside=self, spacing=S1, margins=(S3, S1, S1, S1))
        self._end = QTimer(self, singleShot=True, interval=_OFFERED_MS)
        self._end.timeout.connect(self._settle)
        deletions.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        gone = self._deletions.offered
        if not gone:
            self.hide()
            self._end.stop()
            return
        name = self._text.fontMetrics().elidedText(gone[0].name, Qt.TextElideMode.ElideMiddle, 12 * S2 + S3)
        one = _("“{name}” deleted", name=name)
        text = one if len(gone) == 1 else ngettext("{n} recording deleted", "{n} recordings deleted", len(gone))
        self._text.setText(text)
        self.undo.setAccessibleName(f"{text}. {_('Undo')}")
        announce(self, text)
        self.show()
        self._end.start()

    def _settle(self) -> None:
        focus = QApplication.focusWidget()
        if self.underMouse() or (focus is not None and self.isAncestorOf(focus)):
            self._end.start()
        else:
            self._deletions.settle()

    def enterEvent(self, event: QEnterEvent) -> None:
        self._end.start()
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        if self.isVisible():
            self._end.start()
        super().leaveEvent(event)
