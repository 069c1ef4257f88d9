"""The pictures of speakers: a real window on a library of staged conversations, so that there are five of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import soundfile
from PySide6.QtCore import QPoint

from desktop_app import resources
from desktop_app.library.store import Library
from tests.talks import talk

if TYPE_CHECKING:
    from tools.screenshots import Camera

_TWO, _FIVE = "Breakfast with Rose.flac", "House meeting.flac"


def stage(library: Library, folder: Path) -> None:
    """Put a conversation of two and one of five into the library, with a sound of their lengths."""
    folder.mkdir(parents=True, exist_ok=True)
    speech, rate = soundfile.read(resources.path("resources", "sample", "conversation.flac"), dtype="int16")
    for name, made in ((_FIVE, talk(5, rounds=3)), (_TWO, talk(2))):
        soundfile.write(folder / name, np.resize(speech, round(made.seconds * rate)), rate)
        found = library.add(str(folder / name))
        library.begin(found.id, made.models, made.seconds)
        library.finish(found.id, replace(made, path=found.path))


def shoot(camera: Camera) -> None:
    """Every screen with speakers on it."""
    window, session = camera.window, camera.program.session
    by_name = {entry.name: entry for entry in session.entries.values()}
    for name, number in ((_TWO, "two"), (_FIVE, "five")):
        window.show_entry(by_name[name].id)
        camera.wait(lambda key=by_name[name].id: bool(session.entries[key].segments))  # type: ignore[misc]
        camera.pause()
        camera.take(f"speakers-{number}")
    window.speakers.strip.names["S3"].click()
    camera.pause(0.1)
    camera.take("speaker-card")
    card = window.speakers.card
    assert card is not None
    card.field.setText("")  # an empty name changes nothing
    card.close()
    view = window.page.view
    view.selection.put((5, 39), False)
    menu = view.menu()
    menu.popup(QPoint(0, 0))
    camera.pause(0.1)
    camera.take_with("speaker-menu", menu, QPoint(560, 262))
    menu.close()
    window.resize(800, 600)
    camera.pause()
    camera.take("speakers-narrow")
    window.show_settings()
    window.settings.sections["Speakers"].control.choice.group.button(2).click()
    window.resize(1280, 800)
    camera.pause(0.1)
    camera.take("speakers-settings")
