"""Title, tags and notes of recordings, and what is known of the file and the models of one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QCompleter, QDialog, QGridLayout, QLineEdit, QPlainTextEdit, QWidget
from shiboken6 import isValid

from desktop_app import NAME
from desktop_app.app.background import BackgroundThread
from desktop_app.app.presentation import wording
from desktop_app.app.recordings.entry import Entry
from desktop_app.app.recordings.session import Session
from desktop_app.texts import _, ngettext
from desktop_app.ui.widgets.buttons import button
from desktop_app.ui.widgets.elided import ElidedLabel
from desktop_app.ui.widgets.labels import NONE, field, label
from desktop_app.ui.widgets.layouts import STRETCH, Item, column, row
from desktop_app.ui.widgets.sheet import quiet
from desktop_app.ui.widgets.theme import S1, S2, S3, S4, S5

_WIDTH = 460


class Details(QDialog):
    """What the user keeps about one recording, or the tags that several have in common.

    Attributes: title, notes (None for several), tags (fields); path, file_size, models (labels, of one recording);
    save (the button that keeps them).
    """

    def __init__(self, parent: QWidget, session: Session, entries: Sequence[Entry]) -> None:
        super().__init__(parent)
        self._session, self._entries = session, entries
        one = entries[0] if len(entries) == 1 else None
        self.setWindowTitle(NAME)
        self.setFixedWidth(_WIDTH)
        self._common = [tag for tag in entries[0].tags if all(tag in entry.tags for entry in entries)]
        self.tags = field(_("Tags"), _("Words with commas between them"), ", ".join(self._common))
        self.tags.setCompleter(TagCompleter(session.tags, self.tags))
        self.title = field(_("Title"), one.own_name, one.title or one.own_name) if one else None
        self.notes = QPlainTextEdit(one.notes) if one else None
        count = ngettext("{n} recording", "{n} recordings", len(entries))
        parts: list[Item] = [quiet(_("Details") if one else count, "heading"), S1]
        if self.title is not None and self.notes is not None:
            parts += [label(_("Title"), "quiet"), self.title, S1]
            self.notes.setAccessibleName(_("Notes"))
            self.notes.setTabChangesFocus(True)
            self.notes.setMinimumHeight(120)
        parts += [label(_("Tags"), "quiet"), self.tags]
        if self.notes is not None:
            parts += [S1, label(_("Notes"), "quiet"), self.notes]
        self.path, self.file_size, self.models = ElidedLabel("value"), label(NONE, "value"), quiet(role="value")
        if one:
            parts += [S2, self._facts(one)]
        self.save = button(_("Save"), "primary", self.accept)
        self.save.setDefault(True)
        cancel = button(_("Cancel"), "plain", self.reject)
        parts += [S3, row(STRETCH, cancel, self.save, spacing=S2)]
        column(*parts, inside=self, spacing=S1, margins=(S5, S5, S5, S5))
        self.accepted.connect(self._keep)

    def _facts(self, entry: Entry) -> QGridLayout:
        """Where the file lies, how large and long it is, and which models wrote the text."""
        self.path.setText(entry.path)
        self.path.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        written = entry.models is not None and bool(entry.models.target)
        self.models.setText(wording.models_in_use(entry.models) if entry.models and written else NONE)
        grid = QGridLayout()
        grid.setHorizontalSpacing(S4)
        grid.setVerticalSpacing(S1)
        grid.setColumnStretch(1, 1)
        for place, (name, value) in enumerate(
            ((_("File"), self.path), (_("Size"), self.file_size), (_("Models"), self.models))
        ):
            grid.addWidget(label(name, "quiet"), place, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(value, place, 1)
        worker = BackgroundThread("details", self._session.worker.post)
        worker.do(partial(_size_of, entry.path), partial(self._show_size, entry.seconds))
        self.finished.connect(lambda result: worker.close(0.0))
        return grid

    def _show_size(self, seconds: float, count: int) -> None:
        if not isValid(self):  # it was closed before the disk answered
            return
        known = [wording.size(count) if count else "", wording.length(seconds) if seconds else ""]
        self.file_size.setText(" · ".join(filter(None, known)) or NONE)

    def _keep(self) -> None:
        wanted = tags_in(self.tags.text())
        if self.title is not None and self.notes is not None:
            (entry,) = self._entries
            title = " ".join(self.title.text().split())
            title = "" if title == entry.own_name else title
            self._session.describe(entry.id, title, wanted, self.notes.toPlainText().strip())
            return
        for entry in self._entries:
            others = [tag for tag in entry.tags if tag not in self._common]
            self._session.describe(entry.id, tags=tuple(dict.fromkeys((*others, *wanted))))


def _size_of(path: str) -> int:
    """The bytes of a file, 0 where there is none."""
    try:
        return Path(path).stat().st_size
    except OSError:
        return 0


class TagCompleter(QCompleter):
    """Offers known tags for the last word of a line of tags."""

    def __init__(self, known: Sequence[str], parent: QWidget) -> None:
        super().__init__(known, parent)
        self.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)

    def splitPath(self, path: str) -> list[str]:
        return [path.rpartition(",")[2].strip()]

    def pathFromIndex(self, index: QModelIndex | QPersistentModelIndex) -> str:
        before, comma, _last = self._line().rpartition(",")
        return f"{before}{comma}{' ' if comma else ''}{super().pathFromIndex(index)}"

    def _line(self) -> str:
        widget = self.widget()
        return widget.text() if isinstance(widget, QLineEdit) else ""


def tags_in(text: str) -> tuple[str, ...]:
    """The tags in a line, each once; commas and # signs part them."""
    words = (" ".join(part.split()) for part in text.replace("#", ",").split(","))
    return tuple(dict.fromkeys(word for word in words if word))
