"""Speakers in the window: what the user asks for by menu, key or click, and what is shown of it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, QRect, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from desktop_app.app.editing.edits import NEW
from desktop_app.app.recordings.entry import IN_WORK, Entry
from desktop_app.texts import _
from desktop_app.transcript import speakers
from desktop_app.transcript.speakers import Place
from desktop_app.ui.context import Context
from desktop_app.ui.player.playback import Playback
from desktop_app.ui.speakers.card import SpeakerCard, merge_menu
from desktop_app.ui.speakers.strip import SpeakerStrip
from desktop_app.ui.transcript.page import TranscriptPage
from desktop_app.ui.widgets import icons
from desktop_app.ui.widgets.speaker_badge import badge_icon, initial, look_of

_SHORTCUTS = 9  # of speakers
_BESIDE_EACH_OTHER = 6  # more speakers than these have a menu of their own


class SpeakerController(QObject):
    """Attributes: strip (the lanes over the text), card (of the speaker that was asked for last, or None).

    Signals: told(sentence) when something was done.
    """

    told = Signal(str)

    def __init__(self, page: TranscriptPage, context: Context, playback: Playback) -> None:
        super().__init__(page)
        self._page, self._view, self._header, self._playback = page, page.view, page.header, playback
        self._theme, self._actions, self._current = context.theme, context.actions, context.current
        core = context.core
        self._session, self._edits, self._preferences = core.session, core.edits, core.preferences
        self.card: SpeakerCard | None = None
        self.strip = SpeakerStrip(self._theme)
        page.put_last(self.strip)
        self._connect()
        self._place()

    def _connect(self) -> None:
        actions = self._actions
        actions.on(undo=self.undo, redo=self.redo, split=self.split)
        self._view.addAction(actions["split"])
        for number in range(_SHORTCUTS):
            actions.on(**{f"speaker_{number + 1}": partial(self.assign_number, number)})
            self._view.addAction(actions[f"speaker_{number + 1}"])
        shown = self._preferences.text("speakers_shown") != "no"
        actions["speakers"].setChecked(shown)
        actions["speakers"].triggered.connect(self._toggle_strip)
        self._current.changed.connect(self._place)
        self._view.menu_asked.connect(self.fill_menu)
        self._view.speaker_asked.connect(self.open_card)
        self.strip.speaker_asked.connect(self.open_card)
        self.strip.preview_asked.connect(self.toggle_preview)
        self._session.revised.connect(self._revised)
        self._session.changed.connect(self._refresh)
        self._session.text_changed.connect(self._refresh)
        self._edits.kept.connect(self._say_kept)
        self._playback.changed.connect(self._show_playing)
        self._playback.moved.connect(self._show_playing)

    # Corrections.

    def assign_number(self, number: int) -> None:
        """Give the lines that are chosen to the speaker in that place; to a new one just behind the last."""
        entry = self._current.entry
        if entry is not None and number < len(entry.speakers):
            self.assign(entry.speakers[number].id)
        elif entry is not None and number == len(entry.speakers):
            self.assign(NEW)

    def assign(self, speaker: str | None) -> None:
        """Give the line of the caret to a speaker, or what is selected, down to the word."""
        first, last = self._chosen()
        if first == last:
            self._edits.reassign(self._current.key, [first[0]], speaker)
        else:
            self._edits.reassign_selection(self._current.key, first, last, speaker)

    def split(self) -> None:
        """Split the line at the caret."""
        place = self._chosen()[1]
        if not self._edits.split(self._current.key, *place) and self._edits.may_edit(self._current.key):
            self.told.emit(_("Place the caret between two words to split the line."))

    def undo(self) -> None:
        """Take the last correction back."""
        step = self._edits.undo(self._current.key)
        self.told.emit(_("Undone: {edit}", edit=_(step.name)) if step else _("Nothing to undo"))

    def redo(self) -> None:
        """Make the correction again that was taken back."""
        step = self._edits.redo(self._current.key)
        self.told.emit(_("Redone: {edit}", edit=_(step.name)) if step else _("Nothing to redo"))

    def _say_kept(self, key: str) -> None:
        entry = self._session.entries[key]
        self.told.emit(
            _(
                "Your speaker corrections were kept in {name}. Press {keys} to undo.",
                name=entry.name,
                keys=self._actions["undo"].keys,
            )
        )

    def merge(self, speaker: str, into: str) -> None:
        """Two speakers are one."""
        entry = self._current.entry
        if entry is not None and self._edits.merge(entry.id, speaker, into):
            name, keys = speakers.name_of(entry.shown(), into), self._actions["undo"].keys
            self.told.emit(_("Merged with {name}. Press {keys} to undo.", name=name, keys=keys))

    def _chosen(self) -> tuple[Place, Place]:
        """What is chosen in the text, as places in segments: a line may begin with a space that is not shown."""
        entry = self._current.entry
        segments = entry.segments if entry is not None else []

        def place(line: int, at: int) -> Place:
            text = segments[line].text if line < len(segments) else ""
            return line, at + len(text) - len(text.lstrip())

        first, last = self._view.selection.range
        return place(*first), place(*last)

    # The menu and the card.

    def fill_menu(self, menu: QMenu) -> None:
        """What can be done about the speakers of the lines that are chosen."""
        entry = self._current.entry
        if entry is None or not self._edits.may_edit(entry.id):
            return
        menu.addSeparator()
        self._add_speakers(menu, entry)
        menu.addSeparator()
        menu.addAction(self._actions["split"])
        line = self._view.selection.range[1][0]
        speaker = entry.segments[line].speaker if line < len(entry.segments) else None
        found = speakers.find(entry.shown(), speaker)
        if found is not None:
            name = _plain(found.name)
            menu.addAction(_("Rename {name}…", name=name), partial(self._view.ask_speaker, line))
            others = [each for each in entry.shown().speakers if each.id != found.id]
            if others:
                merging = merge_menu(self._theme, others, partial(self.merge, found.id), menu)
                merging.setTitle(_("Merge {name} with", name=name))
                menu.addMenu(merging)
        menu.addSeparator()
        undo, redo = self._edits.next_undo(entry.id), self._edits.next_redo(entry.id)
        self._actions.item(menu, "undo", self.undo, undo and _("Undo {edit}", edit=_(undo))).setEnabled(bool(undo))
        self._actions.item(menu, "redo", self.redo, redo and _("Redo {edit}", edit=_(redo))).setEnabled(bool(redo))
        menu.addSeparator()

    def _add_speakers(self, menu: QMenu, entry: Entry) -> None:
        place = menu if len(entry.speakers) <= _BESIDE_EACH_OTHER else menu.addMenu(_("Assign to"))
        chosen = self._speakers_chosen(entry)
        for number, speaker in enumerate(entry.shown().speakers):
            action = self._add_speaker(place, number, _("Assign to {name}", name=_plain(speaker.name)), speaker.id)
            action.setIcon(badge_icon(look_of(speaker.id), initial(speaker.name), self._theme.palette))
            action.setEnabled(chosen != {speaker.id})
        number = len(entry.speakers)
        self._add_speaker(place, number, _("Assign to a new speaker"), NEW).setIcon(
            icons.icon("plus", self._theme.palette.muted)
        )
        if chosen - {None}:
            place.addAction(_("Assign to unknown speaker"), partial(self.assign, None))

    def _add_speaker(self, menu: QMenu, number: int, label: str, speaker: str) -> QAction:
        assign = partial(self.assign, speaker)
        if number < _SHORTCUTS:
            return self._actions.item(menu, f"speaker_{number + 1}", assign, label)
        return menu.addAction(label, assign)

    def _speakers_chosen(self, entry: Entry) -> set[str | None]:
        first, last = self._view.selection.range
        return {segment.speaker for segment in entry.segments[first[0] : last[0] + 1]}

    def open_card(self, speaker: str, beside: QRect) -> None:
        """Show the card of a speaker beside a name."""
        entry = self._current.entry
        found = speakers.find(entry.shown(), speaker) if entry is not None else None
        if entry is None or found is None or not self._edits.may_rename(entry.id):
            return
        if self.card is not None:
            self.card.close()
        is_whole = self._edits.may_edit(entry.id)
        card = self.card = SpeakerCard(self._theme, entry.shown(), found, self._page.window(), is_whole)
        card.renamed.connect(partial(self._edits.rename, entry.id, speaker))
        card.merged.connect(partial(self.merge, speaker))
        card.preview_asked.connect(partial(self.toggle_preview, speaker))
        card.closed.connect(self._forget_card)
        card.open_beside(beside)

    def _forget_card(self) -> None:
        self.card = None

    # Hearing.

    def toggle_preview(self, speaker: str) -> None:
        """Play a sample of a speaker, or stop that."""
        entry = self._current.entry
        if entry is None:
            return
        if self._playback.key == entry.id and self._playback.purpose == speaker:
            self._playback.stop()
            return
        found = speakers.preview(entry.transcript(), speaker)
        if found is not None:
            self._playback.play(entry.id, entry.path, *found, purpose=speaker)

    # What is shown.

    def _place(self) -> None:
        """Show the speakers of the recording that is looked at."""
        self._refresh(self._current.key)
        self._show_playing()

    def _refresh(self, key: str) -> None:
        if key != self._current.key:
            return
        entry = self._current.entry
        known = entry is not None and bool(entry.speakers) and (entry.state not in IN_WORK or entry.live is not None)
        self._header.set_speakers(known)
        self.strip.setVisible(known and self._actions["speakers"].isChecked())
        if entry is not None and self.strip.isVisibleTo(self._page):
            self.strip.show_transcript(entry.shown(), entry.state not in IN_WORK)

    def _revised(self, key: str) -> None:
        if key == self._current.key:
            self._page.show_revised()
            self._refresh(key)
            self._show_playing()

    def _toggle_strip(self, shown: bool) -> None:
        self._preferences.set("speakers_shown", "yes" if shown else "no")
        self._refresh(self._current.key)

    def _show_playing(self) -> None:
        here = bool(self._playback.key) and self._playback.key == self._current.key
        seconds = self._playback.seconds if here else None
        purpose = self._playback.purpose if here else ""
        self.strip.show_playing(purpose, seconds)
        if self.card is not None:
            self.card.show_playing(bool(purpose))


def _plain(name: str) -> str:
    """A name in a menu, where an ampersand would mark a key."""
    return name.replace("&", "&&")
