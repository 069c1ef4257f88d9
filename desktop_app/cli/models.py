"""`galley models`: which models there are, downloading them, adding them from a folder, checking and removing them."""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from desktop_app import printing, private
from desktop_app.app.presentation import problems, stages
from desktop_app.app.presentation.wording import servers, size
from desktop_app.checkpoints import catalogue, choice, download, installed, speaker_networks
from desktop_app.checkpoints.catalogue import CatalogueEntry
from desktop_app.checkpoints.installed import Installed
from desktop_app.checkpoints.speaker_networks import SpeakerNetwork
from desktop_app.cli import train_draft
from desktop_app.cli.interrupts import INTERRUPTED
from desktop_app.cli.screen import Screen
from desktop_app.cli.transcribe import DONE, FAILED, USAGE
from desktop_app.engine import model_list, model_work
from desktop_app.messages.model_work import Add, Convert, Verify
from desktop_app.problems import Problem
from desktop_app.texts import N_, _

_CONVERTING = {"reading": N_("Reading the recordings"), "quantising": N_("Quantising")}


def run(arguments: argparse.Namespace) -> int:
    """Do one of the actions; gives the exit status: 1 if it did not work, 2 if nothing can be meant by the name."""
    if arguments.action == "list":
        return _list(arguments)
    actions: dict[str, tuple[Callable[[argparse.Namespace, Screen], int | None], str]] = {
        "download": (_download, N_("Interrupted. Repeat the command to resume the download.")),
        "add": (_add, N_("Interrupted. Nothing was installed.")),
        "train-draft": (train_draft.run, N_("Interrupted. Repeat the command to resume the training.")),
        "verify": (_verify, N_("Interrupted. Nothing was changed.")),
        "remove": (_remove, N_("Interrupted. Nothing was changed.")),
        "convert": (_convert, N_("Interrupted. Nothing was written.")),
    }
    action, interrupted = actions[arguments.action]
    with Screen() as screen:
        try:
            return action(arguments, screen) or DONE
        except BrokenPipeError:  # the reader of the output has enough
            raise
        except (Problem, OSError) as error:
            return _fail(screen, arguments.subject, error)
        except train_draft.UnknownName as unknown:
            return _fail(screen, arguments.subject, unknown.problem, USAGE)
        except KeyboardInterrupt:
            screen.say(_(interrupted))
            return INTERRUPTED


def _fail(screen: Screen, name: str, error: Problem | OSError, status: int = FAILED) -> int:
    problem = error if isinstance(error, Problem) else installed.disk_problem(error)
    screen.say(f"{printing.one_line(name)}: {problems.sentence(problem)}")
    return status


def _download(arguments: argparse.Namespace, screen: Screen) -> None:
    name: str = arguments.subject
    network = speaker_networks.find(name)
    if network is not None:
        _download_network(network, arguments.mirror, screen)
        return
    try:
        entry = download.entry_for(name)
    except Problem as problem:
        raise train_draft.UnknownName(problem) from problem
    arguments.subject = entry.name  # what is said of it from now on
    _name_servers(arguments.mirror, screen)
    model = download.download(name, arguments.mirror, progress=screen.show_bytes)
    screen.say(
        _(
            "{name} is installed ({size}). Use it: galley transcribe FILE --target {name}",
            name=model.name,
            size=size(model.bytes),
        )
    )
    for sentence in _about_drafts(entry):
        screen.say(sentence)


def _download_network(entry: SpeakerNetwork, mirror: str, screen: Screen) -> None:
    _name_servers(mirror, screen)
    download.download_network(entry, mirror, progress=screen.show_bytes)
    screen.say(_("{name} is installed. Use it: galley transcribe FILE --speakers auto", name=entry.name))
    screen.say(f"{entry.credit} ({entry.licence})")
    other = next((each for each in speaker_networks.entries() if not speaker_networks.is_installed(each)), None)
    if other is not None:
        screen.say(
            _(
                "Both speaker networks are needed. Download the other one: galley models download {name}",
                name=other.name,
            )
        )


def _name_servers(mirror: str, screen: Screen) -> None:
    source = model_list.source(mirror)
    if source.problem is None:  # else the download says it
        screen.say(servers(source))


def _about_drafts(entry: CatalogueEntry) -> list[str]:
    """What a reader should know about the drafts of a model that was just installed."""
    if entry.note:
        return [_(entry.note)]
    here = installed.names()
    ready = [name for name in entry.drafts if name in here]
    if ready:
        return [_("Its draft model: {names}", names=", ".join(ready))]
    offered = [
        _("  galley models download {name} ({languages})", name=draft.name, languages=_languages(draft))
        for draft in catalogue.worth_having(entry)
    ]
    return [_("A draft model makes it faster and never changes the text:"), *offered] if offered else []


