"""The pages, sheets and lists of a library in use, for tools/screenshots.py, and the sizes of the window."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import soundfile
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QWidget

from desktop_app import resources
from desktop_app.app.recordings.speed_history import Point
from desktop_app.library.store import Library
from desktop_app.transcript.statistics import Speed
from desktop_app.ui.shell.about import About
from desktop_app.ui.shell.details import Details
from desktop_app.ui.shell.shortcuts import ShortcutList
from desktop_app.ui.versions.sheet import TranscribeAgainSheet
from tests.talks import talk

if TYPE_CHECKING:
    from tools.screenshots import Camera

_MEETING = "Board meeting.flac"
_NAMES = ("Breakfast with Rose.flac", "Lecture 4, the long nineteenth century.flac", _MEETING)
_FORMATS = ("txt", "srt", "html")


def stage(library: Library, folder: Path) -> None:
    """Three conversations with titles, tags and notes, one of them in two versions, and files that will wait."""
    folder.mkdir(parents=True, exist_ok=True)
    speech, rate = soundfile.read(resources.path("resources", "sample", "conversation.flac"), dtype="int16")
    for number, name in enumerate(_NAMES):
        made = replace(talk(2 + number, rounds=1 + number), path=str(folder / name))
        soundfile.write(folder / name, np.resize(speech, round(made.seconds * rate)), rate)
        found = library.add(str(folder / name))
        library.begin(found.id, made.models, made.seconds)
        library.finish(found.id, made)
        library.describe(found.id, "", ("family",) if number == 0 else ("work", "roof"), "The scaffold stays.")
        if name == _MEETING:
            lines = [replace(line, text=line.text.replace("roof", "rooftop")) for line in made.segments]
            library.add_version(found.id, replace(made, segments=tuple(lines)), "")
    for name in ("First.flac", "Second.flac", "Third.flac"):
        soundfile.write(folder / name, speech, rate)


def shoot(camera: Camera, folder: Path) -> None:
    """Every sheet and page, and the page of a recording in the sizes of windows."""
    window, program = camera.window, camera.program
    session = program.session
    camera.wait(lambda: len(session.entries) == len(_NAMES))
    entry = next(each for each in session.entries.values() if each.name == _MEETING)
    window.show_entry(entry.id)
    camera.wait(lambda: bool(entry.segments))
    shares = (0.9, 0.86, 0.93, 0.71, 0.88, 0.95, 0.9, 0.92, 0.84, 0.94)
    entry.history.points = [Point(23.0 * (1 + at), share, 8 * share - 2) for at, share in enumerate(shares)]
    program.models.compared[entry.path] = Speed(5.7, 8.0)
    window.panel.show_entry(entry)
    camera.take_in_sizes("window")
    window.panel.help.click()
    camera.pause()
    camera.take("speed-terms")
    window.panel.help.click()
    window.all_actions["speed"].trigger()
    camera.take_in_sizes("text")
    window.all_actions["speed"].trigger()
    window.sidebar.search.setText("scaffold")
    camera.wait(lambda: window.sidebar.model.wanted != "")
    camera.pause()
    camera.take("library-search")
    window.sidebar.search.clear()
    camera.pause()
    _shoot_sheets(camera, entry.id)
    _shoot_settings(camera)
    _shoot_queue(camera, folder)


def _shoot_sheets(camera: Camera, key: str) -> None:
    window, program = camera.window, camera.program
    window.all_actions["export"].trigger()
    camera.wait(lambda: window.exports.sheet is not None)
    sheet = window.exports.sheet
    assert sheet is not None
    camera.take_in_sizes("export", sheet)
    for form in _FORMATS:
        sheet.formats[form].click()
        camera.pause()
        camera.take_with(f"export-{form}", sheet, _middle(window, sheet))
    sheet.reject()
    camera.wait(lambda: window.exports.sheet is None)
    versions = window.versions
    camera.wait(lambda: len(program.core.checks.versions.known.get(key, [])) == 2)
    menu = versions.menu()
    menu.popup(QPoint(0, 0))
    camera.pause(0.1)
    button = versions.button
    camera.take_with("versions", menu, button.mapTo(window, QPoint(0, button.height())))
    menu.close()
    options = program.preferences.options()
    for name, lines in (("again", False), ("redo-part", True)):
        _take_dialog(
            camera,
            name,
            TranscribeAgainSheet(program.theme, program.models, program.preferences, options, window, lines),
        )
    entry = program.session.entries[key]
    _take_dialog(camera, "details", Details(window, program.session, [entry]))
    about = About(program.session.worker.post, window)
    about.show()
    camera.take_in_sizes("about", about)
    about.close()
    about.deleteLater()
    _take_dialog(camera, "shortcuts", ShortcutList(window.all_actions, window.keys, window))


def _take_dialog(camera: Camera, name: str, dialog: QWidget) -> None:
    dialog.show()
    camera.pause()
    camera.take_with(name, dialog, _middle(camera.window, dialog))
    dialog.close()
    dialog.deleteLater()


def _middle(window: QWidget, dialog: QWidget) -> QPoint:
    return window.rect().center() - dialog.rect().center()


def _shoot_settings(camera: Camera) -> None:
    window = camera.window
    window.show_settings()
    camera.take_in_sizes("settings")
    bar = window.settings.sheet.verticalScrollBar()
    for number in range(1 + -(-bar.maximum() // max(bar.pageStep(), 1))):
        bar.setValue(number * bar.pageStep())
        camera.pause(0.1)
        camera.take(f"settings-{number + 1}")
    window.show_idle()
    window.idle.ask.click()
    camera.pause()
    assert window.idle.sheet is not None
    camera.take_with("options", window.idle.sheet, _middle(window, window.idle.sheet))
    window.idle.sheet.reject()
    window.show_models()
    camera.wait(lambda: camera.program.models.draft_in_use is not None and not camera.program.models.jobs)
    camera.pause()
    camera.take("models-own")
    camera.take_in_sizes("models")


def _shoot_queue(camera: Camera, folder: Path) -> None:
    session = camera.program.session
    session.queue.pause()
    camera.window.show_idle()
    camera.drop(*(folder / name for name in ("First.flac", "Second.flac", "Third.flac")))
    camera.pause()
    camera.take("queue-paused")
    session.queue.cancel_all()
    camera.wait(lambda: not session.in_work)
