"""A piece of work on a model as it is shown: how far it is, how quick, and how long it will take."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field

from desktop_app.app.presentation.wording import left, percent, size
from desktop_app.messages.model_work import Download, Step, Work
from desktop_app.texts import N_, _

_SECONDS = 6.0  # over which the speed is measured
_STALLED = 4.0  # seconds without a byte before it is reported
_STEPS = {  # what a Step says, but "Downloading", which has more to tell
    "Asking": N_("Contacting the server…"),
    "Checking": N_("Verifying…"),
    "Copying": N_("Copying…"),
    "Unpacking": N_("Unpacking…"),
    "Quantising": N_("Quantising the weights…"),
    "Loading": N_("Preparing the model…"),
    "Measuring": N_("Measuring…"),
}


@dataclass
class Job:
    """Attributes: work; waiting, stopping (it has not begun, it is to end); what, done, total as of the last Step."""

    work: Work
    waiting: bool = False
    stopping: bool = False
    what: str = ""
    done: int = 0
    total: int = 0
    _marks: deque[tuple[float, int]] = field(default_factory=deque)

    def note(self, step: Step, now: float) -> None:
        """It has come further; `now` in seconds of a steady clock."""
        if step.what != self.what:
            self._marks.clear()
        if not self._marks or step.done != self._marks[-1][1]:
            self._marks.append((now, step.done))
        while len(self._marks) > 2 and self._marks[0][0] < now - _SECONDS:
            self._marks.popleft()
        self.what, self.done, self.total = step.what, step.done, step.total

    @property
    def share(self) -> float:
        """How much of it is done, 0 to 1."""
        return min(self.done / self.total, 1.0) if self.total else 0.0

    def speed(self, now: float) -> float:
        """Bytes a second; 0 while it is not known, and when nothing comes."""
        if len(self._marks) < 2 or now - self._marks[-1][0] > _STALLED:
            return 0.0
        (begun, first), (_, last) = self._marks[0], self._marks[-1]
        return (last - first) / (now - begun) if now > begun else 0.0

    def words(self, now: float | None = None) -> str:
        """How it stands, in one line."""
        now = time.monotonic() if now is None else now
        if self.waiting:
            return _("Queued")
        if self.stopping:
            return _("Stopping…")
        if self.what != "Downloading":
            if self.what in _STEPS:
                step = _(_STEPS[self.what])
            else:
                step = _("Connecting…") if isinstance(self.work, Download) else _("Starting…")
            return f"{step} {percent(self.share)}" if self.total else step
        parts = [_("{done} of {total}", done=size(self.done), total=size(self.total))]
        speed = self.speed(now)
        if speed > 0:
            parts += [_("{size}/s", size=size(round(speed))), left((self.total - self.done) / speed)]
        elif self._marks and now - self._marks[-1][0] > _STALLED:
            parts.append(_("waiting for data"))
        return " · ".join(parts)
