"""`galley bench memory`: how much memory a model takes, from safetensors on the disk to the first window.

The model has the shape of a real one and random weights; it is written below the cache folder and removed again. Each
step runs in a process of its own, whose peak is what counts: all resident pages, those of mapped files included.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from desktop_app import folders, printing
from desktop_app.app.presentation import problems
from desktop_app.checkpoints import installed, quantised
from desktop_app.checkpoints.folder import Checkpoint, read
from desktop_app.checkpoints.shape import Shape
from desktop_app.checkpoints.tensors import Tensors
from desktop_app.engine import probe
from desktop_app.measure.figures import saved
from desktop_app.problems import Problem
from desktop_app.texts import N_, _
from desktop_app.worker import runtime

PROMISE = 8e9
"""Bytes that large-v3 at int8 stays under."""

SHARE, ROOM = 1.3, 1e8
"""Quantising takes at most so much of the written file, and so many bytes, above what Python takes."""

QUANTISED = ("int8", "int4")

TEXT, ROUND = 48, 8  # tokens that are written one by one, and in passes of several


def _shape(width: int, heads: int, encoder: int, decoder: int, bins: int, vocabulary: int) -> Shape:
    inner = 4 * width
    return Shape(width, encoder, heads, inner, decoder, heads, inner, bins, 1500, 448, vocabulary, own_head=False)


SHAPES = {
    "toy": _shape(64, 2, 1, 1, 80, 2000),
    "tiny": _shape(384, 6, 4, 4, 80, 51_865),
    "base": _shape(512, 8, 6, 6, 80, 51_865),
    "small": _shape(768, 12, 12, 12, 80, 51_865),
    "medium": _shape(1024, 16, 24, 24, 80, 51_865),
    "large-v3": _shape(1280, 20, 32, 32, 128, 51_866),
    "turbo": _shape(1280, 20, 32, 4, 128, 51_866),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this benchmark."""
    parser.add_argument(
        "--shape", default="large-v3", choices=tuple(SHAPES), help=_("shape of the model (default: %(default)s)")
    )
    parser.add_argument(
        "--precision",
        default="int8",
        choices=("f32", "bf16", "int8", "int4"),
        help=_("precision of the weights (default: %(default)s)"),
    )


