"""Following the end of a text while it is written, until its reader scrolls away."""

from __future__ import annotations

from PySide6.QtCore import QEasingCurve, QObject, QPropertyAnimation
from PySide6.QtWidgets import QAbstractScrollArea

from desktop_app.texts import _
from desktop_app.ui.widgets.buttons import button, set_icon
from desktop_app.ui.widgets.theme import S4, Theme


class Follower(QObject):
    """Moves the scroll bar of a view.

    Attributes: growing (whether text is being written); following (whether its end is kept in view); pill (the way
    back to the end).
    """

    def __init__(self, view: QAbstractScrollArea, theme: Theme) -> None:
        super().__init__(view)
        self._view, self._theme, self._bar = view, theme, view.verticalScrollBar()
        self.growing, self.following = False, True
        self._glide = QPropertyAnimation(self._bar, b"value", self)
        self._glide.setDuration(180)
        self._glide.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._bar.actionTriggered.connect(self._glide.stop)
        self._bar.valueChanged.connect(self._scrolled)
        self.pill = button(_("Jump to the end"), "pill", self.jump_to_end, view.viewport())
        self.pill.hide()
        set_icon(self.pill, theme, "end", "on_accent")

    def begin(self) -> None:
        """Another text, seen from its top."""
        self._glide.stop()
        self._bar.setValue(0)
        self.following = True
        self.place_pill()

    def halt(self) -> None:
        """End a movement where it is."""
        self._glide.stop()

    def stop(self) -> None:
        """Leave the view where it is, whatever is written at the end."""
        self._glide.stop()
        self.following = False
        self.place_pill()

    def jump_to_end(self) -> None:
        """Show the end and follow it again."""
        self.following = True
        self.glide_to_end()
        self.place_pill()

    def glide_to_end(self) -> None:
        """Bring the end into view, smoothly where it is near and things may move."""
        end, gliding = self._bar.maximum(), self._glide.state() == QPropertyAnimation.State.Running
        if gliding and self._glide.endValue() == end:
            return
        self._glide.stop()
        is_far = abs(end - self._bar.value()) > 3 * self._view.viewport().height()
        if is_far or not self._theme.moves or not self._view.isVisible():
            self._bar.setValue(end)
        elif end != self._bar.value():
            self._glide.setStartValue(self._bar.value())
            self._glide.setEndValue(end)
            self._glide.start()

    def keep_end(self) -> None:
        """Show the end of content whose height has changed; a movement towards the old end goes on to the new one."""
        if self._glide.state() == QPropertyAnimation.State.Running:
            self._glide.setEndValue(self._bar.maximum())
        else:
            self._bar.setValue(self._bar.maximum())

    def set_range(self, total: int) -> None:
        """The height of the content. A shorter range moves the bar, which is no wish to stop following."""
        following = self.following
        self._bar.setRange(0, max(total - self._view.viewport().height(), 0))
        self.following = following
        self.place_pill()

    def scroll_to(self, value: int) -> None:
        """Scroll at once, which is no wish to stop following or to begin."""
        following = self.following
        self._bar.setValue(value)
        self.following = following

    def place_pill(self) -> None:
        """Offer the way back to the end of a text that is written out of sight."""
        self.pill.setVisible(self.growing and not self.following)
        if self.pill.isVisible():
            size, room = self.pill.sizeHint(), self._view.viewport()
            left, top = (room.width() - size.width()) // 2, room.height() - size.height() - S4
            self.pill.setGeometry(left, top, size.width(), size.height())

    def _scrolled(self) -> None:
        if self._glide.state() != QPropertyAnimation.State.Running:
            self.following = self._bar.value() >= self._bar.maximum() - 4
        self.place_pill()
        self._view.viewport().update()
