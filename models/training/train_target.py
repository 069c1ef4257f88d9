"""Train the target, and beside it the draft's one-layer decoder, by wall clock through the recipe's legs and stages.

In each leg the rate rises once and declines to nothing; a stage of it says what is heard and which losses count.
Resumes from the last checkpoint: the time already spent is part of it, so a stopped run goes on where it was.
`--from-starter LEG` goes on from the published pair with a later leg (counted from 0; 1 where none is named).
"""

import argparse
import json
import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from torch import Tensor

from desktop_app.training.network import autocast
from models.training.batches import IGNORED, Batch, Windows
from models.training.network import (
    Decoder,
    LogMel,
    Whisper,
    encoder_layers,
    masked,
    other_throats,
    place_times,
    start,
)
from models.training.phones import CLASSES, UNKNOWN
from models.training.settings import STARTER, WORK, recipe
from models.training.tokenise import Tokens

CHECKPOINT = WORK / "target.pt"
LOG = WORK / "target.jsonl"
GUIDED_LAYERS = (0, 1, 2)
GUIDED_HEADS = 2
GUIDE_WIDTH = 5.0
"""Standard deviation of the guide, in frames of 20 ms."""
EXITS = (1,)
NEIGHBOURS = {-2: 0.05, -1: 0.2, 0: 0.5, 1: 0.2, 2: 0.05}
"""How the probability of a time token is spread over times of 20 ms more or less."""


