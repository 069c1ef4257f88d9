"""`galley bench accuracy`: how many words and characters of recordings with a known text come out wrong, and how fast.

Each recording goes through the engine as in `galley transcribe`. Rates are over all words or characters together, not
means of rates.
"""

from __future__ import annotations

import argparse
import os
import platform
import queue
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

from desktop_app import printing
from desktop_app.app.presentation import problems, stages
from desktop_app.engine.client import Engine
from desktop_app.measure.error_rates import EditCounts, character_edits, missing_packages, word_edits
from desktop_app.measure.figures import saved
from desktop_app.measure.recordings import Reference, references
from desktop_app.messages.jobs import Event, Failed, Finished, Preparing
from desktop_app.messages.options import Options
from desktop_app.problems import Problem
from desktop_app.texts import _, ngettext
from desktop_app.transcript.model import Transcript
from desktop_app.transcript.statistics import Statistics

DONE, FAILED, NO_ENGINE, INTERRUPTED = 0, 1, 3, 130


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which recordings."""
    parser.add_argument(
        "folder",
        metavar=_("FOLDER"),
        help=_(
            "recordings with reference texts, listed in an index.json in this folder or the one above, or in "
            "LibriSpeech's layout"
        ),
    )


def run(arguments: argparse.Namespace) -> int:
    """Measure; gives the exit status."""
    if missing := missing_packages():
        _complain(
            _(
                "Missing packages: {packages}. Install them by pip install --editable '.[bench]'.",
                packages=", ".join(missing),
            )
        )
        return FAILED
    folder = Path(arguments.folder)
    try:
        wanted = references(folder)
    except Problem as problem:
        _complain(problems.sentence(problem))
        return FAILED
    bench = _Bench(folder.resolve(), wanted, arguments.options)
    status = bench.measure()
    for line in bench.summary():
        _print(line)
    if arguments.json and not saved(arguments.json, bench.figures()):
        return max(status, FAILED)
    return status


@dataclass(frozen=True)
class Measured:
    """One recording, or several together: edits against the reference, and the audio and time they took."""

    words: EditCounts
    characters: EditCounts
    stats: Statistics

    def __add__(self, other: Measured) -> Measured:
        """Two together."""
        return Measured(self.words + other.words, self.characters + other.characters, self.stats + other.stats)

    def figures(self) -> dict[str, Any]:
        """As they stand in the JSON; seconds are wall clock."""
        return {
            "wer": self.words.rate,
            "words": self.words.total,
            "substitutions": self.words.substitutions,
            "deletions": self.words.deletions,
            "insertions": self.words.insertions,
            "cer": self.characters.rate,
            "characters": self.characters.total,
            "character_errors": self.characters.count,
            "audio_seconds": self.stats.audio_seconds,
            "wall_seconds": self.stats.wall_seconds,
            "real_time_factor": self.stats.real_time_factor,
        }


class _Bench:
    """All recordings of a folder through one engine, and what came of them."""

    def __init__(self, folder: Path, wanted: Sequence[Reference], options: Options) -> None:
        self._folder, self._wanted, self._options = folder, wanted, options
        self._finished: list[tuple[Reference, Transcript, str, Measured]] = []
        self._failed: list[tuple[Reference, str]] = []

    def measure(self) -> int:
        """Transcribe one after another, and say each one's figures; gives the exit status. Ctrl-C ends it: what is
        finished stays.
        """
        events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        engine, status = Engine(events.put), DONE
        try:
            for number, wanted in enumerate(self._wanted):
                engine.transcribe(str(number), str(wanted.path), self._options)
            while status != NO_ENGINE and len(self._finished) + len(self._failed) < len(self._wanted):
                status = max(status, self._take(events.get()))
        except KeyboardInterrupt:
            _say(
                ngettext(
                    "Interrupted. {done} of {n} recording was measured.",
                    "Interrupted. {done} of {n} recordings were measured.",
                    len(self._wanted),
                    done=len(self._finished),
                )
            )
            status = INTERRUPTED
        finally:
            engine.close()
        return status

    def _take(self, event: Event) -> int:
        match event:
            case Preparing():
                _say(stages.preparing(event))
            case Finished():
                self._finish(self._wanted[int(event.job)], event.transcript)
            case Failed():
                return self._fail(self._wanted[int(event.job)], event)
        return DONE

    def _finish(self, wanted: Reference, transcript: Transcript) -> None:
        language = _language(wanted, transcript)
        text = " ".join(segment.text.strip() for segment in transcript.segments)
        words, characters = (edits(wanted.text, text, language) for edits in (word_edits, character_edits))
        measured = Measured(words, characters, transcript.stats)
        self._finished.append((wanted, transcript, text, measured))
        _print(f"{self._name(wanted)}: {_rates(measured)}")

    def _fail(self, wanted: Reference, event: Failed) -> int:
        self._failed.append((wanted, problems.describe(event.problem)[0]))
        hopeless = problems.concerns_every_file(event.problem)
        _say(f"{'galley' if hopeless else self._name(wanted)}: {problems.sentence(event.problem)}")
        return NO_ENGINE if hopeless else FAILED

    def _name(self, wanted: Reference) -> str:
        return wanted.path.relative_to(self._folder).as_posix()

    def _total(self) -> Measured:
        return reduce(add, (measured for *_, measured in self._finished))

    def summary(self) -> list[str]:
        """What a person reads in the end."""
        if not self._finished:
            return []
        total, words, models = self._total(), self._total().words, self._finished[0][1].models
        return [
            ngettext(
                "{n} recording, {minutes:.1f} min: {rates}",
                "{n} recordings, {minutes:.1f} min: {rates}",
                len(self._finished),
                minutes=total.stats.audio_seconds / 60,
                rates=_rates(total),
            ),
            _(
                "{total} words: {substitutions} substituted, {deletions} deleted, {insertions} inserted",
                total=words.total,
                substitutions=words.substitutions,
                deletions=words.deletions,
                insertions=words.insertions,
            ),
            _(
                "Model: {target}, draft model: {draft}, device: {device}, precision: {precision}",
                target=models.target,
                draft=models.draft or _("none"),
                device=models.device,
                precision=models.precision,
            ),
        ]

    def figures(self) -> dict[str, Any]:
        """Everything, for the JSON."""
        return {
            "machine": {"processor": platform.processor() or platform.machine(), "cores": os.cpu_count()},
            "models": self._finished[0][1].models.plain() if self._finished else None,
            "folder": str(self._folder),
            "files": [
                {
                    "file": self._name(wanted),
                    "language": _language(wanted, transcript),
                    "detected_language": transcript.language,
                    "reference": wanted.text,
                    "text": text,
                    **measured.figures(),
                }
                for wanted, transcript, text, measured in self._finished
            ],
            "failed": [{"file": self._name(wanted), "reason": reason} for wanted, reason in self._failed],
            "total": self._total().figures() if self._finished else None,
        }


def _language(wanted: Reference, transcript: Transcript) -> str:
    """Of the reference: as the folder says, else as it was given or detected."""
    return wanted.language or transcript.language


def _rates(measured: Measured) -> str:
    return _(
        "WER {wer:.2%}, CER {cer:.2%}, real-time factor {factor:.3f}",
        wer=measured.words.rate,
        cer=measured.characters.rate,
        factor=measured.stats.real_time_factor,
    )


def _complain(sentence: str) -> None:
    _say(f"galley: {sentence}")


def _print(line: str) -> None:
    printing.out(f"{line}\n")


def _say(sentence: str) -> None:
    printing.say(sentence)
