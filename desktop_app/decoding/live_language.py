"""The language of a live session: detected again at every update, until there was enough speech to keep it."""

from __future__ import annotations

from desktop_app.decoding.window import Language

ENOUGH = 5.0  # seconds of speech after which the language is kept


class SpokenLanguage:
    """The language of all speech so far: each stretch counts by its seconds times the probability of its language.

    A stretch whose text the guard removed does not count: noise has no language. One short word does not fix the
    language of a session either.

    Attributes:
        language: the language to transcribe in now; None before any speech.
        is_kept: whether the language is fixed and need not be detected any more.
    """

    def __init__(self, given: Language | None) -> None:
        self.language, self.is_kept = given, given is not None
        self._votes: dict[str, float] = {}  # seconds by code, each by the probability of its language
        self._seconds = 0.0
        self._with_window = self._votes, self._seconds  # the same with the current window

    def detected(self, found: Language, seconds: float) -> None:
        """The language `found` was detected in a window of `seconds`."""
        votes = {**self._votes, found.code: self._votes.get(found.code, 0.0) + found.probability * seconds}
        total = self._seconds + seconds
        self._with_window = votes, total
        code = max(votes, key=votes.__getitem__)
        self.language = Language(code, votes[code] / total)

    def spoken(self, final: bool) -> None:
        """The guard has kept the text of that window; `final`: its speech is over."""
        if self.is_kept:
            return
        votes, seconds = self._with_window
        self.is_kept = seconds >= ENOUGH
        if final:
            self._votes, self._seconds = votes, seconds
