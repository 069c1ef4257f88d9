"""The quiet suggestion to find the speakers of a conversation."""

from __future__ import annotations

from PySide6.QtCore import QObject

from desktop_app.messages.options import OFF
from desktop_app.texts import _
from desktop_app.ui.context import Context
from desktop_app.ui.transcript.page import TranscriptPage
from desktop_app.ui.widgets.banner import NEUTRAL, Banner


class ConversationHint(QObject):
    """Attributes: banner; identify, never (its buttons)."""

    def __init__(self, page: TranscriptPage, context: Context) -> None:
        super().__init__(page)
        core = context.core
        self._current, self._session, self._preferences = context.current, core.session, core.preferences
        self._conversations, self._versions = core.conversations, core.checks.versions
        self.banner = Banner(context.theme, NEUTRAL, "speakers")
        self.identify = self.banner.add_button(_("Identify speakers"), "link")
        self.identify.clicked.connect(self._identify)
        self.never = self.banner.add_button(_("Don't suggest this again"), "link")
        self.never.clicked.connect(self._never)
        page.put_bars(self.banner)
        self._current.changed.connect(self._show)
        for signal in (
            self._session.changed,
            self._session.revised,
            self._versions.changed,
            self._conversations.noticed,
        ):
            signal.connect(lambda key: self._show())
        self._show()

    def _show(self) -> None:
        entry = self._current.entry
        if entry is not None:
            self._conversations.look(entry)
        is_shown = entry is not None and self._conversations.is_noticed(entry) and not self._is_being_done(entry.id)
        self.banner.say(_("Several people seem to speak in this recording.") if is_shown else "")

    def _is_being_done(self, key: str) -> bool:
        return key in self._versions.finding or key in self._versions.problems

    def _identify(self) -> None:
        self._versions.find_speakers(self._current.key, "auto")

    def _never(self) -> None:
        self._preferences.conversations = OFF
        self._show()
