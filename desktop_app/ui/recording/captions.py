"""A small window that stays over the others and shows the last lines while they are spoken."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QGuiApplication,
    QHideEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizeGrip, QWidget

from desktop_app.app.settings.preferences import Preferences
from desktop_app.messages.jobs import TentativeLine
from desktop_app.texts import N_, _
from desktop_app.transcript.model import Segment
from desktop_app.ui.transcript.flow import Flow
from desktop_app.ui.transcript.painting import paint_text
from desktop_app.ui.widgets import icons
from desktop_app.ui.widgets.buttons import icon_button
from desktop_app.ui.widgets.geometry import keep_geometry, restore_geometry
from desktop_app.ui.widgets.painting import painting
from desktop_app.ui.widgets.screen_reader import announce
from desktop_app.ui.widgets.theme import DARK_PALETTE, S1, S2, S4, S5, font

SIZES = (17, 20, 24, 29, 35, 42)  # of the type, in pixels
_USUAL = 24
_ROWS = 3
_WIDTH, _SHARE = 720, 0.5  # pixels, and of the screen's width where that is more
_STEP = 16  # pixels that an arrow key moves it
_TOOL = 24
_NOTHING = N_("Captions appear here.")


class Captions(QWidget):
    """The last lines of a live recording, light on dark whatever lies beneath.

    Drag it anywhere, drag its corner for another size; Ctrl and plus or minus change the letters, Escape closes it.
    Place and size are kept.

    Attributes: flow (the text); rows (how many rows are in view). Signals: shown(visible).
    """

    shown = Signal(bool)

    def __init__(self, preferences: Preferences, parent: QWidget | None = None) -> None:
        kind = Qt.WindowType
        super().__init__(parent, kind.Tool | kind.FramelessWindowHint | kind.WindowStaysOnTopHint)
        self._preferences = preferences
        self._segments: Sequence[Segment] = ()
        self._lines: Sequence[TentativeLine] = ()
        self._announced = self._shown = 0  # segments
        self._held: QPoint | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setWindowTitle(_("Captions – Galley"))
        self.setAccessibleName(_("Live captions"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.SizeAllCursor)
        tools = (
            ("close", _("Close captions ({keys})", keys=native("Esc")), self.hide),
            ("larger", _("Larger text ({keys})", keys=native("Ctrl++")), partial(self.resize_letters, 1)),
            ("smaller", _("Smaller text ({keys})", keys=native("Ctrl+-")), partial(self.resize_letters, -1)),
        )
        self._tools = {mark: icon_button(name, then, 16) for mark, name, then in tools}
        for mark, tool in self._tools.items():
            tool.setParent(self)
            tool.setProperty("kind", "overlay")
            tool.setCursor(Qt.CursorShape.ArrowCursor)
            tool.setIcon(icons.icon(mark, DARK_PALETTE.muted))
        self._grip = QSizeGrip(self)
        self._grip.setFixedSize(S4, S4)
        self._grip.setToolTip(_("Drag to resize"))
        self._set_letters(int(preferences.text("captions_letters", str(_USUAL))))
        if not restore_geometry(self, preferences, "captions"):
            self._place_at_bottom()

    # The text.

    def show_text(self, segments: Sequence[Segment], lines: Sequence[TentativeLine]) -> None:
        """Show the end of a text: its finished segments and the line that is being spoken."""
        if len(segments) < self._shown:  # another recording
            self._announced = 0
            self.flow.clear()
        self._shown = len(segments)
        self._segments, self._lines = segments, lines
        if not self.isVisible():
            return
        self.flow.sync(segments, lines)
        if len(segments) > self._announced:
            announce(self, " ".join(segment.text.strip() for segment in segments[self._announced :]))
            self._announced = len(segments)
        self.setAccessibleDescription(" ".join(it.text for it in self.flow.lines[-_ROWS:]) or _(_NOTHING))
        self.update()

    @property
    def rows(self) -> int:
        """How many rows there is room for."""
        return max(int((self.height() - 2 * S4) // self.flow.line_height), 1)

    def resize_letters(self, step: int) -> None:
        """Take the next larger letters (1) or the next smaller ones (-1); the window grows with them."""
        at = SIZES.index(self._letters) + step
        if 0 <= at < len(SIZES):
            rows = self.rows
            self._set_letters(SIZES[at])
            self._preferences.set("captions_letters", str(self._letters))
            self.resize(self.width(), max(round(rows * self.flow.line_height) + 2 * S4, self.minimumHeight()))
            self._fit_here()
            self.show_text(self._segments, self._lines)

    def _set_letters(self, pixels: int) -> None:
        self._letters = pixels if pixels in SIZES else _USUAL
        self.flow = Flow(font(self._letters, "Medium"), round(self._letters * 1.4), 0)
        self.flow.set_width(self._text_width())
        self.setMinimumSize(320, max(round(2 * self.flow.line_height) + 2 * S4, 3 * _TOOL + S4 + 2 * S2))

    def _text_width(self) -> float:
        return max(self.width() - 2 * S5 - _TOOL, 200)

    # The window.

    def sizeHint(self) -> QSize:
        width = max(_WIDTH, round(QGuiApplication.primaryScreen().availableGeometry().width() * _SHARE))
        return QSize(width, round(_ROWS * self.flow.line_height) + 2 * S4)

    def _place_at_bottom(self) -> None:
        self.resize(self.sizeHint())
        screen = QGuiApplication.primaryScreen().availableGeometry()
        self.move(screen.center().x() - self.width() // 2, screen.bottom() - self.height() - 2 * S5)
        self.fit(screen)

    def fit(self, screen: QRect) -> None:
        """Be no wider and no higher than a screen, and whole on it: it may be another one than the last time."""
        size = self.size().boundedTo(screen.size() - QSize(2 * S2, 2 * S2)).expandedTo(self.minimumSize())
        left = max(min(self.x(), screen.right() - S2 - size.width()), screen.left() + S2)
        top = max(min(self.y(), screen.bottom() - S2 - size.height()), screen.top() + S2)
        self.setGeometry(QRect(QPoint(left, top), size))

    def _fit_here(self) -> None:
        """To the screen that most of it is on, or to the first one."""
        screen = QGuiApplication.screenAt(self.geometry().center()) or QGuiApplication.primaryScreen()
        self.fit(screen.availableGeometry())

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.flow.set_width(self._text_width())
        left = self.width() - _TOOL - S2
        for number, tool in enumerate(self._tools.values()):
            tool.setGeometry(left, S2 + number * _TOOL, _TOOL, _TOOL)
        self._grip.move(self.width() - self._grip.width() - S1, self.height() - self._grip.height() - S1)

    def setVisible(self, visible: bool) -> None:
        """Also tells `shown`, and brings the text up to date."""
        changed = visible != self.isVisible()
        super().setVisible(visible)
        if visible:
            self._fit_here()
            self.setFocus()
            self.show_text(self._segments, self._lines)
        if changed:
            self.shown.emit(visible)

    def hideEvent(self, event: QHideEvent) -> None:
        keep_geometry(self, self._preferences, "captions")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            handle = self.windowHandle()
            if handle is None or not handle.startSystemMove():
                self._held = event.globalPosition().toPoint() - self.pos()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._held is not None:
            self.move(event.globalPosition().toPoint() - self._held)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._held = None

    def event(self, event: QEvent) -> bool:
        mine = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape
        if mine and event.type() == QEvent.Type.ShortcutOverride:  # else it is the main window's Escape
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = Qt.Key
        moves = {keys.Key_Left: (-1, 0), keys.Key_Right: (1, 0), keys.Key_Up: (0, -1), keys.Key_Down: (0, 1)}
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if event.key() == keys.Key_Escape:
            self.hide()
        elif control and event.key() in (keys.Key_Plus, keys.Key_Equal):
            self.resize_letters(1)
        elif control and event.key() == keys.Key_Minus:
            self.resize_letters(-1)
        elif event.key() in moves:
            x, y = moves[keys(event.key())]
            self.move(self.pos() + QPoint(x, y) * _STEP)
        else:
            super().keyPressEvent(event)

    # Painting.

    def paintEvent(self, event: QPaintEvent) -> None:
        colors = DARK_PALETTE
        with painting(self) as painter:
            ground = colors.color("side")
            ground.setAlphaF(0.92)
            painter.setPen(QPen(colors.color("accent" if self.hasFocus() else "line_strong"), 1))
            painter.setBrush(ground)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 12, 12)
            bottom = self.height() - S4
            top = bottom - self.rows * self.flow.line_height
            painter.setClipRect(QRectF(0, top, self.width(), bottom - top))
            if not self.flow.lines:
                painter.setFont(self.flow.font)
                painter.setPen(colors.color("draft"))
                painter.drawText(QPointF(S5, top + self.flow.baseline), _(_NOTHING))
            last = len(self.flow.lines) - 1
            self.flow.refine(last - self.rows, last)
            first_y = min(top, bottom - self.flow.height)
            for index in range(max(last - self.rows, 0), last + 1):
                paint_text(painter, self.flow, index, QPointF(S5, first_y + self.flow.top_of(index)), colors)


def native(keys: str) -> str:
    """Keys as this system writes them."""
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)
