"""What stands over the text while it is recorded: that it is, how long, how loud, from where, and the way to stop."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QLabel, QWidget

from desktop_app.app import wording
from desktop_app.app.entry import Entry
from desktop_app.app.live import OPENING, PAUSED, RUNNING, STOPPING, Live
from desktop_app.ui.widgets import icons
from desktop_app.ui.widgets.actions import Actions
from desktop_app.ui.widgets.buttons import button
from desktop_app.ui.widgets.elided import ElidedLabel
from desktop_app.ui.widgets.labels import label, wrapped
from desktop_app.ui.widgets.layouts import STRETCH, column, row
from desktop_app.ui.widgets.level_meter import LevelMeter
from desktop_app.ui.widgets.screen_reader import announce
from desktop_app.ui.widgets.theme import S1, S2, S3, Theme, font

_WORDS = {OPENING: "Opening the microphone…", RUNNING: "Recording", PAUSED: "Paused", STOPPING: "Stopping…"}
_DEAF = "Waiting for sound"
_MUCH = 4.0  # seconds behind that are worth a word


class LiveStrip(QWidget):
    """The state of the live session and its tools. Signals: inputs_asked()."""

    inputs_asked = Signal()

    def __init__(self, theme: Theme, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._pause = theme, actions["pause"]
        self._dot = QLabel()
        self.words, self.time, self.behind = label("", "strong"), label("", "clock"), label("", "quiet")
        self.time.setFont(font(13, figures=True))
        self.meter = LevelMeter(theme)
        self.source = ElidedLabel("quiet")
        self.inputs = button("Change input", "link", self.inputs_asked.emit)
        self.captions = actions.button("captions")
        self.pause = actions.button("pause", "plain")
        self.stop = button("Stop", "stop", actions["record"].trigger)
        self.stop.setToolTip(f"Stop recording ({actions['record'].keys})")
        self.stop.setIconSize(QSize(16, 16))
        self._lay_out()
        theme.changed.connect(self._retint)
        self._retint()

    def _lay_out(self) -> None:
        tools = (self.captions, self.pause, self.stop)
        state = row(self._dot, self.words, self.time, STRETCH, *tools, spacing=S2)
        where = row(self.meter, (self.source, 1), self.behind, self.inputs, spacing=S3)
        column(state, where, inside=self, spacing=S2, margins=(0, S1, 0, 0))

    def show_live(self, live: Live) -> None:
        """Phase and input."""
        state = _DEAF if live.is_deaf else _WORDS.get(live.phase, "")
        if state != self.words.text():
            self.words.setText(state)
            announce(self, state)
            self._retint()
        if live.phase == PAUSED:
            self._pause.show_as("Resume", "Resume recording")
        else:
            self._pause.show_as("Pause", self._pause.description.text)
        self._pause.setEnabled(live.phase in (RUNNING, PAUSED))
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
        self.stop.setIcon(icons.icon("stop", colors.page, colors.draft, 16))
