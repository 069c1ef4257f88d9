"""Write a model as OpenVINO's own graphs, with its settings: `galley models convert`."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from desktop_app.audio.files import AudioFile
from desktop_app.audio.logmel import features
from desktop_app.checkpoints import parts
from desktop_app.checkpoints.folder import Checkpoint, read
from desktop_app.messages.jobs import Announce
from desktop_app.problems import Problem
from desktop_app.runtimes import openvino_convert
from desktop_app.transcript.constants import SAMPLE_RATE, WINDOW_SECONDS
from desktop_app.worker.loaded_models import find

WINDOWS = 128
"""How many recordings are listened to: more would take longer and tell little."""


Progress = Callable[[str, int, int], None]
"""Called with the step ("reading" or "quantising"), how much of it is done, and of how much, 0 if unknown."""


def convert(model: str, folder: Path, sounds: Path | None, room: Path, progress: Progress, announce: Announce) -> None:
    """Write the graphs of a model, given by name or folder, to `folder`: whole or not at all. Until then they lie in
    `room`, beside it, which is made and removed.

    With `sounds`, a folder of recordings, the encoder becomes int8 in weights and activations, whose ranges are those
    that the recordings show. `announce` hears a stage before what takes time. Raises Problem and OSError.
    """
    checkpoint = read(find(model))
    if checkpoint.ir is not None:
        raise Problem("model.is_openvino", model=checkpoint.name)
    if folder.exists():
        raise Problem("disk.exists", path=str(folder))
    openvino_convert.check()
    windows = _windows(sounds, checkpoint.mel_bins, progress) if sounds else []
    room.mkdir(parents=True)
    try:
        made = room / "made"
        announce("converting", name=checkpoint.name)
        openvino_convert.export(checkpoint, made)
        if windows:
            announce("quantising", count=str(len(windows)))
            openvino_convert.quantise_encoder(made / parts.ENCODER, windows, lambda: progress("quantising", 0, 0))
        _settings(checkpoint, made)
        read(made)
        made.rename(folder)
    finally:
        shutil.rmtree(room, ignore_errors=True)


def _settings(checkpoint: Checkpoint, folder: Path) -> None:
    """The model's own settings beside its graphs, in the place of what was exported with them."""
    for file in folder.iterdir():
        if file.name not in parts.GRAPHS:
            shutil.rmtree(file) if file.is_dir() else file.unlink()
    for name in parts.SETTINGS:
        if parts.there(checkpoint.folder / name):
            shutil.copyfile(checkpoint.folder / name, folder / name)
    parts.write_about(folder, {"name": checkpoint.name, "notice": checkpoint.notice})


def _windows(folder: Path, bins: int, progress: Progress) -> list[npt.NDArray[np.float32]]:
    """Features [bins, frames] of the first half minute of each recording in a folder, in the order of their names."""
    if not folder.is_dir():
        raise Problem("file.no_folder", folder=str(folder))
    found: list[npt.NDArray[np.float32]] = []
    for path in sorted(file for file in folder.iterdir() if file.is_file()):
        progress("reading", len(found), 0)
        try:
            found.append(features(_start(path), bins))
        except Problem:
            continue  # notes and the like lie among recordings
        if len(found) == WINDOWS:
            break
    if not found:
        raise Problem("file.no_recordings", folder=str(folder))
    return found


def _start(path: Path) -> npt.NDArray[np.float32]:
    blocks: list[npt.NDArray[np.float32]] = []
    with AudioFile(path) as audio:
        for block in audio:
            blocks.append(block)
            if sum(map(len, blocks)) >= WINDOW_SECONDS * SAMPLE_RATE:
                break
    return np.concatenate(blocks)[: WINDOW_SECONDS * SAMPLE_RATE] if blocks else np.zeros(0, np.float32)
