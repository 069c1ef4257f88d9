"""Token ids of drafts that share the target's tokenizer but not its ids: a draft whose vocabulary inserts extra tokens,
or one with a reduced head, which scores only some of the target's tokens."""

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
    """Maps token ids between target and draft; made by `map_ids`.

    `vocabulary` is the draft's with the target's suppress lists, so that no token is drafted that the target lacks or
    suppresses. The tables, [tokens] each, contain -1 for tokens without a counterpart.
    """

    vocabulary: Vocabulary
    _there: Table
    _back: Table

    def to_draft(self, tokens: Sequence[int]) -> list[int]:
        """The target's tokens in the draft's ids, without those that the draft lacks."""
        found = self._there[np.asarray(tokens, np.int64)]
        return [int(token) for token in found[found >= 0]]

    def to_target(self, token: int) -> int | None:
        """A drafted token in the target's ids; None where the target lacks it."""
        found = int(self._back[token])
        return found if found >= 0 else None

    def chosen(self, token: int) -> int:
        """What the draft chooses to write a token of the target; -1 where it cannot."""
        return int(self._there[token])

    def read(self, token: int) -> int:
        """The input id of a token that the draft chose."""
        return token

    def written(self, rules: Rules, text: Sequence[int]) -> Written:
        """The state of the rules after `text`, in the draft's ids."""
        return rules.written(text)

    def rules(self, rules: Rules) -> Rules:
        """The target's rules for the draft's vocabulary. When sampling, each token keeps the target's noise, so that
        the draft keeps agreeing with the target."""
        drawn = rules.sampling
        if drawn is not None:
            drawn = _MappedSampling(drawn.temperature, drawn.window, len(self._there), self._back)
        return replace(rules, vocabulary=self.vocabulary, sampling=drawn)


class HeadIds(Ids):
    """A draft with a reduced head: its inputs are the target's ids, it scores the rows of its head, [rows].

    Its rules work on rows. Tokens without a row count as -1, which is not a timestamp; the rules need no more.
    """

    def to_draft(self, tokens: Sequence[int]) -> list[int]:
        return list(tokens)

    def read(self, token: int) -> int:
        return int(self._back[token])

    def written(self, rules: Rules, text: Sequence[int]) -> Written:
        return rules.written(self._there[np.asarray(text, np.int64)].tolist())


@dataclass(frozen=True, eq=False)
class _MappedSampling(Sampling):
    """The noise of a vocabulary of `target_size` under the draft's ids. Tokens without a counterpart are suppressed, so
    that their noise does not matter."""

    target_size: int
    back: Table

    def noise(self, position: int, size: int) -> npt.NDArray[np.float32]:
        return super().noise(position, self.target_size)[self.back]


def head_ids(target: Vocabulary, head_tokens: Sequence[int]) -> HeadIds:
    """The ids of a draft that scores only `head_tokens` of its target: ascending, with all timestamps."""
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
    """The ids of a draft for those of a target. `named` maps tokens of the same spelling or name; the end token is
    mapped to the end token, timestamps by their seconds."""
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
