"""How an exported file will look: its beginning."""

from __future__ import annotations

from html import escape

from PySide6.QtWidgets import QFrame, QTextBrowser, QWidget

from desktop_app.app.presentation import wording
from desktop_app.export.document import Document, ExportOptions, clock, is_right_to_left, paragraphs
from desktop_app.export.formats import FORMATS
from desktop_app.texts import _
from desktop_app.ui.widgets.theme import S4, Theme

BEGINNING = 2500
"""Characters of the text that are shown: rendering them must not keep the window waiting."""

_MOST = 4 * BEGINNING  # characters of a file: JSON has many for each of the text's
_RICH = ("docx", "html")  # that have looks of their own
_READ = ("txt",)


class Preview(QTextBrowser):
    """Shows a document as one of the formats."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("preview")
        self.setAccessibleName(_("Preview"))
        self.setOpenLinks(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.document().setDocumentMargin(S4)

    def show_document(self, document: Document, form: str, options: ExportOptions) -> bool:
        """Show the beginning of a document; gives whether that is all of it."""
        found, cut = FORMATS[form], document.beginning(BEGINNING)
        start, whole = wording.named_in(cut, found), cut is document
        place = self.verticalScrollBar().value()
        if form in _RICH:
            self._look("page")
            self.setHtml(as_html(start, options, self._theme.palette.muted))
        else:
            self._look("text" if form in _READ else "code")
            text = str(found.render(start, options))
            whole = whole and len(text) <= _MOST
            self.setPlainText(text[:_MOST])
        self.verticalScrollBar().setValue(place)
        return whole

    def _look(self, look: str) -> None:
        if self.property("look") != look:
            self.setProperty("look", look)
            self.style().polish(self)


def as_html(document: Document, options: ExportOptions, muted: str) -> str:
    """A document as Word or a browser shows it, in what Qt and mail programs know of HTML."""
    language = document.transcript.language
    parts = [f"<h2>{escape(document.name)}</h2>"]
    if document.about:
        parts.append(f'<p style="color:{muted}">{escape(document.about)}</p>')
    for paragraph in paragraphs(document):
        name = f"<b>{escape(paragraph.name)}</b>&nbsp; " if options.names and paragraph.name else ""
        time = f'<small style="color:{muted}">{clock(paragraph.start)}</small>&nbsp; ' if options.times else ""
        direction = ' dir="rtl"' if is_right_to_left(paragraph.text, language) else ""
        parts.append(f"<p{direction}>{name}{time}{escape(paragraph.text)}</p>")
    return "\n".join(parts)
