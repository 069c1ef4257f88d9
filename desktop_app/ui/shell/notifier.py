"""Notifications as each system shows them."""

from __future__ import annotations

import sys
from functools import partial

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QSystemTrayIcon

from desktop_app.app.background import Post
from desktop_app.app.system import desktop_bus
from desktop_app.app.system.notices import Show
from desktop_app.ui.recording.tray import tray_icon

_SHOWN = 15_000  # milliseconds


class Balloon:
    """Notifications of Windows and macOS, which belong to an icon in the tray: it is there as long as they are."""

    def __init__(self) -> None:
        self._icon: QSystemTrayIcon | None = None

    def show(self, title: str, text: str) -> None:
        """Show one in the place of the one before."""
        if self._icon is None:
            self._icon = QSystemTrayIcon(tray_icon(recording=False))
            self._hide = QTimer(self._icon, singleShot=True, interval=_SHOWN)
            self._hide.timeout.connect(self._icon.hide)
        self._icon.show()
        self._icon.showMessage(title, text, self._icon.icon(), _SHOWN)
        self._hide.start()


def notifier(post: Post, platform: str = sys.platform) -> Show:
    """What shows a notification on this system."""
    if platform not in ("win32", "darwin"):
        return desktop_bus.notify
    balloon = Balloon()

    def show(title: str, text: str, replaces: int) -> int:
        post(partial(balloon.show, title, text))
        return 0

    return show
