"""Media is decoded by a process that may die: what becomes of it is one sentence, and nobody else is harmed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import soundfile

from desktop_app.audio import decoder_process, length
from desktop_app.audio.files import AudioFile
from desktop_app.problems import Problem
from desktop_app.transcript.constants import SAMPLE_RATE


@pytest.fixture
def long(tmp_path: Path) -> Path:
    """More sound than a pipe holds."""
    path = tmp_path / "long.flac"
    soundfile.write(path, np.zeros(60 * SAMPLE_RATE, np.int16), SAMPLE_RATE)
    return path


@pytest.fixture(autouse=True)
def fresh() -> None:
    """A child that waits was started before a test could change anything."""
    decoder_process.close()


def pid_of(audio: AudioFile) -> int:
    return audio._decoder._process.pid


def problem_after(path: Path, how: signal.Signals) -> Problem | None:
    """What is said about a file whose child gets a signal in the middle of it."""
    try:
        with AudioFile(path) as audio:
            os.kill(pid_of(audio), how)
            list(audio)
    except Problem as problem:
        return problem
    return None


def is_gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").split()[2] == "Z"
    except FileNotFoundError:
        return True


@pytest.mark.parametrize("how", [signal.SIGSEGV, signal.SIGABRT, signal.SIGKILL])
def test_a_crash_is_the_files_problem_and_the_next_file_is_read(long: Path, how: signal.Signals) -> None:
    assert problem_after(long, how) == Problem("file.crashed")
    with AudioFile(long) as audio:
        assert sum(map(len, audio)) == 60 * SAMPLE_RATE


def test_a_crash_while_it_opens_the_file_too(long: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoder_process, "_command", lambda: [sys.executable, "-c", "import os; os.abort()"])
    with pytest.raises(Problem) as caught, AudioFile(long):
        pass
    assert caught.value == Problem("file.crashed")
    assert length.seconds(long) == 0.0


def test_a_child_that_says_nothing_is_ended(long: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoder_process, "DEADLINE", 2)
    began = time.monotonic()
    assert problem_after(long, signal.SIGSTOP) == Problem("file.stuck", seconds=2)
    assert time.monotonic() - began < 10


def test_a_reader_that_takes_its_time_ends_no_child(long: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoder_process, "DEADLINE", 1)
    with AudioFile(long) as audio:
        time.sleep(3)
        assert sum(map(len, audio)) == 60 * SAMPLE_RATE


@pytest.mark.parametrize(
    "lie",
    [
        b"B\xff\xff\xff\xff",  # 4 GB of samples
        b"B\3\0\0\0abc",
        b"?\0\0\0\0",
        b"P\2\0\0\0{}",
        b"P\2\0\0\0[]",
        b"P\1\0\0\0{",
        b"O\1\0\0\0{",
    ],
)
def test_a_child_that_sends_nonsense_has_crashed(long: Path, monkeypatch: pytest.MonkeyPatch, lie: bytes) -> None:
    program = f"import sys; sys.stdin.readline(); sys.stdout.buffer.write({lie!r}); sys.stdout.flush(); input()"
    monkeypatch.setattr(decoder_process, "_command", lambda: [sys.executable, "-c", program])
    with pytest.raises(Problem) as caught, AudioFile(long):
        pass
    assert caught.value == Problem("file.crashed")


def test_a_process_that_cannot_be_started_is_said(long: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoder_process, "_command", lambda: [str(long.parent / "nothing")])
    with pytest.raises(Problem) as caught, AudioFile(long):
        pass
    assert caught.value.code == "file.no_decoder"


def test_no_child_is_left(long: Path) -> None:
    """Neither after a file, nor after a program that was killed in the middle of one."""
    with AudioFile(long) as audio:
        pid = pid_of(audio)
    assert is_gone(pid)
    program = (
        "import os, signal, sys\nfrom desktop_app.audio import decoder_process\n"
        "from desktop_app.audio.files import AudioFile\n"
        "with AudioFile(sys.argv[1]) as audio:\n"
        " print(audio._decoder._process.pid, decoder_process._spare._process.pid, flush=True)\n"
        " os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", program, str(long)], capture_output=True, text=True, check=False)
    left = [int(pid) for pid in done.stdout.split()]
    assert done.returncode == -signal.SIGKILL and len(left) == 2
    deadline = time.monotonic() + 10
    while not all(map(is_gone, left)):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_child_that_is_busy_ends_with_its_parent_too() -> None:
    """One that FFmpeg holds writes nothing, so no broken pipe ends it."""
    busy = (
        "import time\nfrom desktop_app.audio import decoder\n"
        "decoder._answer = lambda *what: time.sleep(60)\ndecoder.main()"
    )
    with subprocess.Popen([sys.executable, "-c", busy], stdin=subprocess.PIPE) as child:
        assert child.stdin is not None
        child.stdin.write(b"{}\n")
        child.stdin.close()
        assert child.wait(20) == 0


def test_the_keys_of_the_terminal_are_not_for_the_child(long: Path) -> None:
    with AudioFile(long) as audio:
        assert os.getsid(pid_of(audio)) != os.getsid(0)


def test_the_next_child_is_ready_before_it_is_needed(long: Path) -> None:
    with AudioFile(long):
        waiting = decoder_process._spare
    assert waiting is not None and waiting.runs
    with AudioFile(long) as audio:
        assert audio._decoder is waiting


def test_a_frozen_program_starts_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert decoder_process._command() == [sys.executable, decoder_process.ARGUMENT]


@pytest.mark.parametrize(
    "attempt",
    [
        "open('/etc/passwd')",
        "open('new', 'w')",
        "import socket; socket.socket()",
        "os.posix_spawn('/bin/true', ['true'], {}, file_actions=[(os.POSIX_SPAWN_OPEN, 9, '/dev/null', 0, 0)])",
        "bytearray(3 << 30)",
    ],
)
def test_while_it_decodes_it_can_open_nothing_and_take_little_memory(attempt: str, tmp_path: Path) -> None:
    program = (
        "import os, sys\nfrom desktop_app.audio import decoder\nimport socket\ndecoder._confine()\n"
        f"try:\n {attempt}\nexcept (OSError, MemoryError) as error:\n print(type(error).__name__)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.strip() in ("OSError", "MemoryError"), attempt
    assert not list(tmp_path.iterdir())
