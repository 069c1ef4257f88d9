"""What the tests of the window act with besides the application: a player, and files to drop."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop_app.ui.mailbox import Mailbox
from desktop_app.ui.player.playback import Playback
from desktop_app.ui.player.waveforms import Waveforms
from tests import staging
from tests.staging import MODELS, SilentEngine, finish, segment, transcript, update
from tests.ui.player import FakePeakReader, FakePlayer

__all__ = ["MODELS", "SilentEngine", "Stage", "drag", "drop", "fill_disk", "finish", "segment", "transcript", "update"]


class Stage(staging.Stage):
    """Attributes: playback, with its player; waveforms, with their reader; qtbot."""

    def __init__(self, qtbot: QtBot) -> None:
        self._mailbox = Mailbox(lambda event: self.session.handle(event))
        super().__init__(self._mailbox.call, qtbot.waitUntil)
        self.player = FakePlayer()
        self.playback = Playback(self.player.made_for)
        self.reader = FakePeakReader()
        self.waveforms = Waveforms(self.reader.made_for)
        self.qtbot = qtbot


def drag(window: QWidget, *paths: Path) -> QMimeData:
    """Hold files over the window; the mime data has to live until the drop."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    event = QDragEnterEvent(
        QPoint(500, 300), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(window, event)
    return data


def drop(window: QWidget, data: QMimeData) -> None:
    """Let go of what is held."""
    event = QDropEvent(
        QPointF(500, 300), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(window, event)


def fill_disk(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the disk be full for the files in `folder`, while the library beside it is still written."""
    sync = os.fsync

    def full(handle: int) -> None:
        if os.fstat(handle).st_ino in {each.inode() for each in os.scandir(folder)}:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        sync(handle)

    monkeypatch.setattr(os, "fsync", full)
