"""What a reader corrects about speakers: every step can be undone, and is in the library at once."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from functools import partial

from desktop_app.app.entry import DONE, IN_WORK, Entry
from desktop_app.app.session import Session
from desktop_app.app.signals import Signal
from desktop_app.library.store import Library
from desktop_app.speakers.carried import carried, is_named
from desktop_app.texts import N_
from desktop_app.transcript import speakers
from desktop_app.transcript.model import Transcript
from desktop_app.transcript.speakers import Place

NEW = "new"
"""In the place of a speaker's id: a new speaker."""


@dataclass(frozen=True)
class Step:
    """One edit: its name (a message to be translated), and the transcript without it and with it."""

    name: str
    before: Transcript
    after: Transcript


@dataclass
class History:
    """Of one text: the steps that were taken and those that were taken back, both with the nearest one last, whether it
    was corrected before them, and what of them is not on the disk yet: a text, and whether it is a corrected one."""

    past: list[Step] = field(default_factory=list)
    future: list[Step] = field(default_factory=list)
    corrected: bool = False
    unsaved: tuple[Transcript, bool] | None = None

    def take(self, step: Step) -> None:
        """A new step; what was undone before it cannot come back."""
        self.past.append(step)
        self.future.clear()

    def undo(self) -> Step | None:
        """Take the last step back."""
        return _move(self.past, self.future)

    def redo(self) -> Step | None:
        """Take the next step again."""
        return _move(self.future, self.past)


