"""Make a draft for a target out of a folder of recordings: label, train, write a model folder, install it.

Labels and the state of the training lie in the cache, in `drafts`: a stopped run resumes, and another draft of the
same target learns from the labels that are there.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch.nn.utils.rnn import pad_sequence

from desktop_app import folders
from desktop_app.audio.files import AudioFile
from desktop_app.checkpoints import installed, pairs, parts
from desktop_app.checkpoints.folder import Checkpoint, read_target
from desktop_app.checkpoints.installed import Installed
from desktop_app.checkpoints.shared_draft import JOINED, SharedDraft, fingerprint
from desktop_app.decoding.audio_window import Samples
from desktop_app.messages.model_work import Announce
from desktop_app.messages.training import TrainDraft
from desktop_app.problems import Problem
from desktop_app.runtimes import torch as torch_runtime
from desktop_app.training import ctc, distil, loop, weights, windows
from desktop_app.training.augment import Augmenter
from desktop_app.training.ctc import CtcLesson, Head
from desktop_app.training.distil import Batches, Distillation
from desktop_app.training.labels import Labeller, Labels
from desktop_app.training.loop import Lesson, Progress, Report, TrainingSettings
from desktop_app.training.network import Decoder, layers_to_keep
from desktop_app.training.windows import TrainingWindow

POOLING = 4
"""So many of the encoder's positions become one for a draft's cross-attention, where they divide them."""
HEAD_TOKENS = 12_000
"""How many tokens a draft scores at most: reading all rows of a multilingual head takes most of the time of a pass."""
HEAD_MINUTES = 0.4
"""The share of a run's minutes in which the CTC head is trained."""
_BATCH = 48  # windows that are labelled at a time; a stopped run loses at most these
_ANNOUNCED = 0.1  # of the recordings between two sentences about it
_RARE_LANGUAGE = 0.02  # of the windows: so few are mistakes


def make(request: TrainDraft, progress: Progress, announce: Announce) -> tuple[Installed, float]:
    """The installed draft, and at which share of held-back places it agrees with its target.

    `progress` and `announce` are called with progress and with stages for the user. Raises Problem, also where nothing
    can be learnt from the folder, and OSError.
    """
    target = read_target(request.target)
    _check(target, request)
    device = _device(request.device)
    recordings = find(request.audio)
    home, labels = working_folder(request), labels_folder(target, request)
    files = label(target, recordings, labels, request.language, device, progress, announce)
    run = _Run(request, device, files, home / f"{request.name}-{request.layers}.state", progress, announce)
    settings = describe(target, files, request.layers)
    head = train_head(target, settings, run) if settings.ctc else None
    decoder, agreement = train(target, settings, run)
    made = _install(target, Trained(decoder, head), settings, request)
    for state in (run.state, run.head_state):
        state.unlink(missing_ok=True)
    announce("labels_kept", folder=str(labels), name=target.name)
    return made, agreement


def working_folder(request: TrainDraft) -> Path:
    """Where labels and the state of a training lie."""
    return request.room or folders.cache() / "drafts"


def labels_folder(target: Checkpoint, request: TrainDraft) -> Path:
    """Where the labels lie that the target writes for a training."""
    return working_folder(request) / f"windows-{fingerprint(target.tensors)[:16]}-{request.language}"


def _check(target: Checkpoint, request: TrainDraft) -> None:
    """Raise Problem where no such draft can be made."""
    if target.ir is not None:
        raise Problem("model.is_openvino", model=target.name)
    installed.check_free(request.name)
    if request.layers > target.shape.decoder_layers:
        raise Problem("model.layers", model=target.name, found=target.shape.decoder_layers, wanted=request.layers)
    if request.language != "auto" and not target.vocabulary.knows(request.language):
        raise Problem("model.language", model=target.name, language=request.language)


@dataclass(frozen=True)
class Trained:
    """The networks of a draft: its decoder, and perhaps a CTC head."""

    decoder: Decoder
    head: Head | None = None


