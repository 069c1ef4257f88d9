"""What a draft is worth for models whose weights are not at hand: `python -m benchmarks.replay SHAPE ...`

Target and draft have a real model's shape and random weights; Galley's own runtime and loop compute every pass in full.
Only what they choose is given: the target writes a known text of 120 tokens a window, and each token that the draft
proposes is the right one with the probability --acceptance. A window is decoded by the target alone and with each
draft, in turn. The encoder is left out: it is the same for all. Two drafts share it:

- distilled: two decoder layers, as distil-large-v3 has them;
- trained: as `galley models train-draft` makes them, with two layers, a head of 12,000 tokens and cross-attention over
  the mean of four positions.

Beside it stands what the memory's bandwidth allows (desktop_app.measure.roofline): each pass reads its weights once and
computes for nothing, at the best fixed look-ahead. The models are written below build/ and removed again.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.figures import records
from desktop_app.app.presentation import problems
from desktop_app.checkpoints import installed, pairs
from desktop_app.checkpoints.folder import Checkpoint, read
from desktop_app.checkpoints.shape import Shape
from desktop_app.checkpoints.tensors import Tensors
from desktop_app.decoding.audio_window import NOTHING, AudioWindow
from desktop_app.decoding.drafters import Draft
from desktop_app.decoding.lookahead import LookAhead, expected_tokens
from desktop_app.decoding.protocol import Cursor, Model, Scores
from desktop_app.decoding.setup import Setup
from desktop_app.decoding.task import prefix
from desktop_app.decoding.vocabulary import Vocabulary
from desktop_app.decoding.window import WindowDecoder
from desktop_app.engine import probe
from desktop_app.measure.memory import SHAPES, write
from desktop_app.measure.roofline import bandwidth, weight_bytes
from desktop_app.problems import Problem
from desktop_app.transcript.settings import Settings
from desktop_app.transcript.statistics import Counter
from desktop_app.worker import runtime

TOP = Path(__file__).resolve().parents[1]
ALONE = "alone"
WORDS = 8000  # tokens that a text is made of: those that every draft scores
TOKENS = 120  # of a window's text, two timestamps among them
MOST = 8  # tokens of a draft, as LookAhead has it
CERTAIN = np.float32(1e4)  # the score of the token that is to be chosen
SETTINGS = Settings("en")

Choose = Callable[[int], int | None]
"""The row of the token that is chosen after a position, or None for the model's own choice."""


@dataclass(frozen=True)
class DraftKind:
    """A draft's decoder layers, the tokens that it scores (None: all), and the positions that it reads as one."""

    layers: int
    head: int | None = None
    pooling: int = 1

    def checkpoint(self, target: Checkpoint) -> Checkpoint:
        """The draft, whose layers are the target's first ones; all special tokens and timestamps are in its head."""
        shape = replace(target.shape, decoder_layers=self.layers, audio_pooling=self.pooling)
        if self.head is None:
            return replace(target, shape=shape)
        special = range(target.vocabulary.end, target.vocabulary.size)
        return replace(target, shape=shape, head_tokens=(*range(self.head - len(special)), *special))


DRAFTS = {"distilled": DraftKind(2), "trained": DraftKind(2, 12_000, 4)}
NAMES = [name for name, shape in SHAPES.items() if shape.decoder_layers > 2]


class Script:
    """What is written in the window at hand: `text` follows a prefill of `prefill` tokens, the end token follows it."""

    def __init__(self, vocabulary: Vocabulary, prefill: int, seed: int = 0) -> None:
        never = {*vocabulary.suppress, *vocabulary.begin_suppress}
        self._words = [token for token in range(WORDS) if token not in never]
        self._vocabulary, self._prefill = vocabulary, prefill
        self._random = np.random.default_rng(seed)
        self.next()

    def next(self) -> None:
        """Another window."""
        begin, end = (self._vocabulary.first_timestamp + round(seconds / 0.02) for seconds in (0.0, 28.0))
        self.text = [begin, *self._random.choice(self._words, TOKENS - 2).tolist(), end]

    def follows(self, position: int) -> int | None:
        """The token that follows the one at a position; None within the prefill."""
        index = position + 1 - self._prefill
        if index < 0:
            return None
        return self.text[index] if index < len(self.text) else self._vocabulary.end

    def draft(self, head: Sequence[int], acceptance: float) -> Choose:
        """The row of the token that a draft with these rows takes to follow: the right one so often."""
        rows = {token: row for row, token in enumerate(head)}

        def choose(position: int) -> int | None:
            token = self.follows(position)
            if token is None:
                return None
            right = self._random.random() < acceptance
            return rows[token if right else int(self._random.choice(self._words))]

        return choose


