"""Checking a live text against its file, and recordings that were interrupted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QDialog, QWidget

from desktop_app import folders
from desktop_app.app import entry as states
from desktop_app.app.entry import Entry
from desktop_app.app.recheck import Checks
from desktop_app.app.recovery import Recovery
from desktop_app.app.session import Session
from desktop_app.app.worker import Worker
from desktop_app.audio.flac import FlacWriter
from desktop_app.engine.messages import Cancelled, Failed, Finished, Progress, SegmentReady, Started
from desktop_app.library.store import Library, LibraryProblem
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.model import Segment
from desktop_app.transcript.statistics import Statistics
from desktop_app.ui.recording import check_bar
from desktop_app.ui.recording.difference_dialog import DifferenceDialog, as_html
from desktop_app.ui.recording.recovery_bar import RecoveryBar
from desktop_app.ui.shell.window import Window
from desktop_app.ui.widgets.theme import LIGHT_PALETTE, Theme
from tests.ui.staging import MODELS, Stage, segment, transcript


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


def test_a_check_is_offered_and_leaves_the_text_alone(window: Window, stage: Stage) -> None:
    entry = recorded(stage)
    bar = window.live.check
    assert bar.isVisible()
    bar.start.click()
    assert stage.engine.jobs[-1][:2] == (f"check:{entry.id}", entry.path)
    stage.say(Progress(f"check:{entry.id}", 15.0, 60.0, Statistics()))
    assert bar.text.text() == "Checking against the file… 25%"
    check(stage, entry, " The roof is done.", " They come on Friday.")
    assert bar.text.text() == "Checked against the file: 2 words would change."
    assert window.page.view.text() == "The roof is down.\nThey come Friday."
    assert entry.state == states.DONE


def test_what_the_file_says_is_accepted(window: Window, stage: Stage) -> None:
    entry = recorded(stage)
    window.live.check.start.click()
    check(stage, entry, " The roof is done.", " They come Friday.")
    window.live.check.accept.click()
    assert window.page.view.text() == "The roof is done.\nThey come Friday."
    assert not window.live.check.isVisible()
    stage.settle()
    assert stage.library.transcript(entry.id).segments[0].text == " The roof is done."


def test_the_live_text_is_kept(window: Window, stage: Stage) -> None:
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


def test_no_difference_is_said(window: Window, stage: Stage) -> None:
    entry = recorded(stage)
    window.live.check.start.click()
    check(stage, entry, " The roof is down. They", " come Friday.")
    bar = window.live.check
    assert bar.text.text() == "Checked against the file: not a word would change."
    assert [button.text() for button in bar.buttons if button.isVisible()] == ["Close"]


def test_a_check_can_fail_and_be_cancelled(window: Window, stage: Stage) -> None:
    entry = recorded(stage)
    bar = window.live.check
    bar.start.click()
    stage.say(Failed(f"check:{entry.id}", "there is no such file", "check the name"))
    assert bar.text.text() == "It could not be checked. There is no such file: check the name."
    bar.start.click()
    bar.keep.click()
    assert stage.engine.cancelled == [f"check:{entry.id}"]
    stage.say(Cancelled(f"check:{entry.id}"))
    assert not stage.checks.running


def test_an_older_recording_is_checked_from_its_menu(window: Window, stage: Stage) -> None:
    entry = recorded(stage)
    stage.checks.forget(entry.id)
    actions = {action.text(): action for action in window.files.menu_for(entry.id).actions()}
    actions["Re-check the whole recording"].trigger()
    assert window.live.check.text.text() == "Checking against the file… 0%"


def test_the_differences_are_shown_and_answered(
    window: Window, stage: Stage, monkeypatch: pytest.MonkeyPatch, theme: Theme
) -> None:
    entry = recorded(stage)
    window.live.check.start.click()
    check(stage, entry, " The roof is <done>.", " They come Friday.")
    found = stage.checks.running[entry.id].changes
    dialog = DifferenceDialog(theme, found, "1 word would change", window)
    stage.qtbot.addWidget(dialog)
    assert "The roof is down. <done>." in dialog.text.toPlainText().replace("\n", " ")
    assert "<s " in as_html(found, LIGHT_PALETTE)
    monkeypatch.setattr(check_bar.DifferenceDialog, "exec", lambda self: QDialog.DialogCode.Accepted)
    window.live.check.look.click()
    assert window.page.view.text().startswith("The roof is <done>.")


# Interrupted recordings.


def interrupted(stage: Stage, *lines: Segment, seconds: float = 90.0) -> tuple[Session, Worker, Library]:
    """The next start after a program that was killed while it recorded."""
    path = folders.recordings() / "Recording 2026-05-04 14.02.flac"
    path.parent.mkdir(parents=True, exist_ok=True)
    writer = FlacWriter(path, SAMPLE_RATE)
    writer.write(np.zeros(round(seconds * SAMPLE_RATE), np.int16))
    writer.sync()  # and no close: the header never says how long it is
    entry = stage.library.add_live(str(path))
    stage.library.begin(entry.id, MODELS, 0.0)
    for line in lines:
        stage.library.append(entry.id, line)
    stage.library.close()
    library, keeper = Library(folders.data() / "library"), Worker("library", stage.keeper.post)
    session = Session(stage.engine, library, keeper, stage.preferences.options)
    stage.qtbot.waitUntil(lambda: bool(session.entries))
    return session, keeper, library


def test_an_interrupted_recording_is_offered_with_its_length(stage: Stage, theme: Theme) -> None:
    session, keeper, library = interrupted(stage)
    recovery = Recovery(session, stage.preferences)
    holder = QWidget()
    bar = RecoveryBar(theme, recovery, holder)
    stage.qtbot.waitUntil(lambda: bool(recovery.found))
    (entry,) = recovery.found
    assert entry.seconds == pytest.approx(90.0, abs=0.5)
    assert bar.text.text() == (
        f"A recording of 2 min from {entry.created.astimezone():%H:%M} was interrupted; its audio is safe."
    )
    stage.preferences.speakers = "auto"
    bar.transcribe.click()
    assert not recovery.found
    assert not bar.text.text()
    stage.qtbot.waitUntil(lambda: bool(stage.engine.jobs))
    job, path, options = stage.engine.jobs[-1]
    assert (job, path, options.speakers, options.words) == (entry.id, entry.path, "auto", True), "a file like any other"
    recovery.close()
    keeper.close()
    library.close()


def test_the_lines_of_an_interrupted_recording_stand_and_the_rest_is_written_behind_them(stage: Stage) -> None:
    """Whoever breaks that off too, or lets an engine die in it, has all lines still; then a check is offered."""
    first, second, third = (segment(number) for number in range(3))
    session, keeper, library = interrupted(stage, first, second)
    (entry,) = session.entries.values()
    checks = Checks(session)
    session.load(entry.id)  # the page asks for the text, and has it only later
    session.again(entry.id)
    session.again(entry.id)  # twice
    stage.qtbot.waitUntil(lambda: bool(stage.engine.jobs))
    assert len(stage.engine.jobs) == 1
    written = stage.engine.written[entry.id]
    assert written is not None and written.segments == (first, second)
    session.handle(Started(entry.id, 90.0, MODELS))
    session.handle(SegmentReady(entry.id, third))
    session.handle(Started(entry.id, 90.0, MODELS))  # an engine that died is replaced, and begins behind the two again
    assert entry.segments == [first, second]
    session.handle(SegmentReady(entry.id, third))
    session.handle(Cancelled(entry.id))
    session.again(entry.id)
    stage.qtbot.waitUntil(lambda: len(stage.engine.jobs) == 2)
    written = stage.engine.written[entry.id]
    assert written is not None and written.segments == (first, second, third)
    session.handle(Started(entry.id, 90.0, MODELS))
    assert not checks.is_offered(entry.id)
    session.handle(Finished(entry.id, transcript(first, second, third)))
    assert (entry.state, entry.segments) == (states.DONE, [first, second, third])
    assert checks.is_offered(entry.id), "what the whole file gives is offered, never imposed"
    done: list[None] = []
    keeper.do(lambda: None, done.append)
    stage.qtbot.waitUntil(lambda: bool(done))
    assert library.transcript(entry.id).segments == (first, second, third)
    session.again(entry.id)  # now it is asked for by name: a file like any other
    assert stage.engine.written[entry.id] is None
    keeper.close()
    library.close()


def test_a_library_that_cannot_be_read_costs_no_line(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    session, keeper, library = interrupted(stage, segment(0))
    (entry,) = session.entries.values()

    def broken(key: str) -> None:
        raise LibraryProblem("the disk does not answer", "try again")

    with monkeypatch.context() as patch:
        patch.setattr(library, "again", broken)
        with stage.qtbot.waitSignal(session.trouble):
            session.again(entry.id)
        stage.qtbot.waitUntil(lambda: entry.state == states.INTERRUPTED)
    assert not stage.engine.jobs
    assert library.transcript(entry.id).segments == (segment(0),)
    keeper.close()
    library.close()


def test_who_says_not_now_is_not_asked_again(stage: Stage) -> None:
    session, keeper, library = interrupted(stage)
    recovery = Recovery(session, stage.preferences)
    stage.qtbot.waitUntil(lambda: bool(recovery.found))
    recovery.decline()
    assert not recovery.sentence()
    later = Recovery(session, stage.preferences)
    stage.qtbot.wait(100)
    assert not later.found
    for one in (recovery, later, keeper, library):
        one.close()


def test_one_without_sound_is_not_called_safe(stage: Stage) -> None:
    session, keeper, library = interrupted(stage)
    (entry,) = session.entries.values()
    Path(entry.path).write_bytes(b"")
    recovery = Recovery(session, stage.preferences)
    stage.qtbot.wait(200)
    assert not recovery.found
    for one in (recovery, keeper, library):
        one.close()


def test_several_are_offered_together(stage: Stage) -> None:
    session, keeper, library = interrupted(stage)
    recovery = Recovery(session, stage.preferences)
    stage.qtbot.waitUntil(lambda: bool(recovery.found))
    recovery.found.append(replace(recovery.found[0], id="other"))
    assert recovery.sentence() == "2 recordings were interrupted; their audio is safe."
    for one in (recovery, keeper, library):
        one.close()
