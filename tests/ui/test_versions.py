"""Versions in the window: the menu of the header, the sheet, options under the drop card, and lines that are redone."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QWidget

from desktop_app.app.presentation.wording import percent
from desktop_app.app.recordings.entry import DONE, Entry
from desktop_app.library.versions import Version
from desktop_app.messages.jobs import Finished, Progress
from desktop_app.texts import _, ngettext
from desktop_app.transcript.statistics import Statistics
from desktop_app.ui.recording.difference_dialog import DifferenceDialog
from desktop_app.ui.shell.main_window import MainWindow
from desktop_app.ui.versions import controller
from desktop_app.ui.versions.sheet import TranscribeAgainSheet
from desktop_app.ui.widgets.theme import Theme
from tests.ui.staging import MODELS, Stage, finish, segment, transcript

pytestmark = pytest.mark.qt_log_ignore("does not support propagateSizeHints")  # the offscreen screen


@pytest.fixture
def entry(stage: Stage, window: MainWindow, tmp_path: Path) -> Entry:
    """A text of three lines that is looked at."""
    file = tmp_path / "talk.wav"
    file.write_bytes(b"sound")
    (made,) = stage.drop(file)
    finish(stage, made, 3)
    window.show_entry(made.id)
    stage.settle()
    return made


def items(menu: QMenu) -> dict[str, QMenu | None]:
    return {action.text(): action.menu() for action in menu.actions()}


def answer(monkeypatch: pytest.MonkeyPatch, terms: str) -> None:
    """What the user enters in the sheet."""

    def fill(sheet: TranscribeAgainSheet) -> int:
        sheet.form.controls["hot_words"].line.setText(terms)
        return TranscribeAgainSheet.DialogCode.Accepted

    monkeypatch.setattr(controller.TranscribeAgainSheet, "exec", fill)


def test_two_versions_of_one_minute_are_told_apart(
    window: MainWindow, entry: Entry, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = datetime(2026, 11, 24, 9, 30, 10, tzinfo=UTC)
    versions = [Version(number, made.replace(second=10 + number), "", "en", MODELS) for number in range(2)]
    monkeypatch.setitem(window.versions._versions.known, entry.id, versions)
    first, second = [action.text() for action in window.versions.menu().actions()][:2]
    assert first != second and first.replace(":10", ":11") == second
    monkeypatch.setitem(window.versions._versions.known, entry.id, versions[:1])
    assert ":10" not in window.versions.menu().actions()[0].text()


def test_the_sheet_adds_a_version_and_the_page_is_never_blank(
    window: MainWindow, stage: Stage, entry: Entry, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(monkeypatch, "Galley, proof")
    text = window.page.view.text()
    next(action for action in window.versions.menu().actions() if action.text() == _("Transcribe again…")).trigger()
    assert stage.engine.jobs[-1][2].hot_words == ("Galley", "proof")
    stage.say(Progress(f"check:{entry.id}", 15.0, 60.0, Statistics()))
    assert window.page.view.text() == text != ""
    assert window.live.check.isVisible()
    assert percent(0.25) in window.live.check.text.text()
    stage.say(Finished(f"check:{entry.id}", transcript(segment(0, " New."))))
    stage.settle()
    stage.settle()
    assert window.page.view.text() == "New."
    assert window.versions.button.text() == ngettext("{n} version", "{n} versions", 2)
    (version,) = [
        menu for menu in items(window.versions.menu()).values() if menu and _("Use this version") in items(menu)
    ]
    version.actions()[0].trigger()
    stage.settle()
    stage.settle()
    assert window.page.view.text() == text
    assert (entry.state, window.page.view.is_editable) == (DONE, True)


def test_a_change_is_refused_in_the_dialog_and_all_is_said(
    window: MainWindow, stage: Stage, entry: Entry, theme: Theme
) -> None:
    stage.edits.replace(entry.id, (0, 0), (0, 0), "So,")
    stage.checks.transcribe_version(entry.id)
    lines = [segment(0), segment(1, " This is another line."), segment(2)]
    stage.say(Finished(f"check:{entry.id}", transcript(*lines)))
    stage.settle()
    stage.settle()
    mine = window.page.view.text()
    dialog = DifferenceDialog(theme, stage.checks, entry.id, window)
    stage.qtbot.addWidget(dialog)
    shown = [row for row in dialog.rows if row.isVisibleTo(dialog)]
    assert len(shown) == len(stage.checks.running[entry.id].changes) > 1
    assert shown[0].accept.accessibleName() != shown[1].accept.accessibleName()
    while stage.checks.running[entry.id].changes:
        stage.qtbot.keyClick(dialog.rows[0].refuse, Qt.Key.Key_Space)
    assert dialog.result() == DifferenceDialog.DialogCode.Accepted
    assert window.page.view.text() == mine
    assert window.live.check.text.text() == _("Done.")


def test_the_selected_lines_are_redone(
    window: MainWindow, stage: Stage, entry: Entry, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(monkeypatch, "birds")
    window.page.view.select((1, 2), (2, 0))  # of the last line nothing is selected
    window.all_actions["redo_part"].trigger()
    job, _path, options = stage.engine.jobs[-1]
    assert (options.hot_words, options.speakers) == (("birds",), "off")
    begin, end = stage.engine.parts[job]
    assert (begin, end) == (entry.segments[1].start, entry.segments[1].end)


@pytest.mark.parametrize(
    ("there", "offered"),
    [
        ([("CPU", "A processor")], [_("Automatic"), "CPU"]),
        ([("CPU", "A processor"), ("GPU.0", "One"), ("GPU.1", "Two")], [_("Automatic"), "CPU", "GPU"]),
        ([("CPU", "A processor"), ("NPU", "One")], [_("Automatic"), "CPU", "NPU"]),
    ],
)
def test_only_devices_that_are_there_are_offered(
    window: MainWindow, stage: Stage, there: list[tuple[str, str]], offered: list[str]
) -> None:
    stage.works.devices = there
    window.show_idle()
    window.idle.ask.click()
    assert window.idle.sheet is not None
    form = window.idle.sheet.form
    stage.until(lambda: stage.models.devices is not None)
    choice = form.controls["device"].choice
    assert choice is not None
    assert [each.text() for each in choice.group.buttons() if each.isVisible()] == offered
    form.show_options(replace(stage.preferences.options(), device="gpu"))
    assert form.options().device == ("gpu" if "GPU" in offered else "auto")


def test_options_under_the_drop_card_hold_for_the_files_that_come_next(
    window: MainWindow, stage: Stage, tmp_path: Path
) -> None:
    window.show_idle()
    before = {name: widget.geometry() for name, widget in vars(window.idle).items() if isinstance(widget, QWidget)}
    window.idle.ask.click()
    sheet = window.idle.sheet
    assert sheet is not None and sheet.form.isVisible()
    assert {name: getattr(window.idle, name).geometry() for name in before} == before, "opening it moves nothing"
    form = sheet.form
    form.language_menu().actions()[2].trigger()
    form.controls["task"].choice.group.button(1).click()
    sheet.start.click()
    assert window.idle.reset.isVisible()
    files = [tmp_path / "a.wav", tmp_path / "b.wav"]
    for file in files:
        file.write_bytes(b"sound")
    window.add([str(file) for file in files])
    stage.until(lambda: len(stage.session.entries) == 2)
    asked = [entry.options for entry in stage.session.entries.values()]
    assert all(options and options.task == "translate" and options.language != "auto" for options in asked)
    assert stage.engine.jobs[0][2] in asked
    window.show_idle()
    assert not window.idle.reset.isVisible()
    third = tmp_path / "c.wav"
    third.write_bytes(b"sound")
    window.add([str(third)])
    stage.until(lambda: len(stage.session.entries) == 3)
    assert next(iter(stage.session.entries.values())).options is None, "the settings hold again"


def test_speakers_are_looked_for_from_the_menu_and_that_can_be_cancelled(
    window: MainWindow, stage: Stage, entry: Entry
) -> None:
    finding = items(window.versions.menu())[_("Identify speakers")]
    assert finding is not None
    finding.actions()[0].trigger()
    assert stage.engine.finding[-1][2] == "auto"
    bar = window.versions.speakers
    assert bar.isVisible() and percent(0) in bar.text.text()
    bar.buttons[0].click()
    assert stage.engine.cancelled == [f"speakers:{entry.id}"]
    assert not bar.isVisible()
