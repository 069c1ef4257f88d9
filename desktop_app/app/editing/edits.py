"""What a reader corrects in a transcript, words and speakers: every step can be undone, and is soon in the library."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from desktop_app.app.recordings.entry import DONE, IN_WORK, Entry
from desktop_app.app.recordings.session import Session
from desktop_app.app.signals import Signal
from desktop_app.library.store import Library
from desktop_app.speakers.attribution import attribute
from desktop_app.speakers.carried import carried, is_named
from desktop_app.speakers.turns import Turn
from desktop_app.texts import N_
from desktop_app.transcript import editing, speakers
from desktop_app.transcript.accepting import put_between
from desktop_app.transcript.editing import Hit
from desktop_app.transcript.guarded import without_missed
from desktop_app.transcript.model import GuardReport, Segment, Span, Speaker, Transcript
from desktop_app.transcript.speakers import Place

_PAUSE = 2.0  # seconds; what is typed behind a longer one is another step

SPLIT = N_("split")

NEW = "new"
"""In the place of a speaker's id: a new speaker."""


@dataclass(frozen=True)
class State:
    """What an edit can change: the lines, the speakers, the marks of an entry, and what is open of the guard's
    reports."""

    lines: tuple[Segment, ...]
    speakers: tuple[Speaker, ...]
    corrected: bool
    reworded: bool
    guarded: tuple[GuardReport, ...] = ()


@dataclass(frozen=True)
class EditStep:
    """One edit: its name (a message to be translated), and how it was before and after, in lines from `first` on that
    differ. `carets`: where an edit of words was begun and where it ended.
    """

    name: str
    first: int
    before: State
    after: State
    carets: tuple[Place, Place] | None = None

    def joined(self, other: EditStep) -> EditStep:
        """This one and the next one in the same line as one."""
        carets = (self.carets[0], other.carets[1]) if self.carets and other.carets else None
        return replace(self, after=other.after, carets=carets)


@dataclass(frozen=True)
class Typed:
    """What was typed into one line, however many steps that were: `text` stands in the place of the characters from
    `begin` to `end` of `line`. So words that were only in between one with what was typed are not lost.
    """

    line: Segment
    begin: int
    end: int
    text: str

    def with_text(self, begin: int, end: int, text: str) -> Typed:
        """And then a text in the place of what stands there now from `begin` to `end`."""
        now = f"{self.line.text[: self.begin]}{self.text}{self.line.text[self.end :]}"
        since = min(self.begin, begin)
        until = self.end + max(end - self.begin - len(self.text), 0)
        now = f"{now[:begin]}{text}{now[end:]}"
        return Typed(self.line, since, until, now[since : len(now) - len(self.line.text) + until])


@dataclass(frozen=True)
class Last:
    """The last step of typing: when it was taken (in seconds of a steady clock), its last text ("" for a deletion), and
    all that was typed into the line.
    """

    step: EditStep
    at: float
    text: str
    typed: Typed


@dataclass
class History:
    """Of one text: the steps that were taken and those that were taken back, both with the nearest one last, what was
    typed last, and what of them is not on the disk yet.
    """

    past: list[EditStep] = field(default_factory=list)
    future: list[EditStep] = field(default_factory=list)
    last: Last | None = None
    unsaved: tuple[Transcript, bool, bool] | None = None

    def take(self, step: EditStep) -> None:
        """A new step; what was undone before it cannot come back."""
        self.past.append(step)
        self.future.clear()
        self.last = None

    def type(self, step: EditStep, text: str, typed: Typed, now: float) -> None:
        """A step of typing: one with the last one, as long as that was a part of the same word and not long ago."""
        last = self.last
        if last is not None and _goes_on(last, step, text, now):
            self.past.pop()
            step = last.step.joined(step)
        self.take(step)
        self.last = Last(step, now, text, typed)

    def typed_in(self, line: Segment, begin: int, end: int, text: str) -> Typed:
        """What was typed into a line since something else was done, and then this."""
        last = self.last
        if last is not None and last.step.after.lines == (line,):
            return last.typed.with_text(begin, end, text)
        return Typed(line, begin, end, text)

    def split_of(self, lines: Sequence[Segment]) -> EditStep | None:
        """The step that has split one line into these, with nothing else; None where none has."""
        for step in reversed(self.past):
            if step.name == SPLIT and step.carets and step.after.lines == tuple(lines):
                is_whole = len(step.before.lines) == 1 and _letters(step.before.lines) == _letters(lines)
                return step if is_whole else None
        return None

    def undo(self) -> EditStep | None:
        """Take the last step back."""
        self.last = None
        return _move(self.past, self.future)

    def redo(self) -> EditStep | None:
        """Take the next step again."""
        self.last = None
        return _move(self.future, self.past)


