"""Whatever somebody types at random while files arrive, no character is lost or misplaced, and nothing disturbs them.

`make typing` does so for 20 minutes; what fails says the seed that repeats it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.ui.shell.main_window import MainWindow
from desktop_app.ui.widgets.theme import Theme
from tests import staging
from tests.ui.staging import Stage
from tests.ui.typist import Typist

MINUTES = float(os.environ.get("GALLEY_TYPING_MINUTES", "0"))
SEEDS = os.environ.get("GALLEY_TYPING_SEEDS", "1 2 3").split()
STEPS = 100

MakeTypist = Callable[[int], Typist]


@pytest.fixture
def typist(stage: Stage, theme: Theme, qtbot: QtBot, tmp_path: Path) -> Iterator[MakeTypist]:
    """Makes somebody who types, in a library of their own."""
    made: list[Typist] = []
    (folder := tmp_path / "inbox").mkdir()

    def window(there: staging.Stage) -> MainWindow:
        shown = MainWindow(theme, there.core, stage.playback, stage.waveforms, there.studio.open_stream)
        shown.start()
        shown.show()
        return shown

    def make(seed: int) -> Typist:
        made.append(Typist(seed, stage, window, folder))
        return made[-1]

    yield make
    for each in made:
        each.stage.session.entries.clear()  # so that closing asks nothing
        each.window.close()
        each.window.connections.close()
        each.window.deleteLater()


@pytest.mark.long
@pytest.mark.parametrize("seed", [int(seed) for seed in SEEDS])
def test_typing_at_random_loses_and_misplaces_nothing(typist: MakeTypist, seed: int) -> None:
    someone, until, steps = typist(seed), time.monotonic() + MINUTES * 60, 0
    try:
        while steps < STEPS or time.monotonic() < until:
            someone.step()
            steps += 1
        someone.close()
    finally:
        print(f"seed {seed}, {steps} steps; the last ones:", *someone.done[-40:], sep="\n")
