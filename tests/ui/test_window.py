"""What the user sees and does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event, current_thread, main_thread

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractSlider, QFileDialog
from pytestqt.qtbot import QtBot

from desktop_app.app.presentation import stages
from desktop_app.app.presentation.problems import sentence
from desktop_app.app.presentation.wording import length, number, percent
from desktop_app.app.recordings.entry import CANCELLED, INTERRUPTED
from desktop_app.app.system import doctor, report
from desktop_app.app.system.doctor import Finding
from desktop_app.messages.jobs import (
    Cancelled,
    Failed,
    Finished,
    Preparing,
    Progress,
    SegmentReady,
    Started,
    Tentative,
    TentativeLine,
)
from desktop_app.problems import Problem
from desktop_app.texts import _, ngettext
from desktop_app.transcript.statistics import Statistics
from desktop_app.ui.shell import main_window as window_module
from desktop_app.ui.shell.main_window import MainWindow
from tests.event_loop import drain
from tests.ui.staging import MODELS, Stage, drag, drop, fill_disk, finish, segment, transcript
from tests.waiting import LONGEST

Make = Callable[[str], Path]


def test_a_drop_starts_at_once_and_another_adds_to_the_queue(
    window: MainWindow, stage: Stage, recording: Make, qtbot: QtBot
) -> None:
    assert window.stack.currentWidget() is window.idle
    drop(window, drag(window, recording("one.wav"), recording("two.wav")))
    qtbot.waitUntil(lambda: len(stage.session.entries) == 2)
    assert window.stack.currentWidget() is window.page
    assert window.page.header.title.text() == "one.wav"
    stage.say(Preparing(window.current.key, "loading", {"name": "Large"}))
    drop(window, drag(window, recording("three.wav")))
    qtbot.waitUntil(lambda: len(stage.session.entries) == 3)
    assert window.page.header.title.text() == "one.wav"  # the page stays where the user is
    assert window.page.strip.queue.text() == ngettext("{n} more queued", "{n} more queued", 2)
    assert window.page.strip.words.text() == stages.describe("loading", name="Large")


def test_a_report_is_saved_beside_the_window(
    window: MainWindow, stage: Stage, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it takes to look at everything is not taken from the window, and a full disk is told."""
    place, went_on = tmp_path / "report.zip", Event()

    def slow() -> Iterator[Finding]:
        assert went_on.wait(LONGEST) and current_thread() is not main_thread()
        yield Finding("ok", "It was looked at.")

    monkeypatch.setattr(doctor, "CHECKS", (slow,))
    monkeypatch.setattr(report, "made", lambda findings: findings[0].what.encode())
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda parent, title, name, pattern: (str(place), pattern))
    window.show_settings()
    window.settings.report.click()
    assert window.toast.text() == _("Preparing the report…")
    went_on.set()
    saved = _("Saved as {name}. Nothing was sent; read it before you share it.", name="report.zip")
    qtbot.waitUntil(lambda: window.toast.text() == saved)
    assert place.read_bytes() == b"It was looked at."
    place = tmp_path / "missing" / "report.zip"
    window.settings.report.click()
    problem = Problem("disk.not_saved", name=str(place), error="No such file or directory")
    qtbot.waitUntil(lambda: window.trouble.text.text() == sentence(problem))


def test_a_drag_is_seen_wherever_it_is(window: MainWindow, stage: Stage, recording: Make) -> None:
    path = recording("one.wav")
    data = drag(window, path)
    assert window.idle.card._dragged
    drop(window, data)
    assert not window.idle.card._dragged
    stage.qtbot.waitUntil(lambda: bool(stage.session.entries))
    data = drag(window, path)
    assert window.veil.isVisible()
    drop(window, data)
    assert not window.veil.isVisible()


