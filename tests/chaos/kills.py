"""kill -9 of programs and engines at random moments: `python -m tests.chaos.kills --count 300 --seed 1`.

After each kill nothing that was promised before it may be gone: lines that the library held, all but a second of the
sound, files that stood. The next start has to work and to end with the tokens of a run that nobody disturbed, the
library has to be sound, and neither processes nor files may be left that an undisturbed run does not leave.

What a live session writes depends on the time that its passes take, so that no two of them need to agree: of those, the
lines that were stored have to stand, and the rest has to be written behind them.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from desktop_app import resources
from desktop_app.export.json_format import read_json
from desktop_app.library import database, rows
from desktop_app.library.salvage import SEGMENT
from desktop_app.library.store import Library
from desktop_app.problems import Problem
from desktop_app.transcript.constants import SAMPLE_RATE
from tests import random_models
from tests.chaos import victims
from tests.fake_input import Sound, read
from tests.hub_server import HubServer, serving
from tests.small_pair import SMALL_PAIR
from tests.staging import segment

TESTS = Path(__file__).resolve().parents[1]
CLIPS = [str(TESTS / "data" / "clips" / f"{number:02}.flac") for number in (0, 4)]
SAMPLE = str(resources.path("resources", "sample", "conversation.flac"))
PATIENCE = 240.0
"""Seconds after which a program that should end hangs. A busy computer takes its time."""

Findings = Iterator[str]
Lines = dict[tuple[str, int], tuple[str, str]]


@dataclass
class Run:
    """A victim that runs or has ended. Attributes: home, process, out (what it says), status (None while it runs)."""

    home: Path
    process: subprocess.Popen[bytes]
    out: Path

    @property
    def status(self) -> int | None:
        return self.process.poll()

    @property
    def said(self) -> list[str]:
        """The whole lines so far."""
        return self.out.read_text().rpartition("\n")[0].splitlines()

    @property
    def errors(self) -> str:
        return self.out.with_suffix(".err").read_text()


class Attack:
    """A kind of work that is killed. Attributes: name; children (whether its work is done by another process, which can
    be killed too); seconds (how long it takes undisturbed); result (what it leads to); files (what it leaves)."""

    name = ""
    children = False

    def __init__(self, room: Path) -> None:
        self.room = room
        home = new_home(room, self.name)
        self.prepare(home)
        run = start(self.command(home), home)
        wait_until(lambda: self.is_ready(run) or run.status is not None)
        began = time.monotonic()
        run.process.wait(PATIENCE)
        self.seconds = time.monotonic() - began
        if self.again(home) != self.command(home):
            run = start(self.again(home), home)
            run.process.wait(PATIENCE)
        if run.status:
            raise RuntimeError(f"{self.name} undisturbed: {run.status}\n{run.errors}")
        self.result, self.files = self.outcome(home), names_in(home)
        shutil.rmtree(home)

    def prepare(self, home: Path) -> None:
        """What there is before."""

    def command(self, home: Path) -> list[str]:
        raise NotImplementedError

    def is_ready(self, run: Run) -> bool:
        """Whether the time has come from which it is killed."""
        return True

    def promised(self, run: Run) -> Any:
        """What must still be there after a kill that comes now."""

    def outcome(self, home: Path) -> Any:
        """What the work has led to, the same in every run."""

    def again(self, home: Path) -> list[str]:
        """The command of the next start."""
        return self.command(home)

    def lost(self, run: Run, promised: Any) -> Findings:
        """What is not there any more."""
        yield from ()

    def check(self, run: Run) -> Findings:
        """Start once more, and say what is not as it would be without the kill."""
        next_run = start(self.again(run.home), run.home)
        yield from ended(next_run, "the next start")
        if (found := self.outcome(run.home)) != self.result:
            yield f"another result: {found!r:.300} instead of {self.result!r:.300}"


class FileInTerminal(Attack):
    """`galley transcribe` of two files into a folder."""

    name, children = "file in the terminal", True
    sources: Sequence[str] = CLIPS

    def command(self, home: Path) -> list[str]:
        return ["desktop_app", "transcribe", "--format", "json", "--output", str(home / "texts"), *self.sources]

    def outcome(self, home: Path) -> Any:
        texts = {Path(source).stem: home / "texts" / f"{Path(source).stem}.json" for source in self.sources}
        return {name: tokens(text) for name, text in texts.items()}

    def promised(self, run: Run) -> Any:
        return {text.stem: tokens(text) for text in (run.home / "texts").glob("*.json") if ".part" not in text.name}

    def lost(self, run: Run, promised: Any) -> Findings:
        for name, found in promised.items():
            if tokens(run.home / "texts" / f"{name}.json") != found:
                yield f"{name}.json is another one"

    def check(self, run: Run) -> Findings:
        yield from super().check(run)
        for part in (run.home / "texts").glob("*.part.json"):  # what it said that it keeps, where the engine ended
            part.unlink()


class FileInWindow(Attack):
    """The window with two files, one of several windows."""

    name, children = "file in the window", True
    sources = (SAMPLE, CLIPS[0])

    def command(self, home: Path) -> list[str]:
        return ["tests.chaos.victims", "window", *self.sources]

    def again(self, home: Path) -> list[str]:
        known = [recording.path for recording in recordings(home)]
        return ["tests.chaos.victims", "window", *(source for source in self.sources if source not in known)]

    def outcome(self, home: Path) -> Any:
        return {recording.path: (recording.state, found) for recording, found in texts(home).items()}

    def promised(self, run: Run) -> Lines:
        return stored(run.home)

    def lost(self, run: Run, promised: Lines) -> Findings:
        now = stored(run.home)
        gone = [key for key, line in promised.items() if now.get(key) != line]
        if gone and run.status == -signal.SIGKILL:
            yield f"verified lines are gone: {gone}"

    def check(self, run: Run) -> Findings:
        yield from super().check(run)
        yield from damage(run.home)


class _Live(Attack):
    """A live recording."""

    children = True
    seconds_of_sound = 8

    def prepare(self, home: Path) -> None:
        self.sound = victims.spoken(CLIPS)

    def is_ready(self, run: Run) -> bool:
        return self._samples(run) > 0

    def promised(self, run: Run) -> tuple[int, Lines]:
        return self._samples(run), stored(run.home)

    @staticmethod
    def _samples(run: Run) -> int:
        """How many the microphone has heard; the program's text stands among the numbers."""
        return max((int(line) for line in run.said if line.isdigit()), default=0)

    def outcome(self, home: Path) -> Any:
        return [(recording.state, bool(words)) for recording, words in texts(home).items()]

    def goes_on(self, run: Run) -> bool:
        """Whether it recorded to its end, in spite of what was done to it."""
        return run.status != -signal.SIGKILL

    def lost(self, run: Run, promised: tuple[int, Lines]) -> Findings:
        said, lines = promised
        files = sound_files(run.home)
        kept = sound_of(files[0]) if files else self.sound[:0]
        if self.goes_on(run):
            said = (self.seconds_of_sound + 1) * SAMPLE_RATE  # nothing may be missing
        if kept.size < said - SAMPLE_RATE:
            yield f"{(said - kept.size) / SAMPLE_RATE:.2f} s of sound are gone"
        if not np.array_equal(kept, self.sound[: kept.size]):
            yield "the sound is another one"
        self.kept, self.lines = kept, lines
        now = stored(run.home)
        if gone := [key for key, line in lines.items() if now.get(key) != line]:
            yield f"verified lines are gone: {gone}"

    def check(self, run: Run) -> Findings:
        next_run = start(self.again(run.home), run.home)
        yield from ended(next_run, "the next start")
        now = stored(run.home)
        if changed := [key for key, line in self.lines.items() if now.get(key) != line]:
            yield f"stored lines were written once more: {changed}"
        states = [recording.state for recording in recordings(run.home)]
        if states not in ([], ["done"]):
            yield f"it is {states}"
        for file in sound_files(run.home):
            if sound_of(file).size != self.kept.size:
                yield "the sound has another length"
        yield from damage(run.home)


