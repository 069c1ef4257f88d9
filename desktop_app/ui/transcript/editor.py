"""Typing in a transcript: what the view asks for is edited, and the view shows what became of it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMenu

from desktop_app.texts import _, ngettext
from desktop_app.transcript.speakers import Place
from desktop_app.ui.context import Context
from desktop_app.ui.transcript.finder import Hit
from desktop_app.ui.transcript.marks import next_doubtful
from desktop_app.ui.transcript.page import TranscriptPage
from desktop_app.ui.transcript.text_line import shown_text


class TextEditor(QObject):
    """Signals: told(sentence) when something was done, or cannot be."""

    told = Signal(str)

    def __init__(self, page: TranscriptPage, context: Context) -> None:
        super().__init__(page)
        self._page, self._view = page, page.view
        actions, current = self._actions, self._current = context.actions, context.current
        session, edits, preferences = context.core.session, context.core.edits, context.core.preferences
        self._edits, self._preferences = edits, preferences
        actions["doubtful"].setChecked(preferences.text("doubtful") == "shown")
        actions["doubtful"].triggered.connect(self._toggle_doubtful)
        actions.on(next_doubtful=self.show_next_doubtful, replace=page.open_replace)
        self._view.show_doubtful(actions["doubtful"].isChecked())
        self._view.edit_asked.connect(self.replace)
        self._view.menu_asked.connect(self._fill_menu)
        page.find_bar.replace_asked.connect(self._replace_hit)
        page.find_bar.replace_all_asked.connect(self._replace_hits)
        edits.placed.connect(self._place)
        edits.replaced.connect(self._say_replaced)
        current.changed.connect(self._turn)
        for signal in (session.changed, session.text_changed, session.revised):
            signal.connect(self._refresh)
        self._turn()

    def replace(self, begin: Place, end: Place, text: str) -> bool:
        """Put a text in the place of a stretch of what is shown; whether that changes anything."""
        return self._edits.replace(self._current.key, self._in_segment(begin), self._in_segment(end), text)

    def _replace_hit(self, text: str) -> None:
        """Replace the hit that is looked at, and go to the next one."""
        hit = self._view.finder.hit
        if hit is not None:
            changed = self.replace((hit[0], hit[1]), (hit[0], hit[2]), text)
            self._page.find_from(self._view.selection.caret if changed else (hit[0], hit[2]))

    def _replace_hits(self, text: str) -> None:
        hits = [self._in_line(hit) for hit in self._view.finder.hits]
        if hits:
            self._edits.replace_all(self._current.key, hits, text)

    def _say_replaced(self, key: str, count: int) -> None:
        keys = self._actions["undo"].keys
        self.told.emit(
            ngettext(
                "{n} place replaced. Press {keys} to undo.",
                "{n} places replaced. Press {keys} to undo.",
                count,
                keys=keys,
            )
        )

    def _in_segment(self, place: Place) -> Place:
        """A place in the view as one in the segments: a line may begin with a space that is not shown."""
        return place[0], place[1] + self._hidden(place[0])

    def _in_line(self, hit: Hit) -> Hit:
        hidden = self._hidden(hit[0])
        return hit[0], hit[1] + hidden, hit[2] + hidden

    def _hidden(self, line: int) -> int:
        entry = self._current.entry
        if entry is None or line >= len(entry.segments):
            return 0
        return len(entry.segments[line].text) - len(shown_text(entry.segments[line]))

    def _place(self, key: str, place: Place) -> None:
        if key == self._current.key:
            self._view.place_caret((place[0], max(place[1] - self._hidden(place[0]), 0)))

    # Doubtful words.

    def show_next_doubtful(self) -> None:
        """Select the next word that the target was not sure of, so that typing replaces it."""
        if not self._view.shows_doubtful:
            self._actions["doubtful"].trigger()
        found = next_doubtful(self._view.flow.lines[: self._view.flow.settled], self._view.selection.range[1])
        if found is None:
            self.told.emit(_("No doubtful words in this text"))
        else:
            self._view.setFocus()
            self._view.select(*found)

    def _toggle_doubtful(self, is_shown: bool) -> None:
        self._preferences.set("doubtful", "shown" if is_shown else "hidden")
        self._view.show_doubtful(is_shown)

    def _fill_menu(self, menu: QMenu) -> None:
        menu.addSeparator()
        menu.addAction(self._actions["doubtful"])
        menu.addAction(self._actions["next_doubtful"])

    # Which text.

    def _turn(self) -> None:
        self._edits.save()
        self._refresh(self._current.key)

    def _refresh(self, key: str) -> None:
        if key == self._current.key:
            editable = self._edits.may_edit(key)
            if editable != self._view.is_editable:
                self._view.set_editable(editable)
            if not editable:
                self._page.find_bar.replacing.hide()
