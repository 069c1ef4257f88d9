"""The models of the engine: found by name or folder, loaded once, kept until other ones are asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, cast

from desktop_app import folders
from desktop_app.audio.voice import Voices
from desktop_app.checkpoints import choice, installed, pairs
from desktop_app.checkpoints.folder import Checkpoint, read_draft, read_target, same_encoder
from desktop_app.decoding.batch import BatchRows
from desktop_app.decoding.ctc import CtcDrafter, Frames
from desktop_app.decoding.drafter_names import DRAFTERS, LAYERS, TIERS, WAYS
from desktop_app.decoding.drafters import Draft, Drafter, ModelDrafter
from desktop_app.decoding.lookahead import MOST, LookAhead
from desktop_app.decoding.retokenised import Spelling
from desktop_app.decoding.setup import Setup
from desktop_app.decoding.tiers import TiersDrafter
from desktop_app.messages import devices
from desktop_app.messages.devices import on_torch
from desktop_app.messages.jobs import Announce
from desktop_app.messages.options import Options
from desktop_app.problems import Problem
from desktop_app.runtimes.ctc_openvino import CtcHead
from desktop_app.transcript.model import Models
from desktop_app.worker import measured, runtime


@dataclass(frozen=True)
class Ready:
    """A model that is ready to run: one instance for each row; with batching, `batch` holds the rows."""

    rows: Sequence[runtime.RuntimeModel]
    batch: runtime.RuntimeBatch | None = None


@dataclass(frozen=True)
class Loaded:
    """A target in memory; `key` tells it from every other folder, state of a folder, device, precision and batch."""

    key: tuple[object, ...]
    checkpoint: Checkpoint
    ready: Ready

    @property
    def model(self) -> runtime.RuntimeModel:
        """That of the first row, or the only one."""
        return self.ready.rows[0]


@dataclass(frozen=True)
class LoadedDraft:
    """A draft in memory; `key` is as that of `Loaded`. Its model is loaded by `load` when it is first used, which is
    hardly ever where its CTC head alone is faster.

    `has_own_device` unless its model runs where the target's does. `shares_encoder` if it uses the target's encoder,
    `drafter` makes its tokens the target's, `head` is its CTC head if it has one and `spelling` how its target spells,
    `look_aheads` know what it costs beside its target, each in its row.
    """

    key: tuple[object, ...]
    checkpoint: Checkpoint
    load: Callable[[], Ready]
    has_own_device: bool
    shares_encoder: bool
    drafter: Callable[[Draft], Drafter]
    head: CtcHead | None
    spelling: Spelling | None
    look_aheads: Sequence[LookAhead]

    @cached_property
    def ready(self) -> Ready:
        """Its model, which is loaded now if it was not before."""
        return self.load()

    def load_model(self) -> None:
        """Load its model now rather than in the middle of a text."""
        _ = self.ready


@dataclass(frozen=True)
class Pair:
    """A target and perhaps a draft, ready to run. `remark` says why there is no draft, or another one, where
    one would be expected. `named` is "", or the name of a drafter without a model or of a way to use the draft
    (`drafter_names`).
    """

    target: Loaded
    draft: LoadedDraft | None
    remark: Problem | None = None
    named: str = ""

    @property
    def mel_bins(self) -> set[int]:
        """The numbers of mel bins that target and draft take."""
        return {each.checkpoint.mel_bins for each in (self.target, self.draft) if each}

    def drafter(self, row: int = 0) -> Drafter | None:
        """A drafter for one recording, or for a row of a batch."""
        if self.named in DRAFTERS:
            return DRAFTERS[self.named]()
        draft = self.draft
        if draft is None:
            return None
        encoder = self.target.ready.rows[row] if draft.shares_encoder else draft.ready.rows[row]
        own = draft.checkpoint.vocabulary

        def with_model() -> Drafter:
            return draft.drafter(Draft(draft.ready.rows[row], encoder, own))

        head, spelling, ctc = draft.head, draft.spelling, draft.checkpoint.ctc
        if head is None or spelling is None or ctc is None:
            return with_model()

        def read(encoded: Any) -> Frames:
            return head(encoder.hidden(encoded))

        made = TiersDrafter if self.named == TIERS else CtcDrafter
        # A draft with a head belongs to its target, whose tokens it has.
        layers = cast(Callable[[], ModelDrafter], with_model)
        return made(read, encoder, spelling, ctc.units, ctc.languages, own, layers)

    def look_ahead(self, row: int = 0) -> LookAhead | None:
        """The look-ahead for one more recording, with the measurements from earlier ones unless a way is named."""
        if self.draft is None:
            return None
        if self.named:
            return self.named_look_ahead(row)
        self.draft.look_aheads[row].restart()
        return self.draft.look_aheads[row]

    def named_look_ahead(self, row: int = 0, may_disable_draft: bool = True) -> LookAhead:
        """A look-ahead for the drafter that is named, of which nothing is known yet."""
        most = _most(self.target.ready.rows[row])
        return LookAhead(most=most, may_disable_draft=may_disable_draft, head_alone=self.named != LAYERS)

    def keep_measurements(self) -> None:
        """Write down what the draft costs beside its target, for the next run."""
        if self.draft is not None and not self.named and self.target.ready.batch is None:
            measured.keep((self.target.key, self.draft.key), self.draft.look_aheads[0])

    def setup(self, guard: bool = False, draft: bool = True, row: int = 0) -> Setup:
        """What decoding needs for one recording, or for a row of a batch; `draft` False leaves the draft out."""
        checkpoint = self.target.checkpoint
        return Setup(
            self.target.ready.rows[row],
            checkpoint.vocabulary,
            checkpoint.text,
            self.drafter(row) if draft else None,
            Voices if guard else None,
        )

    def batch(self, guard: bool = False) -> BatchRows | None:
        """What decoding needs for one recording in batches; None where the pair decodes one text at a time."""
        if self.target.ready.batch is None:
            return None
        numbers = range(len(self.target.ready.rows))
        batches = [each.ready.batch for each in (self.target, self.draft) if each and each.ready.batch]
        return BatchRows(
            [replace(self.setup(guard, row=row), look_ahead=self.look_ahead(row)) for row in numbers],
            batches,
            batches[:1] if self.draft and self.draft.shares_encoder else batches,
        )

    def described(self) -> Models:
        """The pair in words for people."""
        target = self.target
        return Models(
            target=target.checkpoint.name,
            draft=self.draft.checkpoint.name if self.draft else "",
            drafter=self.named or ("model" if self.draft else "off"),
            device=self._devices(),
            precision=target.model.precision,
            notices=tuple(one for one in (_notice(target.checkpoint), self.remark) if one),
            batch=len(target.ready.rows),
        )

    def _devices(self) -> str:
        model, draft = self.target.model, self.draft
        device = draft.ready.rows[0].device if draft and draft.has_own_device else model.device
        return devices.described(model.encoder_device, model.device, device if draft else None)


class ModelCache:
    """Keeps the last pair in memory."""

    def __init__(self) -> None:
        self._target: Loaded | None = None
        self._draft: LoadedDraft | None = None

    def pair(self, options: Options, announce: Announce) -> Pair:
        """The pair for these options; `announce` is called with a stage before each step that takes time.

        Raises Problem.
        """
        folder = find(options.target or choice.best(options.language))
        devices = _devices(options)
        key = _key(folder, options, devices.target, devices.encoder)
        if self._target is None or self._target.key != key:
            self.clear()
            checkpoint = read_target(folder)
            if devices.target == "auto":
                announce("loading_on", name=checkpoint.name, device=runtime.AUTO)
            else:
                announce("loading", name=checkpoint.name)
            self._target = Loaded(
                key,
                checkpoint,
                _load(
                    checkpoint,
                    devices.target,
                    options,
                    None,
                    encoder_device=devices.encoder,
                    preparing=lambda device: announce("loading_first", device=device),
                ),
            )
        target = self._target
        if options.draft in DRAFTERS:
            return Pair(target, None, named=options.draft)
        if options.draft == "auto" and not target.model.rewinds_freely:
            return Pair(target, None, _remark(target.checkpoint, options))
        pair = Pair(target, *self._draft_for(target, options, announce))
        if options.draft not in WAYS:
            return pair
        if pair.draft is None or pair.draft.head is None:
            raise Problem("model.no_head", target=target.checkpoint.name, way=options.draft)
        return replace(pair, named=options.draft)

    def clear(self) -> None:
        """Release the models' memory."""
        self._target = self._draft = None

    def _draft_for(
        self, target: Loaded, options: Options, announce: Announce
    ) -> tuple[LoadedDraft | None, Problem | None]:
        checkpoint, remark = _choose(target.checkpoint, options, self._draft)
        if checkpoint is None:
            return None, remark
        devices = _devices(options)
        device = devices.draft
        key = _key(checkpoint.folder, options, device)
        if self._draft is None or self._draft.key != key:
            self._draft = None
            drafter = pairs.drafter(target.checkpoint, checkpoint)
            announce("loading_draft", name=target.checkpoint.name)
            # One runtime cannot read the encoder output of the other.
            alike = on_torch(device) == on_torch(devices.target)
            shares_encoder = alike and same_encoder(target.checkpoint, checkpoint)
            load = partial(
                _load,
                checkpoint,
                device,
                options,
                target.model if shares_encoder else None,
                drafts=True,
                preparing=lambda device: announce("loading_first_draft", device=device),
            )
            head = runtime.ctc_head(checkpoint, _cache())
            look_aheads = [
                LookAhead(most=_most(model), may_disable_draft=True, has_head=head is not None)
                for model in target.ready.rows
            ]
            spelling = pairs.spelling(target.checkpoint) if head else None
            own_device = device != devices.target
            draft = LoadedDraft(key, checkpoint, load, own_device, shares_encoder, drafter, head, spelling, look_aheads)
            if target.ready.batch is None:
                measured.resume((target.key, key), look_aheads[0])
            if head is None or look_aheads[0].asks_model:
                draft.load_model()
            self._draft = draft
        return self._draft, remark


