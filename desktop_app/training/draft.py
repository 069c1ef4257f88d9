"""Make a draft for a target out of a folder of recordings: label, train, write a model folder, install it.

What is finished of a run lies in the cache, in `drafts/NAME`, until the draft is installed: the same command goes on
from there.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from desktop_app import folders
from desktop_app.audio.files import RATE, AudioFile, AudioProblem
from desktop_app.checkpoints import installed, parts
from desktop_app.checkpoints.folder import Checkpoint, read_target
from desktop_app.checkpoints.installed import Installed
from desktop_app.checkpoints.problem import ModelProblem
from desktop_app.decoding.hearing import Samples
from desktop_app.decoding.protocol import Model
from desktop_app.runtimes import openvino
from desktop_app.runtimes import torch as torch_runtime
from desktop_app.training import distil, weights
from desktop_app.training.distil import Settings, Told
from desktop_app.training.labels import Labeller, Labels
from desktop_app.training.network import Decoder, layers_to_keep

STRETCH_SECONDS = 300
"""So much audio is labelled at a time; a stopped run loses at most that."""
_FROZEN_ABOVE = 20_000_000
"""Embeddings with more numbers stay the target's: they know the words, and learning them costs memory."""
_WINDOW_SECONDS = 25
"""What a window moves on by on average, for estimating room."""

Say = Callable[[str], None]


@dataclass(frozen=True)
class Wish:
    """What is asked for: a draft called `name` for the model in `target`, of `layers` layers, from the recordings in
    `audio`, trained for `minutes` on `device` ("auto", "cpu" or "cuda"). `language` "auto" is heard from each
    recording."""

    target: Path
    audio: Path
    name: str
    layers: int = 2
    minutes: float = 30.0
    language: str = "auto"
    device: str = "auto"


def make(wish: Wish, told: Told, say: Say) -> tuple[Installed, float]:
    """The installed draft, and at which share of held-back places it agrees with its target.

    `told` hears progress, `say` sentences for the user. Raises ModelProblem, also where nothing can be learnt from the
    folder, and OSError.
    """
    target = read_target(wish.target)
    if target.ir is not None:
        raise ModelProblem(f"{target.name} holds OpenVINO's own graphs, not tensors", "name the model in safetensors")
    installed.check_free(wish.name)
    if wish.layers > target.shape.decoder_layers:
        raise ModelProblem(
            f"{target.name} has {target.shape.decoder_layers} decoder layers, fewer than {wish.layers}",
            "give --layers a smaller number",
        )
    if wish.language != "auto" and not target.vocabulary.knows(wish.language):
        raise ModelProblem(f"{target.name} does not know the language {wish.language}", "choose another code, or auto")
    device = _device(wish.device)
    recordings = find(wish.audio)
    work = folders.cache() / "drafts" / wish.name
    work.mkdir(parents=True, exist_ok=True)
    _claim(work, target, wish)
    files = label(target, recordings, work, wish.language, device, told, say)
    draft = beginning(target, wish.layers).to(device)
    agreement = _train(draft, files, Settings(wish.minutes), work / f"state-{wish.layers}.pt", told)
    made = _install(target, draft, wish)
    shutil.rmtree(work, ignore_errors=True)
    return made, agreement


def _install(target: Checkpoint, draft: Decoder, wish: Wish) -> Installed:
    with installed.staging(wish.name) as mine:
        folder = mine / "copy"  # beside what an unfinished download of this name may have left
        try:
            shutil.rmtree(folder, ignore_errors=True)  # of an installing that was killed
            folder.mkdir()
            weights.write(target, draft, layers_to_keep(target.shape.decoder_layers, wish.layers), folder)
            made = [parts.Part(file.name, file.stat().st_size, parts.digest(file)) for file in sorted(folder.iterdir())]
            parts.write_about(folder, {"name": wish.name, "trained_for": target.name}, made)
            placed = installed.place(folder, wish.name)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        shutil.rmtree(mine, ignore_errors=True)  # a download of it is of no more use
        return placed


def find(folder: Path) -> list[Path]:
    """The files in a folder that may be recordings: all but hidden ones; ModelProblem where there are none."""
    if not folder.is_dir():
        raise ModelProblem(f"{folder} is no folder", "give --audio a folder with recordings")
    found = sorted(file for file in folder.rglob("*") if file.is_file() and not file.name.startswith("."))
    if not found:
        raise ModelProblem(f"{folder} is empty", "give --audio a folder with recordings")
    return found


