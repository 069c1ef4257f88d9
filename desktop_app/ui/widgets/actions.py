"""What can be done in the window: described once, for menus, buttons, tooltips and shortcuts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, QSize, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from desktop_app.texts import _
from desktop_app.ui.widgets import icons
from desktop_app.ui.widgets.buttons import as_button
from desktop_app.ui.widgets.theme import Theme

_AROUND_WORDS = 24  # pixels, between and beside icon and words

Keys = str | QKeySequence.StandardKey | tuple[str, ...]


def _always(situation: Any) -> bool:
    return True


@dataclass(frozen=True)
class Description:
    """What an action is, whatever is shown at the moment. Its texts are marked by `N_`, and translated when shown.

    Attributes:
        name: for the program.
        text: what it does, in the list of shortcuts and in tooltips; "" where another one's says it.
        keys: its shortcuts, the first one is shown.
        icon: the name of an icon, for buttons.
        label: a shorter text for menus and for buttons with words; `text` without one.
        short: a still shorter one, for buttons with words.
        enabled: whether it can be used, by the situation of the window.
        in_text: whether its keys work only in the widget that it is added to.
        checkable: whether it is on or off.
    """

    name: str
    text: str
    keys: Keys = ""
    icon: str = ""
    label: str = ""
    short: str = ""
    enabled: Callable[[Any], bool] = _always
    in_text: bool = False
    checkable: bool = False


class Action(QAction):
    """Attributes: description; icon_name and tint (of its buttons; each has a colour of its own where tint is "")."""

    def __init__(self, description: Description, parent: QWidget) -> None:
        super().__init__(parent)
        self.description, self.icon_name, self.tint = description, description.icon, ""
        self.setShortcuts(self.usual_keys())
        if description.in_text:
            self.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self.setCheckable(description.checkable)
        self.show_as(_(description.label) or self.what, self.what, short=_(description.short))

    def usual_keys(self) -> list[QKeySequence]:
        """Its shortcuts where the user has not chosen others."""
        keys = self.description.keys
        if isinstance(keys, QKeySequence.StandardKey):
            return QKeySequence.keyBindings(keys)
        return [QKeySequence(key) for key in ((keys,) if isinstance(keys, str) else keys) if key]

    def set_keys(self, keys: list[QKeySequence]) -> None:
        """Take other shortcuts; menus, tooltips and buttons show the first one."""
        self.setShortcuts(keys)
        self._show_tip()

    @property
    def what(self) -> str:
        """What it does, as the list of shortcuts says it."""
        return _(self.description.text)

    @property
    def keys(self) -> str:
        """Its shortcut as this system writes it, "" for none."""
        return self.shortcut().toString(QKeySequence.SequenceFormat.NativeText)

    def show_as(self, label: str, text: str = "", icon: str = "", short: str = "", tint: str = "") -> None:
        """What it does now.

        Args:
            label: in menus, on buttons and for screen readers.
            text: for the tooltip; `label` without one.
            icon: another icon than before.
            short: for buttons with words, where that is another one than `label`.
            tint: a colour of the palette for the icon, instead of that of each button.
        """
        self.setText(label)
        self.setIconText(short or label)
        self._tip = text or label
        self._show_tip()
        if (icon or self.icon_name, tint) != (self.icon_name, self.tint):
            self.icon_name, self.tint = icon or self.icon_name, tint
            self.changed.emit()

    def _show_tip(self) -> None:
        self.setToolTip(f"{self._tip} ({self.keys})" if self.keys else self._tip)


class Actions(QObject):
    """All actions of a window, by name."""

    def __init__(self, theme: Theme, descriptions: Iterable[Description], window: QWidget) -> None:
        super().__init__(window)
        self._theme, self._situation = theme, None
        self._made = {each.name: Action(each, window) for each in descriptions}
        window.addActions([action for action in self if not action.description.in_text])

    def __getitem__(self, name: str) -> Action:
        return self._made[name]

    def __iter__(self) -> Iterator[Action]:
        return iter(self._made.values())

    def on(self, **handlers: Callable[[], object]) -> None:
        """Say what the actions of these names do."""
        for name, handler in handlers.items():
            self[name].triggered.connect(lambda checked=False, then=handler: then())

    def update(self, situation: Any) -> None:
        """Enable what can be used now. What a description cannot decide is left to who knows."""
        if situation != self._situation:
            self._situation = situation
            for action in self:
                if action.description.enabled is not _always:
                    action.setEnabled(action.description.enabled(situation))

    def button(self, name: str, kind: str = "icon", tint: str = "muted") -> ActionButton:
        """A button that does the action: an icon in a colour of the palette, and words for every other kind."""
        return ActionButton(self[name], self._theme, kind, tint)

    def item(self, menu: QMenu, name: str, then: Callable[[], object], label: str = "") -> QAction:
        """An item of a menu that does the same to something of its own; its keys are shown."""
        action = self[name]
        keys = f"\t{action.keys}" if action.keys else ""
        return menu.addAction(f"{label or action.text()}{keys}", lambda: then())


class ActionButton(QPushButton):
    """Follows an action: its words, icon, tooltip, and whether it is on and can be used. Made by Actions.button."""

    def __init__(self, action: Action, theme: Theme, kind: str, tint: str) -> None:
        super().__init__()
        self._action, self._theme, self._kind, self._tint = action, theme, kind, tint
        as_button(self, kind)
        if kind in ("icon", "row", "play"):
            self.setIconSize(QSize(18, 18))
        self.setCheckable(action.isCheckable())
        self.clicked.connect(action.trigger)
        action.changed.connect(self._follow)
        theme.changed.connect(self._follow)
        self._follow()

    def width_with_words(self) -> int:
        """Pixels that an icon takes with words beside it."""
        return self.iconSize().width() + self.fontMetrics().horizontalAdvance(self._action.iconText()) + _AROUND_WORDS

    def show_words(self, shown: bool) -> None:
        """Let an icon have words beside it, or not."""
        self._kind = "labelled" if shown else "icon"
        if self.property("kind") != self._kind:
            as_button(self, self._kind)
            self.style().unpolish(self)  # else it keeps the size of an icon
            self.style().polish(self)
            self._follow()

    def _follow(self) -> None:
        action, colors = self._action, self._theme.palette
        self.setAccessibleName(action.text())
        self.setToolTip(action.toolTip())
        self.setEnabled(action.isEnabled())
        self.setChecked(action.isChecked())
        self.setText("" if self._kind in ("icon", "play") else action.iconText())
        if action.icon_name:
            tint = getattr(colors, action.tint or self._tint)
            disabled = colors.draft if self._kind in ("primary", "play") else colors.line_strong
            self.setIcon(icons.icon(action.icon_name, tint, disabled))
