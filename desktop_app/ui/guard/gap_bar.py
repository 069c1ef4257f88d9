"""The line over a text in which somebody may speak where nothing is written."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop_app.app.presentation import wording
from desktop_app.texts import _
from desktop_app.transcript.model import Span
from desktop_app.ui.widgets.banner import NOTICE, Banner
from desktop_app.ui.widgets.theme import Theme


class GapBar(Banner):
    """One stretch at a time; its buttons do what would be done with a line, if there were one.

    Attributes: play, again, following, dismiss (its buttons); span (the stretch that is shown, None for none).
    Signals: play_asked(span), again_asked(span), dismiss_asked(span).
    """

    play_asked = Signal(object)
    again_asked = Signal(object)
    dismiss_asked = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, NOTICE, "warning", parent)
        self._spans: Sequence[Span] = ()
        self.span: Span | None = None
        self.play = self.add_button(_("Play"))
        self.again = self.add_button(_("Transcribe again…"))
        self.following = self.add_button(_("Next"), "link")
        self.dismiss = self.add_button(_("Dismiss"), "link")
        self.play.clicked.connect(lambda: self.play_asked.emit(self.span))
        self.again.clicked.connect(lambda: self.again_asked.emit(self.span))
        self.following.clicked.connect(self._show_next)
        self.dismiss.clicked.connect(lambda: self.dismiss_asked.emit(self.span))

    def show_spans(self, spans: Sequence[Span]) -> None:
        """Show the stretches of a recording, the one that was shown first, where it is still there; none hides it."""
        at = self._spans.index(self.span) if self.span in self._spans else 0
        if self.span not in spans:
            self.span = spans[min(at, len(spans) - 1)] if spans else None
        self._spans = spans
        self._show()

    def show_playing(self, playing: bool) -> None:
        """Whether the stretch is heard now."""
        self.play.setText(_("Stop") if playing else _("Play"))

    def _show_next(self) -> None:
        if self.span is not None:
            self.span = self._spans[(self._spans.index(self.span) + 1) % len(self._spans)]
            self._show()

    def _show(self) -> None:
        self.following.setVisible(len(self._spans) > 1)
        place = wording.stretch(*self.span) if self.span is not None else ""
        self.say(_("Possibly speech without text: {place}", place=place) if place else "")
