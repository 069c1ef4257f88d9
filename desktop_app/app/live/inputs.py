"""What can be recorded from, and what the user has chosen of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from desktop_app.app.background import BackgroundThread, Post
from desktop_app.app.settings.preferences import Preferences
from desktop_app.app.signals import Signal
from desktop_app.audio.microphone import Input
from desktop_app.problems import Problem


class Inputs:
    """The inputs of this computer; asking for them never waits in the front end's thread.

    Attributes: found (the system's default first); problem (why there are none, or None).
    Signals: changed() when the list or the choice is another one.
    """

    def __init__(
        self, list_inputs: Callable[[], list[Input]], post: Post, preferences: Preferences | None = None
    ) -> None:
        self._list_inputs, self._preferences = list_inputs, preferences
        self._worker = BackgroundThread("inputs", post)
        self.changed: Signal[[]] = Signal()
        self.found: list[Input] = []
        self.problem: Problem | None = None

    def refresh(self, then: Callable[[], object] | None = None) -> None:
        """Ask the system again; `changed` and `then` follow."""

        def show(found: list[Input], problem: Problem | None = None) -> None:
            self.found, self.problem = found, problem
            self.changed.emit()
            if then is not None:
                then()

        self._worker.do(self._list_inputs, show, partial(show, []))

    @property
    def chosen(self) -> Input | None:
        """The input that is remembered; the default where it is not there, or none was ever chosen."""
        remembered = self._preferences.microphone if self._preferences is not None else ""
        same = [found for found in self.found if label(found) == remembered]
        return same[0] if same else next(iter(self.found), None)

    def choose(self, wanted: Input) -> None:
        """Record from this one, now and at the next start."""
        if self._preferences is not None:
            self._preferences.microphone = label(wanted)
        self.changed.emit()

    def another_than(self, lost: str) -> Input | None:
        """What to offer when the input called `lost` is gone: a microphone rather than what the computer plays."""
        others = [found for found in self.found if found.name != lost]
        return next((found for found in others if not found.is_system), next(iter(others), None))

    def close(self) -> None:
        """End the thread."""
        self._worker.close(0.0)


def label(found: Input) -> str:
    """What an input is remembered by: ids change from start to start, names do not."""
    return f"{found.name} ({found.host})"