class Edits:
    """Corrects the transcripts of a session. Each method says whether anything is different now.

    Lines are counted from 0. An edit of somebody or a line that is not there changes nothing, nor does one of a
    recording in work. A new text of a recording whose speakers were corrected gets the same corrections, as an edit;
    also when Galley was closed, or killed, while that text was written. One whose words were changed stays until the
    reader accepts another one, and that is an edit too.

    What is typed is written by `save`, which the front end calls every second and at its end; all else at once.

    Signals: changed(id); kept(id): corrections were carried into a new text; placed(id, place): where the caret is
    after an edit of words, or after one was undone or made again; replaced(id, count): so many places were.
    """

    def __init__(self, session: Session, clock: Callable[[], float] = time.monotonic) -> None:
        self._session, self._clock = session, clock
        self.changed: Signal[str] = Signal()
        self.kept: Signal[str] = Signal()
        self.placed: Signal[[str, Place]] = Signal()
        self.replaced: Signal[[str, int]] = Signal()
        self._histories: dict[str, History] = {}
        self._corrected: dict[str, Transcript] = {}  # as far as they were corrected here; the library has all
        self._awaited: set[str] = set()  # whose corrected text went, until another one has come
        self._reworded: dict[str, State] = {}  # texts that go, and that a reader can take back
        session.leaving.connect(self._remember)
        session.changed.connect(self._follow)
        session.replaced.connect(self._follow_replaced)
        session.switching.connect(self._leave)
        session.accepted.connect(self._accept)
        session.attributed.connect(self._attribute)
        session.removed.connect(self._forget)
        session.removed.connect(self._drop)

    # Words.

    def replace(self, key: str, begin: Place, end: Place, text: str) -> bool:
        """Put a text in the place of what stands between two places: what is typed, deleted, split and merged."""
        entry = self._entry(key)
        if entry is None:
            return False
        (first, since), (last, until) = begin, end = sorted((begin, end))
        before, text = entry.transcript(), editing.clean(text)
        old = before.segments[first : last + 1]
        if not old[0].text[:since].strip():  # where a line begins no space is shown
            text = editing.without_indent(text)
        if begin == end and not text:  # such as Delete at the very end
            return False
        history = self._histories.setdefault(key, History())
        typed = history.typed_in(old[0], since, until, text) if first == last and "\n" not in text else None
        is_merge = not text and last == first + 1 and since == len(old[0].text) and not until
        split = history.split_of(old) if is_merge else None
        if split is not None:  # within a word there was no space
            after = replace(
                before, segments=(*before.segments[:first], *split.before.lines, *before.segments[last + 1 :])
            )
            caret = first, len(after.segments[first].text) - len(old[1].text.lstrip())  # before what came back
        elif typed is None:
            after, caret = editing.replace_text(before, begin, end, text)
        else:
            there = replace(before, segments=(*before.segments[:first], typed.line, *before.segments[first + 1 :]))
            after, _end = editing.replace_text(there, (first, typed.begin), (first, typed.end), typed.text)
            caret = first, since + len(text)
        new = after.segments[first : len(after.segments) - (len(before.segments) - last - 1)]
        if old == new:
            self.placed.emit(key, caret)  # or what was selected, and is typed again, would go with the next letter
            return False
        name = SPLIT if text == "\n" else N_("typing") if text else N_("merge") if is_merge else N_("deletion")
        step = _step(entry, name, first, old, new, (before.speakers, after.speakers), (end, caret))
        if typed is None:
            history.take(step)
        else:
            history.type(step, text, typed, self._clock())
        self._show(key, after, step.after)
        self.placed.emit(key, caret)
        return True

    def replace_all(self, key: str, hits: Sequence[Hit], text: str) -> None:
        """Put a text in the place of each hit, as one edit. That is done beside the front end, and not at all where
        another edit is made meanwhile."""
        entry = self._entry(key)
        if entry is None:
            return
        before = _transcript(entry)
        change = partial(editing.replace_all, before, hits, text)
        self._session.worker.do(change, partial(self._take_replaced, key, before, len(hits)))

    def _take_replaced(self, key: str, before: Transcript, count: int, after: Transcript | None) -> None:
        entry = self._entry(key)
        if entry is None or after is None or _transcript(entry).segments != before.segments:
            return
        if self._take(entry, N_("replacement"), after, reworded=True):
            self.replaced.emit(key, count)

    def _accept(self, key: str, after: Transcript, count: int) -> None:
        """The reader takes changes over from another text of the recording."""
        entry = self._entry(key, or_empty=True)
        if entry is not None:
            self._take(entry, N_("accepted change") if count == 1 else N_("accepted changes"), after, reworded=True)

    # What the guard reported.

    def bring_back(self, key: str, report: GuardReport) -> bool:
        """Put the text that the guard has removed where it stood, as a line of its own."""
        entry = self._entry(key, or_empty=True)
        if entry is None or report not in entry.guarded:
            return False
        before = _transcript(entry)
        place = sum(line.start <= report.start for line in before.segments)
        speaker = before.segments[place - 1].speaker if place else None
        line = Segment(0, report.start, report.end, f" {report.text}", speaker=speaker)
        after = replace(put_between(before, place, [line]), guarded=_without(before.guarded, report))
        return self._take(entry, N_("restored text"), after, reworded=True)

    def dismiss(self, key: str, span: Span) -> bool:
        """Say no more that somebody may speak in a stretch without text."""
        entry = self._entry(key, or_empty=True)
        if entry is None:
            return False
        before = _transcript(entry)
        return self._take(entry, N_("dismissal"), replace(before, guarded=without_missed(before.guarded, span)))

    # Speakers.

    def rename(self, key: str, speaker: str, name: str) -> bool:
        """The speaker has this name in the whole recording; an empty name changes nothing."""
        if self._session.name_live(key, speaker, name):
            return True
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
        return all(part.text for part in after.segments) and self._take(entry, SPLIT, after)

    def _attribute(self, key: str, turns: tuple[Turn, ...]) -> None:
        """Somebody else has found out who speaks when: the words stay. That is done beside the front end, as for
        `replace_all`."""
        entry = self._entry(key)
        if entry is not None:
            before = _transcript(entry)
            call = partial(attribute, before, turns)
            self._session.worker.do(call, partial(self._take_attributed, key, before, turns))

    def _take_attributed(self, key: str, before: Transcript, turns: tuple[Turn, ...], after: Transcript | None) -> None:
        entry = self._entry(key)
        if entry is None or after is None:
            return
        if entry.segments != list(before.segments):
            self._attribute(key, turns)
        elif turns:
            self._take(entry, N_("speakers"), after)

    # Back and forth.

    def undo(self, key: str) -> EditStep | None:
        """Take the last edit back, and give it; None where there is none."""
        step = self._histories.get(key, History()).undo() if self._entry(key) is not None else None
        if step is not None:
            self._apply(key, step, step.after, step.before, step.carets[0] if step.carets else None)
        return step

    def redo(self, key: str) -> EditStep | None:
        """Make the edit that was undone last, and give it; None where there is none."""
        step = self._histories.get(key, History()).redo() if self._entry(key) is not None else None
        if step is not None:
            self._apply(key, step, step.before, step.after, step.carets[1] if step.carets else None)
        return step

    def next_undo(self, key: str) -> str:
        """What `undo` would take back, or ""."""
        past = self._histories.get(key, History()).past
        return past[-1].name if past else ""

    def next_redo(self, key: str) -> str:
        """What `redo` would make again, or ""."""
        future = self._histories.get(key, History()).future
        return future[-1].name if future else ""

    def may_edit(self, key: str) -> bool:
        """Whether there is a text that can be corrected now."""
        return self._entry(key) is not None

    def may_rename(self, key: str) -> bool:
        """Whether speakers can be named now: in a text that can be corrected, and while it is recorded."""
        entry = self._session.entries.get(key)
        is_live = entry is not None and entry.live is not None and entry.state in IN_WORK
        return is_live or self.may_edit(key)

    def save(self) -> None:
        """Write what was typed since the last time."""
        for key in self._histories:
            self._save(key)

    # Inside.

    def _entry(self, key: str, or_empty: bool = False) -> Entry | None:
        entry = self._session.entries.get(key)
        if entry is None or entry.is_damaged or entry.state in IN_WORK or entry.switching:
            return None
        return entry if entry.has_text or (or_empty and entry.loaded) else None

    def _take(self, entry: Entry, name: str, after: Transcript, reworded: bool = False) -> bool:
        before = entry.transcript()
        if (after.segments, after.speakers, after.guarded) == (before.segments, before.speakers, before.guarded):
            return False
        step = _difference(entry, name, before, after, reworded)
        self._histories.setdefault(entry.id, History()).take(step)
        self._show(entry.id, after, step.after)
        self._save(entry.id)
        return True

    def _apply(self, key: str, step: EditStep, there: State, wanted: State, caret: Place | None) -> None:
        """Put the lines of a step in the place of those that it left."""
        before = self._session.entries[key].transcript()
        lines = (*before.segments[: step.first], *wanted.lines, *before.segments[step.first + len(there.lines) :])
        self._show(key, replace(before, segments=lines, speakers=wanted.speakers, guarded=wanted.guarded), wanted)
        if caret is None:
            self._save(key)
        else:
            self.placed.emit(key, caret)

    def _show(self, key: str, transcript: Transcript, state: State) -> None:
        """Let the window show a transcript."""
        entry, history = self._session.entries[key], self._histories[key]
        entry.corrected, entry.reworded = state.corrected, state.reworded
        self._session.revise(entry, transcript)
        self._corrected[key] = transcript
        history.unsaved = transcript, state.corrected, state.reworded
        self.changed.emit(key)

    def _save(self, key: str) -> None:
        """Keep what is shown. While the disk is slow only the newest text is written."""
        history = self._histories[key]
        if history.unsaved is not None:
            self._session.keep(lambda library: _write(library, key, history))

    def _leave(self, key: str) -> None:
        """Another version is about to stand: what was typed into this one is a part of it, and what was corrected in
        it is not carried over."""
        if key in self._histories:
            self._save(key)
        self._corrected.pop(key, None)

    def _remember(self, key: str) -> None:
        """The text goes; what a reader has corrected in it does not."""
        entry = self._session.entries[key]
        if key in self._histories:
            self._save(key)
        if entry.reworded:
            self._reworded[key] = State(
                tuple(entry.segments), entry.speakers, entry.corrected, entry.reworded, entry.guarded
            )
            self._corrected[key] = entry.transcript()
        if not entry.corrected and is_named(entry.transcript()):  # in a Galley that kept only the text
            entry.corrected, self._corrected[key] = True, entry.transcript()
        if entry.corrected:
            self._awaited.add(key)

    def _follow(self, key: str) -> None:
        entry = self._session.entries.get(key)
        if entry is not None and entry.state in IN_WORK:
            self._reworded.pop(key, None)  # its lines stand, and others are written behind them
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
        entry.corrected = False  # without what follows
        if self._take(entry, N_("kept corrections"), carried(before, entry.transcript())):
            self.kept.emit(key)
        else:
            entry.corrected = True

    def _drop(self, key: str) -> None:
        """The recording is gone."""
        self._corrected.pop(key, None)
        self._reworded.pop(key, None)
        self._awaited.discard(key)

    def _follow_replaced(self, key: str) -> None:
        """Another text has come. Where the reader has accepted it in the place of words of his own, that is an edit."""
        self._forget(key)
        before, entry = self._reworded.pop(key, None), self._session.entries[key]
        if before is not None:
            corrected = self._corrected[key]
            entry.corrected = entry.reworded = False
            after = State(tuple(entry.segments), entry.speakers, corrected=False, reworded=False, guarded=entry.guarded)
            history = self._histories[key] = History()
            history.take(EditStep(N_("new text"), 0, before, after))
            self._show(key, entry.transcript(), after)
            self._save(key)
            self._corrected[key] = corrected

    def _forget(self, key: str) -> None:
        """Another text has come: what was edited before is not in it."""
        if self._histories.pop(key, None) is not None:
            self.changed.emit(key)


