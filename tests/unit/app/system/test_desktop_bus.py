"""What Galley asks of a desktop over D-Bus, answered by a bus of the test's own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop_app.app.system import desktop_bus
from tests.waiting import wait_until

if sys.platform == "linux":
    from tests.fake_bus import FakeBus, fake_bus

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="D-Bus is the bus of Linux desktops")


@pytest.fixture
def bus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeBus]:
    with fake_bus(tmp_path) as made:
        for name in ("SYSTEM", "SESSION"):
            monkeypatch.setenv(f"DBUS_{name}_BUS_ADDRESS", made.address)
        yield made


def test_the_computer_is_kept_awake_until_that_is_ended(bus: FakeBus) -> None:
    release = desktop_bus.keep_awake("Galley is transcribing")
    assert bus.calls == [("Inhibit", ("sleep:idle", "Galley", "Galley is transcribing", "block"))]
    assert release is not None and bus.is_held(0)
    release()
    wait_until(lambda: not bus.is_held(0))  # the bus itself closes its end after it has sent it


def test_a_killed_program_lets_the_computer_sleep(bus: FakeBus) -> None:
    code = (
        "import time; from desktop_app.app.system.desktop_bus import keep_awake;"
        "kept = keep_awake('x'); print(1, flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as program:
        assert program.stdout is not None and program.stdout.readline() == b"1\n"
        assert bus.is_held(0)
        program.send_signal(signal.SIGKILL)
    wait_until(lambda: not bus.is_held(0))  # the bus itself closes its end after it has sent it


def test_who_may_not_forbid_sleep_forbids_idling(bus: FakeBus) -> None:
    bus.refused = {"sleep:idle"}
    release = desktop_bus.keep_awake("x")
    assert [values[0] for _method, values in bus.calls] == ["sleep:idle", "idle"] and release is not None
    release()


def test_a_notification_is_renewed_and_holds_no_markup(bus: FakeBus) -> None:
    first = desktop_bus.notify("Done", "a <b> & c.wav")
    second = desktop_bus.notify("Done", "two", first)
    assert (first, second) == (1, 2)
    (_notify, values), (_again, others) = bus.calls
    assert values[4] == "a &lt;b&gt; &amp; c.wav" and (values[1], others[1]) == (0, 1)


@pytest.mark.parametrize("address", ["unix:path=/nowhere/bus", "", "nonsense"])
def test_a_system_without_a_bus_is_no_trouble(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SYSTEM", "SESSION"):
        monkeypatch.setenv(f"DBUS_{name}_BUS_ADDRESS", address)
    assert desktop_bus.keep_awake("x") is None and desktop_bus.notify("a", "b") == 0


def test_a_refusal_is_no_trouble(bus: FakeBus) -> None:
    bus.refused = {"sleep:idle", "idle", "Galley"}
    descriptors = len(os.listdir("/proc/self/fd"))
    assert desktop_bus.keep_awake("x") is None and desktop_bus.notify("a", "b") == 0
    assert len(os.listdir("/proc/self/fd")) <= descriptors + 1, "what was asked is closed; the bus may close late"
