"""Title, tags and notes of recordings."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QCompleter, QDialog, QLineEdit, QPlainTextEdit, QWidget

from desktop_app import NAME
from desktop_app.app.recordings.entry import Entry
from desktop_app.app.recordings.session import Session
from desktop_app.texts import _, ngettext
from desktop_app.ui.widgets.buttons import button
from desktop_app.ui.widgets.labels import field, label
from desktop_app.ui.widgets.layouts import STRETCH, Item, column, row
from desktop_app.ui.widgets.sheet import quiet
from desktop_app.ui.widgets.theme import S1, S2, S5

_WIDTH = 460


class Details(QDialog):
    """What the user keeps about one recording, or the tags that several have in common.

    Attributes: title, notes (None for several), tags (fields); save (the button that keeps them).
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
        self.save = button(_("Save"), "primary", self.accept)
        self.save.setDefault(True)
        cancel = button(_("Cancel"), "plain", self.reject)
        parts += [S2, row(STRETCH, cancel, self.save, spacing=S2)]
        column(*parts, inside=self, spacing=S1, margins=(S5, S5, S5, S5))
        self.accepted.connect(self._keep)

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
