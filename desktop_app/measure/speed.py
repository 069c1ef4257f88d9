"""`galley bench speed`: how fast recordings are transcribed by the target alone and with each of its drafters, and how
near a pass comes to the least time that it can take.

All run in this process, in turn, so that whatever else the computer does hits them alike. Time counts as for a job of
the engine, from opening a file that the models are ready for to the end of its text.
"""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from statistics import median
from time import perf_counter
from typing import Any

from desktop_app import printing
from desktop_app.app.presentation import problems, stages
from desktop_app.audio.files import AudioFile
from desktop_app.audio.spectrogram import Spectrogram
from desktop_app.decoding import longform
from desktop_app.decoding.audio_window import Samples
from desktop_app.decoding.drafter_names import DRAFTERS
from desktop_app.decoding.lookahead import LookAhead
from desktop_app.engine import probe
from desktop_app.measure.figures import saved
from desktop_app.measure.roofline import Roofline, bandwidth, weight_bytes
from desktop_app.messages.options import Options
from desktop_app.problems import Problem
from desktop_app.texts import N_, _, ngettext
from desktop_app.transcript.constants import SAMPLE_RATE, WINDOW_SECONDS
from desktop_app.transcript.model import Segment
from desktop_app.transcript.statistics import Counter, Statistics
from desktop_app.worker.file_job import settings_of
from desktop_app.worker.loaded_models import ModelCache, Pair

DONE, FAILED, NO_MODEL, INTERRUPTED = 0, 1, 3, 130

ALONE = "alone"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which files, and how often."""
    parser.add_argument("files", nargs="+", metavar=_("FILE"), help=_("audio or video file with speech"))
    add_rounds(parser, default=5)


def add_rounds(parser: argparse.ArgumentParser, default: int) -> None:
    """How often."""
    parser.add_argument(
        "--rounds",
        type=_rounds,
        default=default,
        metavar="N",
        help=_("transcribe N times with each drafter, in turn, and take the medians (default: %(default)s)"),
    )


def run(arguments: argparse.Namespace) -> int:
    """Measure and print; gives the exit status."""
    options, bench = arguments.options, Bench()
    status = bench.read(arguments.files)
    if not bench.files:
        return status
    try:
        bench.load(options)
    except Problem as problem:
        _say(f"galley: {problems.sentence(problem)}")
        return NO_MODEL
    try:
        status = max(status, bench.measure(arguments.rounds), bench.compare())
    except Problem as problem:
        _say(f"galley: {problems.sentence(problem)}")
        return FAILED if problem.kind == "file" else NO_MODEL
    if not bench.rounds:
        return status
    figures = bench.figures()
    for line in _lines(figures):
        printing.out(f"{line}\n")
    if arguments.json and not saved(arguments.json, figures):
        return max(status, FAILED)
    return status


@dataclass(frozen=True)
class Figures:
    """All files once with one drafter, or medians of several times. Seconds are wall clock; `elsewhere` is what is
    neither encoding, drafting nor verifying; `pass_seconds` is verification for each pass of the target.
    """

    wall: float
    times_real_time: float
    encoder: float
    draft: float
    verification: float
    elsewhere: float
    passes: float
    pass_seconds: float
    tokens_per_pass: float
    acceptance: float

    @classmethod
    def of(cls, stats: Statistics) -> Figures:
        """The figures of one time."""
        computing = stats.encode_seconds + stats.draft_seconds + stats.verify_seconds
        return cls(
            wall=stats.wall_seconds,
            times_real_time=stats.audio_seconds / stats.wall_seconds,
            encoder=stats.encode_seconds,
            draft=stats.draft_seconds,
            verification=stats.verify_seconds,
            elsewhere=stats.wall_seconds - computing,
            passes=stats.target_passes,
            pass_seconds=stats.verify_seconds / max(1, stats.target_passes),
            tokens_per_pass=stats.tokens_per_pass,
            acceptance=stats.acceptance,
        )

    @classmethod
    def medians(cls, several: Sequence[Figures]) -> Figures:
        """The median of each figure by itself, so that the parts need not add up to the whole."""
        return cls(**{name: median(getattr(each, name) for each in several) for name in vars(several[0])})


Text = tuple[tuple[float, float, tuple[int, ...]], ...]
"""Start, end and tokens of each segment. Probabilities are no part of it: their last bits may differ."""

Round = Mapping[str, Statistics]
"""The drafters' names, ALONE first, and what each took for all files."""


def compared(rounds: Sequence[Round]) -> dict[str, dict[str, Any]]:
    """For each drafter its medians, all its rounds, and how many times as fast as the target alone it is: the ratio of
    the medians.
    """
    each = {name: [Figures.of(taken[name]) for taken in rounds] for name in rounds[0]}
    medians = {name: Figures.medians(figures) for name, figures in each.items()}
    return {
        name: {
            **vars(medians[name]),
            "times_alone": medians[ALONE].wall / medians[name].wall,
            "rounds": [vars(figures) for figures in each[name]],
        }
        for name in each
    }


