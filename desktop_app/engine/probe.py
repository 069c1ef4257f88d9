"""Questions about this computer, answered by a process that lives for one question: whatever a driver or a native
library does there, the asker goes on.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, TypeVar

from desktop_app.engine import log
from desktop_app.engine.child import Child
from desktop_app.problems import Problem

if TYPE_CHECKING:
    from desktop_app.audio.microphone import Input
    from desktop_app.transcript.model import Models

Answer = TypeVar("Answer")


def ask(question: Callable[[], Answer], seconds: float = 120.0) -> Answer:
    """What `question`, a function of a module, gives in a process of its own. Raises Problem."""
    try:
        child = Child(partial(_answer, question))
    except OSError as error:
        raise Problem("engine.not_started", error=error.strerror or str(error)) from error
    try:
        if not child.connection.poll(seconds):
            raise Problem("engine.no_answer", seconds=round(seconds))
        good, answer = child.connection.recv()
    except (EOFError, OSError) as error:
        raise Problem("engine.libraries") from error
    finally:
        child.kill()
        child.close()
    if not good:
        raise answer
    found: Answer = answer
    return found


def inference_devices() -> list[tuple[str, str]]:
    """What OpenVINO can compute on: ids and full names. For `ask`."""
    from desktop_app.runtimes import openvino

    return openvino.devices()


def cuda_devices() -> tuple[list[tuple[str, str]], Problem | None]:
    """What PyTorch can compute on by CUDA, ids and full names; else why nothing, None if it is not
    installed. For `ask`.

    Loading PyTorch takes seconds, so it is only looked for here.
    """
    from desktop_app.addons import cuda

    try:
        cuda.use()
    except Problem as problem:
        return [], problem
    if importlib.util.find_spec("torch") is None:
        return [], None
    from desktop_app.runtimes import torch

    found = torch.devices()
    return found, None if found else torch.absence()


def inputs() -> tuple[list[Input], Problem | None]:
    """What can be recorded, the system's choice first; else why nothing. For `ask`."""
    from desktop_app.audio import microphone

    try:
        return microphone.inputs(), None
    except Problem as problem:
        return [], problem


def bundled() -> tuple[Models, float]:
    """Load the bundled model and its draft and run them on a second of silence; what they are, and how many seconds
    that took. For `ask`."""
    import numpy as np

    from desktop_app.audio.logmel import features
    from desktop_app.checkpoints import installed
    from desktop_app.decoding.audio_window import Window
    from desktop_app.engine.messages import Options
    from desktop_app.engine.models import Shelf
    from desktop_app.transcript.constants import SAMPLE_RATE

    began = time.perf_counter()
    pair = Shelf().pair(Options(str(installed.bundled())), lambda stage, **values: None)
    silence = Window(np.zeros(SAMPLE_RATE, np.float32), features)
    tried = [(pair.target.checkpoint, pair.target.model, pair.target.model)]
    if pair.draft:
        draft = pair.draft.ready.rows[0]
        tried.append((pair.draft.checkpoint, draft, pair.target.model if pair.draft.shares_encoder else draft))
    for checkpoint, model, encoder in tried:
        scores = model.open(silence.encoded(encoder)).run([checkpoint.vocabulary.start])
        if not np.isfinite(scores).all():
            raise Problem("engine.not_finite")
    return pair.described(), time.perf_counter() - began


def processor_features() -> list[str]:
    """The instructions that this processor has besides those that every one of its kind has, as numpy.show_runtime
    prints them. For `ask`."""
    from numpy._core._multiarray_umath import __cpu_features__  # type: ignore[import-not-found]

    return sorted(name for name, there in __cpu_features__.items() if there)


def verified(name: str) -> bool:
    """Read every byte of a model or speaker network again: False where nobody knows what its bytes should be. Raises
    Problem. For `ask`."""
    from desktop_app.checkpoints import installed, speaker_networks

    network = speaker_networks.find(name)
    try:
        return speaker_networks.verify(network) if network else installed.verify(name, lambda *step: None)
    except OSError as error:
        raise installed.disk_problem(error) from error


def _answer(question: Callable[[], object], connection: Connection) -> None:
    log.take_output()
    try:
        connection.send((True, question()))
    except Problem as problem:
        connection.send((False, problem))
    except BaseException as error:
        log.write(error)
        what = " ".join(str(error).split())[:200] or type(error).__name__
        connection.send((False, Problem("engine.mistake", error=what, log=str(log.path()))))
