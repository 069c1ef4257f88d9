"""The same tokens under other ids: a draft whose vocabulary differs from the target's by what stands between."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from desktop_app.decoding.rules import Rules
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

    def rules(self, rules: Rules) -> Rules:
        """The target's rules for the draft, and its noise: the draft draws each token with the target's noise for it,
        and so goes on agreeing."""
        drawn = rules.sampling
        if drawn is not None:
            drawn = _MappedSampling(drawn.temperature, drawn.window, len(self._there), self._back)
        return replace(rules, vocabulary=self.vocabulary, sampling=drawn)


@dataclass(frozen=True, eq=False)
class _MappedSampling(Sampling):
    """The noise of a vocabulary of `target_size` under other ids. Tokens without a counterpart are never written, so
    that their noise does not matter."""

    target_size: int
    back: Table

    def noise(self, position: int, size: int) -> npt.NDArray[np.float32]:
        return super().noise(position, self.target_size)[self.back]


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
