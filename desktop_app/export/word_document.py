"""A document for Word, LibreOffice and Pages, by python-docx."""

from __future__ import annotations

import io
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from desktop_app import NAME
from desktop_app.export.document import (
    RIGHT_TO_LEFT,
    Document,
    ExportOptions,
    clock,
    is_right_to_left,
    marked,
    paragraphs,
)

if TYPE_CHECKING:
    from docx.text.paragraph import Paragraph

_MUTED = "67635C"
_LONGEST_TITLE = 255  # characters of a document's property; the page has all of them
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def docx(document: Document, options: ExportOptions) -> bytes:
    """A title, a line about the recording, and paragraphs with speaker and time before them. Its language is the
    transcript's, for the spelling."""
    import docx as library  # it loads much, which the window need not wait for
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn
    from docx.shared import Pt, RGBColor

    language = document.transcript.language
    made = library.Document()
    normal = made.styles["Normal"]
    normal.font.name, normal.font.size = "Calibri", Pt(11)
    normal.paragraph_format.space_after = Pt(8)
    for spelling in made.styles.element.iter(qn("w:lang")):
        spelling.set(qn("w:bidi" if language in RIGHT_TO_LEFT else "w:val"), language or "und")
    about = made.core_properties
    about.title, about.author, about.comments = _clean(document.name)[:_LONGEST_TITLE], NAME, ""
    about.created = about.modified = (document.created or datetime.now(UTC)).astimezone(UTC).replace(tzinfo=None)
    about.language = language

    def add(text: str, style: str | None = None) -> Paragraph:
        paragraph = made.add_paragraph(style=style)
        if is_right_to_left(text, language):
            paragraph._p.get_or_add_pPr().insert_element_before(OxmlElement("w:bidi"), "w:spacing", "w:jc", "w:rPr")
        return paragraph

    add(document.name, "Title").add_run(_clean(document.name))
    for about_it in filter(None, (document.about, marked(document))):
        add(about_it).add_run(_clean(about_it)).font.color.rgb = RGBColor.from_string(_MUTED)
    for paragraph in paragraphs(document):
        line = add(paragraph.text)
        if options.names and paragraph.name:
            line.add_run(f"{_clean(paragraph.name)}  ").bold = True
        if options.times:
            time = line.add_run(f"{clock(paragraph.start)}  ")
            time.font.size, time.font.color.rgb = Pt(9), RGBColor.from_string(_MUTED)
        run = line.add_run(_clean(paragraph.text))
        run.font.rtl = is_right_to_left(paragraph.text, language) or None
    written = io.BytesIO()
    made.save(written)
    return written.getvalue()


def _clean(text: str) -> str:
    """Text without what XML cannot hold."""
    return _NOT_IN_XML.sub("", text)