@dataclass
class Run:
    """Everything that a checkpoint keeps. `anchor` are the weights of the pair that was settled on last."""

    model: Whisper
    draft: Decoder
    optimiser: torch.optim.Optimizer
    anchor: dict[str, Tensor] = field(default_factory=dict)
    step: int = 0
    leg: int = 0
    leg_step: int = 0
    leg_spent: float = 0.0

    def pair(self) -> dict[str, Tensor]:
        """The weights that are published: all but those of the phone head, in the tensors that learn."""
        named = {f"model.{name}": value for name, value in self.model.state_dict().items() if "phone_head" not in name}
        return named | {f"draft.{name}": value for name, value in self.draft.state_dict().items()}

    def settle(self, share: float) -> None:
        """Make the pair the mean of itself and the one that was settled on before, of which it takes the rest of
        `share` (WiSE-FT, arXiv:2109.01903): between the two lies what hears noise as the new one and clear voices as
        the old one. Raises ValueError where there is none before.
        """
        if share < 1 and not self.anchor:
            raise ValueError("no pair was settled on before, so there is nothing to take a mean with")
        if share < 1:
            for name, value in self.pair().items():
                value.lerp_(self.anchor[name], 1 - share)
            for state in self.optimiser.state.values():
                state["exp_avg"].zero_()  # the momentum belonged to other weights
        self.anchor = {name: value.clone() for name, value in self.pair().items()}

    def grow(self, layers: int) -> None:
        """Give the encoder so many layers, and both networks a new optimiser; nothing where it has them already."""
        if len(self.model.encoder.layers) == layers:
            return
        self.model.encoder.grow(layers)
        self.optimiser = new_optimiser(self.model, self.draft)
        if self.anchor:
            self.anchor = {name: value.clone() for name, value in self.pair().items()} | self.anchor

    def save(self, path: Path) -> None:
        state = {
            "model": self.model.state_dict(),
            "draft": self.draft.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "anchor": self.anchor,
            "step": self.step,
            "leg": self.leg,
            "leg_step": self.leg_step,
            "leg_spent": self.leg_spent,
        }
        torch.save(state, path.with_suffix(".partial"))
        path.with_suffix(".partial").rename(path)

    def load(self, path: Path, device: torch.device) -> None:
        state = torch.load(path, map_location=device)
        self.grow(encoder_layers(state["model"]))
        self.model.load_state_dict(state["model"])
        self.draft.load_state_dict(state["draft"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.anchor = state["anchor"]
        self.step, self.leg = state["step"], state["leg"]
        self.leg_step, self.leg_spent = state["leg_step"], state["leg_spent"]


def device_of_choice() -> torch.device:
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def build(tokens: Tokens, device: torch.device) -> Run:
    """A fresh run by the recipe's sizes and seed."""
    settings = recipe()
    torch.manual_seed(settings["target"]["seed"])
    sizes = settings["network"]
    model = Whisper(tokens.size, len(CLASSES), **sizes).to(device)
    draft = Decoder(tokens.size, sizes["width"], sizes["heads"], 1).to(device)
    start(draft)
    place_times(model.decoder, tokens.time0)
    return Run(model, draft, new_optimiser(model, draft))


def new_optimiser(model: Whisper, draft: Decoder) -> torch.optim.Optimizer:
    """AdamW for both networks; only matrices decay."""
    matrices = [p for net in (model, draft) for p in net.parameters() if p.ndim >= 2]
    vectors = [p for net in (model, draft) for p in net.parameters() if p.ndim < 2]
    groups = [{"params": matrices, "weight_decay": 0.02}, {"params": vectors, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=0.0, betas=(0.9, 0.98), fused=True)


def take_up_starter(run: Run, leg: int) -> None:
    """Begin with the published pair, and its log, at a later leg. The phone head was not published and learns anew."""
    run.leg = leg
    if (STARTER / "training.jsonl").exists():
        shutil.copy(STARTER / "training.jsonl", LOG)
    for folder, decoder in ((STARTER, run.model.decoder), (STARTER / "draft", run.draft)):
        weights = {
            name.removeprefix("model."): value for name, value in load_file(folder / "model.safetensors").items()
        }
        run.grow(encoder_layers(weights))
        decoder.load_state_dict(
            {name.removeprefix("decoder."): value for name, value in weights.items() if name.startswith("decoder.")}
        )
        run.model.encoder.load_state_dict(
            {name.removeprefix("encoder."): value for name, value in weights.items() if name.startswith("encoder.")}
        )
    run.settle(1.0)


def guide_loss(weights: list[Tensor], centres: Tensor) -> Tensor:
    """How little of the cross-attention [B, H, T, F] falls near the frame where each token is spoken.

    The first guided layer is to find the token just read, the others the one to be written next.
    """
    frames = torch.arange(weights[0].shape[-1], device=centres.device)
    total = centres.new_zeros(())
    for i, layer in enumerate(weights):
        places = F.pad(centres[:, :-1], (1, 0), value=-1.0) if i == 0 else centres
        wanted = places >= 0
        if not wanted.any():
            continue
        near = torch.exp(-0.5 * ((frames - places[..., None]) / GUIDE_WIDTH) ** 2)
        mass = (layer[:, :GUIDED_HEADS].float() * near[:, None]).sum(-1).clamp_min(1e-4)
        total = total - mass.log().mean(1)[wanted].mean() / len(weights)
    return total


def token_loss(scores: Tensor, labels: Tensor, time0: int) -> Tensor:
    """Cross-entropy at the labelled places; a time's neighbours count as partly right."""
    wanted = (labels.flatten() != IGNORED).nonzero().squeeze(1)  # places: a mask's gradient is slow on the CPU
    likely = scores.flatten(0, 1).index_select(0, wanted).float().log_softmax(-1)
    labels = labels.flatten()[wanted]
    steps, shares = labels.new_tensor(list(NEIGHBOURS)), likely.new_tensor(list(NEIGHBOURS.values()))
    is_time = labels[:, None] >= time0
    near = torch.where(is_time, (labels[:, None] + steps).clamp(time0, scores.shape[-1] - 1), labels[:, None])
    return -(likely.gather(1, near) * torch.where(is_time, shares, 1 / len(steps))).sum() / len(labels)


def draft_loss(scores: Tensor, target: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    """Distance of the draft's scores [B, T, V] from the target's at the labelled places, and their agreement."""
    wanted = labels != IGNORED
    own, its = scores[wanted].float(), target[wanted].detach().float()
    distance = F.kl_div(own.log_softmax(-1), its.log_softmax(-1), log_target=True, reduction="batchmean")
    agreement = (own.argmax(-1) == its.argmax(-1)).float().mean()
    return distance + 0.3 * F.cross_entropy(own, labels[wanted]), agreement


def losses(run: Run, batch: Batch, mel: LogMel, stage: dict[str, Any], time0: int) -> tuple[Tensor, dict[str, float]]:
    """The stage's weighted loss and its parts. In a stage of the draft alone the target stands still."""
    with torch.set_grad_enabled(not stage["alone"]):
        heard = mel(batch.audio, batch.ends)
        heard = other_throats(heard, stage["throats"]) if stage["throats"] else heard
        audio = run.model.encoder(masked(heard, stage["masks"]) if stage["masks"] else heard, batch.offsets)
        total, parts, scores = target_losses(run, batch, audio, stage, time0)
    if stage["draft"]:
        own, _, _ = run.draft(batch.inputs, audio.detach())
        distance, parts["agreement"] = draft_loss(own, scores, batch.labels)
        total = stage["draft"] * distance + (0 if stage["alone"] else total)
    return total, {name: float(value.detach()) for name, value in parts.items()}


def target_losses(
    run: Run, batch: Batch, audio: Tensor, stage: dict[str, Any], time0: int
) -> tuple[Tensor, dict[str, Tensor], Tensor]:
    """The target's weighted loss, its parts, and the scores [B, T, V] (empty in a stage without text)."""
    # A published encoder must not be pulled about by a phone head that knows nothing yet.
    phones = run.model.phone_head(audio.detach() if run.leg_step < stage["phones_from"] else audio).float()
    parts = {"phones": F.cross_entropy(phones.flatten(0, 1), batch.phones.flatten(), ignore_index=UNKNOWN)}
    total = stage["phones"] * parts["phones"]
    if not stage["text"]:
        return total, parts, audio.new_zeros(0)
    guided = GUIDED_LAYERS if stage["guide"] else ()
    scores, weights, early = run.model.decoder(batch.inputs, audio, guided, EXITS, stage["skip"])
    parts["text"] = token_loss(scores, batch.labels, time0)
    parts["exit"] = token_loss(early[0], batch.labels, time0)
    total = total + stage["text"] * (parts["text"] + stage["exit"] * parts["exit"])
    if stage["guide"]:
        parts["guide"] = guide_loss(weights, batch.centres)
        total = total + stage["guide"] * parts["guide"]
    return total, parts, scores


def rate_at(step: int, spent: float, leg: dict[str, Any]) -> float:
    """Warm-up by steps, then a straight decline by time to nothing."""
    left = max(0.005, 1 - spent / (60 * leg["minutes"]))
    return float(leg["rate"] * min(1.0, (step + 1) / leg["warm_up"]) * left)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--from-starter", type=int, nargs="?", const=1, metavar="LEG")
    arguments = parser.parse_args()
    settings, tokens, device = recipe()["target"], Tokens.load(), device_of_choice()
    torch.set_num_threads(settings["threads"])
    run, mel = build(tokens, device), LogMel().to(device)
    if CHECKPOINT.exists():
        run.load(CHECKPOINT, device)
        print(f"going on from step {run.step}, leg {run.leg}, {run.leg_spent / 60:.1f} min", flush=True)
    elif arguments.from_starter:
        take_up_starter(run, arguments.from_starter)
    for number in range(run.leg, len(settings["legs"])):
        train_leg(run, mel, settings, number, tokens)


def train_leg(run: Run, mel: LogMel, settings: dict[str, Any], number: int, tokens: Tokens) -> None:
    """Train through a leg's stages, or through what is left of them."""
    leg = settings["legs"][number]
    if "encoder_layers" in leg:
        run.grow(leg["encoder_layers"])
    for stage in leg["stages"]:
        if run.leg_spent < stage["until"] * leg["minutes"] * 60:
            train_stage(run, mel, {**settings["defaults"], **leg.get("defaults", {}), **stage}, leg, tokens, settings)
    run.leg, run.leg_step, run.leg_spent = number + 1, 0, 0.0
    if "share" in leg:
        run.settle(leg["share"])
    run.save(CHECKPOINT)


def train_stage(
    run: Run, mel: LogMel, stage: dict[str, Any], leg: dict[str, Any], tokens: Tokens, settings: dict[str, Any]
) -> None:
    """Train until the stage's share of the leg's time is spent."""
    device = next(run.model.parameters()).device
    windows = Windows(tokens, stage, seed=1000 * settings["seed"] + run.step)
    print(f"leg {run.leg}, {stage['name']}: {sum(map(len, windows.shards))} utterances", flush=True)
    if stage["draft"] and not run.draft.embed_tokens.weight.equal(run.model.decoder.embed_tokens.weight):
        adopt_embeddings(run)
    batches = windows.ahead()
    parameters = [p for group in run.optimiser.param_groups for p in group["params"]]
    earlier = sum(before["minutes"] for before in settings["legs"][: run.leg])
    last, saved, seen = time.monotonic(), time.monotonic(), []
    while run.leg_spent < stage["until"] * leg["minutes"] * 60:
        for group in run.optimiser.param_groups:
            group["lr"] = rate_at(run.leg_step, run.leg_spent, leg)
        batch = next(batches).to(device)
        with autocast(device):
            total, parts = losses(run, batch, mel, stage, tokens.time0)
        run.optimiser.zero_grad()
        total.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        run.optimiser.step()
        run.step += 1
        run.leg_step += 1
        now = time.monotonic()
        run.leg_spent, last = run.leg_spent + now - last, now
        seen.append(parts)
        if run.step % settings["report"] == 0:
            report(run, earlier, stage, seen)
            seen = []
        if now - saved > settings["save_seconds"]:
            run.save(CHECKPOINT)
            saved = time.monotonic()


def adopt_embeddings(run: Run) -> None:
    """The draft starts from the target's embeddings, norms and first layer, at the first leg's first step with it."""
    if run.leg > 0 or run.optimiser.state.get(run.draft.embed_tokens.weight):
        return
    own = run.draft.state_dict()
    own.update({name: value for name, value in run.model.decoder.state_dict().items() if name in own})
    run.draft.load_state_dict(own)


def report(run: Run, earlier: float, stage: dict[str, Any], seen: list[dict[str, float]]) -> None:
    """One line on the terminal and in the log: the means since the last one; `earlier` minutes in the legs before."""
    means = {name: sum(s[name] for s in seen) / len(seen) for name in seen[-1]}
    line = {
        "step": run.step,
        "minutes": round(earlier + run.leg_spent / 60, 2),
        "stage": stage["name"],
        **{name: round(value, 3) for name, value in means.items()},
    }
    with open(LOG, "a") as log:
        log.write(json.dumps(line) + "\n")
    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
