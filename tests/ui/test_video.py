"""The picture of a video: offered where there is one, folded away until it is wanted, and where it is heard."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtGui import QColor

from desktop_app.app.presentation.problems import sentence
from desktop_app.app.recordings.entry import Entry
from desktop_app.app.settings.preferences import Preferences
from desktop_app.audio.pictures import Picture
from desktop_app.problems import Problem
from desktop_app.ui.shell.main_window import MainWindow
from tests.talks import talk
from tests.ui.staging import Stage
from tests.unit.app.editing.test_edits import finish


class FakePictures:
    """Attributes: shown (what was to be shown); stopped (how often it was to rest)."""

    def __init__(self) -> None:
        self.shown: list[tuple[str, float]] = []
        self.stopped = 0

    def show(self, path: str, seconds: float) -> None:
        self.shown.append((path, seconds))

    def stop(self) -> None:
        self.stopped += 1


@pytest.fixture
def pictures(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> FakePictures:
    made = FakePictures()
    monkeypatch.setattr(window.video, "_reader", made)
    return made


@pytest.fixture
def entry(window: MainWindow, stage: Stage, recording: Callable[[str], Path], pictures: FakePictures) -> Entry:
    """A video that is looked at."""
    (made,) = stage.drop(recording("talk.mp4"))
    finish(stage, made, talk(2))
    stage.reader.open(has_pictures=True)
    stage.qtbot.waitUntil(window.player.bar.video.isVisible)
    return made


def test_sound_offers_no_picture(
    window: MainWindow, stage: Stage, recording: Callable[[str], Path], pictures: FakePictures
) -> None:
    window.all_actions["video"].trigger()
    (made,) = stage.drop(recording("talk.wav"))
    finish(stage, made, talk(2))
    stage.reader.open(has_pictures=False)
    stage.reader.feed(0.5)
    stage.qtbot.waitUntil(lambda: len(window.player.bar.line._peaks) == 1)
    assert not window.player.bar.video.isVisible() and not window.video.pane.isVisible()
    assert not pictures.shown


def test_it_is_folded_away_until_it_is_wanted(
    window: MainWindow, stage: Stage, entry: Entry, pictures: FakePictures
) -> None:
    pane = window.video.pane
    window.player.seek(5.0)
    assert not pane.isVisible() and not pictures.shown
    window.player.bar.video.click()
    assert pane.isVisible() and pictures.shown == [(entry.path, 5.0)]
    window.video._came.emit(entry.path, Picture(5.0, 4, 2, bytes((200, 100, 50)) * 8))
    stage.qtbot.waitUntil(lambda: not pane.image.isNull())
    assert pane.image.pixelColor(3, 1) == QColor(200, 100, 50)
    assert not window.grab().isNull()
    stage.settle()
    assert Preferences(stage.keeper).text("video") == "shown"
    window.player.bar.video.click()
    assert not pane.isVisible() and pictures.stopped


def test_it_follows_what_is_heard_and_stops_on_another_page(
    window: MainWindow, stage: Stage, entry: Entry, pictures: FakePictures
) -> None:
    window.player.bar.video.click()
    window.player.play_from(2.0)
    stage.player.feed(3.5)
    stage.qtbot.waitUntil(lambda: pictures.shown[-1] == (entry.path, 3.5))
    count = len(pictures.shown)
    stage.playback.moved.emit()
    assert len(pictures.shown) == count, "nothing is asked for twice"
    stopped = pictures.stopped
    window.show_idle()
    assert pictures.stopped == stopped + 1
    stage.player.feed(4.0)
    stage.qtbot.waitUntil(lambda: stage.playback.seconds == 4.0)
    assert len(pictures.shown) == count


def test_what_is_wrong_with_it_is_a_sentence(
    window: MainWindow, stage: Stage, entry: Entry, pictures: FakePictures
) -> None:
    window.player.bar.video.click()
    window.video._ended.emit(entry.path, Problem("file.crashed"))
    stage.qtbot.waitUntil(lambda: bool(window.video.pane.text))
    assert sentence(Problem("file.crashed")) in window.video.pane.text
    window.video._came.emit("another.mp4", Picture(0.0, 1, 1, b"\0\0\0"))
    assert window.video.pane.image.isNull()
    assert window.player.bar.play.isEnabled(), "its sound can be heard"
