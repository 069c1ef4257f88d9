"""What a user reads when the system lacks a library."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "installer" / "system_packages.py"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The script's names, on a Debian without PortAudio whose user is not root."""
    names = runpy.run_path(str(SCRIPT))
    world = names["main"].__globals__
    world["is_there"] = lambda name: name != "libportaudio.so.2"
    world["as_root"] = lambda: None
    monkeypatch.setattr(
        world["shutil"], "which", lambda program: f"/usr/bin/{program}" if program == "apt-get" else None
    )
    return world


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems need no packages")
def test_without_rights_one_line_says_what_to_type(script: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    script["main"](["sound"])
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == (
        "System libraries are missing. Type: sudo apt-get install -y --no-install-recommends libportaudio2\n"
    )


def test_nothing_is_said_where_nothing_is_missing(script: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    script["is_there"] = lambda name: True
    script["main"](["sound"])
    assert capsys.readouterr() == ("", "")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems need no packages")
def test_an_unknown_system_learns_what_debian_calls_it(
    script: dict[str, Any], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(script["shutil"], "which", lambda program: None)
    script["main"](["sound"])
    assert capsys.readouterr().err == "System libraries are missing. Install what Debian calls libportaudio2\n"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems need no packages")
def test_nobodys_sound_server_is_touched_for_a_test(
    script: dict[str, Any], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As root on a bare computer a PulseAudio is installed; elsewhere the tests that need it are skipped by name."""
    installed: list[list[str]] = []
    script["is_there"] = lambda name: False
    script["as_root"] = list
    script["install"] = lambda command, prefix: installed.append(command) or True
    monkeypatch.setattr(script["os"], "geteuid", lambda: 1000)
    script["main"](["virtual-microphone"])
    monkeypatch.setattr(script["os"], "geteuid", lambda: 0)
    monkeypatch.setattr(script["shutil"], "which", lambda program: f"/usr/bin/{program}")
    script["main"](["virtual-microphone"])
    assert installed == []
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(script["shutil"], "which", lambda program: "/usr/bin/apt-get" if program == "apt-get" else None)
    script["main"](["virtual-microphone"])
    assert {"pulseaudio", "pulseaudio-utils", "libasound2-plugins"} <= set(installed[0])
