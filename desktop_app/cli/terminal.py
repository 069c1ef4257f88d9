"""The application in a terminal: what it says is printed, what takes long is waited for. Ctrl-C ends one wait; SIGTERM,
SIGHUP and a reader that is gone end all."""

from __future__ import annotations

import argparse
import queue
import signal
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from types import FrameType

from desktop_app import folders
from desktop_app.app.background import BackgroundThread
from desktop_app.app.core import Core
from desktop_app.app.library.recovery import remove_empty
from desktop_app.app.live.inputs import Inputs
from desktop_app.app.presentation.problems import sentence
from desktop_app.app.recordings.entry import IN_WORK, Entry
from desktop_app.audio import microphone
from desktop_app.audio.microphone import Input
from desktop_app.audio.recording import Recorder, RecorderListener
from desktop_app.cli import export_arguments, model_arguments, results
from desktop_app.cli.interrupts import INTERRUPTED, termination
from desktop_app.cli.live_screen import LiveScreen, ScreenStatus
from desktop_app.engine.client import Engine
from desktop_app.messages.options import RECORD
from desktop_app.problems import Problem
from desktop_app.texts import N_, _, ngettext
from desktop_app.transcript.model import Transcript

DONE, FAILED, USAGE = 0, 1, 2
_TURN = 0.1  # seconds


class Terminal:
    """The application and the screen that shows it; used by `with`.

    Attributes: session, live, checks (the application's); screen; ended_early (whether a recording has).
    """

    ended_early = False

    def __init__(self, arguments: argparse.Namespace, screen: LiveScreen) -> None:
        self.screen, self._export = screen, export_arguments.export(arguments)
        self._calls: queue.SimpleQueue[Callable[[], object]] = queue.SimpleQueue()
        self._shown_once: set[str] = set()
        self._interrupted = False
        # A word has one speaker, a line may have two.
        words = arguments.speakers != "off" or self._export.form.needs_words
        options = model_arguments.options(arguments, RECORD, words=words)
        folder = Path(arguments.output) if arguments.output else folders.recordings()
        named: str | None = arguments.input

        def make_recorder(path: Path, input_id: str | None, listener: RecorderListener) -> Recorder:
            return Recorder(path, input_id if named else None, listener)  # None: the system's choice may change

        def inputs() -> list[Input]:
            return [microphone.find(named)] if named else microphone.inputs()

        self._core = Core(
            Engine(lambda event: self.post(partial(self.session.handle, event))),
            BackgroundThread("library", self.post),
            lambda: options,
            Inputs(inputs, self.post),
            make_recorder,
            lambda: folder,
        )
        self.session, self.live, self.checks = self._core.session, self._core.live, self._core.checks
        self.session.trouble.connect(self._say_trouble)

    def __enter__(self) -> Terminal:
        self._handlers = ExitStack()
        self._handlers.enter_context(termination.handled(self._interrupt, signal.SIGINT))
        self._core.tell_trouble()
        looked: list[list[Entry]] = []
        self._core.worker.do(lambda: None, lambda loaded: remove_empty(self.session, looked.append))
        self.until(lambda: bool(looked))
        for entry in looked[0] if looked else []:
            self.screen.say(
                _(
                    "A recording of {date} was interrupted before its first sound. It was removed.",
                    date=f"{entry.created.astimezone():%Y-%m-%d %H:%M}",
                )
            )
        return self

    def __exit__(self, *error: object) -> None:
        try:
            self._core.close()
        finally:
            self._handlers.close()

    def post(self, call: Callable[[], object]) -> None:
        """Make a call in the main thread; from any thread."""
        self._calls.put(call)

    def until(self, done: Callable[[], object]) -> bool:
        """Show what happens until it is `done`; False when Ctrl-C was pressed before that, or the program is to end."""
        while not done():
            if termination.number or self.screen.closed:
                return False
            if self._interrupted:
                self._interrupted = False
                return False
            with suppress(queue.Empty):
                self._calls.get(timeout=_TURN)()
        return True

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        """Nothing that the application does is torn apart."""
        if number == signal.SIGINT:
            self._interrupted = True
        else:
            termination.number = termination.number or number

    def _say_trouble(self, problems: tuple[Problem, ...]) -> None:
        self.ended_early = self.ended_early or any(one.code == "microphone.ended_early" for one in problems)
        text = f"galley: {sentence(*problems)}"
        if text not in self._shown_once:  # a disk that is full is so with every line
            self._shown_once.add(text)
            self.screen.say(text)

    def interrupted(self) -> list[Entry]:
        """The recordings that were interrupted and whose sound is there."""
        return [entry for entry in self.session.interrupted if Path(entry.path).exists()]

    def keep(self, transcript: Transcript, ending: str = "", what: str = N_("Transcript")) -> bool:
        """Write a text beside its sound, and say where; gives whether that could be done."""
        place = Path(transcript.path).with_suffix(f"{ending}.{self._export.form.extension}")
        return results.keep(transcript, place, self._export, _(what), self.screen.say)

    def check(self, entry: Entry) -> int:
        """Transcribe the file as any other, say how many words that would change, and keep that text beside the live
        one; gives the exit status."""
        self.screen.status = ScreenStatus(state=_("Re-checking the whole recording"))
        self.checks.begin(entry.id)
        check = self.checks.running[entry.id]
        if not self.until(lambda: check.transcript is not None or check.problem):
            self.screen.say(_("Interrupted. The recording and its transcript are kept."))
            return INTERRUPTED
        if check.problem is not None:
            self.screen.say(f"{entry.path}: {sentence(check.problem)}")
        if check.transcript is None:
            return FAILED
        if not check.words:
            self.screen.say(_("The re-check confirms every word."))
            return DONE
        self.screen.say(
            ngettext("The re-check would change {n} word.", "The re-check would change {n} words.", check.words)
        )
        return DONE if self.keep(check.transcript, ".checked", N_("Re-checked transcript")) else FAILED

    def written(self, entry: Entry) -> bool:
        """Wait for the text of a recording; False when Ctrl-C was pressed before that."""
        return self.until(lambda: entry.state not in IN_WORK)