def test_draft_words_are_grey_and_the_notice_stands_above(window: MainWindow, stage: Stage, recording: Make) -> None:
    (entry,) = stage.drop(recording("one.wav"))
    stage.say(Started(entry.id, 60.0, MODELS))
    stage.say(Tentative(entry.id, (TentativeLine(0.0, " The roof is", " done"),)))
    view = window.page.view
    assert view.flow.lines[0].verified == len("The roof is")
    assert window.page.notice.isVisible()
    assert window.page.notice.text.text() == sentence(*MODELS.notices)
    image = view.viewport().grab().toImage()
    draft = window.page.view._theme.palette.draft
    colors = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(60)}
    assert draft in colors


def test_the_end_is_followed_until_the_user_scrolls_up(window: MainWindow, stage: Stage, recording: Make) -> None:
    (entry,) = stage.drop(recording("one.wav"))
    stage.say(Started(entry.id, 600.0, MODELS), *(SegmentReady(entry.id, segment(n)) for n in range(60)))
    view, bar = window.page.view, window.page.view.verticalScrollBar()
    stage.qtbot.waitUntil(lambda: bar.maximum() > 0 and bar.value() == bar.maximum())
    assert not view.follower.pill.isVisible()
    bar.triggerAction(QAbstractSlider.SliderAction.SliderPageStepSub)
    assert view.follower.pill.isVisible()
    place = bar.value()
    stage.say(*(SegmentReady(entry.id, segment(n)) for n in range(60, 80)))
    assert bar.value() == place
    view.follower.pill.click()
    stage.qtbot.waitUntil(lambda: bar.value() == bar.maximum())
    stage.say(*(SegmentReady(entry.id, segment(n)) for n in range(80, 90)))
    stage.qtbot.waitUntil(lambda: bar.value() == bar.maximum())
    assert not view.follower.pill.isVisible()


def test_a_text_that_is_followed_stays_where_it_is_when_it_is_done(
    window: MainWindow, stage: Stage, recording: Make
) -> None:
    (entry,) = stage.drop(recording("one.wav"))
    lines = [segment(n) for n in range(60)]
    stage.say(Started(entry.id, 600.0, MODELS), *(SegmentReady(entry.id, line) for line in lines))
    view, bar = window.page.view, window.page.view.verticalScrollBar()
    stage.qtbot.waitUntil(lambda: bar.maximum() > 0 and bar.value() == bar.maximum())
    stage.say(Finished(entry.id, transcript(*lines)))
    stage.settle()
    drain()
    last = view.flow.top_of(59)
    assert bar.value() <= last < bar.value() + view.viewport().height(), "the last line is still in sight"


def test_a_movement_to_the_end_goes_on_when_the_text_is_measured_meanwhile(
    window: MainWindow, stage: Stage, recording: Make
) -> None:
    """Lines below are guessed until they are measured; the last measurement may come before the movement has ended."""
    (entry,) = stage.drop(recording("one.wav"))
    stage.say(Started(entry.id, 600.0, MODELS), *(SegmentReady(entry.id, segment(n)) for n in range(60)))
    view, bar = window.page.view, window.page.view.verticalScrollBar()
    stage.qtbot.waitUntil(lambda: bar.maximum() > 0 and bar.value() == bar.maximum())
    bar.triggerAction(QAbstractSlider.SliderAction.SliderPageStepSub)
    view.follower.pill.click()
    assert bar.value() < bar.maximum()
    view.follower.set_range(bar.maximum() + view.viewport().height() + 90)
    view.follower.keep_end()
    assert bar.value() < bar.maximum(), "no leap"
    stage.qtbot.waitUntil(lambda: bar.value() == bar.maximum())


def test_the_page_never_gets_shorter_while_it_is_written(window: MainWindow, stage: Stage, recording: Make) -> None:
    (entry,) = stage.drop(recording("one.wav"))
    stage.say(Started(entry.id, 600.0, MODELS), *(SegmentReady(entry.id, segment(n)) for n in range(40)))
    bar = window.page.view.verticalScrollBar()
    stage.say(Tentative(entry.id, (TentativeLine(80.0, " Now", " a long draft" * 40),)))
    stage.qtbot.waitUntil(lambda: bar.value() == bar.maximum())
    before = bar.value()
    stage.say(Tentative(entry.id, (TentativeLine(80.0, " Now this.", ""),)))
    assert bar.value() == before


