"""Checking a live text against its file, and recordings that were interrupted."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QDialog, QWidget

from desktop_app.app.library.recovery import Recovery
from desktop_app.app.presentation.problems import sentence
from desktop_app.app.presentation.wording import percent
from desktop_app.app.recordings import entry as states
from desktop_app.app.recordings.entry import Entry
from desktop_app.messages.jobs import Cancelled, Failed, Finished, Progress, Started
from desktop_app.problems import Problem
from desktop_app.texts import _, ngettext
from desktop_app.transcript.statistics import Statistics
from desktop_app.ui.recording import check_bar
from desktop_app.ui.recording.difference_dialog import DifferenceDialog, as_html
from desktop_app.ui.recording.recovery_bar import RecoveryBar
from desktop_app.ui.shell.main_window import MainWindow
from desktop_app.ui.widgets.theme import LIGHT_PALETTE, Theme
from tests.ui.staging import MODELS, Stage, segment, transcript
from tests.unit.app.library.test_recovery import interrupted


def recorded(stage: Stage) -> Entry:
    """A live recording with its text."""
    entry = stage.record()
    stage.say(Started(entry.id, 0.0, MODELS))
    stage.stop()
    stage.say(Finished(entry.id, transcript(segment(0, " The roof is down."), segment(1, " They come Friday."))))
    return entry


def check(stage: Stage, entry: Entry, *texts: str) -> None:
    """Let the engine find these texts in the file."""
    stage.say(Started(f"check:{entry.id}", 60.0, MODELS), Progress(f"check:{entry.id}", 15.0, 60.0, Statistics()))
    found = transcript(*(segment(number, text) for number, text in enumerate(texts)))
    stage.say(Finished(f"check:{entry.id}", found))
    stage.qtbot.waitUntil(lambda: stage.checks.running[entry.id].transcript is not None)


def test_a_check_is_offered_and_leaves_the_text_alone(window: MainWindow, stage: Stage) -> None:
    entry = recorded(stage)
    bar = window.live.check
    assert bar.isVisible()
    bar.start.click()
    assert stage.engine.jobs[-1][:2] == (f"check:{entry.id}", entry.path)
    stage.say(Progress(f"check:{entry.id}", 15.0, 60.0, Statistics()))
    assert bar.text.text() == _("Re-checking the recording… {percent}", percent=percent(0.25))
    check(stage, entry, " The roof is done.", " They come on Friday.")
    assert bar.text.text() == ngettext(
        "Re-check finished: {n} word would change.", "Re-check finished: {n} words would change.", 2
    )
    assert window.page.view.text() == "The roof is down.\nThey come Friday."
    assert entry.state == states.DONE


def test_what_the_file_says_is_accepted(window: MainWindow, stage: Stage) -> None:
    entry = recorded(stage)
    window.live.check.start.click()
    check(stage, entry, " The roof is done.", " They come Friday.")
    window.live.check.accept.click()
    assert window.page.view.text() == "The roof is done.\nThey come Friday."
    assert not window.live.check.isVisible()
    stage.settle()
    assert stage.library.transcript(entry.id).segments[0].text == " The roof is done."


def test_the_live_text_is_kept(window: MainWindow, stage: Stage) -> None:
    entry = recorded(stage)
    window.live.check.start.click()
    check(stage, entry, " The roof is done.")
    window.live.check.keep.click()
    assert not window.live.check.isVisible()
    stage.settle()
    assert stage.library.transcript(entry.id).segments[0].text == " The roof is down."
    window.show_idle()
    window.show_entry(entry.id)
    assert not window.live.check.isVisible()  # nobody is asked twice


def test_no_difference_is_said(window: MainWindow, stage: Stage) -> None:
    entry = recorded(stage)
    window.live.check.start.click()
    check(stage, entry, " The roof is down. They", " come Friday.")
    bar = window.live.check
    assert bar.text.text() == _("Re-check finished: no changes.")
    shown = [button.text() for button in bar.buttons if button.isVisible()]
    assert shown == [_("Close"), ngettext("{n} more", "{n} more", 1)], "and the model's notice waits behind it"


def test_a_check_can_fail_and_be_cancelled(window: MainWindow, stage: Stage) -> None:
    entry = recorded(stage)
    bar = window.live.check
    bar.start.click()
    stage.say(Failed(f"check:{entry.id}", Problem("file.missing")))
    why = sentence(Problem("file.moved", name=Path(entry.path).name))
    assert bar.text.text() == _("The recording could not be re-checked. {problem}", problem=why)
    bar.start.click()
    bar.keep.click()
    assert stage.engine.cancelled == [f"check:{entry.id}"]
    stage.say(Cancelled(f"check:{entry.id}"))
    assert not stage.checks.running


def test_an_older_recording_is_checked_from_its_menu(window: MainWindow, stage: Stage) -> None:
    entry = recorded(stage)
    stage.checks.forget(entry.id)
    actions = {action.text(): action for action in window.files.menu_for(entry.id).actions()}
    actions[_("Re-check the whole recording")].trigger()
    assert window.live.check.text.text() == _("Re-checking the recording… {percent}", percent=percent(0))


def test_the_differences_are_shown_and_answered(
    window: MainWindow, stage: Stage, monkeypatch: pytest.MonkeyPatch, theme: Theme
) -> None:
    entry = recorded(stage)
    window.live.check.start.click()
    check(stage, entry, " The roof is <done>.", " They come Friday.")
    (found,) = stage.checks.running[entry.id].changes
    assert "&lt;done&gt;." in as_html(found, LIGHT_PALETTE)
    assert "<s " in as_html(found, LIGHT_PALETTE)

    def accept(dialog: DifferenceDialog) -> None:
        dialog.rows[0].accept.click()
        assert dialog.result() == QDialog.DialogCode.Accepted, "it closes with the last decision"

    monkeypatch.setattr(check_bar.DifferenceDialog, "exec", accept)
    window.live.check.show_changes.click()
    assert window.page.view.text() == "The roof is <done>.\nThey come Friday."
    assert entry.reworded
    window.all_actions["undo"].trigger()
    assert window.page.view.text() == "The roof is down.\nThey come Friday."


def test_an_interrupted_recording_is_offered_above_the_page(stage: Stage, theme: Theme) -> None:
    later = interrupted(stage)
    recovery = Recovery(later.session, later.preferences)
    holder = QWidget()
    bar = RecoveryBar(theme, recovery, holder)
    stage.until(lambda: bool(recovery.found))
    assert bar.text.text() == recovery.sentence() != ""
    bar.transcribe.click()
    assert not bar.text.text()
    recovery.close()
