"""The programs that `tests.chaos.kills` kills and `tests.chaos.disk` takes the room from.

`python -m tests.chaos.victims NAME ARGUMENT...` runs one. What belongs to the user lies in GALLEY_HOME. A line on the
standard output says what is promised from then on.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np

from desktop_app.app.presentation.problems import sentence
from desktop_app.audio.microphone import Input
from desktop_app.checkpoints.installed import disk_problem
from desktop_app.problems import Problem
from desktop_app.transcript.constants import SAMPLE_RATE
from tests.fake_input import FakeInput, Sound, read

_FAKE = Input("fake:desk", "Fake", "Fake", 1, SAMPLE_RATE, True, False)
_BLOCK = SAMPLE_RATE // 10


_LONGER = 300  # seconds: more than any of them records


def spoken(clips: Sequence[str]) -> Sound:
    """The clips over and over, with a pause behind each: what the fake microphone hears."""
    once = np.concatenate([part for clip in clips for part in (read(Path(clip)), np.zeros(SAMPLE_RATE, np.float32))])
    return np.resize(once, _LONGER * SAMPLE_RATE)


def _speak(stream: FakeInput, sound: Sound) -> None:
    """Say it in real time, and before each tenth of a second how many samples are said with it."""
    began = time.monotonic()
    for start in range(0, sound.size, _BLOCK):
        time.sleep(max(0.0, began + (start + _BLOCK) / SAMPLE_RATE - time.monotonic()))
        if stream.closed:
            break
        print(start + _BLOCK, flush=True)
        stream.say(sound[start : start + _BLOCK])


def _plugged(sound: Sound) -> Callable[[str | None], FakeInput]:
    """What opens a microphone that hears the sound, from then on."""

    def opened(name: str | None) -> FakeInput:
        stream = FakeInput()
        Thread(target=_speak, args=(stream, sound), daemon=True).start()
        return stream

    return opened


def window(*files: str) -> int:
    """Open the window, take up what was broken off, transcribe the files, and end."""
    return _use_window(files, _close_when_done)


def edit(*files: str) -> int:
    """The same, and the first line of every text gets a speaker of its own before the end."""
    return _use_window(files, _edit_when_done)


def _use_window(files: Sequence[str], then: Callable[[Any], None]) -> int:
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication

    from desktop_app.app.recordings.entry import BROKEN_OFF, FAILED
    from desktop_app.ui.shell.app import Program

    app = QApplication([])
    program = Program(app)
    program.window.show()
    program.session.trouble.connect(_say_trouble)
    program.core.tell_trouble()  # what the window has said already

    def begin() -> None:
        for key in [key for key, entry in program.session.entries.items() if entry.state in (*BROKEN_OFF, FAILED)]:
            program.session.transcribe_again(key)
        if files:
            before = len(program.session.entries)
            program.window.add(files)
            _when(lambda: len(program.session.entries) == before + len(files), lambda: then(program))
        else:
            then(program)

    QTimer.singleShot(0, lambda: _after_loading(program, begin))
    return app.exec()


def live(seconds: str, *clips: str) -> int:
    """Open the window, record for so many seconds, and end when the text is written."""
    from PySide6.QtWidgets import QApplication

    from desktop_app.app.live.live_recording import RUNNING
    from desktop_app.ui.shell.app import Program

    sound = spoken(clips)
    app = QApplication([])
    program = Program(app, list_inputs=lambda: [_FAKE], open_stream=_plugged(sound))
    program.window.show()
    live = program.live
    live.start()

    def stop() -> None:
        live.stop()
        _close_when_done(program)

    _when(lambda: live.phase == RUNNING and live.seconds >= float(seconds), stop)
    return app.exec()


def record(seconds: str, *clips: str) -> int:
    """`galley record` for so many seconds."""
    from desktop_app import cli
    from desktop_app.audio import microphone
    from desktop_app.audio.recording import Recorder
    from desktop_app.cli import terminal

    microphone.inputs = lambda: [_FAKE]
    terminal.Recorder = partial(Recorder, open_stream=_plugged(spoken(clips)))
    return cli.main(["record", "--seconds", seconds, "--format", "json"])


def quantise(model: str) -> int:
    """Write a model's int8 weights as the page of models does, in a process of its own."""
    import queue

    from desktop_app.engine.model_work import Task
    from desktop_app.messages.model_work import Done, Message, Quantise, Refused, Step

    said: queue.SimpleQueue[Message] = queue.SimpleQueue()
    task = Task(Quantise(model, "auto", "int8"), said.put)
    while isinstance(last := said.get(), Step):
        pass
    task.close()
    if isinstance(last, Refused):
        raise last.problem
    return 0 if isinstance(last, Done) else 1


