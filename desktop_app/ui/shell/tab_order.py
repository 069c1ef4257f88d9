"""Tab goes through a window as one reads it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QScrollArea, QWidget


def reading_order(widget: QWidget) -> Iterator[QWidget]:
    """A widget and all that is seen in it, each container for itself: from the top to the bottom, in a row from the
    left to the right.

    Qt's own order is that in which widgets were made, which for rows that come and go is no order at all.
    """
    yield widget
    if isinstance(widget, QScrollArea):
        inside = [widget.widget()]
    elif isinstance(widget, QAbstractScrollArea):
        inside = []  # the scroll bars are no stops
    else:
        inside = [child for child in widget.children() if isinstance(child, QWidget) and not child.isWindow()]
    for child in _in_rows(child for child in inside if child is not None and child.isVisible()):
        yield from reading_order(child)


def _in_rows(widgets: Iterable[QWidget]) -> Iterator[QWidget]:
    """Sorted by rows, a tall one in the row that it ends with."""
    waiting = sorted(widgets, key=_bottom)
    while waiting:
        end = _bottom(waiting[0]) + max(waiting[0].height(), 2) / 2
        row = [each for each in waiting if _bottom(each) < end]
        yield from sorted(row, key=QWidget.x)
        waiting = waiting[len(row) :]


def _bottom(widget: QWidget) -> int:
    return widget.geometry().bottom()


def move_focus(window: QWidget, forwards: bool) -> bool:
    """Give the focus to the next stop of Tab in a window or to the one before; whether there is any.

    Qt also asks for this when what has the focus is hidden: then the next stop is one in the same container, if it has
    any.
    """
    order, here = list(reading_order(window)), QApplication.focusWidget()
    while here is not None and here not in order:
        here = here.parentWidget()
    at = order.index(here) if here is not None else 0
    before, behind = order[:at], order[at + 1 :]
    around = [*behind, *before] if forwards else [*before[::-1], *behind[::-1]]
    stop = next(filter(_is_stop, around), None)
    if stop is not None:
        stop.setFocus(Qt.FocusReason.TabFocusReason if forwards else Qt.FocusReason.BacktabFocusReason)
    return stop is not None


def has_stop_beside(widget: QWidget) -> bool:
    """Whether there is another stop of Tab in the container that a widget stands in."""
    container = widget.parentWidget()
    return container is not None and any(_is_stop(each) for each in reading_order(container) if each is not widget)


def _is_stop(widget: QWidget) -> bool:
    takes = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.focusProxy() is None
    return takes and widget.isEnabled()