def label(
    target: Checkpoint, recordings: list[Path], work: Path, language: str, device: torch.device, told: Told, say: Say
) -> list[Path]:
    """The files with the labels of all recordings; those that are there already are not made again."""
    known = _audible(recordings, say)
    if not known:
        raise ModelProblem(
            "no file in the folder holds sound that can be read", "give --audio a folder with recordings"
        )
    total = sum(known.values())
    _check_room(target, total, work)
    model: Model | None = None
    done = 0.0
    for recording in known:
        for number, stretch in enumerate(stretches(recording)):
            marker = work / f"{_key(recording)}-{number:04}.done"
            if not marker.exists():
                if model is None:
                    told(f"Loading {target.name}", 0, total)
                    model = _model(target, device)
                labeller = Labeller(target, model, None if language == "auto" else language)
                for i, labels in enumerate(labeller.stretch(stretch)):
                    labels.save(marker.with_name(f"{marker.stem}-{i:03}.npz"))
                marker.touch()
            done += len(stretch) / RATE
            told("Letting the target write", min(done, total), total)
    files = [file for recording in known for file in sorted(work.glob(f"{_key(recording)}-*.npz"))]
    if not files:
        raise ModelProblem(f"{target.name} heard no speech in these recordings", "give --audio other recordings")
    return files


def stretches(recording: Path) -> Iterator[Samples]:
    """A recording in stretches of some minutes."""
    kept: list[Samples] = []
    with AudioFile(recording) as audio:
        for block in audio:
            kept.append(block)
            if sum(map(len, kept)) >= STRETCH_SECONDS * RATE:
                yield np.concatenate(kept)
                kept = []
    if kept:
        yield np.concatenate(kept)


def beginning(target: Checkpoint, layers: int) -> Decoder:
    """A decoder that begins as the first and last layers of the target's, in full precision."""
    draft = Decoder(target.shape, layers)
    kept = layers_to_keep(target.shape.decoder_layers, layers)
    state = {
        name: torch.from_numpy(np.array(target.tensors[weights.source(name, kept, target.shape)].read()))
        for name in draft.state_dict()
    }
    draft.load_state_dict(state)
    if target.shape.vocabulary * target.shape.width > _FROZEN_ABOVE:
        for module in (draft.embed_tokens, draft.embed_positions, draft.head):
            module.requires_grad_(requires_grad=False)
    return draft


def _train(draft: Decoder, files: list[Path], settings: Settings, state: Path, told: Told) -> float:
    try:
        return distil.train(draft, files, settings, state, told)
    except torch.OutOfMemoryError as error:
        raise ModelProblem(
            "there is not enough memory to train this draft", "give --layers 1 or --device cpu"
        ) from error
    except FloatingPointError as error:
        state.unlink(missing_ok=True)
        raise ModelProblem(f"the training failed: {error}", "repeat the command") from error


def _device(wanted: str) -> torch.device:
    there = torch.cuda.is_available()
    if wanted == "cuda" and not there:
        raise ModelProblem(torch_runtime.absence(), "choose --device cpu")
    return torch.device("cuda" if there and wanted != "cpu" else "cpu")


def _model(target: Checkpoint, device: torch.device) -> Model:
    """The target ready to run beside the training, on the same device."""
    if device.type == "cuda":
        return torch_runtime.load(target, "cuda")
    return openvino.load(target)


def _audible(recordings: list[Path], say: Say) -> dict[Path, float]:
    """The recordings that can be read, with their seconds; what cannot is said."""
    known = {}
    for recording in recordings:
        try:
            with AudioFile(recording) as audio:
                known[recording] = audio.seconds
        except AudioProblem as problem:
            say(f"{recording.name} is left out: {problem.reason}")
    return known


def _check_room(target: Checkpoint, seconds: float, work: Path) -> None:
    """ModelProblem unless the labels and the state of the training fit on the disk beside what is there already."""
    shape = target.shape
    windows = seconds / _WINDOW_SECONDS + 1
    there = sum(file.stat().st_size for file in work.iterdir())
    state = 12 * sum(int(np.prod(sides)) for sides in shape.decoder_tensors().values())
    needed = windows * Labels.bytes(shape.width, shape.audio_positions) + state - there
    free = shutil.disk_usage(work).free
    if free < needed:
        raise ModelProblem(
            f"there is not enough room on the disk: {needed / 1e9:.1f} GB are needed, {free / 1e9:.1f} GB are free",
            f"make room where {work} is, or give fewer recordings",
        )


def _claim(work: Path, target: Checkpoint, wish: Wish) -> None:
    """Let a folder of work belong to one target and language; what was made for another is deleted."""
    mark = target.folder / parts.WEIGHTS
    size = mark.stat().st_mtime_ns if mark.exists() else 0
    belongs = json.dumps([str(target.folder.resolve()), size, wish.language])
    owner = work / "target.json"
    if not owner.exists() or owner.read_text(encoding="utf-8") != belongs:
        shutil.rmtree(work)
        work.mkdir()
        owner.write_text(belongs, encoding="utf-8")


def _key(recording: Path) -> str:
    """A name for the labels of a file as it is now."""
    state = recording.stat()
    safe = "".join(letter if letter.isalnum() else "_" for letter in recording.stem)[:40]
    return f"{safe}-{state.st_size:x}-{state.st_mtime_ns:x}"
