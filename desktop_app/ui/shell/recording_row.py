"""Paints a row of the sidebar: name, state, and how far the work is."""

from __future__ import annotations

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetrics, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from desktop_app.app.recordings.entry import FAILED, IN_WORK, INTERRUPTED, RECORDING, WAITING, Entry
from desktop_app.texts import _
from desktop_app.transcript.search import Snippet
from desktop_app.ui.shell.recording_model import EntryRole, RecordingModel, SnippetRole, SummaryRole
from desktop_app.ui.widgets import icons
from desktop_app.ui.widgets.labels import field
from desktop_app.ui.widgets.theme import RADIUS, S2, S3, Theme, font

ROW, HEADING, SNIPPET = 54, 34, 20
_RING = 18
Index = QModelIndex | QPersistentModelIndex


class RecordingRow(QStyledItemDelegate):
    """Signals: cancel_asked(id) when the cross of a recording in work is clicked; editing(whether a title is)."""

    cancel_asked = Signal(str)
    editing = Signal(bool)

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._name, self._summary = font(13, "Medium"), font(12, figures=True)
        self._heading = font(11, "SemiBold")
        self._heading.setLetterSpacing(self._heading.SpacingType.AbsoluteSpacing, 0.6)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        model = index.model()
        assert isinstance(model, RecordingModel)
        return QSize(120, HEADING if model.is_heading(index) else ROW + SNIPPET * bool(model.wanted))

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QLineEdit:
        """For the title of a recording."""
        editor = field(_("Title"))
        editor.setParent(parent)
        self.editing.emit(True)
        return editor

    def destroyEditor(self, editor: QWidget, index: Index) -> None:
        super().destroyEditor(editor, index)
        self.editing.emit(False)

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        editor.setGeometry(QRect(option.rect.left() + 2, option.rect.top() + 2, option.rect.width() - 4, ROW - 4))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        entry = index.data(EntryRole)
        if entry is None:
            painter.setFont(self._heading)
            painter.setPen(self._theme.palette.color("muted"))
            place = option.rect.adjusted(S3, 0, 0, -6)
            painter.drawText(
                place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom, str(index.data()).upper()
            )
        else:
            self._paint_entry(painter, option, entry, index)
        painter.restore()

    def _paint_entry(self, painter: QPainter, option: QStyleOptionViewItem, entry: Entry, index: Index) -> None:
        colors = self._theme.palette
        place = option.rect.adjusted(0, 1, 0, -1)
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        under_mouse = bool(option.state & QStyle.StateFlag.State_MouseOver)
        if chosen or under_mouse:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colors.color("pressed" if chosen else "hover"))
            painter.drawRoundedRect(place, RADIUS, RADIUS)
        if chosen and option.state & QStyle.StateFlag.State_HasFocus and _by_keyboard(option):
            painter.setPen(QPen(colors.color("accent"), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(place).adjusted(1, 1, -1, -1), RADIUS - 1, RADIUS - 1)
        width = place.width() - 2 * S3
        if entry.state in (*IN_WORK, FAILED, INTERRUPTED):
            width -= _RING + S2
            self._paint_state(painter, _state_place(place), entry, under_mouse)
        middle, right = Qt.TextElideMode.ElideMiddle, Qt.TextElideMode.ElideRight
        for text, face, role, top, elide in (
            (entry.name, self._name, "ink", 8, middle),
            (str(index.data(SummaryRole)), self._summary, "bad" if entry.state == FAILED else "muted", 27, right),
        ):
            painter.setFont(face)
            painter.setPen(colors.color(role))
            shown = QFontMetrics(face).elidedText(text, elide, width)
            painter.drawText(QRect(place.left() + S3, place.top() + top, width, 18), Qt.AlignmentFlag.AlignLeft, shown)
        found = index.data(SnippetRole)
        if isinstance(found, Snippet):
            line = QRect(place.left() + S3, place.top() + ROW - 8, place.width() - 2 * S3, 18)
            self._paint_snippet(painter, line, found)

    def _paint_snippet(self, painter: QPainter, place: QRect, found: Snippet) -> None:
        """What was found, marked, and what stands before and behind it, as far as there is room."""
        colors, letters = self._theme.palette, QFontMetrics(self._summary)
        text = found.text
        before, after = text[: found.begin].lstrip(), text[found.end :].rstrip()
        room = max(place.width() - letters.horizontalAdvance(found.found), 0)
        share = max(room // 3, room - letters.horizontalAdvance(after))
        before = from_a_word(letters.elidedText(before, Qt.TextElideMode.ElideLeft, share))
        parts = ((before, "muted"), (found.found, "on_hit"), (after, "muted"))
        painter.setFont(self._summary)
        left = place.left()
        for part, role in parts:
            shown = letters.elidedText(part, Qt.TextElideMode.ElideRight, max(place.right() - left, 0))
            width = letters.horizontalAdvance(shown)
            if role == "on_hit":
                painter.setPen(QPen(colors.color("hit_edge"), 1))
                painter.setBrush(colors.color("hit_now"))
                painter.drawRoundedRect(QRectF(left - 0.5, place.top() - 0.5, width + 1, place.height() - 1), 3, 3)
            painter.setPen(colors.color(role))
            painter.drawText(QRect(left, place.top(), width + 2, 18), Qt.AlignmentFlag.AlignLeft, shown)
            left += width

    def _paint_state(self, painter: QPainter, place: QRectF, entry: Entry, under_mouse: bool) -> None:
        colors = self._theme.palette
        if entry.state in (FAILED, INTERRUPTED):
            failed = entry.state == FAILED
            icons.paint(painter, "problem" if failed else "pause", colors.bad if failed else colors.muted, place)
        elif entry.state == RECORDING:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colors.color("bad"))
            painter.drawEllipse(place.adjusted(4, 4, -4, -4))
        elif under_mouse:
            icons.paint(painter, "close", colors.ink, place)
        else:
            paint_ring(painter, place, entry.progress, self._theme, waiting=entry.state == WAITING)

    def editorEvent(self, event: QEvent, model: object, option: QStyleOptionViewItem, index: Index) -> bool:
        entry = index.data(EntryRole)
        if (
            event.type() == QEvent.Type.MouseButtonRelease
            and isinstance(event, QMouseEvent)
            and entry is not None
            and entry.state in IN_WORK
            and entry.state != RECORDING
            and _state_place(option.rect).adjusted(-6, -6, 6, 6).contains(QPointF(event.position()))
        ):
            self.cancel_asked.emit(entry.id)
            return True
        return False


def from_a_word(elided: str) -> str:
    """A text that was shortened at its beginning, without the rest of the word that was cut."""
    if not elided.startswith("…"):
        return elided
    _part, space, words = elided.partition(" ")
    return f"… {words}" if space else "…"


def _state_place(row: QRect) -> QRectF:
    return QRectF(row.right() - S3 - _RING + 4, row.top() + (ROW - _RING) / 2, _RING, _RING)


def _by_keyboard(option: QStyleOptionViewItem) -> bool:
    view = option.widget
    return isinstance(view, QAbstractItemView) and bool(view.property("keyboard"))


def paint_ring(painter: QPainter, place: QRectF, share: float, theme: Theme, waiting: bool = False) -> None:
    """A ring that fills clockwise from the top; dotted while the work has not begun."""
    colors = theme.palette
    ring = place.adjusted(2, 2, -2, -2)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    track = QPen(colors.color("line_strong"), 2.2)
    if waiting:
        track.setDashPattern([0.1, 2.0])
        track.setCapStyle(Qt.PenCapStyle.RoundCap)
    painter.setPen(track)
    painter.drawEllipse(ring)
    if share > 0:
        painter.setPen(QPen(colors.color("accent"), 2.2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawArc(ring, 90 * 16, -round(share * 360 * 16))
