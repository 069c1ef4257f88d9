"""The picture of a video, in a pane between the text and the player: folded away until the user wants it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QObject, QRectF, QSize, Qt, Signal, SignalInstance
from PySide6.QtGui import QImage, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.app.presentation.problems import sentence
from desktop_app.audio.pictures import Picture, PictureReader, PicturesListener
from desktop_app.problems import Problem
from desktop_app.texts import _
from desktop_app.ui.context import Context
from desktop_app.ui.player.bar import PlayerBar
from desktop_app.ui.player.playback import Playback
from desktop_app.ui.player.waveforms import Waveforms
from desktop_app.ui.transcript.page import TranscriptPage
from desktop_app.ui.widgets.painting import painting
from desktop_app.ui.widgets.theme import S2, Theme, font

_HEIGHT = 200
_SHOWN, _HIDDEN = "shown", "hidden"


class PicturePort(Protocol):
    """What is needed of desktop_app.audio.pictures.PictureReader."""

    def show(self, path: str, seconds: float) -> None: ...

    def stop(self) -> None: ...


class VideoPane(QWidget):
    """Shows a picture, or a sentence in its place."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.image, self.text = QImage(), ""
        self.setAccessibleName(_("Picture of the video"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(_HEIGHT)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(320, _HEIGHT)

    def show_image(self, image: QImage, text: str = "") -> None:
        """Show this one; none with a `text` that says why."""
        self.image, self.text = image, text
        self.setAccessibleDescription(text)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        colors = self._theme.palette
        with painting(self) as painter:
            painter.fillRect(self.rect(), colors.color("raised"))
            painter.fillRect(QRectF(0, 0, self.width(), 1), colors.color("line"))
            place = QRectF(self.rect()).adjusted(S2, S2, -S2, -S2)
            if self.image.isNull():
                painter.setFont(font(13))
                painter.setPen(colors.color("muted"))
                painter.drawText(place, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self.text)
                return
            painter.setRenderHint(painter.RenderHint.SmoothPixmapTransform)
            size = self.image.size().scaled(place.size().toSize(), Qt.AspectRatioMode.KeepAspectRatio)
            shown = QRectF(0, 0, size.width(), size.height())
            shown.moveCenter(place.center())
            painter.drawImage(shown, self.image)


class VideoController(QObject):
    """Reads pictures only while the pane is open on a video. Attributes: pane."""

    _came = Signal(str, object)
    _ended = Signal(str, object)

    def __init__(
        self,
        page: TranscriptPage,
        context: Context,
        playback: Playback,
        waveforms: Waveforms,
        bar: PlayerBar,
        make: Callable[[PicturesListener], PicturePort] = PictureReader,
    ) -> None:
        super().__init__(page)
        self._current, self._playback, self._waveforms, self._bar = context.current, playback, waveforms, bar
        self._preferences, self._action = context.core.preferences, context.actions["video"]
        self._reader = make(_Relay(self._came, self._ended))
        self._asked: tuple[str, float] | None = None
        self.pane = VideoPane(context.theme)
        self.pane.hide()
        page.put_over(bar, self.pane)
        self._came.connect(self._show, Qt.ConnectionType.QueuedConnection)
        self._ended.connect(self._end, Qt.ConnectionType.QueuedConnection)
        self._action.setChecked(self._preferences.text("video") == _SHOWN)
        self._action.triggered.connect(self._toggle)
        context.current.changed.connect(self._refresh)
        playback.changed.connect(self._refresh)
        playback.moved.connect(self._refresh)
        waveforms.opened.connect(lambda path: self._refresh())
        self._refresh()

    def close(self) -> None:
        """Read no more."""
        self._asked = None
        self._reader.stop()

    def _toggle(self, shown: bool) -> None:
        self._preferences.set("video", _SHOWN if shown else _HIDDEN)
        self._refresh()

    def _refresh(self) -> None:
        entry = self._current.entry
        is_video = entry is not None and entry.path in self._waveforms.videos
        self._bar.video.setVisible(is_video)
        is_open = is_video and self._action.isChecked()
        self.pane.setVisible(is_open)
        wanted = (entry.path, self._playback.place(entry.id)) if entry is not None and is_open else None
        if wanted == self._asked:
            return
        if wanted is None or self._asked is None or wanted[0] != self._asked[0]:
            self.pane.show_image(QImage())
        self._asked = wanted
        if wanted is None:
            self._reader.stop()
        else:
            self._reader.show(*wanted)

    def _show(self, path: str, picture: Picture) -> None:
        if self._asked is not None and path == self._asked[0]:
            width, height = picture.width, picture.height
            image = QImage(picture.rgb, width, height, 3 * width, QImage.Format.Format_RGB888)
            self.pane.show_image(image.copy())  # the bytes are Python's

    def _end(self, path: str, problem: Problem) -> None:
        if self._asked is not None and path == self._asked[0]:
            self.pane.show_image(QImage(), _("There is no picture. {problem}", problem=sentence(problem)))


class _Relay:
    """Brings what the reader says into the main thread."""

    def __init__(self, came: SignalInstance, ended: SignalInstance) -> None:
        self._came, self._ended = came, ended

    def came(self, path: str, picture: Picture) -> None:
        self._came.emit(path, picture)

    def ended(self, path: str, problem: Problem) -> None:
        self._ended.emit(path, problem)
