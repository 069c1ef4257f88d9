"""The formats a transcript is saved in. Each is a function of the transcript alone."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from typing import Any

from desktop_app.transcript.model import Guarded, Models, Segment, Speaker, Stats, Transcript, Word

DERIVED = ("acceptance", "accepted_per_drafted", "tokens_per_pass", "real_time_factor")
"""Ratios that stand in the JSON beside the counts they are made of."""


def txt(transcript: Transcript) -> str:
    """The text alone, a line a segment."""
    return "".join(f"{segment.text}\n" for segment in transcript.segments)


def srt(transcript: Transcript) -> str:
    """SubRip subtitles."""
    return "\n".join(
        f"{number}\n{_clock(segment.start, ',')} --> {_clock(segment.end, ',')}\n{_cue(segment.text)}\n"
        for number, segment in enumerate(transcript.segments, 1)
    )


def vtt(transcript: Transcript) -> str:
    """WebVTT subtitles."""
    cues = (
        f"\n{_clock(segment.start, '.')} --> {_clock(segment.end, '.')}\n{_escape(_cue(segment.text))}\n"
        for segment in transcript.segments
    )
    return "WEBVTT\n" + "".join(cues)


def json_object(transcript: Transcript) -> dict[str, Any]:
    """The transcript as the command line's JSON contract has it."""
    stats = dataclasses.asdict(transcript.stats) | {name: getattr(transcript.stats, name) for name in DERIVED}
    return {
        "audio": {"path": transcript.path, "seconds": transcript.seconds, "damage": transcript.damage},
        "language": transcript.language,
        "language_probability": transcript.language_probability,
        "models": dataclasses.asdict(transcript.models),
        "segments": [dataclasses.asdict(segment) for segment in transcript.segments],
        "speakers": [dataclasses.asdict(speaker) for speaker in transcript.speakers],
        "guard": [dataclasses.asdict(one) for one in transcript.guarded],
        "stats": stats,
    }


def json_text(transcript: Transcript) -> str:
    """The JSON contract, on one line."""
    return json.dumps(json_object(transcript), ensure_ascii=False, separators=(", ", ": ")) + "\n"


FORMATS: Mapping[str, Callable[[Transcript], str]] = {"txt": txt, "srt": srt, "vtt": vtt, "json": json_text}
"""Names, which are file endings too, and the functions that write them."""


def write(transcript: Transcript, name: str) -> str:
    """The transcript in the format called `name`, one of FORMATS (KeyError otherwise)."""
    return FORMATS[name](transcript)


def read_json(text: str) -> Transcript:
    """The transcript that `json_text` wrote. Raises ValueError or KeyError for anything else."""
    found = json.loads(text)
    return Transcript(
        path=found["audio"]["path"],
        seconds=found["audio"]["seconds"],
        language=found["language"],
        language_probability=found["language_probability"],
        models=Models(**found["models"]),
        segments=tuple(_segment(segment) for segment in found["segments"]),
        speakers=tuple(Speaker(**speaker) for speaker in found["speakers"]),
        stats=Stats(**{name: value for name, value in found["stats"].items() if name not in DERIVED}),
        damage=found["audio"]["damage"],
        guarded=tuple(Guarded(**one) for one in found.get("guard", ())),
    )


def _segment(found: dict[str, Any]) -> Segment:
    words = tuple(Word(**word) for word in found["words"])
    return Segment(**{**found, "tokens": tuple(found["tokens"]), "words": words})


def _clock(seconds: float, point: str) -> str:
    total = max(0, round(seconds * 1000))
    return f"{total // 3_600_000:02}:{total // 60_000 % 60:02}:{total // 1000 % 60:02}{point}{total % 1000:03}"


def _cue(text: str) -> str:
    # An empty line or an arrow would end the cue for every player.
    return "\n".join(line for line in text.replace("-->", "→").splitlines() if line.strip())


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
