"""A window without an engine: tests say what the engine would say."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app.app.background import BackgroundThread
from desktop_app.app.recordings.entry import Entry
from desktop_app.app.settings.preferences import Preferences
from desktop_app.ui.shell.main_window import MainWindow
from desktop_app.ui.widgets import theme as look
from tests.talks import talk
from tests.ui.staging import Stage
from tests.unit.app.editing.test_edits import finish


@pytest.fixture(scope="session")
def theme(qapp: QApplication, tmp_path_factory: pytest.TempPathFactory) -> look.Theme:
    """The look, light to begin with."""
    qapp.setStyle("Fusion")
    look.load_fonts()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GALLEY_HOME", str(tmp_path_factory.mktemp("look")))
        worker = BackgroundThread("look", lambda call: None)
        preferences = Preferences(worker)
        preferences.set("appearance", look.LIGHT)
        worker.close()
    return look.Theme(qapp, preferences)


@pytest.fixture
def stage(qtbot: QtBot, home: Path) -> Iterator[Stage]:
    """A session on an empty library."""
    made = Stage(qtbot)
    yield made
    made.close()


@pytest.fixture
def window(stage: Stage, theme: look.Theme, qtbot: QtBot) -> MainWindow:
    """The window of the stage, on an offscreen screen."""
    made = MainWindow(theme, stage.core, stage.playback, stage.waveforms, stage.studio.open_stream)
    made.start()
    stage.add = made.add
    qtbot.addWidget(made, before_close_func=lambda shown: _forget_work(stage))
    made.show()
    return made


def _forget_work(stage: Stage) -> None:
    stage.live.close()  # so that closing asks nothing
    stage.models.jobs.clear()
    stage.session.entries.clear()


@pytest.fixture
def entry(window: MainWindow, stage: Stage, recording: Callable[[str], Path]) -> Entry:
    """A conversation of two, looked at, with the focus in its text."""
    (made,) = stage.drop(recording("talk.wav"))
    finish(stage, made, talk(2))
    window.activateWindow()
    window.page.view.setFocus()
    stage.qtbot.waitUntil(window.page.view.hasFocus)
    return made
