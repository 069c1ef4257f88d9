"""Text alone, and Markdown."""

from __future__ import annotations

import re

from desktop_app.export.document import Document, ExportOptions, clock, marked, paragraphs

_MARKUP = re.compile(r"([\\`*_\[\]<>|~])")
_AT_START = re.compile(r"^(\s*)([#+=-]|\d+(?=[.)]))")


def txt(document: Document, options: ExportOptions) -> str:
    """The text alone, a line a segment and an empty line between paragraphs, which begin with the speaker's name where
    speakers are known."""
    made = []
    for paragraph in paragraphs(document):
        lines = list[str]()
        for segment in paragraph.segments:
            name = f"{paragraph.name}: " if options.names and paragraph.name and not lines else ""
            time = f"[{clock(segment.speech_start)}] " if options.times else ""
            lines.append(f"{time}{name}{segment.text.strip()}\n")
        made.append("".join(lines))
    return "\n".join(made)


def markdown(document: Document, options: ExportOptions) -> str:
    """A title, a line about the recording, and paragraphs with speaker and time in bold before them."""
    about = filter(None, (document.about, marked(document)))
    head = [f"# {_escaped(document.name)}", *(f"*{_escaped(line)}*" for line in about)]
    body = []
    for paragraph in paragraphs(document):
        lead = [paragraph.name] if options.names and paragraph.name else []
        lead += [clock(paragraph.start)] if options.times else []
        text = _escaped(paragraph.text)
        body.append(f"**{_escaped(' · '.join(lead))}** {text}" if lead else _not_at_start(text))
    return "\n\n".join([*head, *body]) + "\n"


def _escaped(text: str) -> str:
    """Text in which nothing is markup, on one line."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))


def _not_at_start(text: str) -> str:
    """A paragraph that begins no heading and no list."""
    found = _AT_START.match(text)
    if not found:
        return text
    mark = found[2]
    return f"{mark}\\{text[len(mark) :]}" if mark.isdigit() else f"\\{text}"
