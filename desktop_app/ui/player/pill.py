"""The way back to the words that are heard, when the reader has scrolled away from them."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject

from desktop_app.texts import _
from desktop_app.ui.transcript.view import TranscriptView
from desktop_app.ui.widgets.buttons import button, set_icon
from desktop_app.ui.widgets.theme import S2, S4, Theme


class PlayingPill(QObject):
    """Attributes: pill (the button; it is there while what is heard is out of sight)."""

    def __init__(self, view: TranscriptView, theme: Theme) -> None:
        super().__init__(view)
        self._view = view
        self.pill = button(_("Jump to playing"), "pill", view.reveal_playing, view.viewport())
        self.pill.hide()
        set_icon(self.pill, theme, "loudspeaker", "on_accent")
        view.verticalScrollBar().valueChanged.connect(self.place)
        view.viewport().installEventFilter(self)

    def place(self) -> None:
        """Show it or hide it, over the way back to the end where that is there too."""
        self.pill.setVisible(self._view.is_playing_hidden())
        if self.pill.isVisible():
            size, room, end = self.pill.sizeHint(), self._view.viewport(), self._view.follower.pill
            bottom = end.y() - S2 if end.isVisible() else room.height() - S4
            left, top = (room.width() - size.width()) // 2, bottom - size.height()
            self.pill.setGeometry(left, top, size.width(), size.height())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.place()
        return False
