"""What wears a program out: many starts, hours of sound, a bad disk, a clock that jumps, processes that are halted.

`python -m tests.chaos.endurance [CASE ...]`; GALLEY_CHAOS_STARTS and GALLEY_SOAK_HOURS make it longer or shorter.
"""

from __future__ import annotations

import gc
import os
import queue
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import soundfile

from desktop_app import atomic, folders, resources, settings
from desktop_app.engine import model_work
from desktop_app.engine.client import Engine
from desktop_app.export.document import Document
from desktop_app.export.formats import FORMATS
from desktop_app.library import database
from desktop_app.library.store import Library
from desktop_app.messages.jobs import Event, Failed, Finished
from desktop_app.messages.options import Options
from desktop_app.problems import Problem
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.model import Models, Segment, Transcript
from tests import random_models, virtual_microphone
from tests.chaos.cases import CLIPS, TOP, Case, Skipped, main
from tests.hub_server import serving

if TYPE_CHECKING:  # engines import this file too, and have no window
    from PySide6.QtWidgets import QApplication

    from desktop_app.ui.shell.app import Program

CLIP = CLIPS / "04.flac"
SAMPLE = resources.path("resources", "sample", "conversation.flac")
STARTS = int(os.environ.get("GALLEY_CHAOS_STARTS", "100"))
HOURS = float(os.environ.get("GALLEY_SOAK_HOURS", "8"))

_MODELS = Models("target", "", "model", "CPU", "f32")
_OPTIONS = Options(str(TOP / "tests" / "models" / "small_pair"))


def galley(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end. No command may show a traceback."""
    command = [sys.executable, "-m", "desktop_app", *map(str, arguments)]
    own = {**os.environ, "PYTHONPATH": str(TOP), "HF_HUB_OFFLINE": "0", **environment}
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=own)
    assert "Traceback" not in done.stdout + done.stderr, done.stderr
    return done


def refused(done: subprocess.CompletedProcess[str]) -> str:
    """The sentence of a command that could not do what it should."""
    said = done.stderr.strip().splitlines()
    assert done.returncode not in (0, -signal.SIGSEGV, -signal.SIGABRT) and said, (done.returncode, done.stderr)
    return said[-1]


# Starts and ends.


def _held() -> dict[str, int]:
    """What this process holds of the system."""
    gc.collect()
    return {
        "files": len(os.listdir("/proc/self/fd")),
        "threads": len(os.listdir("/proc/self/task")),
        "processes": len(_children(os.getpid())),
        "temporary files": len(os.listdir(tempfile.gettempdir())),
    }


def _resident() -> float:
    """Megabytes of this process."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGESIZE") / 1e6


