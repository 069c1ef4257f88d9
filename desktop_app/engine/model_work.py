"""Long work on models: downloading, copying, verifying, deleting, quantising, converting, training, trying a pair.

Each task has a process of its own, so that neither the window's nor the engine's process ever loads code that uses the
network, and no disk or server that hangs blocks them.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Lock, Thread
from types import ModuleType
from typing import Any

from desktop_app import folders
from desktop_app.addons import cuda
from desktop_app.engine import log
from desktop_app.engine.child import Child
from desktop_app.engine.heartbeat import Heartbeat, Limits, Watchdog
from desktop_app.engine.messages import Beat, Cancel, Options
from desktop_app.problems import Problem
from desktop_app.training.wish import Wish
from desktop_app.transcript.statistics import Speed

_ATTEMPTS = 20  # to remove a folder

GRACE = 2.0
"""Seconds that a cancelled task has to clean up, if it would leave files behind; others are killed at once: what a
download has received is kept however it ends."""

_SECONDS = 0.1  # between two Steps


@dataclass(frozen=True)
class Download:
    """Download a model or a speaker network of the catalogue."""

    name: str


@dataclass(frozen=True)
class Add:
    """Copy a model from a folder to the installed ones, under a `name`, or under that of the folder."""

    folder: str
    name: str = ""


@dataclass(frozen=True)
class Verify:
    """Read every byte of an installed model again."""

    name: str


@dataclass(frozen=True)
class Remove:
    """Delete an installed model, or what an unfinished download left."""

    name: str


@dataclass(frozen=True)
class Quantise:
    """Quantise the weights of a model, and of the draft that it would use: `precision` is "int8" or "int4"."""

    target: str
    draft: str
    precision: str


@dataclass(frozen=True)
class Convert:
    """Write a model as OpenVINO's own graphs to a folder, as `convert` says; `sounds` "" for none."""

    model: str
    folder: str
    sounds: str = ""
    _token: str = field(default_factory=lambda: uuid.uuid4().hex[:8])

    @property
    def room(self) -> Path:
        """Where they are put together."""
        folder = Path(self.folder)
        return folder.with_name(f".{folder.name}-{self._token}")


@dataclass(frozen=True)
class Try:
    """Check whether a model can transcribe, and with this draft ("auto", "off", a name or a folder)."""

    target: str
    draft: str


@dataclass(frozen=True)
class Measure:
    """Measure how fast a model transcribes here, with this draft ("auto", "off", a name or a folder) and precision: a
    part of the sample conversation, or of a `file` in a `language`."""

    target: str
    draft: str
    precision: str
    file: str = ""
    language: str = "auto"


@dataclass(frozen=True)
class Step:
    """Progress: the current step ("Downloading"), how many bytes of it are done, and of how many (0 if unknown)."""

    what: str
    done: int
    total: int


@dataclass(frozen=True)
class Announced:
    """The work has come to a stage of `app/stages.py`, whose sentence has these values."""

    stage: str
    values: dict[str, Any]


@dataclass(frozen=True)
class Done:
    """The work is done. `name` is that of the model, `draft` what a pair that was tried would use ("" for none).
    `compared` is whether its bytes were compared with what they should be, `agreement` at which share of held-back
    places a draft that was trained agrees with its target, `speed` what was measured."""

    name: str = ""
    draft: str = ""
    compared: bool = True
    agreement: float = 0.0
    speed: Speed | None = None


@dataclass(frozen=True)
class Refused:
    """The work cannot be done."""

    problem: Problem


@dataclass(frozen=True)
class Stopped:
    """The work was cancelled."""


Work = Download | Add | Verify | Remove | Quantise | Convert | Wish | Try | Measure
Message = Step | Announced | Done | Refused | Stopped
Progress = Callable[[str, int, int], None]
Announce = Callable[..., None]
"""Called with a stage and the values of its sentence."""


def _limits(work: Work) -> Limits:
    """Tracing a large model and writing its graphs takes minutes, in few calls that tell nothing of their progress."""
    return Limits(silent_loading=600.0, stuck_loading=3600.0) if isinstance(work, Convert) else Limits()


class Task:
    """A piece of work in its own process. `on_message` is called in a thread of the task's: with any number of Steps
    and Announced, then once with Done, Refused or Stopped. A process that is silent, or makes no progress, for longer
    than `limits` say is killed."""

    def __init__(self, work: Work, on_message: Callable[[Message], None], limits: Limits | None = None) -> None:
        self._work, self._on_message, self._watchdog = work, on_message, Watchdog(limits or _limits(work))
        self._asked = Event()
        self._thread = Thread(target=self._follow, name="model-work", daemon=True)
        self._thread.start()

    def cancel(self) -> None:
        """Cancel the work; Stopped follows, or Done if it was just done."""
        self._asked.set()

    def close(self, seconds: float = GRACE + 1.0) -> None:
        """Cancel the work and wait for its end."""
        self._asked.set()
        self._thread.join(seconds)

    def _follow(self) -> None:
        try:
            child = Child(partial(_do, self._work))
        except OSError as error:
            self._on_message(Refused(Problem("engine.not_started", error=error.strerror or str(error))))
            return
        last = self._until_end(child)
        child.kill()
        child.close()
        _clear_room(self._work)
        self._on_message(last)  # once the process has released its locks, so that the next one can take them

    def _until_end(self, child: Child) -> Message:
        until = 0.0
        while not until or time.monotonic() < until:
            if self._asked.is_set() and not until:
                leaves = isinstance(self._work, Add | Remove | Quantise | Wish)
                until = time.monotonic() + (GRACE if leaves else 0.0)
                child.send(Cancel(""))
            try:
                if not child.connection.poll(_SECONDS):
                    if self._watchdog.expired():
                        return Refused(Problem("engine.work_silent"))
                    continue
                message: Message | Beat = child.connection.recv()
            except (EOFError, OSError):
                break
            if isinstance(message, Beat):
                self._watchdog.note(message)
                continue
            if not isinstance(message, Step | Announced):
                return message
            self._on_message(message)
        ended = Refused(Problem("engine.work_ended", log=str(log.path())))
        return Stopped() if self._asked.is_set() else ended


