"""Folders with OpenVINO's own graphs instead of tensors, as optimum-intel writes them and the hub offers them: whether
they are whole, and of the kind that can be run here.

A graph is a description (.xml) and its numbers (.bin). The description is read as XML, without OpenVINO.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from desktop_app.checkpoints import parts
from desktop_app.problems import Problem

_ENCODER = {"input_features"}
_DECODER = {"input_ids", "encoder_hidden_states"}
_CHOICE = {"beam_idx", "cache_position"}


@dataclass(frozen=True)
class Ir:
    """The descriptions of the two graphs; each has its numbers beside it."""

    encoder: Path
    decoder: Path


def read_ir(folder: Path) -> Ir | None:
    """The graphs of a folder, checked; None where it has none. Problem says what is missing or of another kind."""
    there = {name for name in parts.GRAPHS if (folder / name).is_file()}
    if not there:
        return None
    parts.whole_graphs(there)
    found = Ir(folder / parts.ENCODER, folder / parts.DECODER)
    for path, net in read_descriptions(found).items():
        _check_numbers(path, net)
    return found


def read_descriptions(graphs: Ir) -> dict[Path, ElementTree.Element]:
    """The descriptions of two graphs, of which the numbers need not be there. Problem says what is damaged or of
    another kind.
    """
    encoder, decoder = _description(graphs.encoder), _description(graphs.decoder)
    _inputs(encoder, graphs.encoder, _ENCODER, set())
    _inputs(decoder, graphs.decoder, _DECODER, _CHOICE)
    if decoder.find("layers/layer[@type='ReadValue']") is None:
        raise Problem("model.graph", file=graphs.decoder.name, detail="not stateful")
    return {graphs.encoder: encoder, graphs.decoder: decoder}


def _description(path: Path) -> ElementTree.Element:
    """The description of a graph; Problem where it is damaged."""
    try:
        net = ElementTree.parse(path).getroot()
    except OSError as error:
        raise Problem("model.not_read", file=path.name, error=error.strerror or str(error)) from error
    except ElementTree.ParseError as error:
        raise Problem("model.damaged", file=path.name) from error
    if net.tag != "net" or net.find("layers") is None:
        raise Problem("model.damaged", file=path.name)
    return net


def _check_numbers(path: Path, net: ElementTree.Element) -> None:
    """Raise Problem where the numbers of a graph are cut off."""
    numbers = path.with_suffix(".bin")
    try:
        ends = [int(data.get("offset", 0)) + int(data.get("size", 0)) for data in net.iterfind(".//layer/data")]
    except ValueError as error:
        raise Problem("model.damaged", file=path.name) from error
    if numbers.stat().st_size < max(ends, default=0):
        raise Problem("model.damaged", file=numbers.name)


def _inputs(net: ElementTree.Element, path: Path, wanted: Collection[str], allowed: Collection[str]) -> None:
    """Raise Problem unless a graph has these inputs, and no others but the allowed ones."""
    found = set()
    for layer in net.iterfind("layers/layer[@type='Parameter']"):
        port = layer.find("output/port")
        named = port.get("names") if port is not None else None
        names = (named or layer.get("name") or "").split(",")
        found.add(next((name for name in names if name in wanted or name in allowed), names[0]))
    missing, unknown = sorted(set(wanted) - found), sorted(found - {*wanted, *allowed})
    if missing:
        raise Problem("model.graph", file=path.name, detail=f"without {missing[0]}")
    if unknown:
        raise Problem("model.graph", file=path.name, detail=unknown[0])