def test_the_panel_shows_the_figures_in_plain_words(window: MainWindow, stage: Stage, recording: Make) -> None:
    (entry,) = stage.drop(recording("one.wav"))
    stage.say(Started(entry.id, 60.0, MODELS))
    stats = Statistics(
        audio_seconds=30.0, wall_seconds=6.0, encode_seconds=1.0, draft_seconds=1.0, verify_seconds=2.0,
        tokens=120, target_passes=50, compared=100, drafted=110, accepted=83, near_ties=2,
    )  # fmt: skip
    stage.say(Progress(entry.id, 30.0, 60.0, stats))
    shown = {name: label.text() for name, label in window.panel.values.items()}
    assert shown == {
        "acceptance": percent(0.83), "per_pass": number(2.4, 1), "took": length(6), "real_time": number(5, 1),
        "encoder": percent(0.25), "drafting": percent(0.25), "target": percent(0.5),
        "target_model": "Large", "draft_model": "Small", "device": "CPU", "precision": "f32",
        "near_ties": "2",
    }  # fmt: skip
    assert window.panel.meter.value == pytest.approx(0.83)
    assert sum(share for _, share in window.panel.bar.shares) == pytest.approx(1)
    for label in window.panel.values.values():
        assert len(label.toolTip().split()) > 2
        assert label.text() in label.accessibleName()


def test_an_older_recording_has_its_width_before_its_text(window: MainWindow, stage: Stage, recording: Make) -> None:
    window.all_actions["speed"].trigger()
    (entry,) = stage.drop(recording("one.wav"))
    stats = Statistics(audio_seconds=60, wall_seconds=6, tokens=60, target_passes=20)
    whole = replace(transcript(segment(0)), stats=stats)
    stage.say(Started(entry.id, 60.0, MODELS), SegmentReady(entry.id, segment(0)), Finished(entry.id, whole))
    stage.settle()
    window.show_idle()
    assert not window.panel.isVisible()
    entry.loaded, entry.models, entry.stats, entry.segments = False, None, Statistics(), []  # as at the next start
    window.show_entry(entry.id)
    assert window.panel.isVisible()  # no text was laid out for a wider page
    assert not entry.segments
    stage.qtbot.waitUntil(lambda: bool(entry.segments))
    assert window.panel.isVisible()
    assert window.panel.values["real_time"].text() == "10"


def test_without_a_draft_the_panel_says_so(window: MainWindow, stage: Stage, recording: Make) -> None:
    (entry,) = stage.drop(recording("one.wav"))
    alone = type(MODELS)("Large", "", "off", "CPU", "f32")
    stage.say(Started(entry.id, 60.0, alone), Progress(entry.id, 30.0, 60.0, Statistics(tokens=9, target_passes=10)))
    assert window.panel.values["draft_model"].text() == _("None")
    assert window.panel.values["acceptance"].text() == "–"
    assert not window.page.notice.isVisible()


def test_the_panel_says_that_the_draft_was_left_out_and_why(window: MainWindow, stage: Stage, recording: Make) -> None:
    (entry,) = stage.drop(recording("one.wav"))
    stats = Statistics(tokens=100, target_passes=90, left_out=60, left_out_speed=48.0)
    stage.say(Started(entry.id, 60.0, MODELS), Progress(entry.id, 30.0, 60.0, stats))
    said = window.panel.values["draft_model"].text()
    why = "{draft}; disabled for {share} of the text, where it would have reduced the speed to {speed}"
    assert said == _(why, draft="Small", share=percent(0.6), speed=percent(0.8))


