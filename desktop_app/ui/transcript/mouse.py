"""The mouse over a transcript: it puts the caret, selects, and clicks on times and names."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QCursor, QMouseEvent
from PySide6.QtWidgets import QAbstractScrollArea, QApplication

from desktop_app.ui.transcript.flow import Flow
from desktop_app.ui.transcript.following import Follower
from desktop_app.ui.transcript.placement import Placement
from desktop_app.ui.transcript.selection import Selection


class Mouse(QObject):
    """Gets the mouse events of a view.

    Signals: selected() when caret or selection are others; clicked(line, character) when the caret was put somewhere
    and nothing was selected; time_clicked(line); name_clicked(line); hovered(line) when the mouse comes over the time
    of a line, -1 when it leaves that.
    """

    selected = Signal()
    clicked = Signal(int, int)
    time_clicked = Signal(int)
    name_clicked = Signal(int)
    hovered = Signal(int)

    def __init__(
        self, view: QAbstractScrollArea, flow: Flow, selection: Selection, placement: Placement, follower: Follower
    ) -> None:
        super().__init__(view)
        self._view, self._flow, self._selection = view, flow, selection
        self._placement, self._follower = placement, follower
        self._dragging = False
        self._double_click_at = 0.0
        self._hovered = -1
        self._edge = QTimer(self, interval=40)
        self._edge.timeout.connect(self._drag_beyond_edge)

    def press(self, event: QMouseEvent) -> None:
        """Click on a time or a name, or put the caret; the third click in a row selects a paragraph."""
        if event.button() != Qt.MouseButton.LeftButton or not self._flow.lines:
            return
        line = self._placement.time_at(event.position())
        if line >= 0:
            self.time_clicked.emit(line)
            return
        line = self._placement.name_at(event.position())
        if line >= 0:
            self.name_clicked.emit(line)
            return
        place = self._placement.place_at(event.position())
        if time.monotonic() - self._double_click_at < QApplication.doubleClickInterval() / 1000:
            self._selection.select_paragraph(place[0])
        else:
            self._selection.put(place, bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
            self._dragging = True
        self.selected.emit()

    def double_click(self, event: QMouseEvent) -> None:
        """Select a word."""
        if self._flow.lines:
            self._selection.select_word(self._placement.place_at(event.position()))
            self._double_click_at = time.monotonic()
            self.selected.emit()

    def move(self, event: QMouseEvent) -> None:
        """Select while a button is held; beyond an edge the view scrolls."""
        if event.buttons() == Qt.MouseButton.NoButton:
            self._hover(event.position())
        if not self._dragging or not self._flow.lines:
            return
        self._selection.put(self._placement.place_at(event.position()), True)
        if 0 <= event.position().y() <= self._view.viewport().height():
            self._edge.stop()
        elif not self._edge.isActive():
            self._edge.start()
        self.selected.emit()

    def release(self) -> None:
        """End a selection."""
        clicked = self._dragging and not self._selection.has_selection
        self._dragging = False
        self._edge.stop()
        if clicked:
            self.clicked.emit(*self._selection.caret)

    def leave(self) -> None:
        """It is not over the view any more."""
        self._hover(QPointF(-1, -1))

    def _hover(self, point: QPointF) -> None:
        line = self._placement.time_at(point)
        hand = line >= 0 or self._placement.name_at(point) >= 0
        self._view.viewport().setCursor(Qt.CursorShape.PointingHandCursor if hand else Qt.CursorShape.IBeamCursor)
        if line != self._hovered:
            self._hovered = line
            self.hovered.emit(line)

    def _drag_beyond_edge(self) -> None:
        viewport, bar = self._view.viewport(), self._view.verticalScrollBar()
        point = viewport.mapFromGlobal(QCursor.pos())
        beyond = point.y() if point.y() < 0 else point.y() - viewport.height()
        self._follower.stop()
        bar.setValue(bar.value() + round(beyond / 3))
        self._selection.put(self._placement.place_at(QPointF(point)), True)
        self.selected.emit()
