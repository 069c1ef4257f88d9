"""The card of a speaker: the name for the whole recording, a sample of the voice, and who it is merged with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QGraphicsDropShadowEffect,
    QLabel,
    QMenu,
    QWidget,
)
from shiboken6 import isValid

from desktop_app.app.presentation.wording import percent, span
from desktop_app.texts import N_, _, ngettext
from desktop_app.transcript import speakers
from desktop_app.transcript.model import Speaker, Transcript
from desktop_app.ui.widgets import icons
from desktop_app.ui.widgets.buttons import button
from desktop_app.ui.widgets.labels import field, label
from desktop_app.ui.widgets.layouts import STRETCH, column, row
from desktop_app.ui.widgets.menus import MenuButton
from desktop_app.ui.widgets.sheet import quiet
from desktop_app.ui.widgets.speaker_badge import BADGE, badge, badge_icon, initial, look_of
from desktop_app.ui.widgets.theme import S1, S2, S3, S4, S5, Theme

_WIDTH = 304
_RENAMES = N_("Press Enter to rename in the whole recording.")


class SpeakerCard(QFrame):
    """Stands over the window until Enter or Escape, or until something else is clicked. Only Escape forgets the name.
    While a recording is made there is only the name.

    Attributes: field (the name), preview, merge (buttons), merge_menu, veil (what covers the rest of the window).
    Signals: renamed(name); merged(id of the other, who keeps the name); preview_asked(); closed().
    """

    renamed = Signal(str)
    merged = Signal(str)
    preview_asked = Signal()
    closed = Signal()

    def __init__(
        self, theme: Theme, transcript: Transcript, speaker: Speaker, parent: QWidget, is_whole: bool = True
    ) -> None:
        self.veil = _Veil(parent)
        super().__init__(self.veil)
        self.veil.clicked.connect(self.close)
        self.setObjectName("popover")
        self._back_to = QApplication.focusWidget()
        shadow = QGraphicsDropShadowEffect(self, blurRadius=S5, xOffset=0, yOffset=S1)
        shadow.setColor(theme.palette.color("shadow"))
        self.setGraphicsEffect(shadow)
        self.setAccessibleName(_("Speaker: {name}", name=speaker.name))
        self._theme, self._speaker = theme, speaker
        self._others = [each for each in transcript.speakers if each.id != speaker.id and is_whole]
        self._forgotten = self._is_closed = False
        self.field = field(_("Name of the speaker"), text=speaker.name)
        self.field.setProperty("role", "name")
        self.field.setMaxLength(speakers.LONGEST_NAME)
        self.field.returnPressed.connect(self.close)
        self.field.textChanged.connect(self._show_hint)
        self._hint = quiet(_(_RENAMES))
        self.preview = button(_("Play a sample"), "plain", self.preview_asked.emit)
        self.merge_menu = merge_menu(theme, self._others, self._merge, self)
        self.merge = MenuButton(theme, lambda: self.merge_menu, _("Merge with"))
        self._lay_out(transcript)
        self.merge.setVisible(bool(self._others))
        self.preview.setVisible(is_whole)
        self.setFixedWidth(max(_WIDTH, self._box.minimumSize().width()))
        self.field.selectAll()

    def _lay_out(self, transcript: Transcript) -> None:
        colors = self._theme.palette
        mark = QLabel()
        mark.setPixmap(badge(look_of(self._speaker.id), initial(self._speaker.name), colors, self.devicePixelRatioF()))
        mark.setFixedSize(QSize(BADGE + 2, BADGE + 2))
        self.show_playing(False)
        turns = speakers.turns_of(transcript, self._speaker)
        spoken = sum(end - begin for begin, end in turns)
        self.preview.setEnabled(spoken > 0)
        share = label(_share(speakers.shares(transcript)[self._speaker.id], spoken, len(turns)), "strong")
        name = row(mark, (self.field, 1), spacing=S2)
        buttons = row(self.preview, self.merge, STRETCH, spacing=S2)
        self._box = column(name, S1 + 2, self._hint, S3, share, S3, buttons, inside=self, margins=(S4, S4, S4, S4))

    def show_playing(self, playing: bool) -> None:
        """Whether the preview is playing: then the button stops it."""
        self.preview.setText(_("Stop") if playing else _("Play a sample"))
        self.preview.setIcon(icons.icon("stop" if playing else "play", self._theme.palette.muted))

    def open_beside(self, place: QRect) -> None:
        """Show it under a place on the screen, or over it where there is no room."""
        self.adjustSize()
        corner = self.veil.mapFromGlobal(place.topLeft())
        left = min(max(corner.x(), S2), self.veil.width() - self.width() - S2)
        top = corner.y() + place.height() + S1
        if top + self.height() > self.veil.height():
            top = max(corner.y() - S1 - self.height(), 0)
        self.move(left, top)
        self.veil.show()
        self.veil.raise_()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Tab stays on the card."""
        stops = [stop for stop in (self.field, self.preview, self.merge) if stop.isVisible() and stop.isEnabled()]
        at = next((place for place, stop in enumerate(stops) if stop.hasFocus()), 0)
        stops[(at + (1 if forward else -1)) % len(stops)].setFocus(Qt.FocusReason.TabFocusReason)
        return True

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            event.setAccepted(event.key() == Qt.Key.Key_Escape)  # here it is no key of the window's
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._forgotten = True
            self.close()
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        if self._is_closed:
            return
        self._is_closed = True
        if not self._forgotten:
            self._take_name()
        self.closed.emit()
        if self._back_to is not None and isValid(self._back_to) and self._back_to.isVisible():
            self._back_to.setFocus()
        self.veil.hide()
        self.veil.deleteLater()

    def _take_name(self) -> None:
        name, twin = self.field.text().strip(), self._twin()
        if twin is not None:
            self.merged.emit(twin.id)
        elif name and name != self._speaker.name:
            self.renamed.emit(name)

    def _twin(self) -> Speaker | None:
        """Another speaker who has the name in the field already."""
        name = " ".join(self.field.text().split()).casefold()
        if name == self._speaker.name.casefold():
            return None
        return next((other for other in self._others if other.name.casefold() == name), None)

    def _show_hint(self) -> None:
        self._hint.setText(_("Name in use; press Enter to merge.") if self._twin() else _(_RENAMES))
        self._box.activate()
        self.adjustSize()

    def _merge(self, into: str) -> None:
        self._forgotten = True
        self.merged.emit(into)
        self.close()


class _Veil(QWidget):
    """Covers a window, and cannot be seen. Signals: clicked()."""

    clicked = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setGeometry(window.rect())
        self.hide()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.clicked.emit()


def merge_menu(theme: Theme, others: Sequence[Speaker], then: Callable[[str], object], parent: QWidget) -> QMenu:
    """The speakers that somebody can be merged into; `then` gets the id."""
    menu = QMenu(_("Merge with"), parent)
    for other in others:
        icon = badge_icon(look_of(other.id), initial(other.name), theme.palette)
        menu.addAction(icon, other.name.replace("&", "&&"), partial(then, other.id))
    return menu


def _share(share: float, seconds: float, turns: int) -> str:
    if not seconds:
        return _("No speech")
    return ngettext(
        "{share} of the speech · {time} · {n} turn",
        "{share} of the speech · {time} · {n} turns",
        turns,
        share=percent(share),
        time=span(seconds),
    )
