"""`galley bench live`: words on the screen while they are spoken. How late, how stable, how right, at what cost.

A session is played faster than real time: a clock advances by what the computing takes. What the figures mean is in
docs/design/live-text.md.
"""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from desktop_app import printing
from desktop_app.app.presentation import problems, stages
from desktop_app.decoding.audio_window import Samples
from desktop_app.measure.error_rates import normalised, word_error_rate
from desktop_app.measure.figures import saved
from desktop_app.measure.in_process import CLOCKS, LivePlayer, Run, file_text
from desktop_app.measure.live_figures import SpokenWord, accuracy, erasure, latency
from desktop_app.measure.live_speech import known_words, real_speech, sample, silence
from desktop_app.measure.recordings import audio_of, sounds
from desktop_app.messages.options import Options
from desktop_app.problems import Problem
from desktop_app.texts import N_, _, ngettext
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.worker.loaded_models import ModelCache, Pair

FIXED = 0.4  # seconds between updates where the number of passes is compared
SILENCES = ("silence", "noise", "music")
DELAYS = {
    "shown_aware": N_("delay until a word is shown"),
    "final_aware": N_("delay until a word is final"),
    "final_unaware": N_("delay until a word is final, without computing time"),
    "end_of_speech_to_final": N_("delay until the last word before a pause is final"),
}
_KINDS = {
    "sample": N_("sample conversation"),
    "speech": N_("speech"),
    "real": N_("real speech"),
    "silence": N_("silence"),
    "noise": N_("noise"),
    "music": N_("music"),
    "sounds": N_("sounds"),
}
_CLOCKS = {"processor": N_("processor time"), "wall": N_("wall-clock time")}
_WAYS = {
    "previous": N_("previous text as the draft"),
    "draft_only": N_("draft model only"),
    "no_draft": N_("no draft"),
}
_PAUSE = silence(1.0, "silence")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What can be asked for."""
    add = parser.add_argument
    add(
        "--speech",
        metavar=_("FILE"),
        help=_(
            "speech with known word times, which are in FILE with the extension .words.json (default without --real: "
            "the sample conversation)"
        ),
    )
    add("--seconds", type=float, default=0.0, metavar="N", help=_("process N seconds of it (default: all)"))
    add(
        "--passes",
        type=float,
        default=60.0,
        metavar="N",
        help=_("compare three ways to draft on N seconds of it (default: %(default)s)"),
    )
    add(
        "--quiet",
        type=float,
        default=300.0,
        metavar="N",
        help=_("also process N seconds each of silence, noise and music (default: %(default)s)"),
    )
    add(
        "--real",
        metavar=_("FOLDER"),
        help=_("recordings of real speech with reference texts, as galley bench accuracy reads them"),
    )
    add(
        "--minutes",
        type=float,
        default=10.0,
        metavar="M",
        help=_("process M minutes of them, chosen at random (default: %(default)s)"),
    )
    add(
        "--sounds",
        metavar=_("FOLDER"),
        help=_("recordings without speech; the classes of ESC-10 with voices are skipped"),
    )
    add(
        "--clock",
        default="processor",
        choices=tuple(CLOCKS),
        help=_("measure computing by the processor time of all threads, or by wall-clock time (default: %(default)s)"),
    )


def run(arguments: argparse.Namespace) -> int:
    """Measure and print; gives the exit status."""
    options: Options = arguments.options
    try:
        result = _measure(ModelCache().pair(options, _announce), options, arguments)
    except Problem as problem:
        _say(f"galley: {problems.sentence(problem)}")
        return 1 if problem.kind == "file" else 3
    except (OSError, ValueError, KeyError) as error:
        why = _(
            "The word times cannot be read ({error}). Their format is described in docs/design/live-text.md.",
            error=error,
        )
        _say(f"galley: {why}")
        return 1
    printing.out("\n".join(_lines(result)) + "\n")
    return 1 if arguments.json and not saved(arguments.json, result) else 0


def _measure(pair: Pair, options: Options, arguments: argparse.Namespace) -> dict[str, Any]:
    models = pair.described()
    result: dict[str, Any] = {
        "machine": {"processor": platform.processor() or platform.machine(), "cores": os.cpu_count()},
        "models": {"target": models.target, "draft": models.draft, "device": models.device},
        "clock": arguments.clock,
    }
    LivePlayer(pair, options, every=FIXED).play(sample()[0][: 3 * SAMPLE_RATE])  # the first inferences take longer
    name, speech, spoken = _played(pair, options, arguments)
    result[name] = _speech(pair, options, speech, spoken, arguments.clock)
    if arguments.passes:
        result["passes"] = _passes(pair, options, speech[: round(arguments.passes * SAMPLE_RATE)])
    if arguments.quiet:
        quiet = {kind: silence(arguments.quiet, kind) for kind in SILENCES}
        result["without_speech"] = {
            kind: _without_speech(pair, options, kind, audio, arguments.clock) for kind, audio in quiet.items()
        }
    if arguments.sounds:
        joined = np.concatenate([each for path in sounds(Path(arguments.sounds)) for each in (audio_of(path), _PAUSE)])
        found = _without_speech(pair, options, "sounds", joined, arguments.clock)
        result["without_speech"] = {**result.get("without_speech", {}), "sounds": found}
    return result


def _played(pair: Pair, options: Options, arguments: argparse.Namespace) -> tuple[str, Samples, list[SpokenWord]]:
    """What is played, its name, and its words."""
    if arguments.real:
        _say(_("Aligning the reference texts…"))
        return ("real", *real_speech(pair, options, Path(arguments.real), 60 * arguments.minutes))
    if not arguments.speech:
        return ("sample", *sample())
    path = Path(arguments.speech)
    speech, spoken = audio_of(path), known_words(path.with_suffix(".words.json"))
    if arguments.seconds:
        speech = speech[: round(arguments.seconds * SAMPLE_RATE)]
    return "speech", speech, [each for each in spoken if each.end < len(speech) / SAMPLE_RATE]


def _speech(pair: Pair, options: Options, audio: Samples, spoken: list[SpokenWord], clock: str) -> dict[str, Any]:
    _say_processing("speech", audio)
    played = LivePlayer(pair, options, clock).play(audio)
    seconds = len(audio) / SAMPLE_RATE
    file_words = normalised(file_text(pair, audio, options).text)
    return {
        "seconds": seconds,
        "words": len(spoken),
        **latency(played, spoken),
        "erasure": erasure(played),
        "wer_final": accuracy(played, spoken),
        "wer_file": word_error_rate([each.word for each in spoken], file_words),
        "updates_per_second": played.updates / seconds,
        "computing_share": (played.listening + played.writing) / seconds,
        "listening_share": played.listening / seconds,
        "largest_backlog": played.backlog,
        "text": " ".join(played.words),
    }


def _passes(pair: Pair, options: Options, audio: Samples) -> dict[str, Any]:
    """Target passes for a second of audio, at the same moments: three ways to draft, one text."""
    seconds = len(audio) / SAMPLE_RATE
    ways: dict[str, Callable[[], LivePlayer]] = {
        "previous": lambda: LivePlayer(pair, options, every=FIXED),
        "draft_only": lambda: LivePlayer(pair, options, every=FIXED, previous=False),
        "no_draft": lambda: LivePlayer(pair, options, every=FIXED, previous=False, draft=False),
    }
    found: dict[str, Any] = {"seconds": seconds}
    texts = set()
    for name, player in ways.items():
        _say(_("Counting target passes: {way}…", way=_(_WAYS[name])))
        played: Run = player().play(audio)
        texts.add(tuple(played.words))
        found[name] = played.counter.total.target_passes / seconds
    found["same_text"] = len(texts) == 1
    found["saved_against_no_draft"] = 1 - found["previous"] / found["no_draft"]
    found["saved_against_draft_only"] = 1 - found["previous"] / found["draft_only"]
    return found


def _without_speech(pair: Pair, options: Options, kind: str, audio: Samples, clock: str) -> dict[str, Any]:
    seconds = len(audio) / SAMPLE_RATE
    _say_processing(kind, audio)
    played = LivePlayer(pair, options, clock).play(audio)
    shown = {" ".join((*each.final, *each.provisional, *each.draft)) for each in played.shown} - {""}
    return {
        "seconds": seconds,
        "words": len(played.words),
        "text": " ".join(played.words),
        "shown": sorted(shown)[:5],
        "computing_share": (played.listening + played.writing) / seconds,
    }


def _lines(result: dict[str, Any]) -> list[str]:
    """The figures for people."""
    models = result["models"]
    lines = [
        _("Model: {target}, draft model: {draft}", target=models["target"], draft=models["draft"] or _("none")),
        _("Clock: {clock}", clock=_(_CLOCKS[result["clock"]])),
    ]
    for name in ("sample", "speech", "real"):
        if name in result:
            lines += _lines_of_speech(name, result[name])
    if passes := result.get("passes"):
        lines.append(
            _(
                "target passes per second: {previous:.1f} with the previous text as the draft, {draft_only:.1f} with "
                "the draft model only, {no_draft:.1f} without a draft",
                **passes,
            )
        )
        lines.append(_("All three texts are the same.") if passes["same_text"] else _("THE TEXTS DIFFER."))
    for kind, found in result.get("without_speech", {}).items():
        lines.append(
            ngettext(
                "{kind}: {n} word, {share:.1%} of a core",
                "{kind}: {n} words, {share:.1%} of a core",
                found["words"],
                kind=_(_KINDS[kind]),
                share=found["computing_share"],
            )
        )
        lines += [f"  {found['text']}"] if found["words"] else []
    return lines


def _lines_of_speech(name: str, found: dict[str, Any]) -> list[str]:
    lines = [
        _(
            "{kind}: {seconds:.0f} s, {words} words, {matched} of them correct",
            kind=_(_KINDS[name]),
            seconds=found["seconds"],
            words=found["words"],
            matched=found["matched_words"],
        )
    ]
    for kind, label in DELAYS.items():
        if found[kind]:
            spread = _("mean {mean:.2f} s, median {p50:.2f} s, 95th percentile {p95:.2f} s", **found[kind])
            lines.append(f"  {_(label)}: {spread}")
    erased = _(
        "erased per final word: {provisional:.2f} provisional, {with_draft:.2f} with the draft, {final:.2f} final",
        **found["erasure"],
    )
    errors = _(
        "word error rate: live {live:.1%}, whole file {file:.1%}", live=found["wer_final"], file=found["wer_file"]
    )
    cost = _(
        "{updates:.1f} updates per second, {share:.0%} of a core, largest backlog {backlog:.1f} s",
        updates=found["updates_per_second"],
        share=found["computing_share"],
        backlog=found["largest_backlog"],
    )
    return [*lines, f"  {erased}", f"  {errors}", f"  {cost}"]


def _say_processing(kind: str, audio: Samples) -> None:
    _say(_("Processing {kind}, {seconds:.0f} s…", kind=_(_KINDS[kind]), seconds=len(audio) / SAMPLE_RATE))


def _announce(stage: str, **values: str) -> None:
    _say(stages.describe(stage, **values))


def _say(what: str) -> None:
    printing.say(what)