@dataclass(frozen=True)
class _Run:
    """What a training learns from and whom it tells. The decoder's progress is written to `state`."""

    request: TrainDraft
    device: torch.device
    files: list[Path]
    state: Path
    progress: Progress
    announce: Announce

    @property
    def head_state(self) -> Path:
        """The file of the head's progress. The head is the same for any number of layers."""
        return self.state.with_name(f"{self.request.name}-ctc.state")

    def train(self, lesson: Lesson, share: float, before: float, rate: float, state: Path, of_head: bool) -> float:
        """Train for a `share` of the minutes, behind `before` of them; gives the agreement with the target."""
        total = self.request.minutes
        state.parent.mkdir(parents=True, exist_ok=True)

        def tell(what: str, done: float, of: float) -> None:
            whole = 60 * total
            self.progress(what, 60 * before * total + done if what == "training" else done, whole)

        def report(now: Report) -> None:
            minutes, whole = f"{before * total + now.minutes:.0f}", f"{total:g}"
            steps, loss, agreement = now.steps, f"{now.loss:.3f}", f"{now.agreement:.1%}"
            if of_head:
                self.announce(
                    "training_head", minutes=minutes, total=whole, steps=steps, loss=loss, agreement=agreement
                )
            else:
                self.announce("training", minutes=minutes, total=whole, steps=steps, loss=loss, agreement=agreement)

        try:
            return loop.train(lesson, self.files, TrainingSettings(share * total, rate), state, tell, report)
        except torch.OutOfMemoryError as error:
            raise Problem("model.training_memory") from error
        except FloatingPointError as error:
            state.unlink(missing_ok=True)
            raise Problem("model.training", error=str(error)) from error


def train(target: Checkpoint, settings: SharedDraft, run: _Run) -> tuple[Decoder, float]:
    """The draft's decoder, and at which share of held-back places it agrees with its target."""
    decoder = beginning(target, settings).to(run.device)
    lesson = Distillation(decoder, Batches(settings.head_tokens, settings.pooling, run.device))
    before = HEAD_MINUTES if settings.ctc else 0.0
    return decoder, run.train(lesson, 1.0 - before, before, distil.RATE, run.state, of_head=False)


def train_head(target: Checkpoint, settings: SharedDraft, run: _Run) -> Head:
    """The draft's CTC head."""
    spelling = pairs.spelling(target)
    assert settings.ctc is not None and spelling is not None
    torch.manual_seed(1)
    head = Head(settings.ctc, target.shape.width).to(run.device)
    lesson = CtcLesson(head, settings.ctc, spelling, run.device)
    run.train(lesson, HEAD_MINUTES, 0.0, ctc.RATE, run.head_state, of_head=True)
    return head


def describe(target: Checkpoint, files: Sequence[Path], layers: int) -> SharedDraft:
    """What the folder of a draft says that learns from these labels: the tokens that it will score are the commonest
    of those that the target wrote or thought of, then those that its tokenizer joined first."""
    vocabulary = target.vocabulary
    counts, languages = np.zeros(vocabulary.size), Counter[str]()
    for file in files:
        labels = Labels.load(file)
        np.add.at(counts, labels.choices, labels.shares)
        languages[labels.language] += 1
    common = np.argsort(-counts[: vocabulary.end], kind="stable")
    special = range(vocabulary.end, vocabulary.size)
    room = max(0, HEAD_TOKENS - len(special))
    known = sorted(code for code, count in languages.items() if count >= _RARE_LANGUAGE * len(files))
    spelling = pairs.spelling(target)
    joins = spelling is not None and target.shape.audio_positions % JOINED == 0
    return SharedDraft(
        target=target.name,
        fingerprint=fingerprint(target.tensors),
        layers=layers,
        pooling=_pooling(target),
        languages=tuple(known),
        head_tokens=(*sorted(common[:room].tolist()), *special),
        ctc=ctc.shape_for(spelling, files, known) if spelling and joins else None,
    )


def _install(target: Checkpoint, draft: Trained, settings: SharedDraft, request: TrainDraft) -> Installed:
    with installed.staging(request.name) as mine:
        folder = mine / "copy"  # beside what an unfinished download of this name may have left
        try:
            shutil.rmtree(folder, ignore_errors=True)  # of an installing that was killed
            folder.mkdir()
            write(target, draft, settings, request.name, folder)
            placed = installed.place(folder, request.name)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        shutil.rmtree(mine, ignore_errors=True)  # a download of it is of no more use
        return placed


def write(target: Checkpoint, draft: Trained, settings: SharedDraft, name: str, folder: Path) -> None:
    """Fill the folder of a draft."""
    weights.write(settings, replace(target.shape, decoder_layers=settings.layers), draft.decoder, draft.head, folder)
    made = [parts.ModelFile(file.name, file.stat().st_size, parts.digest(file)) for file in sorted(folder.iterdir())]
    parts.write_about(folder, {"name": name, "trained_for": target.name}, made)


def find(folder: Path | tuple[Path, ...]) -> list[Path]:
    """The files in a folder that may be recordings: all but hidden ones; Problem where there are none. Files that are
    named themselves are taken as they are."""
    if isinstance(folder, tuple):
        return list(folder)
    if not folder.is_dir():
        raise Problem("file.no_folder", folder=str(folder))
    found = sorted(file for file in folder.rglob("*") if file.is_file() and not file.name.startswith("."))
    if not found:
        raise Problem("file.no_recordings", folder=str(folder))
    return found


