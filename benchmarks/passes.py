"""What a pass of k tokens and a rewind cost: `python benchmarks/passes.py [--json FILE]`.

Holds two promises of the runtime: a rewind costs under 2% of a one-token pass, and on a 768-wide model of 12 + 12
layers with int8 weights a pass of 8 tokens costs at most 1.6 one-token passes. Exits with 1 where one is not kept. All
precisions of the processor are measured; `--precision` takes some of them.

The models have random weights and are made below build/. Passes of different sizes take turns, figures are medians; on
a machine that is doing something else, only the ratios mean something, and those not much.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import openvino as ov

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from desktop_app.checkpoints.folder import Checkpoint, read  # noqa: E402
from desktop_app.decoding.protocol import Cursor  # noqa: E402
from desktop_app.runtimes.openvino import OpenVinoModel, devices, load, precisions  # noqa: E402
from tests import random_models  # noqa: E402

PREFIX = 60  # tokens in the cache before the pass that is timed
SIZES = (1, 2, 4, 8, 12, 16)
SMALLEST = random_models.Recipe.of(256, 4, 4, 4, text=1000, languages=("en",))
REWIND_SHARE, EIGHT_SHARE = 0.02, 1.6


def milliseconds(work: Callable[[], object]) -> tuple[float, float]:
    """How long one call takes, and how long the processor works for it on all cores together."""
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return (time.perf_counter() - wall) * 1000, (time.process_time() - processor) * 1000


def window(width: int) -> npt.NDArray[np.float32]:
    """Something that an encoder might have heard; opened again it costs nothing."""
    return np.random.default_rng(0).normal(0, 1, (1, 1500, width)).astype(np.float32)


def opened(model: OpenVinoModel, encoded: npt.NDArray[np.float32]) -> Cursor:
    """A cursor behind the prefix, warm for every size of pass."""
    cursor = model.open(encoded)
    cursor.run([1] * PREFIX)
    for size in SIZES:
        cursor.run([1] * size)
        cursor.rewind(PREFIX)
    return cursor


def passes(model: OpenVinoModel, encoded: npt.NDArray[np.float32], rounds: int) -> dict[int, list[tuple[float, float]]]:
    """Milliseconds and those of the processor for passes of each size; the sizes take turns, each on a cache without
    rejected entries.
    """
    found: dict[int, list[tuple[float, float]]] = {size: [] for size in SIZES}
    for _ in range(rounds):
        cursor = opened(model, encoded)
        for size in SIZES:
            found[size].append(milliseconds(partial(cursor.run, [5] * size)))
            cursor.rewind(PREFIX)
    return found


def rewinds(model: OpenVinoModel, encoded: npt.NDArray[np.float32], rounds: int) -> dict[str, list[float]]:
    """Milliseconds of a one-token pass, of a rewind by eight tokens, and of the one-token pass after it.

    The pass after it reads a cache that keeps eight rejected entries.
    """
    found: dict[str, list[float]] = {"pass": [], "rewind": [], "pass_after": []}
    for _ in range(rounds):
        cursor = opened(model, encoded)
        cursor.run([5])
        for _ in range(3):
            found["pass"].append(milliseconds(partial(cursor.run, [5]))[0])
        length = cursor.length
        cursor.run([5] * 8)
        found["rewind"].append(milliseconds(partial(cursor.rewind, length))[0])
        cursor.run([5])
        for _ in range(3):
            found["pass_after"].append(milliseconds(partial(cursor.run, [5]))[0])
    return found


def made(name: str, recipe: random_models.Recipe) -> Checkpoint:
    """The random model of a recipe, kept below build/."""
    folder = ROOT / "build" / "benchmarks" / name
    if not (folder / "model.safetensors").is_file():
        random_models.write(folder, recipe)
    return read(folder)


def machine() -> dict[str, Any]:
    """What belongs to every figure."""
    return {
        "processor": dict(devices())["CPU"],
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "openvino": ov.__version__,
        "load_average": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
    }


def measure_rewind(rounds: int) -> dict[str, Any]:
    """The rewind, on a very small model, where a pass is shortest."""
    checkpoint = made("smallest", SMALLEST)
    times = rewinds(load(checkpoint), window(checkpoint.shape.width), rounds)
    middle = {name: statistics.median(each) for name, each in times.items()}
    share = middle["rewind"] / middle["pass"]
    print("256 x (4 + 4) layers, f32")
    print(f"  one-token pass {middle['pass']:.2f} ms, behind a rewind {middle['pass_after']:.2f} ms")
    print(f"  rewind {middle['rewind'] * 1000:.1f} us = {share:.2%} of a pass; promised: under {REWIND_SHARE:.0%}")
    return {"ms": middle, "share": share, "kept": share < REWIND_SHARE}


def measure_passes(precision: str, rounds: int) -> dict[str, Any]:
    """Passes of every size on the 768-wide model."""
    checkpoint = made("small", random_models.SMALL)
    began = time.perf_counter()
    model = load(checkpoint, precision=precision)
    seconds = time.perf_counter() - began
    times = passes(model, window(checkpoint.shape.width), rounds)
    middle = {size: statistics.median(wall for wall, _ in each) for size, each in times.items()}
    work = {size: statistics.median(work for _, work in each) for size, each in times.items()}
    print(f"768 x (12 + 12) layers, {precision}, loaded in {seconds:.1f} s")
    for size in SIZES:
        print(
            f"  {size:2} tokens {middle[size]:6.1f} ms = {middle[size] / middle[1]:.2f} one-token passes; "
            f"processor time {work[size]:6.1f} ms = {work[size] / work[1]:.2f}"
        )
    return {
        "precision": precision,
        "load_seconds": seconds,
        "ms": middle,
        "processor_ms": work,
        "epsilon": model.epsilon,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--rounds", type=int, default=20)
    able = precisions("CPU")
    parser.add_argument("--precision", nargs="+", default=able, choices=able, help="int8 among them (default: all)")
    options = parser.parse_args()
    if "int8" not in options.precision:
        parser.error("the promise is about int8: name it too")
    about = machine()
    print(", ".join(f"{key} {value}" for key, value in about.items()))
    rewind = measure_rewind(options.rounds)
    rows = [measure_passes(precision, options.rounds) for precision in options.precision]
    times = next(row["ms"] for row in rows if row["precision"] == "int8")
    eight = times[8] / times[1]
    print(f"8 tokens cost {eight:.2f} one-token passes (int8); promised: at most {EIGHT_SHARE}")
    result = {
        "machine": about,
        "rewind": rewind,
        "passes": rows,
        "eight": {"ratio": eight, "kept": eight <= EIGHT_SHARE},
    }
    if options.json:
        options.json.write_text(json.dumps(result, indent=2) + "\n", "utf-8")
    return 0 if rewind["kept"] and eight <= EIGHT_SHARE else 1


if __name__ == "__main__":
    sys.exit(main())
