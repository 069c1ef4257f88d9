"""What a recorder tells its listener, which may fail without taking the recording with it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from desktop_app.audio.files import Samples
from desktop_app.audio.microphone import MicrophoneProblem

if TYPE_CHECKING:
    from desktop_app.audio.recording import Recorded, RecorderListener

_GRAVEST_FIRST = ("input", "mute", "disk")


class Teller:
    """Stands between the two. Several troubles are told as one, the gravest first, and only when they change."""

    def __init__(self, listener: RecorderListener) -> None:
        self._listener = listener
        self._troubles: dict[str, MicrophoneProblem] = {}
        self._said: MicrophoneProblem | None = None

    def began(self) -> None:
        """The first sample has arrived."""
        self._tell(self._listener.began)

    def block(self, samples: Samples, start: int) -> None:
        """Sound that is in the file."""
        self._tell(self._listener.block, samples, start)

    def level(self, sound: Samples, peak: float) -> None:
        """How loud the newest sound is."""
        rms = float(np.sqrt(np.mean(np.square(sound))))
        self._tell(self._listener.level, min(peak, 1.0), min(rms, 1.0))

    def trouble(self, kind: str, problem: MicrophoneProblem | None) -> None:
        """There is a trouble of that kind ("input", "mute" or "disk"), or None any more."""
        if problem is None:
            self._troubles.pop(kind, None)
        else:
            self._troubles[kind] = problem
        now = _together([self._troubles[name] for name in _GRAVEST_FIRST if name in self._troubles])
        if str(now) != str(self._said):
            self._said = now
            self._tell(self._listener.trouble, now)

    def ended(self, recorded: Recorded) -> None:
        """It is over."""
        self._tell(self._listener.ended, recorded)

    def _tell(self, method: Callable[..., None], *what: Any) -> None:
        try:
            method(*what)
        except Exception:  # a mistake of the listener's must not end the recording
            logging.getLogger(__name__).exception("a listener failed")


def _together(problems: Sequence[MicrophoneProblem]) -> MicrophoneProblem | None:
    if not problems:
        return None
    remedies = [problems[0].remedy, *(f"besides, {other}" for other in problems[1:])]
    return MicrophoneProblem(problems[0].reason, "; ".join(remedies))
