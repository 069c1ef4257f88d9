"""The language of a live session: detected again at every update, until enough speech was heard to keep it."""

from __future__ import annotations

from desktop_app.decoding.window import Language

ENOUGH = 5.0  # seconds of speech from which on the language is kept


class SpokenLanguage:
    """What is spoken, by all speech so far: each speech counts with its seconds and the probability of its language.

    A speech in which nobody speaks, as the guard sees it, counts for nothing: a noise has no language. One short word
    does not fix the language of a session either.

    Attributes:
        language: what to write in now; None before any speech.
        is_kept: whether no more speech has to be asked.
    """

    def __init__(self, given: Language | None) -> None:
        self.language, self.is_kept = given, given is not None
        self._votes: dict[str, float] = {}  # seconds by code, each by the probability of its language
        self._seconds = 0.0
        self._now, self._now_seconds = Language("", 0.0), 0.0  # of the window in work

    def detected(self, found: Language, seconds: float) -> None:
        """A window of so many seconds is by itself in the language `found`."""
        self._now, self._now_seconds = found, seconds
        votes = self._with(found, seconds)
        code = max(votes, key=votes.__getitem__)
        self.language = Language(code, votes[code] / (self._seconds + seconds))

    def spoken(self, final: bool) -> None:
        """Somebody speaks in that window; `final`: its speech is over."""
        if self.is_kept:
            return
        self.is_kept = self._seconds + self._now_seconds >= ENOUGH
        if final:
            self._votes = self._with(self._now, self._now_seconds)
            self._seconds += self._now_seconds

    def _with(self, found: Language, seconds: float) -> dict[str, float]:
        vote = self._votes.get(found.code, 0.0) + found.probability * seconds
        return {**self._votes, found.code: vote}
