"""Answers to questions about this computer. Each loads only what it needs, so that a broken library spoils no other
answer."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

from desktop_app.messages.questions import (
    AudioInputs,
    CudaDevices,
    InferenceDevices,
    NewestVersion,
    ProcessorFeatures,
    Question,
    TryBundled,
    TryDevice,
    VerifyFiles,
)
from desktop_app.problems import Problem

if TYPE_CHECKING:
    from desktop_app.audio.microphone import Input


def reply(question: Question) -> object:
    """The answer, as the function of engine/probe.py that asks this question promises it. Raises Problem."""
    match question:
        case InferenceDevices():
            from desktop_app.runtimes import openvino

            return openvino.devices()
        case CudaDevices():
            return cuda_devices()
        case AudioInputs():
            return _audio_inputs()
        case TryBundled() | TryDevice():
            from desktop_app.worker import trial

            return trial.bundled() if isinstance(question, TryBundled) else trial.on_device(question.device)
        case ProcessorFeatures():
            from numpy._core._multiarray_umath import __cpu_features__  # type: ignore[import-not-found]

            return sorted(name for name, there in __cpu_features__.items() if there)
        case VerifyFiles(name):
            return _verified(name)
        case NewestVersion(address):
            from desktop_app.worker import updates

            return updates.latest(address)


def cuda_devices() -> tuple[list[tuple[str, str]], Problem | None]:
    """Ids and full names; else why there are none, None if PyTorch is not installed. Loading PyTorch takes seconds, so
    it is only looked for here."""
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


def _audio_inputs() -> tuple[list[Input], Problem | None]:
    from desktop_app.audio import microphone

    try:
        return microphone.inputs(), None
    except Problem as problem:
        return [], problem


def _verified(name: str) -> bool:
    from desktop_app.checkpoints import installed, speaker_networks

    network = speaker_networks.find(name)
    try:
        return speaker_networks.verify(network) if network else installed.verify(name, lambda *step: None)
    except OSError as error:
        raise installed.disk_problem(error) from error
