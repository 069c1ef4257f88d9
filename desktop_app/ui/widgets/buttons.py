"""Buttons in the looks of resources/styles/galley.qss."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QSize, Qt
from PySide6.QtWidgets import QPushButton, QWidget

from desktop_app.ui.widgets import icons
from desktop_app.ui.widgets.theme import Theme


def as_button(made: QPushButton, kind: str) -> None:
    """Let a button look as `kind` says: plain, primary, link, row, pill, segment, tool, labelled (an icon with words).

    A click does not take the focus.
    """
    made.setProperty("kind", kind)
    made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    made.setAutoDefault(False)
    if kind in ("link", "pill"):
        made.setCursor(Qt.CursorShape.PointingHandCursor)


def button(
    text: str, kind: str, then: Callable[[], object] | None = None, parent: QWidget | None = None
) -> QPushButton:
    """A button with words, in the look of a kind."""
    made = QPushButton(text, parent)
    as_button(made, kind)
    if then is not None:
        made.clicked.connect(lambda: then())
    return made


def icon_button(name: str, then: Callable[[], object] | None = None, size: int = 18) -> QPushButton:
    """A button with nothing but an icon; `name` is its tooltip and what a screen reader says."""
    made = button("", "icon", then)
    made.setIconSize(QSize(size, size))
    made.setToolTip(name)
    made.setAccessibleName(name)
    return made


def set_icon(made: QPushButton, theme: Theme, name: str, tint: str = "muted") -> None:
    """An icon in a colour of the palette, which follows when the palette changes."""
    _Icon(made, theme, name, tint)


class _Icon(QObject):
    """Lives as long as its button."""

    def __init__(self, made: QPushButton, theme: Theme, name: str, tint: str) -> None:
        super().__init__(made)
        self._button, self._theme, self._name, self._tint = made, theme, name, tint
        theme.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        colors = self._theme.palette
        self._button.setIcon(icons.icon(self._name, getattr(colors, self._tint), colors.draft))
