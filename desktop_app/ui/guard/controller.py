"""The guard's reports in the window: one quiet line for what it removed, and one for speech without text."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from desktop_app.app.recordings.entry import IN_WORK
from desktop_app.texts import _, ngettext
from desktop_app.transcript.guarded import missed, removed
from desktop_app.transcript.model import GuardReport, Span
from desktop_app.ui.context import Context
from desktop_app.ui.guard.gap_bar import GapBar
from desktop_app.ui.guard.removed_dialog import RemovedDialog
from desktop_app.ui.player.controller import PlayerController
from desktop_app.ui.transcript.page import TranscriptPage
from desktop_app.ui.widgets.banner import NEUTRAL, Banner


class GuardController(QObject):
    """Attributes: gaps (the line for speech without text); removed (that for removed text).

    Signals: redo_asked(span) when a stretch without text is to be transcribed again.
    """

    redo_asked = Signal(object)

    def __init__(self, page: TranscriptPage, context: Context, player: PlayerController) -> None:
        super().__init__(page)
        self._page, self._player, self._current = page, player, context.current
        self._session, self._edits = context.core.session, context.core.edits
        self._dialog: RemovedDialog | None = None
        self.gaps = GapBar(context.theme)
        self.removed = Banner(context.theme, NEUTRAL, "check")
        self.removed.add_button(_("Show…"), "link").clicked.connect(self.open_removed)
        page.put_bars(self.gaps, self.removed)
        self.gaps.play_asked.connect(self._play)
        self.gaps.again_asked.connect(self.redo_asked)
        self.gaps.dismiss_asked.connect(lambda span: self._edits.dismiss(self._current.key, span))
        self._current.changed.connect(self._show)
        player.previewed.connect(self._show_playing)
        for signal in (self._session.changed, self._session.text_changed, self._session.revised):
            signal.connect(self._follow)

    def open_removed(self) -> None:
        """Show what was removed, and let it be brought back."""
        key, reports = self._current.key, self._removed()
        if reports:
            self._dialog = RemovedDialog(
                reports,
                lambda report: self._play((report.start, report.end)),
                lambda report: self._edits.bring_back(key, report),
                self._page.window(),
            )
            self._dialog.exec()
            self._dialog = None

    def _play(self, span: Span) -> None:
        self._player.toggle_preview(span)

    def _removed(self) -> list[GuardReport]:
        entry = self._current.entry
        return removed(entry.guarded) if entry is not None and entry.state not in IN_WORK else []

    def _follow(self, key: str) -> None:
        if key == self._current.key:
            self._show()

    def _show(self) -> None:
        entry, reports = self._current.entry, self._removed()
        at_rest = entry is not None and entry.state not in IN_WORK
        self.gaps.show_spans(missed(entry.guarded) if entry is not None and at_rest else [])
        count = len(reports)
        text = ngettext(
            "Hallucinated text was removed in {n} place.", "Hallucinated text was removed in {n} places.", count
        )
        self.removed.say(text if count else "")
        self._show_playing()
        if self._dialog is not None:
            self._dialog.show_reports(reports)

    def _show_playing(self) -> None:
        self.gaps.play.setEnabled(self._player.can_play)
        self.gaps.show_playing(self.gaps.span is not None and self._player.is_previewing(self.gaps.span))
