"""One window for a library: a second start hands its files to the first."""

from __future__ import annotations

import errno
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Thread

import pytest
from filelock import FileLock

from desktop_app import folders
from desktop_app.app.system import instance
from desktop_app.app.system.instance import Instance
from desktop_app.library.store import Library
from tests.waiting import LONGEST, Within

ODD = os.fsdecode(b"/talks/ma\xf1ana \xe2\x80\x9d.wav")
Calls = SimpleQueue[Callable[[], object]]


@pytest.fixture
def calls(home: Path) -> Calls:
    """What the window's thread is asked to do."""
    folders.data().mkdir()
    return SimpleQueue()


@pytest.fixture
def taken(calls: Calls) -> Iterator[list[list[str]]]:
    """The window: what it was given."""
    made, found = Instance(), []
    assert made.claim()
    made.serve(calls.put, found.append)
    yield found
    made.close()


@pytest.mark.parametrize("paths", [[], ["/talks/one.wav", ODD]])
def test_a_second_start_hands_its_files_over(calls: Calls, taken: list[list[str]], paths: list[str]) -> None:
    second = Instance()
    assert not second.claim()
    answers: list[bool] = []
    thread = Thread(target=lambda: answers.append(second.hand_over(paths)))
    thread.start()
    calls.get(timeout=LONGEST)()
    thread.join()
    assert (taken, answers) == ([paths], [True])


def test_a_window_that_does_not_answer_is_waited_for_only_so_long(
    taken: list[list[str]], monkeypatch: pytest.MonkeyPatch, within: Within
) -> None:
    monkeypatch.setattr(instance, "_PATIENCE", 0.5)
    with within(3.0, least=0.4):
        assert not Instance().hand_over(["/talks/one.wav"])  # in the thread that would have to answer


@pytest.mark.skipif(sys.platform == "win32", reason="a pipe there is no socket")
def test_nonsense_adds_nothing(calls: Calls, taken: list[list[str]]) -> None:
    for said in (b"", b"\xff" * 100, b"\0\0\0\x04nojs", b"\0\0\0\x02{}", b"\0\0\0\x06[null]", b"\x7f\xff\xff\xff[["):
        with closing(socket.socket(socket.AF_UNIX)) as peer:
            peer.connect(instance._address())
            peer.sendall(said)
    answers: list[bool] = []
    thread = Thread(target=lambda: answers.append(Instance().hand_over(["/talks/one.wav"])))
    thread.start()
    calls.get(timeout=LONGEST)()
    thread.join()
    assert (taken, answers) == ([["/talks/one.wav"]], [True]), "and the next one is heard"


@pytest.mark.skipif(sys.platform == "win32", reason="a pipe there has whole messages only")
def test_who_never_ends_a_message_keeps_nobody_waiting(
    calls: Calls, taken: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither half of one, nor one that trickles, nor nothing."""
    monkeypatch.setattr(instance, "_REQUEST_TIMEOUT", 0.5)
    with ExitStack() as stack:
        for said in (b"", b"\0\0", b"\0\0\0\x10[", b"\0\0\0\x10["):
            peer = stack.enter_context(closing(socket.socket(socket.AF_UNIX)))
            peer.connect(instance._address())
            peer.sendall(said)
        trickle = Thread(target=_trickle, args=(peer,))
        trickle.start()
        answers: list[bool] = []
        thread = Thread(target=lambda: answers.append(Instance().hand_over(["/talks/one.wav"])))
        thread.start()
        calls.get(timeout=LONGEST)()
        thread.join()
        trickle.join()
    assert (taken, answers) == ([["/talks/one.wav"]], [True])


def _trickle(peer: socket.socket) -> None:
    with suppress(OSError):  # it is hung up on
        for _ in range(12):
            time.sleep(0.2)
            peer.sendall(b" ")


@pytest.mark.skipif(sys.platform == "win32", reason="a pipe there leaves nothing behind")
def test_a_killed_window_does_not_keep_the_next_one_from_opening(calls: Calls) -> None:
    with closing(socket.socket(socket.AF_UNIX)) as dead:
        dead.bind(instance._address())
    (folders.data() / "window.lock").touch()
    made = Instance()
    assert made.claim()
    made.close()
    after = Instance()
    assert after.claim(), "nor does a closed one"
    after.close()


def test_a_long_path_has_a_socket_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    long = tmp_path / ("x" * 120)
    (long / "data").mkdir(parents=True)
    monkeypatch.setenv("GALLEY_HOME", str(long))
    monkeypatch.setenv("TMPDIR" if sys.platform == "darwin" else "XDG_RUNTIME_DIR", str(tmp_path))
    made = Instance()
    assert made.claim()
    made.serve(lambda call: call(), lambda paths: None)
    assert Instance().hand_over([])
    made.close()


@pytest.mark.skipif(sys.platform == "win32", reason="the test sends signals")
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left"), NotImplementedError("no locks")])
def test_where_no_lock_can_be_made_there_is_a_window(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a full disk the user has to see what can be deleted."""

    def refuse(*_what: object, **_options: object) -> None:
        raise error

    monkeypatch.setattr(FileLock, "acquire", refuse)
    made = Instance()
    assert made.claim()
    made.serve(lambda call: call(), pytest.fail)
    made.close()


def test_the_program_opens_one_window_only(home: Path, tmp_path: Path) -> None:
    """The second start ends at once, and its file, however it was named, is in the first one's queue."""
    (tmp_path / "one.wav").write_bytes(b"sound")
    command = [sys.executable, "-m", "desktop_app"]
    window = subprocess.Popen(command)
    try:
        while not Path(instance._address()).exists():
            assert window.poll() is None
            time.sleep(0.1)
        top = str(Path(__file__).resolve().parents[4])
        anywhere = os.environ | {"PYTHONPATH": os.pathsep.join([top, os.environ["PYTHONPATH"]])}
        second = subprocess.run(
            [*command, "one.wav"], cwd=tmp_path, env=anywhere, capture_output=True, text=True, check=False
        )
        assert (second.returncode, second.stdout, second.stderr) == (0, "", "")
        added = ""
        while not added:
            with closing(Library(folders.data() / "library")) as library:
                added = next((one.path for one in library.recordings()), "")
        assert added == str(tmp_path / "one.wav")
        assert Path(instance._address()).stat().st_mode & 0o077 == 0, "nobody else can hand files to it"
        window.send_signal(signal.SIGSTOP)
        second = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (second.returncode, second.stderr) == (
            1,
            "galley: Galley is already open and does not answer. Close it or end it, then try again.\n",
        )
    finally:
        window.kill()
        window.wait()