def _add(arguments: argparse.Namespace, screen: Screen) -> None:
    source = Path(arguments.subject).expanduser()
    target: str = arguments.draft_of
    if target and target not in installed.names():
        raise Problem("model.not_installed", name=target, names=", ".join(installed.names()))
    if source.parent.resolve() == installed.home().resolve():
        name = source.name  # it is installed already, and only to be the draft of another
    else:
        name = model_work.perform(Add(str(source), arguments.name), screen.show_bytes).name
        screen.say(_("{name} is installed. The original folder is no longer needed.", name=name))
    if target:
        choice.register_draft(target, name)
        screen.say(_("{draft} is now the draft model of {target}.", draft=name, target=target))


def _convert(arguments: argparse.Namespace, screen: Screen) -> None:
    folder = Path(arguments.to).expanduser()
    sounds = str(Path(arguments.calibrate).expanduser()) if arguments.calibrate else ""

    def show(work: str, done: int, total: int) -> None:
        screen.show(_(_CONVERTING[work]), done, total)

    model_work.perform(
        Convert(arguments.subject, str(folder), sounds),
        show,
        lambda stage, **values: screen.say(stages.describe(stage, **values)),
    )
    private.share(folder)
    screen.say(
        _(
            "{folder} is complete. Use it: galley transcribe FILE --target FOLDER, or galley models add FOLDER",
            folder=folder,
        )
    )


def _verify(arguments: argparse.Namespace, screen: Screen) -> int:
    status = DONE
    for name in [arguments.subject] if arguments.subject else list(installed.names()):
        try:
            done = model_work.perform(Verify(name), screen.show_bytes)
        except Problem as problem:
            is_known = problem.kind == "disk" or name in installed.names()
            status = _fail(screen, name, problem, FAILED if is_known else USAGE)
        else:
            what = _("verified") if done.compared else _("readable; there are no hashes to compare with")
            screen.text(f"{name}: {what}\n")
    return status


def _remove(arguments: argparse.Namespace, screen: Screen) -> None:
    name: str = arguments.subject
    network = speaker_networks.find(name)
    if network is not None:
        speaker_networks.remove(network)
    elif name in installed.names() or name in installed.unfinished():
        installed.remove(name)
    else:
        raise train_draft.UnknownName(installed.unknown(name))
    screen.say(_("{name} was removed.", name=name))


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
        printing.out(json.dumps(whole, indent=1, ensure_ascii=False) + "\n")
        return DONE
    best = choice.best()
    rows = [
        [model.name, size(model.bytes), _origin(model), _("default") if model.name == best else ""] for model in here
    ]
    lines = [_("Installed models:"), *_table(rows), "", _("Available to download (galley models download NAME):")]
    lines += _table([_row(entry, begun.get(entry.name, 0)) for entry in offered])
    lines += ["", _("Speaker networks (both are needed to identify speakers):")]
    lines += _table([_network_row(network) for network in speaker_networks.entries()])
    lines += ["", _("Columns: name, download size, estimated memory at full precision / int8, languages, licence.")]
    printing.out("\n".join(lines) + "\n")
    return DONE


def _origin(model: Installed) -> str:
    if model.folder == installed.bundled():
        return _("comes with Galley")
    if model.repository:
        return model.repository
    target = model.trained_for
    return _("trained for {target}", target=target) if target else _("added from a folder")


def _row(entry: CatalogueEntry, begun: int) -> list[str]:
    memory = f"{size(entry.memory('f32'))} / {size(entry.memory('int8'))}"
    drafts = ", ".join(draft.name for draft in catalogue.worth_having(entry))
    state = _("draft models: {names}", names=drafts) if drafts else ""
    if begun:
        state = _("{size} downloaded", size=size(begun))
    return [
        entry.name,
        size(entry.download) if entry.download else "?",
        memory,
        _languages(entry),
        entry.licence,
        state,
    ]


def _network_row(entry: SpeakerNetwork) -> list[str]:
    here = speaker_networks.is_installed(entry)
    state = _("installed") if here else ""
    if speaker_networks.bundled(entry).is_file():
        state = _("bundled with Galley")
    return [entry.name, size(entry.bytes), entry.licence, entry.credit, state]


def _table(rows: list[list[str]]) -> list[str]:
    """Rows with their columns under each other."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))] if rows else []
    return [
        "  " + "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]


def _installed_json(model: Installed) -> dict[str, Any]:
    return {
        "name": model.name,
        "folder": str(model.folder),
        "bytes": model.bytes,
        "repository": model.repository,
        "revision": model.revision,
    }


def _entry_json(entry: CatalogueEntry, begun: int) -> dict[str, Any]:
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


def _languages(entry: CatalogueEntry) -> str:
    return _("multilingual") if entry.knows("auto") else ", ".join(entry.languages)