class LiveInWindow(_Live):
    """The window records."""

    name = "live in the window"

    def command(self, home: Path) -> list[str]:
        return ["tests.chaos.victims", "live", str(self.seconds_of_sound), *CLIPS]

    def again(self, home: Path) -> list[str]:
        return ["tests.chaos.victims", "window"]


class LiveInTerminal(_Live):
    """`galley record`."""

    name = "live in the terminal"

    def command(self, home: Path) -> list[str]:
        return ["tests.chaos.victims", "record", str(self.seconds_of_sound), *CLIPS]

    def again(self, home: Path) -> list[str]:
        return ["desktop_app", "record", "--recover", "--format", "json"]


class Export(Attack):
    """Texts are saved over older ones."""

    name = "export"
    times = 30

    def __init__(self, room: Path) -> None:
        self._contents = [victims.exported(number) for number in range(2)]
        super().__init__(room)

    def prepare(self, home: Path) -> None:
        (home / "texts").mkdir()

    def command(self, home: Path) -> list[str]:
        return ["tests.chaos.victims", "export", str(home / "texts"), str(self.times)]

    def is_ready(self, run: Run) -> bool:
        return bool(run.said)

    def again(self, home: Path) -> list[str]:
        return ["tests.chaos.victims", "export", str(home / "texts"), "2"]

    def lost(self, run: Run, promised: Any) -> Findings:
        for part in (run.home / "texts").glob(".galley-*"):  # goes when it is old and something is saved there
            os.utime(part, (0, 0))
        for name, *contents in zip(self._contents[0], *(each.values() for each in self._contents), strict=True):
            if (run.home / "texts" / name).read_bytes() not in contents:
                yield f"{name} is neither the old nor the new one"

    def outcome(self, home: Path) -> Any:
        return digests(home / "texts")


