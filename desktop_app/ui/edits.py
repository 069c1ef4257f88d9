"""What a reader corrects about speakers: every step can be undone, and is in the library at once. No widget in here."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace

from PySide6.QtCore import QObject, Signal

from desktop_app.library.store import Library
from desktop_app.transcript import speakers
from desktop_app.transcript.carried import carried, is_named
from desktop_app.transcript.model import Transcript
from desktop_app.transcript.speakers import Place
from desktop_app.ui.entry import DONE, IN_WORK, Entry
from desktop_app.ui.keeper import Keeper
from desktop_app.ui.session import Session

NEW = "new"
"""In the place of a speaker's id: somebody who is not there yet."""


@dataclass(frozen=True)
class Step:
    """One edit: what it is called, and the transcript without it and with it. They share all that it left alone."""

    name: str
    before: Transcript
    after: Transcript


@dataclass
class History:
    """Of one text: the steps that were taken and those that were taken back, both with the nearest one last, and what
    of them is not on the disk yet."""

    past: list[Step] = field(default_factory=list)
    future: list[Step] = field(default_factory=list)
    unsaved: Transcript | None = None

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


class Edits(QObject):
    """Corrects the transcripts of a session. Each method says whether anything is different now.

    Lines are counted from 0. An edit of somebody or a line that is not there changes nothing, nor does one of a
    recording in work. A new text of a recording that was corrected gets the same corrections, as an edit.

    Signals: changed(id); kept(id): corrections were carried into a new text.
    """

    changed = Signal(str)
    kept = Signal(str)

    def __init__(
        self, session: Session, library: Library | None, keeper: Keeper, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._library, self._keeper = session, library, keeper
        self._histories: dict[str, History] = {}
        self._corrected: dict[str, Transcript] = {}  # texts that went, until another one has come
        session.leaving.connect(self._remember)
        session.changed.connect(self._follow)
        session.replaced.connect(self._forget)
        session.removed.connect(self._forget)
        session.removed.connect(lambda key: self._corrected.pop(key, None))

    # Corrections.

    def rename(self, key: str, speaker: str, name: str) -> bool:
        """The speaker has this name in the whole recording; an empty name changes nothing."""
        entry = self._entry(key)
        if entry is None or not name.strip() or speakers.find(entry.transcript(), speaker) is None:
            return False
        return self._take(entry, "rename", speakers.rename(entry.transcript(), speaker, name))

    def merge(self, key: str, speaker: str, into: str) -> bool:
        """Two speakers are one, who has the name of `into`."""
        entry = self._entry(key)
        if entry is None or speaker == into or speakers.find(entry.transcript(), into) is None:
            return False
        return self._take(entry, "merge", speakers.merge(entry.transcript(), [speaker], into))

    def reassign(self, key: str, lines: Collection[int], speaker: str | None) -> bool:
        """Lines are said by a speaker, by somebody NEW, or None: by nobody known."""
        entry = self._entry(key)
        if entry is None:
            return False
        before, speaker = _with(_transcript(entry), speaker)
        if speaker is not None and speakers.find(before, speaker) is None:
            return False
        return self._take(entry, "change of speaker", speakers.reassign(before, lines, speaker))

    def reassign_selection(self, key: str, begin: Place, end: Place, speaker: str | None) -> bool:
        """The same for the text between two places, down to the word."""
        entry = self._entry(key)
        if entry is None:
            return False
        before, speaker = _with(_transcript(entry), speaker)
        if speaker is not None and speakers.find(before, speaker) is None:
            return False
        return self._take(entry, "change of speaker", speakers.reassign_selection(before, begin, end, speaker))

    def split(self, key: str, line: int, caret: int) -> bool:
        """Split a line before the word that is nearest to the caret; at its ends there is nothing to split."""
        entry = self._entry(key)
        if entry is None:
            return False
        after = speakers.split(_transcript(entry), line, caret)
        return all(part.text for part in after.segments) and self._take(entry, "split", after)

    # Back and forth.

    def undo(self, key: str) -> str:
        """Take the last edit back; what it was, or ""."""
        step = self._histories.get(key, History()).undo() if self._entry(key) is not None else None
        return self._show(key, step.before, step) if step is not None else ""

    def redo(self, key: str) -> str:
        """Make the edit that was undone last; what it was, or ""."""
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
        return entry if entry is not None and entry.has_text and entry.state not in IN_WORK else None

    def _take(self, entry: Entry, name: str, after: Transcript) -> bool:
        before = entry.transcript()
        if (after.segments, after.speakers) == (before.segments, before.speakers):
            return False
        step = Step(name, before, after)
        self._histories.setdefault(entry.id, History()).take(step)
        self._show(entry.id, after, step)
        return True

    def _show(self, key: str, transcript: Transcript, step: Step) -> str:
        """Let the window show a transcript, and keep it. While the disk is slow only the newest one is written."""
        self._session.revise(self._session.entries[key], transcript)
        history = self._histories[key]
        history.unsaved = transcript
        if self._library is not None:
            self._keeper.do(lambda: self._save(key, history))
        self.changed.emit(key)
        return step.name

    def _save(self, key: str, history: History) -> None:
        """In the library's thread."""
        transcript, history.unsaved = history.unsaved, None
        if transcript is not None and self._library is not None:
            self._library.revise(key, transcript)

    def _remember(self, key: str) -> None:
        """The text goes; what a reader has corrected in it does not."""
        entry = self._session.entries[key]
        if entry.has_text and (self.next_undo(key) or is_named(entry.transcript())):
            self._corrected[key] = entry.transcript()

    def _follow(self, key: str) -> None:
        entry = self._session.entries.get(key)
        if entry is not None and entry.state in IN_WORK:
            self._forget(key)
        elif entry is not None and entry.state == DONE and key in self._corrected:
            before = self._corrected.pop(key)
            if entry.has_text and self._take(entry, "kept speakers", carried(before, entry.transcript())):
                self.kept.emit(key)

    def _forget(self, key: str) -> None:
        """Another text has come: what was edited before is not in it."""
        if self._histories.pop(key, None) is not None:
            self.changed.emit(key)


def _move(source: list[Step], target: list[Step]) -> Step | None:
    if not source:
        return None
    target.append(source.pop())
    return target[-1]


def _transcript(entry: Entry) -> Transcript:
    """What stands in the window, its segments numbered as the lines are."""
    found = entry.transcript()
    return replace(found, segments=speakers.numbered(found.segments))


def _with(transcript: Transcript, speaker: str | None) -> tuple[Transcript, str | None]:
    """The transcript in which there is such a speaker, and the id."""
    return speakers.add(transcript) if speaker == NEW else (transcript, speaker)
