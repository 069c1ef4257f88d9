"""Exporting from the window: the sheet, the file dialogs, the clipboard, and what is dragged out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QMimeData, QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop_app.app.presentation import wording
from desktop_app.app.presentation.problems import sentence
from desktop_app.app.recordings.entry import Entry
from desktop_app.app.settings import export_choice
from desktop_app.export.document import Document, ExportOptions
from desktop_app.export.formats import FORMATS
from desktop_app.problems import Problem
from desktop_app.texts import _, ngettext
from desktop_app.ui.context import Context
from desktop_app.ui.export.preview import as_html
from desktop_app.ui.export.sheet import ExportSheet
from desktop_app.ui.widgets.save_file import ask_for_file
from desktop_app.ui.widgets.theme import LIGHT_PALETTE

_PLAIN = "txt"


class ExportController(QObject):
    """Attributes: sheet (the one that is open, or None).
    Signals: told(sentence) when something was done and the sheet is not there to say it.
    """

    told = Signal(str)

    def __init__(self, window: QWidget, context: Context) -> None:
        super().__init__(window)
        self._window, self._theme, self._current = window, context.theme, context.current
        core = context.core
        self._session, self._exports, self._preferences = core.session, core.exports, core.preferences
        self._dragged = core.dragged
        self.sheet: ExportSheet | None = None
        context.actions.on(export=lambda: self.open([context.current.key]), save=self.save_text)

    def open(self, keys: Sequence[str]) -> None:
        """Show the sheet for these recordings, once their texts are there; those without a text are left out."""
        self._exports.gather(keys, self._show)

    def _show(self, documents: list[Document]) -> None:
        if not documents or self.sheet is not None:
            return
        sheet = self.sheet = ExportSheet(self._theme, documents, export_choice.read(self._preferences), self._window)
        sheet.save_asked.connect(self._save)
        sheet.copy_asked.connect(self._copy)
        sheet.files_asked.connect(self._make_files)
        sheet.finished.connect(self._forget)
        sheet.open()

    def _forget(self) -> None:
        sheet, self.sheet = self.sheet, None
        if sheet is not None:
            export_choice.keep(self._preferences, sheet.choice)
            sheet.deleteLater()

    # Files.

    def save_text(self) -> None:
        """Save the text that is looked at, as far as it is written."""
        entry = self._current.entry
        if entry is not None and entry.has_text:
            place = self._chosen_file(_PLAIN, FORMATS[_PLAIN].file_name(entry.path))
            if place is not None:
                self.write(entry, _PLAIN, place)

    def write(self, entry: Entry, form: str, place: Path) -> None:
        """Write a text to a file; say that it was done or why it was not."""
        found = wording.document(entry.transcript(), created=entry.created, marks=entry.marks)
        self._exports.save([found], form, ExportOptions(), [place], self._say_saved, self._session.tell)

    def _save(self) -> None:
        sheet = self.sheet
        if sheet is None:
            return
        form, options, documents = sheet.choice.form, sheet.choice.options, sheet.documents
        if len(documents) == 1:
            place = self._chosen_file(form, sheet.file_name)
            if place is not None:
                sheet.set_busy(True)
                self._exports.save(documents, form, options, [place], self._say_saved, self._refuse)
            return
        folder = QFileDialog.getExistingDirectory(
            sheet, _("Choose a folder for the files"), self._preferences.folder("save")
        )
        if folder:
            sheet.set_busy(True)
            template = sheet.choice.template
            self._exports.save_into(documents, form, options, template, Path(folder), self._say_saved, self._refuse)

    def _chosen_file(self, form: str, name: str) -> Path | None:
        suggested = Path(self._preferences.folder("save"), name)
        parent = self.sheet or self._window
        return ask_for_file(parent, _("Save the transcript"), suggested, _(FORMATS[form].label))

    def _say_saved(self, files: list[Path]) -> None:
        self._preferences.remember_folder("save", str(files[0].parent))
        count, folder = len(files), files[0].parent.name
        if count == 1:
            self._tell(_("Saved as {name}", name=files[0].name))
        else:
            self._tell(ngettext("{n} file saved in {folder}", "{n} files saved in {folder}", count, folder=folder))

    def _tell(self, done: str) -> None:
        """Say what was done, on the sheet where that is open."""
        if self.sheet is not None:
            self.sheet.say_done(done)
        else:
            self.told.emit(done)

    def _refuse(self, problem: Problem) -> None:
        if self.sheet is not None:
            self.sheet.say_problem(sentence(problem))
        else:
            self._session.tell(problem)

    # Elsewhere.

    def _copy(self) -> None:
        """Copy the file's text; of a document with looks, those too."""
        sheet = self.sheet
        if sheet is None:
            return
        document, form, options = sheet.documents[0], sheet.choice.form, sheet.choice.options
        sheet.set_busy(True)
        if FORMATS[form].is_binary:
            then = partial(self._put, as_html(wording.named_in(document, FORMATS[form]), options, LIGHT_PALETTE.muted))
            self._exports.render(document, "txt", options, then, self._refuse)
        else:
            self._exports.render(
                document, form, ExportOptions(**{**vars(options), "sound": False}), partial(self._put, ""), self._refuse
            )

    def _put(self, html: str, content: bytes) -> None:
        data = QMimeData()
        data.setText(content.decode("utf-8"))
        if html:
            data.setHtml(html)
        QGuiApplication.clipboard().setMimeData(data)
        self._tell(_("Text copied"))

    def _make_files(self) -> None:
        """Make the files that are dragged, in a folder that is gone with the program."""
        sheet = self.sheet
        if sheet is None:
            return
        try:
            folder = self._dragged.new_folder()
        except OSError as error:
            self._refuse(Problem("disk.not_saved", name=sheet.file_name, error=error.strerror or str(error)))
            return
        choice = sheet.choice
        self._exports.save_into(
            sheet.documents, choice.form, choice.options, choice.template, folder, sheet.handle.give, self._refuse
        )
