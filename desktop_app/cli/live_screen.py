"""A live session in the terminal: text that stands, text that may change, and how loud it is."""

from __future__ import annotations

import math
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING

from desktop_app.texts import _

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.live import Live

_METER = 12
_QUIETEST = -60.0  # dB below full scale


@dataclass
class Status:
    """What the moving lines show.

    Attributes:
        source: the input's name. state: what is being done, as "Recording".
        seconds: recorded so far; `backlog` of them are not written down yet, and text comes `latency` after its sound.
        peak: how loud it is, 0 to 1.
        ink, uncommitted, draft: the line that is being written: final; the target's, may change; the draft's alone.
    """

    source: str = ""
    state: str = ""
    seconds: float = 0.0
    backlog: float = 0.0
    latency: float = 0.0
    peak: float = 0.0
    ink: str = ""
    uncommitted: str = ""
    draft: str = ""


class LiveScreen:
    """Lines that stand go to standard output, what moves and what is said to the user to standard error; used by
    `with`."""

    def __init__(self) -> None:
        self.status = Status(state=_("Waiting for sound"))
        self._stack = ExitStack()
        self._live: Live | None = None
        self._console: Console | None = None

    def __enter__(self) -> LiveScreen:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.live import Live

            self._console = Console(stderr=True)
            self._live = self._stack.enter_context(
                Live(
                    get_renderable=lambda: _shown(self.status),
                    console=self._console,
                    refresh_per_second=10,
                    transient=True,
                    redirect_stdout=False,
                    redirect_stderr=False,
                )
            )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()
        self._live = None

    def line(self, text: str) -> None:
        """A line of the transcript that will not change any more."""
        if self._live is not None and self._console is not None and sys.stdout.isatty():
            self._console.print(text, markup=False, highlight=False)  # above the moving lines
        else:
            sys.stdout.write(f"{text}\n")
            sys.stdout.flush()

    def say(self, sentence: str) -> None:
        """A sentence for the user."""
        if self._live is not None and self._console is not None:
            self._console.print(sentence, markup=False, highlight=False, soft_wrap=True)
        else:
            sys.stderr.write(f"{sentence}\n")
            sys.stderr.flush()


def _shown(status: Status) -> RenderableType:
    from rich.console import Group
    from rich.style import Style
    from rich.text import Text

    line = Text.assemble(
        status.ink, (status.uncommitted, "dim"), (status.draft, Style(color="bright_black", italic=True))
    )
    minutes, seconds = divmod(int(status.seconds), 60)
    loud = _loudness(status.peak)
    below = Text.assemble(
        (f"{status.state} ", "bold"),
        f"{minutes // 60}:{minutes % 60:02}:{seconds:02}  ",
        ("█" * loud, "green"),
        ("·" * (_METER - loud), "bright_black"),
        (f"  {status.source}", "bright_black"),
        no_wrap=True,
        overflow="ellipsis",
    )
    if status.latency:
        below.append("  " + _("{seconds} s delay", seconds=f"{status.latency:.1f}"), "bright_black")
    if status.backlog >= 1:
        below.append("  " + _("{seconds} s not yet transcribed", seconds=f"{status.backlog:.0f}"), "yellow")
    return Group(line, below) if line else below


def _loudness(peak: float) -> int:
    """How many of the meter's bars."""
    if peak <= 0:
        return 0
    return max(0, min(_METER, round((1 - 20 * math.log10(peak) / _QUIETEST) * _METER)))
