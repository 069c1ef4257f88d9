"""A clock that a test sets: Python runs this file at its start in every process that finds it on its path.

The file that GALLEY_CHAOS_CLOCK names holds the seconds by which the time of day is wrong; other clocks are right.
"""

from __future__ import annotations

import datetime
import os
import time
from pathlib import Path
from typing import Any

_offset = Path(os.environ["GALLEY_CHAOS_CLOCK"])
_time, _localtime, _strftime = time.time, time.localtime, time.strftime


def _wrong() -> float:
    return _time() + float(_offset.read_text(encoding="ascii") or 0)


class _DateTime(datetime.datetime):
    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> Any:
        return cls.fromtimestamp(_wrong(), tz)


datetime.datetime = _DateTime  # type: ignore[misc]
time.time = _wrong
time.localtime = lambda seconds=None: _localtime(_wrong() if seconds is None else seconds)
time.strftime = lambda form, when=None: _strftime(form, _localtime(_wrong()) if when is None else when)
