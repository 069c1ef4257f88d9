"""Decoding in steps: work on one text that stops wherever it needs a pass of a model.

One text has its passes one after another (`alone`). Several texts go on side by side (`together`): what they read at
the same time is one pass of a batch, in which each text has its own number of tokens at a position of its own.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TypeVar

from desktop_app.decoding.protocol import Batch, Cursor, Model, Scores

Result = TypeVar("Result")


@dataclass(frozen=True)
class Read:
    """What a text waits for: that its `model` reads `tokens` at its `cursor`."""

    model: Model
    cursor: Cursor
    tokens: Sequence[int]


@dataclass(frozen=True)
class Reply:
    """The scores that follow each of the tokens, and the seconds that it took; of a pass for several texts each is
    charged an equal share, so that the seconds of all add up to those that passed."""

    scores: Scores
    seconds: float


Steps = Generator[Read, Reply, Result]
"""Work with a result that gives a Read for each pass, and is sent the Reply."""


def alone(steps: Steps[Result]) -> Result:
    """Do the work, pass by pass; gives its result."""
    try:
        read = next(steps)
        while True:
            began = perf_counter()
            scores = read.cursor.run(read.tokens)
            read = steps.send(Reply(scores, perf_counter() - began))
    except StopIteration as end:
        result: Result = end.value
        return result


def together(texts: Iterable[Steps[None]], batches: Sequence[Batch]) -> None:
    """Do the work on several texts side by side, each with models of its own row of the `batches`.

    A pass is run for all that wait for the same batch. The last batch goes first: with the draft model behind the
    target, the target's pass waits until nobody drafts any more, and then verifies the draft of every row.
    """
    batch_of = {id(row): batch for batch in batches for row in batch.rows}
    waiting: dict[Steps[None], Read] = {}
    for text in texts:
        if (read := next(text, None)) is not None:
            waiting[text] = read
    while waiting:
        busy = [batch_of[id(read.model)] for read in waiting.values()]
        batch = next(batch for batch in reversed(batches) if batch in busy)
        turn = [(text, read) for text, read in waiting.items() if batch_of[id(read.model)] is batch]
        began = perf_counter()
        scores = batch.run([(read.cursor, read.tokens) for _, read in turn])
        seconds = (perf_counter() - began) / len(turn)
        for (text, _), its in zip(turn, scores, strict=True):
            try:
                waiting[text] = text.send(Reply(its, seconds))
            except StopIteration:
                del waiting[text]


def timed(steps: Steps[Result]) -> Steps[tuple[Result, float]]:
    """The same steps; gives their result and the seconds that they took, without those of other texts."""
    seconds, began = 0.0, perf_counter()
    try:
        read = next(steps)
        while True:
            seconds += perf_counter() - began
            reply = yield read
            seconds += reply.seconds
            began = perf_counter()
            read = steps.send(reply)
    except StopIteration as end:
        return end.value, seconds + perf_counter() - began