class Bench:
    """Some files by one target and its drafters, again and again.

    Attributes: files (those that can be read), with their seconds; names (ALONE, and the drafters'); rounds (those that
    are finished).
    """

    def __init__(self) -> None:
        self.files: dict[str, float] = {}
        self.names: list[str] = []
        self.rounds: list[Round] = []
        self._pairs: Mapping[str, Pair] = {}
        self._texts: dict[str, Text] = {}
        self._differing: list[tuple[str, str]] = []

    def read(self, files: Sequence[str]) -> int:
        """Read each file once, and say which cannot be read; gives the exit status."""
        status = DONE
        for file in files:
            try:
                self.files[file] = sum(map(len, _blocks(file))) / SAMPLE_RATE
            except Problem as problem:
                _say(f"{file}: {problems.sentence(problem)}")
                status = FAILED
        return status

    def load(self, options: Options) -> None:
        """Load the target and its drafters. Raises Problem."""
        model_cache = ModelCache()
        pair = model_cache.pair(replace(options, draft="off") if options.draft in DRAFTERS else options, _announce)
        if pair.remark:
            _say(problems.sentence(pair.remark))
        alone = replace(pair, draft=None, remark=None)
        drafted = {pair.draft.checkpoint.name: pair} if pair.draft else {}
        self.use({ALONE: alone, **drafted, **{name: replace(alone, named=name) for name in DRAFTERS}}, options)

    def use(self, pairs: Mapping[str, Pair], options: Options) -> None:
        """Measure these pairs, all with the same target."""
        self._pairs, self.names, self._options = pairs, list(pairs), options
        self._settings = settings_of(options, next(iter(pairs.values())).target.checkpoint)

    def measure(self, rounds: int) -> int:
        """All drafters in turn, `rounds` times; gives the exit status. Ctrl-C ends it: finished rounds stay. Raises
        Problem.
        """
        try:
            self.warm_up()
            for number in range(1, rounds + 1):
                _say(_("Round {number} of {rounds}…", number=number, rounds=rounds))
                self.rounds.append(self.one_round())
        except KeyboardInterrupt:
            _say(
                ngettext(
                    "Interrupted. {done} of {n} round was measured.",
                    "Interrupted. {done} of {n} rounds were measured.",
                    rounds,
                    done=len(self.rounds),
                )
            )
            return INTERRUPTED
        return DONE

    def one_round(self) -> Round:
        """All files with one drafter after another. Raises Problem."""
        return {name: reduce(add, [self.one_file(name, file) for file in self.files]) for name in self.names}

    @property
    def threads(self) -> int:
        """Of the CPU that compute; 0 on another device."""
        return self._pairs[ALONE].target.model.threads

    def warm_up(self) -> None:
        """Transcribe one window with each drafter, because the first inferences take longer. Raises Problem."""
        first = next(iter(self.files))
        for pair in self._pairs.values():
            self._transcribe(pair, first, WINDOW_SECONDS)

    def compare(self) -> int:
        """Say where a text was not the target's own; gives the exit status."""
        for name, file in self._differing:
            _say(_("{file}: With {drafter} the text is not the target's own.", file=file, drafter=name))
        return FAILED if self._differing else DONE

    def one_file(self, name: str, file: str) -> Statistics:
        """Transcribe a file with one of the `names`, and keep what text differs. Raises Problem."""
        text, stats = self._transcribe(self._pairs[name], file)
        if text != self._texts.setdefault(file, text) and (name, file) not in self._differing:
            self._differing.append((name, file))
        return stats

    def look_ahead(self, pair: Pair) -> LookAhead | None:
        """What a pair drafts with in the next recording."""
        return pair.look_ahead()

    def _transcribe(self, pair: Pair, file: str, most: float = float("inf")) -> tuple[Text, Statistics]:
        """One file, or the first `most` seconds of it, in the steps of `engine.job`."""
        began, listener, counter = perf_counter(), _Listener(), Counter()
        extract = Spectrogram(_blocks(file, most), pair.mel_bins).features
        setup = replace(pair.setup(self._options.guard), look_ahead=self.look_ahead(pair))
        longform.transcribe(_blocks(file, most), extract, setup, listener, self._settings, counter)
        wall = perf_counter() - began
        text = tuple((each.start, each.end, each.tokens) for each in listener.made)
        return text, replace(counter.total, audio_seconds=self.files[file], wall_seconds=wall)

    def figures(self) -> dict[str, Any]:
        """Everything, for the JSON."""
        target = self._pairs[ALONE].target
        models = next((pair for pair in self._pairs.values() if pair.draft), self._pairs[ALONE]).described()
        roofline = None
        if threads := self.threads:
            size = weight_bytes(target.checkpoint.shape, target.model.weights) + target.model.window_bytes
            roofline = Roofline(size, bandwidth(size, threads), threads)
        return {
            "machine": {"processor": processor(), "cores": os.cpu_count(), "system": platform.platform()},
            "models": models.plain(),
            "files": [{"file": file, "seconds": seconds} for file, seconds in self.files.items()],
            "drafters": compared(self.rounds),
            "same_text": not self._differing,
            "differing": [{"drafter": name, "file": file} for name, file in self._differing],
            "roofline": {**vars(roofline), "seconds": roofline.seconds} if roofline else None,
        }


