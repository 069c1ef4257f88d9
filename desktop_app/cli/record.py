"""`galley record`: what a microphone records, on the disk first, then as text in the terminal while it is spoken."""

from __future__ import annotations

import argparse
import contextlib
import os
import shlex
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread

from desktop_app.app.core import data_folder_problem
from desktop_app.app.live.live_recording import OFF, OPENING, PAUSED, RUNNING
from desktop_app.app.presentation import problems
from desktop_app.app.presentation.wording import clock, guard_report
from desktop_app.app.recordings.engine_events import FINISHING
from desktop_app.app.recordings.entry import DONE as WRITTEN
from desktop_app.app.recordings.entry import Entry, LiveLine
from desktop_app.cli import recover
from desktop_app.cli.interrupts import INTERRUPTED
from desktop_app.cli.live_screen import LiveScreen
from desktop_app.cli.terminal import DONE, FAILED, USAGE, Terminal
from desktop_app.cli.transcribe import make_folder
from desktop_app.problems import Problem
from desktop_app.texts import N_, _

_STATES = {OPENING: N_("Waiting for sound"), RUNNING: N_("Recording"), PAUSED: N_("Paused")}


def run(arguments: argparse.Namespace) -> int:
    """Record until Ctrl-C, or for so many seconds; gives the exit status."""
    with _quiet_libraries(), LiveScreen() as screen:
        if arguments.output and (problem := make_folder(Path(arguments.output))):
            screen.say(problem)
            return USAGE
        if unusable := data_folder_problem():
            screen.say(f"galley: {problems.sentence(unusable)}")
            return FAILED
        with Terminal(arguments, screen) as terminal:
            if arguments.recover:
                return recover.run(terminal, check=arguments.check)
            recover.offer(terminal)
            return _Recording(terminal).run(arguments.seconds, check=arguments.check)


