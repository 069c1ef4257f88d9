"""How much the size of a pass changes the margin between two tokens: what `epsilon` of the runtime rests on.

`python benchmarks/margins.py FOLDER ... [--device cpu|gpu|npu|cuda|torch] [--precision f32 int8] [--texts N]`

Texts of a model's own choice and texts of random tokens are read one token a pass, then in passes of 2 to 16 tokens of
which a part is rejected. The change is the largest of any difference of two scores at one position. The device `torch`
is the CPU with PyTorch; there and on cuda all passes have one width, and with --each-width their own.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from desktop_app.audio.logmel import LogMel
from desktop_app.checkpoints.folder import Checkpoint, read
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.worker import runtime
from desktop_app.worker.runtime import RuntimeModel

TOKENS = 100
Scores = npt.NDArray[np.float32]


def alone(model: RuntimeModel, encoded: Any, text: list[int], own: bool) -> tuple[list[int], Scores]:
    """A text read one token a pass, and its scores; with `own` the model chooses all but the first token."""
    cursor, scores = model.open(encoded), []
    tokens = text[:1] if own else text
    for position in range(len(text)):
        scores.append(cursor.run([tokens[position]])[0])
        if own:
            tokens.append(int(scores[-1].argmax()))
    return tokens[: len(text)], np.array(scores)


def together(model: RuntimeModel, encoded: Any, text: list[int], random: np.random.Generator) -> Scores:
    """The scores of the same text in passes of 2 to 16 tokens, of which some do not belong to it and are rejected."""
    cursor, scores = model.open(encoded), []
    while cursor.length < len(text):
        position = cursor.length
        count = int(random.integers(2, 17))
        right = text[position : position + int(random.integers(1, count + 1))]
        wrong = random.integers(0, 256, count - len(right)).tolist()[: model.positions - position - len(right)]
        scores.extend(cursor.run(right + wrong)[: len(right)])
        cursor.rewind(position + len(right))
    return np.array(scores)


def largest_change(checkpoint: Checkpoint, model: RuntimeModel, texts: int) -> tuple[float, float, int]:
    """The largest change of any difference of two scores and of the best two, and how many best tokens changed."""
    random = np.random.default_rng(1)
    any_pair = best_pair = 0.0
    changed = 0
    for number in range(texts):
        noise = random.normal(0, 0.1, 10 * SAMPLE_RATE).astype(np.float32)
        encoded = model.encode(LogMel(checkpoint.mel_bins).features(noise))
        text = random.integers(0, checkpoint.vocabulary.size, TOKENS).tolist()
        text, right = alone(model, encoded, text, own=number % 2 == 0)
        found = together(model, encoded, text, random)
        any_pair = max(any_pair, float(np.ptp(found - right, axis=1).max()))
        margins = [np.diff(np.partition(each, -2, axis=1)[:, -2:])[:, 0] for each in (right, found)]
        best_pair = max(best_pair, float(np.abs(margins[0] - margins[1]).max()))
        changed += int((right.argmax(1) != found.argmax(1)).sum())
    return any_pair, best_pair, changed


def ready(checkpoint: Checkpoint, device: str, precision: str, each_width: bool) -> RuntimeModel:
    """The model on a device as it is called here."""
    if device not in ("cuda", "torch"):
        return runtime.load(checkpoint, device, precision, None, None)
    from desktop_app.runtimes import torch
    from desktop_app.runtimes.torch_passes import EACH_WIDTH, ONE_WIDTH

    widths = EACH_WIDTH if each_width else ONE_WIDTH
    return torch.load(checkpoint, "cpu" if device == "torch" else device, precision, widths=widths)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--device", default="cpu", choices=("cpu", "gpu", "npu", "cuda", "torch"))
    parser.add_argument("--each-width", action="store_true")
    parser.add_argument("--precision", nargs="+", default=["f32", "int8"])
    parser.add_argument("--texts", type=int, default=10)
    options = parser.parse_args()
    for folder in options.folders:
        checkpoint = read(folder)
        for precision in options.precision:
            model = ready(checkpoint, options.device, precision, options.each_width)
            any_pair, best_pair, changed = largest_change(checkpoint, model, options.texts)
            print(
                f"{checkpoint.name} on {options.device}, {precision}: any two scores {any_pair:.2e}, the best two "
                f"{best_pair:.2e}, other best token at {changed} of {options.texts * TOKENS} positions; "
                f"epsilon {model.epsilon:.1e}",
                flush=True,
            )


if __name__ == "__main__":
    main()
