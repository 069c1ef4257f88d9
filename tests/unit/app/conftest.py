"""The application with a front end that only waits."""

from __future__ import annotations

import contextlib
import queue
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.staging import Stage

_LONGEST = 10.0  # seconds


@pytest.fixture
def stage(home: Path) -> Iterator[Stage]:
    """A session on an empty library; what is posted is done while a test waits."""
    calls: queue.SimpleQueue[Callable[[], object]] = queue.SimpleQueue()

    def until(condition: Callable[[], Any]) -> None:
        end = time.monotonic() + _LONGEST
        while not condition():
            assert time.monotonic() < end, "what was waited for has not happened"
            with contextlib.suppress(queue.Empty):
                calls.get(timeout=0.02)()

    made = Stage(calls.put, until)
    yield made
    made.close()
