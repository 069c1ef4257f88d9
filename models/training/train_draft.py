"""The draft's own last stage: encoder and target stand still, the one-layer decoder learns the target's choices.

Windows are those of the target's last stage; the scores to match are the target's.
"""

import json
import time

import torch

from models.training.batches import Batch, Windows
from models.training.network import Decoder, LogMel, Whisper
from models.training.phones import CLASSES
from models.training.settings import WORK, recipe
from models.training.tokenise import Tokens
from models.training.train_target import CHECKPOINT as TARGET
from models.training.train_target import device_of_choice, draft_loss

CHECKPOINT = WORK / "draft.pt"
LOG = WORK / "draft.jsonl"


def step(model: Whisper, draft: Decoder, mel: LogMel, batch: Batch) -> tuple[torch.Tensor, float]:
    """The draft's loss on a batch, and its agreement with the target."""
    with torch.no_grad():
        audio = model.encoder(mel(batch.audio), batch.offsets)
        wanted, _, _ = model.decoder(batch.inputs, audio)
    own, _, _ = draft(batch.inputs, audio)
    distance, agreement = draft_loss(own, wanted, batch.labels)
    return distance, float(agreement)


def main() -> None:
    settings, sizes, tokens, device = recipe()["draft"], recipe()["network"], Tokens.load(), device_of_choice()
    if CHECKPOINT.exists():
        return
    torch.set_num_threads(recipe()["target"]["threads"])
    state = torch.load(TARGET, map_location=device)
    model = Whisper(tokens.size, len(CLASSES), **sizes).to(device)
    model.load_state_dict(state["model"])
    draft = Decoder(tokens.size, sizes["width"], sizes["heads"], 1).to(device)
    draft.load_state_dict(state["draft"])
    stage = {**recipe()["target"]["defaults"], **recipe()["target"]["stages"][-1], **settings["stage"]}
    batches = Windows(tokens, stage, seed=settings["seed"]).stream()
    optimiser = torch.optim.AdamW(draft.parameters(), lr=0.0, betas=(0.9, 0.98), weight_decay=0.0, fused=True)
    mel, began, count, seen = LogMel().to(device), time.monotonic(), 0, []
    while (spent := (time.monotonic() - began) / (settings["minutes"] * 60)) < 1:
        for group in optimiser.param_groups:
            group["lr"] = settings["rate"] * min(1.0, (count + 1) / 30) * (1 - spent)
        with torch.autocast(device.type, torch.bfloat16):
            loss, agreement = step(model, draft, mel, next(batches).to(device))
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(draft.parameters(), 1.0)
        optimiser.step()
        count += 1
        seen.append((float(loss.detach()), agreement))
        if count % 25 == 0:
            means = [round(sum(values) / len(values), 3) for values in zip(*seen, strict=True)]
            line = {"step": count, "share": round(spent, 2), "loss": means[0], "agreement": means[1]}
            with open(LOG, "a") as log:
                log.write(json.dumps(line) + "\n")
            print(json.dumps(line), flush=True)
            seen = []
    torch.save({"draft": draft.state_dict()}, CHECKPOINT)


if __name__ == "__main__":
    main()
