"""Transcripts and recordings as rows of the library's tables, and back."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from desktop_app import problems
from desktop_app.problems import Problem
from desktop_app.transcript.model import (
    GuardReport,
    Models,
    Segment,
    Speaker,
    Transcript,
    Word,
    read_models,
)
from desktop_app.transcript.speakers import read as read_speaker
from desktop_app.transcript.statistics import Statistics

RECORDING = "id, path, name, created, state, seconds, problem, live, corrected != ''"
TRANSCRIPT = "path, seconds, language, language_probability, models, stats, speakers, damage, guarded"
SEGMENT = "id, begins, ends, text, tokens, temperature, mean_log_probability, no_speech_probability, speaker, words"


@dataclass(frozen=True)
class Recording:
    """A file that was given to Galley.

    Attributes:
        id: Galley's own name for it, also good as the name of an engine job.
        path: where the file lay; `name` is its file name, fit to be shown.
        created: when it was added, in UTC.
        state: "waiting", "working", "recording", "done", "failed", "cancelled" or "interrupted" (the program ended
            meanwhile).
        seconds: its length, 0.0 while unknown.
        problem: why it failed, if it did.
        live: whether Galley recorded it itself.
        corrected: whether a reader has corrected its speakers.
    """

    id: str
    path: str
    name: str
    created: datetime
    state: str
    seconds: float
    problem: Problem | None
    live: bool = False
    corrected: bool = False


def showable(text: str) -> str:
    """Text that SQLite and a screen can take: the bytes of a file name that are no UTF-8 become question marks."""
    return text.encode(errors="replace").decode()


def path_value(path: str) -> bytes:
    """A path as its bytes, so that any file name comes back as it was."""
    return os.fsencode(path)


def models_value(models: Models) -> str:
    """The models as JSON."""
    return json.dumps(models.plain())


def stats_value(stats: Statistics) -> str:
    """The figures as JSON."""
    return json.dumps(asdict(stats))


def speakers_value(speakers: Sequence[Speaker]) -> str:
    """The speakers as JSON."""
    return json.dumps([asdict(speaker) for speaker in speakers])


def guarded_value(guarded: Sequence[GuardReport]) -> str:
    """What the guard did as JSON."""
    return json.dumps([asdict(one) for one in guarded])


def read_guarded(value: str) -> tuple[GuardReport, ...]:
    """What the guard did, from its JSON."""
    return tuple(GuardReport(**one) for one in json.loads(value))


def corrected_value(transcript: Transcript) -> str:
    """Who speaks when in a text that a reader has corrected, as JSON."""
    lines = [(line.start, line.end, line.speaker) for line in transcript.segments]
    return json.dumps({"lines": lines, "speakers": [asdict(speaker) for speaker in transcript.speakers]})


def corrected(value: str) -> Transcript:
    """A transcript without words that has those speakers and times."""
    fields = json.loads(value)
    lines = enumerate(fields["lines"])
    segments = tuple(Segment(place, start, end, "", speaker=speaker) for place, (start, end, speaker) in lines)
    speakers = tuple(read_speaker(each) for each in fields["speakers"])
    return Transcript("", 0.0, "", 0.0, Models("", "", "", "", ""), segments, speakers)


def recording(row: Sequence[Any]) -> Recording:
    """The recording in a row of the columns RECORDING."""
    key, path, name, created, state, seconds, problem, live, corrected = row
    when = datetime.fromisoformat(created)
    return Recording(key, os.fsdecode(path), name, when, state, seconds, _problem(problem), bool(live), bool(corrected))


def problem_value(problem: Problem | None) -> str:
    """A problem as JSON, "" for none."""
    return json.dumps(problems.plain(problem), ensure_ascii=False) if problem else ""


def _problem(value: str) -> Problem | None:
    """The problem from its JSON, or from the sentence that an older Galley kept."""
    return problems.read(json.loads(value) if value.startswith("{") else value)


def transcript(row: Sequence[Any], segments: Sequence[Sequence[Any]]) -> Transcript:
    """The transcript in a row of the columns TRANSCRIPT and rows of the columns SEGMENT."""
    path, seconds, language, probability, models, stats, speakers, damage, guarded = row
    return Transcript(
        path=os.fsdecode(path),
        seconds=seconds,
        language=language,
        language_probability=probability,
        models=read_models(json.loads(models)) if models else Models("", "", "", "", ""),
        segments=tuple(_segment(values) for values in segments),
        speakers=tuple(read_speaker(value) for value in json.loads(speakers)),
        stats=Statistics(**json.loads(stats)) if stats else Statistics(),
        damage=_problem(damage),
        guarded=read_guarded(guarded),
    )


def transcript_values(made: Transcript) -> tuple[Any, ...]:
    """The values of the columns TRANSCRIPT without the path."""
    return (
        made.seconds,
        made.language,
        made.language_probability,
        models_value(made.models),
        stats_value(made.stats),
        speakers_value(made.speakers),
        problem_value(made.damage),
        guarded_value(made.guarded),
    )


def segment_values(segment: Segment) -> tuple[Any, ...]:
    """The values of the columns SEGMENT."""
    return (
        segment.id,
        segment.start,
        segment.end,
        segment.text,
        json.dumps(segment.tokens),
        segment.temperature,
        segment.mean_log_probability,
        segment.no_speech_probability,
        segment.speaker,
        json.dumps([vars(word) for word in segment.words]),  # as asdict would, without copying
    )


def _segment(row: Sequence[Any]) -> Segment:
    key, start, end, text, tokens, temperature, mean, no_speech, speaker, words = row
    heard = tuple(Word(**word) for word in json.loads(words))
    return Segment(key, start, end, text, tuple(json.loads(tokens)), temperature, mean, no_speech, speaker, heard)
