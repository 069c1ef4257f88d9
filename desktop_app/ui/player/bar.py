"""The player under a transcript: play, skip, the place in the recording, and how it is played."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QActionGroup, QResizeEvent
from PySide6.QtWidgets import QMenu, QWidget

from desktop_app.app.presentation import wording
from desktop_app.texts import _
from desktop_app.ui.player.overview import Overview
from desktop_app.ui.player.playback import SPEEDS
from desktop_app.ui.player.seek_line import SeekLine
from desktop_app.ui.player.turns import Lane
from desktop_app.ui.player.visible_part import VisiblePart
from desktop_app.ui.player.volume import VolumeButton
from desktop_app.ui.player.waveforms import Peaks
from desktop_app.ui.widgets.actions import Actions
from desktop_app.ui.widgets.buttons import button
from desktop_app.ui.widgets.labels import label
from desktop_app.ui.widgets.layouts import column, row
from desktop_app.ui.widgets.screen_reader import announce, named
from desktop_app.ui.widgets.sheet import quiet, rule
from desktop_app.ui.widgets.theme import S1, S3, S4, Theme, font

_NARROW = 620  # then the length of the recording is not written out, and keys and the wheel zoom
_ICON_BUTTON, _ICON = 30, 18  # pixels of buttons and their icons


class PlayerBar(QWidget):
    """Attributes: play, back, forward, zoom_out, zoom_in, video, loop, speed, try_again, locate (buttons); volume; line
    (where the place is chosen) and overview over it, of which `visible` says what they show; time; reason (why it
    cannot be played).

    Signals: again_asked(); locate_asked(); speed_chosen(speed). Those of `line` and `volume` are theirs.
    """

    again_asked = Signal()
    locate_asked = Signal()
    speed_chosen = Signal(float)

    def __init__(self, theme: Theme, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._actions, self._length, self._now, self._speed = actions, 0.0, 0.0, 1.0
        self.play = actions.button("play", "play", "on_accent")
        self.back, self.forward, self.loop = (actions.button(name) for name in ("back", "forward", "loop"))
        self.time = label("", "clock")
        self.time.setFont(font(13, figures=True))
        self.visible = VisiblePart(self)
        self.line = SeekLine(theme, self.visible)
        self.overview = Overview(theme, self.visible)
        self.zoom_out, self.zoom_in = actions.button("zoom_out"), actions.button("zoom_in")
        self.reason = quiet()
        self.try_again = button(_("Try again"), "link", self.again_asked.emit)
        self.locate = button(_("Locate it…"), "link", self.locate_asked.emit)
        self.locate.hide()
        self.video = actions.button("video")
        self.video.hide()
        self.speed = button("", "tool", self.open_speeds)
        self.volume = VolumeButton(theme)
        waveform = column(self.overview, self.line)
        place = row(self.time, (waveform, 1), (self.reason, 1), self.locate, self.try_again, spacing=S3)
        tools = (self.zoom_out, self.zoom_in, self.video, self.loop, self.speed, self.volume)
        inset = (_ICON_BUTTON - _ICON) // 2
        self.reason.setContentsMargins(inset, 0, 0, 0)
        self.time.setContentsMargins(S3, 0, 0, 0)
        controls = row(self.play, S4, self.back, self.forward, (place, 1), S3, *tools, margins=(S4, S1, S4 - inset, S1))
        column(rule(), controls, inside=self)
        self.visible.changed.connect(self._show_zoom)
        self.show_speed(1.0)
        self.say("")

    def show_recording(self, seconds: float, lanes: list[Lane]) -> None:
        """A recording of this length, with a lane a speaker."""
        self._length = seconds
        self.line.show_recording(seconds, lanes)
        self._fit_time()

    def show_peaks(self, peaks: Peaks) -> None:
        """How loud the recording is, as far as that is known."""
        self.line.show_peaks(peaks)
        self.overview.show_peaks(peaks)

    def show_place(self, seconds: float) -> None:
        """Where it is heard."""
        self.line.show_place(seconds)
        self.overview.show_place(seconds)
        before, self._now = int(self._now), seconds
        if before != int(seconds):
            self._show_time()

    def show_speed(self, speed: float) -> None:
        """How fast it plays."""
        self._speed = speed
        self.speed.setText(speed_words(speed))
        self.speed.setAccessibleName(named(_("Speed"), speed_words(speed)))
        keys = f"{self._actions['slower'].keys} / {self._actions['faster'].keys}"
        self.speed.setToolTip(f"{_('Playback speed')} ({keys})")
        self.speed.setProperty("changed", speed != 1.0)
        self.speed.style().polish(self.speed)

    def say(self, reason: str, has_moved: bool = False) -> None:
        """Why the recording cannot be played, in the place of all that needs sound; "" when it can be. A file that
        `has_moved` can be located."""
        if reason and reason != self.reason.text():
            announce(self, reason)
        self.reason.setText(reason)
        self.reason.setVisible(bool(reason))
        self.try_again.setVisible(bool(reason))
        self.locate.setVisible(has_moved)
        for widget in (self.back, self.forward, self.time, self.line, self.loop, self.speed, self.volume):
            widget.setVisible(not reason)
        self._show_zoom()

    def open_speeds(self) -> None:
        """Let the user choose how fast it plays."""
        menu = QMenu(self)
        menu.setAccessibleName(_("Playback speed"))
        menu.aboutToHide.connect(menu.deleteLater)
        group = QActionGroup(menu)
        for speed in SPEEDS:
            action = menu.addAction(speed_words(speed), partial(self.speed_chosen.emit, speed))
            action.setCheckable(True)
            action.setChecked(speed == self._speed)
            group.addAction(action)
        menu.popup(self.speed.mapToGlobal(QPoint(0, -menu.sizeHint().height())))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit_time()
        self._show_zoom()

    def _show_zoom(self) -> None:
        """The overview while a part is shown, and the buttons where there is room."""
        usable = self.line.isVisibleTo(self)
        self.overview.setVisible(usable and self.visible.is_zoomed)
        for each in (self.zoom_out, self.zoom_in):
            each.setVisible(usable and self.width() >= _NARROW)

    def _fit_time(self) -> None:
        """Room for the longest time, so that no digit moves what stands beside it."""
        length = wording.clock(self._length)
        widest = length if self.width() < _NARROW else f"{length} / {length}"
        self.time.setMinimumWidth(self.time.fontMetrics().horizontalAdvance(widest) + S1 + S3)
        self._show_time()

    def _show_time(self) -> None:
        now, length = wording.clock(self._now), wording.clock(self._length)
        self.time.setText(now if self.width() < _NARROW else f"{now} / {length}")
        self.time.setAccessibleName(named(_("Position"), _("{time} of {length}", time=now, length=length)))


def speed_words(speed: float) -> str:
    """How fast something plays: 1×, 1.25×."""
    digits = 0 if speed == int(speed) else 1 if speed * 10 == int(speed * 10) else 2
    return _("{speed}×", speed=wording.number(speed, digits))
