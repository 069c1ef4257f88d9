"""Noticing that several people speak in a recording whose speakers nobody has asked for."""

from __future__ import annotations

from itertools import pairwise

from desktop_app.app.recordings.entry import DONE, Entry
from desktop_app.app.recordings.session import Session
from desktop_app.app.settings.preferences import Preferences
from desktop_app.app.signals import Signal
from desktop_app.messages.jobs import Event, Finished
from desktop_app.messages.options import ON
from desktop_app.transcript.model import Speaker

_JOB = "conversation:"
_LISTENED = 120.0  # seconds from the middle of a recording
_SECOND = 3.0  # seconds that a second voice has at least
_TURN = 15.0  # seconds: in a conversation the voice changes this often, or more often
_CHANGES = 3  # at least, however short it is


class Conversations:
    """Listens to two minutes of a recording that was transcribed since the start, when somebody looks at it and the
    engine has nothing else to do. The networks are those that find the speakers, so what is noticed is what they would
    find. A failure is nobody's business: nothing was asked for.

    Signals: noticed(id).
    """

    def __init__(self, session: Session, preferences: Preferences) -> None:
        self._session, self._preferences = session, preferences
        self.noticed: Signal[str] = Signal()
        self._in_work: set[str] = set()  # those that were, since the start
        self._asked: set[str] = set()
        self._found: set[str] = set()
        session.changed.connect(self._follow)
        session.removed.connect(self._forget)
        session.foreign.connect(self._handle)

    def look(self, entry: Entry) -> None:
        """Somebody looks at this recording; `noticed` may follow."""
        if self._preferences.conversations != ON or entry.id not in self._in_work or entry.id in self._asked:
            return
        if _is_open(entry) and entry.has_text and not self._session.in_work:
            self._asked.add(entry.id)
            begin = max((entry.seconds - _LISTENED) / 2, 0.0)
            span = begin, min(begin + _LISTENED, entry.seconds)
            self._session.engine.find_speakers(f"{_JOB}{entry.id}", entry.path, "auto", span)

    def is_noticed(self, entry: Entry) -> bool:
        """Whether several people speak in it, and that is to be said."""
        return self._preferences.conversations == ON and entry.id in self._found and _is_open(entry)

    def _follow(self, key: str) -> None:
        entry = self._session.entries.get(key)
        if entry is not None and entry.state != DONE:
            self._forget(key)
            self._in_work.add(key)

    def _forget(self, key: str) -> None:
        for keys in (self._in_work, self._asked, self._found):
            keys.discard(key)

    def _handle(self, event: Event) -> None:
        key = event.job.removeprefix(_JOB)
        if key == event.job or key not in self._asked or not isinstance(event, Finished):
            return
        if is_conversation(event.transcript.speakers, event.transcript.seconds):
            self._found.add(key)
            self.noticed.emit(key)


def is_conversation(voices: tuple[Speaker, ...], seconds: float) -> bool:
    """Whether people talk with each other for so many seconds: two voices are more than chance, and they take turns.

    One voice that is recorded in two ways, or changes once in a while, is taken for two by the networks now and then.
    """
    lengths = sorted(sum(end - begin for begin, end in voice.turns) for voice in voices)
    turns = sorted((turn, voice.id) for voice in voices for turn in voice.turns)
    changes = sum(before != behind for (_, before), (_, behind) in pairwise(turns))
    return len(lengths) > 1 and lengths[-2] >= _SECOND and changes >= max(_CHANGES, seconds / _TURN)


def _is_open(entry: Entry) -> bool:
    """Whether it is done and has no speakers."""
    return entry.state == DONE and not entry.speakers and not entry.switching
