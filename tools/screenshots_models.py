"""The screens of models, for tools/screenshots.py: a real page, and real downloads from a hub on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from desktop_app.checkpoints import catalogue, choice, installed
from tests import random_models
from tests.hub_server import HubServer, serving

if TYPE_CHECKING:
    from tools.screenshots import Camera

_FETCHED, _BROKEN = "distil-small.en", "distil-medium.en"
_DISTIL_SMALL = random_models.Recipe.of(768, 12, 12, 4, text=50_256, languages=random_models.REAL_TINY.languages)


@contextmanager
def hub(folder: Path) -> Iterator[HubServer]:
    """A hub with a model of the size of distil-small.en and random numbers in it."""
    model = random_models.write(folder / _FETCHED, _DISTIL_SMALL)
    with serving() as server:
        server.repositories[_repository(_FETCHED)] = model
        server.pace = 14_000_000
        yield server


def stage(folder: Path) -> None:
    """Let two models of the user's own be installed, one of them the draft of the other."""
    for name, made in (("clinic", random_models.real_tiny), ("clinic-draft", random_models.toy)):
        installed.add(made(folder / name), name, lambda what, done, total: None)
    choice.register_draft("clinic", "clinic-draft")


def shoot(camera: Camera, server: HubServer) -> None:
    """Every screen of models."""
    window, models, page = camera.window, camera.program.models, camera.window.models
    window.show_models()
    camera.wait(lambda: models.draft_in_use is not None and not models.jobs)
    camera.pause()
    camera.take("models")
    page.sheet.verticalScrollBar().setValue(page.sheet.verticalScrollBar().maximum())
    camera.pause(0.1)
    camera.take("models-featured")
    page.sheet.verticalScrollBar().setValue(0)
    page.card.fold.click()
    page.fold.click()
    camera.pause()
    camera.take("models-unfolded")
    models.choose_mirror(server.url)
    camera.wait(lambda: models.list is not None and models.list.source.mirror)
    models.get(_BROKEN)  # the hub does not have it
    camera.wait(lambda: _BROKEN in models.problems)
    models.get(_FETCHED)
    camera.wait(lambda: models.jobs[_FETCHED].share > 0.35)
    models.get("distil-large-v2")
    page.sheet.ensureWidgetVisible(page.rows[_FETCHED], 0, 300)
    camera.pause()
    camera.take("models-fetching")
    window.resize(760, 620)
    camera.pause()
    page.sheet.ensureWidgetVisible(page.rows[_FETCHED], 0, 200)
    camera.pause(0.1)
    camera.take("models-narrow")
    models.cancel("distil-large-v2")
    models.cancel(_FETCHED)
    camera.wait(lambda: not models.jobs)
    page.sheet.verticalScrollBar().setValue(0)
    models.choose_mirror("")
    window.resize(1280, 800)


def _repository(name: str) -> str:
    entry = catalogue.find(name)
    assert entry is not None
    return entry.repository
