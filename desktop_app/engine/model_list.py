"""Which models there are, on this computer and in the catalogue, for the window, which knows nothing of checkpoints.

Reads folders and settings; nothing is asked of a server.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from desktop_app.checkpoints import catalogue, choice, download, hub, installed, parts, speaker_networks
from desktop_app.checkpoints.catalogue import CatalogueEntry
from desktop_app.checkpoints.pieces import read_json
from desktop_app.checkpoints.shared_draft import KIND
from desktop_app.checkpoints.speaker_networks import SpeakerNetwork
from desktop_app.problems import Problem

_DRAFT_LAYERS = 2  # of a draft that is trained here
_WINDOWS, _WINDOW_TEXT = 310, 50_000  # that an hour gives for training, each also changed, and bytes of their texts


@dataclass(frozen=True)
class DraftOffer:
    """A model that would draft for another one; `bytes` of its download, 0 if that is not known."""

    name: str
    languages: tuple[str, ...]
    bytes: int


@dataclass(frozen=True)
class ListedModel:
    """A model, or a network that tells speakers apart.

    Attributes:
        title: what it calls itself; `name` is that of its folder and of the catalogue.
        folder: where it lies; None while it is only offered.
        bytes: on the disk, or of the download, 0 if that is not known; `exact` unless that is counted from its shape.
        begun: how many of the download have arrived.
        languages: codes, ("*",) for every language, () where unknown.
        memory: about how many bytes it takes at full precision and with int8 weights; (0, 0) where unknown.
        drafts: what the catalogue recommends as drafts, without what is installed.
        note: a sentence on it of the catalogue's, or of its folder's.
        featured: what it is for, in a sentence, where newcomers are to see it first.
        origin: its repository, where that is none of the catalogue's, or the names of its makers.
        parameters: how many numbers it has; 0 where unknown.
        trained_for: the model that it was trained to draft for; from_folder: whether it was added without an origin.
        graphs: whether it holds OpenVINO's own graphs, whose numbers stay as they are.
        removable, speakers: whether it can be deleted; whether it is a network that tells speakers apart.
        training: about how many bytes training a draft of it takes on the disk for each hour of recordings; 0 where
            none can be trained.
    """

    name: str
    title: str
    folder: Path | None
    bytes: int
    exact: bool = True
    begun: int = 0
    languages: tuple[str, ...] = ()
    licence: str = ""
    memory: tuple[int, int] = (0, 0)
    drafts: tuple[DraftOffer, ...] = ()
    note: str = ""
    featured: str = ""
    origin: str = ""
    parameters: int = 0
    trained_for: str = ""
    from_folder: bool = False
    graphs: bool = False
    removable: bool = True
    speakers: bool = False
    training: int = 0


@dataclass(frozen=True)
class DownloadSource:
    """Where downloads come from: the `host` that is spoken to, through the `proxy` ("" for none).

    `mirror` is whether that is another than the public hub, `fixed` whether the environment says so, which the
    settings cannot change. `problem` is why nothing can be downloaded.
    """

    host: str
    proxy: str = ""
    mirror: bool = False
    fixed: bool = False
    problem: Problem | None = None

    @property
    def servers(self) -> list[str]:
        """The domains of the host's file servers, to which alone it may redirect."""
        return hub.file_servers(self.host)


@dataclass(frozen=True)
class ModelList:
    """Everything: what is installed, the bundled model first, what is offered, the name of what is used where nothing
    was chosen, and where downloads come from."""

    installed: tuple[ListedModel, ...]
    offered: tuple[ListedModel, ...]
    best: str
    source: DownloadSource


def read() -> ModelList:
    """What there is now."""
    begun, here = installed.unfinished(), installed.names()
    networks = [_network(entry, begun) for entry in speaker_networks.entries()]
    models = [_installed(name, folder, here) for name, folder in here.items()]
    offered = [_offered(entry, begun, here) for entry in catalogue.entries() if entry.name not in here]
    return ModelList(
        tuple(models + [each for each in networks if each.folder]),
        tuple(offered + [each for each in networks if not each.folder]),
        choice.best(),
        source(),
    )


def default_folder() -> Path:
    """The folder of the model that is used where none was chosen."""
    best = choice.best()
    return installed.names().get(best) or Path(best).expanduser()


