"""Versions in the window: the menu of the header, the sheet, lines that are redone, and finding the speakers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMenu

from desktop_app.app.editing.versions import STANDING, Version
from desktop_app.app.presentation import wording
from desktop_app.app.presentation.problems import sentence
from desktop_app.app.recordings import resuming
from desktop_app.app.recordings.entry import IN_WORK, Entry
from desktop_app.messages.options import Options
from desktop_app.texts import _, ngettext
from desktop_app.transcript.model import Span
from desktop_app.ui.context import Context
from desktop_app.ui.transcript.page import TranscriptPage
from desktop_app.ui.versions.sheet import TranscribeAgainSheet
from desktop_app.ui.widgets.banner import NEUTRAL, Banner
from desktop_app.ui.widgets.buttons import as_button
from desktop_app.ui.widgets.confirm import confirm
from desktop_app.ui.widgets.menus import MenuButton

_COUNTS = range(2, 7)  # of speakers, that the menu offers; another number is for the settings


class VersionController(QObject):
    """Attributes: speakers (the line over a text whose speakers are being found).

    Signals: told(sentence) when something was done.
    """

    told = Signal(str)

    def __init__(self, page: TranscriptPage, context: Context) -> None:
        super().__init__(page)
        theme, core = context.theme, context.core
        self._page, self._theme, self._actions, self._current = page, theme, context.actions, context.current
        self._session, self._checks, self._versions = core.session, core.checks, core.checks.versions
        self._models, self._preferences = core.models, core.preferences
        self.speakers = Banner(theme, NEUTRAL, "speakers")
        self._stop = self.speakers.add_button(_("Cancel"), "link")
        self._stop.clicked.connect(lambda: self._versions.stop_finding(self._current.key))
        page.put_bars(self.speakers)
        self.button = MenuButton(theme, self.menu)
        as_button(self.button, "link")
        page.header.put_versions(self.button)
        self._connect()
        self._place()

    def _connect(self) -> None:
        self._actions.on(redo_part=self.redo_part)
        self._page.view.addAction(self._actions["redo_part"])
        self._page.view.menu_asked.connect(self._fill_menu)
        self._current.changed.connect(self._place)
        self._versions.changed.connect(self._show)
        self._session.changed.connect(self._show)
        self._session.text_changed.connect(self._show)
        self._checks.told.connect(self.told.emit)

    # The menu of the header.

    def menu(self) -> QMenu:
        """The versions, and what can be done to get another one."""
        menu = QMenu(self._page)
        menu.aboutToHide.connect(menu.deleteLater)
        key, now = self._current.key, datetime.now(UTC)
        known = self._versions.known.get(key, [])
        alike = Counter(self.words(version, now) for version in known)
        for version in known:
            text = self.words(version, now)
            text = self.words(version, now, seconds=alike[text] > 1).replace("&", "&&")
            if version.number == STANDING:
                standing = menu.addAction(text)
                standing.setCheckable(True)
                standing.setChecked(True)
            else:
                self._add_version(menu.addMenu(text), key, version.number)
        menu.addSeparator()
        again = menu.addAction(_("Transcribe again…"), partial(self.open_sheet, key))
        finding = menu.addMenu(_("Identify speakers"))
        finding.addAction(_("Automatic"), partial(self._versions.find_speakers, key, "auto"))
        for count in _COUNTS:
            text = ngettext("{n} speaker", "{n} speakers", count)
            finding.addAction(text, partial(self._versions.find_speakers, key, str(count)))
        entry = self._current.entry
        finding.setEnabled(entry is not None and entry.has_text and key not in self._versions.finding)
        check = self._checks.running.get(key)
        again.setEnabled(check is None or not check.in_work)
        return menu

    def _add_version(self, menu: QMenu, key: str, number: int) -> None:
        menu.addAction(_("Use this version"), partial(self._versions.take, key, number))
        menu.addAction(_("Compare with the text"), partial(self._checks.compare, key, number))
        menu.addSeparator()
        menu.addAction(_("Delete this version…"), partial(self._remove, key, number))

    def _remove(self, key: str, number: int) -> None:
        text = _("Its text is deleted from this computer and cannot be brought back.")
        if confirm(self._page.window(), _("Delete this version?"), text, _("Delete")):
            self._versions.remove(key, number)

    @staticmethod
    def words(version: Version, now: datetime, seconds: bool = False) -> str:
        """A version in a line: when it was made, by which model, in which language."""
        parts = [wording.moment(version.made, now, seconds)]
        asked = resuming.options(version.asked)
        if version.models.target:
            parts.append(version.models.target)
        if asked is not None and asked.task == "translate":
            parts.append(_("In English"))
        elif version.language:
            parts.append(wording.language(version.language))
        if version.corrected:
            parts.append(_("edited"))
        return " · ".join(parts)

    # The sheet.

    def open_sheet(self, key: str) -> None:
        """Ask how a recording is to be transcribed again, and begin."""
        entry = self._session.entries.get(key)
        if entry is not None and entry.state not in IN_WORK:
            self._ask(key, partial(self._again, key))

    def _again(self, key: str, options: Options) -> None:
        self._checks.transcribe_version(key, options)

    def _ask(self, key: str, then: Callable[[Options], object], lines: bool = False) -> None:
        """Show the sheet with what was asked for the last time."""
        known = self._versions.known.get(key, [])
        asked = resuming.options(known[0].asked) if known else None
        options = asked or self._preferences.options()
        sheet = TranscribeAgainSheet(self._theme, self._models, self._preferences, options, self._page.window(), lines)
        if sheet.exec() == TranscribeAgainSheet.DialogCode.Accepted:
            then(sheet.form.options())

    # Lines.

    def redo_part(self) -> None:
        """Ask how the lines that are chosen are to be transcribed again, and begin."""
        entry, (begin, end) = self._current.entry, self._page.view.selection.range
        if entry is None or not self._page.view.is_editable:
            return
        check = self._checks.running.get(entry.id)
        if check is not None and check.in_work:
            self.told.emit(_("Wait until this recording is transcribed, or cancel that."))
            return
        last = end[0] if end[1] or end[0] == begin[0] else end[0] - 1  # nothing of the last line is selected
        self._ask(entry.id, partial(self._checks.redo, entry.id, begin[0], last), lines=True)

    def redo_missed(self, span: Span) -> None:
        """Ask how a stretch is to be transcribed again that has no line, and begin."""
        key = self._current.key
        self._ask(key, partial(self._checks.redo_missed, key, span), lines=True)

    def _fill_menu(self, menu: QMenu) -> None:
        if self._page.view.is_editable:
            menu.addSeparator()
            menu.addAction(self._actions["redo_part"])

    # What is shown.

    def _place(self) -> None:
        key = self._current.key
        if key:
            self._versions.refresh(key)
        self._show(key)

    def _show(self, key: str) -> None:
        if key != self._current.key:
            return
        entry = self._current.entry
        self.button.setVisible(entry is not None and self._is_shown(entry))
        count = len(self._versions.known.get(key, []))
        self.button.setText(ngettext("{n} version", "{n} versions", count) if count > 1 else _("Versions"))
        self._show_finding(key)

    @staticmethod
    def _is_shown(entry: Entry) -> bool:
        return entry.state not in IN_WORK and not entry.is_damaged and (entry.has_text or not entry.loaded)

    def _show_finding(self, key: str) -> None:
        problem, share = self._versions.problems.get(key), self._versions.finding.get(key)
        text = ""
        if problem is not None:
            text = _("The speakers could not be identified. {problem}", problem=sentence(problem))
        elif share is not None:
            text = _("Identifying the speakers… {percent}", percent=wording.percent(share))
        self._stop.setText(_("Cancel") if problem is None else _("Close"))
        self.speakers.say(text)
