"""Text on standard output; sentences, and on a terminal the progress, on standard error."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from desktop_app import printing
from desktop_app.app.presentation.wording import size
from desktop_app.texts import N_, _

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_WORK = {
    "Asking": N_("Connecting"),
    "Downloading": N_("Downloading"),
    "Copying": N_("Copying"),
    "Checking": N_("Verifying"),
    "Unpacking": N_("Unpacking"),
}


class Screen:
    """Keeps text, sentences and a moving line of progress apart; used by `with`."""

    def __init__(self) -> None:
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        self._shown = ""

    def __enter__(self) -> Screen:
        if sys.stderr.isatty():
            self._progress = _progress()
            self._progress.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._progress is not None:
            self._progress.stop()

    def text(self, text: str) -> None:
        """A part of the result."""
        if self._progress is not None and sys.stdout.isatty():
            self._progress.console.out(printing.printable(text), end="", highlight=False)  # above the moving line
        else:
            printing.out(text)

    def say(self, sentence: str) -> None:
        """A sentence for the user."""
        if self._progress is not None:
            self._progress.console.out(printing.printable(sentence), highlight=False)
        else:
            printing.say(sentence)

    def show_bytes(self, what: str, done: int, total: int) -> None:
        """What is being done to a model's files, as `checkpoints` names it, and how many bytes of how many."""
        named = _WORK.get(what, what)
        self.show(_(named), done, total, _("{done} of {total}", done=size(done), total=size(total)) if total else "")

    def show(self, what: str, done: float = 0.0, total: float = 0.0, note: str = "") -> None:
        """What is being done, and how far it is: `done` of `total`, which is 0 where nobody knows; `note` stands
        behind."""
        if self._progress is None:
            return
        if self._task is None:
            self._task = self._progress.add_task("", total=None, note="")
        if what != self._shown:  # what was done before it began, as by a run that was stopped, took no time
            self._progress.reset(self._task, completed=int(done))
            self._shown = what
        self._progress.update(
            self._task,
            description=printing.printable(what),
            completed=min(done, total) if total else done,
            total=total or None,
            note=printing.printable(note),
        )

    def clear(self) -> None:
        """Nothing is being done."""
        if self._progress is not None and self._task is not None:
            self._progress.remove_task(self._task)
            self._task = None


def _progress() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}", markup=False),
        console=Console(file=printing.ERRORS),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
