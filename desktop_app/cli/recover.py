"""`galley record --recover`: the text of recordings whose program was ended in the middle.

The lines that were written while somebody spoke stand; only the sound behind them is transcribed.
"""

from __future__ import annotations

from desktop_app.app.presentation.problems import sentence
from desktop_app.app.recordings.entry import DONE as WRITTEN
from desktop_app.cli.interrupts import INTERRUPTED
from desktop_app.cli.terminal import DONE, FAILED, Terminal
from desktop_app.texts import _


def run(terminal: Terminal, *, check: bool) -> int:
    """Write them down, beside their sound and in the library; gives the exit status."""
    found, say = terminal.interrupted(), terminal.screen.say
    if not found:
        say(_("There are no interrupted recordings."))
    status = DONE
    for entry in found:
        say(_("Transcribing {file}…", file=entry.path))
        terminal.session.transcribe_again(entry.id)
        if not terminal.written(entry):
            say(_("Interrupted. The recordings are kept."))
            return INTERRUPTED
        if entry.problem is not None:
            say(f"{entry.path}: {sentence(entry.problem)}")
        if entry.state != WRITTEN or not terminal.keep(entry.transcript()):
            status = FAILED
        elif check:
            status = max(status, terminal.check(entry))
        if status == INTERRUPTED:
            break
    return status


def offer(terminal: Terminal) -> None:
    """Say what was found of earlier recordings."""
    found = terminal.interrupted()
    for entry in found:
        when = f"{entry.created.astimezone():%Y-%m-%d %H:%M}"
        terminal.screen.say(
            _("A recording of {date} was interrupted. Its sound is kept in {file}", date=when, file=entry.path)
        )
    if found:
        terminal.screen.say(_("Transcribe interrupted recordings: galley record --recover"))