class Libraries(Attack):
    """Libraries of every schema are opened, which migrates the older ones, and written into."""

    name = "migration and saving"
    count = 20

    def prepare(self, home: Path) -> None:
        for number in range(self.count):
            old_library(home / "libraries" / f"{number}", 1 + number % database.schema_version())

    def command(self, home: Path) -> list[str]:
        folders = (str(home / "libraries" / f"{number}") for number in range(self.count))
        return ["tests.chaos.victims", "library", *folders]

    def is_ready(self, run: Run) -> bool:
        return bool(run.said)

    def promised(self, run: Run) -> list[str]:
        return run.said

    def lost(self, run: Run, promised: list[str]) -> Findings:
        acknowledged = Counter(int(line.split()[0]) for line in promised)
        for number in range(self.count):
            folder = run.home / "libraries" / f"{number}"
            found = stored(run.home, folder)
            if len(found) < 3 + acknowledged[number]:
                yield f"library {number} holds {len(found) - 3} of {acknowledged[number]} new lines"
            yield from damage(run.home, folder)

    def check(self, run: Run) -> Findings:
        for number in range(self.count):
            with closing(Library(run.home / "libraries" / f"{number}")) as library:
                old = [each for each in library.recordings() if each.path == "/old.wav"]
                if len(old) != 1 or [line.tokens for line in library.transcript(old[0].id).segments] != [()] * 3:
                    yield f"library {number} has lost what was there"
                if library.notice:
                    yield f"library {number}: {library.notice}"


class Quantising(Attack):
    """The weights of a model are quantised."""

    name, children = "quantising", True

    def prepare(self, home: Path) -> None:
        (home / "cache").unlink()

    def command(self, home: Path) -> list[str]:
        return ["tests.chaos.victims", "quantise", str(SMALL_PAIR)]

    def again(self, home: Path) -> list[str]:
        for part in (home / "cache").rglob(".*.new"):  # goes on the day after, when models are loaded
            os.utime(part, (0, 0))
        return self.command(home)  # a transcription would not want the encoder's where that computes in bf16

    def outcome(self, home: Path) -> Any:
        return {name: sha for name, sha in digests(home / "cache").items() if name.endswith(".weights")}


class Download(Attack):
    """A model is downloaded."""

    name = "download"

    def __init__(self, room: Path) -> None:
        self._serving = serving()
        self.server: HubServer = self._serving.__enter__()
        self.server.repositories["tests/toy"] = random_models.toy(room / "toy")
        self.server.pace = 400_000
        super().__init__(room)

    def command(self, home: Path) -> list[str]:
        return ["desktop_app", "models", "download", "tests/toy", "--mirror", self.server.url]

    def is_ready(self, run: Run) -> bool:
        return (run.home / "data").exists()

    def again(self, home: Path) -> list[str]:
        there = (home / "data" / "models" / "toy").exists()
        return ["desktop_app", "models", "verify", "toy"] if there else self.command(home)

    def outcome(self, home: Path) -> Any:
        return digests(home / "data" / "models")

    def close(self) -> None:
        self._serving.__exit__(None, None, None)


ATTACKS: tuple[type[Attack], ...] = (
    FileInTerminal, FileInWindow, LiveInWindow, LiveInTerminal, Export, Libraries, Quantising, Download,
)  # fmt: skip


# Programs.


def environment(home: Path) -> dict[str, str]:
    """As the tests have it: no screen, no network, the small pair; temporary files where they can be seen."""
    path = os.pathsep.join((str(TESTS / "offline"), str(TESTS.parent)))
    own = {"GALLEY_HOME": home, "TMPDIR": home / "tmp", "GALLEY_MODEL": SMALL_PAIR, "PYTHONPATH": path}
    fixed = {"QT_QPA_PLATFORM": "offscreen", "HF_HUB_OFFLINE": "0", "GALLEY_LANGUAGE": "en"}
    return {**os.environ, **fixed, **{name: str(value) for name, value in own.items()}}


