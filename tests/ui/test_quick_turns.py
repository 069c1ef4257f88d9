"""The window is not held up by other threads, nor by Python's search for garbage."""

from __future__ import annotations

import gc
import sys
import weakref

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app.ui.shell import quick_turns as module
from desktop_app.ui.shell.quick_turns import quick_turns


class Knot:
    """Refers to itself."""

    def __init__(self) -> None:
        self.me = self


def _searches() -> int:
    return sum(each["collections"] for each in gc.get_stats())


def test_garbage_is_looked_for_when_nobody_waits(
    qapp: QApplication, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Making many objects does not look through all there are; cycles among new ones go soon all the same, and old
    ones, and those that came in masses, when the user turns to another program. Afterwards all is as it was."""
    monkeypatch.setattr(module, "_EVERY", 20)
    monkeypatch.setattr(module, "_FEW", 0)
    looks: list[int] = []
    look = module._Collector._look_at_new
    monkeypatch.setattr(module._Collector, "_look_at_new", lambda collector: (look(collector), looks.append(1)))

    def look_twice() -> None:
        before = len(looks)
        qtbot.waitUntil(lambda: len(looks) >= before + 2)

    before = sys.getswitchinterval()
    with quick_turns(qapp):
        assert sys.getswitchinterval() <= 0.001
        new = weakref.ref(Knot())
        qtbot.waitUntil(lambda: new() is None)
        runs, among_all = _searches(), gc.get_stats()[2]["collections"]
        kept = [Knot() for _number in range(50_000)]
        assert _searches() == runs
        there = weakref.ref(kept[0])
        look_twice()
        del kept
        look_twice()
        assert there() is not None
        assert gc.get_stats()[2]["collections"] == among_all
        qapp.applicationStateChanged.emit(Qt.ApplicationState.ApplicationInactive)
        assert there() is None
    assert gc.isenabled() and sys.getswitchinterval() == before
