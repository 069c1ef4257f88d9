"""No network, the whole program: all but downloads works without any interface, and no process makes an INET socket.

`python -m tests.chaos.offline [CASE ...]` runs every command and the window twice: in a network namespace that has no
interface, and under strace with the network as it is. Linux only.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path

import pytest

from tests import virtual_microphone
from tests.chaos.cases import CLIPS, TOP, Case, Skipped, main

CLIP, SPOKEN = CLIPS / "04.flac", CLIPS / "05.flac"
_INET = re.compile(r"\b(?:socket|connect|socketpair)\(.*\bAF_INET6?\b.*")
_GALLEY = (sys.executable, "-m", "desktop_app")

Around = Callable[[Path], list[str]]
"""Gives the command in front of the program; the folder is for its notes."""

Journey = Callable[[Around, Path], str]
"""Something that people do: it gets an empty folder, and gives what was seen."""


@cache
def _works(*command: str) -> bool:
    return shutil.which(command[0]) is not None and subprocess.run(command, capture_output=True).returncode == 0


def without_network(folder: Path) -> list[str]:
    """What starts a program in a namespace without interfaces."""
    for command in (["unshare", "--net"], ["unshare", "--net", "--map-root-user"]):
        if _works(*command, "true"):
            return command
    raise Skipped("no network namespace can be made here")


def watched(folder: Path) -> list[str]:
    """What writes down every socket of a program and of its children."""
    strace = ["strace", "-f", "-qq", "--seccomp-bpf"]  # which lets all other calls run at full speed
    if not _works(*strace, "true"):
        raise Skipped("strace is not installed, or may not be used here")
    return [*strace, "-e", "trace=socket,connect,socketpair", "-o", str(folder / "sockets")]


def both(folder: Path) -> list[str]:
    """Without a network and watched at once."""
    return [*without_network(folder), *watched(folder)]


def run(around: Around, folder: Path, *command: str | Path) -> str:
    """Run a program to its end; gives its standard output. The tests' own network guard is not there: the program
    itself has to keep off."""
    environment = {
        name: value for name, value in os.environ.items() if name not in {"HF_HUB_OFFLINE", "GALLEY_NETWORK_ATTEMPTS"}
    } | {"PYTHONPATH": str(TOP)}
    whole = [*around(folder), *map(str, command)]
    done = subprocess.run(whole, capture_output=True, text=True, timeout=600, cwd=folder, env=environment)
    assert done.returncode == 0, f"{' '.join(map(str, command))}: {done.returncode} {done.stdout} {done.stderr}"
    check(folder / "sockets")
    return done.stdout


def check(notes: Path) -> None:
    """Raise AssertionError where a socket was made that can leave the computer."""
    if notes.exists():
        found = _INET.findall(notes.read_text(encoding="utf-8", errors="replace"))
        assert not found, f"{len(found)} INET sockets and connections: {found[:3]}"


# What is run.


def transcribe(around: Around, folder: Path) -> str:
    """Text on standard output."""
    text = run(around, folder, *_GALLEY, "transcribe", CLIP)
    assert text.strip()
    return text.strip()


def speakers(around: Around, folder: Path) -> str:
    """Who said what, into a file."""
    run(around, folder, *_GALLEY, "transcribe", CLIP, "--speakers", "auto", "--format", "json", "--output", folder)
    (found,) = json.loads((folder / f"{CLIP.stem}.json").read_text(encoding="utf-8"))["speakers"]
    return str(found["name"])


def models(around: Around, folder: Path) -> str:
    """Which models there are, and whether they are whole."""
    listed = json.loads(run(around, folder, *_GALLEY, "models", "list", "--json"))
    assert listed["installed"] and listed["available"]
    verified = run(around, folder, *_GALLEY, "models", "verify")
    assert "base: verified" in verified
    return f"{len(listed['available'])} offered, {verified.strip()}"


def doctor(around: Around, folder: Path) -> str:
    """All checks, devices, and the report."""
    said = run(around, folder, *_GALLEY, "doctor", "--report", folder / "report.zip")
    assert "PROBLEM" not in said and (folder / "report.zip").exists()
    run(around, folder, *_GALLEY, "devices")
    return f"{len(said.splitlines())} lines"


def bench(around: Around, folder: Path) -> str:
    """Accuracy on clips with reference texts, and the memory of a model."""
    clips = [{"file": f"{number:02}.flac", "text": "They took the show on the road."} for number in (4, 5)]
    for clip in clips:
        shutil.copy(CLIPS / clip["file"], folder)
    (folder / "index.json").write_text(json.dumps(clips), encoding="utf-8")
    return run(around, folder, *_GALLEY, "bench", "accuracy", folder).strip().splitlines()[-1]


def window(around: Around, folder: Path) -> str:
    """A file, its text in every format, models and settings."""
    return _steps(run(around, folder, sys.executable, "-m", "tests.chaos.user", CLIP, folder))


def window_recording(around: Around, folder: Path) -> str:
    """The same, and a recording of a microphone that is transcribed live."""
    with _microphone():
        speak = ("--speak", SPOKEN)
        return _steps(run(around, folder, sys.executable, "-m", "tests.chaos.user", CLIP, folder, *speak))


def record(around: Around, folder: Path) -> str:
    """`galley record` for some seconds."""
    with _microphone(), _heard_again_and_again():
        text = run(around, folder, *_GALLEY, "record", "--seconds", "4", "--output", folder)
    (sound,) = folder.glob("*.flac")
    assert sound.stat().st_size > 10_000 and sound.with_suffix(".txt").exists()
    return text.strip() or "no words"


def a_connection_is_seen(folder: Path) -> str:
    """That the watching works: a program that asks for a host is caught, and so are its children."""
    ask = "import urllib.request as ask; ask.urlopen('http://192.0.2.1', timeout=1)"
    program = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {ask!r}], capture_output=True)"
    with pytest.raises(AssertionError, match="2 INET sockets and connections") as caught:
        run(both, folder, sys.executable, "-c", program)
    return str(caught.value)


def _steps(said: str) -> str:
    steps = said.split("\n")
    assert "closed" in steps, said
    return ", ".join(filter(None, steps))


@contextmanager
def _microphone() -> Iterator[virtual_microphone.VirtualMicrophone]:
    if why := virtual_microphone.lacking():
        raise Skipped(why)
    with pytest.MonkeyPatch.context() as patch, virtual_microphone.plugged(patch) as plugged:
        yield plugged


@contextmanager
def _heard_again_and_again() -> Iterator[None]:
    """Somebody speaks all the time: nobody knows when the recording begins."""
    playing = subprocess.Popen(["sh", "-c", 'while paplay "$0"; do :; done', str(SPOKEN)], start_new_session=True)
    try:
        yield
    finally:
        os.killpg(playing.pid, signal.SIGTERM)
        playing.wait(10)


_JOURNEYS: Sequence[Journey] = (transcribe, speakers, models, doctor, bench, record, window, window_recording)
CASES = [
    Case("a connection is seen", a_connection_is_seen),
    *(
        Case(f"{each.__name__.replace('_', ' ')}, {how}", partial(each, around))
        for each in _JOURNEYS
        for how, around in (("without a network", without_network), ("watched", watched))
    ),
]

if __name__ == "__main__":
    sys.exit(main(CASES, __doc__ or ""))
