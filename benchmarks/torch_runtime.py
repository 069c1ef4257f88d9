"""What encoding, passes and batches cost on a CUDA device: `python benchmarks/torch_runtime.py [--json FILE]`.

The shape is large-v3's (1.5 billion parameters), the weights are random and made on the device. Measured are an
encoding of 30 s, a window's keys and values, and passes of 1 to 16 tokens behind a text of 60, once with all passes at
one width and once with a width for each; and for batches of 1 to 16 rows an encoding and a pass of all rows, with how
many times as much they do in the same time as one row does (`gain`). Passes of different sizes take turns, figures are
medians in milliseconds.

With `--file FILE --target FOLDER` that recording is transcribed too, by the target with its draft, window after window
and in batches, each once to make the device ready and once for its figures: seconds, tokens, passes, how many rows had
tokens in a pass of the target, and whether the text is the same with the draft and without.

Needs a CUDA device and says so where there is none; `--toy` runs a small shape on the CPU, which shows only that the
script works, and `--file` there shows counts.
"""

from __future__ import annotations

import argparse
import gc
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
    sys.exit("PyTorch is not installed; install the extra torch")

from benchmarks.figures import records
from desktop_app.audio.files import AudioFile
from desktop_app.audio.logmel import features
from desktop_app.audio.spectrogram import Spectrogram
from desktop_app.audio.voice import cut_at_pause
from desktop_app.checkpoints import pairs
from desktop_app.checkpoints.folder import Checkpoint, read_draft, read_target, same_encoder
from desktop_app.checkpoints.shape import Shape
from desktop_app.decoding import batch, longform
from desktop_app.decoding.drafters import Draft
from desktop_app.decoding.setup import Setup
from desktop_app.runtimes.torch import TorchBatch, TorchModel, absence, build, devices, load_batch
from desktop_app.runtimes.torch_passes import EACH_WIDTH, ONE_WIDTH
from desktop_app.transcript.settings import Settings
from desktop_app.transcript.statistics import Counter

LARGE_V3 = Shape(1280, 32, 20, 5120, 32, 20, 5120, 128, 1500, 448, 51866, own_head=False)
TOY = Shape(32, 2, 2, 128, 2, 2, 128, 80, 50, 448, 500, own_head=False)
PREFIX = 60
SIZES = (1, 2, 4, 6, 8, 12, 16)
ROWS = (1, 2, 4, 8, 16)


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


def measure_rows(model: TorchBatch, shape: Shape, rounds: int) -> dict[str, float]:
    """What all rows of a model cost, in milliseconds."""
    some = np.random.default_rng(0).uniform(-1, 1.5, (len(model.rows), shape.mel_bins, 2 * shape.audio_positions))
    windows = list(some.astype(np.float32))
    cursors = [row.open(encoded) for row, encoded in zip(model.rows, model.encode(windows), strict=True)]
    model.run([(cursor, list(range(PREFIX))) for cursor in cursors])
    encodings, passes = [], []
    for turn in range(rounds + 2):  # the first two make the device and its libraries ready
        encoding = milliseconds(partial(model.encode, windows))
        one = milliseconds(partial(model.run, [(cursor, [5] * 4) for cursor in cursors]))
        for cursor in cursors:
            cursor.rewind(PREFIX)
        if turn > 1:
            encodings.append(encoding)
            passes.append(one)
    return {"encode_ms": round(statistics.median(encodings), 3), "pass_ms": round(statistics.median(passes), 3)}


def gains(shape: Shape, device: str, precision: str, rounds: int) -> dict[int, dict[str, float]]:
    """For each number of rows what they cost, and how many times as much they do in the same time as one."""
    found: dict[int, dict[str, float]] = {}
    for rows in ROWS:
        found[rows] = measure_rows(build(shape, weights(shape, device), device, precision, rows=rows), shape, rounds)
        for name in ("encode", "pass"):
            one, all_of_them = (found[count][f"{name}_ms"] for count in (ROWS[0], rows))
            found[rows][f"{name}_gain"] = round(rows * one / all_of_them, 2)
        gc.collect()
    return found


class Counting(TorchBatch):
    """Counts how many rows read in each pass."""

    def __init__(self, loaded: TorchBatch) -> None:
        super().__init__(loaded._network)
        self.filled: list[int] = []

    def run(self, reads: Sequence[tuple[Any, Sequence[int]]]) -> list[Any]:
        self.filled.append(len(reads))
        return super().run(reads)


class Tokens(longform.DecodingListener):
    """The tokens of all segments. Attributes: found."""

    def __init__(self) -> None:
        self.found: list[int] = []

    def segments(self, segments: Sequence[Any], done_seconds: float) -> None:
        self.found += [token for segment in segments for token in segment.tokens]