def test_a_failed_save_is_said_and_leaves_the_old_file(
    window: MainWindow, stage: Stage, recording: Make, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (entry,) = stage.drop(recording("one.wav"))
    finish(stage, entry)
    place = tmp_path / "kept.txt"
    place.write_text("before")
    fill_disk(tmp_path, monkeypatch)
    window.exports.write(entry, "txt", place)
    qtbot.waitUntil(window.trouble.isVisible)
    assert place.read_text() == "before"
    assert not list(tmp_path.glob(".*part"))
    problem = Problem("disk.not_saved", name="kept.txt", error="No space left on device")
    assert window.trouble.text.text() == sentence(problem)
    window.trouble.buttons[0].click()
    assert not window.trouble.isVisible()


def test_saving_into_a_folder_that_is_gone_is_said(
    window: MainWindow, stage: Stage, recording: Make, tmp_path: Path, qtbot: QtBot
) -> None:
    (entry,) = stage.drop(recording("one.wav"))
    finish(stage, entry)
    window.exports.write(entry, "srt", tmp_path / "gone" / "one.srt")
    qtbot.waitUntil(window.trouble.isVisible)


def test_the_text_can_be_selected_and_copied(window: MainWindow, stage: Stage, recording: Make, qtbot: QtBot) -> None:
    (entry,) = stage.drop(recording("one.wav"))
    finish(stage, entry)
    view = window.page.view
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == " ".join(segment(n).text.strip() for n in range(3))
    left, top = view.column()[0], 16 + 13
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(left, top))
    qtbot.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier)
    assert view.selection.text().strip() == "This"
    qtbot.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(left + 4, top))
    assert view.selection.text() == "This"
    qtbot.keyClick(view, Qt.Key.Key_Down)
    assert view.selection.caret[0] == 2, "all three stand in one row"
    assert view.accessibleDescription() == "0:04: This is sentence number 2."
    window.page.header.copy.click()
    assert QGuiApplication.clipboard().text().count("\n") == 2


def test_the_text_has_a_menu(window: MainWindow, stage: Stage, recording: Make) -> None:
    (entry,) = stage.drop(recording("one.wav"))
    finish(stage, entry)
    view = window.page.view
    _cut, copy, _paste, select_all, *_others = view.menu().actions()
    assert not copy.isEnabled()
    select_all.trigger()
    view.menu().actions()[1].trigger()
    assert QGuiApplication.clipboard().text().split() == view.text().split()


