"""`galley bench speakers`: who spoke when, and whose words these are; on conversations that are cut together from clips
of known speakers, and on recordings of real ones.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from desktop_app import printing
from desktop_app.app.presentation import problems
from desktop_app.measure.conversations import CONVERSATIONS, Conversation, clips, make, real_conversations
from desktop_app.measure.der import Errors, errors
from desktop_app.measure.figures import saved
from desktop_app.measure.speaker_runs import LiveFigures, live_figures, long_figures, long_lines, recognised_figures
from desktop_app.problems import Problem
from desktop_app.speakers.attribution import attribute, text_by_speaker
from desktop_app.speakers.diarisation import Diarisation
from desktop_app.speakers.networks import Networks
from desktop_app.speakers.turns import Turn
from desktop_app.texts import _
from desktop_app.transcript.model import Models, Segment, Transcript
from desktop_app.worker.file_speakers import networks

COLLAR = 0.25

_COUNT = "auto|known"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which conversations, and by which networks."""
    add = parser.add_argument
    add(
        "--voices",
        metavar=_("FOLDER"),
        help=_("clips of known speakers, listed in an index.json or in LibriSpeech's layout"),
    )
    add(
        "--count",
        type=int,
        default=CONVERSATIONS,
        metavar="N",
        help=_("make N conversations from them (default: %(default)s)"),
    )
    add(
        "--first",
        type=int,
        default=0,
        metavar=_("SEED"),
        help=_("random seed of the first conversation (default: %(default)s)"),
    )
    add(
        "--mix-sessions",
        action="store_true",
        help=_(
            "take each person's clips from all of their recording sessions instead of one; files of one session share "
            "their name up to the last hyphen"
        ),
    )
    add(
        "--speakers",
        default="auto",
        metavar=_COUNT,
        help=_("detect the number of speakers, or use the known one (default: auto)"),
    )
    add("--real", metavar=_("FOLDER"), help=_("folder with an index.json and real conversations in speakers/"))
    add(
        "--recognised",
        type=int,
        default=0,
        metavar="N",
        help=_("also transcribe the first N conversations and report the cpWER"),
    )
    add(
        "--hours",
        type=float,
        default=0.0,
        metavar="H",
        help=_("also process H hours of conversations as one recording and report the memory use"),
    )
    add(
        "--live",
        action="store_true",
        help=_("also process each conversation live, in blocks of half a second"),
    )


def run(arguments: argparse.Namespace) -> int:
    """Measure; gives the exit status."""
    if not arguments.voices and not arguments.real:
        _complain(_("Choose recordings with --voices or --real."))
        return 2
    try:
        figures = _figures(arguments, networks())
    except Problem as problem:
        _complain(problems.sentence(problem))
        return 1
    for line in _lines(figures):
        printing.out(f"{line}\n")
    return 1 if arguments.json and not saved(arguments.json, figures) else 0


def _figures(arguments: argparse.Namespace, found: Networks) -> dict[str, Any]:
    voices = clips(Path(arguments.voices)) if arguments.voices else []
    known = arguments.speakers == "known"
    seeds = range(arguments.first, arguments.first + (arguments.count if voices else 0))
    rows, live = [], []
    for seed in seeds:
        talk = make(seed, voices, mix_sessions=arguments.mix_sessions)
        rows.append(row(talk, found, talk.speakers if known else None))
        if arguments.live:
            live.append(live_figures(talk, found))
        printing.say(_("{done} of {total}", done=len(rows), total=arguments.count), end="\r")
    printing.say("", end="\n" if rows else "")
    real = [
        row(talk, found, talk.speakers if known else None)
        for talk in (real_conversations(Path(arguments.real)) if arguments.real else ())
    ]
    machine = {"processor": platform.processor() or platform.machine(), "cores": os.cpu_count()}
    return {
        "machine": machine,
        "networks": found.name,
        "speakers": arguments.speakers,
        "mixed_sessions": arguments.mix_sessions,
        "made": summary(rows),
        "live": LiveFigures.together(live) if live else None,
        "recognised": recognised_figures(
            [make(seed, voices, mix_sessions=arguments.mix_sessions) for seed in seeds[: arguments.recognised]]
        )
        if arguments.recognised and voices
        else None,
        "long": long_figures(arguments.hours, found, voices) if arguments.hours and voices else None,
        "conversations": rows,
        "real": real,
    }


def row(talk: Conversation, found: Networks, count: int | None) -> dict[str, Any]:
    """The figures of one conversation. Times are of a stream of blocks as a file gives them."""
    wall, cpu = time.perf_counter(), time.process_time()
    recognised = Diarisation(found, count)
    for block in _blocks(talk.samples):
        recognised.feed(block)
    turns = recognised.finish()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    figures: dict[str, Any] = {
        "name": talk.name,
        "seconds": round(talk.seconds, 2),
        "speakers": talk.speakers,
        "found": len({turn.speaker for turn in turns}),
        "overlap": round(_overlap(talk.turns), 4),
        "real_time_factor": round(wall / talk.seconds, 4),
        "processor_time_factor": round(cpu / talk.seconds, 4),
    }
    for name, collar in (("collar_0", 0.0), ("collar_250ms", COLLAR)):
        figures[name] = _rates(errors(talk.turns, turns, collar, talk.seconds))
    if talk.words:
        figures["words"] = word_figures(talk, turns)
    return figures