def transcribed(
    file: str, target: Checkpoint, draft: Checkpoint | None, rows: int, device: str, precision: str
) -> tuple[list[int], dict[str, float]]:
    """The tokens of a recording, and figures of writing them."""
    batches = [Counting(load_batch(target, rows, device, precision))]
    shares = draft is not None and same_encoder(target, draft)
    if draft is not None:
        encoder = batches[0].rows[0] if shares else None
        batches.append(Counting(load_batch(draft, rows, device, precision, encoder=encoder)))

    def setup(row: int) -> Setup:
        drafter, model = None, batches[0].rows[row]
        if draft is not None:
            its = batches[1].rows[row]
            drafter = pairs.drafter(target, draft)(Draft(its, model if shares else its, draft.vocabulary))
        return Setup(model, target.vocabulary, target.text, drafter)

    for _ in range(2):
        tokens, counter, began = Tokens(), Counter(), time.perf_counter()
        batches[0].filled.clear()
        with AudioFile(file) as audio, AudioFile(file) as again:
            if rows == 1:
                extract = Spectrogram(again, {each.rows[0].mel_bins for each in batches}).features
                longform.transcribe(iter(audio), extract, setup(0), tokens, Settings("en"), counter)
            else:
                several = batch.BatchRows(
                    [setup(row) for row in range(rows)], batches, batches[:1] if shares else batches
                )
                batch.transcribe(iter(audio), features, several, cut_at_pause, tokens, Settings("en"), counter)
        seconds, total = time.perf_counter() - began, counter.total
    filled = batches[0].filled or [1] * total.target_passes
    return tokens.found, {
        "seconds": round(seconds, 2),
        "tokens": total.tokens,
        "tokens_per_pass": round(total.tokens_per_pass, 2),
        "passes": len(filled),
        "rows_filled": round(statistics.mean(filled), 2),
    }


def transcriptions(file: str, folder: Path, several: Sequence[int], device: str, precision: str) -> dict[str, Any]:
    """The figures of a recording for each number of rows, with the draft and without."""
    target = read_target(folder)
    draft = read_draft(target.draft, target) if target.draft else None
    found: dict[str, Any] = {}
    for rows in several:
        texts = []
        for name, its in (("draft", draft), ("alone", None)):
            tokens, figures = transcribed(file, target, its, rows, device, precision)
            texts.append(tokens)
            found[f"{rows} {name}"] = figures
            gc.collect()
        found[f"{rows} same"] = texts[0] == texts[1]
    return found


def recorded(rows: Sequence[dict[str, Any]], target: Path | None, note: str) -> None:
    """Write what RESULTS.md shows of these figures: the first precision, and recordings in 1 and in 8 rows."""

    def put(claim: str, values: tuple[float, float], unit: str) -> None:
        records.record("gpu", claim, values, unit=unit, note=note, processor="GPU")

    precision = rows[0]["precision"]
    for each in (row for row in rows if row["precision"] == precision):
        if each.get("widths") == "one":
            put(f"large-v3, {precision}: a pass of 1 / 8 tokens", (each["pass_ms"][1], each["pass_ms"][8]), "ms")
        elif "file" in each and target is not None:
            for count in (number for number in (1, 8) if f"{number} draft" in each["rows"]):
                drafted, alone = (each["rows"][f"{count} {how}"]["seconds"] for how in ("draft", "alone"))
                put(f"{target.name}, {precision}, rows: {count}, with draft / alone", (drafted, alone), "s")
        elif "file" not in each and "rows" in each:
            gains_of_8 = (each["rows"][8]["encode_gain"], each["rows"][8]["pass_gain"])
            put(f"large-v3, {precision}: 8 rows beside 1, encoding / pass", gains_of_8, "×")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--precision", nargs="+", default=["f16", "bf16", "f32"])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--toy", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--file", help="transcribe this recording, too")
    parser.add_argument("--target", type=Path, help="folder of the model that transcribes it, with its draft")
    parser.add_argument("--batch", type=int, nargs="+", default=ROWS, help="numbers of rows to transcribe it with")
    records.add_argument(parser)
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
        rows.append({"precision": precision, "rows": gains(shape, device, precision, options.rounds)})
        print(json.dumps(rows[-1]), flush=True)
        if options.file:
            texts = transcriptions(options.file, options.target, options.batch, device, precision)
            rows.append({"precision": precision, "file": Path(options.file).name, "rows": texts})
            print(json.dumps(rows[-1]), flush=True)
    if options.record is not None and not options.toy:
        recorded(rows, options.target, ", ".join(filter(None, (name, options.record))))
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
