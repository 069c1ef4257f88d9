"""The transcript as it is read: its text can be selected, copied and searched with mouse and keyboard."""

from __future__ import annotations

import time

from PySide6.QtCore import QPointF, Qt, QTimer
from PySide6.QtGui import QContextMenuEvent, QCursor, QFocusEvent, QGuiApplication, QKeyEvent, QKeySequence, QMouseEvent
from PySide6.QtWidgets import QAbstractSlider, QApplication, QMenu, QWidget

from desktop_app.ui.transcript.flow_view import FlowView
from desktop_app.ui.widgets.theme import S4, Theme


class TranscriptView(FlowView):
    """A FlowView that reacts to mouse and keyboard."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._dragging = False
        self._double_click_at = 0.0
        self._edge = QTimer(self)
        self._edge.setInterval(40)
        self._edge.timeout.connect(self._drag_beyond_edge)

    # Finding.

    def look_for(self, text: str) -> None:
        """Mark every place of a text and show the first one from the top of the view on."""
        near = (self.flow.at(self.verticalScrollBar().value()), 0) if self.flow.paragraphs else (0, 0)
        self.finder.look_for(text, near)
        self._show_hit()

    def look_on(self, step: int) -> None:
        """Show the next hit (`step` 1) or the previous one (-1)."""
        self.finder.step(step)
        self._show_hit()

    def _show_hit(self) -> None:
        hit = self.finder.hit
        if hit is not None:
            self.stop_following()
            self.reveal(hit[0], hit[1])
        self.viewport().update()

    # Copying.

    def copy(self) -> bool:
        """Put what is selected on the clipboard; whether anything was."""
        if self.reading.has_selection:
            QGuiApplication.clipboard().setText(self.reading.text())
        return self.reading.has_selection

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu().popup(event.globalPos())

    def menu(self) -> QMenu:
        """What can be done with the text under the mouse."""
        made = QMenu(self)
        made.aboutToHide.connect(made.deleteLater)
        made.addAction("Copy", self.copy).setEnabled(self.reading.has_selection)
        made.addAction("Select all", self._select_all).setEnabled(bool(self.flow.paragraphs))
        return made

    def _select_all(self) -> None:
        self.reading.select_all()
        self._cursor_moved()

    # Mouse.

    def _place_under(self, point: QPointF) -> tuple[int, int]:
        return self.flow.position_at(point.x() - self._left, point.y() + self.verticalScrollBar().value() - S4)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or not self.flow.paragraphs:
            return
        place = self._place_under(event.position())
        if time.monotonic() - self._double_click_at < QApplication.doubleClickInterval() / 1000:
            self.reading.select_paragraph(place[0])
        else:
            self.reading.put(place, bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
            self._dragging = True
        self._cursor_moved()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self.flow.paragraphs:
            self.reading.select_word(self._place_under(event.position()))
            self._double_click_at = time.monotonic()
            self._cursor_moved()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if not self._dragging or not self.flow.paragraphs:
            return
        self.reading.put(self._place_under(event.position()), True)
        if 0 <= event.position().y() <= self.viewport().height():
            self._edge.stop()
        elif not self._edge.isActive():
            self._edge.start()
        self._cursor_moved()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._dragging = False
        self._edge.stop()

    def _drag_beyond_edge(self) -> None:
        point = self.viewport().mapFromGlobal(QCursor.pos())
        beyond = point.y() if point.y() < 0 else point.y() - self.viewport().height()
        self.stop_following()
        self.verticalScrollBar().setValue(self.verticalScrollBar().value() + round(beyond / 3))
        self.reading.put(self._place_under(QPointF(point)), True)
        self._cursor_moved()

    # Keyboard.

    def focusInEvent(self, event: QFocusEvent) -> None:
        if event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            self._caret_wanted = True  # who comes by keyboard has to see where the focus is
        super().focusInEvent(event)
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        bar = self.verticalScrollBar()
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self._select_all()
        elif event.key() in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            up = event.key() == Qt.Key.Key_PageUp
            action = QAbstractSlider.SliderAction
            bar.triggerAction(action.SliderPageStepSub if up else action.SliderPageStepAdd)
        else:
            shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
            if self.reading.move(event.key(), control, shift):
                self.reveal(*self.reading.caret)
                self._cursor_moved()
            else:
                super().keyPressEvent(event)

    def _cursor_moved(self) -> None:
        """Show the selection, and let a screen reader say the paragraph that the caret has come to."""
        self._caret_wanted = True
        index = self.reading.caret[0]
        if index < len(self.flow.paragraphs):
            self.say(index)
        self.viewport().update()
