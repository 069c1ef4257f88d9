"""Private: nothing leaves the computer."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ELSEWHERE = "192.0.2.1"  # an address that the standards keep for examples


def test_the_guard_stops_a_connection_and_writes_it_down(network_attempts: Path) -> None:
    with pytest.raises(RuntimeError, match=ELSEWHERE), socket.socket() as connection:
        connection.connect((ELSEWHERE, 80))
    assert ELSEWHERE in network_attempts.read_text(encoding="utf-8")


def test_the_guard_stands_in_child_processes(network_attempts: Path) -> None:
    program = f"import urllib.request; urllib.request.urlopen('http://{ELSEWHERE}')"
    child = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "the tests reach no network" in child.stderr
    assert ELSEWHERE in network_attempts.read_text(encoding="utf-8")


def test_loading_the_runtime_reports_nothing_to_anybody(tmp_path: Path) -> None:
    """OpenVINO's package tells its maker of every import, unless its telemetry package cannot be imported."""
    attempts = tmp_path / "attempts"
    program = "import sys, desktop_app.runtimes.openvino as runtime; print(sys.modules['openvino_telemetry'])"
    environment = {**os.environ, "HOME": str(tmp_path), "GALLEY_NETWORK_ATTEMPTS": str(attempts)}
    child = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    assert not attempts.exists(), attempts.read_text(encoding="utf-8")
    assert child.stdout.strip() == "None", "set sys.modules['openvino_telemetry'] = None before openvino is imported"
    assert list(tmp_path.iterdir()) == []
