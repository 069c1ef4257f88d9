"""What can be done with the whole queue, over the list of recordings."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from desktop_app.app.session import Session
from desktop_app.texts import _, ngettext
from desktop_app.ui.widgets.buttons import button
from desktop_app.ui.widgets.labels import label
from desktop_app.ui.widgets.layouts import row
from desktop_app.ui.widgets.theme import S1, S3


class QueueBar(QWidget):
    """How many files are in the queue, pause and cancel; shown while there are any. Attributes: pause, cancel."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._count = label("", "quiet")
        self.pause = button("", "link", self._toggle)
        self.cancel = button(_("Cancel all"), "link", session.cancel_all)
        row((self._count, 1), self.pause, self.cancel, inside=self, spacing=S1, margins=(S3, 0, 0, 0))
        for signal in (session.added, session.removed, session.changed):
            signal.connect(lambda key: self._show())
        for plain in (session.reloaded, session.queued):
            plain.connect(self._show)
        self._show()

    def _toggle(self) -> None:
        if self._session.queue.paused:
            self._session.resume()
        else:
            self._session.pause()

    def _show(self) -> None:
        count, paused = len(self._session.files_in_work), self._session.queue.paused
        self.setVisible(count > 0 or paused)
        self._count.setText(ngettext("{n} file", "{n} files", count))
        self.pause.setText(_("Resume") if paused else _("Pause"))
        self.pause.setAccessibleName(_("Resume the queue") if paused else _("Pause the queue"))
        self.cancel.setAccessibleName(_("Cancel all files of the queue"))
        self.cancel.setVisible(count > 1)
