"""The page of settings: in groups, on cards, with a search."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QLineEdit, QWidget

from desktop_app import __version__
from desktop_app.app.settings.preferences import Preferences
from desktop_app.texts import _
from desktop_app.ui.settings.sections import GROUPS, SECTIONS
from desktop_app.ui.widgets import icons
from desktop_app.ui.widgets.actions import Actions
from desktop_app.ui.widgets.labels import field, label
from desktop_app.ui.widgets.layouts import STRETCH, add, column, row
from desktop_app.ui.widgets.sheet import Sheet, card, quiet, rule, setting
from desktop_app.ui.widgets.theme import S2, S3, S4, S5, S6, Theme

_SEARCH = 220  # pixels
_NARROW = 620


class SettingsPage(QWidget):
    """Attributes: sheet (what scrolls); search (a field); sections (their parts), rows and groups (widgets), each by
    its heading; report (its button)."""

    def __init__(self, theme: Theme, actions: Actions, preferences: Preferences, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.sections = {each.heading: each.make(theme, actions, preferences) for each in SECTIONS}
        self.search = field(_("Search settings"), _("Search settings"))
        self.search.setClearButtonEnabled(True)
        self.search.setFixedWidth(_SEARCH)
        self._search_mark = QAction(self.search)
        self.search.addAction(self._search_mark, QLineEdit.ActionPosition.LeadingPosition)
        theme.changed.connect(self._retint)
        self._theme = theme
        self._retint()
        self.search.textChanged.connect(self._show_found)
        self._nothing = quiet(_("Nothing found"))
        self._nothing.hide()
        self._rules: dict[str, QWidget] = {}
        self._lines: list[tuple[QBoxLayout, QWidget]] = []
        self.rows = {heading: self._row(heading) for heading in self.sections}
        self.groups = {heading: self._group(heading) for heading in GROUPS}
        self.report = actions.button("report", "link")
        self._lay_out(actions)
        self._show_found("")
        preferences.changed.connect(self.refresh)
        self.refresh()

    def _row(self, heading: str) -> QWidget:
        """A setting, under a line."""
        parts, made = self.sections[heading], QWidget()
        explanation = next(each.explanation for each in SECTIONS if each.heading == heading)
        more = [parts.value] if parts.value is not None else []
        line = setting(_(heading), quiet(_(explanation)), parts.control, *more)
        self._lines.append((line, parts.control))
        self._rules[heading] = rule()
        column(self._rules[heading], column(line, margins=(S4, S3, S4, S3)), inside=made)
        return made

    def _group(self, heading: str) -> QWidget:
        """The settings of a group on a card."""
        made, ground = QWidget(), card()
        column(*(self.rows[each.heading] for each in SECTIONS if each.group == heading), inside=ground)
        column(label(_(heading), "heading"), ground, inside=made, spacing=S3)
        return made

    def _lay_out(self, actions: Actions) -> None:
        self.sheet = Sheet(self)
        column(self.sheet, inside=self)
        add(self.sheet.head, row((label(_("Settings"), "title"), 1), self.search), self._nothing)
        first, *others = self.groups.values()
        about = quiet(_("Galley {version}. Nothing leaves this computer.", version=__version__))
        links = (self.report, actions.button("shortcuts", "link"), actions.button("about", "link"))
        for link in links:
            link.setProperty("flush", True)
        add(self.sheet.first, first)
        foot = column(about, row(*links, STRETCH, spacing=S5), spacing=S2)
        self.sheet.second.setSpacing(S6)
        add(self.sheet.second, *others, foot)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In a narrow window controls stand under what they are for."""
        narrow = event.size().width() < _NARROW
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute  # menu buttons are laid out mirrored
        for line, control in self._lines:
            line.setDirection(QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight)
            line.setSpacing(S2 if narrow else S5)
            line.setAlignment(control, left if narrow else Qt.AlignmentFlag.AlignTop)

    def _show_found(self, text: str) -> None:
        """Show the settings that hold these words, all of them without any."""
        words = text.casefold().split()
        for heading, group in self.groups.items():
            members = [each for each in SECTIONS if each.group == heading]
            found = [each.heading for each in members if _holds(words, heading, each.heading, each.explanation)]
            group.setVisible(bool(found))
            for each in members:
                self.rows[each.heading].setVisible(each.heading in found)
                self._rules[each.heading].setVisible(each.heading not in found[:1])
        self._nothing.setVisible(all(group.isHidden() for group in self.groups.values()))

    def _retint(self) -> None:
        self._search_mark.setIcon(icons.icon("search", self._theme.palette.muted))

    def refresh(self) -> None:
        """Show what is chosen."""
        for parts in self.sections.values():
            parts.refresh()


def _holds(words: list[str], *told: str) -> bool:
    text = " ".join(_(each) for each in told).casefold()
    return all(word in text for word in words)
