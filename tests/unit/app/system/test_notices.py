"""Who is told what without the window: notifications, and the list of what was looked at last."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from desktop_app.app.recordings.entry import Entry
from desktop_app.app.settings.preferences import OFF, ON
from desktop_app.app.settings.recent import Recent
from desktop_app.app.system.notices import Notices
from desktop_app.messages.jobs import Cancelled, Failed, Finished
from desktop_app.problems import Problem
from tests.staging import Stage, finish, transcript

Make = Callable[[str], Path]


class Desktop:
    """Shows notifications. Attributes: in_front (whether the user looks at Galley); shown (title, text, replaced)."""

    def __init__(self) -> None:
        self.in_front, self.shown = False, list[tuple[str, str, int]]()

    def show(self, title: str, text: str, replaces: int) -> int:
        self.shown.append((title, text, replaces))
        return len(self.shown)


@pytest.fixture
def desktop(stage: Stage) -> Iterator[Desktop]:
    made = Desktop()
    notices = Notices(stage.session, stage.checks, stage.preferences, lambda: made.in_front, made.show)
    stage.notices = notices  # type: ignore[attr-defined]
    yield made
    notices.close()


def three(stage: Stage, recording: Make) -> list[Entry]:
    return stage.drop(*(recording(f"{name}.wav") for name in ("one", "two", "three")))


def test_what_is_done_while_nobody_looks_is_told_in_one_notification(
    stage: Stage, desktop: Desktop, recording: Make
) -> None:
    """By its name; its text is nobody's business who sees the screen."""
    one, two, third = three(stage, recording)
    finish(stage, one)
    finish(stage, two)
    stage.say(Failed(third.id, Problem("file.not_media")))
    stage.until(lambda: len(desktop.shown) == 3)
    assert desktop.shown == [
        ("Transcription finished", "one.wav", 0),
        ("Transcription finished", "2 recordings are transcribed.", 1),
        ("Transcription finished", "2 recordings are transcribed. 1 recording failed.", 2),
    ]
    assert "sentence" not in str(desktop.shown), "as the text has it"


def test_nothing_is_told_to_who_looks_or_wants_none_or_stopped_it(
    stage: Stage, desktop: Desktop, recording: Make
) -> None:
    one, two, third = three(stage, recording)
    desktop.in_front = True
    finish(stage, one)
    desktop.in_front, stage.preferences.notices = False, OFF
    finish(stage, two)
    stage.preferences.notices = ON
    stage.session.cancel(third.id)
    stage.say(Cancelled(third.id))
    stage.checks.transcribe_version(one.id)
    stage.say(Finished(f"check:{one.id}", transcript()))  # without words: nothing was made
    stage.settle()
    assert not desktop.shown


def test_who_came_back_is_told_what_is_new_since_then(stage: Stage, desktop: Desktop, recording: Make) -> None:
    one, two, _third = three(stage, recording)
    finish(stage, one)
    stage.notices.forget()  # type: ignore[attr-defined]
    finish(stage, two)
    stage.until(lambda: len(desktop.shown) == 2)
    assert desktop.shown[1] == ("Transcription finished", "two.wav", 0)


def test_the_recordings_that_were_looked_at_last_are_kept_without_their_places(stage: Stage, recording: Make) -> None:
    one, two, third = three(stage, recording)
    recent = Recent(stage.session, stage.preferences)
    for entry in (one, two, third, one):
        recent.note(entry.id)
    assert recent.entries == [one, third, two]
    assert one.path not in stage.preferences.text("recent") and "one" not in stage.preferences.text("recent")
    stage.deletions.delete([third.id])
    assert recent.entries == [one, two], "what is deleted leaves no trace"
    later = stage.restart()
    assert [entry.id for entry in Recent(later.session, later.preferences).entries] == [one.id, two.id]
    recent.clear()
    assert not recent.entries and not stage.preferences.text("recent")
