"""What this Galley is, what it was built from, and the licences of all that comes with it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QDialog, QListWidget, QPlainTextEdit, QWidget
from shiboken6 import isValid

from desktop_app import NAME, __version__, private
from desktop_app.app.background import BackgroundThread, Post
from desktop_app.app.presentation import problems
from desktop_app.app.system import about, updates
from desktop_app.app.system.about import LicenceText
from desktop_app.messages.questions import Latest
from desktop_app.problems import Problem
from desktop_app.texts import _
from desktop_app.ui.widgets.buttons import button
from desktop_app.ui.widgets.labels import label
from desktop_app.ui.widgets.layouts import STRETCH, column, row
from desktop_app.ui.widgets.screen_reader import announce
from desktop_app.ui.widgets.sheet import quiet
from desktop_app.ui.widgets.theme import S2, S4, S5

_LIST, _TEXT, _HEIGHT = 230, 590, 360  # pixels: the list of licences, a text beside it, both


class About(QDialog):
    """Attributes: facts (a label); check, newest, page (a button, what was found, a button for the page of that; hidden
    where Galley was built without an address to ask); licences (the list), text (of the chosen one); copy, done_button.
    """

    def __init__(self, post: Post, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(_("About Galley"))
        self._texts: list[LicenceText] = []
        self._lines: list[str] = []

        def answered(call: Callable[[], object]) -> None:
            post(partial(self._answer, call))

        self._worker, self._asking = BackgroundThread("about", answered), BackgroundThread("updates", answered)
        self._address, self._latest = "", Latest("", "")
        self.facts = quiet()
        self.facts.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.check = button(_("Check for updates"), "plain", self._ask)
        self.newest, self.page = quiet(), button("", "link", self._open_page)
        self.licences, self.text = QListWidget(), QPlainTextEdit()
        self.copy = button(_("Copy version"), "link", self._copy)
        self.copy.setProperty("flush", True)
        self.done_button = button(_("Close"), "plain", self.accept)
        self._lay_out()
        self.finished.connect(self._end)
        self.licences.currentRowChanged.connect(self._show)
        self._worker.do(_facts, self._fill, self._say)

    def _answer(self, call: Callable[[], object]) -> None:
        """What a thread has found; the dialog may be gone by then, with its window."""
        if isValid(self):
            call()

    def _lay_out(self) -> None:
        self.licences.setAccessibleName(_("Licences"))
        self.licences.setFixedWidth(_LIST)
        self.licences.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.text.setAccessibleName(_("Text of the licence"))
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setMinimumSize(_TEXT, _HEIGHT)
        for each in (self.check, self.newest, self.page):
            each.hide()
        updates_row = row(self.check, (self.newest, 1), self.page, spacing=S4)
        column(
            label(f"{NAME} {__version__}", "heading"), self.facts, updates_row,
            quiet(_("Galley is free software under the MIT licence. What comes with it has licences of its own:")),
            (row(self.licences, (self.text, 1), spacing=S4), 1),
            row(self.copy, STRETCH, self.done_button, spacing=S2),
            inside=self, spacing=S4, margins=(S5, S5, S5, S5),
        )  # fmt: skip

    def _fill(self, found: tuple[list[str], list[LicenceText], str]) -> None:
        self._lines, self._texts, self._address = found
        if self._address:
            self.check.show()
            self.newest.setText(updates.announcement(self._address))
            self.newest.show()
        self.facts.setText("\n".join(self._lines[1:]))
        self.licences.addItems([each.name for each in self._texts])
        self.licences.setCurrentRow(0)

    def _show(self, number: int) -> None:
        then = partial(self._show_text, number)
        self._worker.do(partial(about.read, self._texts[number].file), then, self._say)

    def _show_text(self, number: int, text: str) -> None:
        if number == self.licences.currentRow():  # else another one was chosen meanwhile
            self.text.setPlainText(text)

    def _say(self, problem: Problem) -> None:
        self.text.setPlainText(problems.describe(problem)[0])

    def _ask(self) -> None:
        self.check.setEnabled(False)
        self.page.hide()
        self.newest.setText(_("Asking {host}…", host=updates.host(self._address)))
        self._asking.do(partial(updates.ask, self._address), self._show_newest, self._say_not_asked)

    def _show_newest(self, latest: Latest) -> None:
        self._latest = latest
        self.page.setText(_("Open its page on {host}", host=updates.host(latest.page)))
        self.page.setVisible(updates.is_newer(latest))
        self._end_asking(updates.sentence(latest))

    def _say_not_asked(self, problem: Problem) -> None:
        self._end_asking(problems.sentence(problem))

    def _end_asking(self, sentence: str) -> None:
        self.check.setEnabled(True)
        self.newest.setText(sentence)
        announce(self, sentence)

    def _open_page(self) -> None:
        with private.as_user():  # which the browser inherits
            opened = QDesktopServices.openUrl(QUrl(self._latest.page))
        if not opened:
            self.newest.setText(self._latest.page)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText("\n".join(self._lines))
        announce(self, _("Copied."))

    def _end(self) -> None:
        self._worker.close(0.0)
        self._asking.close(0.0)


def _facts() -> tuple[list[str], list[LicenceText], str]:
    return about.lines(), about.licences(), updates.address()
