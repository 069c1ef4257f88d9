"""The devices of `--device`: "gpu" for all parts, or "encoder=npu,target=gpu,draft=cpu"."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields

from desktop_app.texts import _

_ON_TORCH = ("cuda", "hpu", "mps", "xpu")
_NAME = re.compile(rf"(auto|cpu|npu)|(gpu|{'|'.join(_ON_TORCH)})(?:[.:](\d+))?")
_DEVICES = ("cpu", "gpu", "npu", "cuda", "auto")  # that are named to everybody


@dataclass(frozen=True)
class Devices:
    """A device for the target's encoder (which the draft shares if theirs are equal), for the target's decoder
    and for the draft."""

    encoder: str = "auto"
    target: str = "auto"
    draft: str = "auto"


def parse(text: str) -> Devices:
    """The devices in a text; what is not named is "auto". ValueError with a sentence for people."""
    if "=" not in text:
        return Devices(*(_device(text) for _part in fields(Devices)))
    found: dict[str, str] = {}
    parts = [field.name for field in fields(Devices)]
    for each in text.split(","):
        part, _sign, device = (side.strip().lower() for side in each.partition("="))
        if part not in parts or part in found:
            raise ValueError(
                _(
                    "{text} is not a part with its device; use {parts}, each once",
                    text=repr(each.strip()),
                    parts=", ".join(parts),
                )
            )
        found[part] = _device(device)
    devices = Devices(**found)
    if (on_torch(devices.encoder) or on_torch(devices.target)) and devices.encoder != devices.target:
        raise ValueError(_("PyTorch runs encoder and target together; choose the same device for both"))
    if on_torch(devices.target) and on_torch(devices.draft) and devices.target != devices.draft:
        raise ValueError(_("two models in PyTorch share one device; choose the same for target and draft"))
    return devices


def on_torch(device: str) -> bool:
    """Whether PyTorch runs what is to run on a device: CUDA, Gaudi (hpu), Metal (mps) or PyTorch's own Intel GPU
    (xpu)."""
    return device.partition(":")[0] in _ON_TORCH


def _device(text: str) -> str:
    """A device by the name that its runtime knows: "gpu.1" is OpenVINO's, "cuda:1" PyTorch's, the first has none."""
    found = _NAME.fullmatch(text.strip().lower())
    if found is None:
        raise ValueError(
            _(
                "{text} is not a device; use one of {devices}, or encoder=DEVICE,target=DEVICE,draft=DEVICE",
                text=repr(text),
                devices=", ".join(_DEVICES),
            )
        )
    alone, several, number = found.groups()
    if alone or not int(number or 0):
        return str(alone or several)
    return f"{several}{'.' if several == 'gpu' else ':'}{int(number)}"


def described(encoder: str, target: str, draft: str | None) -> str:
    """What is in use, in words for people: one name where it is one device."""
    if {encoder, target, draft or target} == {target}:
        return target
    named = {"encoder": encoder, "target": target} | ({"draft": draft} if draft else {})
    return ", ".join(f"{part} {device}" for part, device in named.items())
