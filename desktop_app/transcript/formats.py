"""The formats a transcript is saved in. Each is rendered from the transcript alone."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desktop_app import problems
from desktop_app.texts import N_
from desktop_app.transcript import speakers
from desktop_app.transcript.model import GuardReport, Segment, Transcript, Word, read_models
from desktop_app.transcript.statistics import Statistics

DERIVED = ("acceptance", "accepted_per_drafted", "tokens_per_pass", "draft_worth", "real_time_factor")
"""Ratios that stand in the JSON beside the counts they are made of."""


def txt(transcript: Transcript) -> str:
    """The text alone, a line a segment, with the speaker's name before it where speakers are known."""
    return "".join(f"{_named(transcript, segment)}\n" for segment in _written(transcript))


def srt(transcript: Transcript) -> str:
    """SubRip subtitles; the speaker's name stands before the text."""
    return "\n".join(
        f"{number}\n{_clock(segment.start, ',')} --> {_clock(segment.end, ',')}\n{_cue(_named(transcript, segment))}\n"
        for number, segment in enumerate(_written(transcript), 1)
    )


def vtt(transcript: Transcript) -> str:
    """WebVTT subtitles; speakers are voice tags."""
    cues = (
        f"\n{_clock(segment.start, '.')} --> {_clock(segment.end, '.')}\n"
        f"{_voice(transcript, segment)}{_escape(_cue(segment.text))}\n"
        for segment in _written(transcript)
    )
    return "WEBVTT\n" + "".join(cues)


def csv_text(transcript: Transcript) -> str:
    """A table with commas: a line a segment, times in seconds."""
    lines = io.StringIO()
    table = csv.writer(lines, lineterminator="\n")
    table.writerow(("start", "end", "speaker", "text"))
    for segment in _written(transcript):
        name = speakers.name_of(transcript, segment.speaker)
        table.writerow((f"{segment.start:.3f}", f"{segment.end:.3f}", name, segment.text))
    return lines.getvalue()


def rttm(transcript: Transcript) -> str:
    """Who spoke when, as NIST's Rich Transcription Time Marked file; two at once are two lines. Without text."""
    recording = _word(Path(transcript.path).stem) or "recording"
    names = [_word(speaker.name) for speaker in transcript.speakers]
    turns = sorted(
        (begin, end, name if names.count(name) == 1 else f"{name}_{speaker.id}")
        for name, speaker in zip(names, transcript.speakers, strict=True)
        for begin, end in speakers.turns_of(transcript, speaker)
    )
    return "".join(
        f"SPEAKER {recording} 1 {begin:.3f} {end - begin:.3f} <NA> <NA> {name} <NA> <NA>\n"
        for begin, end, name in turns
    )


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
        "segments": [dataclasses.asdict(segment) for segment in speakers.numbered(transcript.segments)],
        "speakers": [dataclasses.asdict(speaker) for speaker in transcript.speakers],
        "guard": [dataclasses.asdict(one) for one in transcript.guarded],
        "stats": statistics_object(transcript.stats),
    }


def statistics_object(statistics: Statistics) -> dict[str, float]:
    """The counts and the ratios made of them."""
    return dataclasses.asdict(statistics) | {name: getattr(statistics, name) for name in DERIVED}


def json_text(transcript: Transcript) -> str:
    """The JSON contract, on one line."""
    return json.dumps(json_object(transcript), ensure_ascii=False, separators=(", ", ": ")) + "\n"


def read_json(text: str) -> Transcript:
    """The transcript that `json_text` wrote. Raises ValueError or KeyError for anything else."""
    found = json.loads(text)
    return Transcript(
        path=found["audio"]["path"],
        seconds=found["audio"]["seconds"],
        language=found["language"],
        language_probability=found["language_probability"],
        models=read_models(found["models"]),
        segments=tuple(_segment(segment) for segment in found["segments"]),
        speakers=tuple(speakers.read(speaker) for speaker in found["speakers"]),
        stats=Statistics(**{name: value for name, value in found["stats"].items() if name not in DERIVED}),
        damage=problems.read(found["audio"]["damage"]),
        guarded=tuple(GuardReport(**one) for one in found.get("guard", ())),
    )


def _segment(found: dict[str, Any]) -> Segment:
    words = tuple(Word(**word) for word in found["words"])
    return Segment(**{**found, "tokens": tuple(found["tokens"]), "words": words})


def _written(transcript: Transcript) -> list[Segment]:
    """The lines that have a text; a reader may have emptied others."""
    return [segment for segment in transcript.segments if segment.text.strip()]


def _named(transcript: Transcript, segment: Segment) -> str:
    """The text of a segment behind the name of who says it."""
    name = speakers.name_of(transcript, segment.speaker)
    return f"{name}: {segment.text}" if name else segment.text


def _voice(transcript: Transcript, segment: Segment) -> str:
    name = speakers.name_of(transcript, segment.speaker)
    return f"<v {_escape(_cue(name))}>" if name else ""


def _word(text: str) -> str:
    """Text as a field of RTTM, which ends at white space."""
    return "_".join(text.split())


def _clock(seconds: float, point: str) -> str:
    total = max(0, round(seconds * 1000))
    return f"{total // 3_600_000:02}:{total // 60_000 % 60:02}:{total // 1000 % 60:02}{point}{total % 1000:03}"


def _cue(text: str) -> str:
    # An empty line or an arrow would end the cue for every player.
    return "\n".join(line for line in text.replace("-->", "→").splitlines() if line.strip())


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


@dataclass(frozen=True)
class Format:
    """A kind of file that a transcript is saved as.

    Attributes:
        name: for `--format` of the command line.
        label: for menus, to be translated in use.
        extension: of the file, without a dot.
        render: the whole file as text, or as bytes where it is binary.
        is_binary: whether it cannot be shown in a terminal.
        needs_speakers: whether it says nothing of a recording whose speakers are not known.
        for_programs: whether programs read it, for which it is the same in every language.
    """

    name: str
    label: str
    extension: str
    render: Callable[[Transcript], str | bytes]
    is_binary: bool = False
    needs_speakers: bool = False
    for_programs: bool = False

    def file_name(self, recording: str) -> str:
        """What the file of a recording, given by its path, is called."""
        return f"{Path(recording).stem or 'transcript'}.{self.extension}"


FORMATS: dict[str, Format] = {
    each.name: each
    for each in (
        Format("txt", N_("Text (.txt)"), "txt", txt),
        Format("srt", N_("Subtitles (.srt)"), "srt", srt),
        Format("vtt", N_("Web subtitles (.vtt)"), "vtt", vtt),
        Format("csv", N_("Table (.csv)"), "csv", csv_text, for_programs=True),
        Format("rttm", N_("RTTM, speaker turns (.rttm)"), "rttm", rttm, needs_speakers=True, for_programs=True),
        Format("json", N_("JSON, full data (.json)"), "json", json_text, for_programs=True),
    )
}
"""All formats by their names, in the order of the menu. Window and command line offer what is here."""
