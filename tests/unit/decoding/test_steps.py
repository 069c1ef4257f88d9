"""Work in steps: texts have the same results alone and together, and each is charged what its passes took."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.decoding.protocol import Scores
from desktop_app.decoding.steps import Read, Steps, alone, timed, together


class Clock:
    """A clock that goes on only while a pass is run."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def pause(self, seconds: float) -> None:
        self.now += seconds


clock = Clock()


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("desktop_app.decoding.steps.perf_counter", clock)


class Row:
    """A model and its own cursor: it answers tokens with their sum so far, and a pass takes a while."""

    def __init__(self, pause: float = 0.0) -> None:
        self._sum, self._pause = 0, pause

    def run(self, tokens: Sequence[int]) -> Scores:
        clock.pause(self._pause)
        self._sum += sum(tokens)
        return np.full((len(tokens), 1), self._sum, np.float32)


class Rows:
    """A batch of them. Attributes: passes (the rows that read in each)."""

    def __init__(self, count: int, pause: float = 0.0) -> None:
        self.rows: list[Any] = [Row() for _ in range(count)]
        self._pause = pause
        self.passes: list[list[int]] = []

    def encode(self, features: Any) -> Any:
        raise NotImplementedError

    def run(self, reads: Sequence[tuple[Any, Sequence[int]]]) -> list[Scores]:
        clock.pause(self._pause)
        self.passes.append([self.rows.index(row) for row, _ in reads])
        return [row.run(tokens) for row, tokens in reads]


def text(script: Sequence[tuple[Any, int]]) -> Steps[list[float]]:
    """Reads one token after another, each by its model; what it was answered."""
    found = []
    for row, token in script:
        reply = yield Read(row, row, [token] * (token + 1))
        found.append(float(reply.scores[-1, 0]))
    return found


scripts = st.lists(st.lists(st.tuples(st.booleans(), st.integers(0, 9)), max_size=8), min_size=1, max_size=5)


@given(scripts)
def test_texts_side_by_side_are_what_they_are_alone(scripts: list[list[tuple[bool, int]]]) -> None:
    """Of any lengths, none among them, and whichever of two models each wants next."""
    target, draft = Rows(len(scripts)), Rows(len(scripts))
    found: dict[int, list[float]] = {}

    def kept(number: int) -> Steps[None]:
        models = draft.rows[number], target.rows[number]
        found[number] = yield from text([(models[wants], token) for wants, token in scripts[number]])

    together([kept(number) for number in range(len(scripts))], [target, draft])
    for number, script in enumerate(scripts):
        rows = Row(), Row()
        assert found[number] == alone(text([(rows[wants], token) for wants, token in script]))
    assert sum(map(len, [*target.passes, *draft.passes])) == sum(map(len, scripts))


def test_a_pass_for_several_texts_is_charged_in_shares() -> None:
    """Alone, a text is charged all of it; what others do between two of its steps costs it nothing."""
    rows, seconds = Rows(4, pause=1.0), list[float]()

    def kept(number: int) -> Steps[None]:
        _, took = yield from timed(text([(rows.rows[number], 1)] * (1 + 2 * (number == 0))))
        seconds.append(took)

    together([kept(number) for number in range(4)], [rows])
    assert [len(each) for each in rows.passes] == [4, 1, 1]
    assert sorted(seconds) == [0.25, 0.25, 0.25, 2.25]


def test_alone_a_text_is_charged_its_passes_and_its_own_work() -> None:
    def work() -> Steps[str]:
        clock.pause(1.0)
        yield Read(row, row, [1])
        clock.pause(1.0)
        return "done"

    row: Any = Row(pause=1.0)
    result, seconds = alone(timed(work()))
    assert result == "done" and seconds == 3.0


def test_what_a_text_raises_ends_all_of_them() -> None:
    rows, ended = Rows(2), list[int]()

    def kept(number: int) -> Steps[None]:
        try:
            yield from text([(rows.rows[number], 1)] * (2 + number))
            raise ValueError(number)
        finally:
            ended.append(number)

    with pytest.raises(ValueError, match="0"):
        together([kept(0), kept(1)], [rows])
    assert sorted(ended) == [0, 1]
