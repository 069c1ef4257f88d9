"""Buttons that open menus, and menus in which one thing is chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QActionGroup, QKeyEvent
from PySide6.QtWidgets import QApplication, QMenu, QPushButton, QWidget, QWidgetAction

from desktop_app.ui.widgets.buttons import as_button, set_icon
from desktop_app.ui.widgets.labels import field
from desktop_app.ui.widgets.layouts import column
from desktop_app.ui.widgets.theme import S1, S2, Theme


class MenuButton(QPushButton):
    """Words with an arrow behind them; pressed, it opens the menu that `make_menu` gives."""

    def __init__(self, theme: Theme, make_menu: Callable[[], QMenu], text: str = "") -> None:
        super().__init__(text)
        self.make_menu = make_menu
        as_button(self, "plain")
        set_icon(self, theme, "chevron-down")
        self.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        self.clicked.connect(lambda: open_under(self, self.make_menu()))


def open_under(control: QWidget, menu: QMenu) -> None:
    """Show a menu under what it belongs to."""
    menu.popup(control.mapToGlobal(control.rect().bottomLeft()))


class SearchMenu(QMenu):
    """A menu that is searched by typing: what does not contain the text is hidden, and Enter picks the first of the
    rest. Attributes: field (where the text stands)."""

    def __init__(self, parent: QWidget | None, hint: str) -> None:
        super().__init__(parent)
        self.field = field(hint, hint)
        self.field.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # keys stay the menu's, which passes on what is text
        self.field.textChanged.connect(self._filter)
        holder = QWidget()
        column(self.field, inside=holder, margins=(S2, S1, S2, S1))
        shown = QWidgetAction(self)
        shown.setDefaultWidget(holder)
        self.addAction(shown)
        self._searched = shown

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Backspace or (event.text().isprintable() and event.text()):
            QApplication.sendEvent(self.field, event)
        else:
            super().keyPressEvent(event)

    def _filter(self, text: str) -> None:
        wanted = text.strip().casefold()
        found = [action for action in self.actions() if action is not self._searched and not action.isSeparator()]
        for action in found:
            action.setVisible(wanted in action.text().casefold())
        first = next((action for action in found if action.isVisible()), None)
        if first is not None:
            self.setActiveAction(first)


def choice_menu(
    parent: QWidget | None,
    name: str,
    choices: Iterable[tuple[str, str]],
    chosen: str,
    then: Callable[[str], object],
    search: str = "",
) -> QMenu:
    """A menu that goes when it is closed. `choices` are texts and values; `then` gets the value that is picked. With
    `search`, the hint of its field, it is searched by typing."""
    menu = SearchMenu(parent, search) if search else QMenu(parent)
    menu.setAccessibleName(name)
    menu.aboutToHide.connect(menu.deleteLater)
    group = QActionGroup(menu)
    for text, value in choices:
        action = menu.addAction(text.replace("&", "&&"), partial(then, value))
        action.setCheckable(True)
        action.setChecked(value == chosen)
        group.addAction(action)
    return menu
