"""Telling whoever wants to know."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Generic, ParamSpec

P = ParamSpec("P")
_gathered: ExitStack | None = None


class Signal(Generic[P]):
    """Calls those who are connected, one after the other, in the thread that emits: in `app`, the front end's own."""

    def __init__(self) -> None:
        self._listeners: list[Callable[P, object]] = []

    def connect(self, listener: Callable[P, object]) -> None:
        """Call `listener` too from now on. Whoever lives shorter than this signal disconnects in the end, or is made
        within `gathered`.
        """
        self._listeners.append(listener)
        if _gathered is not None:
            _gathered.callback(self.disconnect, listener)

    def disconnect(self, listener: Callable[P, object]) -> None:
        """Call it no more."""
        if listener in self._listeners:
            self._listeners.remove(listener)

    def emit(self, *values: P.args, **named: P.kwargs) -> None:
        """Tell them."""
        for listener in tuple(self._listeners):
            listener(*values, **named)


@contextmanager
def gathered(into: ExitStack) -> Iterator[None]:
    """Gather the connections that are made within the block: they end when `into` is closed."""
    global _gathered
    before, _gathered = _gathered, into
    try:
        yield
    finally:
        _gathered = before
