"""A window without an engine: tests say what the engine would say."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app import folders
from desktop_app.library.store import Library
from desktop_app.ui.keeper import Keeper
from desktop_app.ui.models.store import ModelStore
from desktop_app.ui.player.playback import Playback
from desktop_app.ui.recording.checks import Checks
from desktop_app.ui.recording.inputs import Inputs
from desktop_app.ui.recording.live import Live
from desktop_app.ui.session import Session
from desktop_app.ui.settings.preferences import Preferences
from desktop_app.ui.shell.window import Window
from desktop_app.ui.speakers.edits import Edits
from desktop_app.ui.widgets import theme as look
from tests.ui.player import FakePlayer
from tests.ui.staging import SilentEngine, Stage
from tests.ui.studio import Studio
from tests.ui.works import Works


@pytest.fixture(scope="session")
def theme(qapp: QApplication, tmp_path_factory: pytest.TempPathFactory) -> look.Theme:
    """The look, light to begin with."""
    qapp.setStyle("Fusion")
    look.load_fonts()
    settings = QSettings(str(tmp_path_factory.mktemp("look") / "settings.ini"), QSettings.Format.IniFormat)
    settings.setValue("appearance", look.LIGHT)
    return look.Theme(qapp, settings)


@pytest.fixture
def stage(qtbot: QtBot, home: Path) -> Iterator[Stage]:
    """A session on an empty library."""
    library = Library(folders.data() / "library")
    keeper = Keeper()
    engine = SilentEngine()
    preferences = Preferences()
    studio = Studio()
    session = Session(engine, library, keeper, preferences.options)
    inputs = Inputs(studio.list_inputs, preferences)
    live = Live(session, engine, library, keeper, inputs, studio.make, preferences)
    checks = Checks(session, engine, library, keeper, preferences.options)
    edits = Edits(session, library, keeper)
    player = FakePlayer()
    playback = Playback(player.made_for)
    works = Works()
    models = ModelStore(preferences, works.start, works.look)
    made = Stage(
        session,
        engine,
        library,
        keeper,
        preferences,
        live,
        checks,
        edits,
        playback,
        player,
        studio,
        models,
        works,
        qtbot,
    )
    made.settle()
    yield made
    live.close()
    models.close()
    keeper.close()
    library.close()


@pytest.fixture
def window(stage: Stage, theme: look.Theme, qtbot: QtBot) -> Window:
    """The window of the stage, on an offscreen screen."""
    made = Window(
        theme, stage.session, stage.live, stage.checks, stage.edits, stage.playback, stage.models,
        stage.preferences, stage.studio.open_stream,
    )  # fmt: skip
    qtbot.addWidget(made, before_close_func=lambda shown: _forget_work(stage))
    made.show()
    return made


def _forget_work(stage: Stage) -> None:
    stage.live.close()  # so that closing asks nothing
    stage.models.jobs.clear()
    stage.session.entries.clear()


@pytest.fixture
def recording(tmp_path: Path) -> Callable[[str], Path]:
    """Makes a file that looks like a recording."""

    def make(name: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"sound")
        return path

    return make
