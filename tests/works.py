"""Work on models that does nothing: tests say what comes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from desktop_app.engine.model_list import DownloadSource, DraftOffer, ListedModel, ModelList
from desktop_app.messages.model_work import Announce, Done, Message, Progress, Refused, Work
from desktop_app.worker import model_tasks

HOME = Path("/models")
BASE = ListedModel(
    "base", "base", Path("/galley/whisper-base"), 147_000_000, languages=("*",), licence="MIT",
    removable=False,
)  # fmt: skip
LARGE = ListedModel(
    "large", "large", None, 3_100_000_000, languages=("*",), licence="MIT", memory=(17_000_000_000, 7_100_000_000),
    drafts=(DraftOffer("small", ("en",), 166_000_000),),
)  # fmt: skip
SMALL = ListedModel("small", "small", None, 166_000_000, exact=False, languages=("en",), licence="MIT")
NETWORK = ListedModel("voices", "voices", None, 6_000_000, licence="MIT", origin="By many hands", speakers=True)


@dataclass
class Order:
    """A piece of work that somebody asked for. Attributes: work; cancelled, held; say (what tells how it goes)."""

    work: Work
    say: Callable[[Message], None]
    cancelled: bool = False
    held: bool = False

    def hold(self, held: bool) -> None:
        self.held = held

    def cancel(self) -> None:
        self.cancelled = True

    def close(self, seconds: float = 0.0) -> None:
        pass


@dataclass
class Works:
    """Attributes: all (the work that was asked for, in order); found (what there is); devices (ids and names)."""

    all: list[Order] = field(default_factory=list)
    found: ModelList = field(
        default_factory=lambda: ModelList((BASE,), (LARGE, SMALL, NETWORK), "base", DownloadSource("hub.example.org"))
    )

    devices: list[tuple[str, str]] = field(default_factory=lambda: [("CPU", "A processor")])

    def start(self, work: Work, on_message: Callable[[Message], None]) -> Order:
        made = Order(work, on_message)
        self.all.append(made)
        return made

    def look(self) -> ModelList:
        return self.found

    def find_devices(self) -> list[tuple[str, str]]:
        return self.devices

    def of(self, kind: type) -> Order:
        """The last work of a kind."""
        return next(each for each in reversed(self.all) if isinstance(each.work, kind))

    def install(self, *models: ListedModel) -> None:
        """Let models be here from the next look on."""
        names = {each.name for each in models}
        here = tuple(replace(each, folder=HOME / each.name, begun=0) for each in models)
        offered = tuple(each for each in self.found.offered if each.name not in names)
        self.found = replace(self.found, installed=self.found.installed + here, offered=offered)


def perform_here(work: Work, progress: Progress, announce: Announce | None = None) -> Done:
    """What `model_work.perform` does, in this process, so that a test can change what the work uses."""
    outcome = model_tasks._outcome(work, progress, announce or (lambda stage, **values: None))
    if isinstance(outcome, Refused):
        raise outcome.problem
    assert isinstance(outcome, Done)
    return outcome
