"""Somebody who uses the window, as a program of its own: `python -m tests.chaos.user [CLIP FOLDER] [--speak CLIP]`.

Says each step that is done on standard output, and ends with a sentence where one is not done in time.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QApplication

from desktop_app.app.live.live_recording import OFF, RUNNING
from desktop_app.app.recordings.entry import DONE, IN_WORK, Entry
from desktop_app.export.formats import FORMATS
from desktop_app.ui.shell.app import Program

_SECONDS = 90.0  # for a step, on a computer that is busy with other things


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("clip", nargs="?")
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--speak", metavar="CLIP", help="record a microphone while this is played")
    arguments = parser.parse_args()
    app = QApplication([])
    user = User(app)
    if arguments.clip:
        user.transcribe(arguments.clip, arguments.folder)
    user.look_at_models(verify=bool(arguments.clip))
    if arguments.speak:
        user.record(arguments.speak)
    user.program.window.close()
    user.program.close()
    print("closed", flush=True)


class User:
    """Uses a window of the program."""

    def __init__(self, app: QApplication) -> None:
        self._app = app
        self.program = Program(app)
        self.program.window.show()

    def until(self, step: str, done: Callable[[], object]) -> None:
        """Let the window work until the step is done."""
        end = time.monotonic() + _SECONDS
        while not done():
            if time.monotonic() > end:
                sys.exit(f"{step}: not done in {_SECONDS:.0f} s")
            self._app.processEvents()
            time.sleep(0.01)
        print(step, flush=True)

    def transcribe(self, clip: str, folder: Path) -> None:
        """Drop a file, read its text, search it, and save it in every format."""
        window, session = self.program.window, self.program.session
        window.add([clip])
        self.until("added", lambda: session.entries)
        (entry,) = session.entries.values()
        self._wait("transcribed", entry)
        words = window.page.view.text().split()
        assert words, "the window shows no text"
        window.sidebar.search.setText(words[0])
        self.until("found", lambda: session.entries)
        window.sidebar.search.clear()
        for name, form in FORMATS.items():
            place = folder / f"text.{form.extension}"
            window.exports.write(entry, name, place)
            self.until(f"{name} saved", place.exists)
        print("saved", flush=True)

    def look_at_models(self, verify: bool) -> None:
        """Open the pages of models and settings, and verify a model."""
        window, models = self.program.window, self.program.models
        window.show_models()
        models.refresh()
        self.until("listed", lambda: models.list is not None and not models.jobs)
        if verify:
            models.verify("base")
            self.until("verified", lambda: not models.jobs)
            assert not models.problems, models.problems
        window.show_settings()

    def record(self, spoken: str) -> None:
        """Record the microphone while something is said."""
        live = self.program.live
        live.start()
        self.until("recording", lambda: live.phase == RUNNING or live.problems)
        entry = live.entry
        assert entry is not None, live.problems
        with subprocess.Popen(["paplay", spoken]) as playing:
            self.until("spoken", lambda: playing.poll() is not None)
        live.stop()
        self.until("stopped", lambda: live.phase == OFF)
        self._wait("recorded", entry)
        assert Path(entry.path).stat().st_size, "the recording is empty"

    def _wait(self, step: str, entry: Entry) -> None:
        self.until(step, lambda: entry.state not in IN_WORK)
        assert entry.state == DONE, entry.problem


if __name__ == "__main__":
    main()
