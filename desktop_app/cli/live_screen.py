"""A live session in the terminal: text that stands, text that may change, and how loud it is."""

from __future__ import annotations

import math
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from desktop_app import printing
from desktop_app.cli.results import output_refused
from desktop_app.texts import _

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.live import Live

_METER = 12
_QUIETEST = -60.0  # dB below full scale


@dataclass
class ScreenStatus:
    """What the moving lines show.

    Attributes:
        source: the input's name. state: what is being done, as "Recording".
        seconds: recorded so far; `backlog` of them are not written down yet, and text comes `latency` after its sound.
        peak: how loud it is, 0 to 1.
        final, provisional, draft: the parts of the open line's text.
    """

    source: str = ""
    state: str = ""
    seconds: float = 0.0
    backlog: float = 0.0
    latency: float = 0.0
    peak: float = 0.0
    final: str = ""
    provisional: str = ""
    draft: str = ""


class LiveScreen:
    """Lines that stand go to standard output, what moves and what is said to the user to standard error; used by
    `with`.

    Attributes: status; closed (whether nobody reads the lines any more).
    """

    closed = False

    def __init__(self) -> None:
        self.status = ScreenStatus(state=_("Waiting for sound"))
        self._stack = ExitStack()
        self._live: Live | None = None
        self._console: Console | None = None

    def __enter__(self) -> LiveScreen:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.live import Live

            self._console = Console(file=printing.ERRORS)
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

    def __exit__(self, *error: object) -> None:
        self._stack.close()
        self._live = None

    def line(self, text: str) -> None:
        """A line of the transcript that will not change any more."""
        if self._live is not None and self._console is not None and sys.stdout.isatty():
            self._console.print(printing.printable(text), markup=False, highlight=False)  # above the moving lines
        elif not self.closed:
            try:
                printing.out(f"{text}\n")
            except OSError as error:  # no reason to lose a recording
                self.closed = True
                printing.discard_output()
                if not isinstance(error, BrokenPipeError):  # a reader who has enough knows it
                    self.say(f"galley: {output_refused(error)}")

    def say(self, sentence: str) -> None:
        """A sentence for the user."""
        if self._live is not None and self._console is not None:
            self._console.print(printing.printable(sentence), markup=False, highlight=False, soft_wrap=True)
        else:
            printing.say(sentence)


def _shown(status: ScreenStatus) -> RenderableType:
    from rich.console import Group
    from rich.style import Style
    from rich.text import Text

    clean = printing.printable
    line = Text.assemble(
        clean(status.final),
        (clean(status.provisional), "dim"),
        (clean(status.draft), Style(color="bright_black", italic=True)),
    )
    minutes, seconds = divmod(int(status.seconds), 60)
    loud = _loudness(status.peak)
    below = Text.assemble(
        (f"{status.state} ", "bold"),
        f"{minutes // 60}:{minutes % 60:02}:{seconds:02}  ",
        ("█" * loud, "green"),
        ("·" * (_METER - loud), "bright_black"),
        (f"  {printing.one_line(status.source)}", "bright_black"),
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
