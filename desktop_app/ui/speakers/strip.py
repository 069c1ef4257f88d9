"""Who speaks when and how much: a row a speaker, over the text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeySequence
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QPushButton, QWidget

from desktop_app.app.presentation.wording import percent, span
from desktop_app.texts import _
from desktop_app.transcript import speakers
from desktop_app.transcript.model import Speaker, Transcript
from desktop_app.ui.player.turns import Lane
from desktop_app.ui.speakers.lanes import Lanes
from desktop_app.ui.widgets import icons
from desktop_app.ui.widgets.buttons import button, icon_button
from desktop_app.ui.widgets.labels import explain, label, wrapped
from desktop_app.ui.widgets.layouts import column
from desktop_app.ui.widgets.sheet import ScrollArea
from desktop_app.ui.widgets.speaker_badge import BADGE, badge_icon, initial, look_of
from desktop_app.ui.widgets.theme import S2, Theme

ROW = 30
_MOST = 6  # rows that are seen at once
_LONGEST = 132  # pixels of a name


class SpeakerStrip(QWidget):
    """Attributes: lanes (the timeline); names, previews (buttons by the speaker's id).

    Signals: asked(seconds) when a place is to be played; preview_asked(id); speaker_asked(id, place on the screen).
    """

    asked = Signal(float)
    preview_asked = Signal(str)
    speaker_asked = Signal(str, QRect)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._shown: Transcript | None = None
        self._playing = ""
        self._figures: dict[str, tuple[QLabel, QLabel]] = {}  # the share of the speech, and the time
        self.names: dict[str, QPushButton] = {}
        self.previews: dict[str, QPushButton] = {}
        self.lanes = Lanes(theme, ROW)
        self.lanes.asked.connect(self.asked)
        self._rows = QWidget()
        self._rows.setObjectName("page")
        self._scroll = ScrollArea()
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._grid = QGridLayout(self._rows)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(S2)
        self._grid.setVerticalSpacing(0)
        self._grid.setColumnStretch(2, 1)
        self._scroll.setWidget(self._rows)
        column(self._scroll, inside=self)
        theme.changed.connect(self._retint)

    def show_transcript(self, transcript: Transcript, is_whole: bool = True) -> None:
        """Show the speakers of a transcript; nothing is done when it shows the same already. A recording that is made
        cannot be played yet."""
        for preview in self.previews.values():
            preview.setVisible(is_whole)
        before = self._shown
        self._shown = transcript
        if before is not None and speakers.have_same_turns(before, transcript):
            return
        if list(self.names) != [speaker.id for speaker in transcript.speakers]:
            self._make_rows(transcript.speakers)
        shares = speakers.shares(transcript)
        length = transcript.seconds or max((each.end for each in transcript.segments), default=0.0)
        all_turns, lanes = speakers.turns(transcript), list[Lane]()
        for row, speaker in enumerate(transcript.speakers):
            turns = all_turns[speaker.id]
            lanes.append((speaker.name, QColor(look_of(speaker.id).ink(self._theme.palette)), turns))
            self._show_speaker(row, speaker, shares[speaker.id], sum(end - begin for begin, end in turns))
            self.previews[speaker.id].setVisible(is_whole)
        self.lanes.show_turns(lanes, length)
        self._retint()

    def show_playing(self, speaker: str, seconds: float | None) -> None:
        """Mark the place that is playing, and whose preview it is; "" and None for neither."""
        self.lanes.show_now(seconds)
        if speaker != self._playing:
            self._playing = speaker
            self._retint()

    def _make_rows(self, shown: Sequence[Speaker]) -> None:
        """A row for each of these speakers, in the place of those that are there."""
        focused = next((key for key, name in self.names.items() if name.hasFocus()), "")
        for key in self.names:
            for widget in self._row(key):
                self._grid.removeWidget(widget)
                widget.hide()
                widget.deleteLater()
        self._grid.removeWidget(self.lanes)
        for row in range(len(self.names)):
            self._grid.setRowMinimumHeight(row, 0)
        self.names, self.previews, self._figures = {}, {}, {}
        for row, speaker in enumerate(shown):
            self._make_row(row, speaker.id)
        self._grid.addWidget(self.lanes, 0, 2, max(len(shown), 1), 1, Qt.AlignmentFlag.AlignTop)
        self._scroll.setFixedHeight(min(len(shown), _MOST) * ROW)
        if focused in self.names:
            self.names[focused].setFocus()

    def _make_row(self, row: int, speaker: str) -> None:
        self.names[speaker] = name = button("", "speaker", partial(self._ask, speaker))
        name.setIconSize(QSize(BADGE + 2, BADGE + 2))
        self.previews[speaker] = icon_button("", partial(self.preview_asked.emit, speaker), 16)
        self._figures[speaker] = figures = label("", "share"), label("", "share")
        for figure in figures:
            figure.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        for place, widget in zip((0, 1, 3, 4), self._row(speaker), strict=True):  # the lanes stand in 2
            self._grid.addWidget(widget, row, place)
        self._grid.setRowMinimumHeight(row, ROW)

    def _row(self, speaker: str) -> tuple[QWidget, ...]:
        return self.names[speaker], self.previews[speaker], *self._figures[speaker]

    def _show_speaker(self, row: int, speaker: Speaker, share: float, seconds: float) -> None:
        name, preview, (part, spoken) = self.names[speaker.id], self.previews[speaker.id], self._figures[speaker.id]
        shown = name.fontMetrics().elidedText(speaker.name, Qt.TextElideMode.ElideRight, _LONGEST)
        name.setText(shown.replace("&", "&&"))
        tip = _("Rename or merge {name}", name=speaker.name)
        name.setAccessibleName(tip)
        keys = QKeySequence(f"Alt+{row + 1}").toString(QKeySequence.SequenceFormat.NativeText)
        explain(name, tip, _("{keys} assigns lines to this speaker.", keys=keys) if row < 9 else "")
        preview.setEnabled(seconds > 0)
        preview.setToolTip(wrapped(_sample(speaker)))
        part.setText(percent(share))
        part.setAccessibleName(_("{name}: {share} of the speech", name=speaker.name, share=percent(share)))
        spoken.setText(span(seconds) if seconds else "–")
        spoken.setAccessibleName(f"{speaker.name}: {span(seconds) if seconds else _('no speech')}")

    def _ask(self, speaker: str) -> None:
        name = self.names[speaker]
        self.speaker_asked.emit(speaker, QRect(name.mapToGlobal(name.rect().topLeft()), name.size()))

    def _retint(self) -> None:
        colors = self._theme.palette
        if self._shown is None:
            return
        for speaker in self._shown.speakers:
            if speaker.id in self.names:
                look, playing = look_of(speaker.id), speaker.id == self._playing
                self.names[speaker.id].setIcon(badge_icon(look, initial(speaker.name), colors))
                preview = self.previews[speaker.id]
                preview.setIcon(icons.icon("stop" if playing else "play", colors.accent if playing else colors.muted))
                stop = _("Stop the sample of {name}", name=speaker.name)
                preview.setAccessibleName(stop if playing else _sample(speaker))
        self.lanes.retint([QColor(look_of(each.id).ink(colors)) for each in self._shown.speakers])

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self._retint()
        super().changeEvent(event)


def _sample(speaker: Speaker) -> str:
    return _("Play a sample of {name}", name=speaker.name)
