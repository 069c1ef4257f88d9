"""The pictures of a video as it is heard: read in a thread of its own, at most five a second."""

from __future__ import annotations

from contextlib import suppress
from threading import Condition, Thread
from typing import NamedTuple, Protocol

from desktop_app.audio.decoder_process import PICTURE, PICTURES_A_SECOND, DecoderProcess
from desktop_app.problems import Problem

_AHEAD = 2.0  # seconds that are read through; what is farther away is sought


class Picture(NamedTuple):
    """RGB, row by row."""

    seconds: float
    width: int
    height: int
    rgb: bytes


class PicturesListener(Protocol):
    """Receives pictures in the reader's thread."""

    def came(self, path: str, picture: Picture) -> None:
        """The one that is seen at the place that was asked for last."""

    def ended(self, path: str, problem: Problem) -> None:
        """There are no more: the file cannot be read."""


class PictureReader:
    """Reads one file at a time, and nothing while nothing is asked for."""

    def __init__(self, listener: PicturesListener) -> None:
        self._listener = listener
        self._changed = Condition()
        self._wanted: tuple[str, float] | None = None
        self._is_stopped = True
        self._thread: Thread | None = None

    def show(self, path: str, seconds: float) -> None:
        """Find the picture of a place; one that was asked for before and has not been found is passed over."""
        with self._changed:
            self._wanted, self._is_stopped = (path, seconds), False
            if self._thread is None:
                self._thread = Thread(target=self._work, name="pictures", daemon=True)
                self._thread.start()
            self._changed.notify()

    def stop(self) -> None:
        """Close the file."""
        with self._changed:
            self._wanted, self._is_stopped = None, True
            self._changed.notify()

    def _work(self) -> None:
        stream: _Stream | None = None
        failed = ""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._wanted is not None or self._is_stopped)
                if self._is_stopped:
                    self._thread = None
                    break
                assert self._wanted is not None
                (path, seconds), self._wanted = self._wanted, None
            if path == failed:
                continue
            try:
                if stream is None or not stream.leads_to(path, seconds):
                    if stream is not None:
                        stream.close()
                    stream = _Stream(path, seconds)
                picture = stream.seen_at(seconds)
            except Problem as problem:
                failed = path
                self._tell_end(path, problem)
                continue
            if picture is not None:
                self._tell(path, picture)
            with self._changed:
                self._changed.wait_for(lambda: self._is_stopped, 1 / PICTURES_A_SECOND)
        if stream is not None:
            stream.close()

    def _tell(self, path: str, picture: Picture) -> None:
        if not self._is_stopped:
            self._listener.came(path, picture)

    def _tell_end(self, path: str, problem: Problem) -> None:
        if not self._is_stopped:
            self._listener.ended(path, problem)


class _Stream:
    """A file from a place on. Raises Problem."""

    def __init__(self, path: str, start: float) -> None:
        self._path, self._at = path, start
        self._next: Picture | None = None
        self._is_over = False
        self._decoder = DecoderProcess()
        self._decoder.ask(path, start, pictures=True)

    def leads_to(self, path: str, seconds: float) -> bool:
        """Whether that place comes soon."""
        return path == self._path and self._at <= seconds <= self._at + _AHEAD

    def seen_at(self, seconds: float) -> Picture | None:
        """The picture of a place that comes soon, None where it is still the one before. Raises Problem."""
        found, self._at = None, seconds
        while not self._is_over:
            if self._next is None:
                kind, content = self._decoder.receive()
                self._is_over = kind != PICTURE
                self._next = None if self._is_over else Picture(*content)
            if self._next is None or self._next.seconds > seconds:
                break
            found, self._next = self._next, None
        return found

    def close(self) -> None:
        """End the process that reads it."""
        with suppress(OSError):
            self._decoder.close()
