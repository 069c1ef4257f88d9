"""Telling whoever wants to know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, ParamSpec

P = ParamSpec("P")


class Signal(Generic[P]):
    """Calls those who are connected, one after the other, in the thread that emits: in `app`, the front end's own."""

    def __init__(self) -> None:
        self._listeners: list[Callable[P, object]] = []

    def connect(self, listener: Callable[P, object]) -> None:
        """Call `listener` too from now on. Whoever lives shorter than this signal disconnects in the end."""
        self._listeners.append(listener)

    def disconnect(self, listener: Callable[P, object]) -> None:
        """Call it no more."""
        if listener in self._listeners:
            self._listeners.remove(listener)

    def emit(self, *values: P.args, **named: P.kwargs) -> None:
        """Tell them."""
        for listener in tuple(self._listeners):
            listener(*values, **named)
