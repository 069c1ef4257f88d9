"""What went wrong, as a code and values; `app/presentation/problems.py` has the sentence and remedy of each code."""

from __future__ import annotations

from functools import partial
from typing import Any


class Problem(Exception):
    """Something that cannot be done, and that a person has to know of.

    Attributes:
        code: "disk.full", "model.damaged": its first part is the kind. Codes are stable; they are stored and compared.
        values: what the sentence names: texts, numbers, or the problem that caused this one.

    Equal where code and values are. Crosses process boundaries.
    """

    def __init__(self, code: str, /, **values: Any) -> None:
        super().__init__(code, values)
        self.code, self.values = code, values

    @property
    def kind(self) -> str:
        """What it concerns: "file", "model", "download", "microphone", "output", "disk", "library" or "engine"."""
        return self.code.partition(".")[0]

    def __str__(self) -> str:
        return " ".join([self.code, *(f"{name}={value!r}" for name, value in self.values.items())])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Problem) and (self.code, self.values) == (other.code, other.values)

    def __hash__(self) -> int:
        return hash(self.code)

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(Problem, self.code, **self.values), ()


def plain(problem: Problem) -> dict[str, Any]:
    """What JSON can hold; `from_plain` reads it."""
    values = {name: plain(one) if isinstance(one, Problem) else one for name, one in problem.values.items()}
    return {"code": problem.code, "values": values}


def from_plain(found: dict[str, Any]) -> Problem:
    """The problem from what `plain` gave."""
    values = {name: from_plain(one) if isinstance(one, dict) else one for name, one in found["values"].items()}
    return Problem(found["code"], **values)
