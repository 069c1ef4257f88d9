"""The JSON of a transcript, which holds all of it and can be read again."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from typing import Any

from desktop_app import bounded, problems
from desktop_app.transcript import speakers
from desktop_app.transcript.model import GuardReport, Segment, Transcript, Word, read_models
from desktop_app.transcript.statistics import Statistics

DERIVED = ("acceptance", "accepted_per_drafted", "tokens_per_pass", "draft_worth", "real_time_factor")
"""Ratios that stand in the JSON beside the counts they are made of."""


def json_object(transcript: Transcript) -> dict[str, Any]:
    """The transcript as the command line's JSON contract has it."""
    return {
        "audio": {
            "path": transcript.path,
            "seconds": transcript.seconds,
            "damage": problems.plain(transcript.damage) if transcript.damage else None,
        },
        "language": transcript.language,
        "language_probability": transcript.language_probability,
        "models": transcript.models.plain(),
        "segments": [
            dataclasses.asdict(segment) | {"start": segment.speech_start}
            for segment in speakers.numbered(transcript.segments)
        ],
        "speakers": [dataclasses.asdict(speaker) for speaker in transcript.speakers],
        "guard": [dataclasses.asdict(one) for one in transcript.guarded],
        "stats": statistics_object(transcript.stats),
    }


def statistics_object(statistics: Statistics) -> dict[str, float]:
    """The counts and the ratios made of them."""
    return dataclasses.asdict(statistics) | {name: getattr(statistics, name) for name in DERIVED}


def json_text(transcript: Transcript, marks: Sequence[float] = ()) -> str:
    """The JSON contract, on one line; with the moments of the recording that the user has marked, if any."""
    whole = json_object(transcript) | ({"marks": list(marks)} if marks else {})
    return json.dumps(whole, ensure_ascii=False, separators=(", ", ": ")) + "\n"


def read_json(text: str) -> Transcript:
    """The transcript that `json_text` wrote. Raises ValueError or KeyError for anything else."""
    found = bounded.parse_json(text)
    damage = found["audio"]["damage"]
    return Transcript(
        path=found["audio"]["path"],
        seconds=found["audio"]["seconds"],
        language=found["language"],
        language_probability=found["language_probability"],
        models=read_models(found["models"]),
        segments=tuple(_segment(segment) for segment in found["segments"]),
        speakers=tuple(speakers.read(speaker) for speaker in found["speakers"]),
        stats=Statistics(**{name: value for name, value in found["stats"].items() if name not in DERIVED}),
        damage=problems.from_plain(damage) if damage else None,
        guarded=tuple(GuardReport(**one) for one in found["guard"]),
    )


def _segment(found: dict[str, Any]) -> Segment:
    words = tuple(Word(**word) for word in found["words"])
    return Segment(**{**found, "tokens": tuple(found["tokens"]), "words": words})
