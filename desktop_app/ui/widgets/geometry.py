"""Where a window was last, kept in the settings."""

from __future__ import annotations

from PySide6.QtCore import QByteArray
from PySide6.QtWidgets import QWidget

from desktop_app.app.settings.preferences import Preferences


def keep_geometry(window: QWidget, preferences: Preferences, key: str) -> None:
    """Keep a window's size and place under a key of the settings."""
    preferences.set(key, window.saveGeometry().toBase64().toStdString())


def restore_geometry(window: QWidget, preferences: Preferences, key: str) -> bool:
    """Put a window where it was last; False where that is not known."""
    kept = preferences.text(key).encode("ascii", errors="replace")
    return window.restoreGeometry(QByteArray.fromBase64(kept))
