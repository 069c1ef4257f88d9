"""Download a model that the user asked for by name, and nothing else.

What has arrived is kept until the model is whole, so that the next attempt goes on from there; what does not have the
hash that the catalogue or the hub promises is thrown away.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from desktop_app import settings
from desktop_app.checkpoints import catalogue, installed, parts, speaker_networks
from desktop_app.checkpoints.catalogue import CatalogueEntry
from desktop_app.checkpoints.folder import check_settings, read_target
from desktop_app.checkpoints.hub import Hub, RemoteFile
from desktop_app.checkpoints.installed import Installed, Progress
from desktop_app.checkpoints.parts import ModelFile
from desktop_app.checkpoints.pieces import read_json
from desktop_app.checkpoints.speaker_networks import SpeakerNetwork
from desktop_app.problems import Problem

_COMMIT = re.compile("[0-9a-f]{40}")


class DownloadCancelled(Exception):
    """The user cancelled the download. What has arrived is kept."""


def entry_for(wanted: str) -> CatalogueEntry:
    """What is meant by a name of the catalogue, or by OWNER/NAME of any other repository on the hub. Where NAME means
    an entry of the catalogue, that repository's model is called OWNER-NAME.
    """
    entry = catalogue.find(wanted)
    if entry is not None:
        return entry
    owner, slash, name = wanted.partition("/")
    if not (owner and slash and name) or "/" in name:
        known = ", ".join(entry.name for entry in catalogue.entries())
        raise Problem("model.not_in_catalogue", name=wanted, names=known)
    return CatalogueEntry(f"{owner}-{name}" if catalogue.find(name) else name, wanted, "main", (), "", 0)


def download(
    wanted: str, mirror: str = "", *, progress: Progress, cancelled: Callable[[], bool] = lambda: False
) -> Installed:
    """Download a model, check it, and install it. `mirror` is the address of a hub like the public one.

    Raises Problem, Cancelled, and OSError where the disk refuses.
    """
    entry = entry_for(wanted)
    installed.check_free(entry.name)
    address = address_of(mirror)

    def report(what: str, done: int, total: int) -> None:
        if cancelled():
            raise DownloadCancelled
        progress(what, done, total)

    with installed.staging(entry.name) as folder:
        installed.check_free(entry.name)  # another Galley may have installed it since
        report("Asking", 0, 0)
        hub = Hub(address)
        commit, offered = hub.files(entry.repository, entry.revision)
        if _COMMIT.fullmatch(entry.revision) and commit != entry.revision:
            raise Problem("download.other_commit", repository=entry.repository)
        files = _needed(hub, entry, commit, {file.name: file for file in offered}, folder)
        _tidy(folder, files)
        installed.check_room(folder, sum(file.size for file in files) - _here(folder))
        arrived = _download(hub, entry, commit, files, folder, report)
        about = {"name": entry.name, "repository": entry.repository, "revision": commit}
        parts.write_about(folder, about, arrived)
        try:
            read_target(folder)
            installed.check_numbers(folder)
        except Problem:
            shutil.rmtree(folder)
            raise
        return installed.place(folder, entry.name)


def download_network(entry: SpeakerNetwork, mirror: str = "", *, progress: Progress) -> Path:
    """Download one of the catalogue's speaker networks; returns its file. Raises as `download` does."""
    if speaker_networks.bundled(entry).is_file():
        raise Problem("model.built_in", name=entry.name)
    address = address_of(mirror)
    with installed.staging(entry.name) as folder:
        if speaker_networks.is_installed(entry):
            raise Problem("model.installed", name=entry.name)
        progress("Asking", 0, 0)
        hub = Hub(address)
        commit, offered = hub.files(entry.repository, entry.revision)
        file = next((each for each in offered if each.name == entry.file), None)
        if file is None or (file.sha256 and file.sha256 != entry.sha256):
            raise Problem("download.other_file", file=entry.file)
        place = (folder / file.name).parent
        place.mkdir(exist_ok=True)
        _tidy(place, [replace(file, name=Path(file.name).name)])
        installed.check_room(folder, file.size - _here(place))
        promised = replace(file, sha256=entry.sha256)  # a hub may tell only git's hash
        _bring(hub, entry, commit, promised, folder, partial(_report, progress, 0, file.size))
        about = {"name": entry.name, "repository": entry.repository, "revision": commit}
        parts.write_about(folder, about | {"licence": entry.licence, "credit": entry.credit})
        return installed.place(folder, entry.name).folder / entry.file