def new_home(room: Path, name: str) -> Path:
    """A folder for what a program keeps. Compiled models are shared by all."""
    home = Path(tempfile.mkdtemp(prefix=f"{name.replace(' ', '-')}-", dir=room))
    (home / "tmp").mkdir()
    (room / "cache").mkdir(exist_ok=True)
    (home / "cache").symlink_to(room / "cache", target_is_directory=True)
    return home


def start(command: list[str], home: Path, **more: str) -> Run:
    """Run a module with what belongs to the user in `home`, and `more` in its environment."""
    out = home.parent / f"{home.name}-{uuid.uuid4().hex}.out"
    with out.open("wb") as said, out.with_suffix(".err").open("wb") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", *command], stdin=subprocess.DEVNULL, stdout=said, stderr=errors,
            env=environment(home) | more, cwd=TESTS.parent, start_new_session=True,
        )  # fmt: skip
    return Run(home, process, out)


def ended(run: Run, what: str) -> Findings:
    """Wait for a program that should do its work."""
    try:
        run.process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(run.process.pid, signal.SIGKILL)
        yield f"{what} hangs"
        return
    if run.status:
        yield f"{what} ended with {run.status}: {run.errors[-300:]}"
    if "Traceback" in run.errors:
        yield f"{what} has a traceback: {run.errors[-600:]}"