def label(
    target: Checkpoint,
    recordings: list[Path],
    work: Path,
    language: str,
    device: torch.device,
    progress: Progress,
    announce: Announce,
) -> list[Path]:
    """The files with the labels of all recordings; those that are there already are not made again."""
    known = readable(recordings, progress, announce)
    if not known:
        raise Problem("file.no_recordings", folder=str(recordings[0].parent))
    cut = windows.cut(known)
    work.mkdir(parents=True, exist_ok=True)
    missing = [window for window in cut if not _is_labelled(work, window)]
    _check_room(target, len(missing), work)
    total = sum(window.seconds for window in cut)
    done = total - sum(window.seconds for window in missing)
    labeller, announced = None, done

    def step() -> None:
        progress("labelling", done, total)

    def tell() -> None:
        announce("labelled", done=f"{done / 3600:.1f}", total=f"{total / 3600:.1f}")

    if missing:
        tell()  # the first share of hours takes minutes
    for start in range(0, len(missing), _BATCH):
        batch = missing[start : start + _BATCH]
        if labeller is None:
            progress("loading", 0, total)
            labeller = Labeller(target, device, None if language == "auto" else language)
        found = labeller.label(_sounds(batch), step)
        for window, labels in zip(batch, found, strict=True):
            if labels is None:
                (work / f"{window.key}.empty").touch()
            else:
                labels.save(work / f"{window.key}.npz")
            done += window.seconds
        if done >= announced + _ANNOUNCED * total:
            announced = done
            tell()
    progress("labelling", total, total)
    files = [file for window in cut if (file := work / f"{window.key}.npz").exists()]
    if not files:
        raise Problem("file.no_speech", model=target.name)
    return files


def _sounds(batch: Sequence[TrainingWindow]) -> list[Samples]:
    """The samples of some windows, changed where they are to be."""
    sounds = [window.samples() for window in batch]
    places = [i for i, window in enumerate(batch) if window.is_changed and len(sounds[i])]
    if places:
        rows = [torch.from_numpy(sounds[i]) for i in places]
        changed = Augmenter(int(batch[places[0]].key[:8], 16))(pad_sequence(rows, batch_first=True))
        for i, row in zip(places, changed.numpy(), strict=True):
            sounds[i] = row[: len(sounds[i])]
    return sounds


def _is_labelled(work: Path, window: TrainingWindow) -> bool:
    return any((work / f"{window.key}{ending}").exists() for ending in (".npz", ".empty"))


def beginning(target: Checkpoint, settings: SharedDraft) -> Decoder:
    """A decoder that begins as the first and last layers of the target's, in full precision. What is the target's own
    stays as it is."""
    shape = replace(target.shape, decoder_layers=settings.layers)
    draft = Decoder(shape, settings.head_tokens)
    kept = layers_to_keep(target.shape.decoder_layers, settings.layers)
    draft.load(torch_runtime.reader(target), target.shape, kept, settings.head_tokens)
    for module in (draft.embed_tokens, draft.embed_positions, draft.head):
        module.requires_grad_(requires_grad=False)
    return draft


def _pooling(target: Checkpoint) -> int:
    return POOLING if target.shape.audio_positions % POOLING == 0 else 1


def _device(wanted: str) -> torch.device:
    there = torch.cuda.is_available()
    if wanted == "cuda" and not there:
        raise torch_runtime.absence()
    return torch.device("cuda" if there and wanted != "cpu" else "cpu")


def readable(recordings: list[Path], progress: Progress, announce: Announce) -> dict[Path, float]:
    """The recordings that can be read, with their seconds; the others are announced."""
    known = {}
    for number, recording in enumerate(recordings):
        progress("reading", number, len(recordings))
        try:
            with AudioFile(recording) as audio:
                known[recording] = audio.seconds
        except Problem as problem:
            announce("skipped", name=recording.name, cause=problem)
    return known


def _check_room(target: Checkpoint, count: int, work: Path) -> None:
    """Problem unless the labels of so many windows and the state of the training fit on the disk."""
    shape = target.shape
    state = 12 * sum(int(np.prod(sides)) for sides in shape.decoder_tensors().values())
    needed = count * Labels.bytes(shape.width, shape.audio_positions) + state
    free = shutil.disk_usage(work).free
    if free < needed:
        raise Problem("disk.no_room", needed=f"{needed / 1e9:.1f}", free=f"{free / 1e9:.1f}", folder=str(work))
