"""How long a test waits for what it expects: a limit that ends a test that hangs, and decides nothing."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol

LONGEST = 300.0
"""Seconds: many times what a quiet computer takes, and less than the limit of pytest-timeout."""


def wait_until(happened: Callable[[], object]) -> None:
    """Wait until something has happened that another thread or process does."""
    end = time.monotonic() + LONGEST
    while not happened():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


class Within(Protocol):
    """The fixture `within` of tests/conftest.py."""

    def __call__(self, most: float, least: float = 0.0) -> AbstractContextManager[None]: ...