def word_figures(talk: Conversation, turns: Sequence[Turn]) -> dict[str, Any]:
    """Whose words: the reference's own words are attributed, as if they had been recognised without a fault; cpWER by
    meeteval, None where that is not installed.
    """
    segment = Segment(0, 0.0, talk.seconds, " ".join(word.text for word in talk.words), words=talk.words)
    models = Models("", "", "off", "", "")
    attributed = attribute(Transcript("", talk.seconds, "en", 1.0, models, (segment,)), turns)
    reference = text_by_speaker(talk.words)
    found = text_by_speaker(word for each in attributed.segments for word in each.words)
    try:
        from meeteval.wer import cp_word_error_rate
    except ImportError:
        return {"count": len(talk.words), "cpwer": None}
    result = cp_word_error_rate(reference, found)
    return {"count": int(result.length), "errors": int(result.errors), "cpwer": round(float(result.error_rate), 4)}


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """All conversations together: rates over all their speech, not means of rates."""
    if not rows:
        return None
    off = np.array([each["found"] - each["speakers"] for each in rows])
    words = [each["words"] for each in rows if each.get("words", {}).get("cpwer") is not None]
    seconds = sum(each["seconds"] for each in rows)
    return {
        "conversations": len(rows),
        "seconds": round(seconds, 1),
        "collar_0": _rates(_sum(each["collar_0"] for each in rows)),
        "collar_250ms": _rates(_sum(each["collar_250ms"] for each in rows)),
        "overlap": round(
            float(np.average([each["overlap"] for each in rows], weights=[e["seconds"] for e in rows])), 4
        ),
        "count_right": round(float(np.mean(off == 0)), 4),
        "count_at_most_one_off": round(float(np.mean(np.abs(off) <= 1)), 4),
        "cpwer_of_attribution": round(sum(e["errors"] for e in words) / sum(e["count"] for e in words), 4)
        if words
        else None,
        "real_time_factor": round(sum(e["real_time_factor"] * e["seconds"] for e in rows) / seconds, 4),
        "processor_time_factor": round(sum(e["processor_time_factor"] * e["seconds"] for e in rows) / seconds, 4),
    }


def _sum(rates: Iterable[dict[str, float]]) -> Errors:
    return sum(
        (Errors(each["seconds"], each["missed_s"], each["false_alarm_s"], each["confusion_s"]) for each in rates),
        Errors(),
    )


def _rates(found: Errors) -> dict[str, float]:
    total = found.total or 1.0
    return {
        "der": round(found.rate, 4),
        "missed": round(found.missed / total, 4),
        "false_alarm": round(found.false_alarm / total, 4),
        "confusion": round(found.confusion / total, 4),
        "seconds": round(found.total, 3),
        "missed_s": round(found.missed, 3),
        "false_alarm_s": round(found.false_alarm, 3),
        "confusion_s": round(found.confusion, 3),
    }


def _overlap(turns: Sequence[Turn]) -> float:
    """The share of the time with speech in which two or more speak."""
    times = np.arange(0.005, max((turn.end for turn in turns), default=0.0), 0.01)
    count = sum((((times > turn.start) & (times < turn.end)).astype(int) for turn in turns), np.zeros(len(times), int))
    return float((count > 1).sum() / max(1, (count > 0).sum()))


def _blocks(samples: np.ndarray, size: int = 160_000) -> Iterable[np.ndarray]:
    return (samples[at : at + size] for at in range(0, samples.size, size))


def _lines(figures: dict[str, Any]) -> list[str]:
    """What a person reads."""
    lines = [_("Networks: {names}", names=figures["networks"])]
    if figures["made"]:
        lines += _lines_of_made(figures["made"])
    if figures["recognised"]:
        lines.append(
            _(
                "transcribed text of {conversations} conversations ({words} words): WER {wer:.1%}, cpWER {cpwer:.1%}",
                **figures["recognised"],
            )
        )
    lines += long_lines(figures["long"]) if figures["long"] else []
    if figures["live"]:
        lines.append(
            _(
                "live: {words} words, final label within 3 s for {last_label_within_3_s:.1%}, "
                "{changes_of_frozen_words} labels changed later; DER of the live labels {der_shown:.1%}, after the "
                "last pass {der_after_the_last_pass:.1%}",
                **figures["live"],
            )
        )
    for each in figures["real"]:
        head = _(
            "{name} (speakers: {speakers}, found: {found})",
            name=each["name"],
            speakers=each["speakers"],
            found=each["found"],
        )
        lines.append(_der(head, each["collar_0"]))
    return lines


def _lines_of_made(whole: dict[str, Any]) -> list[str]:
    lines = [
        _(
            "{count} conversations made from clips, {minutes:.0f} min in total",
            count=whole["conversations"],
            minutes=whole["seconds"] / 60,
        ),
        _("overlapping speech: {share:.1%}", share=whole["overlap"]),
        _der(_("DER, no collar, overlap included"), whole["collar_0"]),
        _der(_("DER, collar 0.25 s"), whole["collar_250ms"]),
        _("correct number of speakers: {share:.0%}", share=whole["count_right"]),
        _("number of speakers off by at most one: {share:.0%}", share=whole["count_at_most_one_off"]),
        _(
            "real-time factor {wall:.3f}, of processor time {processor:.3f}",
            wall=whole["real_time_factor"],
            processor=whole["processor_time_factor"],
        ),
    ]
    if whole["cpwer_of_attribution"] is not None:
        lines.append(
            _("cpWER of the reference text with these speakers: {rate:.1%}", rate=whole["cpwer_of_attribution"])
        )
    return lines


def _der(what: str, rates: dict[str, float]) -> str:
    parts = _("missed {missed:.1%}, false alarm {false_alarm:.1%}, confusion {confusion:.1%}", **rates)
    return f"{what}: {rates['der']:.1%} ({parts})"


def _complain(sentence: str) -> None:
    printing.say(f"galley: {sentence}")
