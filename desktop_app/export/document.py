"""What is exported, how it is to look, and what several formats need of it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from desktop_app.texts import _
from desktop_app.transcript import speakers
from desktop_app.transcript.editing import Placed, joint, placed_words
from desktop_app.transcript.model import Segment, Transcript
from desktop_app.transcript.paragraphs import follow, is_over

RIGHT_TO_LEFT = frozenset(("ar", "fa", "he", "ps", "sd", "ur", "yi"))
"""The codes of Whisper's languages that are written from right to left."""

LIMITS: Mapping[str, tuple[float, float]] = {
    "line_length": (10, 200),
    "lines": (1, 6),
    "shortest": (0.2, 5.0),
    "longest": (1.0, 30.0),
    "speed": (5.0, 60.0),
}
"""The least and the most of those of the `ExportOptions` that are numbers. No `shortest` is longer than any `longest`
but one's own choice: then `longest` holds."""


@dataclass(frozen=True)
class ExportOptions:
    """How a file is to look. The defaults for subtitles are those of Netflix's Timed Text Style Guide for adults: 42
    characters, two lines, at most 7 s and 20 characters a second; a second at least is what most editors ask.

    Attributes:
        times: whether times are in the text; None for what is usual in the format.
        names: whether speakers are named.
        split: whether subtitles are split as the rest says; otherwise each line of the text is one.
        line_length: characters; one of East Asian scripts counts as two.
        lines: at most, in a cue.
        shortest, longest: seconds that a cue is shown; less where the next one follows sooner.
        speed: the characters that are read in a second.
        sound: whether a web page holds the sound itself; otherwise it refers to the file.
        raw_cells: whether cells of a table that a spreadsheet would take for formulas are left as they are.
    """

    times: bool | None = None
    names: bool = True
    split: bool = True
    line_length: int = 42
    lines: int = 2
    shortest: float = 1.0
    longest: float = 7.0
    speed: float = 20.0
    sound: bool = False
    raw_cells: bool = False

    def plain(self) -> dict[str, Any]:
        """What JSON can hold; `read_options` reads it."""
        return asdict(self)


def read_options(plain: Mapping[str, Any]) -> ExportOptions:
    """The options from what `ExportOptions.plain` gave. What is missing or not possible is as by default."""
    found, usual = dict[str, Any](), ExportOptions()
    for each in fields(ExportOptions):
        value = plain.get(each.name)
        if each.name in LIMITS:
            low, high = LIMITS[each.name]
            if isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high:
                found[each.name] = type(getattr(usual, each.name))(value)
        elif isinstance(value, bool):
            found[each.name] = value
    return ExportOptions(**found)


@dataclass(frozen=True)
class Document:
    """One recording to be exported.

    Attributes:
        transcript: with the speakers as they are to be named.
        title: what it is called; "" for the name of its file.
        created: when it was made, with a time zone; None where nobody knows.
        about: a line about it in the reader's language: its day, length and language.
        marks: moments that the user has marked, in seconds and in order.
        sound: where a web page finds the sound: an address, which may hold it; "" for none.
    """

    transcript: Transcript
    title: str = ""
    created: datetime | None = None
    about: str = ""
    sound: str = ""
    marks: tuple[float, ...] = ()

    @property
    def name(self) -> str:
        """The title, or the name of the file without its ending."""
        return self.title or Path(self.transcript.path).stem

    def beginning(self, characters: int) -> Document:
        """The first lines, with so many characters and the rest of the last line: enough for a look at it."""
        kept, left = list[Segment](), characters
        for segment in self.transcript.segments:
            if left <= 0:
                break
            kept.append(segment)
            left -= len(segment.text)
        if len(kept) == len(self.transcript.segments):
            return self
        end = kept[-1].end if kept else 0.0
        cut = tuple(
            replace(each, turns=tuple(speakers.intersect(each.turns, [(0.0, end)])))
            for each in self.transcript.speakers
        )
        return replace(self, transcript=replace(self.transcript, segments=tuple(kept), speakers=cut))


@dataclass(frozen=True)
class Paragraph:
    """Lines that follow each other, of one speaker: a text to be read."""

    name: str
    segments: tuple[Segment, ...]

    @property
    def start(self) -> float:
        """When it begins, in seconds."""
        return self.segments[0].speech_start

    @property
    def text(self) -> str:
        """All of it on one line."""
        lines = [" ".join(segment.text.split()) for segment in self.segments]
        return "".join(f"{joint(before, line)}{line}" for before, line in pairwise(["", *lines]))


def written(transcript: Transcript) -> list[Segment]:
    """The lines that have a text; a reader may have emptied others."""
    return [segment for segment in transcript.segments if segment.text.strip()]


def timed(segment: Segment) -> list[Placed]:
    """The words of a line and where they stand in its text: all of it, in order and apart, whatever words it has."""
    places, at, spelled = placed_words(segment), 0, ""
    for _word, begin, end in places:
        spelled += "".join(segment.text[max(begin, at) : end].split())
        at = max(end, at)
    return places if spelled == "".join(segment.text.split()) else placed_words(replace(segment, words=()))


def paragraphs(document: Document) -> Iterator[Paragraph]:
    """The text for readers: lines of one speaker flow together as in the window."""
    transcript = document.transcript
    names = {each.id: each.name for each in transcript.speakers}
    joined, since, over = list[Segment](), 0.0, False
    before: Segment | None = None
    for segment in transcript.segments:  # those without words too: a reader may have begun a paragraph with one
        begins, since = follow(segment, before, since, over) if before else (True, segment.speech_start)
        over, before = is_over(segment, over), segment
        if begins and joined:
            yield Paragraph(names.get(joined[-1].speaker or "", ""), tuple(joined))
            joined = []
        if segment.text.strip():
            joined.append(segment)
    if joined:
        yield Paragraph(names.get(joined[-1].speaker or "", ""), tuple(joined))


def clock(seconds: float) -> str:
    """A place in a recording: m:ss, or h:mm:ss from one hour on."""
    minutes, rest = divmod(int(max(seconds, 0)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def marked(document: Document) -> str:
    """Which moments the user has marked, in a line; "" for none."""
    return _("Marked: {times}", times=" · ".join(map(clock, document.marks))) if document.marks else ""


def is_right_to_left(text: str, language: str) -> bool:
    """Whether a line is written from right to left: by its first letter that has a direction, and in a language that is
    written so by any letter, for such a line may begin with a foreign word.
    """
    strong = [kind for kind in map(unicodedata.bidirectional, text) if kind in ("L", "R", "AL")]
    decisive = strong if language in RIGHT_TO_LEFT else strong[:1]
    return any(kind != "L" for kind in decisive)
