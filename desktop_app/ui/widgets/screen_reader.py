"""What screen readers are told when something happens that the focus does not show."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QAccessibleInterface
from PySide6.QtWidgets import QWidget

from desktop_app.texts import _

_makers: dict[type[QWidget], Callable[[Any], QAccessibleInterface]] = {}


def read_as(kind: type[QWidget], make: Callable[[Any], QAccessibleInterface]) -> None:
    """Give screen readers an interface of our own for a kind of widget that Qt knows nothing about."""
    if not _makers:
        QAccessible.installFactory(_interface)
    _makers[kind] = make


def _interface(_name: str, widget: QObject) -> QAccessibleInterface | None:
    make = next((_makers[kind] for kind in type(widget).__mro__ if kind in _makers), None)
    return make(widget) if make is not None else None


def announce(widget: QWidget, text: str) -> None:
    """Let a screen reader say a text, if one is listening."""
    if text and QAccessible.isActive():
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, text))


def named(name: str, value: str) -> str:
    """A value with what it is the value of, as screen readers say it."""
    return _("{name}: {value}", name=name, value=value)
