"""Train the speaker network on synthetic speakers, measure it on those kept back, and export it.

One thread and an hour are enough. The budgets of the recipe's legs are processor time, so other work on the computer
does not shorten them; a stopped run goes on from its last checkpoint. `--from FOLDER` leaves out the first leg and goes
on from the network that was exported there.
"""

import argparse
import json
import math
import random
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from desktop_app.training.network import autocast
from models.training.rooms import disturb
from models.training.settings import STARTER, WORK, recipe
from models.training.speaker_network import AngularMargin, FilterBanks, SpeakerNetwork, export, unfolded
from models.training.synthesise import speak
from models.training.text import Sentence, all_sentences, held_out
from models.training.voices import RATE, Espeak, Voice, held_out_speakers, speakers

LOG = WORK / "speakers.jsonl"
PIECE = 3
"""Seconds of a piece that is measured."""


@dataclass(frozen=True)
class Speaker:
    """A voice and what it said: int16 at 16 kHz, one utterance after another, and where each begins."""

    voice: Voice
    audio: np.ndarray
    starts: tuple[int, ...]

    def piece(self, samples: int, rng: np.random.Generator) -> np.ndarray:
        """`samples` from anywhere in it, float32."""
        start = int(rng.integers(0, max(1, len(self.audio) - samples)))
        return np.resize(self.audio[start : start + samples], samples).astype(np.float32) / 32768


def record(name: str, voices: list[Voice], utterances: int, sentences: list[Sentence], seed: int) -> list[Speaker]:
    """Let every voice say `utterances` sentences; the result is kept in `NAME.npz` for the next time."""
    path = WORK / f"{name}.npz"
    if not path.exists():
        rng, espeak = random.Random(seed), Espeak()
        spoken: dict[str, np.ndarray] = {}
        for i, voice in enumerate(voices):
            said = []
            while len(said) < utterances:
                changed = replace(voice, speed=rng.randint(135, 190), pitch=voice.pitch + rng.randint(-4, 4))
                made = speak(espeak, rng.choice(sentences).text, changed)
                if made is not None:
                    said.append((made.audio * 32767).astype("<i2"))
            spoken[f"audio{i}"] = np.concatenate(said)
            spoken[f"starts{i}"] = np.cumsum([0, *map(len, said[:-1])])
        WORK.mkdir(parents=True, exist_ok=True)
        np.savez(path, **spoken)  # type: ignore[arg-type]
    with np.load(path) as kept:
        return [Speaker(v, kept[f"audio{i}"], tuple(kept[f"starts{i}"])) for i, v in enumerate(voices)]


def short_sentences() -> tuple[list[Sentence], list[Sentence]]:
    """Plain sentences of a few seconds: those to train on, and those held out."""
    short = [s for s in all_sentences() if s.plain and 5 <= len(s.text.split()) <= 12]
    return [s for s in short if not held_out(s.text)], [s for s in short if held_out(s.text)]


def pieces(everyone: list[Speaker], rng: np.random.Generator, settings: dict[str, Any]) -> tuple[torch.Tensor, ...]:
    """A batch of pieces of one length: audio [N, samples] and who speaks [N]."""
    samples = int(rng.choice(settings["seconds"]) * RATE)
    who = rng.choice(len(everyone), settings["batch"], replace=False)
    clean = [everyone[i].piece(samples, rng) for i in who]
    heard = [
        disturb(piece, rng, rng.uniform(0.2, 1.0), clean) if rng.random() < settings["disturbed"] else piece
        for piece in clean
    ]
    return torch.from_numpy(np.stack(heard)), torch.from_numpy(who)


