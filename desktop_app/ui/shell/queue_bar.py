"""What can be done with the whole queue, over the list of recordings."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from desktop_app.app.recordings.session import Session
from desktop_app.texts import _, ngettext
from desktop_app.ui.widgets.buttons import icon_button, set_icon
from desktop_app.ui.widgets.labels import label
from desktop_app.ui.widgets.layouts import row
from desktop_app.ui.widgets.theme import S1, S3, Theme


class QueueBar(QWidget):
    """How many files are in the queue, pause and cancel; shown while there are any. Attributes: pause, resume,
    cancel."""

    def __init__(self, theme: Theme, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._count = label("", "quiet")
        self.pause = icon_button(_("Pause the queue"), session.queue.pause, 16)
        self.resume = icon_button(_("Resume the queue"), session.queue.resume, 16)
        self.cancel = icon_button(_("Cancel all files of the queue"), session.queue.cancel_all, 16)
        for control, icon in ((self.pause, "pause"), (self.resume, "play"), (self.cancel, "close")):
            set_icon(control, theme, icon)
        row((self._count, 1), self.pause, self.resume, self.cancel, inside=self, spacing=S1, margins=(S3, 0, 0, 0))
        for signal in (session.removed, session.changed):
            signal.connect(lambda key: self._show())
        for plain in (session.arrived, session.reloaded, session.queue.changed):
            plain.connect(self._show)
        self._show()

    def _show(self) -> None:
        count, paused = self._session.queue.count, self._session.queue.paused
        self.setVisible(count > 0 or paused)
        files = ngettext("{n} file", "{n} files", count)
        self._count.setText(f"{files} · {_('Paused')}" if paused else files)
        has_focus = self.pause.hasFocus() or self.resume.hasFocus()
        self.pause.setVisible(not paused)
        self.resume.setVisible(paused)
        if has_focus:
            (self.resume if paused else self.pause).setFocus()
        self.cancel.setVisible(count > 1)
