"""Once through Galley by keyboard alone, on the real engine, and what a screen reader is told on the way."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from desktop_app.app.recordings.entry import DONE
from desktop_app.texts import _
from desktop_app.ui.shell.app import Program
from desktop_app.ui.shell.shortcuts import ShortcutList
from tests.e2e.test_window import CLIP
from tests.event_loop import drain
from tests.program import opened

pytestmark = pytest.mark.qt_log_ignore("does not support propagateSizeHints")

_TYPED = "Listen now. "
_LIST = QAccessible.Role.List
_MOST_STOPS = 150


def _focus() -> QWidget:
    found = QApplication.focusWidget()
    assert found is not None, "the focus is lost"
    return found


def _press(keys: str) -> None:
    """Press a shortcut wherever the focus is."""
    pressed = QKeySequence(keys)[0]
    QTest.keyClick(_focus(), pressed.key(), pressed.keyboardModifiers())


def _read(widget: QWidget) -> tuple[str, QAccessible.Role]:
    """What a screen reader says of a control: its name, and what it is."""
    interface = QAccessible.queryAccessibleInterface(widget)
    return interface.text(QAccessible.Text.Name), interface.role()


def _stops() -> list[QWidget]:
    """Where Tab stops, once around the window."""
    QTest.keyClick(_focus(), Qt.Key.Key_Tab)
    first, stops = _focus(), list[QWidget]()
    while len(stops) < _MOST_STOPS:
        QTest.keyClick(_focus(), Qt.Key.Key_Tab)
        stops.append(_focus())
        if stops[-1] is first:
            return stops
    raise AssertionError(
        f"Tab does not come back to {_read(first)}, but goes to {[_read(it)[0] for it in stops[-25:]]}"
    )


def _keys(program: Program, name: str) -> str:
    return program.window.all_actions[name].shortcuts()[0].toString()


def test_all_of_it_by_keyboard_and_read_aloud(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file is opened, edited, undone, searched, renamed and exported; every stop of Tab has a name and
    a role; pages and dialogs open and close by their keys."""
    sound = tmp_path / "My talk.flac"
    shutil.copy(CLIP, sound)
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_a, **_k: ([str(sound)], ""))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_a, **_k: (str(tmp_path / "talk.docx"), ""))
    lists: list[QWidget] = []
    monkeypatch.setattr(ShortcutList, "exec", lambda shown: lists.append(shown) or QDialog.DialogCode.Rejected)
    with opened(qapp) as program:
        window = program.window
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)
        _press(_keys(program, "open"))
        qtbot.waitUntil(lambda: any(it.state == DONE for it in program.session.entries.values()))
        (entry,) = program.session.entries.values()
        heard = entry.segments[0].text
        stops = _stops()
        said = [_read(stop) for stop in stops]
        assert all(name for name, _role in said), [stop for stop, read in zip(stops, said, strict=True) if not read[0]]
        view = window.page.view
        fillers = [stop for stop, (_name, role) in zip(stops, said, strict=True) if role == QAccessible.Role.Client]
        assert not fillers
        assert view in stops and window.sidebar.list in stops and window.sidebar.search in stops
        assert entry.name in _read(view)[0]
        assert _read(window.sidebar.list)[1] == _LIST

        while _focus() is not view:
            QTest.keyClick(_focus(), Qt.Key.Key_Tab)
        QTest.keyClick(view, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
        QTest.keyClicks(view, _TYPED)
        assert entry.segments[0].text.strip().startswith(_TYPED)
        QTest.keyClick(view, Qt.Key.Key_Up)
        spoken = QAccessible.queryAccessibleInterface(view).text(QAccessible.Text.Description)
        assert _TYPED.strip() in spoken or spoken == ""
        for _edit in range(len(_TYPED)):
            _press(_keys(program, "undo"))
        assert entry.segments[0].text == heard

        for name, page in (("settings", window.settings), ("models", window.models)):
            _press(_keys(program, name))
            assert window.stack.currentWidget() is page
            assert all(_read(stop)[0] for stop in _stops()), name
            _press(_keys(program, "close"))
        _press(_keys(program, "shortcuts"))
        assert lists

        _press(_keys(program, "search"))
        assert _focus() is window.sidebar.search
        QTest.keyClicks(_focus(), max(heard.split(), key=len).strip(".,?!"))
        qtbot.waitUntil(lambda: window.sidebar.model.wanted != "")
        QTest.keyClick(_focus(), Qt.Key.Key_Down)
        QTest.keyClick(_focus(), Qt.Key.Key_Down)
        qtbot.waitUntil(lambda: view.finder.hit is not None)
        _press(_keys(program, "rename"))
        field = _focus()
        assert isinstance(field, QLineEdit) and _read(field)[0] == _("Title")
        QTest.keyClicks(field, "Board")
        QTest.keyClick(field, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: entry.name == "Board")

        _press(_keys(program, "export"))
        qtbot.waitUntil(lambda: window.exports.sheet is not None and window.exports.sheet.isActiveWindow())
        QTest.keyClick(_focus(), Qt.Key.Key_Down)  # Word comes after plain text
        assert _read(_focus())[0]
        drain()
        QTest.keyClick(_focus(), Qt.Key.Key_Return)
        qtbot.waitUntil((tmp_path / "talk.docx").exists)
        QTest.keyClick(_focus(), Qt.Key.Key_Escape)
        assert window.exports.sheet is None
