"""Training a draft on the user's own recordings: one at a time, in a process of its own, stopped and continued at will.

All of it lies in one folder of the cache, `drafts/NAME`: what was asked for and how far it is, as JSON, the labels and
the state of the training. It goes when the user has decided what becomes of the draft.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from desktop_app import atomic, bounded, folders
from desktop_app.app.background import BackgroundThread
from desktop_app.app.library import media
from desktop_app.app.models.model_job import Job
from desktop_app.app.models.model_store import ModelStore
from desktop_app.app.presentation import problems
from desktop_app.app.settings.preferences import Preferences
from desktop_app.app.signals import Signal
from desktop_app.app.system import about
from desktop_app.audio import length
from desktop_app.engine import model_list, pytorch
from desktop_app.engine.model_list import ListedModel
from desktop_app.messages.model_work import AddTorch, Announced, Done, Measure, Message, Work
from desktop_app.messages.options import AUTO
from desktop_app.messages.training import Gain, MeasureDraft, TrainDraft
from desktop_app.problems import Problem
from desktop_app.texts import _

TRAINING, TORCH = "+training", "+torch"
"""Names of the work on a draft, and of the download of PyTorch."""

ENOUGH = 3600.0
"""Seconds of recordings that are recommended, as `galley models train-draft` does."""
LEAST = 60.0
"""Seconds of recordings without which there is nothing to hold back."""
MINUTES = (15, 30, 60, 120)
"""How long a training may take."""

_AT_ONCE = 20  # files of a folder whose length is looked up between two words on it
_FILE = "training.json"


@dataclass
class Training:
    """A draft in the making.

    Attributes:
        model: the name of the model that it will draft for.
        request: what was asked for.
        trained: minutes of training so far; agreement: at which share of held-back places the draft agreed.
        skipped: recordings that could not be read, a sentence each.
        made: whether the draft is installed, and only its gain is to be measured.
        gain: what it brings, once that was measured.
    """

    model: str
    request: TrainDraft
    trained: float = 0.0
    agreement: float = 0.0
    skipped: list[str] = field(default_factory=list)
    made: bool = False
    gain: Gain | None = None


@dataclass(frozen=True)
class Torch:
    """Whether PyTorch is here, whether this Galley can download it, and from which package index ("" for none)."""

    here: bool
    offered: bool
    index: str


@dataclass(frozen=True)
class Counted:
    """So many recordings of a folder were looked at, of `total`; their length in seconds."""

    files: int
    total: int
    seconds: float


class DraftTraining:
    """Attributes:
        current: the training in hand; None for none.
        held: whether it waits for what is recorded, transcribed or measured.
        torch: what is known of PyTorch; None until that was looked for.

    Signals: changed() when one of these is another, or the training has come to another stage.
    """

    def __init__(
        self, models: ModelStore, preferences: Preferences, worker: BackgroundThread, busy: Callable[[], bool]
    ) -> None:
        self._models, self._preferences, self._worker, self._busy = models, preferences, worker, busy
        self._counter = BackgroundThread("recordings", worker.post)
        self.current: Training | None = None
        self.held = False
        self.torch: Torch | None = None
        self._stage, self._since = "", (0.0, 0)
        self._counting = 0
        self.changed: Signal[[]] = Signal()
        models.changed.connect(self.hold)
        models.moved.connect(self._moved)
        models.announced.connect(self._announced)
        models.ended.connect(self._ended)
        worker.do(_kept, self._found)

    @property
    def runs(self) -> bool:
        """Whether a process works on the draft now, or stands still because something goes before."""
        return TRAINING in self._models.jobs

    @property
    def job(self) -> Job | None:
        """What it does."""
        return self._models.jobs.get(TRAINING)

    @property
    def problem(self) -> str:
        """Why it could not go on, a sentence."""
        return self._models.problems.get(TRAINING, "")

    # What the user asks for.

    def begin(self, model: ListedModel, audio: Path | tuple[Path, ...], language: str, minutes: float) -> None:
        """Train a draft for an installed model from a folder of recordings, or from these files. A draft that was made
        before and is not used goes; while one is unfinished nothing is begun."""
        assert model.folder is not None
        before, name = self.current, self._free(model)
        if before is not None and not before.made:
            return
        room = _room(name)
        if before is not None:
            self._models.remove(before.request.name)
            if before.model == model.name:
                room = before.request.room or room  # its labels are of use again
            else:
                self._forget(before)
        request = TrainDraft(model.folder, audio, name, minutes=minutes, language=language, room=room)
        self.current = Training(model.name, request)
        self.resume()

    def resume(self) -> None:
        """Go on where it stopped."""
        current = self.current
        if current is None or self.runs:
            return
        self._stage = ""
        self._save()
        work: Work = current.request
        if current.made:
            work = MeasureDraft(current.request, self._preferences.options().precision)
        self._models.begin(TRAINING, work)
        self.hold()
        self.changed.emit()

    def stop(self) -> None:
        """Stop; what is there is kept."""
        self._models.cancel(TRAINING)

    def use(self) -> None:
        """Let the draft draft for its model from now on."""
        current = self.current
        if current is None or not current.made:
            return
        model, draft = current.model, current.request.name
        self._models.speeds.forget(str(current.request.target))
        self._worker.do(self._models.speeds.save)
        self._worker.do(
            partial(model_list.register_draft, model, draft),
            lambda _: self._registered(model, draft),
            lambda problem: self._models.told.emit(problems.sentence(problem)),
        )
        self._forget(current)
        self.changed.emit()

    def discard(self) -> None:
        """Delete the draft, or what there is of it."""
        current = self.current
        if current is None or self.runs:
            return
        if current.made:
            self._models.remove(current.request.name)
        self._models.forget(TRAINING)
        self._forget(current)
        self.changed.emit()

    def hold(self) -> None:
        """Wait for what is recorded, transcribed or measured, or go on when that is over."""
        held = self._busy() or any(isinstance(job.work, Measure) for job in self._models.jobs.values())
        if self.runs:
            self._models.hold(TRAINING, held)
        if held != self.held:
            self.held, self._stage = held, ""
            self.changed.emit()

    def look_for_torch(self) -> None:
        """Find out whether PyTorch is here; `changed` follows."""
        self._worker.do(_torch, self._show_torch)

    def get_torch(self) -> None:
        """Download PyTorch."""
        if self.torch is not None:
            self._models.begin(TORCH, AddTorch(self.torch.index))
            self.changed.emit()

    def count(self, folder: str, tell: Callable[[Counted], object]) -> None:
        """Look up how long the recordings in a folder are; `tell` is called now and then, until another is counted."""
        self._counting += 1
        mine = self._counting

        def go_on(files: list[str], done: int, seconds: float) -> None:
            if mine != self._counting:
                return
            tell(Counted(done, len(files), seconds))
            if done < len(files):
                some = files[done : done + _AT_ONCE]
                self._counter.do(
                    lambda: sum(map(length.seconds, some)),
                    lambda more: go_on(files, done + len(some), seconds + (more or 0.0)),
                )

        self._counter.do(lambda: media.expand([folder]), lambda files: go_on(files or [], 0, 0.0))

    def stop_counting(self) -> None:
        """Nobody wants to know any more."""
        self._counting += 1

    @property
    def seconds_left(self) -> float | None:
        """How long the stage that it has come to will take; None while that cannot be told."""
        job = self.job
        if job is None or self.held or not job.total:
            return None
        if job.what == "training":
            return float(job.total - job.done)
        since, first = self._since
        gone = job.done - first
        return (job.total - job.done) * (time.monotonic() - since) / gone if self._stage == job.what and gone else None

    def close(self) -> None:
        """The program ends, and the next start can go on; whoever owns the work ends it."""
        self._save()
        self._counter.close(0.0)

    # What the work says.

    def _moved(self, name: str) -> None:
        job = self.job
        if name != TRAINING or job is None or self.current is None:
            return
        if job.what != self._stage:
            self._stage, self._since = job.what, (time.monotonic(), job.done)
        if job.what == "training":
            self.current.trained = job.done / 60

    def _announced(self, name: str, message: Announced) -> None:
        current = self.current
        if name != TRAINING or current is None:
            return
        if message.stage == "skipped":
            cause = message.values["cause"]
            why = problems.describe(cause)[0] if isinstance(cause, Problem) else str(cause)
            told = f"{message.values['name']}: {why}"
            current.skipped += [] if told in current.skipped else [told]
        elif message.stage in ("training", "training_head"):
            current.agreement = float(str(message.values["agreement"]).rstrip("%")) / 100
            self._save()
        self.changed.emit()

    def _ended(self, name: str, work: Work, message: Message) -> None:
        if name == TORCH:
            self.changed.emit()
            self.look_for_torch()
        current = self.current
        if name != TRAINING or current is None:
            return
        if isinstance(message, Done):
            current.made = True
            current.gain = message.gain
            if message.gain is None:
                self.resume()  # measure what it brings
        self._save()
        self.changed.emit()

    def _registered(self, model: str, draft: str) -> None:
        self._models.told.emit(_("{draft} is now the draft model of {target}.", draft=draft, target=model))
        if self._models.in_use == model:
            self._models.choose_draft(AUTO)

    # What is kept.

    def _free(self, model: ListedModel) -> str:
        """A name for a draft that no model has."""
        name, number = f"{model.name}-draft", 2
        while self._models.find(name) is not None:
            name, number = f"{model.name}-draft-{number}", number + 1
        return name

    def _save(self) -> None:
        if self.current is not None:
            self._worker.do(partial(_write, replace(self.current, skipped=list(self.current.skipped))))

    def _forget(self, training: Training) -> None:
        if training.request.room is not None:
            self._worker.do(partial(shutil.rmtree, training.request.room, ignore_errors=True))
        self.current = None

    def _found(self, training: Training | None) -> None:
        if self.current is None and training is not None:
            self.current = training
            self.changed.emit()

    def _show_torch(self, found: Torch) -> None:
        self.torch = found
        self.changed.emit()


def _torch() -> Torch:
    built = about.build()
    return Torch(pytorch.is_here(), pytorch.is_offered(), built.index if built else "")


def _room(name: str) -> Path:
    return folders.cache() / "drafts" / name


def _write(training: Training) -> None:
    """Raises OSError."""
    request = training.request
    room = request.room
    assert room is not None
    audio = str(request.audio) if isinstance(request.audio, Path) else [str(file) for file in request.audio]
    kept = asdict(training) | {
        "request": asdict(request) | {"target": str(request.target), "audio": audio, "room": str(room)}
    }
    room.mkdir(parents=True, exist_ok=True)
    atomic.write(room / _FILE, json.dumps(kept))


def _kept() -> Training | None:
    """The training that an earlier start of Galley began."""
    for file in sorted((folders.cache() / "drafts").glob(f"*/{_FILE}")):
        try:
            return _read(bounded.read_json(file, bounded.LARGE), file.parent)
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return None


def _read(kept: dict[str, Any], room: Path) -> Training:
    asked = dict(kept["request"])
    audio = asked["audio"]
    asked["audio"] = Path(audio) if isinstance(audio, str) else tuple(Path(file) for file in audio)
    request = TrainDraft(**asked | {"target": Path(asked["target"]), "room": room})
    gain = Gain(**kept["gain"]) if kept["gain"] else None
    return Training(**kept | {"request": request, "gain": gain})