def test_finding_marks_counts_and_goes_on(window: MainWindow, stage: Stage, recording: Make, qtbot: QtBot) -> None:
    (entry,) = stage.drop(recording("one.wav"))
    finish(stage, entry, 40)
    qtbot.keyClick(window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    bar = window.page.find_bar
    assert bar.isVisible()
    qtbot.keyClicks(bar.field, "NUMBER 3")
    assert bar.count.text() == _("{number} of {count}", number=1, count=11)
    qtbot.keyClick(bar.field, Qt.Key.Key_Return)
    assert bar.count.text() == _("{number} of {count}", number=2, count=11)
    qtbot.keyClick(bar.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClick(bar.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert bar.count.text() == _("{number} of {count}", number=11, count=11)
    hit = window.page.view.finder.hit
    assert hit is not None
    y = window.page.view.flow.top_of(hit[0]) - window.page.view.verticalScrollBar().value()
    assert 0 <= y <= window.page.view.viewport().height()
    qtbot.keyClicks(bar.field, "xyz")
    assert bar.count.text() == _("Not found")
    qtbot.keyClick(bar.field, Qt.Key.Key_Escape)
    assert not bar.isVisible()
    assert not window.page.view.finder.hits


def test_a_failure_is_shown_in_its_page_and_in_the_list(window: MainWindow, stage: Stage, recording: Make) -> None:
    (entry,) = stage.drop(recording("notes.wav"))
    stage.say(Failed(entry.id, Problem("file.not_media")))
    assert window.page.problem.isVisible()
    assert window.page.problem.text.text() == sentence(Problem("file.not_media"))
    assert not window.page.choose_model.isVisible()
    index = window.sidebar.model.row_of(entry.id)
    spoken = index.data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == f"notes.wav, {_('Failed')}"
    window.page.try_again.click()
    assert stage.session.in_work == [entry]
    assert not window.page.problem.isVisible()


def test_a_model_that_cannot_be_used_offers_another_one(window: MainWindow, stage: Stage, recording: Make) -> None:
    (entry,) = stage.drop(recording("one.wav"))
    stage.say(Failed(entry.id, Problem("model.tokenizer")))
    assert window.page.choose_model.isVisible()


def test_a_file_that_failed_for_its_device_is_transcribed_on_the_cpu(
    window: MainWindow, stage: Stage, recording: Make
) -> None:
    entry, other = stage.drop(recording("one.wav"), recording("two.wav"))
    window.show_entry(entry.id)
    entry.resumable = True  # a window was already transcribed, on the other device
    stage.say(Failed(entry.id, Problem("model.device_failed", device="GPU", error="lost")))
    assert window.page.use_cpu.isVisible()
    window.page.use_cpu.click()
    stage.settle()
    assert not window.page.problem.isVisible()
    stage.say(Failed(other.id, Problem("file.not_media")))
    window.show_entry(other.id)
    assert window.page.try_again.isVisible() and not window.page.use_cpu.isVisible()
    job, _path, options = stage.engine.jobs[-1]
    assert (job, options.device) == (entry.id, "cpu"), "not the GPU, and not behind its lines"
    stage.say(Failed(entry.id, Problem("model.device_failed", device="CPU", error="lost")))
    window.show_entry(entry.id)
    assert not window.page.use_cpu.isVisible()


def test_the_end_of_the_engine_is_one_sentence_and_the_window_lives(
    window: MainWindow, stage: Stage, recording: Make
) -> None:
    entry, other = stage.drop(recording("one.wav"), recording("two.wav"))
    stage.say(Started(entry.id, 60.0, MODELS), SegmentReady(entry.id, segment(0)))
    stage.say(Failed(entry.id, Problem("engine.killed")))
    assert window.page.problem.text.text() == sentence(Problem("engine.killed"))
    assert window.page.view.text() == segment(0).text.strip()  # what was written stands
    finish(stage, other)
    window.show_entry(other.id)
    assert window.page.view.text().count("\n") == 2


def test_a_key_stops_and_the_partial_text_can_be_saved(
    window: MainWindow, stage: Stage, recording: Make, qtbot: QtBot
) -> None:
    (entry,) = stage.drop(recording("one.wav"))
    stage.say(Started(entry.id, 60.0, MODELS), SegmentReady(entry.id, segment(0)))
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert not stage.engine.cancelled  # hours of work are not lost by the key that closes things
    qtbot.keyClick(window, Qt.Key.Key_Period, Qt.KeyboardModifier.ControlModifier)
    assert stage.engine.cancelled == [entry.id]
    stage.say(Cancelled(entry.id))
    assert window.page.broken_off.isVisible()
    assert _("Stopped at {time} of {length}.", time="0:02", length="1:00") in window.page.broken_off.text.text()
    assert window.page.header.save.isEnabled()


def test_a_file_that_only_waited_says_so(window: MainWindow, stage: Stage, recording: Make) -> None:
    one, two = stage.drop(recording("one.wav"), recording("two.wav"))
    stage.say(Started(one.id, 60.0, MODELS))
    stage.session.cancel(two.id)
    stage.say(Cancelled(one.id))
    window.show_entry(two.id)
    banner = window.page.broken_off
    assert banner.text.text() == _("Cancelled before it began.")
    assert window.page.once_more.text() == _("Transcribe")
    assert two.summary().endswith(_("Not transcribed"))
    window.show_entry(one.id)
    assert banner.text.text() == _("Stopped before the end.")
    assert one.summary().endswith(_("Stopped"))
    two.state = INTERRUPTED
    window.show_entry(two.id)
    assert banner.text.text() == _("Galley was closed before it began.")


def test_what_is_deleted_can_be_brought_back_by_a_key(
    window: MainWindow, stage: Stage, recording: Make, qtbot: QtBot
) -> None:
    """Nothing is asked, because nothing is lost."""
    (entry,) = stage.drop(recording("one.wav"))
    finish(stage, entry)
    window.sidebar.list.setFocus()
    qtbot.keyClick(window.sidebar.list, Qt.Key.Key_Delete)
    assert entry.id not in stage.session.entries and window.sidebar.undo.isVisible()
    assert window.stack.currentWidget() is window.idle
    stage.settle()
    assert stage.library.recordings() == [] and stage.library.recording(entry.id) is not None
    qtbot.keyClick(window.sidebar.list, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert stage.session.entries[entry.id] is entry and not window.sidebar.undo.isVisible()
    stage.settle()
    assert [one.id for one in stage.library.recordings()] == [entry.id]
    window.show_entry(entry.id)
    assert window.page.view.text().count("\n") == 2


def test_when_the_offer_to_undo_has_gone_text_and_sound_are_removed(window: MainWindow, stage: Stage) -> None:
    entry = stage.record()
    stage.stop()
    stage.say(Finished(entry.id, transcript(segment(0))))
    sound = Path(entry.path)
    sound.parent.mkdir(parents=True, exist_ok=True)
    sound.touch()
    window.files.delete([entry.id])
    stage.settle()
    assert sound.exists()
    window.sidebar.undo.dismiss.click()
    stage.settle()
    assert stage.library.recording(entry.id) is None and not sound.exists()
    assert not window.sidebar.undo.isVisible()


def test_the_list_has_the_queue_above_and_the_newest_first(window: MainWindow, stage: Stage, recording: Make) -> None:
    one, _two, three = stage.drop(recording("one.wav"), recording("two.wav"), recording("three.wav"))
    finish(stage, one)
    model = window.sidebar.model
    rows = [model.index(row).data() for row in range(model.rowCount())]
    assert rows == [_("In progress"), "two.wav", "three.wav", _("Today"), "one.wav"]
    window.sidebar.cancel_asked.emit(three.id)
    assert three.state == CANCELLED and not stage.engine.cancelled, "the engine has not begun with it"
    window.sidebar.search.setText("tw")
    stage.qtbot.waitUntil(lambda: model.rowCount() == 2)
    assert model.index(1).data() == "two.wav"


def test_closing_in_the_middle_asks_and_keeps(
    window: MainWindow, stage: Stage, recording: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    (entry,) = stage.drop(recording("one.wav"))
    asked: list[str] = []
    monkeypatch.setattr(window_module, "confirm", lambda parent, question, *_: asked.append(question))
    assert not window.close()
    assert window.isVisible()
    assert asked == [ngettext("A recording is not finished", "{n} recordings are not finished", 1)]
    finish(stage, entry)
    with stage.qtbot.waitSignal(window.closed):
        window.close()


@pytest.mark.parametrize("is_open", [False, True])
def test_the_column_stays_where_it_is_on_pages_without_figures(
    window: MainWindow, stage: Stage, recording: Make, qtbot: QtBot, is_open: bool
) -> None:
    window.resize(1280, 800)
    done, failed, waiting = stage.drop(*(recording(f"{name}.wav") for name in ("one", "two", "three")))
    finish(stage, done)
    stage.say(Started(failed.id, 60.0, MODELS), Failed(failed.id, Problem("file.not_media")))
    if is_open:
        window.all_actions["speed"].trigger()
    columns = set()
    for entry in (done, failed, waiting):
        window.show_entry(entry.id)
        drain()
        columns.add(window.page.view.mapTo(window, QPoint(window.page.view.column()[0], 0)).x())
        assert window.panel.isVisible() == is_open
    assert len(columns) == 1
