"""SubRip and WebVTT."""

from __future__ import annotations

from desktop_app.export.cues import cues, safe
from desktop_app.export.document import Document, ExportOptions


def srt(document: Document, options: ExportOptions) -> str:
    """SubRip subtitles; a speaker's name stands before the first words."""
    return "\n".join(
        f"{number}\n{_clock(cue.start, ',')} --> {_clock(cue.end, ',')}\n{_lines(cue.lines)}\n"
        for number, cue in enumerate(cues(document.transcript, options, names=options.names), 1)
    )


def vtt(document: Document, options: ExportOptions) -> str:
    """WebVTT subtitles; speakers are voice tags, and marks of the user's are comments, which players pass over."""
    names = {each.id: safe(each.name) for each in document.transcript.speakers} if options.names else {}
    found = ["WEBVTT\n", *(f"\nNOTE Marked at {_clock(round(mark * 1000), '.')}\n" for mark in document.marks)]
    for cue in cues(document.transcript, options, names=False):
        name = names.get(cue.speaker or "")
        voice = _voice(name) if name else ""
        times = f"{_clock(cue.start, '.')} --> {_clock(cue.end, '.')}"
        found.append(f"\n{times}\n{voice}{_escape(_lines(cue.lines))}\n")
    return "".join(found)


def _voice(name: str) -> str:
    """The tag of a speaker. Players drop the space, which keeps a name that ends in "--" from making an arrow of it."""
    return f"<v {_escape(name)}{' ' if name.endswith('--') else ''}>"


def _lines(lines: tuple[str, ...]) -> str:
    return "\n".join(lines)


def _clock(milliseconds: int, point: str) -> str:
    seconds, rest = divmod(milliseconds, 1000)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}{point}{rest:03}"


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