@torch.inference_mode()
def vectors(network: SpeakerNetwork, banks: FilterBanks, audio: np.ndarray) -> np.ndarray:
    """Unit vectors [N, 128] of pieces [N, samples]."""
    network.eval()
    parts = [network(banks(torch.from_numpy(part))) for part in np.array_split(audio, max(1, len(audio) // 32))]
    return torch.cat(parts).float().numpy()


def equal_error_rate(same: np.ndarray, different: np.ndarray) -> tuple[float, float]:
    """Where as many pairs of one speaker fall below a threshold as pairs of two rise above it: (rate, threshold)."""
    likeness = np.concatenate([same, different])
    order = np.argsort(likeness)
    is_same = np.concatenate([np.ones(len(same)), np.zeros(len(different))])[order]
    missed = np.cumsum(is_same) / len(same)
    false = 1 - np.cumsum(1 - is_same) / len(different)
    at = int(np.argmin(np.abs(missed - false)))
    return float(missed[at] + false[at]) / 2, float(likeness[order][at])


def held_out_pieces(everyone: list[Speaker], strength: float, seed: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Pieces of 3 s that begin with a sentence of their own: [N, samples], and who speaks [N]."""
    rng, samples = np.random.default_rng(seed), PIECE * RATE
    found = []
    for number, speaker in enumerate(everyone):
        taken = 0
        for start in speaker.starts:  # sentences that the piece before did not reach
            piece = speaker.audio[start : start + samples]
            if start >= taken and len(piece) == samples:
                found.append((piece.astype(np.float32) / 32768, number))
                taken = start + samples
    clean = [piece for piece, _ in found]
    heard = [disturb(piece, rng, strength, clean) for piece in clean]
    return np.stack(heard), np.array([number for _, number in found])


def measure(network: SpeakerNetwork, banks: FilterBanks, everyone: list[Speaker]) -> dict[str, Any]:
    """Equal error rates on the speakers kept back, all pairs of pieces: clean, and through rooms and noise."""
    result: dict[str, Any] = {"speakers": len(everyone)}
    for name, strength in (("clean", 0.0), ("disturbed", 0.7)):
        audio, who = held_out_pieces(everyone, strength)
        found = vectors(network, banks, audio)
        likeness, upper = found @ found.T, np.triu_indices(len(found), 1)
        same = (who[:, None] == who)[upper]
        rate, threshold = equal_error_rate(likeness[upper][same], likeness[upper][~same])
        result[name] = {"equal_error_rate": round(rate, 4), "threshold": round(threshold, 3), "pieces": len(found)}
    return result


def begun(network: SpeakerNetwork, everyone: list[Speaker], settings: dict[str, Any]) -> AngularMargin:
    """A margin whose centres are where a trained network hears these speakers, so that it need not learn them anew."""
    margin, rng, samples = AngularMargin(len(everyone)), np.random.default_rng(settings["seed"]), 2 * RATE
    heard = [vectors(network, FilterBanks(), np.stack([s.piece(samples, rng) for s in everyone])) for _ in range(2)]
    margin.centres.data.copy_(torch.from_numpy(sum(heard)))
    return margin


def train(
    network: SpeakerNetwork, margin: AngularMargin, everyone: list[Speaker], settings: dict[str, Any], checkpoint: Path
) -> None:
    """Train until the leg's budget of processor time is spent."""
    banks = FilterBanks()
    parameters = [*network.parameters(), *margin.parameters()]
    optimiser = torch.optim.AdamW(parameters, lr=0.0, weight_decay=0.05, fused=True)
    spent, steps, budget = 0.0, 0, settings["minutes"] * 60
    if checkpoint.exists():
        state = torch.load(checkpoint)
        network.load_state_dict(state["network"])
        margin.load_state_dict(state["margin"])
        optimiser.load_state_dict(state["optimiser"])
        spent, steps = state["spent"], state["steps"]
    rng, last, saved, seen = np.random.default_rng(settings["seed"] + steps), time.process_time(), spent, []
    network.train()
    while spent < budget:
        share = spent / budget
        for group in optimiser.param_groups:
            group["lr"] = (
                settings["rate"] * min(1, (steps + 1) / 100) * (0.01 + 0.99 * math.cos(share * math.pi / 2) ** 2)
            )
        audio, who = pieces(everyone, rng, settings)
        with autocast(torch.device("cpu")):
            found = network(banks(audio))
        loss, right = margin(found, who, settings["margin"] * min(1.0, 3 * share))
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 5.0)
        optimiser.step()
        steps += 1
        now = time.process_time()
        spent, last = spent + now - last, now
        seen.append((float(loss.detach()), float(right)))
        if steps % 50 == 0:
            means = [round(sum(values) / len(values), 3) for values in zip(*seen, strict=True)]
            line = {"step": steps, "minutes": round(spent / 60, 2), "loss": means[0], "right": means[1]}
            with open(LOG, "a") as log:
                log.write(json.dumps(line) + "\n")
            print(json.dumps(line), flush=True)
            seen = []
        if spent - saved > 20 or spent >= budget:
            state = {"network": network.state_dict(), "margin": margin.state_dict(), "spent": spent, "steps": steps}
            torch.save({**state, "optimiser": optimiser.state_dict()}, checkpoint.with_suffix(".partial"))
            checkpoint.with_suffix(".partial").rename(checkpoint)
            saved = spent


def trained(start: Path | None, sentences: list[Sentence], settings: dict[str, Any]) -> SpeakerNetwork:
    """The network after all legs of the recipe; with a `start`, after those behind the first."""
    network = SpeakerNetwork()
    for number, leg in enumerate(settings["legs"], 1):
        if number == 1 and start:
            continue
        leg, seed, checkpoint = settings | leg, settings["seed"] + 100 * (number - 1), WORK / f"speakers-{number}.pt"
        if checkpoint.exists() and torch.load(checkpoint)["spent"] >= leg["minutes"] * 60:
            network.load_state_dict(torch.load(checkpoint)["network"])
            continue
        everyone = record(f"speakers-{number}", speakers(leg["count"], seed), leg["utterances"], sentences, seed)
        if number == 2 and start:
            heard, _ = pieces(everyone, np.random.default_rng(seed), leg | {"batch": 512})
            network = unfolded(start, FilterBanks()(heard))
        fresh = number == 1 or checkpoint.exists()
        margin = AngularMargin(len(everyone)) if fresh else begun(network, everyone, leg)
        train(network, margin, everyone, leg, checkpoint)
    return network


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=STARTER)
    parser.add_argument("--from", dest="start", type=Path, metavar="FOLDER", help="go on from an exported network")
    arguments, settings = parser.parse_args(), recipe()["speakers"]
    torch.set_num_threads(1)
    torch.manual_seed(settings["seed"])
    sentences, other = short_sentences()
    network = trained(arguments.start, sentences, settings)
    kept = record("speakers-held-out", held_out_speakers(), settings["held_out"], other, settings["seed"] + 1)
    found = measure(network, FilterBanks(), kept)
    size = export(network.eval(), arguments.folder, found["disturbed"]["threshold"], settings["clustering"], found)
    print(f"speakers.safetensors: {size / 1e6:.2f} MB; {json.dumps(found)}")


if __name__ == "__main__":
    main()