class _Listener(longform.DecodingListener):
    """Keeps the segments."""

    def __init__(self) -> None:
        self.made: list[Segment] = []

    def segments(self, segments: Sequence[Segment], done_seconds: float) -> None:
        self.made += segments


def _blocks(file: str, most: float = float("inf")) -> Iterator[Samples]:
    """The blocks of a file that begin within the first `most` seconds."""
    with AudioFile(file) as audio:
        done = 0
        for block in audio:
            if done >= most * SAMPLE_RATE:
                return
            yield block
            done += len(block)


def processor() -> str:
    """The name of the CPU."""
    return dict(probe.inference_devices()).get("CPU", "") or platform.machine()


def _lines(figures: dict[str, Any]) -> list[str]:
    """What a person reads."""
    models, machine, drafters = figures["models"], figures["machine"], figures["drafters"]
    lines = [
        ngettext("{processor}, {n} core", "{processor}, {n} cores", machine["cores"], processor=machine["processor"]),
        line_of_models(models),
        ngettext(
            "{n} recording, {minutes:.1f} min",
            "{n} recordings, {minutes:.1f} min",
            len(figures["files"]),
            minutes=sum(each["seconds"] for each in figures["files"]) / 60,
        ),
        ngettext("Medians of {n} round:", "Medians of {n} rounds:", len(drafters[ALONE]["rounds"])),
    ]
    for name, found in drafters.items():
        lines += _lines_of_drafter(name, found)
    if figures["same_text"]:
        lines.append(_("The text is the same with every drafter."))
    if roofline := figures["roofline"]:
        lines.append(
            ngettext(
                "A pass reads {size:.0f} MB; {n} thread reads {bandwidth:.1f} GB/s here: at least {least:.1f} ms a "
                "pass, measured {measured:.1f} ms",
                "A pass reads {size:.0f} MB; {n} threads read {bandwidth:.1f} GB/s here: at least {least:.1f} ms a "
                "pass, measured {measured:.1f} ms",
                roofline["threads"],
                size=roofline["bytes"] / 1e6,
                bandwidth=roofline["bandwidth"] / 1e9,
                least=roofline["seconds"] * 1000,
                measured=drafters[ALONE]["pass_seconds"] * 1000,
            )
        )
    return lines


def line_of_models(models: Mapping[str, Any]) -> str:
    """A pair, as its figures hold it, in words."""
    return _(
        "Model: {target}, draft model: {draft}, device: {device}, precision: {precision}",
        target=models["target"],
        draft=models["draft"] or _("none"),
        device=models["device"],
        precision=models["precision"],
    )


def _lines_of_drafter(name: str, found: dict[str, Any]) -> list[str]:
    head = _("{wall:.2f} s, {times_real_time:.1f} × real time", **found)
    seconds = _(
        "encoder {encoder:.2f} s, draft {draft:.2f} s, verification {verification:.2f} s, elsewhere {elsewhere:.2f} s",
        **found,
    )
    passes = _(
        "{passes:.0f} passes of {milliseconds:.1f} ms, {tokens_per_pass:.2f} tokens per pass",
        milliseconds=found["pass_seconds"] * 1000,
        **found,
    )
    if name == ALONE:
        return [f"{_(_ALONE)}: {head}", f"  {seconds}", f"  {passes}"]
    ratio = _("{times_alone:.2f} × as fast as alone", **found)
    accepted = _("{acceptance:.1%} of the draft tokens accepted", **found)
    return [f"{name}: {head}, {ratio}", f"  {seconds}", f"  {passes}, {accepted}"]


_ALONE = N_("alone")


def _rounds(text: str) -> int:
    try:
        found = int(text)
    except ValueError:
        found = 0
    if found < 1:
        raise argparse.ArgumentTypeError(_("{text} is not a number of rounds, such as 5", text=repr(text)))
    return found


def _announce(stage: str, **values: str) -> None:
    _say(stages.describe(stage, **values))


def _say(sentence: str) -> None:
    printing.say(sentence)
