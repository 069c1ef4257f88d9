"""A part of the waveform: how it is chosen, what is shown and played of it, and how it follows what is heard."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app.app.presentation import wording
from desktop_app.app.recordings.entry import Entry
from desktop_app.audio.peaks import RATE
from desktop_app.ui.player.bars import Known, bars
from desktop_app.ui.player.seek_line import SeekLine
from desktop_app.ui.player.visible_part import SHORTEST, VisiblePart
from desktop_app.ui.shell.main_window import MainWindow
from tests.talks import talk
from tests.ui.staging import Stage
from tests.unit.app.editing.test_edits import finish

CONTROL, SHIFT, NONE = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.NoModifier,
)


@pytest.fixture
def entry(window: MainWindow, stage: Stage, recording: Callable[[str], Path]) -> Entry:
    """A conversation of twenty minutes, in a window that has room for all of the player."""
    window.resize(1920, 800)
    (made,) = stage.drop(recording("talk.wav"))
    finish(stage, made, talk(2, rounds=16))
    stage.settle()
    assert made.seconds > 1200
    return made


def turn(line: SeekLine, x: float, notches: float, held: Qt.KeyboardModifier, sideways: bool = False) -> bool:
    """Turn the wheel over a place of the waveform; whether that did anything."""
    angle = QPoint(round(120 * notches), 0) if sideways else QPoint(0, round(120 * notches))
    place = QPointF(x, line.height() / 2)
    event = QWheelEvent(
        place, QPointF(line.mapToGlobal(place.toPoint())), QPoint(), angle, Qt.MouseButton.NoButton, held,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    event.setAccepted(False)
    QApplication.sendEvent(line, event)
    return event.isAccepted()


def hear(stage: Stage, seconds: float) -> None:
    """Let it play up to a place."""
    stage.player.feed(seconds)
    stage.qtbot.waitUntil(lambda: stage.playback.seconds == seconds)


def test_ctrl_and_the_wheel_zoom_around_the_mouse(window: MainWindow, entry: Entry) -> None:
    line, visible = window.player.bar.line, window.player.bar.visible
    x = line.width() / 4
    before = line._time(x)
    assert not turn(line, x, 3, NONE) and not visible.is_zoomed
    assert turn(line, x, 2, CONTROL)
    assert visible.seconds == pytest.approx(entry.seconds / 2)
    assert line._time(x) == pytest.approx(before)
    begin = visible.begin
    assert turn(line, x, -1, SHIFT) and visible.begin > begin
    assert turn(line, x, 1, NONE, sideways=True) and visible.begin == pytest.approx(begin)
    assert not turn(line, x, 1, NONE) and visible.begin == pytest.approx(begin)
    for _ in range(3):
        turn(line, x, -2, CONTROL)
    assert (visible.begin, visible.end) == (0.0, entry.seconds)


def test_buttons_and_keys_zoom_around_the_place_that_is_heard(window: MainWindow, stage: Stage, entry: Entry) -> None:
    bar, visible = window.player.bar, window.player.bar.visible
    window.player.seek(600.0)
    assert bar.zoom_in.isEnabled() and not bar.zoom_out.isEnabled() and not bar.overview.isVisible()
    bar.zoom_in.click()
    assert visible.seconds == pytest.approx(entry.seconds / 2) and visible.holds(600.0)
    assert bar.zoom_out.isEnabled() and bar.overview.isVisible()
    QTest.keyClick(window.page.view, "+", Qt.KeyboardModifier.AltModifier)
    assert visible.seconds == pytest.approx(entry.seconds / 4) and visible.holds(600.0)
    for _ in range(9):
        bar.zoom_in.click()
    assert visible.seconds == SHORTEST and visible.holds(600.0) and not bar.zoom_in.isEnabled()
    QTest.keyClick(window.page.view, "-", Qt.KeyboardModifier.AltModifier)
    assert visible.seconds == 2 * SHORTEST
    QTest.keyClick(window.page.view, "0", Qt.KeyboardModifier.AltModifier)
    assert not visible.is_zoomed and not bar.overview.isVisible()
    assert [each.text for each in entry.segments] == [each.text for each in talk(2, rounds=16).segments]  # as it was


def test_a_click_in_the_visible_part_goes_there(window: MainWindow, stage: Stage, entry: Entry, qtbot: QtBot) -> None:
    line, visible = window.player.bar.line, window.player.bar.visible
    visible.zoom(60.0, 0.0)
    visible.move(300.0)
    qtbot.mouseClick(line, Qt.MouseButton.LeftButton, pos=line.rect().center())
    assert stage.playback.place(entry.id) == pytest.approx(300.0 + visible.seconds / 2, abs=0.1)
    assert visible.begin == 300.0


def test_the_overview_is_dragged_clicked_and_moved_by_keys(window: MainWindow, entry: Entry, qtbot: QtBot) -> None:
    bar, visible = window.player.bar, window.player.bar.visible
    visible.zoom(8.0, 0.0)
    overview, length = bar.overview, entry.seconds
    assert overview.isVisible()
    inside, middle = overview._frame().center().toPoint(), overview.rect().center()
    qtbot.mousePress(overview, Qt.MouseButton.LeftButton, pos=inside)
    assert visible.begin == 0.0, "taking hold of it moves nothing"
    qtbot.mouseMove(overview, inside + QPoint(200, 0))
    assert visible.begin == pytest.approx(length * 200 / (overview.width() - 8), rel=0.01)
    qtbot.mouseRelease(overview, Qt.MouseButton.LeftButton, pos=inside + QPoint(200, 0))
    begin = visible.begin
    qtbot.mouseMove(overview, inside + QPoint(400, 0))
    assert visible.begin == begin
    qtbot.mouseClick(overview, Qt.MouseButton.LeftButton, pos=middle)
    assert visible.begin + visible.seconds / 2 == pytest.approx(length / 2, rel=0.01)
    overview.setFocus()
    for key, begin in (
        (Qt.Key.Key_Home, 0.0),
        (Qt.Key.Key_Right, visible.seconds / 4),
        (Qt.Key.Key_PageUp, visible.seconds * 1.25),
        (Qt.Key.Key_Left, visible.seconds),
        (Qt.Key.Key_PageDown, 0.0),
        (Qt.Key.Key_End, length - visible.seconds),
    ):
        qtbot.keyClick(overview, key)
        assert visible.begin == pytest.approx(begin)
    assert wording.clock(visible.begin) in overview.accessibleDescription()
    qtbot.mouseDClick(overview, Qt.MouseButton.LeftButton, pos=middle)
    assert not visible.is_zoomed and not overview.isVisible()


def test_the_visible_part_follows_what_plays_until_it_is_moved_away(
    window: MainWindow, stage: Stage, entry: Entry
) -> None:
    visible = window.player.bar.visible
    visible.zoom(entry.seconds / 10.0, 0.0)
    assert (visible.begin, visible.seconds) == (0.0, pytest.approx(10.0))
    window.player.play_from(9.0)
    for seconds in np.arange(9.0, 30.0, 0.5):
        hear(stage, float(seconds))
        assert visible.holds(seconds)
    visible.move(200.0)
    for seconds in np.arange(30.0, 33.0, 0.5):
        hear(stage, float(seconds))
    assert visible.begin == 200.0, "the user looks elsewhere"
    window.player.skip(5.0)
    assert visible.holds(stage.playback.seconds), "a place that was chosen is shown"


def test_another_recording_is_seen_whole(
    window: MainWindow, stage: Stage, entry: Entry, recording: Callable[[str], Path]
) -> None:
    visible = window.player.bar.visible
    visible.zoom(8.0, 100.0)
    begin = visible.begin
    stage.session.text_changed.emit(entry.id)
    assert (visible.begin, visible.is_zoomed) == (begin, True), "an edit moves nothing"
    (other,) = stage.drop(recording("other.wav"))
    finish(stage, other, talk(3))
    window.show_entry(other.id)
    assert (visible.begin, visible.end) == (0.0, other.seconds)


def test_zooming_reads_no_file_again(window: MainWindow, stage: Stage, entry: Entry) -> None:
    stage.reader.feed(*[0.5] * (20 * RATE))
    stage.reader.end()
    stage.qtbot.waitUntil(lambda: len(window.player.bar.line._peaks) == 20 * RATE)
    for _ in range(9):
        window.player.zoom(2.0)
    assert not window.grab().isNull()
    assert stage.reader.files == [entry.path]


def test_the_player_is_as_wide_as_its_page(window: MainWindow, stage: Stage, entry: Entry) -> None:
    bar = window.player.bar
    assert bar.line.width() > 0.6 * window.page.width() > window.page.view.column()[1]
    assert bar.zoom_in.isVisible()
    window.resize(760, 520)
    stage.qtbot.waitUntil(lambda: not bar.zoom_in.isVisible())
    assert bar.line.isVisible()


def test_the_closest_look_has_a_peak_for_every_bar_of_a_wide_screen() -> None:
    peaks = np.arange(60 * RATE, dtype=np.uint16)
    shown = bars(Known(peaks), 1000, 500, SHORTEST / 500)
    assert len(set(shown)) == 500


def test_bars_stay_the_same_when_the_part_is_moved() -> None:
    peaks = Known(np.random.default_rng(1).integers(0, 65_535, 600 * RATE).astype(np.uint16))
    piece = 10.0 / 333
    assert bars(peaks, 1000, 333, piece)[7:] == bars(peaks, 1007, 333, piece)[:-7]


def test_bars_end_with_what_is_known() -> None:
    peaks = Known(np.full(RATE, 40_000, np.uint16))
    assert bars(peaks, 0, 10, 0.5) == (1.0, 1.0)
    assert bars(peaks, 7, 10, 0.5) == ()
    assert bars(Known(np.zeros(0, np.uint16)), 0, 10, 0.5) == ()


def test_the_visible_part_stays_within_the_recording() -> None:
    part = VisiblePart()
    part.set_length(100.0)
    assert (part.begin, part.end, part.is_zoomed) == (0.0, 100.0, False)
    part.zoom(4.0, 99.0)
    assert (part.begin, part.end) == (pytest.approx(74.25), pytest.approx(99.25))
    part.move(90.0)
    assert (part.begin, part.end) == (75.0, 100.0)
    part.set_length(60.0)
    assert (part.begin, part.end) == (35.0, 60.0)
    part.set_length(3.0)
    assert (part.begin, part.end, part.can_zoom_in) == (0.0, 3.0, False)
    part.set_length(0.0)
    part.zoom(2.0, 0.0)
    assert (part.begin, part.end, part.is_zoomed) == (0.0, 0.0, False)
