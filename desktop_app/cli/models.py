"""`galley models`: which models there are, fetching them, adding them from a folder, checking and removing them."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from desktop_app.checkpoints import catalogue, choice, download, installed, speaker_networks
from desktop_app.checkpoints.catalogue import Entry
from desktop_app.checkpoints.installed import Installed
from desktop_app.checkpoints.problem import ModelProblem
from desktop_app.checkpoints.speaker_networks import SpeakerNetwork
from desktop_app.cli import train_draft
from desktop_app.cli.transcribe import DONE, FAILED, INTERRUPTED, USAGE, shown

if TYPE_CHECKING:
    from rich.progress import Progress as Bar


def run(arguments: argparse.Namespace) -> int:
    """Do one of the actions; gives the exit status: 1 if it did not work, 2 if nothing can be meant by the name."""
    if arguments.action == "train-draft":
        return train_draft.run(arguments)
    action = {
        "list": _list,
        "download": _download,
        "add": _add,
        "verify": _verify,
        "remove": _remove,
        "convert": _convert,
    }
    return action[arguments.action](arguments)


class _Screen:
    """Progress on standard error where that is a terminal; used by `with`."""

    def __init__(self) -> None:
        self._bar: Bar | None = None

    def __enter__(self) -> _Screen:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

            columns = (TextColumn("{task.description}", markup=False), BarColumn(bar_width=24), DownloadColumn())
            self._bar = Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True)
            self._bar.add_task("", total=None)
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, what: str, done: int, total: int) -> None:
        """What is being done, and how many bytes of how many."""
        if self._bar is not None:
            task = self._bar.tasks[0].id
            self._bar.update(task, description=what, completed=done, total=total or None)


def _say(sentence: str) -> None:
    sys.stderr.write(f"{sentence}\n")
    sys.stderr.flush()


def _fail(name: str, problem: ModelProblem, status: int = FAILED) -> int:
    _say(f"{shown(name)}: {problem.reason}; {problem.remedy}")
    return status


def _download(arguments: argparse.Namespace) -> int:
    name: str = arguments.name
    network = speaker_networks.find(name)
    if network is not None:
        return _download_network(network, arguments.mirror)
    try:
        entry = download.entry_for(name)
    except ModelProblem as problem:
        return _fail(name, problem, USAGE)
    try:
        with _Screen() as screen:
            model = download.download(name, arguments.mirror, progress=screen.show)
    except ModelProblem as problem:
        return _fail(entry.name, problem)
    except OSError as error:
        return _fail(entry.name, installed.disk_problem(error))
    except KeyboardInterrupt:
        _say("Interrupted: what has arrived is kept; the same command goes on from there.")
        return INTERRUPTED
    _say(f"{model.name} is installed ({_size(model.bytes)}): galley transcribe FILE --target {model.name}")
    for sentence in _about_drafts(entry):
        _say(sentence)
    return DONE


def _download_network(entry: SpeakerNetwork, mirror: str) -> int:
    try:
        with _Screen() as screen:
            download.download_network(entry, mirror, progress=screen.show)
    except ModelProblem as problem:
        return _fail(entry.name, problem)
    except OSError as error:
        return _fail(entry.name, installed.disk_problem(error))
    except KeyboardInterrupt:
        _say("Interrupted: what has arrived is kept; the same command goes on from there.")
        return INTERRUPTED
    _say(
        f"{entry.name} is installed: galley transcribe FILE --speakers auto uses it. {entry.credit} ({entry.licence})."
    )
    other = next((each for each in speaker_networks.entries() if not speaker_networks.is_installed(each)), None)
    if other is not None:
        _say(f"The other half of the pair: galley models download {other.name}.")
    return DONE


def _about_drafts(entry: Entry) -> list[str]:
    """What a reader should know about the drafts of a model that was just installed."""
    if entry.note:
        return [entry.note]
    here = installed.names()
    ready = [name for name in entry.drafts if name in here]
    if ready:
        return [f"{' and '.join(ready)} will draft for it."]
    offered = [f"galley models download {draft.name} ({_languages(draft)})" for draft in catalogue.worth_having(entry)]
    return [f"A draft makes it faster and changes no word: {', or '.join(offered)}."] if offered else []


def _add(arguments: argparse.Namespace) -> int:
    source = Path(arguments.folder).expanduser()
    target: str = arguments.draft_of
    try:
        if target and target not in installed.names():
            raise ModelProblem(f"{target} is not installed", "add it first, then its draft")
        if source.parent.resolve() == installed.home().resolve():
            name = source.name  # it is installed already, and only to be the draft of another
        else:
            with _Screen() as screen:
                name = installed.add(source, arguments.name, screen.show).name
            _say(f"{name} is installed: the folder you gave is no longer needed.")
        if target:
            choice.register_draft(target, name)
            _say(f"{name} will draft for {target}.")
    except ModelProblem as problem:
        return _fail(arguments.folder, problem)
    except OSError as error:
        return _fail(arguments.folder, installed.disk_problem(error))
    except KeyboardInterrupt:
        _say("Interrupted: nothing was installed.")
        return INTERRUPTED
    return DONE


def _convert(arguments: argparse.Namespace) -> int:
    from desktop_app.engine import convert

    folder = Path(arguments.to).expanduser()
    sounds = Path(arguments.calibrate).expanduser() if arguments.calibrate else None
    try:
        convert.convert(arguments.model, folder, sounds, _say)
    except ModelProblem as problem:
        return _fail(arguments.model, problem)
    except OSError as error:
        return _fail(arguments.model, installed.disk_problem(error))
    except KeyboardInterrupt:
        _say("Interrupted: nothing was written.")
        return INTERRUPTED
    _say(f"{folder} is ready: galley transcribe FILE --target FOLDER, or galley models add FOLDER")
    return DONE


def _verify(arguments: argparse.Namespace) -> int:
    wanted = [arguments.name] if arguments.name else list(installed.names())
    status = DONE
    for name in wanted:
        network = speaker_networks.find(name)
        try:
            with _Screen() as screen:
                compared = speaker_networks.verify(network) if network else installed.verify(name, screen.show)
        except ModelProblem as problem:
            status = _fail(name, problem, FAILED if name in installed.names() else USAGE)
        except OSError as error:
            status = _fail(name, installed.disk_problem(error))
        else:
            what = "every byte is as it was installed" if compared else "it can be read; no hashes to compare with"
            sys.stdout.write(f"{name}: {what}\n")
    return status


def _remove(arguments: argparse.Namespace) -> int:
    name: str = arguments.name
    network = speaker_networks.find(name)
    if network is not None:
        try:
            speaker_networks.remove(network)
        except ModelProblem as problem:
            return _fail(name, problem)
        except OSError as error:
            return _fail(name, installed.disk_problem(error))
        _say(f"{name} is removed.")
        return DONE
    known = name in installed.names() or name in installed.unfinished()
    try:
        installed.remove(name)
    except ModelProblem as problem:
        return _fail(name, problem, FAILED if known else USAGE)
    except OSError as error:
        return _fail(name, installed.disk_problem(error))
    _say(f"{name} is removed.")
    return DONE


def _list(arguments: argparse.Namespace) -> int:
    here, begun = installed.models(), installed.unfinished()
    names = {model.name for model in here}
    offered = [entry for entry in catalogue.entries() if entry.name not in names]
    if arguments.json:
        whole = {
            "installed": [_installed_json(model) for model in here],
            "default": choice.best(),
            "speaker_networks": [
                dataclasses.asdict(network) | {"installed": speaker_networks.is_installed(network)}
                for network in speaker_networks.entries()
            ],
            "available": [_entry_json(entry, begun.get(entry.name, 0)) for entry in offered],
        }
        sys.stdout.write(json.dumps(whole, indent=1, ensure_ascii=False) + "\n")
        return DONE
    best = choice.best()
    rows = [[model.name, _size(model.bytes), model.origin, _use(model, best)] for model in here]
    lines = ["Installed:", *_table(rows), "", "galley models download NAME fetches one of these:"]
    lines += _table([_row(entry, begun.get(entry.name, 0)) for entry in offered])
    lines += ["", "Networks that tell speakers apart, both together:"]
    lines += _table([_network_row(network) for network in speaker_networks.entries()])
    lines += ["", "Size of the download; memory at full precision and with int8, estimated."]
    sys.stdout.write("\n".join(lines) + "\n")
    return DONE


def _row(entry: Entry, begun: int) -> list[str]:
    size = _size(entry.download) if entry.download else "?"
    memory = f"{_size(entry.memory('f32'))} / {_size(entry.memory('int8'))}"
    drafts = ", ".join(draft.name for draft in catalogue.worth_having(entry))
    state = f"{_size(begun)} are here" if begun else f"drafts: {drafts}" if drafts else ""
    return [entry.name, size, memory, _languages(entry), entry.licence, state]


def _network_row(entry: SpeakerNetwork) -> list[str]:
    here = speaker_networks.is_installed(entry)
    state = "comes with Galley" if speaker_networks.bundled(entry).is_file() else "installed" if here else ""
    return [entry.name, _size(entry.bytes), entry.licence, entry.credit, state]


def _table(rows: list[list[str]]) -> list[str]:
    """Rows with their columns under each other."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))] if rows else []
    return [
        "  " + "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]


def _use(model: Installed, best: str) -> str:
    return "used where none is chosen" if model.name == best else ""


def _installed_json(model: Installed) -> dict[str, Any]:
    return {
        "name": model.name,
        "folder": str(model.folder),
        "bytes": model.bytes,
        "repository": model.repository,
        "revision": model.revision,
    }


def _entry_json(entry: Entry, begun: int) -> dict[str, Any]:
    return {
        "name": entry.name,
        "repository": entry.repository,
        "revision": entry.revision,
        "languages": list(entry.languages),
        "licence": entry.licence,
        "parameters": entry.parameters,
        "download_bytes": entry.download or None,
        "memory_bytes": {precision: entry.memory(precision) for precision in catalogue.MEMORY},
        "drafts": list(entry.drafts),
        "note": entry.note,
        "arrived_bytes": begun,
    }


def _languages(entry: Entry) -> str:
    return "every language" if entry.knows("auto") else ", ".join(entry.languages)


def _size(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{max(count, 1) / 1e6:.0f} MB"
