"""Buttons that open menus, and menus in which one thing is chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from desktop_app.ui.widgets.buttons import as_button, set_icon
from desktop_app.ui.widgets.theme import Theme


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


def choice_menu(
    parent: QWidget | None, name: str, choices: Iterable[tuple[str, str]], chosen: str, then: Callable[[str], object]
) -> QMenu:
    """A menu that goes when it is closed. `choices` are texts and values; `then` gets the value that is picked."""
    menu = QMenu(parent)
    menu.setAccessibleName(name)
    menu.aboutToHide.connect(menu.deleteLater)
    group = QActionGroup(menu)
    for text, value in choices:
        action = menu.addAction(text.replace("&", "&&"), partial(then, value))
        action.setCheckable(True)
        action.setChecked(value == chosen)
        group.addAction(action)
    return menu
