"""The icon in the system's tray: whether it records, and the few things one wants without the window."""

from __future__ import annotations

from PySide6.QtCore import QObject, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QMenu, QSystemTrayIcon, QWidget

from desktop_app.app.live import OFF, OPENING, PAUSED, STOPPING, Live
from desktop_app.ui.widgets import icons
from desktop_app.ui.widgets.theme import LIGHT_PALETTE

_SIZE = 64
_STATES = {OFF: "Galley", OPENING: "Galley: opening the microphone", PAUSED: "Galley: paused", STOPPING: "Galley"}


class Tray(QObject):
    """Attributes: icon, menu, record (its first action), captions (the one that is checked while they are shown).

    Signals: open_asked(), captions_asked(), quit_asked().
    """

    open_asked = Signal()
    captions_asked = Signal()
    quit_asked = Signal()

    def __init__(self, live: Live, parent: QWidget) -> None:
        super().__init__(parent)
        self._live = live
        self.menu = QMenu(parent)
        self.record = self.menu.addAction("Record", live.toggle)
        self.pause = self.menu.addAction("Pause", live.toggle_pause)
        self.captions = self.menu.addAction("Show captions", self.captions_asked.emit)
        self.captions.setCheckable(True)
        self.menu.addSeparator()
        self.menu.addAction("Open Galley", self.open_asked.emit)
        self.menu.addAction("Quit", self.quit_asked.emit)
        self.icon = QSystemTrayIcon(tray_icon(recording=False), self)
        self.icon.setContextMenu(self.menu)
        self.icon.activated.connect(self._activated)
        live.changed.connect(self.refresh)
        self.refresh()
        self.icon.show()

    def refresh(self) -> None:
        """Show what the microphone does."""
        phase = self._live.phase
        self.record.setText("Record" if phase == OFF else "Stop recording")
        self.pause.setText("Go on" if phase == PAUSED else "Pause")
        self.pause.setVisible(phase not in (OFF, OPENING, STOPPING))
        self.icon.setIcon(tray_icon(recording=phase not in _STATES))
        self.icon.setToolTip(_STATES.get(phase, "Galley: recording"))

    def _activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason == QSystemTrayIcon.ActivationReason.Trigger:
            self.open_asked.emit()


def tray_icon(recording: bool) -> QIcon:
    """Galley's own icon, with a red dot while the microphone is heard."""
    made = QPixmap(_SIZE, _SIZE)
    made.fill(Qt.GlobalColor.transparent)
    painter = QPainter(made)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    icons.paint(painter, "galley", "", QRectF(0, 0, _SIZE, _SIZE))
    if recording:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(Qt.GlobalColor.white))
        painter.drawEllipse(QRectF(34, 34, 30, 30))
        painter.setBrush(LIGHT_PALETTE.color("bad"))
        painter.drawEllipse(QRectF(38, 38, 22, 22))
    painter.end()
    return QIcon(made)
