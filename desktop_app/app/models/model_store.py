"""The models that the user has and may download, which of them are used, and the work on them.

The work is done by processes of its own (engine.model_work) and goes on whatever is shown.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Protocol

from desktop_app.app.background import BackgroundThread, Post
from desktop_app.app.models.model_job import Job
from desktop_app.app.models.speeds import Chosen, Speeds, estimate, installed_memory, says_more, suggestion
from desktop_app.app.presentation.problems import sentence
from desktop_app.app.settings.preferences import Preferences
from desktop_app.app.signals import Signal
from desktop_app.engine import model_list, probe
from desktop_app.engine.model_list import ListedModel, ModelList
from desktop_app.engine.model_work import Task
from desktop_app.messages.model_work import (
    Add,
    AddTorch,
    Announced,
    Done,
    Download,
    Measure,
    Message,
    Quantise,
    Refused,
    Remove,
    Step,
    Try,
    Verify,
    Work,
)
from desktop_app.messages.options import AUTO, OFF
from desktop_app.texts import N_, _
from desktop_app.transcript.statistics import Speed

PAIR, SMALL, SPEED = "+pair", "+small", "+speed"
"""Names of what is no work on a single model: trying a pair, quantising its weights, measuring its speed."""

CATALOGUE_NOTES = (
    N_("Already fast; no draft needed."),
    N_("The most accurate that an ordinary computer can manage, in any language."),
    N_("Fewer mistakes than base, and still quick on most laptops."),
)
"""What models/catalogue.toml says of models, marked for translation."""


class TaskPort(Protocol):
    """What is needed of engine.model_work.Task."""

    def cancel(self) -> None: ...

    def hold(self, held: bool) -> None: ...

    def close(self, seconds: float = ...) -> None: ...


Start = Callable[[Work, Callable[[Message], None]], TaskPort]


class ModelStore:
    """Attributes:
        list: what there is; None until it was looked for.
        jobs: work in hand, by the name of its model, of a folder that is added, PAIR, SMALL or SPEED.
        problems: why work could not be done, a sentence, by the same names; forgotten when it is tried again.
        speeds: what was measured on this computer; compared: and on files, by their paths, since this start.
        memory: bytes that this computer has, None where unknown.
        devices: what this computer can compute on, as `--device` names it; None while that is unknown.
        draft_in_use: the name of what would draft now, "" for nothing, None while that is being found out.

    Signals:
        changed(): the list, the jobs or the problems are others.
        moved(name): a job has come further.
        told(sentence): something is done.
        devices_found(): it is known what the devices are.
        announced(name, stage): a job has come to a stage.
        ended(name, work, message): work is done, refused or stopped; whoever began it by `begin` wants to know.
    """

    def __init__(
        self,
        preferences: Preferences,
        post: Post,
        start: Start = Task,
        look: Callable[[], ModelList] = model_list.read,
        find_devices: Callable[[], list[tuple[str, str]]] = probe.inference_devices,
    ) -> None:
        self._preferences, self._start_task, self._look = preferences, start, look
        self._find_devices, self._asked_for_devices = find_devices, False
        self._worker = BackgroundThread("models", post)
        self._prober = BackgroundThread("devices", post)  # a driver may let it wait
        self.changed: Signal[[]] = Signal()
        self.moved: Signal[str] = Signal()
        self.told: Signal[str] = Signal()
        self.devices_found: Signal[[]] = Signal()
        self.announced: Signal[[str, Announced]] = Signal()
        self.ended: Signal[[str, Work, Message]] = Signal()
        self.devices: tuple[str, ...] | None = None
        self._tasks: dict[str, TaskPort] = {}
        self._note = ""
        self.list: ModelList | None = None
        self.jobs: dict[str, Job] = {}
        self.problems: dict[str, str] = {}
        self.speeds = Speeds()
        self.compared: dict[str, Speed] = {}
        self.draft_in_use: str | None = None
        self.memory = installed_memory()

    def refresh(self) -> None:
        """Look what there is; `changed` follows."""
        self._worker.do(self._look, self._show, lambda problem: self.told.emit(sentence(problem)))

    def look_for_devices(self) -> None:
        """Find out, the first time, what this computer can compute on; `devices_found` follows where that can be."""
        if not self._asked_for_devices:
            self._asked_for_devices = True
            self._prober.do(self._find_devices, self._show_devices, lambda problem: None)

    def _show_devices(self, found: list[tuple[str, str]]) -> None:
        self.devices = tuple(dict.fromkeys(name.lower().partition(".")[0] for name, _full in found))
        self.devices_found.emit()

    def find(self, name: str) -> ListedModel | None:
        """The model of this name, installed or offered."""
        known = (*self.list.installed, *self.list.offered) if self.list else ()
        return next((each for each in known if each.name == name), None)

    def at(self, folder: str) -> ListedModel | None:
        """The installed model that lies in a folder."""
        return next((each for each in (self.list.installed if self.list else ()) if str(each.folder) == folder), None)

    @property
    def in_use(self) -> str:
        """The name of the installed model that transcribes, "" if it lies elsewhere."""
        if not self._preferences.options().target:
            return self.list.best if self.list else ""
        found = self.at(self._preferences.options().target)
        return found.name if found else ""

    @property
    def fetching(self) -> Job | None:
        """The download in work."""
        return next((job for job in self.jobs.values() if isinstance(job.work, Download) and not job.waiting), None)

    # What the user asks for.

    def get(self, name: str) -> None:
        """Download a model; one after another, because they share the line."""
        self._begin(name, Download(name), waits=self.fetching is not None)

    def add(self, folder: str) -> None:
        """Copy a model's folder to the installed ones."""
        self._begin(folder, Add(folder))

    def verify(self, name: str) -> None:
        """Read every byte of a model again."""
        self._begin(name, Verify(name))

    def remove(self, name: str) -> None:
        """Delete a model, or what has arrived of it."""
        self._begin(name, Remove(name))

    def begin(self, name: str, work: Work) -> None:
        """Do work that another part of the program asks for, under a name of its own; `ended` tells what came of it."""
        self._begin(name, work)

    def hold(self, name: str, held: bool) -> None:
        """Let work pause, or go on."""
        if name in self._tasks:
            self._tasks[name].hold(held)

    def cancel(self, name: str) -> None:
        """Give work up; what a download has brought stays."""
        job = self.jobs.get(name)
        if job is None:
            return
        if job.waiting:
            del self.jobs[name]
        else:
            job.stopping = True
            self._tasks[name].cancel()
        self.changed.emit()

    def forget(self, name: str) -> None:
        """The user has read why something could not be done."""
        if self.problems.pop(name, ""):
            self.changed.emit()

    def choose(self, target: str, draft: str) -> None:
        """Take a model ("" for the best installed) and a draft (AUTO, OFF or a folder), once it is known that they are
        compatible; else `problems` says why not, and nothing changes.
        """
        self._note = ""
        self._begin(PAIR, Try(target, draft))

    def choose_target(self, target: str) -> None:
        """Take another model, with the draft as it is."""
        self.choose(target, self._preferences.options().draft)

    def choose_draft(self, draft: str) -> None:
        """Take another draft."""
        self.choose(self._preferences.options().target, draft)

    def choose_precision(self, precision: str) -> None:
        """Use weights of this precision; quantised ones are made first."""
        if precision == AUTO:
            self.cancel(SMALL)
            self.problems.pop(SMALL, "")
            self._preferences.choose(precision=AUTO)
            self.changed.emit()
        else:
            self._quantise(precision)

    def measure(self) -> None:
        """Measure how fast the models in use transcribe on this computer."""
        self._begin(SPEED, Measure(*self._chosen()))

    def compare(self, file: str, language: str) -> None:
        """Measure on a part of a file how fast the models in use transcribe it, with the draft and without."""
        self._begin(comparison(file), Measure(*self._chosen(), file, language))

    @property
    def speed(self) -> Speed | None:
        """What was measured of the models in use."""
        return self.speeds.find(self._chosen())

    @property
    def suggestion(self) -> tuple[ListedModel, float] | None:
        """A better model that this computer should manage, and about how fast, by what was measured."""
        speed, used = self.speed, self.find(self.in_use)
        if self.list is None or speed is None or used is None:
            return None
        models = sorted((*self.list.installed, *self.list.offered), key=lambda each: -each.parameters)
        return suggestion(speed, used, models, self.memory)

    def estimate(self, model: ListedModel) -> float:
        """About how fast another model would be here, by what was measured of those in use; 0.0 where unknown."""
        speed, used = self.speed, self.find(self.in_use)
        return estimate(speed, used.parameters, model.parameters) if speed and used else 0.0

    def choose_mirror(self, address: str) -> None:
        """Download from another hub; "" for the public one."""
        self._preferences.mirror = address.strip()
        self._preferences.when_saved(self.refresh)  # who fetches reads the file

    def close(self) -> None:
        """Give up what is in work."""
        tasks, self._tasks = self._tasks, {}
        for task in tasks.values():
            task.cancel()
        for task in tasks.values():
            task.close()
        self._worker.close(0.0)
        self._prober.close(0.0)

    # What the work says.

    def _begin(self, name: str, work: Work, waits: bool = False) -> None:
        if name in self.jobs and not isinstance(work, Try | Quantise):
            return
        self.problems.pop(name, "")
        if name in self._tasks:
            self._tasks.pop(name).cancel()  # another choice before the last one was tried
        self.jobs[name] = Job(work, waiting=waits)
        if not waits:
            self._start(name, work)
        self.changed.emit()

    def _receive(self, name: str, work: Work, message: Message) -> None:
        job = self.jobs.get(name)
        if job is None or job.work is not work or name not in self._tasks:
            return
        if isinstance(message, Step):
            job.note(message, time.monotonic())
            self.moved.emit(name)
            return
        if isinstance(message, Announced):
            self.announced.emit(name, message)
            return
        del self.jobs[name], self._tasks[name]
        given_up = isinstance(work, Quantise) and job.stopping
        if isinstance(message, Done) and not given_up:
            self._finish(work, message)
        elif isinstance(message, Refused):
            self._refuse(name, work, message)
        waiting = next((each for each in self.jobs if self.jobs[each].waiting), None)
        if waiting is not None and self.fetching is None:
            self._begin_waiting(waiting)
        self.ended.emit(name, work, message)
        self.changed.emit()
        if not isinstance(work, Try | Quantise):
            self.refresh()

    def _begin_waiting(self, name: str) -> None:
        job = self.jobs[name]
        job.waiting = False
        self._start(name, job.work)

    def _start(self, name: str, work: Work) -> None:
        """What the task says comes in its own thread."""
        post = self._worker.post
        self._tasks[name] = self._start_task(work, lambda message: post(partial(self._receive, name, work, message)))

    def _finish(self, work: Work, done: Done) -> None:
        match work:
            case Download():
                self.told.emit(_("{model}: downloaded and verified", model=done.name))
            case Add():
                self.told.emit(_("{model}: added; its original folder is no longer needed", model=done.name))
            case Verify():
                self.told.emit(
                    _("{model}: verified, all files are unchanged", model=done.name)
                    if done.compared
                    else _("{model}: all files can be read", model=done.name)
                )
            case Remove():
                self.told.emit(_("{model}: removed", model=done.name))
            case AddTorch():
                self.told.emit(_("PyTorch is installed."))
            case Quantise():
                self._preferences.choose(precision=work.precision)
            case Try():
                self._take(work, done)
            case Measure() if done.speed is not None:
                self._keep_speed(work, done.speed)

    def _keep_speed(self, work: Measure, speed: Speed) -> None:
        if work.file:
            kept = says_more(speed, self.compared.get(work.file))
            if kept:
                self.compared[work.file] = speed
        else:
            kept = self.speeds.keep((work.target, work.draft, work.precision), speed)
            self._worker.do(self.speeds.save)
        if not kept:
            self.told.emit(_("The computer was busy. The earlier result is kept."))

    def _refuse(self, name: str, work: Work, message: Refused) -> None:
        why = sentence(message.problem)
        if (
            isinstance(work, Try)
            and work.draft not in (AUTO, OFF)
            and work.target != self._preferences.options().target
        ):
            self._note = _("{problem} The draft model is chosen automatically again.", problem=why)
            self._begin(PAIR, Try(work.target, AUTO))
            return
        self.problems[name] = why
        if isinstance(work, Try):
            self._note = ""
            self.draft_in_use = self.draft_in_use or ""

    def _take(self, work: Try, done: Done) -> None:
        self.draft_in_use = done.draft
        before = self._preferences.options()
        if (work.target, work.draft) != (before.target, before.draft):
            self._preferences.choose(draft=work.draft, target=work.target)
            self._keep_precision()
        if self._note:
            self.problems[PAIR], self._note = self._note, ""

    def _chosen(self) -> Chosen:
        preferences, used = self._preferences, self.find(self.in_use)
        # Every row of the Models page asks for this, and the preferences would search the disk each time.
        folder = used.folder if used and used.folder else preferences.folder_in_use
        options = preferences.options()
        return str(folder), options.draft, options.precision

    def _keep_precision(self) -> None:
        """Quantise another model, too, where that is possible."""
        if self._preferences.options().precision == AUTO:
            return
        used = self.find(self.in_use)
        if used is not None and used.graphs:
            self._preferences.choose(precision=AUTO)
        else:
            self._quantise(self._preferences.options().precision)

    def _quantise(self, precision: str) -> None:
        options = self._preferences.options()
        self._begin(SMALL, Quantise(options.target, options.draft, precision))

    def _show(self, found: ModelList) -> None:
        before, self.list = self.list, found
        options = self._preferences.options()
        target, draft = options.target, options.draft
        gone = before is not None and Path(target).parent == _home(before) and not Path(target).is_dir()
        if target and gone:
            self._preferences.choose(target="")
        if before is not None and draft not in (AUTO, OFF) and not Path(draft).is_dir():
            self._preferences.choose(draft=AUTO)
        if before is None or _names(before) != _names(found):
            self._preferences.changed.emit()  # another one may be the best now
            if PAIR not in self.jobs:
                options = self._preferences.options()
                self._begin(PAIR, Try(options.target, options.draft))
                return  # it has told of the change, and the page is filled once
        self.changed.emit()


def comparison(file: str) -> str:
    """The name of the work that measures the models on a file."""
    return f"{SPEED} {file}"


def _names(found: ModelList) -> set[str]:
    return {each.name for each in found.installed}


def _home(found: ModelList) -> Path | None:
    """The folder of the models that can be removed."""
    return next((each.folder.parent for each in found.installed if each.folder and each.removable), None)