def run(arguments: argparse.Namespace) -> int:
    """Measure, print, and write the figures; 1 if the promise is broken, 3 if the model does not run."""
    try:
        home = folders.cache()
        home.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(dir=home, prefix="bench-memory-"))
        try:
            found = _measured(arguments.shape, arguments.precision, folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    except OSError as error:
        why = error.strerror or error
        _complain(_("The model cannot be written ({error}). Free some space, then try again.", error=why))
        return 1
    except Problem as problem:
        _complain(problems.sentence(problem))
        return 3
    is_saved = not arguments.json or saved(arguments.json, found)
    return 0 if found["kept"] and is_saved else 1


def _measured(name: str, precision: str, folder: Path) -> dict[str, Any]:
    shape = SHAPES[name]
    file = folder / "model.safetensors"
    write(file, shape)
    size = file.stat().st_size
    count = sum(int(np.prod(sides)) for sides in shape.tensors().values())
    _say(
        _(
            "{name}: {count:.0f} million parameters, {size:.2f} GB of f16 on the disk",
            name=name,
            count=count / 1e6,
            size=size / 1e9,
        )
    )
    made = probe.ask(partial(conversion, name, precision, str(folder)), 3600.0) if precision in QUANTISED else None
    if made is not None:
        _say(
            _(
                "Quantised to {precision} in {seconds:.0f} s: {size:.2f} GB on the disk; peak {peak:.2f} GB above the "
                "{before:.2f} GB of Python and its libraries, which is {share:.2f} of the file (limit: {limit} of the "
                "file and {room:.1f} GB)",
                precision=precision,
                seconds=made["seconds"],
                size=made["file_bytes"] / 1e9,
                peak=made["peak_bytes"] / 1e9,
                before=made["before_bytes"] / 1e9,
                share=made["share"],
                limit=SHARE,
                room=ROOM / 1e9,
            )
        )
    steps: list[dict[str, float]] = []
    for start in (N_("first start"), N_("next start")):
        step = probe.ask(partial(window, name, precision, str(folder)), 3600.0)
        steps.append(step)
        _say(
            _(
                "{start} ({precision}): peak {peak:.2f} GB, while loading {load_peak:.2f} GB; loaded in {load:.0f} s, "
                "a window encoded in {encode:.1f} s, {token:.0f} ms per token",
                start=_(start),
                precision=precision,
                peak=step["peak_bytes"] / 1e9,
                load_peak=step["load_peak_bytes"] / 1e9,
                load=step["load_seconds"],
                encode=step["encode_seconds"],
                token=step["pass_seconds"] * 1000,
            )
        )
    kept = max(step["peak_bytes"] for step in steps) < PROMISE
    kept = kept and (made is None or made["peak_bytes"] <= SHARE * made["file_bytes"] + ROOM)
    limit = PROMISE / 1e9
    _say(
        _("Limit of {limit:.0f} GB: kept", limit=limit) if kept else _("Limit of {limit:.0f} GB: EXCEEDED", limit=limit)
    )
    machine = {"processor": platform.processor() or platform.machine(), "cores": os.cpu_count()}
    return {
        "machine": machine | {"system": platform.platform()},
        "shape": name,
        "precision": precision,
        "parameters": count,
        "source_bytes": size,
        "conversion": made,
        "first_start": steps[0],
        "next_start": steps[1],
        "promise_bytes": int(PROMISE),
        "kept": kept,
    }


def conversion(name: str, precision: str, folder: str) -> dict[str, float]:
    """Quantise all matrices, as a first start does; memory in bytes, time in seconds. For
    `probe.ask`."""
    tensors, room = Tensors(Path(folder)), Path(folder) / "conversion"
    names = [each for each, sides in SHAPES[name].tensors().items() if len(sides) == 2 and "positions" not in each]
    before, began = peak(), perf_counter()
    quantised.stored(tensors, names, int(precision.removeprefix("int")), room)
    seconds, most = perf_counter() - began, peak() - before
    written = sum(file.stat().st_size for file in room.iterdir())
    shutil.rmtree(room)
    return {
        "seconds": seconds,
        "before_bytes": before,
        "peak_bytes": most,
        "file_bytes": written,
        "share": most / written,
    }


def window(name: str, precision: str, folder: str) -> dict[str, float]:
    """Load the model, encode one window and write its text; memory in bytes, times in seconds. For `probe.ask`."""
    shape = SHAPES[name]
    checkpoint = _checkpoint(Path(folder), shape)
    began = perf_counter()
    model = runtime.load(checkpoint, "cpu", precision, None, Path(folder) / "cache")
    loaded, load_peak = perf_counter(), peak()
    noise = np.random.default_rng(0).uniform(-1, 1.5, (shape.mel_bins, 2 * shape.audio_positions)).astype(np.float32)
    encoded = model.encode(noise)
    encoded_at = perf_counter()
    cursor = model.open(encoded)
    began_text = perf_counter()
    for _token in range(TEXT):
        cursor.run([5])
    written = perf_counter()
    for _pass in range(ROUND):
        cursor.run([5] * ROUND)
    return {
        "load_seconds": loaded - began,
        "encode_seconds": encoded_at - loaded,
        "pass_seconds": (written - began_text) / TEXT,
        "load_peak_bytes": load_peak,
        "peak_bytes": peak(),
    }


def peak() -> int:
    """The most memory that this process had at any time, in bytes."""
    status = Path("/proc/self/status")
    if status.is_file():  # what getrusage reports there, a process inherits from its parent
        (line,) = (line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    if sys.platform == "win32":
        raise Problem("engine.no_peak")
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _checkpoint(folder: Path, shape: Shape) -> Checkpoint:
    """The random model; what is no weight comes from the bundled one and is not used."""
    bundled = read(installed.bundled())
    heads = tuple((shape.decoder_layers - 1, head) for head in range(2))
    return replace(bundled, folder=folder, shape=shape, tensors=Tensors(folder), alignment_heads=heads)


def write(path: Path, shape: Shape) -> None:
    """A safetensors file of random f16 numbers of a trained model's size, written a block at a time."""
    header: dict[str, Any] = {}
    end = 0
    for name, sides in shape.tensors().items():
        begin, end = end, end + 2 * int(np.prod(sides))
        header[name] = {"dtype": "F16", "shape": sides, "data_offsets": [begin, end]}
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    with path.open("wb") as file:
        file.write(len(head).to_bytes(8, "little") + head)
        for name, sides in shape.tensors().items():
            for block in _numbers(name, sides):
                file.write(block.tobytes())


def _numbers(name: str, sides: tuple[int, ...]) -> Iterator[npt.NDArray[np.float16]]:
    """Random numbers: one block again and again, from another place in it for each tensor."""
    count = int(np.prod(sides))
    scale = 0.1 if len(sides) == 1 else float(np.prod(sides[1:])) ** -0.5
    offset = 1.0 if name.endswith("layer_norm.weight") else 0.0
    block = np.random.default_rng(list(name.encode())).standard_normal(min(count, 1 << 20), np.float32)
    numbers = (block * np.float32(scale) + np.float32(offset)).astype("<f2")
    for begin in range(0, count, numbers.size):
        yield numbers[: count - begin]


def _complain(sentence: str) -> None:
    printing.say(f"galley: {sentence}")


def _say(line: str) -> None:
    printing.out(f"{line}\n")