def register_draft(target: str, draft: str) -> None:
    """Let an installed model draft for another one from now on, by their names. Raises Problem and OSError."""
    choice.register_draft(target, draft)


def name_of(folder: Path) -> str:
    """What a model folder calls its model: the name in its galley.json, else the folder's own."""
    return parts.text_in(parts.read_about(folder), "name") or folder.name


def source(mirror: str = "") -> DownloadSource:
    """Where downloads come from: `mirror`, or what environment and settings say."""
    try:
        address = download.address_of(mirror)
    except Problem as problem:
        return DownloadSource("", mirror=True, problem=problem)
    parsed = urlsplit(address or hub.PUBLIC)
    host = parsed.netloc.rpartition("@")[2]
    fixed = bool(address) and address != download.setting()
    return DownloadSource(host, proxy(address or hub.PUBLIC), bool(address), fixed)


def proxy(address: str) -> str:
    """Host and port of the proxy through which an address is asked, "" for none."""
    parsed = urlsplit(address)
    proxies = {} if proxy_bypass(parsed.hostname or "") else getproxies()
    found = proxies.get(parsed.scheme) or proxies.get("all", "")
    return urlsplit(found if "//" in found else f"//{found}").netloc.rpartition("@")[2]  # without name and password


def _installed(name: str, folder: Path, here: dict[str, Path]) -> ListedModel:
    model = installed.describe(name, folder)
    entry, about = model.entry, parts.read_about(folder)
    bundled, trained_for = folder == installed.bundled(), parts.text_in(about, "trained_for")
    return ListedModel(
        name,
        name,
        folder,
        model.bytes,
        languages=entry.languages if entry else (),
        licence=parts.text_in(about, "licence") or (entry.licence if entry else ""),
        memory=_memory(entry),
        drafts=_drafts(entry, here),
        note=entry.note if entry else parts.text_in(about, "notice"),
        origin="" if entry else model.repository,
        parameters=entry.parameters if entry else 0,
        trained_for="" if model.repository else trained_for,
        from_folder=not (bundled or model.repository or trained_for),
        graphs=(folder / parts.DECODER).is_file() and not any(folder.glob("*.safetensors")),
        removable=not bundled,
        training=_training(folder),
    )


def _training(folder: Path) -> int:
    """Bytes that the labels of an hour take, if the model has more decoder layers than a draft would have."""
    try:
        config = read_json(folder / "config.json")
        own = config["model_type"] == KIND or not any(folder.glob("*.safetensors"))
        if own or int(config["decoder_layers"]) <= _DRAFT_LAYERS:
            return 0
        return _WINDOWS * (2 * int(config["d_model"]) * int(config["max_source_positions"]) + _WINDOW_TEXT)
    except (Problem, OSError, KeyError, TypeError, ValueError):
        return 0


def _offered(entry: CatalogueEntry, begun: dict[str, int], here: dict[str, Path]) -> ListedModel:
    return ListedModel(
        entry.name,
        entry.name,
        None,
        entry.download,
        exact=bool(entry.bytes),
        begun=begun.get(entry.name, 0),
        languages=entry.languages,
        licence=entry.licence,
        memory=_memory(entry),
        drafts=_drafts(entry, here),
        note=entry.note,
        featured=entry.featured,
        parameters=entry.parameters,
    )


def _network(entry: SpeakerNetwork, begun: dict[str, int]) -> ListedModel:
    file, bundled = speaker_networks.location(entry), speaker_networks.bundled(entry)
    folder = None if file is None else bundled.parent if file == bundled else installed.home() / entry.name
    return ListedModel(
        entry.name,
        entry.name,
        folder,
        entry.bytes,
        begun=begun.get(entry.name, 0),
        licence=entry.licence,
        origin=entry.credit,
        speakers=True,
        removable=file != bundled,
    )


def _memory(entry: CatalogueEntry | None) -> tuple[int, int]:
    return (entry.memory("f32"), entry.memory("int8")) if entry else (0, 0)


def _drafts(entry: CatalogueEntry | None, here: dict[str, Path]) -> tuple[DraftOffer, ...]:
    wanted = catalogue.worth_having(entry) if entry else []
    return tuple(DraftOffer(each.name, each.languages, each.download) for each in wanted if each.name not in here)
