"""Media is decoded by a process that may die: what becomes of it is one sentence, and nobody else is harmed."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import BinaryIO

import numpy as np
import pytest
import soundfile

from desktop_app.audio import decoder, decoder_process, length
from desktop_app.audio.files import AudioFile
from desktop_app.problems import Problem
from desktop_app.transcript.constants import SAMPLE_RATE
from tests.waiting import LONGEST, Within, wait_until


@pytest.fixture
def long(tmp_path: Path) -> Path:
    """More sound than waits for its reader."""
    path = tmp_path / "long.flac"
    soundfile.write(path, np.zeros(60 * SAMPLE_RATE, np.int16), SAMPLE_RATE)
    return path


@pytest.fixture(autouse=True, params=sorted({False, decoder_process.FORKS}), ids=("process", "fork").__getitem__)
def forks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[bool]:
    """Both ways to have a child; what was started ahead of time was started before a test could change anything."""
    decoder_process.close()
    monkeypatch.setattr(decoder_process, "FORKS", request.param)
    yield request.param
    decoder_process.close()


def pid_of(audio: AudioFile) -> int:
    """The process that decodes."""
    child = audio._decoder._child
    if isinstance(child, decoder_process._Process):
        return child._process.pid
    server = decoder_process._server._process
    assert server is not None
    (pid,) = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text(encoding="utf-8").split()
    return int(pid)


def problem_after(path: Path, how: signal.Signals) -> Problem | None:
    """What is said about a file whose child gets a signal in the middle of it."""
    try:
        with AudioFile(path) as audio:
            os.kill(pid_of(audio), how)
            list(audio)
    except Problem as problem:
        return problem
    return None


def state_of(pid: int) -> str:
    """As Linux names it: "T" for one that was stopped, "" for none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").split()[2]
    except (FileNotFoundError, ProcessLookupError):  # gone before it was opened, or while it was read
        return ""


def is_gone(pid: int) -> bool:
    return state_of(pid) in ("", "Z")


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


def test_a_child_that_says_nothing_is_ended(long: Path, monkeypatch: pytest.MonkeyPatch, within: Within) -> None:
    monkeypatch.setattr(decoder_process, "DEADLINE", 2)
    with within(10.0):
        assert problem_after(long, signal.SIGSTOP) == Problem("file.stuck", seconds=2)


def test_a_reader_that_takes_its_time_ends_no_child(long: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with AudioFile(long) as audio:
        blocks = iter(audio)
        samples = len(next(blocks))
        with monkeypatch.context() as patched:
            patched.setattr(decoder_process, "DEADLINE", 1)
            time.sleep(3)
        assert samples + sum(map(len, blocks)) == 60 * SAMPLE_RATE


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
    program = (
        "import sys\nfrom desktop_app.audio import decoder\nfrom desktop_app.audio.decoder_process import HEADER\n"
        f"decoder._answer = lambda request, messages: (messages._out.write({lie!r}), messages._out.flush(), input())\n"
        "decoder.main()"
    )
    monkeypatch.setattr(decoder_process, "_command", lambda: [sys.executable, "-c", program])
    with pytest.raises(Problem) as caught, AudioFile(long):
        pass
    assert caught.value == Problem("file.crashed")


def test_a_process_that_cannot_be_started_is_said(long: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoder_process, "_command", lambda: [str(long.parent / "nothing")])
    with pytest.raises(Problem) as caught, AudioFile(long):
        pass
    assert caught.value.code == "file.no_decoder"


def test_no_child_is_left(long: Path, forks: bool) -> None:
    """Neither after a file, nor after a program that was killed in the middle of one."""
    with AudioFile(long) as audio:
        pid = pid_of(audio)
    wait_until(lambda: is_gone(pid))
    ahead = "_server" if forks else "_spare"
    program = (
        "import os, signal, sys\nfrom desktop_app.audio import decoder_process\n"
        f"decoder_process.FORKS = {forks}\n"
        "from desktop_app.audio.files import AudioFile\n"
        "with AudioFile(sys.argv[1]) as audio:\n"
        f" ahead = decoder_process.{ahead}._process.pid\n"
        " children = open(f'/proc/{ahead}/task/{ahead}/children').read().split()\n"
        f" print(ahead, *(children if {forks} else [audio._decoder._child._process.pid]), flush=True)\n"
        " os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", program, str(long)], capture_output=True, text=True, check=False)
    left = [int(pid) for pid in done.stdout.split()]
    assert done.returncode == -signal.SIGKILL and len(left) == 2
    wait_until(lambda: all(map(is_gone, left)))