def _most(model: runtime.RuntimeModel) -> int:
    """The longest look-ahead that a target verifies at little cost."""
    return max(MOST, model.pass_width - 1)


def _load(
    checkpoint: Checkpoint, device: str, options: Options, encoder: runtime.RuntimeModel | None, **others: Any
) -> Ready:
    """A checkpoint made ready with as many rows as the options ask for; `others` go to `runtime.load`."""
    if options.batch > 1:
        batch = runtime.load_batch(checkpoint, options.batch, device, options.precision, encoder)
        return Ready(batch.rows, batch)
    return Ready([runtime.load(checkpoint, device, options.precision, encoder, _cache(), **others)])


def checked(target: str, draft: str) -> tuple[Checkpoint, Checkpoint | None]:
    """The models that a target ("" for the best installed) and a draft, as in Options, stand for. Nothing is loaded;
    Problem says what is wrong with one of them, or why they do not fit.
    """
    options = Options(target=target, draft=draft)
    whole = read_target(find(target or choice.best()))
    if draft == "auto" and whole.ir is not None:
        return whole, None
    return whole, _choose(whole, options, None)[0]


def find(wanted: str) -> Path:
    """The folder of a model that is given by its name or as a folder. Problem says which names there are."""
    known = installed.names()
    if wanted in known:
        return known[wanted]
    folder = Path(wanted).expanduser()
    if folder.is_dir():
        return folder
    if folder.is_file():
        raise Problem("model.is_file", name=wanted)
    installed.check_readable(wanted)
    raise Problem("model.unknown", name=wanted, names=", ".join(known))


