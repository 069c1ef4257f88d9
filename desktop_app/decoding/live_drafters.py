"""Drafts live text from the text of the previous update, which costs nothing."""

from __future__ import annotations

from collections.abc import Sequence

from desktop_app.decoding.audio_window import AudioWindow
from desktop_app.decoding.drafters import Drafter
from desktop_app.decoding.lookahead import PRIOR_SLOPE, best_look_ahead
from desktop_app.decoding.rules import Rules
from desktop_app.decoding.vocabulary import Vocabulary
from desktop_app.transcript.settings import Settings

REACH = 10  # tokens around the expected place in the old text that are searched for a match
NEAR = 2  # the same where only the token itself matches, not the one before it
LEAST, MOST = 4, 32  # tokens of the old text in one pass
AHEAD = 24  # tokens that are drafted before the target begins


class PreviousDrafter(Drafter):
    """Proposes the text of the previous update: since then the window has only grown.

    After a correction it resumes where the old text matches what the target has written. Until there is such a place,
    and where the old text ends, `inner` proposes.
    """

    def __init__(self, vocabulary: Vocabulary, inner: Drafter | None) -> None:
        self._vocabulary, self._inner = vocabulary, inner
        self._old: list[int] = []
        self._begun: tuple[AudioWindow, Settings, Rules] | None = None
        self._agreed, self._compared = 9.0, 10.0  # decaying counts: accepted tokens of the old text, and compared ones
        self._proposed: Sequence[int] = ()
        self._at = self._read = 0
        self._lost = False  # the place in the old text is a guess

    def expect(self, tokens: Sequence[int]) -> None:
        """Set the text that the next window will probably have."""
        self._old = list(tokens)

    def begin(self, window: AudioWindow, settings: Settings, rules: Rules) -> None:
        """A new text. `inner` is not begun again for the same window, settings and rules."""
        self._at = self._read = 0
        self._lost = False
        self._proposed = ()
        if self._inner is not None and (window, settings, rules) != self._begun:
            self._inner.begin(window, settings, rules)
        self._begun = (window, settings, rules)

    def ahead(self, window: AudioWindow, settings: Settings, rules: Rules) -> list[int]:
        """What `inner` proposes after the old text, before the target has encoded the window. It is added to the old
        text."""
        self.begin(window, settings, rules)
        found: list[int] = []
        while self._inner is not None and len(found) < AHEAD:
            more = self._inner.propose([*self._old, *found], AHEAD - len(found))
            found += more
            if not more or found[-1] == self._vocabulary.end:
                break
        self._old += found
        return found

    @property
    def passes(self) -> int:
        return self._inner.passes if self._inner is not None else 0

    def propose(self, tokens: Sequence[int], count: int, confidence: float = 0.0) -> list[int]:
        """What follows in the old text, which costs nothing and may be more than `count`, and for the rest what `inner`
        proposes."""
        self._judge(tokens)
        self._follow(tokens)
        if self._lost and self._inner is not None and (fresh := self._inner.propose(tokens, count, confidence)):
            self._proposed = ()
            return fresh
        free = best_look_ahead(0.0, 1 - PRIOR_SLOPE, PRIOR_SLOPE, self._agreed / self._compared, LEAST, MOST)
        old = self._old[self._at : self._at + max(count, free)]
        self._proposed = tuple(old)
        ended = bool(old) and old[-1] == self._vocabulary.end
        if self._inner is None or ended or len(old) >= count or self._at + len(old) < len(self._old):
            return old
        return [*old, *self._inner.propose([*tokens, *old], count - len(old), confidence)]

    def _judge(self, tokens: Sequence[int]) -> None:
        """Count how much of the last proposal was accepted."""
        written = tokens[self._read :]
        for proposed, token in zip(self._proposed, written, strict=False):
            self._agreed = 0.98 * self._agreed + (proposed == token)
            self._compared = 0.98 * self._compared + 1
            if proposed != token:
                break

    def _follow(self, tokens: Sequence[int]) -> None:
        """Find the place in the old text that follows `tokens`."""
        is_time = self._vocabulary.is_timestamp
        for read in range(self._read, len(tokens)):
            token, at = tokens[read], self._at
            expected = self._old[at] if at < len(self._old) else None
            if expected is not None and (expected == token or (is_time(expected) and is_time(token))):
                self._at += 1
                self._lost = self._lost and is_time(token)
            elif not is_time(token):
                self._resynchronise(token, tokens[read - 1] if read else None)
        self._read = len(tokens)

    def _resynchronise(self, token: int, before: int | None) -> None:
        """Continue after the nearest equal token of the old text: one with the same token before it, else one close by.

        Without one the token is taken for a substitution of the expected one.
        """
        at, old = self._at, self._old
        near = sorted(range(max(0, at - REACH), min(len(old), at + REACH)), key=lambda place: abs(place - at))
        found = [place for place in near if old[place] == token]
        pairs = [place for place in found if place and old[place - 1] == before]
        found = [place for place in found if abs(place - at) <= NEAR]
        self._at = (pairs or found or [at])[0] + 1
        self._lost = not (pairs or found)