def _write(library: Library, key: str, history: History) -> None:
    """In the library's thread."""
    unsaved, history.unsaved = history.unsaved, None
    if unsaved is not None:
        library.revise(key, *unsaved)


def _without(reports: Sequence[GuardReport], one: GuardReport) -> tuple[GuardReport, ...]:
    return tuple(report for report in reports if report is not one and report != one)


def _letters(lines: Sequence[Segment]) -> str:
    """The text of lines without spaces."""
    return "".join("".join(line.text.split()) for line in lines)


def _goes_on(last: Last, step: EditStep, text: str, now: float) -> bool:
    """Whether a step of typing is one with the last one: in the same place, of the same kind, and no new word."""
    if now - last.at > _PAUSE or not last.step.carets or not step.carets or last.step.name != step.name:
        return False
    here = last.step.carets[1]
    is_near = here == step.carets[0] or (not text and here == step.carets[1])  # the key that deletes forwards
    return is_near and not (last.text[-1:].isspace() and not text[:1].isspace())


def _difference(entry: Entry, name: str, before: Transcript, after: Transcript, reworded: bool) -> EditStep:
    """The step between two texts: only the lines that differ in more than their numbers."""
    old, new = before.segments, after.segments
    least = min(len(old), len(new))
    first = next((at for at in range(least) if not _is_same(old[at], new[at])), least)
    ends = range(1, least - first + 1)
    last = next((at - 1 for at in ends if not _is_same(old[-at], new[-at])), least - first)
    lines = old[first : len(old) - last], new[first : len(new) - last]
    step = _step(entry, name, first, *lines, (before.speakers, after.speakers), reworded=reworded)
    corrects = lines[0] != lines[1] or before.speakers != after.speakers
    made = replace(step.after, guarded=after.guarded, corrected=entry.corrected or corrects)
    return replace(step, after=made)


def _is_same(one: Segment, other: Segment) -> bool:
    return one is other or (one.words is other.words and {**vars(one), "id": 0} == {**vars(other), "id": 0})


def _step(
    entry: Entry,
    name: str,
    first: int,
    before: tuple[Segment, ...],
    after: tuple[Segment, ...],
    people: tuple[tuple[Speaker, ...], tuple[Speaker, ...]],
    carets: tuple[Place, Place] | None = None,
    reworded: bool = False,
) -> EditStep:
    old = State(before, people[0], entry.corrected, entry.reworded, entry.guarded)
    is_reworded = entry.reworded or reworded or carets is not None
    new = State(after, people[1], corrected=True, reworded=is_reworded, guarded=entry.guarded)
    return EditStep(name, first, old, new, carets)


def _move(source: list[EditStep], target: list[EditStep]) -> EditStep | None:
    if not source:
        return None
    target.append(source.pop())
    return target[-1]


def _transcript(entry: Entry) -> Transcript:
    """What stands in the window, its segments numbered as the lines are: while somebody types they are not."""
    found = entry.transcript()
    return replace(found, segments=speakers.numbered(found.segments))
