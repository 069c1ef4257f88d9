"""The suggestion to find the speakers of a conversation, and the sample on the page of an empty window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from desktop_app.app.recordings.entry import Entry
from desktop_app.app.settings.preferences import Preferences
from desktop_app.messages.jobs import Finished
from desktop_app.messages.options import OFF
from desktop_app.ui.shell.main_window import MainWindow
from tests.talks import talk
from tests.ui.staging import Stage
from tests.unit.app.editing.test_conversations import silent_of
from tests.unit.app.editing.test_edits import finish


@pytest.fixture
def entry(window: MainWindow, stage: Stage, recording: Callable[[str], Path]) -> Entry:
    """A conversation that is looked at, whose speakers nobody has asked for, and which has been listened to."""
    (made,) = stage.drop(recording("talk.wav"))
    finish(stage, made, silent_of(talk(2)))
    ((job, _, _),) = stage.engine.listening
    stage.say(Finished(job, replace(talk(2), path="")))
    return made


def test_a_click_finds_the_speakers(window: MainWindow, stage: Stage, entry: Entry) -> None:
    hint = window.conversation
    assert hint.banner.isVisible()
    hint.identify.click()
    assert stage.engine.finding == [(f"speakers:{entry.id}", entry.path, "auto")]
    assert not hint.banner.isVisible() and window.versions.speakers.isVisible()
    stage.say(Finished(f"speakers:{entry.id}", replace(talk(2), path="")))
    stage.qtbot.waitUntil(lambda: len(entry.speakers) == 2)
    assert not hint.banner.isVisible()


def test_another_click_puts_an_end_to_it(
    window: MainWindow, stage: Stage, entry: Entry, recording: Callable[[str], Path]
) -> None:
    window.conversation.never.click()
    assert not window.conversation.banner.isVisible()
    stage.settle()
    assert Preferences(stage.keeper).conversations == OFF
    (other,) = stage.drop(recording("other.wav"))
    finish(stage, other, silent_of(talk(2)))
    window.show_entry(other.id)
    assert len(stage.engine.listening) == 1


def test_the_sample_is_offered_until_there_is_a_recording(window: MainWindow, stage: Stage) -> None:
    assert window.idle.sample.isVisible() and not window.idle.recent.isVisible()
    window.idle.sample.click()
    stage.qtbot.waitUntil(lambda: bool(stage.engine.jobs))
    (entry,) = stage.session.entries.values()
    assert Path(entry.path).name == "conversation.flac" and Path(entry.path).is_file()
    assert window.current.key == entry.id
    window.show_idle()
    assert not window.idle.sample.isVisible() and window.idle.recent.isVisible()
    stage.session.cancel(entry.id)
    stage.session.remove(entry.id)
    assert window.idle.sample.isVisible()