def processes(home: Path) -> dict[int, str]:
    """Who runs with this home: process ids and command lines."""
    found = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f"GALLEY_HOME={home}\0".encode() in (entry / "environ").read_bytes():
                found[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
    return found


def worker_of(run: Run) -> int | None:
    """The process that works for the victim."""
    found = processes(run.home)
    return next((pid for pid, command in found.items() if pid != run.process.pid and "spawn_main" in command), None)


def wait_until(happened: Callable[[], object], seconds: float = PATIENCE) -> bool:
    until = time.monotonic() + seconds
    while not (done := bool(happened())) and time.monotonic() < until:
        time.sleep(0.01)
    return done


# What is there.


def recordings(home: Path) -> list[rows.Recording]:
    with closing(Library(home / "data" / "library")) as library:
        return library.recordings()


def texts(home: Path) -> dict[rows.Recording, list[tuple[int, ...]]]:
    """The tokens of each line of each recording."""
    with closing(Library(home / "data" / "library")) as library:
        return {each: [line.tokens for line in library.transcript(each.id).segments] for each in library.recordings()}


def stored(home: Path, folder: Path | None = None) -> Lines:
    """Text and tokens of the lines in a library, read beside the program that writes it."""
    file = (folder or home / "data" / "library") / database.NAME
    if not file.exists():
        return {}
    with closing(sqlite3.connect(file, timeout=10)) as connection:
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'segment'").fetchone():
            return {}
        found = connection.execute("SELECT recording, id, text, tokens FROM segment").fetchall()
    return {(recording, number): (text, words) for recording, number, text, words in found}


def damage(home: Path, folder: Path | None = None) -> Findings:
    file = (folder or home / "data" / "library") / database.NAME
    if file.exists():
        with closing(sqlite3.connect(file, timeout=10)) as connection:
            found = connection.execute("PRAGMA integrity_check").fetchall()
        if found != [("ok",)]:
            yield f"{file} is damaged: {found}"
    if aside := list(file.parent.glob("library-damaged*")):
        yield f"a library was set aside: {aside}"


def tokens(text: Path) -> list[tuple[int, ...]]:
    return [line.tokens for line in read_json(text.read_text(encoding="utf-8")).segments]


def sound_files(home: Path) -> list[Path]:
    return sorted((home / "data" / "Recordings").glob("*.flac"))


def digests(folder: Path) -> dict[str, str]:
    """The hash of each file."""
    found = (file for file in sorted(folder.rglob("*")) if file.is_file())
    return {str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest() for file in found}


def names_in(home: Path) -> set[str]:
    """What lies there, each name without the digits that are others in each run."""
    return {re.sub(r"[0-9a-f]{8,}|\d+", "#", str(entry.relative_to(home))) for entry in home.rglob("*")}


def old_library(folder: Path, version: int) -> None:
    """A library with one recording of three lines, of this version of the schema."""
    folder.mkdir(parents=True)
    with closing(sqlite3.connect(folder / database.NAME, isolation_level=None)) as connection:
        connection.executescript(";".join((database.SCHEMA, *database.MIGRATIONS)[:version]))
        key = uuid.uuid4().hex
        about = (key, b"/old.wav", "old.wav", "2026-01-01T00:00:00+00:00", "done", "")
        connection.execute("INSERT INTO recording (id, path, name, created, state, owner) VALUES (?,?,?,?,?,?)", about)
        connection.executemany(
            f"INSERT INTO segment ({', '.join(SEGMENT[:11])}) VALUES (?{', ?' * 10})",  # as in every version
            [(key, *rows.segment_values(segment(number))[:10]) for number in range(3)],
        )
        connection.execute(f"PRAGMA user_version = {version}")
        connection.execute(f"PRAGMA application_id = {database._CLEAN}")


# The campaign.


@dataclass
class Report:
    """Attributes: counted (how often each was attacked, by its name), findings."""

    counted: Counter[str]
    findings: list[str]


def kill_once(attack: Attack, moment: random.Random) -> list[str] | None:
    """Start the work, kill it at some moment, and give what is wrong then; None if it was done before."""
    home = new_home(attack.room, attack.name)
    attack.prepare(home)
    run = start(attack.command(home), home)
    wait_until(lambda: attack.is_ready(run) or run.status is not None)
    seconds, child = moment.uniform(0, attack.seconds), attack.children and moment.random() < 0.5
    wait_until(lambda: run.status is not None, seconds)
    if child:
        wait_until(lambda: run.status is not None or worker_of(run))
    promised = attack.promised(run)
    victim = worker_of(run) if child else run.process.pid
    if run.status is not None or victim is None:
        run.process.wait(PATIENCE)
        shutil.rmtree(home)
        return None
    with contextlib.suppress(ProcessLookupError):
        os.kill(victim, signal.SIGKILL)
    found = []
    try:
        run.process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        found.append("it hangs without its worker")
        os.killpg(run.process.pid, signal.SIGKILL)
        run.process.wait()
    found += [f"left running: {each}" for each in left_running(home)]
    if "Traceback" in run.errors:
        found.append(f"a traceback: {run.errors[-600:]}")
    found += attack.lost(run, promised)
    found += attack.check(run)
    found += [f"left running after the next start: {each}" for each in left_running(home)]
    found += [f"left behind: {name}" for name in sorted(names_in(home) - attack.files) if "/logs" not in f"/{name}"]
    if not found:
        shutil.rmtree(home)
    who = "worker" if child else "program"
    return [f"{attack.name}, {who} killed after {seconds:.2f} s ({home}): {each}" for each in found]


def sound_of(file: Path) -> Sound:
    """What a recording holds, which may be nothing yet."""
    try:
        return read(file)
    except Problem as problem:
        if problem.code != "file.no_sound":
            raise
        return np.zeros(0, np.float32)


def left_running(home: Path) -> list[str]:
    """Who still runs five seconds later."""
    wait_until(lambda: not processes(home), 5.0)
    return list(processes(home).values())


def campaign(count: int, seed: int, room: Path, kinds: Sequence[type[Attack]] = ATTACKS) -> Report:
    """Kill so many times, one kind of work after another."""
    report, moment = Report(Counter(), []), random.Random(seed)
    attacks = [kind(room) for kind in kinds]
    try:
        while report.counted.total() < count:
            for attack in attacks:
                found = kill_once(attack, moment)
                if found is None:
                    continue
                report.counted[attack.name] += 1
                report.findings += found
                print(*(found or [f"{report.counted.total()}. {attack.name}: nothing lost"]), sep="\n", flush=True)
                if report.counted.total() >= count:
                    break
    finally:
        for attack in attacks:
            if isinstance(attack, Download):
                attack.close()
    return report


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.kills", description=__doc__)
    parser.add_argument("--count", type=int, default=300, help="how many kills (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the moments (default: %(default)s)")
    parser.add_argument("--only", choices=[kind.name for kind in ATTACKS], help="one kind of work")
    given = parser.parse_args()
    kinds = [kind for kind in ATTACKS if given.only in (None, kind.name)]
    room = Path(tempfile.mkdtemp(prefix="galley-kills-"))
    began = time.monotonic()
    report = campaign(given.count, given.seed, room, kinds)
    return concluded("kills", report, room, time.monotonic() - began)


def concluded(what: str, report: Report, room: Path, seconds: float) -> int:
    """Print what came of an attack; gives the exit status. The room stays where there is something to look into."""
    for name, count in report.counted.items():
        print(f"{count:4} {what} of {name}")
    print(f"{report.counted.total()} {what} in {seconds:.0f} s, {len(report.findings)} findings")
    if report.findings:
        return 1
    shutil.rmtree(room)
    return 0


if __name__ == "__main__":
    sys.exit(main())