def perform(work: Work, progress: Progress, announce: Announce | None = None) -> Done:
    """Do a piece of work in its own process and wait for it; `progress` is called with each Step, `announce` with each
    stage. Raises Problem."""
    messages: SimpleQueue[Message] = SimpleQueue()
    task = Task(work, messages.put)
    try:
        while True:
            match messages.get():
                case Step(what, done, total):
                    progress(what, done, total)
                case Announced(stage, values) if announce is not None:
                    announce(stage, **values)
                case Refused(problem):
                    raise problem
                case Done() as done:
                    return done
    finally:
        task.close()


class _Ended(Exception):
    """The work was cancelled."""


def _do(work: Work, connection: Connection) -> None:
    """The main function of a task's process."""
    log.take_output()
    unwanted = Event()
    Thread(target=_watch_for_cancel, args=(connection, unwanted, work), daemon=True).start()
    last = ("", 0.0)
    sending = Lock()

    def send(message: Message | Beat) -> None:
        with sending:
            connection.send(message)

    def step() -> None:
        heartbeat.step()
        if unwanted.is_set():
            raise _Ended

    def announce(stage: str, **values: Any) -> None:
        step()
        send(Announced(stage, values))

    def progress(what: str, done: float, total: float) -> None:
        nonlocal last
        step()
        if what != last[0] or time.monotonic() > last[1] + _SECONDS:
            last = (what, time.monotonic())
            send(Step(what, round(done), round(total)))

    heartbeat = Heartbeat(send)
    heartbeat.run()
    send(_outcome(work, progress, announce))


def _watch_for_cancel(connection: Connection, unwanted: Event, work: Work) -> None:
    """Wait for a cancellation. Where the pipe is closed instead, end the process at once."""
    try:
        connection.recv()
    except (EOFError, OSError):
        _clear_room(work)
        os._exit(0)
    unwanted.set()


def _clear_room(work: Work) -> None:
    """Remove what a conversion that was killed, or whose parent was, has left. It may write meanwhile."""
    if isinstance(work, Convert):
        for _attempt in range(_ATTEMPTS):
            shutil.rmtree(work.room, ignore_errors=True)
            if not work.room.exists():
                break


def _outcome(work: Work, progress: Callable[[str, float, float], None], announce: Announce) -> Message:
    from desktop_app.checkpoints import installed

    try:
        return _done(work, progress, announce)
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


def _done(work: Work, progress: Callable[[str, float, float], None], announce: Announce) -> Done:
    from desktop_app.checkpoints import download, installed, speaker_networks

    match work:
        case Download(name):
            network = speaker_networks.find(name)
            if network is not None:
                download.download_network(network, progress=progress)
            else:
                download.download(name, progress=progress)
            return Done(name)
        case Add(folder, called):
            return Done(installed.add(Path(folder), called, progress).name)
        case Verify(name):
            network = speaker_networks.find(name)
            known = speaker_networks.verify(network) if network is not None else installed.verify(name, progress)
            return Done(name, compared=known)
        case Remove(name):
            network = speaker_networks.find(name)
            if network is not None:
                speaker_networks.remove(network)
            else:
                installed.remove(name)
            return Done(name)
        case Quantise():
            _quantise(work, progress)
            return Done(work.target)
        case Convert():
            from desktop_app.engine import convert

            sounds = Path(work.sounds) if work.sounds else None
            convert.convert(work.model, Path(work.folder), sounds, work.room, progress, announce)
            return Done(work.model)
        case Wish():
            made, agreement = _training().make(work, progress, announce)
            return Done(made.name, agreement=agreement)
        case Try(target, draft):
            return Done(target, _paired(target, draft))
        case Measure():
            from desktop_app.engine import trial

            options = Options(work.target, work.draft, precision=work.precision, language=work.language)
            return Done(work.target, speed=trial.speed(options, progress, work.file))


def _training() -> ModuleType:
    """What trains drafts. Raises Problem where PyTorch cannot be loaded."""
    with cuda.importing_torch():
        from desktop_app.training import draft
    return draft


def _paired(target: str, draft: str) -> str:
    """The name of the draft that a target would use, "" for none; Problem where the two do not fit."""
    from desktop_app.engine import models

    found = models.checked(target, draft)[1]
    return found.name if found else ""


def _quantise(work: Quantise, progress: Progress) -> None:
    """Write the quantised weights that the engine would otherwise make when it loads the pair."""
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
        quantised.stored(tensors, names, bits, cache, lambda here: progress("Quantising", before + here, total))  # noqa: B023
        done += size
