"""What the system shows of Galley: its notifications."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QApplication, QSystemTrayIcon

from desktop_app.app.system import desktop_bus
from desktop_app.ui.shell.notifier import notifier


@pytest.mark.qt_log_ignore("systemTray")
def test_notifications_come_from_the_bus_or_from_an_icon_that_is_there_for_them(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert notifier(lambda call: None, "linux") is desktop_bus.notify
    shown: list[tuple[str, str]] = []
    monkeypatch.setattr(QSystemTrayIcon, "showMessage", lambda icon, title, text, *more: shown.append((title, text)))
    calls: list[Callable[[], object]] = []
    show = notifier(calls.append, "win32")
    assert show("Transcription finished", "one.wav", 0) == 0 and not shown, "Qt is asked in its own thread only"
    calls[0]()
    assert shown == [("Transcription finished", "one.wav")]
