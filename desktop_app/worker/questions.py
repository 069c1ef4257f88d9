"""Answers to questions about this computer. Each loads only what it needs, so that a broken library spoils no other
answer."""

from __future__ import annotations

import importlib.util
import time
from typing import TYPE_CHECKING

from desktop_app.messages.options import Options
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
    from desktop_app.transcript.model import Models


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
        case TryBundled():
            return _bundled()
        case TryDevice(device):
            from desktop_app.worker import trial

            return trial.on_device(device)
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


def _bundled() -> tuple[Models, float]:
    import numpy as np

    from desktop_app.audio.logmel import features
    from desktop_app.checkpoints import installed
    from desktop_app.decoding.audio_window import Window
    from desktop_app.transcript.constants import SAMPLE_RATE
    from desktop_app.worker.loaded_models import ModelCache

    began = time.perf_counter()
    pair = ModelCache().pair(Options(str(installed.bundled())), lambda stage, **values: None)
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


def _verified(name: str) -> bool:
    from desktop_app.checkpoints import installed, speaker_networks

    network = speaker_networks.find(name)
    try:
        return speaker_networks.verify(network) if network else installed.verify(name, lambda *step: None)
    except OSError as error:
        raise installed.disk_problem(error) from error
