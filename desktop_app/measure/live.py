"""`galley bench live`: words on the screen while they are spoken. How late, how stable, how right, at what cost.

A session is played faster than real time: a clock advances by what the computing takes. What the figures mean is in
docs/live.md.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from desktop_app import atomic
from desktop_app.app import problems, stages
from desktop_app.decoding.hearing import Samples
from desktop_app.engine import arguments as model_options
from desktop_app.engine.messages import Options
from desktop_app.engine.models import Pair, Shelf
from desktop_app.measure.error_rates import normalised, word_error_rate
from desktop_app.measure.in_process import CLOCKS, Player, Run, file_text
from desktop_app.measure.live_figures import SpokenWord, accuracy, erasure, latency
from desktop_app.measure.live_speech import known_words, real_speech, sample, silence
from desktop_app.measure.recordings import audio_of, sounds
from desktop_app.problems import Problem
from desktop_app.transcript.constants import SAMPLE_RATE

FIXED = 0.4  # seconds between updates where the number of passes is compared
SILENCES = ("silence", "noise", "music")
DELAYS = {
    "shown_aware": "a word is first seen after",
    "final_aware": "a word is final after",
    "final_unaware": "the same without the time of computing",
    "end_of_speech_to_final": "the last word before a pause is final after",
}
_PAUSE = silence(1.0, "silence")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What can be asked for."""
    add = parser.add_argument
    add(
        "--speech",
        metavar="FILE",
        help="speech whose words have known times, in FILE with .words.json for its ending (without it and --real: the "
        "sample)",
    )
    add("--seconds", type=float, default=0.0, help="of it (default: all)")
    add(
        "--passes",
        type=float,
        default=60.0,
        metavar="SECONDS",
        help="of it, for three ways to draft (default: %(default)s)",
    )
    add(
        "--quiet",
        type=float,
        default=300.0,
        metavar="SECONDS",
        help="of silence, noise and music (default: %(default)s)",
    )
    add("--real", metavar="FOLDER", help="recordings of real speech with their texts, as `galley bench accuracy` reads")
    add("--minutes", type=float, default=10.0, help="of them, drawn by chance (default: %(default)s)")
    add(
        "--sounds",
        metavar="FOLDER",
        help="recordings in which nobody speaks; the classes of ESC-10 with voices are left out",
    )
    add(
        "--clock",
        default="processor",
        choices=tuple(CLOCKS),
        help="what computing takes: processor time of all threads, or time on the wall (default: %(default)s)",
    )
    model_options.add(parser)


def run(arguments: argparse.Namespace) -> int:
    """Measure and print; gives the exit status."""
    options = model_options.options(arguments)
    try:
        result = _measure(Shelf().pair(options, _announce), options, arguments)
    except Problem as problem:
        _say(f"galley bench live: {problems.sentence(problem)}")
        return 1 if problem.kind == "file" else 3
    except (OSError, ValueError, KeyError) as error:
        _say(f"galley bench live: the words' times cannot be read ({error}); docs/live.md shows the file")
        return 1
    if arguments.json:
        atomic.write(Path(arguments.json), json.dumps(result, indent=1) + "\n")
    sys.stdout.write("\n".join(_lines(result)) + "\n")
    return 0


def _measure(pair: Pair, options: Options, arguments: argparse.Namespace) -> dict[str, Any]:
    models = pair.described()
    result: dict[str, Any] = {
        "machine": {"processor": platform.processor() or platform.machine(), "cores": os.cpu_count()},
        "models": {"target": models.target, "draft": models.draft, "device": models.device},
        "clock": arguments.clock,
    }
    Player(pair, options, every=FIXED).play(sample()[0][: 3 * SAMPLE_RATE])  # the first inferences take longer
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
        _say("Finding the times of the words")
        return ("real", *real_speech(pair, options, Path(arguments.real), 60 * arguments.minutes))
    if not arguments.speech:
        return ("sample", *sample())
    path = Path(arguments.speech)
    speech, spoken = audio_of(path), known_words(path.with_suffix(".words.json"))
    if arguments.seconds:
        speech = speech[: round(arguments.seconds * SAMPLE_RATE)]
    return "speech", speech, [each for each in spoken if each.end < len(speech) / SAMPLE_RATE]


def _speech(pair: Pair, options: Options, audio: Samples, spoken: list[SpokenWord], clock: str) -> dict[str, Any]:
    _say(f"Listening to {len(audio) / SAMPLE_RATE:.0f} s of speech")
    played = Player(pair, options, clock).play(audio)
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
    ways: dict[str, Callable[[], Player]] = {
        "previous": lambda: Player(pair, options, every=FIXED),
        "draft_only": lambda: Player(pair, options, every=FIXED, previous=False),
        "no_draft": lambda: Player(pair, options, every=FIXED, previous=False, draft=False),
    }
    found: dict[str, Any] = {"seconds": seconds}
    texts = set()
    for name, player in ways.items():
        _say(f"Counting passes: {name.replace('_', ' ')}")
        played: Run = player().play(audio)
        texts.add(tuple(played.words))
        found[name] = played.counter.total.target_passes / seconds
    found["same_text"] = len(texts) == 1
    found["saved_against_no_draft"] = 1 - found["previous"] / found["no_draft"]
    found["saved_against_draft_only"] = 1 - found["previous"] / found["draft_only"]
    return found


def _without_speech(pair: Pair, options: Options, kind: str, audio: Samples, clock: str) -> dict[str, Any]:
    seconds = len(audio) / SAMPLE_RATE
    _say(f"Listening to {seconds:.0f} s of {kind}")
    played = Player(pair, options, clock).play(audio)
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
    lines = [f"{result['models']['target']}, draft {result['models']['draft'] or 'none'}, {result['clock']} time"]
    for name in ("sample", "speech", "real"):
        if name not in result:
            continue
        found = result[name]
        lines.append(
            f"{name}: {found['seconds']:.0f} s, {found['words']} words, {found['matched_words']} of them right"
        )
        for kind, label in DELAYS.items():
            figures = ", ".join(f"{key} {value:.2f} s" for key, value in found[kind].items())
            lines.append(f"  {label}: {figures}")
        changed = ", ".join(f"{key.replace('_', ' ')} {value:.2f}" for key, value in found["erasure"].items())
        lines.append(f"  erased words for each final one: {changed}")
        lines.append(f"  word error rate: final {found['wer_final']:.1%}, file {found['wer_file']:.1%}")
        lines.append(
            f"  {found['updates_per_second']:.1f} updates a second, {found['computing_share']:.0%} of a core, largest"
            f" backlog {found['largest_backlog']:.1f} s"
        )
    if passes := result.get("passes"):
        same = "the same text" if passes["same_text"] else "NOT THE SAME TEXT"
        lines.append(
            f"target passes a second: {passes['previous']:.1f} with the text before, {passes['draft_only']:.1f}"
            f" with the draft model only, {passes['no_draft']:.1f} without a draft; {same}"
        )
    for kind, found in result.get("without_speech", {}).items():
        text = f" ({found['text']})" if found["words"] else ""
        lines.append(f"{kind}: {found['words']} words{text}, {found['computing_share']:.1%} of a core")
    return lines


def _announce(stage: str, **values: str) -> None:
    _say(stages.describe(stage, **values))


def _say(what: str) -> None:
    sys.stderr.write(f"{what}\n")