class Edits:
    """Corrects the transcripts of a session. Each method says whether anything is different now.

    Lines are counted from 0. An edit of somebody or a line that is not there changes nothing, nor does one of a
    recording in work. A new text of a recording that was corrected gets the same corrections, as an edit; also when
    Galley was closed, or killed, while that text was written.

    Signals: changed(id); kept(id): corrections were carried into a new text.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.changed: Signal[str] = Signal()
        self.kept: Signal[str] = Signal()
        self._histories: dict[str, History] = {}
        self._corrected: dict[str, Transcript] = {}  # as far as they were corrected here; the library has all
        self._awaited: set[str] = set()  # whose corrected text went, until another one has come
        session.leaving.connect(self._remember)
        session.changed.connect(self._follow)
        session.replaced.connect(self._forget)
        session.removed.connect(self._forget)
        session.removed.connect(self._drop)

    # Corrections.

    def rename(self, key: str, speaker: str, name: str) -> bool:
        """The speaker has this name in the whole recording; an empty name changes nothing."""
        entry = self._entry(key)
        if entry is None or not name.strip() or speakers.find(entry.transcript(), speaker) is None:
            return False
        return self._take(entry, N_("rename"), speakers.rename(entry.transcript(), speaker, name))

    def merge(self, key: str, speaker: str, into: str) -> bool:
        """Two speakers are one, who has the name of `into`."""
        entry = self._entry(key)
        if entry is None or speaker == into or speakers.find(entry.transcript(), into) is None:
            return False
        return self._take(entry, N_("merge"), speakers.merge(entry.transcript(), [speaker], into))

    def reassign(self, key: str, lines: Collection[int], speaker: str | None) -> bool:
        """Assign lines to a speaker, to a NEW one, or to None, an unknown speaker."""
        return self._reassign(key, speaker, lambda text, who: speakers.reassign(text, lines, who))

    def reassign_selection(self, key: str, begin: Place, end: Place, speaker: str | None) -> bool:
        """The same for the text between two places, down to the word."""
        return self._reassign(key, speaker, lambda text, who: speakers.reassign_selection(text, begin, end, who))

    def _reassign(self, key: str, speaker: str | None, edit: Callable[[Transcript, str | None], Transcript]) -> bool:
        entry = self._entry(key)
        if entry is None:
            return False
        before = _transcript(entry)
        if speaker == NEW:
            before, speaker = speakers.add(before)
        elif speaker is not None and speakers.find(before, speaker) is None:
            return False
        return self._take(entry, N_("change of speaker"), edit(before, speaker))

    def split(self, key: str, line: int, caret: int) -> bool:
        """Split a line before the word that is nearest to the caret; at its ends there is nothing to split."""
        entry = self._entry(key)
        if entry is None:
            return False
        after = speakers.split(_transcript(entry), line, caret)
        return all(part.text for part in after.segments) and self._take(entry, N_("split"), after)

    # Back and forth.

    def undo(self, key: str) -> str:
        """Take the last edit back; its name, or ""."""
        step = self._histories.get(key, History()).undo() if self._entry(key) is not None else None
        return self._show(key, step.before, step) if step is not None else ""

    def redo(self, key: str) -> str:
        """Make the edit that was undone last; its name, or ""."""
        step = self._histories.get(key, History()).redo() if self._entry(key) is not None else None
        return self._show(key, step.after, step) if step is not None else ""

    def next_undo(self, key: str) -> str:
        """What `undo` would take back, or ""."""
        past = self._histories.get(key, History()).past
        return past[-1].name if past else ""

    def next_redo(self, key: str) -> str:
        """What `redo` would make again, or ""."""
        future = self._histories.get(key, History()).future
        return future[-1].name if future else ""

    def may_edit(self, key: str) -> bool:
        """Whether there is a text whose speakers can be corrected now."""
        return self._entry(key) is not None

    # Inside.

    def _entry(self, key: str) -> Entry | None:
        entry = self._session.entries.get(key)
        if entry is None or not entry.has_text or entry.is_damaged or entry.state in IN_WORK:
            return None
        return entry

    def _take(self, entry: Entry, name: str, after: Transcript) -> bool:
        before = entry.transcript()
        if (after.segments, after.speakers) == (before.segments, before.speakers):
            return False
        step = Step(name, before, after)
        self._histories.setdefault(entry.id, History(corrected=entry.corrected)).take(step)
        self._show(entry.id, after, step)
        return True

    def _show(self, key: str, transcript: Transcript, step: Step) -> str:
        """Let the window show a transcript, and keep it. While the disk is slow only the newest one is written."""
        entry, history = self._session.entries[key], self._histories[key]
        self._session.revise(entry, transcript)
        entry.corrected = history.corrected or bool(history.past)
        self._corrected[key] = transcript
        history.unsaved = transcript, entry.corrected
        self._session.keep(lambda library: _save(library, key, history))
        self.changed.emit(key)
        return step.name

    def _remember(self, key: str) -> None:
        """The text goes; what a reader has corrected in it does not."""
        entry = self._session.entries[key]
        if not entry.corrected and is_named(entry.transcript()):  # in a Galley that kept only the text
            entry.corrected, self._corrected[key] = True, entry.transcript()
        if entry.corrected:
            self._awaited.add(key)

    def _follow(self, key: str) -> None:
        entry = self._session.entries.get(key)
        if entry is not None and entry.state in IN_WORK:
            self._forget(key)
        elif entry is not None and entry.state == DONE and key in self._awaited:
            self._awaited.remove(key)
            if key in self._corrected:
                self._carry(key, self._corrected[key])
            else:
                self._session.keep(lambda library: library.corrections(key), partial(self._carry, key))

    def _carry(self, key: str, before: Transcript | None) -> None:
        """Correct a new text as the one `before` was."""
        entry = self._entry(key)
        if entry is None or before is None:
            return
        entry.corrected = False
        if self._take(entry, N_("kept corrections"), carried(before, entry.transcript())):
            self.kept.emit(key)
        else:
            entry.corrected = True

    def _drop(self, key: str) -> None:
        """The recording is gone."""
        self._corrected.pop(key, None)
        self._awaited.discard(key)

    def _forget(self, key: str) -> None:
        """Another text has come: what was edited before is not in it."""
        if self._histories.pop(key, None) is not None:
            self.changed.emit(key)


def _save(library: Library, key: str, history: History) -> None:
    """In the library's thread."""
    unsaved, history.unsaved = history.unsaved, None
    if unsaved is not None:
        library.revise(key, *unsaved)


def _move(source: list[Step], target: list[Step]) -> Step | None:
    if not source:
        return None
    target.append(source.pop())
    return target[-1]


def _transcript(entry: Entry) -> Transcript:
    """What stands in the window, its segments numbered as the lines are."""
    found = entry.transcript()
    return replace(found, segments=speakers.numbered(found.segments))
