"""Folders with OpenVINO's own graphs instead of tensors, as optimum-intel writes them and the hub offers them: whether
they are whole, and of the kind that can be run here.

A graph is a description (.xml) and its numbers (.bin). The description is read as XML, without OpenVINO.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from desktop_app.checkpoints import parts
from desktop_app.problems import Problem

_ENCODER = {"input_features"}
_DECODER = {"input_ids", "encoder_hidden_states"}
_CHOICE = {"beam_idx", "cache_position"}
_MOST_ELEMENTS, _DEEPEST = 2_000_000, 100  # several times what large-v3 has


@dataclass(frozen=True)
class Ir:
    """The descriptions of the two graphs; each has its numbers beside it."""

    encoder: Path
    decoder: Path


@dataclass
class _Description:
    """What counts of a description: of each input its name and those of its first output, whether there is a memory,
    and where the numbers end that it speaks of.
    """

    inputs: list[tuple[str, str]] = field(default_factory=list)
    stateful: bool = False
    end: int = 0


def read_ir(folder: Path) -> Ir | None:
    """The graphs of a folder, checked; None where it has none. Problem says what is missing or of another kind."""
    there = {name for name in parts.GRAPHS if parts.there(folder / name)}
    if not there:
        return None
    parts.whole_graphs(there)
    found = Ir(folder / parts.ENCODER, folder / parts.DECODER)
    for path, description in _descriptions(found).items():
        numbers = path.with_suffix(".bin")
        # Cut off, or with much that no constant is: copying that would fill the disk.
        if not description.end <= numbers.stat().st_size <= 2 * description.end + parts.BLOCK:
            raise Problem("model.damaged", file=numbers.name)
    return found


def check_descriptions(graphs: Ir) -> None:
    """Raise Problem for what is damaged or of another kind in the descriptions of two graphs, of which the numbers need
    not be there.
    """
    _descriptions(graphs)


def _descriptions(graphs: Ir) -> dict[Path, _Description]:
    encoder, decoder = _read(graphs.encoder), _read(graphs.decoder)
    _check_inputs(encoder, graphs.encoder, _ENCODER, set())
    _check_inputs(decoder, graphs.decoder, _DECODER, _CHOICE)
    if not decoder.stateful:
        raise Problem("model.graph", file=graphs.decoder.name, detail="not stateful")
    return {graphs.encoder: encoder, graphs.decoder: decoder}


def _read(path: Path) -> _Description:
    """The description of a graph, element by element, so that no number of them costs memory; Problem where it is
    damaged, or has more elements than any graph of Whisper.
    """
    found, inside, count = _Description(), list[str](), 0
    layers = in_input = False

    def start(name: str, about: dict[str, str]) -> None:
        nonlocal count, layers, in_input
        count += 1
        inside.append(name)
        if count > _MOST_ELEMENTS or len(inside) > _DEEPEST:
            raise ValueError("more than a graph has")
        if inside == ["net", "layers"]:
            layers = True
        if inside == ["net", "layers", "layer"]:
            found.stateful |= about.get("type") == "ReadValue"
            in_input = about.get("type") == "Parameter"
            if in_input:
                found.inputs.append((about.get("name", ""), ""))
        if inside == ["net", "layers", "layer", "output", "port"] and in_input:
            found.inputs[-1] = (found.inputs[-1][0], about.get("names", ""))
            in_input = False  # further ports are not asked
        if inside[-2:] == ["layer", "data"]:
            found.end = max(found.end, int(about.get("offset", 0)) + int(about.get("size", 0)))

    def refuse(*_about: object) -> None:
        raise ValueError("a graph declares no type of document")

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda name: inside.pop()
    parser.StartDoctypeDeclHandler = refuse
    try:
        with path.open("rb") as file:
            parser.ParseFile(file)
    except OSError as error:
        raise Problem("model.not_read", file=path.name, error=error.strerror or str(error)) from error
    except (expat.ExpatError, ValueError) as error:
        raise Problem("model.damaged", file=path.name) from error
    if not layers:
        raise Problem("model.damaged", file=path.name)
    return found


def _check_inputs(found: _Description, path: Path, wanted: Collection[str], allowed: Collection[str]) -> None:
    """Raise Problem unless a graph has these inputs, and no others but the allowed ones."""
    inputs = set()
    for name, names in found.inputs:
        called = (names or name).split(",")
        inputs.add(next((each for each in called if each in wanted or each in allowed), called[0]))
    missing, unknown = sorted(set(wanted) - inputs), sorted(inputs - {*wanted, *allowed})
    if missing:
        raise Problem("model.graph", file=path.name, detail=f"without {missing[0]}")
    if unknown:
        raise Problem("model.graph", file=path.name, detail=unknown[0][:80])
