"""Which file the engine gets next: one after another, in an order that the user can change, or none while it pauses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from desktop_app.engine.messages import Options
from desktop_app.transcript.model import Place, Transcript


@dataclass(frozen=True)
class Request:
    """What the engine is asked for one file; see Engine.transcribe."""

    job: str
    path: str
    options: Options
    written: Transcript | None = None
    place: Place | None = None


class Queue:
    """Requests that wait; `order` gives the jobs of the queue, the next one first, and `send` is told one of them
    whenever the one before it has ended.

    Attributes: running (the job that the engine has, "" for none); paused (whether no more are sent).
    """

    def __init__(self, send: Callable[[Request], object], order: Callable[[], list[str]]) -> None:
        self._send, self._order = send, order
        self._waiting: dict[str, Request] = {}
        self.running, self.paused = "", False

    def put(self, request: Request) -> None:
        """One more; it is sent at once where nothing else is to be done."""
        self._waiting[request.job] = request
        self.send_next()

    def take_out(self, job: str) -> bool:
        """Forget one that waits; whether it did."""
        return self._waiting.pop(job, None) is not None

    def ended(self, job: str) -> None:
        """The engine has done with a job."""
        if job == self.running:
            self.running = ""
            self.send_next()

    def send_next(self) -> None:
        """Send what comes first, if the engine has nothing to do."""
        if self.paused or self.running:
            return
        job = next((job for job in self._order() if job in self._waiting), "")
        if job:
            self.running = job
            self._send(self._waiting.pop(job))
