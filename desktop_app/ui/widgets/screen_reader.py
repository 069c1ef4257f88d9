"""What screen readers are told when something happens that the focus does not show."""

from __future__ import annotations

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget

from desktop_app.texts import _


def announce(widget: QWidget, text: str) -> None:
    """Let a screen reader say a text, if one is listening."""
    if text and QAccessible.isActive():
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, text))


def named(name: str, value: str) -> str:
    """A value with what it is the value of, as screen readers say it."""
    return _("{name}: {value}", name=name, value=value)