class _Recording:
    """One recording with its text, as it is shown."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal, self._live, self._screen = terminal, terminal.live, terminal.screen
        self._entry: Entry | None = None
        self._phase, self._keys = OFF, ""
        self._troubles: tuple[Problem, ...] = ()
        self._lines = 0  # that are on the screen
        self._told: set[str] = set()
        self._was_paused = False
        session = terminal.session
        session.added.connect(self._begin)
        session.changed.connect(self._show_entry)
        session.text_changed.connect(self._show_text)
        session.trouble.connect(lambda found: self._say_paused())
        self._live.changed.connect(self._show_phase)
        self._live.levelled.connect(self._show_level)
        self._live.told.connect(self._screen.say)
        self._live.refused.connect(lambda problem: self._screen.say(f"galley: {problems.sentence(problem)}"))

    def run(self, seconds: float | None, *, check: bool) -> int:
        """From the first sample to the last word; gives the exit status."""
        live, terminal = self._live, self._terminal
        self._keys = _listen(lambda: terminal.post(live.toggle_pause))
        live.start()
        stopped = not terminal.until(lambda: live.phase == OFF or (seconds is not None and live.seconds >= seconds))
        live.stop()
        waited = terminal.until(lambda: live.phase == OFF)
        entry = self._entry
        if entry is None or entry.id not in terminal.session.entries:
            return INTERRUPTED if stopped else FAILED
        waited = waited and terminal.written(entry)
        live.close()  # the sound is whole in any case
        status = self._keep(entry)
        if self._screen.closed or terminal.ended_early:
            return FAILED
        if not waited:
            return INTERRUPTED
        return terminal.check(entry) if check and status == DONE else status

    def _keep(self, entry: Entry) -> int:
        """Say where everything is; gives the exit status."""
        say, path = self._screen.say, shlex.quote(entry.path)
        say(_("Recording: {file} ({length})", file=entry.path, length=clock(entry.seconds)))
        if entry.guarded:
            say(guard_report(entry.guarded))
        done = entry.state == WRITTEN
        if (done or entry.segments) and not self._terminal.keep(entry.transcript()):
            return FAILED
        if not done:
            say(_("The transcript is incomplete. Transcribe the whole recording: galley transcribe {file}", file=path))
        return DONE if done else FAILED

    def _begin(self, key: str) -> None:
        self._entry = self._terminal.session.entries[key]
        self._screen.status.source = self._live.source

    def _show_phase(self) -> None:
        before, self._phase = self._phase, self._live.phase
        if self._phase == RUNNING and before == OPENING and self._entry is not None:
            self._say_once(self._keys)
            self._say_once(_("The sound is saved to {file}", file=self._entry.path))
            if self._was_paused:
                self._screen.say(_("Recording again."))
        elif self._phase == PAUSED and before == RUNNING:
            self._was_paused = True
            self._screen.say(_("Paused. Press Return to resume."))
        state = _STATES.get(self._phase, FINISHING)
        self._screen.status.state = _(state)
        if self._live.problems != self._troubles and self._phase != OFF:
            self._troubles = self._live.problems
            message = problems.sentence(*self._troubles) or _("The sound arrives again.")
            self._screen.say(f"galley: {message}")

    def _say_paused(self) -> None:
        if self._phase == PAUSED:
            self._screen.say(_("The recording is still paused."))

    def _say_once(self, sentence: str) -> None:
        if sentence not in self._told:
            self._told.add(sentence)
            self._screen.say(sentence)

    def _show_level(self) -> None:
        self._screen.status.peak, self._screen.status.seconds = self._live.peak, self._live.seconds

    def _show_entry(self, key: str) -> None:
        entry = self._entry
        if entry is None or entry.id != key:
            return
        if entry.preparing and entry.preparing != _(FINISHING):
            self._say_once(entry.preparing)
        for notice in entry.models.notices if entry.models is not None else ():
            self._say_once(problems.sentence(notice))
        if entry.problem and self._live.is_on:
            why = problems.sentence(entry.problem)
            message = _("The transcript stops here. {why} The recording continues.", why=why)
            self._say_once(f"galley: {message}")

    def _show_text(self, key: str) -> None:
        entry, status = self._entry, self._screen.status
        if entry is None or entry.id != key:
            return
        if entry.state != WRITTEN or not entry.speakers:  # in the end lines are split between speakers
            for segment in entry.segments[self._lines :]:
                self._screen.line(segment.text)
            self._lines = max(self._lines, len(entry.segments))
        status.final = status.provisional = status.draft = ""
        for line in entry.lines:
            if isinstance(line, LiveLine):
                status.final, status.provisional = line.verified[: line.final], line.verified[line.final :]
                status.draft = line.draft
        if entry.live is not None:
            status.latency, status.backlog = entry.live.latency or 0.0, entry.live.behind


def _listen(pressed: Callable[[], None]) -> str:
    """Call `pressed` at every Return from now on, where somebody can press it; says which keys do something."""
    if sys.stdin is None or not sys.stdin.isatty():
        return _("Press Ctrl-C to stop.")
    if hasattr(signal, "SIGTTIN"):  # it would halt a recording that is sent to the background
        signal.signal(signal.SIGTTIN, signal.SIG_IGN)
    keys = sys.stdin.fileno()

    def listen() -> None:
        with contextlib.suppress(OSError):
            while os.read(keys, 1024):  # past Python's buffer, whose lock would keep the program from ending
                pressed()

    Thread(target=listen, name="keys", daemon=True).start()
    return _("Press Return to pause, Ctrl-C to stop.")


@contextlib.contextmanager
def _quiet_libraries() -> Iterator[None]:
    """PortAudio and ALSA print what only their authors understand on standard error, in the middle of the text."""
    try:
        is_ours = sys.stderr.fileno() == 2
    except (OSError, ValueError):
        is_ours = False
    if not is_ours:
        yield
        return
    before, terminal = sys.stderr, os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    os.close(nowhere)
    sys.stderr = os.fdopen(terminal, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)
    try:
        yield
    finally:
        sys.stderr.flush()
        sys.stderr = before
        os.dup2(terminal, 2)
        os.close(terminal)
