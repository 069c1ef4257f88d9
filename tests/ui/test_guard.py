"""What the guard reports in the window: speech without text is heard and transcribed again where there is no line to
select, and removed text is one quiet line until somebody wants to see it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from desktop_app.app.recordings.entry import Entry
from desktop_app.messages.jobs import Finished, Started
from desktop_app.texts import _, ngettext
from desktop_app.transcript.model import GuardReport, Segment
from desktop_app.ui.guard import controller as guard
from desktop_app.ui.guard.removed_dialog import RemovedDialog
from desktop_app.ui.shell.main_window import MainWindow
from desktop_app.ui.versions import controller
from desktop_app.ui.versions.sheet import TranscribeAgainSheet
from tests.ui.staging import MODELS, Stage, transcript

QUIET = replace(MODELS, notices=())
LINES = (Segment(0, 0.0, 8.0, " One."), Segment(1, 16.0, 40.0, " Two."), Segment(2, 40.0, 50.0, " Three."))
GAP, NEXT = GuardReport(8.0, 16.0, "unwritten"), GuardReport(24.0, 33.0, "unwritten")
THANKS = GuardReport(50.0, 52.0, "silence", "Thank you.")
LOOP = GuardReport(40.0, 50.0, "loop", "Three. Three.")


def show(stage: Stage, path: Path, *reports: GuardReport, lines: tuple[Segment, ...] = LINES) -> Entry:
    """A text with reports, looked at."""
    (entry,) = stage.drop(path)
    made = replace(transcript(*lines), models=QUIET, guarded=reports)
    stage.say(Started(entry.id, 60.0, QUIET), Finished(entry.id, made))
    stage.settle()
    return entry


@pytest.fixture
def talk(recording: Callable[[str], Path]) -> Path:
    return recording("talk.wav")


@pytest.fixture
def in_german(monkeypatch: pytest.MonkeyPatch) -> None:
    """The user chooses German in the sheet."""

    def fill(sheet: TranscribeAgainSheet) -> int:
        sheet.form._set("language", "de")
        return TranscribeAgainSheet.DialogCode.Accepted

    monkeypatch.setattr(controller.TranscribeAgainSheet, "exec", fill)


def found(stage: Stage, entry: Entry, *lines: Segment) -> None:
    """The engine transcribes what was asked for."""
    stage.say(Finished(f"check:{entry.id}", transcript(*lines)))
    stage.qtbot.waitUntil(lambda: stage.checks.running[entry.id].transcript is not None)


def test_speech_without_text_is_heard_and_its_text_comes_as_a_change(
    window: MainWindow, stage: Stage, talk: Path, in_german: None
) -> None:
    entry, bar = show(stage, talk, GAP), window.guard.gaps
    assert bar.isVisible() and not window.page.notice.isVisible()
    assert bar.text.text() == _("Possibly speech without text: {place}", place="0:08–0:16")
    bar.play.click()
    assert stage.player.played == [(entry.path, 8.0, 16.0)] and bar.play.text() == _("Stop")
    bar.play.click()
    assert stage.player.stopped == 1 and bar.play.text() == _("Play")
    bar.again.click()
    job, _path, options = stage.engine.jobs[-1]
    assert (stage.engine.parts[job], options.language, options.speakers) == ((8.0, 16.0), "de", "off")
    found(stage, entry, Segment(0, 9.0, 12.0, " Hallo."), Segment(1, 12.0, 15.0, " Wie geht es?"))
    assert window.page.view.text() == "One.\nTwo.\nThree.", "nothing changes unasked"
    check = window.live.check
    assert check.text.text() == ngettext("{n} word was found there.", "{n} words were found there.", 4)
    check.accept.click()
    assert window.page.view.text() == "One.\nHallo.\nWie geht es?\nTwo.\nThree."
    assert [line.start for line in entry.segments] == [0.0, 9.0, 12.0, 16.0, 40.0]
    stage.settle()
    assert stage.library.transcript(entry.id).guarded == () and not bar.isVisible()
    stage.edits.undo(entry.id)
    assert window.page.view.text() == "One.\nTwo.\nThree." and entry.guarded == (GAP,)
    stage.settle()
    assert stage.library.transcript(entry.id).guarded == (GAP,)


def test_text_for_speech_that_a_line_reaches_over_stands_in_its_place(
    window: MainWindow, stage: Stage, talk: Path, in_german: None
) -> None:
    entry = show(stage, talk, NEXT)
    window.guard.gaps.again.click()
    found(stage, entry, Segment(0, 25.0, 32.0, " Dazwischen."))
    window.live.check.accept.click()
    assert [(line.text, line.start, line.end) for line in entry.segments[1:]] == [
        (" Two.", 16.0, 25.0), ("Dazwischen.", 25.0, 32.0), (" Three.", 40.0, 50.0)
    ]  # fmt: skip


def test_several_stretches_are_seen_one_after_another_and_dismissed(
    window: MainWindow, stage: Stage, talk: Path
) -> None:
    touching = (GuardReport(20.0, 24.0, "unwritten"), NEXT)  # at the edge of two windows
    entry, bar = show(stage, talk, GAP, *touching), window.guard.gaps
    words = "Possibly speech without text: {place}"
    assert bar.text.text() == _(words, place="0:08–0:16")
    bar.following.click()
    assert bar.text.text() == _(words, place="0:20–0:33")
    bar.dismiss.click()
    assert bar.text.text() == _(words, place="0:08–0:16")
    assert not bar.following.isVisible() and not entry.corrected, "no word was touched"
    bar.dismiss.click()
    assert not bar.isVisible()
    stage.settle()
    assert stage.library.transcript(entry.id).guarded == ()


def test_a_recording_without_any_line_gets_its_text(
    window: MainWindow, stage: Stage, talk: Path, in_german: None
) -> None:
    entry = show(stage, talk, GAP, lines=())
    window.guard.gaps.again.click()
    found(stage, entry, Segment(0, 9.0, 12.0, " Hallo."))
    window.live.check.accept.click()
    assert window.page.view.text() == "Hallo." and entry.guarded == ()


def test_nothing_found_is_said_and_the_notice_stays(
    window: MainWindow, stage: Stage, talk: Path, in_german: None
) -> None:
    entry = show(stage, talk, GAP)
    window.guard.gaps.again.click()
    found(stage, entry)
    assert window.live.check.text.text() == _("No words were found there.")
    window.live.check.keep.click()
    assert window.guard.gaps.isVisible() and entry.guarded == (GAP,)


def test_removed_text_is_one_quiet_line_and_comes_back(
    window: MainWindow, stage: Stage, talk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    silences = [GuardReport(52.0 + at / 10, 52.1 + at / 10, "silence", "Bye.") for at in range(40)]
    entry, bar = show(stage, talk, LOOP, THANKS, *silences), window.guard.removed
    several = "Hallucinated text was removed in {n} places."
    assert bar.isVisible() and bar.property("banner") == "plain"
    assert bar.text.text() == ngettext("Hallucinated text was removed in {n} place.", several, 42)
    seen = []

    def use(dialog: RemovedDialog) -> int:
        stage.qtbot.addWidget(dialog)
        first, second = dialog.rows[0], dialog.rows[1]
        seen.extend((first.text.text(), second.text.text()))
        second.play.click()
        second.back.click()
        first.back.click()
        seen.append(first.text.text())
        return 1

    monkeypatch.setattr(guard.RemovedDialog, "exec", use)
    bar.buttons[0].click()
    assert seen == ["Three. Three.", "Thank you.", "Bye."]
    assert stage.player.played == [(entry.path, 50.0, 52.0)]
    assert window.page.view.text() == "One.\nTwo.\nThree.\nThree. Three.\nThank you."
    borders = [(line.start, line.end) for line in entry.segments]
    assert all(one[1] <= other[0] and one[0] < one[1] for one, other in pairwise(borders))
    assert bar.text.text() == ngettext("Hallucinated text was removed in {n} place.", several, 40)
    stage.settle()
    assert len(stage.library.transcript(entry.id).guarded) == 40
    stage.edits.undo(entry.id)
    stage.edits.undo(entry.id)
    assert window.page.view.text() == "One.\nTwo.\nThree." and len(entry.guarded) == 42


def test_the_last_text_that_comes_back_closes_the_list(
    window: MainWindow, stage: Stage, talk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    show(stage, talk, THANKS, lines=())
    closed = []

    def use(dialog: RemovedDialog) -> int:
        stage.qtbot.addWidget(dialog)
        dialog.rows[0].back.click()
        closed.append(dialog.result())
        return 1

    monkeypatch.setattr(guard.RemovedDialog, "exec", use)
    window.guard.removed.buttons[0].click()
    assert closed == [RemovedDialog.DialogCode.Accepted]
    assert window.page.view.text() == "Thank you." and not window.guard.removed.isVisible()