def library(*folders: str) -> int:
    """Open old libraries, one after another, and write into each; a line for each line that is stored."""
    from desktop_app.library.store import Library
    from tests.staging import MODELS, segment

    for number, folder in enumerate(folders):
        kept = Library(Path(folder))
        key = kept.add("/new.wav").id
        kept.begin(key, MODELS, 60.0)
        for count in range(5):
            kept.append(key, segment(count))
            print(number, count, flush=True)
        kept.close()
    return 0


def preferences(times: str) -> int:
    """Save settings so many times; a line when each is saved."""
    from desktop_app import settings

    for number in range(int(times)):
        settings.write({"microphone": str(number)})
        print(number, flush=True)
    return 0


def export(folder: str, times: str) -> int:
    """Save two transcripts in turns under the same names; a line when all are there."""
    from desktop_app import atomic

    contents = [exported(number) for number in range(2)]
    for number in range(int(times)):
        for name, content in contents[number % 2].items():
            atomic.write(Path(folder, name), content)
        print(number, flush=True)
    return 0


def exported(number: int) -> dict[str, bytes]:
    """One of the two transcripts in some formats, by name: so long that writing takes its time."""
    from desktop_app.export.document import Document
    from desktop_app.export.formats import FORMATS
    from tests.staging import segment, transcript

    text = transcript(*(segment(line, f" {'Never' if number else 'Always'} {line}.") for line in range(20_000)))
    found = {name: FORMATS[name].render(Document(text)) for name in ("txt", "srt", "vtt")}
    return {f"talk{FORMATS[name].extension}": str(content).encode() for name, content in found.items()}


def _after_loading(program: Any, then: Callable[[], object]) -> None:
    """Wait until the window knows what its library has: what the library is asked later is answered later."""
    program.session.keep(lambda kept: None, lambda found: then())


def _edit_when_done(program: Any) -> None:
    from desktop_app.app.editing.edits import NEW
    from desktop_app.app.recordings.entry import DONE, IN_WORK

    def done() -> list[Any]:
        return [entry for entry in program.session.entries.values() if entry.state == DONE]

    def load() -> None:
        for entry in done():
            program.session.load(entry.id)
        _when(lambda: all(entry.has_text for entry in done()), change)

    def change() -> None:
        for entry in done():
            if not entry.speakers:
                program.core.edits.reassign(entry.id, {entry.segments[0].id}, NEW)
        _close_when_done(program)

    _when(lambda: not any(entry.state in IN_WORK for entry in program.session.entries.values()), load)


def _close_when_done(program: Any) -> None:
    from PySide6.QtWidgets import QApplication

    from desktop_app.app.recordings.entry import DONE, IN_WORK

    def close() -> None:
        failed = [entry for entry in program.session.entries.values() if entry.state != DONE]
        _say_trouble(tuple(entry.problem for entry in failed if entry.problem))
        program.close()
        QApplication.exit(1 if failed or _trouble else 0)

    _when(lambda: not any(entry.state in IN_WORK for entry in program.session.entries.values()), close)


_trouble: list[Problem] = []


def _say_trouble(problems: tuple[Problem, ...]) -> None:
    """What the window shows as a problem is said in the terminal, and makes the program fail."""
    _trouble.extend(problems)
    for problem in problems:
        print(sentence(problem), file=sys.stderr, flush=True)


def _when(happened: Callable[[], object], then: Callable[[], object]) -> None:
    """Ask again and again, in the event loop."""
    from PySide6.QtCore import QTimer

    if happened():
        then()
    else:
        QTimer.singleShot(20, partial(_when, happened, then))


VICTIMS = {each.__name__: each for each in (window, edit, live, record, quantise, library, preferences, export)}

if __name__ == "__main__":
    try:
        sys.exit(VICTIMS[sys.argv[1]](*sys.argv[2:]))
    except Problem as problem:
        sys.exit(sentence(problem))
    except OSError as error:
        sys.exit(sentence(disk_problem(error)))
