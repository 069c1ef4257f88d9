"""The application with a front end that only waits."""

from __future__ import annotations

import contextlib
import queue
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.staging import Stage
from tests.waiting import wait_until


@pytest.fixture
def stage(home: Path) -> Iterator[Stage]:
    """A session on an empty library; what is posted is done while a test waits."""
    calls: queue.SimpleQueue[Callable[[], object]] = queue.SimpleQueue()

    def until(condition: Callable[[], Any]) -> None:
        def happened() -> bool:
            with contextlib.suppress(queue.Empty):
                calls.get_nowait()()
            return bool(condition())

        if not condition():
            wait_until(happened)

    made = Stage(calls.put, until)
    yield made
    made.close()
