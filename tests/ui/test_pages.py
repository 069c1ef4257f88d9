"""All pages stand in one grid, and use the room that a window has."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop_app.app.recordings.entry import Entry
from desktop_app.messages.jobs import Finished, Started
from desktop_app.texts import _
from desktop_app.ui.shell.main_window import MainWindow
from desktop_app.ui.transcript.header import INSET
from desktop_app.ui.widgets.theme import PAGE
from tests.event_loop import drain
from tests.ui.staging import MODELS, Stage, segment, transcript

Make = Callable[[str], Path]
_SCROLL_BAR = 16  # pixels that a page moves by half of, where it scrolls


def left(widget: QWidget, window: MainWindow) -> int:
    return widget.mapTo(window, QPoint(0, 0)).x()


def shown_at(window: MainWindow, width: int, height: int) -> None:
    window.resize(width, height)
    drain()
    assert window.width() == width


def test_every_page_has_one_width_and_one_left_edge(window: MainWindow, entry: Entry) -> None:
    shown_at(window, 1366, 768)
    found = {"text": (window.page.view.column()[1], left(window.page.header, window) + INSET)}
    window.show_idle()
    found |= {"first": (window.idle.card.width(), left(window.idle.card, window))}
    window.show_settings()
    group = window.settings.groups["Transcription"]
    found |= {"settings": (group.width(), left(group, window))}
    window.show_models()
    found |= {"models": (window.models.card.width(), left(window.models.card, window))}
    assert {width for width, _left in found.values()} == {PAGE}
    edges = [edge for _width, edge in found.values()]
    assert max(edges) - min(edges) <= _SCROLL_BAR / 2, found


def test_a_very_wide_window_has_two_columns_and_the_speakers_beside_the_text(window: MainWindow, entry: Entry) -> None:
    window.all_actions["speakers"].setChecked(True)
    strip, header = window.speakers.strip, window.page.header
    first, second = window.settings.groups["Transcription"], window.settings.groups["Files"]
    for width, beside in ((1366, False), (2560, True), (1366, False)):
        shown_at(window, width, 1000)
        window.show_entry(entry.id)
        assert strip.isVisible()
        assert (left(strip, window) >= left(header, window) + header.width()) is beside
        window.show_settings()
        drain()
        assert (left(second, window) > left(first, window)) is beside


def test_tools_have_words_where_there_is_room(window: MainWindow, entry: Entry, qtbot: QtBot) -> None:
    header = window.page.header
    shown_at(window, 1366, 768)
    qtbot.waitUntil(lambda: [header.search.text(), header.folder.text()] == [_("Find"), _("Folder")])
    window.resize(760, 600)
    qtbot.waitUntil(lambda: not header.search.text() and not header.folder.text())


def test_the_focus_stays_where_nobody_has_chosen_a_button(
    window: MainWindow, stage: Stage, recording: Make, qtbot: QtBot
) -> None:
    """Qt would give it to the next button of the page, "Show in folder", and the next Enter would press that."""
    window.activateWindow()
    window.idle.card.setFocus()
    qtbot.waitUntil(window.idle.card.hasFocus)
    (made,) = stage.drop(recording("one.wav"))
    window.show_entry(made.id)
    assert QApplication.focusWidget() is window.page
    stage.say(Started(made.id, 60.0, MODELS))
    qtbot.keyClick(window, Qt.Key.Key_Tab)
    cancel = window.page.strip.cancel
    cancel.setFocus()
    assert cancel.hasFocus()
    stage.say(Finished(made.id, transcript(segment(0))))
    assert not cancel.isVisible() and QApplication.focusWidget() is window.page


def test_an_empty_list_says_what_will_be_in_it(window: MainWindow, stage: Stage, recording: Make) -> None:
    told = window.sidebar._nothing
    stage.until(told.isVisible)
    assert told.text() == _("Your recordings appear here")
    stage.drop(recording("one.wav"))
    assert not told.isVisible()
    window.sidebar.search.setText("xyz")
    stage.until(told.isVisible)
    assert told.text() == _("Nothing found")