def address_of(mirror: str) -> str:
    """The hub to ask: `mirror`, else HF_ENDPOINT, else `mirror` in settings.ini, else "", which is the public one."""
    for address in (mirror, os.environ.get("HF_ENDPOINT", ""), setting()):
        if address:
            scheme, _, rest = address.partition("://")
            if scheme.lower() not in ("https", "http") or not rest:
                raise Problem("download.bad_mirror", address=address)
            return f"{scheme.lower()}://{rest}"
    return ""


def setting() -> str:
    """`mirror` of the settings, which the window and the command line share."""
    return settings.read().get("mirror", "").strip()


def _needed(
    hub: Hub, entry: CatalogueEntry, commit: str, offered: dict[str, RemoteFile], folder: Path
) -> list[RemoteFile]:
    """The files that make the model; nothing else of the repository is fetched. Weights that are not the catalogue's
    are refused before that, and what has arrived from another server stays.
    """
    if entry.sha256 and (parts.WEIGHTS not in offered or offered[parts.WEIGHTS].sha256 != entry.sha256):
        raise Problem("download.other_file", file=parts.WEIGHTS)

    def shards() -> dict[str, object]:
        index = offered[parts.INDEX]
        parts.check_size(index.name, index.size)
        _bring(hub, entry, commit, index, folder, lambda what, done: None)
        return dict(read_json(folder / index.name))

    wanted = [name for name in parts.SETTINGS if name in offered] + parts.weights(offered, shards)
    if "config.json" not in wanted:
        raise Problem("download.no_config", repository=entry.repository)
    missing = [name for name in wanted if name not in offered]
    if missing:
        raise Problem("download.no_file", file=missing[0])
    for name in wanted:
        parts.check_size(name, offered[name].size)
    return [offered[name] for name in wanted]


def _tidy(folder: Path, files: list[RemoteFile]) -> None:
    """Remove what an earlier attempt left and this one cannot use."""
    useful = {file.name for file in files} | {_part(folder, file).name for file in files}
    for entry in folder.iterdir():
        if entry.name in useful:
            continue
        if entry.is_dir():  # the draft of a model whose copying was killed
            shutil.rmtree(entry)
        else:
            entry.unlink()


def _here(folder: Path) -> int:
    return sum(entry.stat().st_size for entry in folder.iterdir())


def _download(
    hub: Hub, entry: CatalogueEntry, commit: str, files: list[RemoteFile], folder: Path, progress: Progress
) -> list[ModelFile]:
    """Download all files one after another: the small ones first, so that weights are not downloaded in vain."""
    total, done, arrived = sum(file.size for file in files), 0, []
    small = [file for file in files if parts.is_small(file.name)]
    for index, file in enumerate([*small, *(file for file in files if file not in small)]):
        if index == len(small):
            _check_small(folder, small)
        _bring(hub, entry, commit, file, folder, partial(_report, progress, done, total))
        done += file.size
        arrived.append(ModelFile(file.name, file.size, file.sha256 or parts.digest(folder / file.name)))
    return arrived


def _check_small(folder: Path, small: list[RemoteFile]) -> None:
    """Raise Problem where the settings cannot be used, and remove them; weights already downloaded stay."""
    try:
        check_settings(folder)
    except Problem:
        for file in small:
            (folder / file.name).unlink()
        raise


def _report(progress: Progress, before: int, total: int, what: str, size: int) -> None:
    """Report a file's progress as part of that of all files."""
    progress(what, before + size, total)


def _bring(
    hub: Hub,
    entry: CatalogueEntry | SpeakerNetwork,
    commit: str,
    file: RemoteFile,
    folder: Path,
    progress: Callable[[str, int], None],
) -> None:
    """Download a file and compare its hash; where that differs, the whole folder is removed and Problem raised."""
    checking, downloading = partial(progress, "Checking"), partial(progress, "Downloading")
    target, part = folder / file.name, _part(folder, file)
    if target.exists():
        if file.is_in(target, checking):
            return
        target.unlink()
    part.touch()
    hub.fetch_file(entry.repository, commit, file, part, downloading)
    if not file.is_in(part, checking):
        shutil.rmtree(folder)
        raise Problem("download.hash", file=file.name)
    with part.open("rb+") as written:
        os.fsync(written.fileno())
    part.replace(target)


def _part(folder: Path, file: RemoteFile) -> Path:
    """The unfinished download of a file; another version of the file would have another name."""
    return folder / f"{file.name}.{file.identity[:16]}.part"
