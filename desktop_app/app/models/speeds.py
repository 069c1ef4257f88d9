"""How fast this computer transcribes: what was measured, and what follows from it for other models."""

from __future__ import annotations

import ctypes
import json
import math
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from desktop_app import __version__, atomic, bounded, folders
from desktop_app.engine.model_list import ListedModel
from desktop_app.messages.options import AUTO
from desktop_app.transcript.statistics import Speed

COMFORTABLE = 2.0
"""Seconds of audio a second: an hour takes half an hour at most."""

Chosen = tuple[str, str, str]
"""What was measured: the folder of a model, the draft and the precision, as they are chosen."""


class Speeds:
    """The measurements of this version of Galley on this computer, in a file of the cache folder: they can be made
    again, so that a file that cannot be read or written costs nothing else.
    """

    def __init__(self) -> None:
        self._found = _read(_path())

    def find(self, chosen: Chosen) -> Speed | None:
        """What was measured of a choice."""
        return self._found.get(chosen)

    def latest(self, folder: str) -> Speed | None:
        """What was last measured of a model, with any draft and precision."""
        return next((speed for chosen, speed in reversed(self._found.items()) if chosen[0] == folder), None)

    def keep(self, chosen: Chosen, speed: Speed) -> bool:
        """Take a measurement, unless an earlier one says more. Whether it was taken."""
        if not says_more(speed, self._found.get(chosen)):
            return False
        self._found.pop(chosen, None)
        self._found[chosen] = speed
        return True

    def forget(self, folder: str) -> None:
        """Forget what was measured of a model with the draft that is chosen automatically: that is another one now."""
        self._found = {each: speed for each, speed in self._found.items() if each[:2] != (folder, AUTO)}

    def save(self) -> None:
        """Write the file."""
        speeds = [[*chosen, speed.alone, speed.with_draft, speed.others] for chosen, speed in self._found.items()]
        text = json.dumps({"version": __version__, "speeds": speeds}, indent=1)
        with suppress(OSError):
            _path().parent.mkdir(parents=True, exist_ok=True)
            atomic.write(_path(), text)


def says_more(speed: Speed, before: Speed | None) -> bool:
    """Whether a measurement says more than the one before it: what a busy computer does says less than what a quieter
    one did."""
    return before is None or not speed.was_busy or speed.others <= before.others


def estimate(measured: Speed, measured_parameters: int, parameters: int) -> float:
    """About how fast a model of so many `parameters` would be without a draft, because encoder and decoder both take
    time in proportion to their weights; 0 where a size is unknown. From base to small and tiny it was at most
    13% off (benchmarks/history/2026-11.md).
    """
    return measured.alone * measured_parameters / parameters if parameters and measured_parameters else 0.0


def suggestion(
    measured: Speed, used: ListedModel, models: Iterable[ListedModel], memory: int | None
) -> tuple[ListedModel, float] | None:
    """The first of `models`, of which the most capable comes first, that is larger than the one in use, comfortable on
    this computer by estimate, and needs no more than half of its `memory` (bytes, None where unknown); and its speed.
    """
    for model in models:
        if model.speakers or "*" not in model.languages or model.parameters <= used.parameters:
            continue
        speed = estimate(measured, used.parameters, model.parameters)
        if speed >= COMFORTABLE and (memory is None or model.memory[0] <= memory / 2):
            return model, speed
    return None


def installed_memory() -> int | None:
    """Bytes of memory that this computer has; None where the system does not tell."""
    if sys.platform == "win32":
        kilobytes = ctypes.c_ulonglong()
        told = ctypes.windll.kernel32.GetPhysicallyInstalledSystemMemory(ctypes.byref(kilobytes))
        return kilobytes.value * 1024 if told else None
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return None


def _path() -> Path:
    return folders.cache() / "speeds.json"


def _read(path: Path) -> dict[Chosen, Speed]:
    try:
        kept = bounded.read_json(path)
        return dict(map(_measured, kept["speeds"])) if kept["version"] == __version__ else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _measured(kept: list[Any]) -> tuple[Chosen, Speed]:
    folder, draft, precision, *speeds = kept
    alone, with_draft, others = map(float, speeds)
    if not (math.isfinite(alone + with_draft) and alone > 0 <= with_draft and 0 <= others <= 1):
        raise ValueError(kept)
    return (str(folder), str(draft), str(precision)), Speed(alone, with_draft, others)
