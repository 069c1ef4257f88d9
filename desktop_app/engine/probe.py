"""Questions about this computer, answered by a process that lives for one question: whatever a driver or a native
library does there, the asker goes on.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from desktop_app.engine.child import Child
from desktop_app.messages.questions import (
    AudioInputs,
    CudaDevices,
    InferenceDevices,
    Latest,
    NewestVersion,
    ProcessorFeatures,
    Question,
    Trial,
    TryBundled,
    TryDevice,
    VerifyFiles,
)
from desktop_app.problems import Problem
from desktop_app.worker import main as worker

if TYPE_CHECKING:
    from desktop_app.audio.microphone import Input
    from desktop_app.transcript.model import Models

_SECONDS = 120.0


def inference_devices() -> list[tuple[str, str]]:
    """What OpenVINO can compute on: ids and full names. Raises Problem, as every function here."""
    found: list[tuple[str, str]] = ask(InferenceDevices())
    return found


def cuda_devices() -> tuple[list[tuple[str, str]], Problem | None]:
    """What PyTorch can compute on by CUDA, ids and full names; else why nothing, None if it is not installed."""
    found: tuple[list[tuple[str, str]], Problem | None] = ask(CudaDevices())
    return found


def inputs() -> tuple[list[Input], Problem | None]:
    """What can be recorded, the system's choice first; else why nothing."""
    found: tuple[list[Input], Problem | None] = ask(AudioInputs())
    return found


def bundled() -> tuple[Models, float]:
    """What the bundled model and its draft are, which were loaded and run on a second of silence, and how many seconds
    that took."""
    found: tuple[Models, float] = ask(TryBundled())
    return found


def trial(device: str, seconds: float = 900.0) -> Trial:
    """How the bundled model transcribes on a device, as `--device` names it, beside the CPU."""
    found: Trial = ask(TryDevice(device), seconds)
    return found


def processor_features() -> list[str]:
    """The instructions that this processor has besides those that every one of its kind has, as numpy.show_runtime
    prints them."""
    found: list[str] = ask(ProcessorFeatures())
    return found


def verified(name: str, seconds: float = _SECONDS) -> bool:
    """Whether every byte of a model or speaker network is as it should be, read again: False where nobody knows what
    its bytes should be."""
    found: bool = ask(VerifyFiles(name), seconds)
    return found


def newest_version(address: str, seconds: float = _SECONDS) -> Latest:
    """The newest version of Galley, as the server at this address says."""
    found: Latest = ask(NewestVersion(address), seconds)
    return found


def ask(question: Question | Callable[[], object], seconds: float = _SECONDS) -> Any:
    """The answer to a question, or what a function of a module gives, from a process of its own."""
    try:
        child = Child(partial(worker.answer, question))
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
    return answer