def _often(starts: int, folder: Path, once: Callable[[], None], growth: float = 0.5) -> str:
    """Do it so many times; nothing may be held more than after the first few, when all is loaded. `growth` are the
    megabytes that may stay each time: allocators keep some of what they were given."""
    first = max(2, starts // 5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(folder))
        patch.setattr(tempfile, "tempdir", None)
        for _ in range(first):
            once()
        before, memory = _held(), _resident()
        for _ in range(starts - first):
            once()
        after, grown = _held(), _resident() - memory
    more = {name: after[name] - before[name] for name in after if after[name] > before[name]}
    assert not more, f"after {starts} starts there are more: {more}"
    assert grown < growth * (starts - first) + 20, f"{grown:.0f} MB more after {starts} starts"
    return f"{starts} starts, {grown:+.1f} MB, nothing left behind"


def engine_starts(starts: int, folder: Path) -> str:
    """An engine that transcribes a clip, again and again."""

    def once() -> None:
        events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        engine = Engine(events.put)
        engine.transcribe("job", str(CLIP), _OPTIONS)
        while not isinstance(event := events.get(timeout=120), Finished):
            assert not isinstance(event, Failed), event.problem
        engine.close()

    return _often(starts, folder, once)


def window_starts(starts: int, folder: Path) -> str:
    """A window that is opened and closed, again and again, in one process; a real one ends with its window, so that
    what Qt's application keeps of each is no matter."""
    app, make = _window()

    def once() -> None:
        program = make()
        program.window.show()
        program.models.refresh()
        _let_work(app, lambda: program.models.list is not None and not program.models.jobs)
        program.window.close()
        program.close()
        program.window.deleteLater()
        _let_work(app)

    return _often(starts, folder, once, growth=2.0)


def windows_anew(starts: int, folder: Path) -> str:
    """Another language makes the window anew in the same program."""
    app, make = _window()
    program = make()
    program.window.show()
    widgets: list[int] = []

    def once() -> None:
        before = program.window
        program.preferences.language = "en" if program.preferences.language == "de" else "de"
        _let_work(app, lambda: program.window is not before)
        saved: list[bool] = []
        program.preferences.when_saved(lambda: saved.append(True))  # then the old window goes
        _let_work(app, lambda: saved)
        gc.collect()
        widgets.append(len(app.allWidgets()))

    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.delenv("GALLEY_LANGUAGE", raising=False)  # it would decide
            seen = _often(starts, folder, once)
    finally:
        program.window.close()
        program.close()
    assert widgets[-1] <= max(widgets[:4]), f"{widgets[-1]} widgets after {starts} windows, {widgets[:4]} at first"
    return f"{seen}, {widgets[-1]} widgets"


def _window() -> tuple[QApplication, Callable[[], Program]]:
    """Qt, and what makes the program with its window."""
    from PySide6.QtWidgets import QApplication

    from desktop_app.ui.shell.app import Program

    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    return app, partial(Program, app)


def _let_work(app: QApplication, done: Callable[[], object] = lambda: True) -> None:
    """Let the window work until that is so, and what it has given up go."""
    from PySide6.QtCore import QEvent

    until = time.monotonic() + 60
    while not done():
        app.processEvents()
        time.sleep(0.005)
        assert time.monotonic() < until, "the window does not come so far"
    app.processEvents()
    app.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def process_starts(starts: int, folder: Path) -> str:
    """The program itself, as a person starts it; nothing of it may stay, in no folder and in no process."""
    home = Path(os.environ["GALLEY_HOME"])
    listings = []
    for _ in range(starts):
        assert galley("transcribe", CLIP).returncode == 0
        done = subprocess.run(
            [sys.executable, "-m", "tests.chaos.user"],
            env={**os.environ, "PYTHONPATH": str(TOP)},
            capture_output=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        listings.append(sorted(str(file.relative_to(home)) for file in home.rglob("*")))
    assert listings[-1] == listings[1], set(listings[-1]) ^ set(listings[1])
    assert not _living(home), _living(home)
    return f"{2 * starts} starts, {len(listings[-1])} files and folders after the second and after the last"


def _living(home: Path) -> list[str]:
    """The processes that use this home, but for this one."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            is_ours = f"GALLEY_HOME={home}".encode() in (process / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if is_ours and int(process.name) != os.getpid():
            found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
    return found


def hours_of_a_file(hours: float, folder: Path) -> str:
    """One file of many hours: the engine's memory stays flat from its first tenth on."""
    sample, rate = soundfile.read(str(SAMPLE), dtype="int16")
    long = folder / "long.flac"
    with soundfile.SoundFile(long, "w", rate, 1, "PCM_16") as file:
        for _ in range(max(2, round(hours * 3600 * rate / len(sample)))):
            file.write(sample)
    length = soundfile.info(str(long)).duration
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()
    engine = Engine(events.put)
    memory: list[float] = []
    try:
        engine.transcribe("job", str(long), _OPTIONS)
        while not isinstance(event := events.get(timeout=600), Finished):
            assert not isinstance(event, Failed), event.problem
            done = getattr(event, "done_seconds", 0.0)
            if done > length * (len(memory) + 1) / 10 and engine.pid:
                pages = Path(f"/proc/{engine.pid}/statm").read_text(encoding="ascii").split()[1]
                memory.append(int(pages) * os.sysconf("SC_PAGESIZE") / 1e6)
    finally:
        engine.close()
    assert event.transcript.segments[-1].end > length - 60, "the text stops before the end"
    grown = memory[-1] - memory[0]
    assert grown < 50 + 5 * hours, f"the engine grew by {grown:.0f} MB: {memory}"
    return f"{length / 3600:.1f} h, {len(event.transcript.segments)} lines, {grown:+.0f} MB"


# Disks.


class Disk:
    """A small file system. Attributes: folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def fill(self, room: int = 0) -> None:
        """Take all of it but `room` bytes."""
        with (self.folder / "ballast").open("wb", buffering=0) as file:
            left = shutil.disk_usage(self.folder).free - room
            while left > 0 and (written := file.write(bytes(min(left, 1 << 20)))):
                left -= written

    def protect(self) -> None:
        """Let nobody write."""
        subprocess.run(["mount", "-o", "remount,ro", str(self.folder)], check=True)


Trouble = Callable[[Disk], None]
Onto = Callable[[Trouble, Path], str]


@contextmanager
def small_disk(folder: Path, size: str = "24m") -> Iterator[Disk]:
    """A file system in memory."""
    place = folder / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "galley-chaos", str(place)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True).returncode:
        raise Skipped("no file system may be mounted here")
    try:
        yield Disk(place)
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def transcribing_onto(trouble: Trouble, folder: Path) -> str:
    """A result that cannot be written: one sentence, and what was there stays."""
    with small_disk(folder) as disk:
        earlier = disk.folder / f"{CLIP.stem}.txt"
        earlier.write_text("earlier", encoding="utf-8")
        trouble(disk)
        said = refused(galley("transcribe", CLIP, "--output", disk.folder))
        assert earlier.read_text(encoding="utf-8") == "earlier"
        assert {file.name for file in disk.folder.iterdir()} <= {earlier.name, "ballast"}
        return said


def a_home_on(trouble: Trouble, folder: Path) -> str:
    """The data folder cannot be written: a file is transcribed all the same, or one sentence says why not."""
    with small_disk(folder) as disk:
        trouble(disk)
        done = galley("transcribe", CLIP, GALLEY_HOME=str(disk.folder / "home"))
        return refused(done) if done.returncode else done.stdout.strip()


def exporting_onto(trouble: Trouble, folder: Path) -> str:
    """Every format onto an older file of its name."""
    text = Document(Transcript("a.wav", 1.0, "en", 1.0, _MODELS, (Segment(0, 0.0, 1.0, "Words. " * 999),)))
    with small_disk(folder) as disk:
        places = [disk.folder / f"text.{form.extension}" for form in FORMATS.values()]
        for place in places:
            place.write_text("earlier", encoding="utf-8")
        trouble(disk)
        for form, place in zip(FORMATS.values(), places, strict=True):
            if len(form.render(text)) > 4096:
                with pytest.raises(OSError, match=r"No space|Read-only"):
                    atomic.write(place, form.render(text))
                assert place.read_text(encoding="utf-8") == "earlier"
        assert {file.name for file in disk.folder.iterdir()} <= {"ballast", *(place.name for place in places)}
    return f"{len(places)} formats"


def settings_on(trouble: Trouble, folder: Path) -> str:
    """What was chosen before stays chosen."""
    with small_disk(folder) as disk, pytest.MonkeyPatch.context() as patch:
        patch.setenv("GALLEY_HOME", str(disk.folder))
        settings.write({"precision": "int8"})
        trouble(disk)
        with pytest.raises(OSError, match=r"No space|Read-only"):
            settings.write({"microphone": "a" * 9000})
        assert settings.read() == {"precision": "int8"}
        assert [file.name for file in settings.path().parent.iterdir()] == [settings.path().name]
    return "the older settings stay"


def a_library_on(trouble: Trouble, folder: Path) -> str:
    """No line that was acknowledged is lost, and there is a sentence for the one that was not."""
    with small_disk(folder) as disk:
        library = Library(disk.folder / "library")
        key = library.add("a.wav").id
        library.begin(key, _MODELS, 1e6)
        library.append(key, Segment(0, 0.0, 1.0, "earlier"))
        kept = 1
        try:
            if trouble is read_only:  # a disk is not made so while a file on it is written
                library.close()
                disk.protect()
                library = Library(disk.folder / "library")
            disk.fill()
            for number in range(1, 9999):
                library.append(key, Segment(number, float(number), number + 1.0, "Words. " * 99))
                kept += 1
        except Problem as problem:
            seen = problem.code
        if trouble is full:
            library.close()
        how = "immutable=1" if trouble is read_only else "mode=ro"
        with closing(sqlite3.connect(f"file:{disk.folder / 'library' / database.NAME}?{how}", uri=True)) as found:
            assert found.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            (count,) = found.execute("SELECT count(*) FROM segment").fetchone()
        assert count >= kept, f"{kept - count} of {kept} lines are lost"
        assert seen in ("disk.full", "library.read_only", "library.failed", "library.disk"), seen
        return f"{kept} lines stay, then {seen}"


def quantising_onto(trouble: Trouble, folder: Path) -> str:
    """Weights that cannot be kept."""
    with small_disk(folder) as disk, pytest.MonkeyPatch.context() as patch:
        patch.setenv("GALLEY_HOME", str(disk.folder))
        (folders.cache() / "compiled").mkdir(parents=True)
        trouble(disk)
        said: queue.SimpleQueue[model_work.Said] = queue.SimpleQueue()
        task = model_work.Task(model_work.Quantise(_OPTIONS.target, "auto", "int8"), said.put)
        while isinstance(last := said.get(timeout=120), model_work.Step):
            pass
        task.close()
        assert isinstance(last, model_work.Refused), last
        assert last.problem.kind == "disk", last.problem
        left = [file.name for file in (folders.cache() / "compiled").iterdir()]
        assert not left, left
        return str(last.problem)


def downloading_onto(trouble: Trouble, folder: Path) -> str:
    """A model of a hub on this computer; what arrived before stays, and nothing is listed that is not whole."""
    repository = random_models.toy(folder / "toy")
    with small_disk(folder, "80m") as disk, serving() as server:
        server.repositories["tests/toy"] = repository
        home = {"GALLEY_HOME": str(disk.folder)}
        command = ("models", "download", "tests/toy", "--mirror", server.url)
        (disk.folder / "data" / "models").mkdir(parents=True)
        (disk.folder / "data" / "settings.ini").write_text("[General]\n", encoding="utf-8")
        trouble(disk)
        said = refused(galley(*command, **home))
        assert "toy" not in galley("models", "list", **home).stdout.partition("Available")[0]
        if (ballast := disk.folder / "ballast").exists():
            ballast.unlink()
            assert galley(*command, **home).returncode == 0
            assert "toy: verified" in galley("models", "verify", **home).stdout
        return said


def recording_onto(trouble: Trouble, folder: Path) -> str:
    """A recording that the disk does not take: a sentence, and what was recorded can be read."""
    with small_disk(folder) as disk, pytest.MonkeyPatch.context() as patch:
        if why := virtual_microphone.lacking():
            raise Skipped(why)
        with virtual_microphone.plugged(patch):
            trouble(disk)
            done = galley("record", "--seconds", "3", "--output", disk.folder)
        for sound in disk.folder.glob("*.flac"):
            assert not sound.stat().st_size or soundfile.info(str(sound)).samplerate == SAMPLE_RATE
        return refused(done)


def full(disk: Disk) -> None:
    disk.fill()


def read_only(disk: Disk) -> None:
    disk.protect()


# Time.


def clock_backwards(folder: Path) -> str:
    """The clock is put back by hours while a window works; everything is done and in the library."""
    offset = folder / "offset"
    offset.write_text("0", encoding="ascii")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(TOP / "tests" / "chaos" / "clock"), str(TOP)]),
        "GALLEY_CHAOS_CLOCK": str(offset),
    }
    command = [sys.executable, "-u", "-m", "tests.chaos.user", str(CLIP), str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as user:
        assert user.stdout is not None
        steps = []
        for step in user.stdout:
            steps.append(step.strip())
            offset.with_suffix(".new").write_text(f"{-3600 * len(steps)}", encoding="ascii")
            offset.with_suffix(".new").replace(offset)
    assert user.returncode == 0 and steps[-1] == "closed", steps
    with closing(Library(folders.data() / "library")) as kept:
        (recording,) = kept.recordings()
        assert recording.state == "done" and kept.transcript(recording.id).segments
    return f"{len(steps)} hours back in {len(steps)} steps: {', '.join(steps)}"


def halted(whom: str, seconds: int, folder: Path) -> str:
    """A process is halted for three seconds while it transcribes so many: the text is the same."""
    sound, rate = soundfile.read(str(SAMPLE), dtype="int16")
    talk = folder / "talk.wav"
    soundfile.write(talk, sound[: seconds * rate], rate)
    alone = galley("transcribe", talk).stdout
    command = [sys.executable, "-u", "-m", "desktop_app", "transcribe", str(talk)]
    own = {**os.environ, "PYTHONPATH": str(TOP)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=own) as program:
        assert program.stdout is not None
        first = program.stdout.readline()
        chosen = [program.pid] if whom == "terminal" else _children(program.pid)
        assert chosen, "there is no engine"
        for pid in chosen:
            os.kill(pid, signal.SIGSTOP)
        time.sleep(3.0)
        for pid in chosen:
            os.kill(pid, signal.SIGCONT)
        text = first + program.stdout.read()
    assert program.returncode == 0 and text == alone, f"{program.returncode}: {text!r} is not {alone!r}"
    return f"{len(chosen)} halted, {len(text.splitlines())} lines as without"


def window_halted(folder: Path) -> str:
    """The window is halted between its steps, and in them; it goes on."""
    command = [sys.executable, "-u", "-m", "tests.chaos.user", str(CLIP), str(folder)]
    own = {**os.environ, "PYTHONPATH": str(TOP)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=own) as user:
        assert user.stdout is not None
        steps = []
        for step in user.stdout:
            steps.append(step.strip())
            if steps[-1] in ("added", "found", "listed"):
                user.send_signal(signal.SIGSTOP)
                time.sleep(2.0)
                user.send_signal(signal.SIGCONT)
    assert user.returncode == 0 and steps[-1] == "closed", steps
    return ", ".join(steps)


def _children(pid: int) -> list[int]:
    """The processes that any thread of a process has started and not waited for."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text(encoding="ascii").split()]


_ONTO = (
    *(transcribing_onto, a_home_on, exporting_onto, settings_on, a_library_on, quantising_onto, downloading_onto),
    recording_onto,
)
CASES = [
    Case("engine starts", partial(engine_starts, STARTS)),
    Case("window starts", partial(window_starts, STARTS)),
    Case("windows anew", partial(windows_anew, STARTS)),
    Case("program starts", partial(process_starts, max(3, STARTS // 10))),
    *(
        Case(f"{each.__name__.replace('_', ' ')} a {trouble.__name__.replace('_', '-')} disk", partial(each, trouble))
        for each in _ONTO
        for trouble in (full, read_only)
    ),
    Case("clock backwards", clock_backwards),
    Case("engine halted", partial(halted, "engine", 100)),
    Case("terminal halted", partial(halted, "terminal", 100)),
    Case("window halted", window_halted),
    Case("hours of a file", partial(hours_of_a_file, HOURS)),
]

if __name__ == "__main__":
    sys.exit(main(CASES, __doc__ or ""))
