"""A window without an engine: tests say what the engine would say."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app import folders
from desktop_app.app.inputs import Inputs
from desktop_app.app.live import Live
from desktop_app.app.models import ModelStore
from desktop_app.app.preferences import Preferences
from desktop_app.app.recheck import Checks
from desktop_app.app.session import Session
from desktop_app.app.speaker_edits import Edits
from desktop_app.app.worker import Worker
from desktop_app.library.store import Library
from desktop_app.ui.mailbox import Mailbox
from desktop_app.ui.player.playback import Playback
from desktop_app.ui.shell.window import Window
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
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GALLEY_HOME", str(tmp_path_factory.mktemp("look")))
        worker = Worker("look", lambda call: None)
        preferences = Preferences(worker)
        preferences.set("appearance", look.LIGHT)
        worker.close()
    return look.Theme(qapp, preferences)


@pytest.fixture
def stage(qtbot: QtBot, home: Path) -> Iterator[Stage]:
    """A session on an empty library."""
    library = Library(folders.data() / "library")
    mailbox = Mailbox(lambda event: session.handle(event))
    keeper = Worker("library", mailbox.call)
    engine = SilentEngine()
    preferences = Preferences(keeper)
    studio = Studio()
    session = Session(engine, library, keeper, preferences.options)
    inputs = Inputs(studio.list_inputs, mailbox.call, preferences)
    live = Live(session, inputs, studio.make, lambda: preferences.recordings)
    checks = Checks(session)
    edits = Edits(session)
    player = FakePlayer()
    playback = Playback(player.made_for)
    works = Works()
    models = ModelStore(preferences, mailbox.call, works.start, works.look)
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
