"""How far the recording on the page is, and the way to stop it."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from desktop_app.app.recordings.entry import Entry
from desktop_app.texts import _, ngettext
from desktop_app.ui.widgets.actions import Actions
from desktop_app.ui.widgets.elided import ElidedLabel
from desktop_app.ui.widgets.labels import label
from desktop_app.ui.widgets.layouts import column, row
from desktop_app.ui.widgets.meters import Bar
from desktop_app.ui.widgets.theme import S1, S2, Theme


class ProgressStrip(QWidget):
    """Attributes: bar, words, queue, cancel (its parts)."""

    def __init__(self, theme: Theme, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bar = Bar(theme, _("Progress"), height=4)
        self.words, self.queue = ElidedLabel("quiet"), label("", "quiet")
        self.cancel = actions.button("cancel", "link")
        state = row((self.words, 1), self.queue, self.cancel, spacing=S2)
        column(self.bar, state, inside=self, spacing=S1)

    def show_entry(self, entry: Entry, queue: list[Entry]) -> None:
        """The state of a recording in work, and its place in the queue."""
        self.bar.set_value(entry.progress)
        self.words.setText(entry.progress_words())
        self.words.setAccessibleName(_("Progress: {state}", state=entry.progress_words()))
        places = [waiting.id for waiting in queue]
        before = places.index(entry.id) if entry.id in places else 0
        behind = len(places) - before - 1
        if before:
            self.queue.setText(ngettext("{n} ahead in the queue", "{n} ahead in the queue", before))
        else:
            self.queue.setText(ngettext("{n} more queued", "{n} more queued", behind) if behind else "")