class Replayed:
    """A model that computes everything, and then chooses as it is told."""

    def __init__(self, model: Model, choose: Choose) -> None:
        self._model, self._choose = model, choose
        self.positions, self.epsilon, self.mel_bins = model.positions, model.epsilon, model.mel_bins

    def encode(self, features: npt.NDArray[np.float32]) -> Any:
        return self._model.encode(features)

    def open(self, encoded: Any) -> Cursor:
        return _Cursor(self._model.open(encoded), self._choose)

    def attend(self, encoded: Any, tokens: Sequence[int]) -> tuple[Scores, npt.NDArray[np.float32]]:
        return self._model.attend(encoded, tokens)


class _Cursor:
    def __init__(self, cursor: Cursor, choose: Choose) -> None:
        self._cursor, self._choose = cursor, choose

    @property
    def length(self) -> int:
        return self._cursor.length

    def run(self, tokens: Sequence[int]) -> Scores:
        at = self._cursor.length
        scores = self._cursor.run(tokens)
        for row, position in zip(scores, range(at, at + len(tokens)), strict=True):
            if (chosen := self._choose(position)) is not None:
                row[chosen] = CERTAIN
        return scores

    def rewind(self, length: int) -> None:
        self._cursor.rewind(length)


def ceiling(target: float, draft: float, acceptance: float) -> float:
    """How many times as fast as alone decoding can be at the best look-ahead, if a pass of any number of tokens takes
    `target` seconds and a draft's pass `draft`.
    """
    return max(expected_tokens(acceptance, count) * target / (count * draft + target) for count in range(1, MOST + 1))


class Decoder:
    """The target alone or with a draft, and what it took so far. `bytes` is what a pass of the model that is new here
    reads, of the target or else of the draft.
    """

    def __init__(self, setup: Setup, model: runtime.RuntimeModel, shape: Shape) -> None:
        self._counter, self._target = Counter(), setup.target
        self._decoder = WindowDecoder(setup, self._counter)
        self.bytes = weight_bytes(shape, model.weights) + model.window_bytes
        self.seconds: list[float] = []

    def decode(self, features: npt.NDArray[np.float32]) -> tuple[int, ...]:
        """The text of a window that was not opened before."""
        window = AudioWindow(NOTHING, lambda samples, bins: features)
        window.encoded(self._target)
        began = perf_counter()
        text = self._decoder.decode(window, SETTINGS, lambda text, draft: None)
        self.seconds.append(perf_counter() - began)
        return text.tokens

    def figures(self) -> dict[str, Any]:
        """The median of the windows, and all."""
        total = self._counter.total
        return {
            "seconds": median(self.seconds),
            "windows": self.seconds,
            "tokens_per_pass": total.tokens_per_pass,
            "acceptance": total.acceptance,
            "verification": total.verify_seconds / max(1, total.target_passes),
            "draft": total.draft_seconds / max(1, total.draft_passes),
            "bytes": self.bytes,
        }


