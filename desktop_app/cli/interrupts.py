"""The signals that end a command: SIGTERM, as at a shutdown, and SIGHUP, when the window of the terminal is closed.

They come as KeyboardInterrupt, like Ctrl-C, so that everything is saved in the same way; the exit status names them.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTED = 130
TERMINATION_SIGNALS = [number for name in ("SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)) is not None]

Handler = Callable[[int, FrameType | None], None]


class Termination:
    """Attributes: number (the signal that came first, 0 for none)."""

    number = 0

    def status(self, otherwise: int) -> int:
        """The exit status, 128 and the signal's number where there was one."""
        return 128 + self.number if self.number else otherwise

    @contextmanager
    def handled(self, handler: Handler, *more: int) -> Iterator[None]:
        """Let `handler` take these signals and `more`, but those that are ignored, as by nohup."""
        before = {}
        for number in (*TERMINATION_SIGNALS, *more):
            if signal.getsignal(number) != signal.SIG_IGN:
                before[number] = signal.signal(number, handler)
        try:
            yield
        finally:
            for number, old in before.items():
                signal.signal(number, old)

    def interrupt(self, number: int, frame: FrameType | None) -> None:
        """Raise KeyboardInterrupt, the first time."""
        if not self.number:
            self.number = number
            raise KeyboardInterrupt


termination = Termination()
"""Of this process."""
