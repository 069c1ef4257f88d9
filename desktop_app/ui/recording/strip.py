"""What stands over the text while it is recorded: that it is, how long, how loud, from where, and the way to stop."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from desktop_app.app import wording
from desktop_app.app.entry import Entry
from desktop_app.app.live import OPENING, PAUSED, RUNNING, STOPPING, Live
from desktop_app.ui.shell import keys
from desktop_app.ui.widgets import icons
from desktop_app.ui.widgets.buttons import button, icon_button
from desktop_app.ui.widgets.elided import ElidedLabel
from desktop_app.ui.widgets.level_meter import LevelMeter
from desktop_app.ui.widgets.screen_reader import announce
from desktop_app.ui.widgets.theme import S1, S2, S3, Theme, font
from desktop_app.ui.widgets.tips import wrapped

_WORDS = {OPENING: "Opening the microphone…", RUNNING: "Recording", PAUSED: "Paused", STOPPING: "Stopping…"}
_DEAF = "Waiting for sound"
_MUCH = 4.0  # seconds behind that are worth a word


class LiveStrip(QWidget):
    """The state of the live session and its tools.

    Signals: stop_asked(), pause_asked(), captions_asked(), inputs_asked().
    """

    stop_asked = Signal()
    pause_asked = Signal()
    captions_asked = Signal()
    inputs_asked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._dot = QLabel()
        self.words = QLabel()
        self.words.setProperty("role", "strong")
        self.time = QLabel()
        self.time.setFont(font(13, figures=True))
        self.time.setProperty("role", "clock")
        self.behind = QLabel()
        self.behind.setProperty("role", "quiet")
        self.meter = LevelMeter(theme)
        self.source = ElidedLabel("quiet")
        self.inputs = button("Change input", "link", self.inputs_asked.emit)
        self.captions = icon_button(f"{keys.KEYS['captions'][0]} ({keys.shown('captions')})", self.captions_asked.emit)
        self.captions.setCheckable(True)
        self.pause = button("Pause", "plain", self.pause_asked.emit)
        self.stop = button("Stop", "stop", self.stop_asked.emit)
        self.stop.setToolTip(f"Stop recording ({keys.shown('record')})")
        self.stop.setIconSize(QSize(16, 16))
        self._lay_out()
        theme.changed.connect(self._retint)
        self._retint()

    def _lay_out(self) -> None:
        state = QHBoxLayout()
        state.setSpacing(S2)
        for widget in (self._dot, self.words, self.time):
            state.addWidget(widget)
        state.addStretch(1)
        for tool in (self.captions, self.pause, self.stop):
            state.addWidget(tool)
        where = QHBoxLayout()
        where.setSpacing(S3)
        where.addWidget(self.meter)
        where.addWidget(self.source, 1)
        where.addWidget(self.behind)
        where.addWidget(self.inputs)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, S1, 0, 0)
        box.setSpacing(S2)
        box.addLayout(state)
        box.addLayout(where)

    def show_live(self, live: Live) -> None:
        """Phase and input."""
        state = _DEAF if live.is_deaf else _WORDS.get(live.phase, "")
        if state != self.words.text():
            self.words.setText(state)
            announce(self, state)
            self._retint()
        self.pause.setText("Go on" if live.phase == PAUSED else "Pause")
        does = "Go on recording" if live.phase == PAUSED else "Leave out what is said from now on"
        self.pause.setToolTip(f"{does} ({keys.shown('pause')})")
        self.pause.setEnabled(live.phase in (RUNNING, PAUSED))
        self.stop.setEnabled(live.phase != STOPPING)
        self.inputs.setEnabled(live.phase != STOPPING)
        self.source.setText(live.source)
        self.source.setAccessibleName(f"Input: {live.source}")
        self.show_level(live)

    def show_level(self, live: Live) -> None:
        """Time and loudness."""
        time = wording.clock(live.seconds) if live.seconds else ""
        self.time.setText(time)
        self.time.setAccessibleName(f"{self.words.text()} {time}".strip())
        self.meter.set_peak(live.peak)

    def show_entry(self, entry: Entry) -> None:
        """How far the text is behind the sound, when that is more than a little; an engine that ended is why."""
        self.behind.setText(f"text {entry.behind:.0f} s behind" if entry.behind >= _MUCH else "")
        self.behind.setToolTip(wrapped(entry.preparing))

    def _retint(self) -> None:
        colors = self._theme.palette
        scale = self.devicePixelRatioF()
        recording = self.words.text() == _WORDS[RUNNING]
        self._dot.setPixmap(icons.dot(colors.bad if recording else colors.line_strong, 10, scale))
        self._dot.setAlignment(Qt.AlignmentFlag.AlignVCenter)
        self.captions.setIcon(icons.icon("captions", colors.muted, colors.line_strong))
        self.stop.setIcon(icons.icon("stop", colors.page, colors.draft, 16))
