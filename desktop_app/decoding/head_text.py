"""The text that a CTC head writes of a window, and how far the target has come in it.

Both are aligned letter by letter, since such a head misspells many words: by the edit distance of Wagner and
Fischer, "The string-to-string correction problem" (1974), one row further with each letter that the target writes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np

from desktop_app.decoding.drafters import common
from desktop_app.decoding.retokenised import Spelling

TIME = 256
"""The symbol of the first timestamp, behind those of letters; further times follow it."""
_SPACE = ord(" ")


class HeadText:
    """`symbols` are the bytes of the text's letters, and times: perhaps one where the first segment begins, and one
    where each ends, which is where the next begins."""

    def __init__(self, spelling: Spelling, symbols: Sequence[int]) -> None:
        self._spelling, self._symbols = spelling, list(symbols)
        self._kinds = np.minimum(np.array(symbols, np.int64), TIME)
        self._places = np.arange(len(symbols) + 1)
        self._within_word = np.array([*((self._kinds != _SPACE) & (self._kinds != TIME)), False])
        self._tokens, self._begins = self._tokenised()
        self._written: list[int] = []
        # After each token that the target has written, the distances between its text and this one up to each place,
        # less the number of that place.
        self._distances = [np.zeros_like(self._places)]

    def _tokenised(self) -> tuple[list[int], list[int]]:
        """The tokens of the text with the end token, and the place where each begins."""
        tokens, begins, symbols, last = list[int](), list[int](), self._symbols, len(self._symbols) - 1
        at = 0
        while at <= last:
            end = next((i for i in range(at, last + 1) if symbols[i] >= TIME), last + 1)
            for token in self._spelling.split(bytes(symbols[at:end])):
                tokens.append(token)
                begins.append(at)
                at += len(self._spelling.pieces[token])
            for time in symbols[end : end + 1] * (1 if end in (0, last) else 2):
                tokens.append(self._spelling.vocabulary.first_timestamp + time - TIME)
                begins.append(end)
            at = end + 1
        return [*tokens, self._spelling.vocabulary.end], [*begins, last + 1]

    def after(self, tokens: Sequence[int], count: int) -> list[int]:
        """The `count` tokens, or fewer up to the end token, that follow `tokens`, all that is written so far."""
        known = common(self._written, tokens)  # less than all where the last ones were a proposal that was rejected
        del self._written[known:], self._distances[known + 1 :]
        for token in tokens[known:]:
            self._follow(token)
        at, is_timestamp = self._place(), self._spelling.vocabulary.is_timestamp
        closed = len(tokens) > 1 and is_timestamp(tokens[-1]) and not is_timestamp(tokens[-2])
        begins = [tokens[-1]] if closed and at < len(self._symbols) else []
        return [*begins, *self.tokens(count, at)][:count]

    def tokens(self, count: int, at: int = 0) -> list[int]:
        """The first `count` tokens of the text from a place on, or fewer up to the end token."""
        first, rest = bisect_left(self._begins, at), list[int]()
        if self._begins[first] != at:  # within a token: the rest of its word is tokenised by itself
            word = at + int(self._within_word[at:].argmin())
            rest = [*self._spelling.split(bytes(self._symbols[at:word]))]
            first = bisect_left(self._begins, word)
        return [*rest, *self._tokens[first : first + count]][:count]

    def _follow(self, token: int) -> None:
        vocabulary = self._spelling.vocabulary
        symbols = (TIME,) if vocabulary.is_timestamp(token) else self._spelling.pieces[token]
        self._written.append(token)
        distances = self._distances[-1]
        for symbol in symbols:
            further = distances + 1
            np.minimum(further[1:], distances[:-1] - (self._kinds == symbol), out=further[1:])
            distances = np.minimum.accumulate(further)
        self._distances.append(distances)

    def _place(self) -> int:
        """The place nearest to what the target has written; of several the first that is not within a word."""
        return int((2 * (self._distances[-1] + self._places) + self._within_word).argmin())
