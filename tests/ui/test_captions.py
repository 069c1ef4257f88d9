"""The captions: the last lines, where the user put them, closed by a key."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QSystemTrayIcon
from pytestqt.qtbot import QtBot

from desktop_app.app.settings.preferences import Preferences
from desktop_app.messages.jobs import Started
from desktop_app.texts import _
from desktop_app.ui.recording.captions import SIZES, Captions
from desktop_app.ui.recording.tray import Tray, tray_icon
from desktop_app.ui.shell.main_window import MainWindow
from desktop_app.ui.widgets.theme import DARK_PALETTE, Theme
from tests.ui.staging import MODELS, Stage, segment, update

# The offscreen screen has no tray, no windows over others, and nobody who would ask for their sizes.
pytestmark = pytest.mark.qt_log_ignore("does not support raise", "does not support propagateSizeHints", "systemTray")
CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def captions(qtbot: QtBot, stage: Stage, theme: Theme) -> Captions:
    made = Captions(stage.preferences)
    qtbot.addWidget(made)
    made.show()
    return made


def test_the_last_lines_are_shown_in_their_colours(captions: Captions, stage: Stage) -> None:
    entry = stage.record()
    stage.say(update(entry.id, tuple(segment(n) for n in range(9)), " The roof", " is done", " and the", 18.0))
    captions.show_text(entry.segments, entry.lines)
    assert captions.windowFlags() & Qt.WindowType.WindowStaysOnTopHint
    image = captions.grab().toImage()
    colors = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}
    assert {DARK_PALETTE.ink, DARK_PALETTE.unsettled, DARK_PALETTE.draft} <= colors
    assert captions.rows == 3
    assert captions.accessibleDescription().endswith("The roof is done and the")


def test_captions_follow_what_is_recorded(window: MainWindow, stage: Stage, qtbot: QtBot) -> None:
    entry = stage.record()
    qtbot.keyClick(window, Qt.Key.Key_L, CONTROL)
    captions = window.live.captions
    assert captions.isVisible()
    assert window.live.strip.captions.isChecked()
    stage.say(Started(entry.id, 0.0, MODELS), update(entry.id, (segment(0),), " And"))
    assert [paragraph.text for paragraph in captions.flow.lines] == [segment(0).text.strip(), "And"]
    stage.stop()
    assert not captions.isVisible(), "they would cover the player, and nothing is said"
    assert not window.live.strip.captions.isChecked()
    other = stage.record()
    assert captions.isVisible()
    stage.say(update(other.id, (), " New"))
    assert [paragraph.text for paragraph in captions.flow.lines] == ["New"]
    qtbot.keyClick(captions, Qt.Key.Key_Escape)
    assert not captions.isVisible()
    assert not window.live.strip.captions.isChecked()
    stage.stop()
    stage.record()
    assert not captions.isVisible(), "they were closed"


def test_captions_stay_over_other_programs_when_the_window_is_minimised(window: MainWindow) -> None:
    """A window system hides what belongs to a window together with it."""
    window.live.captions.show()
    captions = window.live.captions
    handle = captions.windowHandle()
    assert handle is not None and handle.transientParent() is None and captions.parent() is None
    window.showMinimized()
    assert captions.isVisible()
    window.close()
    assert not captions.isVisible()


def test_place_and_size_are_remembered(captions: Captions, stage: Stage, qtbot: QtBot) -> None:
    captions.resize(500, 150)
    captions.move(60, 80)
    qtbot.keyClick(captions, Qt.Key.Key_Right)
    qtbot.keyClick(captions, Qt.Key.Key_Plus, CONTROL)
    place, size = captions.pos(), captions.size()
    assert place == QPoint(76, 80)
    captions.hide()
    stage.settle()
    again = Captions(Preferences(stage.keeper))
    qtbot.addWidget(again)
    assert (again.pos(), again.size(), again._letters) == (place, size, SIZES[3])


def test_letters_have_a_smallest_and_a_largest_size(captions: Captions) -> None:
    for _time in range(12):
        captions.resize_letters(1)
    assert captions._letters == SIZES[-1]
    for _time in range(12):
        captions.resize_letters(-1)
    assert captions._letters == SIZES[0]
    assert captions.rows >= 2


def test_the_mouse_moves_them(captions: Captions, qtbot: QtBot) -> None:
    captions.move(100, 100)
    qtbot.mousePress(captions, Qt.MouseButton.LeftButton, pos=QPoint(40, 40))
    qtbot.mouseMove(captions, QPoint(70, 60))
    qtbot.mouseRelease(captions, Qt.MouseButton.LeftButton)
    assert captions.pos() == QPoint(130, 120)


def test_there_is_a_tray_icon_only_as_long_as_the_user_wants_one(
    window: MainWindow, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """None unless asked for; and where a desktop has no tray, the settings say so."""
    window.show_settings()
    tray = window.settings.sections["Tray icon"]
    assert window.live.tray is None and tray.control.group.checkedButton().text() == _("Off")
    tray.control.group.button(0).click()
    assert window.live.tray is None and tray.value is not None and tray.value.isVisible()
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: True)
    stage.preferences.changed.emit()
    made = window.live.tray
    assert made is not None and not tray.value.isVisible()
    stage.record()
    assert made.icon.toolTip() == _("Galley – recording")
    tray.control.group.button(1).click()
    assert window.live.tray is None
    stage.stop()  # what was taken away follows nothing: it would fail


def test_the_tray_tells_and_does_the_same_as_the_window(window: MainWindow, stage: Stage) -> None:
    tray = Tray(stage.live, window.all_actions, window)
    actions = tray.menu.actions()
    assert [action.text() for action in actions] == [
        _("Record"),
        _("Pause"),
        _("Captions"),
        "",
        _("Open Galley"),
        _("Quit"),
    ]
    record, pause = actions[:2]
    assert not pause.isEnabled()
    stage.record()
    assert (record.text(), tray.icon.toolTip()) == (_("Stop recording"), _("Galley – recording"))
    assert pause.isEnabled()
    record.trigger()
    stage.qtbot.waitUntil(lambda: record.text() == _("Record"))
    tray.icon.activated.emit(QSystemTrayIcon.ActivationReason.Trigger)
    recording, idle = (tray_icon(recording=it).pixmap(64).toImage() for it in (True, False))
    assert recording != idle
