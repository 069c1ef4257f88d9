"""The draft's own training: the finished target writes over training windows, the one-layer decoder learns its choices.

It is the trainer of `galley models train-draft` (`desktop_app/training`), fed with synthetic windows and begun from the
draft that was trained alongside the target. Of the two the one is kept of which the target accepts more. `--compare M`
trains with every loss for M minutes and prints a table.
"""

import argparse
import json
import random
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch

from desktop_app.checkpoints.folder import read
from desktop_app.runtimes import openvino
from desktop_app.training import distil, weights
from desktop_app.training.distil import LOSSES, Settings
from desktop_app.training.draft import beginning
from desktop_app.training.labels import Labeller
from desktop_app.training.network import Decoder
from models.training import export
from models.training.batches import Windows
from models.training.evaluate import examples, full_windows
from models.training.listening import Counts, Listener
from models.training.sample import held_out_clips
from models.training.settings import WORK, recipe
from models.training.tokenise import Tokens
from models.training.train_target import CHECKPOINT as TARGET
from models.training.train_target import device_of_choice

CHECKPOINT = WORK / "draft.pt"
PAIR = WORK / "pair"
LABELS = WORK / "draft-labels"
STATE = WORK / "draft-state.pt"


def newest_pair() -> Path:
    """The newest checkpoint of the target as a folder. What was made from an older one is deleted."""
    weights_file = PAIR / "model.safetensors"
    if not weights_file.exists() or weights_file.stat().st_mtime < TARGET.stat().st_mtime:
        for old in (PAIR, LABELS):
            shutil.rmtree(old, ignore_errors=True)
        STATE.unlink(missing_ok=True)
        export.export(PAIR)
    return PAIR


class Tenths:
    """Tells progress, a line every tenth of the way."""

    def __init__(self) -> None:
        self._last = 0

    def __call__(self, what: str, done: float, total: float) -> None:
        tenth = int(10 * done / total)
        if tenth > self._last:
            print(f"{what}: {tenth * 10}%", flush=True)
        self._last = tenth


def stretches(settings: dict[str, Any], first: int) -> Iterator[np.ndarray]:
    """Audio without end from the `first` stretch on: one short window, or two minutes of full ones."""
    target = recipe()["target"]
    leg = target["legs"][-1]
    stage = {**target["defaults"], **leg["defaults"], **leg["stages"][-1], **settings["stage"]}
    windows = Windows(Tokens.load(), stage, settings["seed"])
    for number in range(first, 1 << 30):
        rng = random.Random(f"{settings['seed']} {number}")
        windows.rng, windows.noise = rng, np.random.default_rng(rng.randrange(1 << 30))
        if rng.random() < settings["short"]:
            yield windows.draw(rng.randint(4, 8)).audio
        else:
            yield np.concatenate([windows.draw(30).audio for _ in range(4)])


def label(pair: Path, folder: Path, settings: dict[str, Any]) -> list[Path]:
    """The labels of the recipe's number of windows; what is there already is kept."""
    folder.mkdir(parents=True, exist_ok=True)
    told, markers = Tenths(), sorted(folder.glob("*.done"))
    files = sorted(folder.glob("*.npz"))
    if len(files) < settings["windows"]:
        target = read(pair)
        labeller = Labeller(target, openvino.load(target, precision=settings["precision"]), "en")
        for number, audio in enumerate(stretches(settings, len(markers)), len(markers)):
            for i, labels in enumerate(labeller.stretch(audio)):
                labels.save(folder / f"{number:06}-{i}.npz")
            (folder / f"{number:06}.done").touch()
            files = sorted(folder.glob("*.npz"))
            told("the target writes", min(len(files), settings["windows"]), settings["windows"])
            if len(files) >= settings["windows"]:
                break
    return files


def start(pair: Path) -> Decoder:
    """The draft as it was trained alongside the target."""
    return beginning(read(pair / "draft"), 1).to(device_of_choice())


def written(pair: Path, draft: Decoder, name: str) -> Path:
    """The draft as a folder of its own."""
    folder = WORK / "drafts" / name.replace(" ", "-")
    folder.mkdir(parents=True, exist_ok=True)
    weights.write(read(pair / "draft"), draft, [0], folder)
    return folder


def accepted(pair: Path, made: dict[str, Path]) -> Iterator[tuple[str, Counts]]:
    """What the target accepts of each of these drafts, on held-out clips that the card does not use."""
    clips = list(held_out_clips(40, 0, seed=recipe()["draft"]["seed"]))
    audio = [each.audio for each in (*examples(clips[:25]), *full_windows(clips[25:], 4))]
    listener = Listener(pair, made)
    for name in made:
        yield name, Counts([said.figures for said in listener.hear(audio, name)])


def compare(pair: Path, files: list[Path], minutes: float, settings: dict[str, Any]) -> list[str]:
    """Every loss for the same minutes of processor time from the same start: lines of a table."""
    rows = [
        "| loss | agreement, held-back windows | accepted, look-ahead 4 | tokens a pass |",
        "| --- | ---: | ---: | ---: |",
    ]
    made = {"as it was": pair / "draft"}
    agreed = {"as it was": distil.agreement(start(pair), distil.split(files)[1], 12, device_of_choice())}
    for name in LOSSES:
        draft, state = start(pair), WORK / f"compare-{name.replace(' ', '-')}.pt"
        wanted = Settings(minutes, settings["rate"], settings["batch"], name)
        agreed[name] = distil.train(draft, files, wanted, state, Tenths(), time.process_time)
        made[name] = written(pair, draft, name)
    for name, counts in accepted(pair, made):
        rows.append(f"| {name} | {agreed[name]:.1%} | {counts.acceptance:.1%} | {counts.tokens_per_pass:.2f} |")
        print(rows[-1], flush=True)
    return rows


def better(pair: Path, draft: Decoder) -> Decoder:
    """Of this draft and the one trained alongside the target the one of which the target accepts more."""
    made = {"alongside the target": pair / "draft", "on the target's text": written(pair, draft, "own")}
    shares = {name: counts.acceptance for name, counts in accepted(pair, made)}
    print(", ".join(f"{name}: {share:.1%} accepted" for name, share in shares.items()), flush=True)
    return draft if shares["on the target's text"] > shares["alongside the target"] else start(pair)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pair", type=Path, help="label and begin with this pair (default: the newest checkpoint)")
    parser.add_argument("--compare", type=float, metavar="M", help="train with each loss for M minutes, print a table")
    arguments, settings = parser.parse_args(), recipe()["draft"]
    if CHECKPOINT.exists() and not arguments.compare:
        return
    torch.set_num_threads(1 if arguments.compare else recipe()["target"]["threads"])
    pair = arguments.pair or newest_pair()
    files = label(pair, LABELS, settings)
    if arguments.compare:
        print("\n".join(compare(pair, files, arguments.compare, settings)))
        return
    draft = start(pair)
    wanted = Settings(settings["minutes"], settings["rate"], settings["batch"], settings["loss"], settings["seed"])
    agreement = distil.train(draft, files, wanted, STATE, Tenths())
    print(json.dumps({"windows": len(files), "agreement": round(agreement, 4)}), flush=True)
    state = {name: value for name, value in better(pair, draft).state_dict().items() if name != "head.weight"}
    torch.save({"draft": state}, CHECKPOINT)


if __name__ == "__main__":
    main()
