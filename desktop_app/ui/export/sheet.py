"""The sheet in which a format and its looks are chosen, with a preview."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QButtonGroup, QDialog, QWidget

from desktop_app.app.settings.export_choice import ExportChoice
from desktop_app.audio.mp3 import BYTES_A_SECOND
from desktop_app.export import names
from desktop_app.export.document import Document
from desktop_app.export.formats import FORMATS
from desktop_app.texts import _, ngettext
from desktop_app.ui.export.choices import Choices
from desktop_app.ui.export.handle import FileHandle
from desktop_app.ui.export.preview import Preview
from desktop_app.ui.widgets.banner import PROBLEM, Banner
from desktop_app.ui.widgets.buttons import button
from desktop_app.ui.widgets.labels import field, label
from desktop_app.ui.widgets.layouts import STRETCH, column, row
from desktop_app.ui.widgets.screen_reader import announce
from desktop_app.ui.widgets.sheet import ScrollArea, quiet
from desktop_app.ui.widgets.theme import S1, S2, S3, S4, S5, Theme

_SIZE = (1060, 680)
_SIDE, _OPTIONS = 206, 248
_LATER = 40  # milliseconds, in which several changes become one preview


class ExportSheet(QDialog):
    """Formats at the left, a preview, options at the right.

    Attributes: documents; choice (what is chosen now); formats (the buttons by name); choices, preview, name (the
    template's field), handle, copy, save, problem, status (its parts).
    Signals: save_asked(), copy_asked(), files_asked().
    """

    save_asked, copy_asked, files_asked = Signal(), Signal(), Signal()

    def __init__(self, theme: Theme, documents: Sequence[Document], choice: ExportChoice, parent: QWidget) -> None:
        super().__init__(parent)
        self.documents, self.choice = list(documents), choice
        self.setWindowTitle(_("Export – Galley"))
        self.resize(*(min(most, room - 2 * S4) for most, room in zip(_SIZE, parent.size().toTuple(), strict=True)))
        self._later = QTimer(self, singleShot=True, interval=_LATER)
        self._later.timeout.connect(self._show_preview)
        self.preview, self.choices = Preview(theme), Choices(theme)
        self.choices.changed.connect(self._take_options)
        self.name = field(_("File name"), names.TEMPLATE, choice.template)
        fields = ", ".join(f"{{{each}}}" for each in names.FIELDS)
        self._about_name = quiet(_("You can use {fields}.", fields=fields))
        self.name.textChanged.connect(self._take_name)
        self.handle = FileHandle(theme)
        self.handle.asked.connect(self.files_asked)
        self.problem = Banner(theme, PROBLEM, "problem")
        self.problem.say("")
        self.status = quiet()  # what was made last
        self.copy = button(_("Copy"), "plain", self.copy_asked.emit)
        self.close_button = button(_("Close"), "plain", self.reject)
        self.save = button(_("Save…"), "primary", self.save_asked.emit)
        self.save.setDefault(True)
        self._lay_out()
        self._show_format()
        self.formats[self.choice.form].setFocus()

    def _lay_out(self) -> None:
        count = len(self.documents)
        heading = _("Export “{name}”", name=self.documents[0].name)
        if count > 1:
            heading = ngettext("Export {n} recording", "Export {n} recordings", count)
        has_speakers = any(each.transcript.speakers for each in self.documents)
        self.formats = {
            name: button(_(form.label), "row")
            for name, form in FORMATS.items()
            if has_speakers or not form.needs_speakers
        }
        if self.choice.form not in self.formats:
            self.choice = replace(self.choice, form="txt")
        self._group = QButtonGroup(self)
        for name, each in self.formats.items():
            each.setCheckable(True)
            self._group.addButton(each)
            each.clicked.connect(lambda checked=False, form=name: self._take_format(form))
        left = QWidget()
        left.setFixedWidth(_SIDE)
        column(*self.formats.values(), STRETCH, inside=left, spacing=2)
        scrolled = ScrollArea()
        scrolled.setWidget(self.choices)
        self._part = quiet()
        middle = column((self.preview, 1), self._part, spacing=S1)
        naming = column(label(_("File name"), "strong"), self.name, self._about_name, spacing=S1)
        right = QWidget()
        right.setFixedWidth(_OPTIONS)
        column((scrolled, 1), S3, naming, S2, self.handle, inside=right)
        foot = row(self.copy, (self.status, 1), self.close_button, self.save, spacing=S2)
        title = quiet(heading, "heading")
        column(
            title, S3, (row(left, (middle, 1), right, spacing=S4), 1), S3, self.problem, S3, foot,
            inside=self, margins=(S5, S5, S5, S4),
        )  # fmt: skip
        order = [*self.formats.values(), self.preview, self.choices, self.name, self.copy, self.close_button, self.save]
        for first, then in pairwise(order):
            QWidget.setTabOrder(first, then)

    @property
    def file_name(self) -> str:
        """What the first file will be called."""
        extension = FORMATS[self.choice.form].extension
        return f"{names.file_name(self.choice.template, self.documents[0])}.{extension}"

    def say_problem(self, sentence: str) -> None:
        """Say why something could not be done; nothing more is under way."""
        self.problem.say(sentence)
        self.status.setText("")
        self.set_busy(False)

    def say_done(self, sentence: str) -> None:
        """Say what was made; the sheet stays for another format."""
        self.say_problem("")
        self.status.setText(sentence)
        announce(self, sentence)

    def set_busy(self, busy: bool) -> None:
        """Whether a file is being made."""
        self.save.setEnabled(not busy)
        self.copy.setEnabled(not busy and len(self.documents) == 1)
        self.save.setText(_("Saving…") if busy else _("Save…"))

    def _take_format(self, form: str) -> None:
        self.choice = replace(self.choice, form=form)
        self.formats[form].setFocus()  # so that Tab and the arrow keys go on from here
        self._show_format()

    def _take_options(self) -> None:
        self.choice = self.choice.with_options(self.choices.options)
        self._later.start()

    def _take_name(self, text: str) -> None:
        self.choice = replace(self.choice, template=text.strip() or names.TEMPLATE)
        self._show_name()

    def _show_format(self) -> None:
        form, seconds = self.choice.form, sum(each.transcript.seconds for each in self.documents)
        self.formats[form].setChecked(True)
        self.choices.show_options(form, self.choice.options, seconds * BYTES_A_SECOND * 4 / 3)
        self.problem.say("")
        self.status.setText("")
        self._show_name()
        self.preview.verticalScrollBar().setValue(0)
        self._show_preview()

    def _show_name(self) -> None:
        wrong = names.unknown_fields(self.choice.template)
        fields = ", ".join(f"{{{each}}}" for each in names.FIELDS)
        unknown = ", ".join(f"{{{each}}}" for each in wrong)
        self._about_name.setText(
            _("There is no {unknown}. You can use {fields}.", unknown=unknown, fields=fields)
            if wrong
            else _("You can use {fields}.", fields=fields)
        )
        count = len(self.documents)
        self.handle.show_name(self.file_name if count == 1 else ngettext("{n} file", "{n} files", count))

    def _show_preview(self) -> None:
        first = self.documents[0]
        whole = self.preview.show_document(first, self.choice.form, self.choice.options)
        if len(self.documents) > 1:
            self._part.setText(_("This is the beginning of “{name}”.", name=first.name))
        else:
            self._part.setText("" if whole else _("This is the beginning."))
        self.set_busy(False)
