"""The line over the text of a running recording: state, time, level and input, and the buttons to pause and stop."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QWidget

from desktop_app.app.live.live_recording import OFF, OPENING, PAUSED, RUNNING, STOPPING, LiveRecording
from desktop_app.app.presentation import wording
from desktop_app.app.recordings.entry import Entry
from desktop_app.texts import N_, _
from desktop_app.ui.widgets import icons
from desktop_app.ui.widgets.actions import Actions
from desktop_app.ui.widgets.buttons import button
from desktop_app.ui.widgets.elided import ElidedLabel
from desktop_app.ui.widgets.labels import explain, label
from desktop_app.ui.widgets.layouts import STRETCH, column, row
from desktop_app.ui.widgets.level_meter import LevelMeter
from desktop_app.ui.widgets.screen_reader import announce
from desktop_app.ui.widgets.theme import S1, S2, S3, Theme, font

_STATES = {
    OFF: "",
    OPENING: N_("Opening the microphone…"),
    RUNNING: N_("Recording"),
    PAUSED: N_("Paused"),
    STOPPING: N_("Stopping…"),
}
_NOTABLE_DELAY = 4.0  # seconds
_ROOM_FOR_WORDS = 560  # pixels, for words beside the icons of the tools


class LiveStrip(QWidget):
    """The state of the live session and its tools. Signals: inputs_asked()."""

    inputs_asked = Signal()

    def __init__(self, theme: Theme, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._pause, self._recording = theme, actions["pause"], False
        self._dot = QLabel()
        self.words, self.time, self.behind = label("", "strong"), label("", "clock"), label("", "quiet")
        self.time.setFont(font(13, figures=True))
        self.meter = LevelMeter(theme)
        self.source = ElidedLabel("quiet")
        self.inputs = button(_("Change input"), "link", self.inputs_asked.emit)
        self.captions = actions.button("captions")
        self.mark = actions.button("mark")
        self.pause = actions.button("pause", "plain")
        self.stop = button(_("Stop"), "stop", actions["record"].trigger)
        self.stop.setToolTip(_("Stop recording ({keys})", keys=actions["record"].keys))
        self.stop.setIconSize(QSize(16, 16))
        self._lay_out()
        theme.changed.connect(self._retint)
        self._retint()

    def _lay_out(self) -> None:
        tools = (self.captions, self.mark, self.pause, self.stop)
        state = row(self._dot, self.words, self.time, STRETCH, row(*tools, spacing=S1), spacing=S2)
        where = row(self.meter, (self.source, 1), self.behind, self.inputs, spacing=S3)
        column(state, where, inside=self, spacing=S2, margins=(0, S1, 0, 0))

    def resizeEvent(self, event: QResizeEvent) -> None:
        for tool in (self.captions, self.mark):
            tool.show_words(event.size().width() >= _ROOM_FOR_WORDS)

    def show_live(self, live: LiveRecording) -> None:
        """Phase and input."""
        state = _("Waiting for sound") if live.is_deaf else _(_STATES[live.phase])
        self._recording = live.phase == RUNNING and not live.is_deaf
        if state != self.words.text():
            self.words.setText(state)
            announce(self, state)
            self._retint()
        if live.phase == PAUSED:
            self._pause.show_as(_("Resume"), _("Resume recording"))
        else:
            self._pause.show_as(_(self._pause.description.label), _(self._pause.description.text))
        self._pause.setEnabled(live.phase in (RUNNING, PAUSED))
        self.stop.setEnabled(live.phase != STOPPING)
        self.inputs.setEnabled(live.phase != STOPPING)
        self.source.setText(live.source)
        self.source.setAccessibleName(_("Input: {input}", input=live.source))
        self.show_level(live)

    def show_level(self, live: LiveRecording) -> None:
        """Time and level."""
        time = wording.clock(live.seconds) if live.seconds else ""
        self.time.setText(time)
        self.time.setAccessibleName(f"{self.words.text()} {time}".strip())
        self.meter.set_peak(live.peak)

    def show_entry(self, entry: Entry) -> None:
        """How far the text is behind the sound, when that is more than a little; an engine that ended is why."""
        notable = entry.behind >= _NOTABLE_DELAY
        self.behind.setText(_("Text is about {seconds} s behind", seconds=round(entry.behind)) if notable else "")
        explain(self.behind, entry.preparing)

    def _retint(self) -> None:
        colors = self._theme.palette
        scale = self.devicePixelRatioF()
        self._dot.setPixmap(icons.dot(colors.bad if self._recording else colors.line_strong, 10, scale))
        self._dot.setAlignment(Qt.AlignmentFlag.AlignVCenter)
        self.stop.setIcon(icons.icon("stop", colors.page, colors.draft, 16))
