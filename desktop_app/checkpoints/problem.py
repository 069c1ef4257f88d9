"""What is said when a model cannot be used."""

from __future__ import annotations


class ModelProblem(Exception):
    """A model that cannot be used: the `reason` and the `remedy`, each one short clause in plain English without a full
    stop.
    """

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(f"{reason}; {remedy}")
        self.reason = reason
        self.remedy = remedy

    def __reduce__(self) -> tuple[type[ModelProblem], tuple[str, str]]:
        """Pickled with both of its clauses, so that it can cross a pipe."""
        return type(self), (self.reason, self.remedy)
