"""What can be recorded from, and what the user has chosen of it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from desktop_app.audio.microphone import Input, MicrophoneProblem
from desktop_app.ui.errands import Errands
from desktop_app.ui.settings.preferences import Preferences


class Inputs(QObject):
    """The inputs of this computer; asking for them never waits in the main thread.

    Attributes: found (the system's default first); problem (why there are none, or None).
    Signals: changed() when the list or the choice is another one.
    """

    changed = Signal()

    def __init__(
        self, list_inputs: Callable[[], list[Input]], preferences: Preferences, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._list_inputs, self._preferences = list_inputs, preferences
        self._errands = Errands("inputs", self)
        self.found: list[Input] = []
        self.problem: MicrophoneProblem | None = None

    def refresh(self, then: Callable[[], None] | None = None) -> None:
        """Ask the system again; `changed` and `then` follow."""

        def show(found: list[Input]) -> None:
            self._show(found, None)
            if then is not None:
                then()

        def say(problem: MicrophoneProblem) -> None:
            self._show([], problem)
            if then is not None:
                then()

        self._errands.do(self._list_inputs, show, say)

    @property
    def chosen(self) -> Input | None:
        """The input that is remembered; the default where it is not there, or none was ever chosen."""
        remembered = self._preferences.microphone
        same = [found for found in self.found if label(found) == remembered]
        return same[0] if same else next(iter(self.found), None)

    def choose(self, wanted: Input) -> None:
        """Record from this one, now and at the next start."""
        self._preferences.microphone = label(wanted)
        self.changed.emit()

    def another_than(self, lost: str) -> Input | None:
        """What to offer when the input called `lost` is gone: a microphone rather than what the computer plays."""
        others = [found for found in self.found if found.name != lost]
        return next((found for found in others if not found.is_system), next(iter(others), None))

    def close(self) -> None:
        """End the thread."""
        self._errands.close()

    def _show(self, found: list[Input], problem: MicrophoneProblem | None) -> None:
        self.found, self.problem = found, problem
        self.changed.emit()


def label(found: Input) -> str:
    """What an input is remembered by: ids change from start to start, names do not."""
    return f"{found.name} ({found.host})"
