"""Work on models that takes long: fetching, copying, checking, deleting, making small, trying a pair.

Each piece is done by a process of its own, so that neither the window's process nor the engine's ever has code in it
that reaches a network, and a disk or a server that hangs holds up nobody.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Event, Thread

from desktop_app import folders
from desktop_app.engine import log
from desktop_app.engine.child import Child
from desktop_app.engine.messages import Cancel
from desktop_app.problems import Problem

GRACE = 2.0
"""Seconds that work which would leave something behind has to tidy up when it is given up; all else ends at once, as
what a download has brought is kept however it ends."""

_SECONDS = 0.1  # between two steps that are told


@dataclass(frozen=True)
class Fetch:
    """Download a model or a speaker network of the catalogue."""

    name: str


@dataclass(frozen=True)
class Add:
    """Copy a model from a folder to the installed ones."""

    folder: str


@dataclass(frozen=True)
class Verify:
    """Read every byte of an installed model again."""

    name: str


@dataclass(frozen=True)
class Remove:
    """Delete an installed model, or what an unfinished download left."""

    name: str


@dataclass(frozen=True)
class Shrink:
    """Make the weights of a model, and of the draft that it would use, small: `precision` is "int8" or "int4"."""

    target: str
    draft: str
    precision: str


@dataclass(frozen=True)
class Try:
    """Look whether a model can write, and with this draft ("auto", "off", a name or a folder)."""

    target: str
    draft: str


@dataclass(frozen=True)
class Step:
    """What is being done ("Downloading"), how many bytes of it are done, and of how many (0 if nobody knows)."""

    what: str
    done: int
    total: int


@dataclass(frozen=True)
class Done:
    """The work is done. `name` is that of the model, `draft` what a pair that was tried would use ("" for none).
    `compared` is whether its bytes were compared with what they should be."""

    name: str = ""
    draft: str = ""
    compared: bool = True


@dataclass(frozen=True)
class Refused:
    """The work cannot be done."""

    problem: Problem


@dataclass(frozen=True)
class Stopped:
    """The work was given up on request."""


Work = Fetch | Add | Verify | Remove | Shrink | Try
Said = Step | Done | Refused | Stopped


class Task:
    """A piece of work in its process. `on_said` is called in a thread of the task's: any number of Steps, then one
    last word."""

    def __init__(self, work: Work, on_said: Callable[[Said], None]) -> None:
        self._work, self._on_said = work, on_said
        self._asked = Event()
        self._thread = Thread(target=self._follow, name="model-work", daemon=True)
        self._thread.start()

    def cancel(self) -> None:
        """Give the work up; Stopped follows, or Done if it was just done."""
        self._asked.set()

    def close(self, seconds: float = GRACE + 1.0) -> None:
        """Give the work up and wait for its end."""
        self._asked.set()
        self._thread.join(seconds)

    def _follow(self) -> None:
        try:
            child = Child(partial(_do, self._work))
        except OSError as error:
            self._on_said(Refused(Problem("engine.not_started", error=error.strerror or str(error))))
            return
        last = self._last_word(child)
        child.kill()
        child.close()
        self._on_said(last)  # when the process holds nothing any more, so that the next one can have it

    def _last_word(self, child: Child) -> Said:
        until = 0.0
        while not until or time.monotonic() < until:
            if self._asked.is_set() and not until:
                leaves = isinstance(self._work, Add | Remove | Shrink)
                until = time.monotonic() + (GRACE if leaves else 0.0)
                child.send(Cancel(""))
            try:
                if not child.connection.poll(_SECONDS):
                    continue
                said: Said = child.connection.recv()
            except (EOFError, OSError):
                break
            if not isinstance(said, Step):
                return said
            self._on_said(said)
        ended = Refused(Problem("engine.work_ended", log=str(log.path())))
        return Stopped() if self._asked.is_set() else ended


class _Ended(Exception):
    """Nobody wants the work any more."""


def _do(work: Work, connection: Connection) -> None:
    """The whole life of a process that works."""
    log.take_output()
    unwanted = Event()
    Thread(target=_listen, args=(connection, unwanted), daemon=True).start()
    last = ("", 0.0)

    def heard(what: str, done: int, total: int) -> None:
        nonlocal last
        if unwanted.is_set():
            raise _Ended
        if what != last[0] or time.monotonic() > last[1] + _SECONDS:
            last = (what, time.monotonic())
            connection.send(Step(what, done, total))

    connection.send(_outcome(work, heard))


def _listen(connection: Connection, unwanted: Event) -> None:
    """Whatever is said here means that the work is to end; if nobody speaks any more, at once."""
    try:
        connection.recv()
    except (EOFError, OSError):
        os._exit(0)
    unwanted.set()


def _outcome(work: Work, heard: Callable[[str, int, int], None]) -> Said:
    from desktop_app.checkpoints import installed

    try:
        return _done(work, heard)
    except _Ended:
        return Stopped()
    except Problem as problem:
        return Refused(problem)
    except OSError as error:
        return Refused(installed.disk_problem(error))
    except BaseException as error:
        log.write(error)
        what = " ".join(str(error).split())[:200] or type(error).__name__
        return Refused(Problem("engine.mistake", error=what, log=str(log.path())))


def _done(work: Work, heard: Callable[[str, int, int], None]) -> Done:
    from desktop_app.checkpoints import download, installed, speaker_networks

    match work:
        case Fetch(name):
            network = speaker_networks.find(name)
            if network is not None:
                download.download_network(network, progress=heard)
            else:
                download.download(name, progress=heard)
            return Done(name)
        case Add(folder):
            return Done(installed.add(Path(folder), "", heard).name)
        case Verify(name):
            network = speaker_networks.find(name)
            known = speaker_networks.verify(network) if network is not None else installed.verify(name, heard)
            return Done(name, compared=known)
        case Remove(name):
            network = speaker_networks.find(name)
            if network is not None:
                speaker_networks.remove(network)
            else:
                installed.remove(name)
            return Done(name)
        case Shrink():
            _shrink(work, heard)
            return Done(work.target)
        case Try(target, draft):
            return Done(target, _paired(target, draft))


def _paired(target: str, draft: str) -> str:
    """The name of the draft that a target would use, "" for none; Problem where the two do not fit."""
    from desktop_app.engine import models

    found = models.checked(target, draft)[1]
    return found.name if found else ""


def _shrink(work: Shrink, heard: Callable[[str, int, int], None]) -> None:
    """Write the small weights that the engine would make when it loads the pair."""
    from desktop_app.checkpoints import quantised
    from desktop_app.checkpoints.folder import same_encoder
    from desktop_app.engine import models

    target, draft = models.checked(work.target, work.draft)
    if target.ir is not None:
        raise Problem("model.openvino_precision", model=target.name, precision=work.precision)
    bits = int(work.precision.removeprefix("int"))
    shares = draft is not None and same_encoder(target, draft)
    wanted = [(target, target.shape.encoder_tensors()), (target, target.shape.decoder_tensors())]
    if draft is not None and draft.ir is None:
        wanted += [] if shares else [(draft, draft.shape.encoder_tensors())]
        wanted += [(draft, draft.shape.decoder_tensors())]
    jobs = [(each.tensors, quantised.matrices(sides)) for each, sides in wanted]
    sizes = [quantised.size(tensors, names, bits) for tensors, names in jobs]
    done, cache = 0, folders.cache() / "compiled"
    with contextlib.suppress(OSError):  # what is written next says what is wrong
        cache.mkdir(parents=True, exist_ok=True)
    for (tensors, names), size in zip(jobs, sizes, strict=True):
        before, total = done, sum(sizes)
        quantised.stored(tensors, names, bits, cache, lambda here: heard("Quantising", before + here, total))  # noqa: B023
        done += size