def _choose(
    target: Checkpoint, options: Options, loaded: LoadedDraft | None
) -> tuple[Checkpoint | None, Problem | None]:
    """The draft that is to be used, and what does not fit. A draft that was named is refused then.

    "auto" is what the user gave the target, else what came with it, else the first installed one of those that the
    catalogue recommends; one that does not fit is passed over, and if it is the target's own, that is said. The ways
    to draft are ways of that one.
    """
    if options.draft == "off" or options.draft in DRAFTERS:
        return None, None
    if options.draft not in ("auto", *WAYS):
        return _fitting(target, find(options.draft), options, loaded), None
    own = [folder for folder in (choice.registered_draft(target.folder), target.draft) if folder]
    causes: list[Problem] = []
    for folder in [*own, *choice.recommended_drafts(target.folder, options.language)]:
        try:
            draft = _fitting(target, folder, options, loaded)
        except Problem as problem:
            causes += [problem] if folder in own else []
        else:
            return draft, Problem("model.other_draft", draft=draft.name, cause=causes[0]) if causes else None
    return None, Problem("model.without_draft", target=target.name, cause=causes[0]) if causes else None


def _fitting(target: Checkpoint, folder: Path, options: Options, loaded: LoadedDraft | None) -> Checkpoint:
    """The draft in a folder, read unless it is the loaded one; Problem where it does not fit."""
    if loaded is not None and loaded.key == _key(folder, options, _devices(options).draft):
        _check(target, loaded.checkpoint, options)
        return loaded.checkpoint
    draft = _read_draft(folder, target)
    _check(target, draft, options)
    pairs.drafter(target, draft)
    return draft


def _remark(target: Checkpoint, options: Options) -> Problem | None:
    """Why a target whose rewinds cost time runs without its draft."""
    draft, _ = _choose(target, options, None)
    if draft is None:
        return None
    return Problem("model.graphs_without_draft", target=target.name, draft=draft.folder.name)


def _notice(checkpoint: Checkpoint) -> Problem | None:
    return Problem("model.notice", text=checkpoint.notice) if checkpoint.notice else None


def _key(folder: Path, options: Options, *devices: str) -> tuple[object, ...]:
    """Changes with the folder, what lies in it, devices, precision and batch."""
    there = [file for file in folder.glob("*.*") if file.exists()]  # a link may lead nowhere
    files = sorted((file.name, file.stat().st_mtime_ns, file.stat().st_size) for file in there)
    return folder.resolve(), tuple(files), devices, options.precision, options.batch


def _read_draft(folder: Path, target: Checkpoint) -> Checkpoint:
    """The draft in a folder; Problem says that it is the draft with which something is wrong."""
    try:
        return read_draft(folder, target)
    except Problem as problem:
        raise Problem("model.draft_unusable", draft=folder.name, target=target.name, cause=problem) from problem


def _check(target: Checkpoint, draft: Checkpoint, options: Options) -> None:
    language = None if options.language == "auto" else options.language
    pairs.check(target, draft, language, options.task == "translate")


def _devices(options: Options) -> devices.Devices:
    try:
        return devices.parse(options.device)
    except ValueError as error:
        raise Problem("model.devices", devices=options.device) from error


def _cache() -> Path | None:
    """The folder of compiled models; None where it cannot be made, and they are compiled each time."""
    folder = folders.cache() / "compiled"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder
