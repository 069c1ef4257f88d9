"""`galley bench drafters`: what each drafter brings on your own recordings.

The target alone, the draft as it is used by itself, each way of it that has a name, n-grams, and the other installed
models that the catalogue recommends as drafts, in turn with each recording, so that whatever else the computer does
hits them alike. The named ones always draft; `auto` may choose a way, or disable the draft.
"""

from __future__ import annotations

import argparse
import io
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce
from importlib.util import find_spec
from operator import add
from pathlib import Path
from statistics import median
from typing import Any

from desktop_app import atomic, printing
from desktop_app.app.presentation import problems, stages
from desktop_app.checkpoints import choice
from desktop_app.decoding.drafter_names import DRAFTERS, WAYS
from desktop_app.decoding.lookahead import LookAhead
from desktop_app.engine import probe
from desktop_app.measure.figures import saved
from desktop_app.measure.memory import peak
from desktop_app.measure.speed import ALONE, FAILED, NO_MODEL, Bench, Round, add_rounds, line_of_models, processor
from desktop_app.messages.options import AUTO, OFF, Options
from desktop_app.problems import Problem
from desktop_app.texts import _, ngettext
from desktop_app.transcript.constants import WINDOW_SECONDS
from desktop_app.transcript.statistics import Statistics
from desktop_app.worker.loaded_models import ModelCache, Pair

