"""The library as `galley record` uses it: it keeps the text while it grows, and no recording fails because of it."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from pathlib import Path

from desktop_app import folders
from desktop_app.engine.messages import LiveUpdate
from desktop_app.library.store import Library, LibraryProblem, Recording
from desktop_app.transcript.model import Models, Segment, Transcript


class Keeping:
    """One recording in the library. What cannot be kept is said once, by `say`, and then done without."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._library: Library | None = None
        self._key = ""
        self._do(self._open)

    def close(self) -> None:
        """Let go of the library."""
        if self._library is not None:
            self._library.close()

    def interrupted(self) -> list[Recording]:
        """What programs that are gone have recorded and not written down, the oldest first."""
        library, found = self._library, list[Recording]()
        if library is not None:
            self._do(lambda: found.extend(library.recordings()))
        return [one for one in reversed(found) if one.live and one.state == "interrupted" and Path(one.path).exists()]

    def offer(self) -> None:
        """Say what was found of earlier recordings."""
        for one in self.interrupted():
            when = one.created.astimezone()
            self._say(f"A recording of {when:%Y-%m-%d %H:%M} was interrupted; its sound is kept in {one.path}.")
        if self.interrupted():
            self._say("galley record --recover writes it down.")

    def begin(self, path: Path) -> str:
        """A recording begins; gives its name for the engine."""
        library = self._library
        if library is not None:
            self._do(lambda: setattr(self, "_key", library.add_live(str(path)).id))
        return self._key or uuid.uuid4().hex

    def take_up(self, recording: Recording) -> Transcript | None:
        """Work on one that was interrupted; gives what is written of it, None where nothing is."""
        self._key = recording.id
        found = list[Transcript]()
        self._with(lambda library: library.again(self._key))
        self._with(lambda library: found.append(library.transcript(self._key)))
        return found[0] if found and found[0].segments else None

    def models(self, models: Models, seconds: float = 0.0, kept: int = 0) -> None:
        """What writes the text, behind so many lines that are kept."""
        self._with(lambda library: library.begin(self._key, models, seconds, kept))

    def append(self, segment: Segment) -> None:
        """One more segment that will not change."""
        self._with(lambda library: library.append(self._key, segment))

    def note(self, update: LiveUpdate) -> None:
        """What is known so far beside the text."""
        self._with(lambda library: library.note(self._key, update.stats, update.language, update.guarded))

    def recorded(self, seconds: float) -> None:
        """The sound is whole."""
        self._with(lambda library: library.recorded(self._key, seconds))

    def finish(self, transcript: Transcript) -> None:
        """The text is whole."""
        self._with(lambda library: library.finish(self._key, transcript))

    def fail(self, sentence: str) -> None:
        """The text will not be finished."""
        self._with(lambda library: library.fail(self._key, sentence))

    def forget(self) -> None:
        """Nothing was recorded."""
        self._with(lambda library: library.remove(self._key))

    def _open(self) -> None:
        self._library = Library(folders.data() / "library")
        if self._library.notice:
            self._say(self._library.notice)

    def _with(self, call: Callable[[Library], object]) -> None:
        library = self._library
        if library is not None and self._key:
            self._do(lambda: call(library))

    def _do(self, call: Callable[[], object]) -> None:
        try:
            call()
        except LibraryProblem as problem:
            self.close()
            self._library = None
            self._say(f"galley: {problem}. The text will not be in the library; the sound is not touched by that.")
