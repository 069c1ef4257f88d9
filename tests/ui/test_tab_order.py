"""Tab goes through every page as one reads it: from the top to the bottom, in a row from the left to the right."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QWidget
from pytestqt.qtbot import QtBot

from desktop_app.app.settings.preferences import Preferences
from desktop_app.ui.shell.details import Details
from desktop_app.ui.shell.main_window import MainWindow
from desktop_app.ui.versions.sheet import TranscribeAgainSheet
from tests.event_loop import drain
from tests.talks import talk
from tests.ui.staging import Stage
from tests.unit.app.editing.test_edits import finish

Make = Callable[[str], Path]
_MOST = 150


def stops(window: QWidget, key: Qt.Key = Qt.Key.Key_Tab) -> list[QWidget]:
    """Where Tab stops, once around."""
    found: list[QWidget] = []
    while len(found) < _MOST:
        focus = QApplication.focusWidget() or window
        QTest.keyClick(focus, key)
        focus = QApplication.focusWidget()
        assert focus is not None
        if focus in found:
            return found[found.index(focus) :]
        found.append(focus)
    raise AssertionError("Tab does not come back")


def place(widget: QWidget, window: QWidget) -> QRect:
    return QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())


def told(widget: QWidget) -> str:
    interface = QAccessible.queryAccessibleInterface(widget)
    return interface.text(QAccessible.Text.Name) if interface else type(widget).__name__


def goes_back(before: QRect, after: QRect) -> bool:
    """Whether one that comes after another stands above it, or in the same row to the left."""
    shared = min(before.bottom(), after.bottom()) - max(before.top(), after.top())
    if shared > min(before.height(), after.height()) / 2:
        return after.left() < before.left() and not before.contains(after.center())
    return after.center().y() < before.center().y()


def misplaced(found: list[QWidget], window: QWidget) -> Iterator[str]:
    for before, after in pairwise(found):
        if goes_back(place(before, window), place(after, window)):
            yield f"{told(before)} -> {told(after)}"


def assert_in_reading_order(window: MainWindow) -> None:
    """The sidebar for itself, the page, and the panel beside it; from the last stop Tab goes back to the first."""
    drain()  # until all has its place
    found = stops(window)
    assert len(found) > 5 and all(told(widget) for widget in found)
    at = found.index(window.sidebar.new)
    around = [*found[at:], *found[:at]]
    side = [widget for widget in around if window.sidebar.isAncestorOf(widget)]
    panel = [widget for widget in around if window.panel.isAncestorOf(widget)]
    page = [widget for widget in around if widget not in (*side, *panel)]
    assert [told(each) for each in around] == [told(each) for each in (*side, *page, *panel)]
    for part in (side, page, panel):
        assert list(misplaced(part, window)) == []
    backwards = stops(window, Qt.Key.Key_Backtab)
    at = backwards.index(window.sidebar.new)
    assert [*backwards[at + 1 :], *backwards[: at + 1]] == around[::-1]


@pytest.fixture
def ready(window: MainWindow, stage: Stage, recording: Make, qtbot: QtBot) -> MainWindow:
    """A conversation has been transcribed."""
    (entry,) = stage.drop(recording("talk.wav"))
    finish(stage, entry, talk(3))
    window.resize(1280, 800)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    return window


@pytest.mark.parametrize("page", ["idle", "text", "settings", "models"])
def test_tab_reads_every_page_in_its_order(ready: MainWindow, page: str) -> None:
    if page == "idle":
        ready.show_idle()
    elif page == "settings":
        ready.show_settings()
    elif page == "models":
        ready.show_models()
    assert_in_reading_order(ready)


def test_tab_reads_a_text_with_everything_that_can_stand_over_it(ready: MainWindow, stage: Stage) -> None:
    ready.all_actions["speed"].trigger()
    ready.page.open_replace()
    assert_in_reading_order(ready)


@pytest.mark.qt_log_ignore("does not support")
@pytest.mark.parametrize("name", ["details", "again"])
def test_tab_reads_dialogs_in_their_order(
    ready: MainWindow, stage: Stage, name: str, qtbot: QtBot, theme: object
) -> None:
    entry = next(iter(stage.session.entries.values()))
    dialog: QDialog
    if name == "details":
        dialog = Details(ready, stage.session, [entry])
    else:
        preferences: Preferences = stage.preferences
        dialog = TranscribeAgainSheet(ready._theme, stage.models, preferences, preferences.options(), ready, False)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    found = stops(dialog)
    first = min(
        range(len(found)), key=lambda index: (place(found[index], dialog).top(), place(found[index], dialog).left())
    )
    found = [*found[first:], *found[:first]]
    assert len(found) >= 4
    assert list(misplaced(found, dialog)) == []


def focused(interface: QAccessibleInterface) -> list[str]:
    """Who says that it has the focus, to a screen reader that looks everywhere."""
    found = [interface.text(QAccessible.Text.Name)] if interface.state().focused else []  # type: ignore[attr-defined]
    for number in range(interface.childCount()):
        if (child := interface.child(number)) is not None:
            found += focused(child)
    return found


@pytest.mark.parametrize("page", ["idle", "text", "settings", "models"])
def test_nothing_but_the_stop_has_the_focus(ready: MainWindow, page: str) -> None:
    if page != "text":
        {"idle": ready.show_idle, "settings": ready.show_settings, "models": ready.show_models}[page]()
    rows = ready.sidebar.list
    for stop in stops(ready):
        stop.setFocus(Qt.FocusReason.TabFocusReason)
        current = rows.currentIndex()
        item = [current.data(Qt.ItemDataRole.AccessibleTextRole)] if current.isValid() else []
        assert bool(item) == (stop is rows)
        assert focused(QAccessible.queryAccessibleInterface(ready)) == [told(stop), *item]


def test_the_list_goes_on_where_it_was_left(ready: MainWindow, stage: Stage, recording: Make) -> None:
    entries = stage.drop(*(recording(f"{number}.wav") for number in range(4)))
    rows, model = ready.sidebar.list, ready.sidebar.model
    ready.show_entry(entries[2].id)
    for reason in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.OtherFocusReason):
        rows.setFocus(reason)
        assert model.entry(rows.currentIndex()) is entries[2]
        ready.page.view.setFocus()
        assert not rows.currentIndex().isValid()
    rows.setFocus(Qt.FocusReason.TabFocusReason)
    ready.page.view.setFocus(Qt.FocusReason.PopupFocusReason)
    assert model.entry(rows.currentIndex()) is entries[2], "a menu of the list is about this row"
    rows.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(rows, Qt.Key.Key_Up)
    shown = ready.current.entry
    assert shown is not None and shown is not entries[2]
    ready.sidebar.search.setFocus()
    rows.setFocus(Qt.FocusReason.OtherFocusReason)
    assert model.entry(rows.currentIndex()) is shown
    assert ready.current.entry is shown


def test_when_the_focus_is_hidden_the_next_stop_beside_it_has_it(ready: MainWindow, qtbot: QtBot) -> None:
    ready.page.open_replace()
    drain()
    field = ready.page.find_bar.field
    field.setFocus()
    field.hide()
    assert ready.page.find_bar.isAncestorOf(ready.focusWidget())
