"""Telling whoever wants to know."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Generic, ParamSpec

P = ParamSpec("P")
_collecting: ExitStack | None = None


class Signal(Generic[P]):
    """Calls those who are connected, one after the other, in the thread that emits: in `app`, the front end's own."""

    def __init__(self) -> None:
        self._listeners: list[Callable[P, object]] = []

    def connect(self, listener: Callable[P, object]) -> None:
        """Call `listener` too from now on. Whoever lives shorter than this signal disconnects in the end, or is made
        within `collect_connections`.
        """
        self._listeners.append(listener)
        if _collecting is not None:
            _collecting.callback(self.disconnect, listener)

    def disconnect(self, listener: Callable[P, object]) -> None:
        """Call it no more."""
        if listener in self._listeners:
            self._listeners.remove(listener)

    def emit(self, *values: P.args, **named: P.kwargs) -> None:
        """Tell them."""
        for listener in tuple(self._listeners):
            listener(*values, **named)


@contextmanager
def collect_connections(into: ExitStack) -> Iterator[None]:
    """Collect the connections that are made within the block: they end when `into` is closed."""
    global _collecting
    before, _collecting = _collecting, into
    try:
        yield
    finally:
        _collecting = before
