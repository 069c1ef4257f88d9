"""What encoding and passes of k tokens cost on a CUDA device: `python benchmarks/torch_runtime.py [--json FILE]`.

The shape is large-v3's (1.5 billion parameters), the weights are random and made on the device. Measured are an
encoding of 30 s, a window's keys and values, and passes of 1 to 16 tokens behind a text of 60, once with all passes at
one width and once with a width for each. Passes of different sizes take turns, figures are medians in milliseconds.
Needs a CUDA device and says so where there is none; `--toy` runs a small shape on the CPU, which shows only that the
script works.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

try:
    import torch
except ModuleNotFoundError:
    sys.exit("PyTorch is not installed; install galley[torch]")

from desktop_app.checkpoints.shape import Shape
from desktop_app.runtimes.torch import TorchModel, absence, build, devices
from desktop_app.runtimes.torch_passes import EACH_WIDTH, ONE_WIDTH

LARGE_V3 = Shape(1280, 32, 20, 5120, 32, 20, 5120, 128, 1500, 448, 51866, own_head=False)
TOY = Shape(32, 2, 2, 128, 2, 2, 128, 80, 50, 448, 500, own_head=False)
PREFIX = 60
SIZES = (1, 2, 4, 6, 8, 12, 16)


def weights(shape: Shape, device: str) -> Callable[[str], torch.Tensor]:
    """Random numbers of a trained model's size, the same for the same name."""
    sides = shape.tensors()

    def read(name: str) -> torch.Tensor:
        draw = torch.Generator(device).manual_seed(sum(name.encode()))
        numbers = torch.randn(sides[name], generator=draw, device=device)
        if name.endswith("norm.weight"):
            return 1 + numbers / 10
        return numbers / (10 if len(sides[name]) == 1 else float(np.prod(sides[name][1:])) ** 0.5)

    return read


def milliseconds(work: Callable[[], object]) -> float:
    """How long a call takes until the device has done it."""
    began = time.perf_counter()
    work()
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return (time.perf_counter() - began) * 1000


def measure(model: TorchModel, shape: Shape, rounds: int) -> dict[str, Any]:
    """The figures of one model."""
    features = np.random.default_rng(0).uniform(-1, 1.5, (shape.mel_bins, 2 * shape.audio_positions)).astype(np.float32)
    found: dict[str, list[float]] = {}
    for turn in range(rounds + 2):  # the first two make the device and its libraries ready
        encoded = model.encode(features)
        times = {
            "encode": milliseconds(partial(model.encode, features)),
            "window": milliseconds(partial(model.open, encoded)),
        }
        cursor = model.open(encoded)
        cursor.run(list(range(PREFIX)))
        for size in SIZES:
            times[str(size)] = milliseconds(partial(cursor.run, [5] * size))
            cursor.rewind(PREFIX)
        if turn > 1:
            for name, each in times.items():
                found.setdefault(name, []).append(each)
    medians = {name: round(statistics.median(each), 3) for name, each in found.items()}
    one = medians["1"]
    return {
        "precision": model.precision,
        "epsilon": model.epsilon,
        "encode_ms": medians["encode"],
        "window_ms": medians["window"],
        "pass_ms": {size: medians[str(size)] for size in SIZES},
        "ratio": {size: round(medians[str(size)] / one, 2) for size in SIZES},
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--precision", nargs="+", default=["f16", "bf16", "f32"])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--toy", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if not options.toy and not devices():
        print(f"{absence()}; this needs one, --toy only tries the script", file=sys.stderr)
        return 3
    device, shape = ("cpu", TOY) if options.toy else ("cuda", LARGE_V3)
    name = "CPU" if options.toy else torch.cuda.get_device_name()
    rows: list[dict[str, Any]] = []
    kinds: Sequence[tuple[str, tuple[int, ...]]] = (("one", ONE_WIDTH), ("each", EACH_WIDTH))
    for precision in options.precision:
        for widths, sizes in kinds:
            model = build(shape, weights(shape, device), device, precision, widths=sizes).rows[0]
            rows.append({"widths": widths, **measure(model, shape, options.rounds)})
            print(json.dumps(rows[-1]), flush=True)
            del model
    if options.json:
        machine = {
            "device": name,
            "torch": torch.__version__,
            "cuda": torch.version.cuda,
            "python": sys.version.split()[0],
        }
        options.json.write_text(json.dumps({"machine": machine, "rows": rows}, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