def replay(shape: Shape, precision: str, acceptance: float, windows: int, folder: Path) -> dict[str, Any]:
    """Decode so many windows, after one that does not count; the random model is written to `folder`."""
    shape = replace(shape, encoder_layers=1)
    write(folder / "model.safetensors", shape)
    bundled = read(installed.bundled())
    vocabulary = replace(bundled.vocabulary, size=shape.vocabulary)
    checkpoint = replace(bundled, folder=folder, shape=shape, tensors=Tensors(folder), vocabulary=vocabulary)
    cache = folder / "cache"
    cache.mkdir()
    model = runtime.load(checkpoint, "cpu", precision, None, cache)
    script = Script(vocabulary, len(prefix(vocabulary, SETTINGS, shape.text_positions)))
    target = Replayed(model, script.follows)
    setup = Setup(target, vocabulary, checkpoint.text)
    decoders = {ALONE: Decoder(setup, model, shape)}
    for name, kind in DRAFTS.items():
        draft = kind.checkpoint(checkpoint)
        small = runtime.load(draft, "cpu", precision, model, cache, drafts=True)
        replayed = Replayed(small, script.draft(draft.head_tokens or range(shape.vocabulary), acceptance))
        drafter = pairs.drafter(checkpoint, draft)(Draft(replayed, target, vocabulary))
        with_it = replace(setup, drafter=drafter, look_ahead=LookAhead(may_disable_draft=True))
        rows = len(draft.head_tokens or range(shape.vocabulary))
        decoders[name] = Decoder(with_it, small, replace(draft.shape, vocabulary=rows))
    features = np.random.default_rng(0).uniform(-1, 1.5, (shape.mel_bins, 2 * shape.audio_positions)).astype(np.float32)
    for number in range(windows + 1):
        script.next()
        for name, decoder in decoders.items():
            if decoder.decode(features) != tuple(script.text):
                raise AssertionError(f"{name}: another text than the script's")
        if not number:
            for decoder in decoders.values():
                decoder.seconds.clear()
    return compared({name: decoder.figures() for name, decoder in decoders.items()}, acceptance, model.threads)


def compared(found: dict[str, dict[str, Any]], acceptance: float, threads: int) -> dict[str, Any]:
    """The figures with `times_alone`, and `ceiling`, the most that the bandwidth of this machine allows."""
    least = {name: each["bytes"] / bandwidth(each["bytes"], threads) for name, each in found.items()}
    for name, each in found.items():
        each["least_pass"] = least[name]
        each["times_alone"] = found[ALONE]["seconds"] / each["seconds"]
        each["ceiling"] = 1.0 if name == ALONE else ceiling(least[ALONE], least[name], acceptance)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("shapes", nargs="+", choices=NAMES, metavar="SHAPE", help=", ".join(NAMES))
    add("--precision", default="int8", choices=("f32", "bf16", "int8", "int4"), help="default: %(default)s")
    add("--acceptance", type=float, default=0.9, help="default: %(default)s")
    add("--windows", type=int, default=5, help="default: %(default)s")
    add("--json", type=Path, metavar="FILE")
    records.add_argument(parser)
    options = parser.parse_args()
    home = TOP / "build" / "benchmarks"
    home.mkdir(parents=True, exist_ok=True)
    result: dict[str, Any] = {
        "machine": {
            "processor": dict(probe.inference_devices()).get("CPU", "") or platform.machine(),
            "cores": os.cpu_count(),
        },
        "precision": options.precision,
        "acceptance": options.acceptance,
        "shapes": {},
    }
    print("{processor}, {cores} cores".format(**result["machine"]))
    for shape in options.shapes:
        with tempfile.TemporaryDirectory(dir=home, ignore_cleanup_errors=True) as folder:
            given = (SHAPES[shape], options.precision, options.acceptance, options.windows, Path(folder))
            try:
                found = probe.ask(partial(replay, *given), 3600.0)
            except Problem as problem:
                print(f"{shape}: {problems.sentence(problem)}", file=sys.stderr)
                return 1
        result["shapes"][shape] = found
        print(f"{shape}, {options.precision}, {options.windows} windows of {TOKENS} tokens, medians:")
        for name, each in found.items():
            print(f"  {name}: {line(name, each)}", flush=True)
        if options.record is not None:
            gained = tuple(found[name]["times_alone"] for name in DRAFTS)
            records.record("replay", f"{shape}, {options.precision}", gained, unit="×", note=options.record)
        if options.json:
            options.json.write_text(json.dumps(result, indent=1) + "\n", "utf-8")
    return 0


def line(name: str, each: dict[str, Any]) -> str:
    """What a person reads of a decoder."""
    least, size = each["least_pass"] * 1000, each["bytes"] / 1e6
    text = f"{each['seconds']:.2f} s a window"
    if name == ALONE:
        passes = each["verification"] * 1000
        return f"{text}, a pass {passes:.1f} ms, of which reading {size:.0f} MB takes {least:.1f}"
    return (
        f"{text}, {each['times_alone']:.2f} × as fast as alone (the bandwidth allows {each['ceiling']:.2f}), "
        f"{each['tokens_per_pass']:.2f} tokens a pass, a draft's pass {each['draft'] * 1000:.1f} ms, of which reading "
        f"{size:.0f} MB takes {least:.1f}"
    )


if __name__ == "__main__":
    sys.exit(main())
