"""The inputs of a Linux sound server, PulseAudio or PipeWire, which PortAudio shows as one: asked with `pactl`.

PortAudio opens the server's default input; the server's own variable PULSE_SOURCE says which one that is.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from desktop_app import bounded

_PATIENCE = 3.0
_CHOICE = "PULSE_SOURCE"
_DUMMY = "auto_null.monitor"  # the default of servers without any device; it is always silent


@dataclass(frozen=True)
class ServerSource:
    """An input of the server; `is_monitor` is what goes to an output, `server` the server's name for people."""

    name: str
    description: str
    channels: int
    rate: int
    is_monitor: bool
    is_default: bool
    server: str


def sources() -> list[ServerSource] | None:
    """The server's inputs; None where there is no server, or no `pactl` to ask it."""
    if not sys.platform.startswith("linux") or shutil.which("pactl") is None:
        return None
    found, info = _ask("list", "sources"), _ask("info")
    if not isinstance(found, list) or not isinstance(info, dict):
        return None
    server = "PipeWire" if "PipeWire" in str(info.get("server_name", "")) else "PulseAudio"
    default = info.get("default_source_name", "")
    return [
        ServerSource(
            name=source["name"],
            description=source.get("description") or source["name"],
            channels=_number(r"(\d+)ch", source.get("sample_specification", ""), 1),
            rate=_number(r"(\d+)Hz", source.get("sample_specification", ""), 48_000),
            is_monitor=source.get("monitor_source") not in (None, "", "n/a"),
            is_default=source["name"] == default != _DUMMY,
            server=server,
        )
        for source in found
        if isinstance(source, dict) and source.get("name")
    ]


@contextmanager
def choosing(name: str) -> Iterator[None]:
    """Streams opened inside record from the input `name`; "" leaves the choice to the server and its user."""
    before = os.environ.get(_CHOICE)
    if name:
        os.environ[_CHOICE] = name
    try:
        yield
    finally:
        if name:
            os.environ.pop(_CHOICE)
            if before is not None:
                os.environ[_CHOICE] = before


def _ask(*what: str) -> Any:
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    try:
        output = subprocess.run(
            ["pactl", "--format=json", *what],
            capture_output=True,
            timeout=_PATIENCE,
            env=environment,
            stdin=subprocess.DEVNULL,
        )
        return bounded.parse_json(output.stdout) if output.returncode == 0 else None
    except (OSError, subprocess.SubprocessError, ValueError):
        return None


def _number(pattern: str, text: str, otherwise: int) -> int:
    match = re.search(pattern, text)
    return int(match.group(1)) if match else otherwise
