"""A disk that is full at any one write: `python -m tests.chaos.disk --most 40`.

Each program runs once while the calls that need room are counted: writes, syncs, renames, files and folders that are
made. Then again and again, and each time another one of them fails: for good, alone, or after half of its bytes. The
program has to end with all of its work done, or with a sentence and an exit status that says that it is not. What it
had acknowledged must be there, the library whole, nothing half-written taken for whole; and the next start, with room,
has to end as a run that nobody disturbed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from desktop_app import settings
from desktop_app.library.store import Library
from tests.chaos import kills
from tests.chaos.kills import CLIPS, PATIENCE, Attack, Download, FileInTerminal, Findings, Report, Run
from tests.disk_log import FAILURES, HAS_COMPILER, FullDisk


class Libraries(kills.Libraries):
    """Two libraries: one of the first schema, and one of this one."""

    count = 2

    def prepare(self, home: Path) -> None:
        kills.old_library(home / "libraries" / "0", 1)
        kills.old_library(home / "libraries" / "1", kills.database.schema_version())


class Export(kills.Export):
    """Texts are saved over older ones, and those are there whole before."""

    times = 1

    def prepare(self, home: Path) -> None:
        super().prepare(home)
        for name, content in self._contents[0].items():
            (home / "texts" / name).write_bytes(content)


class Settings(Attack):
    """Settings are saved; what was acknowledged is set."""

    name = "settings"

    def command(self, home: Path) -> list[str]:
        return ["tests.chaos.victims", "preferences", "3"]

    def promised(self, run: Run) -> list[str]:
        return run.said

    def lost(self, run: Run, promised: list[str]) -> Findings:
        found = self.outcome(run.home)
        if promised and found not in (promised[-1], str(int(promised[-1]) + 1)):
            yield f"it is {found!r} after {promised}"

    def outcome(self, home: Path) -> Any:
        before = os.environ.get("GALLEY_HOME")
        os.environ["GALLEY_HOME"] = str(home)
        try:
            return settings.read().get("microphone")
        finally:
            os.environ.pop("GALLEY_HOME")
            if before is not None:
                os.environ["GALLEY_HOME"] = before


class Recording(kills.LiveInTerminal):
    """`galley record`, which may end early, with all but a second of what was said until then."""

    seconds_of_sound = 4

    def goes_on(self, run: Run) -> bool:
        return run.status == 0

    def outcome(self, home: Path) -> Any:
        """The text beside the sound: where its library cannot be opened, that is said, and the recording goes on."""
        return [bool(kills.tokens(text)) for text in (home / "data" / "Recordings").glob("*.json")]


class Window(kills.FileInWindow):
    """The window transcribes a file, and its user gives the first line a speaker."""

    name = "window"
    sources = (CLIPS[0],)

    def command(self, home: Path) -> list[str]:
        return ["tests.chaos.victims", "edit", *self.sources]

    def again(self, home: Path) -> list[str]:
        known = [recording.path for recording in kills.recordings(home)]
        return ["tests.chaos.victims", "edit", *(source for source in self.sources if source not in known)]

    def outcome(self, home: Path) -> Any:
        found = {}
        with closing(Library(home / "data" / "library")) as library:
            for each in library.recordings():
                lines = library.transcript(each.id).segments
                found[each.path] = each.state, [(line.tokens, line.speaker) for line in lines]
        return found


QUICK: tuple[type[Attack], ...] = (Libraries, Export, Settings)
KINDS: tuple[type[Attack], ...] = (*QUICK, kills.Quantising, Download, FileInTerminal, Recording, Window)


def calls_of(attack: Attack, disk: FullDisk) -> int:
    """How many calls of the program need room."""
    home = kills.new_home(attack.room, attack.name)
    attack.prepare(home)
    disk.fail()
    run = kills.start(attack.command(home), home, **disk.of(home))
    run.process.wait(PATIENCE)
    shutil.rmtree(home)
    if run.status or not disk.calls:
        raise RuntimeError(f"{attack.name} with its writes counted: {run.status}\n{run.errors}")
    return disk.calls


def fill_once(attack: Attack, disk: FullDisk, call: int, failure: str) -> list[str] | None:
    """Let one call fail, and give what is wrong then; None if the program did not come to that call."""
    home = kills.new_home(attack.room, attack.name)
    attack.prepare(home)
    disk.fail(call, failure)
    run = kills.start(attack.command(home), home, **disk.of(home))
    found = []
    try:
        run.process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        found.append("it hangs")
        os.killpg(run.process.pid, signal.SIGKILL)
        run.process.wait()
    if not (failed := disk.failed):
        shutil.rmtree(home)
        return None
    found += [f"left running: {each}" for each in kills.left_running(home)]
    errors = run.errors
    if "Traceback" in errors:
        found.append(f"a traceback: {errors[-600:]}")
    if run.status == 0 and (outcome := attack.outcome(home)) != attack.result:
        found.append(f"it claims to have done its work, but has not: {outcome!r:.300}")
    if run.status and (run.status < 0 or not errors.strip()):
        found.append(f"it ended with {run.status} and says {errors!r}")
    if run.status and not found and not any(words in errors for words in ("disk is full", " space")):
        found.append(f"no sentence says that the disk is full: {errors[-300:]!r}")
    found += attack.lost(run, attack.promised(run))
    found += attack.check(run)
    found += [
        f"left behind: {name}" for name in sorted(kills.names_in(home) - attack.files) if "/logs" not in f"/{name}"
    ]
    if not found:
        shutil.rmtree(home)
    return [f"{attack.name}, call {call} ({failed}) fails, {failure} ({home}): {each}" for each in found]


def campaign(room: Path, kinds: Sequence[type[Attack]], most: int) -> Report:
    """Let at most so many calls of each program fail, evenly chosen, in each of the ways."""
    disk, report = FullDisk(room), Report(Counter(), [])
    for kind in kinds:
        attack = kind(room)
        try:
            calls = calls_of(attack, disk)
            chosen = sorted({1 + round(place * (calls - 1) / max(1, most - 1)) for place in range(min(most, calls))})
            print(f"{attack.name}: {calls} calls, {len(chosen)} of them fail in {len(FAILURES)} ways", flush=True)
            for call in chosen if calls > most else range(1, calls + 1):
                for failure in FAILURES:
                    found = fill_once(attack, disk, call, failure)
                    report.counted[attack.name] += found is not None
                    report.findings += found or []
                    print(*(found or []), sep="\n", end="\n" if found else "", flush=True)
        finally:
            if isinstance(attack, Download):
                attack.close()
    return report


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.disk", description=__doc__)
    parser.add_argument("--most", type=int, default=40, help="calls of each program that fail (default: %(default)s)")
    parser.add_argument("--only", choices=[kind.name for kind in KINDS], help="one program")
    given = parser.parse_args()
    if not HAS_COMPILER:
        print("skipped: the disk is filled by a library built with gcc, for Linux")
        return 0
    room = Path(tempfile.mkdtemp(prefix="galley-disk-"))
    began = time.monotonic()
    report = campaign(room, [kind for kind in KINDS if given.only in (None, kind.name)], given.most)
    return kills.concluded("full disks", report, room, time.monotonic() - began)


if __name__ == "__main__":
    sys.exit(main())