_LOADING_SECONDS = 600.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which files, how often, and the plot."""
    parser.add_argument("files", nargs="+", metavar=_("FILE"), help=_("audio or video file with speech"))
    add_rounds(parser, default=3)
    parser.add_argument(
        "--plot", metavar=_("FILE"), help=_("draw tokens per pass and time of each drafter, as .png, .svg or .pdf")
    )


def run(arguments: argparse.Namespace) -> int:
    """Measure and print; gives the exit status."""
    if arguments.plot and find_spec("matplotlib") is None:
        what = _(
            "Missing packages: {packages}. Install them by pip install --editable '.[bench]'.", packages="matplotlib"
        )
        _say(f"galley: {what}")
        return FAILED
    bench = DraftersBench()
    status = bench.read(arguments.files)
    if not bench.files:
        return status
    try:
        bench.load(arguments.options)
        status = max(status, bench.measure(arguments.rounds), bench.compare())
        found = bench.figures() if bench.rounds else None
    except Problem as problem:
        _say(f"galley: {problems.sentence(problem)}")
        return FAILED if problem.kind == "file" else NO_MODEL
    if found is None:
        return status
    for line in lines(found):
        printing.out(f"{line}\n")
    written = not arguments.json or saved(arguments.json, found)
    written = (not arguments.plot or drawn(Path(arguments.plot), found["drafters"])) and written
    return status if written else max(status, FAILED)


class DraftersBench(Bench):
    """Some files with every drafter that there is for a target, again and again.

    Attributes: by_file (for each file what each drafter took, in each round), beside those of a Bench.
    """

    def __init__(self) -> None:
        super().__init__()
        self.by_file: dict[str, list[Round]] = {}

    def load(self, options: Options) -> None:
        """Load the target and all drafters, among them the model that the options name. Raises Problem."""
        cache, own = ModelCache(), replace(options, draft=AUTO)
        pair = cache.pair(own, _announce)
        if pair.remark:
            _say(problems.sentence(pair.remark))
        named = [*([AUTO] if pair.draft else []), *(WAYS if pair.draft and pair.draft.head else []), *DRAFTERS]
        models = [str(each) for each in choice.recommended_drafts(pair.target.checkpoint.folder, options.language)]
        models += [options.draft] if options.draft not in (AUTO, OFF, *WAYS, *DRAFTERS) else []
        drafted = [cache.pair(replace(options, draft=draft), _announce) for draft in [*named, *models]]
        names = [*named, *(each.described().draft for each in drafted[len(named) :])]
        self.use({ALONE: replace(pair, draft=None), **dict(zip(names, drafted, strict=True))}, options)
        self._drafts = {ALONE: OFF, **dict(zip(names, [*named, *models], strict=True))}

    def look_ahead(self, pair: Pair) -> LookAhead | None:
        """One that always drafts where a drafter is named, so that it is the drafter that is measured."""
        return pair.named_look_ahead(may_disable_draft=False) if pair.named else super().look_ahead(pair)

    def one_round(self) -> Round:
        """One file after another, with each drafter. Raises Problem."""
        taken = {file: {name: self.one_file(name, file) for name in self.names} for file in self.files}
        for file, found in taken.items():
            self.by_file.setdefault(file, []).append(found)
        return {name: reduce(add, (found[name] for found in taken.values())) for name in self.names}

    def figures(self) -> dict[str, Any]:
        """Everything, for the JSON; Raises Problem where the memory cannot be measured."""
        memory = {name: self._memory(name) for name in self.names}
        drafters = compared(self.rounds)
        return {
            "machine": {"processor": processor(), "cores": os.cpu_count(), "system": platform.platform()},
            "models": self._pairs[self.names[1]].described().plain(),
            "rounds": len(self.rounds),
            "drafters": {name: figures | {"peak_bytes": memory[name]} for name, figures in drafters.items()},
            "files": [
                {"file": file, "seconds": self.files[file], "drafters": compared(rounds)}
                for file, rounds in self.by_file.items()
            ],
            "same_text": not self._differing,
            "differing": [{"drafter": name, "file": file} for name, file in self._differing],
        }

    def _memory(self, name: str) -> int:
        """The most memory of a process that transcribes the first window with a drafter, in bytes."""
        options = replace(self._options, draft=self._drafts[name])
        most: int = probe.ask(partial(first_window, options, next(iter(self.files))), _LOADING_SECONDS)
        return most


def first_window(options: Options, file: str) -> int:
    """Load the models and transcribe the first window of a file; gives the most memory of this process, in bytes. For
    `probe.ask`.
    """
    bench = Bench()
    bench.files[file] = WINDOW_SECONDS
    bench.use({ALONE: ModelCache().pair(options, lambda stage, **values: None)}, options)
    bench.warm_up()
    return peak()


def compared(rounds: Sequence[Round]) -> dict[str, dict[str, float]]:
    """What each drafter brought, seconds as medians: `time` is relative to the target alone, `draft_passes` are for
    each pass of the target, `draft_share` is of the whole time and `left_out` of the tokens.
    """
    walls = {name: median(each[name].wall_seconds for each in rounds) for name in rounds[0]}
    found = {}
    for name, wall in walls.items():
        total: Statistics = reduce(add, (each[name] for each in rounds))
        found[name] = {
            "wall": wall,
            "time": wall / walls[ALONE],
            "tokens_per_pass": total.tokens_per_pass,
            "acceptance": total.acceptance,
            "draft_passes": total.draft_passes / max(1, total.target_passes),
            "draft_share": total.draft_seconds / total.wall_seconds,
            "left_out": total.left_out / max(1, total.tokens),
        }
    return found


def lines(found: Mapping[str, Any]) -> list[str]:
    """What a person reads."""
    models = found["models"]
    written = [
        line_of_models(models),
        ngettext("Medians of {n} round:", "Medians of {n} rounds:", found["rounds"]),
    ]
    for name, figures in found["drafters"].items():
        head = _(
            "{drafter}: {tokens_per_pass:.2f} tokens per pass, {time:.0%} of the time alone, {memory:.0f} MB",
            drafter=_("alone") if name == ALONE else name,
            memory=figures["peak_bytes"] / 1e6,
            **figures,
        )
        cost = _(
            "{acceptance:.1%} of the draft tokens accepted; {draft_passes:.2f} draft passes for each pass, "
            "{draft_share:.1%} of the time",
            **figures,
        )
        written += [head] if name == ALONE else [head, f"  {cost}"]
        if figures["left_out"]:
            written.append("  " + _("disabled for {left_out:.0%} of the tokens", **figures))
    if found["same_text"]:
        written.append(_("The text is the same with every drafter."))
    return written


def drawn(file: Path, drafters: Mapping[str, Mapping[str, float]]) -> bool:
    """Draw the drafters to a file whose ending matplotlib knows; says why where that fails, and gives whether it did
    not."""
    from matplotlib.figure import Figure

    names, picture = list(drafters)[::-1], io.BytesIO()
    figure = Figure(figsize=(9, 1.2 + 0.45 * len(names)), layout="constrained")
    for axes, key, title, form in zip(
        figure.subplots(1, 2, sharey=True),
        ("tokens_per_pass", "time"),
        (_("tokens per pass"), _("time; alone is 1")),
        ("  {:.2f}", "  {:.2f}"),
        strict=True,
    ):
        values = [drafters[name][key] for name in names]
        axes.barh(names, values, 0.6, color=["#8c8c8c" if name == ALONE else "#2f6f8f" for name in names])
        for row, value in enumerate(values):
            axes.text(value, row, form.format(value), va="center", fontsize=9)
        axes.set_xlim(0, max(values) * 1.2)
        axes.set_title(title, loc="left", fontsize=10)
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.tick_params(left=False, labelsize=9)
    try:
        figure.savefig(picture, format=file.suffix.removeprefix(".") or "png", dpi=150)
        atomic.write(file, picture.getvalue())
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        _say(_("{file}: The plot cannot be written ({error}). Choose another file.", file=str(file), error=why))
        return False
    return True


def _announce(stage: str, **values: str) -> None:
    _say(stages.describe(stage, **values))


def _say(sentence: str) -> None:
    printing.say(sentence)