def test_a_child_that_stands_still_is_gone_when_its_file_is_closed(long: Path) -> None:
    """It cannot see that its connection is closed. One that has not come to a halt yet could."""
    with AudioFile(long) as audio:
        pid = pid_of(audio)
        os.kill(pid, signal.SIGSTOP)
        wait_until(lambda: state_of(pid) == "T")
    wait_until(lambda: is_gone(pid))


def test_a_fork_server_that_was_killed_is_replaced(long: Path, forks: bool) -> None:
    """Its children end with their files, and are read to their end before."""
    if not forks:
        return
    with AudioFile(long) as audio:
        pid = pid_of(audio)
        server = decoder_process._server._process
        assert server is not None
        os.kill(server.pid, signal.SIGKILL)
        wait_until(lambda: is_gone(server.pid))
        assert sum(map(len, audio)) == 60 * SAMPLE_RATE
    wait_until(lambda: is_gone(pid))
    with AudioFile(long) as audio:
        assert sum(map(len, audio)) == 60 * SAMPLE_RATE


def test_many_files_at_once(long: Path) -> None:
    """Each child has its own connection, and its own end."""
    with AudioFile(long) as one, AudioFile(long, 20.0) as other:
        sounds = iter(one), iter(other)
        firsts = [next(each) for each in sounds]
        with AudioFile(long, 50.0) as third:
            assert sum(map(len, third)) == 10 * SAMPLE_RATE
        rests = [sum(map(len, each)) for each in sounds]
    assert [len(first) + rest for first, rest in zip(firsts, rests, strict=True)] == [
        60 * SAMPLE_RATE,
        40 * SAMPLE_RATE,
    ]


@pytest.fixture
def sending() -> Iterator[tuple[decoder._Messages, BinaryIO]]:
    """A child's messages, and where its parent reads them. A connection holds a few seconds of sound."""
    reader, writer = socket.socketpair()
    with (
        reader,
        writer,
        reader.makefile("rb") as sent,
        writer.makefile("wb") as out,
        decoder._Messages(out) as messages,
    ):
        yield messages, sent


HALF_A_SECOND = bytes(2 * SAMPLE_RATE)


def kinds(sent: BinaryIO, count: int) -> bytes:
    """The kinds of the next messages, each of half a second."""
    return b"".join(sent.read(decoder_process.HEADER.size + len(HALF_A_SECOND))[:1] for _ in range(count))


def test_a_window_is_decoded_while_its_reader_computes(sending: tuple[decoder._Messages, BinaryIO]) -> None:
    """Nobody reads while it is sent; all of it comes, in order."""
    messages, sent = sending
    for kind in (b"B", b"C"):
        for _ in range(30):
            messages.send(kind, HALF_A_SECOND)
    assert kinds(sent, 60) == b"B" * 30 + b"C" * 30


def test_a_whole_recording_is_not_decoded_ahead(sending: tuple[decoder._Messages, BinaryIO]) -> None:
    """So that its length needs no memory: 100 s do not wait for a reader that stands still."""
    messages, sent = sending
    decoding = Thread(target=lambda: [messages.send(b"B", HALF_A_SECOND) for _ in range(200)], daemon=True)
    decoding.start()
    decoding.join(1.0)
    waits = decoding.is_alive()
    assert kinds(sent, 200) == b"B" * 200
    decoding.join()
    assert waits


def test_a_child_that_is_busy_ends_with_its_parent_too() -> None:
    """One that FFmpeg holds writes nothing, so no broken pipe ends it."""
    busy = (
        "import time\nfrom desktop_app.audio import decoder\n"
        "decoder._answer = lambda *what: time.sleep(3600)\ndecoder.main()"
    )
    with subprocess.Popen([sys.executable, "-c", busy], stdin=subprocess.PIPE) as child:
        assert child.stdin is not None
        child.stdin.write(b"{}\n")
        child.stdin.close()
        assert child.wait(LONGEST) == 0


def test_the_keys_of_the_terminal_are_not_for_the_child(long: Path) -> None:
    with AudioFile(long) as audio:
        assert os.getsid(pid_of(audio)) != os.getsid(0)


def test_what_the_next_file_needs_is_started_before(long: Path, forks: bool) -> None:
    decoder_process.prepare()
    if forks:
        server = decoder_process._server._process
        with AudioFile(long):
            assert server is not None and decoder_process._server._process is server
    else:
        waiting = decoder_process._spare
        with AudioFile(long) as audio:
            assert waiting is not None and audio._decoder._child is waiting


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
