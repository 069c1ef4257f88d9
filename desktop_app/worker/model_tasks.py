"""The tasks on models: each runs in a process of its own, tells its progress, and ends with one outcome."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Event, Lock, Thread
from types import ModuleType
from typing import Any

from desktop_app import folders, log
from desktop_app.addons import cuda
from desktop_app.checkpoints import download, installed, quantised, speaker_networks
from desktop_app.checkpoints.folder import same_encoder
from desktop_app.messages.jobs import Beat
from desktop_app.messages.model_work import (
    Add,
    AddTorch,
    Announce,
    Announced,
    Convert,
    Done,
    Download,
    Hold,
    Measure,
    Message,
    Progress,
    Quantise,
    Refused,
    Remove,
    Step,
    Stopped,
    Try,
    Verify,
    Work,
)
from desktop_app.messages.options import Options
from desktop_app.messages.training import Gain, MeasureDraft, TrainDraft
from desktop_app.problems import Problem
from desktop_app.worker.heartbeat import Heartbeat

_STEP_SECONDS = 0.1  # between two Steps
_LOOK_SECONDS = 0.2  # between two looks whether a pause is over
_BELOW_NORMAL = 0x4000  # of SetPriorityClass
_NO_MEMORY = "DefaultCPUAllocator"  # in what PyTorch raises where the system gives it no more


class _Ended(Exception):
    """The work was cancelled."""


def run(work: Work, connection: Connection) -> None:
    """Do a task, and send its Steps and stages, then Done, Refused or Stopped."""
    unwanted, held = Event(), Event()
    Thread(target=_listen, args=(connection, unwanted, held, work), daemon=True).start()
    last = ("", 0.0)
    sending = Lock()

    def send(message: Message | Beat) -> None:
        with sending:
            connection.send(message)

    def step() -> None:
        heartbeat.step()
        while held.is_set() and not unwanted.wait(_LOOK_SECONDS):
            heartbeat.step()
        if unwanted.is_set():
            raise _Ended

    def announce(stage: str, **values: Any) -> None:
        step()
        send(Announced(stage, values))

    def progress(what: str, done: float, total: float) -> None:
        nonlocal last
        step()
        if what != last[0] or time.monotonic() > last[1] + _STEP_SECONDS:
            last = (what, time.monotonic())
            send(Step(what, round(done), round(total)))

    heartbeat = Heartbeat(send)
    heartbeat.run()
    if isinstance(work, TrainDraft):
        _give_way()
    send(_outcome(work, progress, announce))


def _listen(connection: Connection, unwanted: Event, held: Event, work: Work) -> None:
    """Wait for pauses and a cancellation. Where the pipe is closed instead, end the process at once."""
    try:
        while isinstance(message := connection.recv(), Hold):
            held.set() if message.held else held.clear()
    except (EOFError, OSError):
        if isinstance(work, Convert):
            work.remove_room()
        os._exit(0)
    unwanted.set()


def _give_way() -> None:
    """Let every other program go first: training takes an hour of all processors."""
    if sys.platform == "win32":
        kernel = ctypes.windll.kernel32
        kernel.SetPriorityClass(kernel.GetCurrentProcess(), _BELOW_NORMAL)
    else:
        os.nice(19)


def _outcome(work: Work, progress: Callable[[str, float, float], None], announce: Announce) -> Message:
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
        if isinstance(work, TrainDraft) and (isinstance(error, MemoryError) or _NO_MEMORY in str(error)):
            return Refused(Problem("model.training_memory"))
        what = " ".join(str(error).split())[:200] or type(error).__name__
        return Refused(Problem("engine.mistake", error=what, log=str(log.path())))


def _done(work: Work, progress: Callable[[str, float, float], None], announce: Announce) -> Done:
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
            from desktop_app.worker import convert

            sounds = Path(work.sounds) if work.sounds else None
            convert.convert(work.model, Path(work.folder), sounds, work.room, progress, announce)
            return Done(work.model)
        case TrainDraft():
            made, agreement = _training().make(work, progress, announce)
            return Done(made.name, agreement=agreement)
        case MeasureDraft():
            return Done(work.training.name, gain=_gain(work, progress))
        case AddTorch(index):
            wanted = cuda.plan(index, lambda host: progress("Asking", 0, 0), needs_cuda=False)
            cuda.install(wanted, progress)
            return Done(cuda.NAME)
        case Try(target, draft):
            return Done(target, _paired(target, draft))
        case Measure():
            from desktop_app.worker import trial

            options = Options(work.target, work.draft, precision=work.precision, language=work.language)
            return Done(work.target, speed=trial.speed(options, progress, work.file))


def _training() -> ModuleType:
    """What trains drafts. Raises Problem where PyTorch cannot be loaded."""
    with cuda.importing_torch():
        from desktop_app.training import draft
    return draft


def _gain(work: MeasureDraft, progress: Callable[[str, float, float], None]) -> Gain:
    with cuda.importing_torch():
        from desktop_app.training import held_back
    from desktop_app.worker import trial

    training = work.training
    options = Options(str(training.target), precision=work.precision, language=training.language)
    return trial.gain(options, training.name, held_back.samples(training, progress), progress)


def _paired(target: str, draft: str) -> str:
    """The name of the draft that a target would use, "" for none; Problem where the two do not fit."""

    from desktop_app.worker import loaded_models

    found = loaded_models.checked(target, draft)[1]
    return found.name if found else ""


def _quantise(work: Quantise, progress: Progress) -> None:
    """Write the quantised weights that the engine would otherwise make when it loads the pair."""

    from desktop_app.worker import loaded_models

    target, draft = loaded_models.checked(work.target, work.draft)
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
