"""The same tokens under other ids: a draft whose vocabulary inserts extra tokens, or one that scores only some of the
target's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from desktop_app.decoding.rules import Rules, Written
from desktop_app.decoding.sampling import Sampling
from desktop_app.decoding.vocabulary import Vocabulary

Table = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Ids:
    """Which token of a draft is which of the target's; made by `map_ids`.

    `vocabulary` is the draft's under the target's suppress lists, so that nothing is drafted that the target has not or
    would not write. Tables give -1 where there is no such token.
    """

    vocabulary: Vocabulary
    _there: Table
    _back: Table

    def to_draft(self, tokens: Sequence[int]) -> list[int]:
        """A text of the target's in the draft's ids, without tokens that the draft has not."""
        found = self._there[np.asarray(tokens, np.int64)]
        return [int(token) for token in found[found >= 0]]

    def to_target(self, token: int) -> int | None:
        """A token of the draft's in the target's ids."""
        found = int(self._back[token])
        return found if found >= 0 else None

    def read(self, token: int) -> int:
        """The id by which the draft reads a token that it has written."""
        return token

    def written(self, rules: Rules, text: Sequence[int]) -> Written:
        """The state of its rules behind a text that the draft has read."""
        return rules.written(text)

    def rules(self, rules: Rules) -> Rules:
        """The target's rules for the draft, and its noise: the draft draws each token with the target's noise for it,
        and so goes on agreeing."""
        drawn = rules.sampling
        if drawn is not None:
            drawn = _MappedSampling(drawn.temperature, drawn.window, len(self._there), self._back)
        return replace(rules, vocabulary=self.vocabulary, sampling=drawn)


class HeadIds(Ids):
    """A draft that reads the target's own ids, but whose scores are only those of its head: it writes places in the
    head. Tokens that the head has not look like its first one to the rules, which ask for nothing but timestamps."""

    def to_draft(self, tokens: Sequence[int]) -> list[int]:
        return list(tokens)

    def read(self, token: int) -> int:
        return int(self._back[token])

    def written(self, rules: Rules, text: Sequence[int]) -> Written:
        return rules.written(np.maximum(self._there[np.asarray(text, np.int64)], 0).tolist())


@dataclass(frozen=True, eq=False)
class _MappedSampling(Sampling):
    """The noise of a vocabulary of `target_size` under other ids. Tokens without a counterpart are never written, so
    that their noise does not matter."""

    target_size: int
    back: Table

    def noise(self, position: int, size: int) -> npt.NDArray[np.float32]:
        return super().noise(position, self.target_size)[self.back]


def head_ids(target: Vocabulary, head_tokens: Sequence[int]) -> HeadIds:
    """The ids of a draft that scores only `head_tokens` of its target's, in ascending order, all timestamps among
    them."""
    back = np.asarray(head_tokens, np.int64)
    there = np.full(target.size, -1)
    there[back] = np.arange(len(back))

    def places(tokens: Sequence[int]) -> tuple[int, ...]:
        found = there[np.asarray(tokens, np.int64)]
        return tuple(found[found >= 0].tolist())

    vocabulary = Vocabulary(
        size=len(back),
        end=int(there[target.end]),
        start=int(there[target.start]),
        no_timestamps=int(there[target.no_timestamps]),
        first_timestamp=int(there[target.first_timestamp]),
        suppress=places(target.suppress),
        begin_suppress=places(target.begin_suppress),
        max_initial_timestamp=target.max_initial_timestamp,
        seconds_per_timestamp=target.seconds_per_timestamp,
    )
    return HeadIds(vocabulary, there, back)


def map_ids(target: Vocabulary, draft: Vocabulary, named: Mapping[int, int]) -> Ids:
    """The ids of a draft for those of a target. `named` has the tokens that are called the same; the end is mapped as
    such, timestamps by their seconds."""
    there, back = np.full(target.size, -1), np.full(draft.size, -1)
    pairs = {**named, target.end: draft.end}
    for time in range(target.first_timestamp, target.size):
        same = draft.timestamp(target.seconds(time))
        if same is not None:
            pairs[time] = same
    for token, same in pairs.items():
        there[token], back[same] = same, token
    ids = Ids(draft, there, back)
    suppress = {*np.flatnonzero(back < 0).tolist(), *ids.to_draft(target.suppress)}
    first = target.max_initial_timestamp
    latest = None if first is None else draft.timestamp(target.seconds(target.first_timestamp + first))
    return replace(
        ids,
        vocabulary=replace(
            draft,
            suppress=tuple(sorted(suppress)),
            begin_suppress=tuple(ids.to_draft(target.begin_suppress)),
            max_initial_timestamp=None if latest is None else latest - draft.first_timestamp,
        ),
    )
