"""The language changes while the program runs, and what runs does not notice."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QLocale
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app import texts
from desktop_app.app.presentation.problems import sentence
from desktop_app.app.signals import Signal
from desktop_app.messages.jobs import Finished, SegmentReady, Started
from desktop_app.problems import Problem
from desktop_app.ui.shell import qt_texts
from desktop_app.ui.shell.app import Program
from desktop_app.ui.shell.main_window import MainWindow
from tests.program import opened
from tests.responsive import Guard
from tests.staging import MODELS, SilentEngine, segment
from tests.studio import Studio
from tests.talks import talk

Make = Callable[[str], Path]


@pytest.fixture
def studio() -> Studio:
    return Studio()


@pytest.fixture
def program(qapp: QApplication, studio: Studio, monkeypatch: pytest.MonkeyPatch) -> Iterator[Program]:
    """The whole program on an English system, with a silent engine and the studio's microphones."""
    monkeypatch.setenv("GALLEY_LANGUAGE", "")
    monkeypatch.setattr(texts, "system_language", lambda: "en")
    with opened(qapp, list_inputs=studio.list_inputs, open_stream=studio.open_stream) as made:
        made.session.engine = SilentEngine()
        monkeypatch.setattr(made.live, "_make_recorder", studio.make)
        yield made
    texts.use("en")
    qt_texts.use(qapp, "en")


def switch(program: Program, language: str, qtbot: QtBot) -> weakref.ref[MainWindow]:
    """Choose a language as a user does, and wait until the window before is gone; what is left of that one."""
    before = program.window
    gone: list[object] = []
    before.destroyed.connect(lambda: gone.append(None))
    before.show_settings()
    menu = before.settings.sections["Language"].control.make_menu()
    name = "English" if language == "en" else "Deutsch"
    next(action for action in menu.actions() if action.text() == name).trigger()
    qtbot.waitUntil(lambda: bool(gone))
    assert program.window is not before
    return weakref.ref(before)


def listeners(program: Program) -> list[int]:
    """How many listen to each signal of what outlives the window."""
    owners = (program.session, program.live, program.live.inputs, program.models, program.preferences)
    owners += (program.core.edits, program.core.checks, program.core.recovery)
    found = [each for owner in owners for each in vars(owner).values() if isinstance(each, Signal)]
    assert len(found) > 15
    return [len(each._listeners) for each in found]


def test_pages_are_made_when_they_are_first_looked_at(program: Program) -> None:
    """They would take a third of the time that the start and another language take."""
    assert not {"models", "settings"} & vars(program.window).keys()
    program.window.show_settings()
    program.window.show_models()
    assert {"models", "settings"} <= vars(program.window).keys()


def test_another_language_while_a_file_is_in_work(
    program: Program, recording: Make, qtbot: QtBot, responsive: Guard
) -> None:
    path = recording("talk.wav")
    program.window.add([str(path)])
    qtbot.waitUntil(lambda: bool(program.session.entries))
    (entry,) = program.session.entries.values()
    program.session.handle(Started(entry.id, 60.0, MODELS))
    program.session.handle(SegmentReady(entry.id, segment(0)))
    program.window.resize(780, 560)
    program.window.show_settings()  # the page is made now
    listening = listeners(program)
    problem = Problem("file.no_app", name="talk.wav")
    program.session.tell(problem)
    said = program.window.trouble.text.text()

    english = switch(program, "de", qtbot)
    window = program.window
    assert (texts.current(), QLocale().language()) == ("de", QLocale.Language.German)
    assert window.isVisible() and window.stack.currentWidget() is window.settings
    assert (window.width(), window.height()) == (780, 560)
    assert window.trouble.text.text() == sentence(problem) != said
    assert "Sprache" in [label.text() for label in window.settings.findChildren(type(window.trouble.text))]
    assert QCoreApplication.translate("QPlatformTheme", "Cancel") == "Abbrechen"
    assert window.sidebar.model.row_of(entry.id).isValid()
    program.session.handle(SegmentReady(entry.id, segment(1)))
    window.show_entry(entry.id)
    assert len(window.page.view.flow.lines) == 2

    with responsive():
        german = switch(program, "en", qtbot)
    assert program.preferences.language == "en"
    assert program.session.in_work == [entry] and len(entry.segments) == 2
    assert "Language" in [label.text() for label in program.window.settings.findChildren(type(window.trouble.text))]
    del window
    asked: list[object] = []
    program.preferences.when_saved(lambda: asked.append(None))  # the worker remembers what it was asked last
    qtbot.waitUntil(lambda: bool(asked))
    gc.collect()
    assert english() is None and german() is None
    assert listeners(program) == listening


@pytest.mark.parametrize("state", ["in work", "done"])
def test_a_text_stays_where_it_was_scrolled_to(program: Program, recording: Make, qtbot: QtBot, state: str) -> None:
    """Twice, because the second page has not been looked at when the third one takes its place."""
    program.window.add([str(recording("talk.wav"))])
    qtbot.waitUntil(lambda: bool(program.session.entries))
    (entry,) = program.session.entries.values()
    made = talk(2, rounds=20)
    program.session.handle(Started(entry.id, made.seconds, MODELS))
    for part in made.segments:
        program.session.handle(SegmentReady(entry.id, part))
    if state == "done":
        program.session.handle(Finished(entry.id, replace(made, path=entry.path)))
    view = program.window.page.view
    qtbot.waitUntil(lambda: view.flow.is_measured and view.verticalScrollBar().maximum() > 1000)
    view.reveal(150, 0)
    view.follower.stop()
    stood = view.scroll_position()
    assert 100 < stood.line < 150
    switch(program, "de", qtbot)
    switch(program, "en", qtbot)
    program.window.show_entry(entry.id)
    view = program.window.page.view
    qtbot.waitUntil(lambda: view.flow.is_measured)
    assert view.scroll_position() == stood


@pytest.mark.qt_log_ignore("does not support raise")  # the offscreen screen has no windows over others
def test_another_language_while_something_is_recorded(program: Program, studio: Studio, qtbot: QtBot) -> None:
    program.live.start()
    qtbot.waitUntil(lambda: bool(studio.recorders) and studio.recorder.asked == ["start"])
    studio.recorder.feed(2.0)
    qtbot.waitUntil(lambda: program.live.seconds >= 2.0)
    entry = program.live.entry
    assert entry is not None
    program.window.live.captions.show()
    switch(program, "de", qtbot)
    window = program.window
    assert program.live.entry is entry and studio.recorder.asked == ["start"]
    assert window.live.captions.isVisible() and window.all_actions["captions"].isChecked()
    assert not window.idle.record.isEnabled()
    studio.recorder.feed(3.0)
    qtbot.waitUntil(lambda: program.live.seconds >= 5.0)
    window.show_entry(entry.id)
    assert window.live.strip.isVisible()
    assert window.live.strip.time.text() == "0:05"
    window.live.captions.hide()
    program.live.stop()
    qtbot.waitUntil(lambda: studio.recorder.asked == ["start", "stop"])
