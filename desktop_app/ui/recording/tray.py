"""The icon in the system's tray: whether it records, and the few things one wants without the window."""

from __future__ import annotations

from PySide6.QtCore import QObject, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPixmap
from PySide6.QtWidgets import QMenu, QSystemTrayIcon, QWidget

from desktop_app.app.live.live_recording import OFF, OPENING, PAUSED, RUNNING, STOPPING, LiveRecording
from desktop_app.texts import N_, _
from desktop_app.ui.widgets import icons
from desktop_app.ui.widgets.actions import Actions
from desktop_app.ui.widgets.painting import painting
from desktop_app.ui.widgets.theme import LIGHT_PALETTE

_SIZE = 64
_STATES = {
    OFF: "Galley",
    OPENING: N_("Galley – opening the microphone"),
    PAUSED: N_("Galley – paused"),
    RUNNING: N_("Galley – recording"),
    STOPPING: "Galley",
}


class Tray(QObject):
    """Attributes: icon, menu."""

    def __init__(self, live: LiveRecording, actions: Actions, parent: QWidget) -> None:
        super().__init__(parent)
        self._live, self._actions = live, actions
        self.menu = QMenu(parent)
        self.menu.addActions([actions[name] for name in ("record", "pause", "captions")])
        self.menu.addSeparator()
        self.menu.addActions([actions[name] for name in ("open_window", "quit")])
        self.icon = QSystemTrayIcon(tray_icon(recording=False), self)
        self.icon.setContextMenu(self.menu)
        self.icon.activated.connect(self._activated)
        live.changed.connect(self.refresh)
        self.refresh()
        self.icon.show()

    def close(self) -> None:
        """Take it away."""
        self._live.changed.disconnect(self.refresh)
        self.icon.hide()
        self.deleteLater()

    def refresh(self) -> None:
        """Show what the microphone does."""
        phase = self._live.phase
        self.icon.setIcon(tray_icon(recording=phase == RUNNING))
        self.icon.setToolTip(_(_STATES[phase]))

    def _activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason == QSystemTrayIcon.ActivationReason.Trigger:
            self._actions["open_window"].trigger()


def tray_icon(recording: bool) -> QIcon:
    """Galley's own icon, with a red dot while the microphone is heard."""
    made = QPixmap(_SIZE, _SIZE)
    made.fill(Qt.GlobalColor.transparent)
    with painting(made) as painter:
        icons.paint(painter, "galley", "", QRectF(0, 0, _SIZE, _SIZE))
        if recording:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(Qt.GlobalColor.white))
            painter.drawEllipse(QRectF(34, 34, 30, 30))
            painter.setBrush(LIGHT_PALETTE.color("bad"))
            painter.drawEllipse(QRectF(38, 38, 22, 22))
    return QIcon(made)
