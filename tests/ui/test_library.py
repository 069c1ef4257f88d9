"""The list of recordings is a library: found to the word, named, tagged, sorted by day, deleted and brought back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QModelIndex, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QContextMenuEvent, QDragEnterEvent, QDragMoveEvent
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QLineEdit, QMenu
from pytestqt.qtbot import QtBot

from desktop_app.app.presentation import dates, wording
from desktop_app.app.recordings.entry import DONE, WAITING, Entry
from desktop_app.app.recordings.session import Session
from desktop_app.messages.jobs import Failed, Finished, Started
from desktop_app.problems import Problem
from desktop_app.texts import _, ngettext
from desktop_app.ui.shell import details
from desktop_app.ui.shell.details import Details, tags_in
from desktop_app.ui.shell.main_window import MainWindow
from desktop_app.ui.shell.recording_model import RecordingModel, SnippetRole, SummaryRole
from desktop_app.ui.shell.recording_row import RecordingRow, from_a_word
from tests.calls import calls
from tests.event_loop import drain
from tests.ui.staging import MODELS, Stage, finish, segment, transcript

Make = Callable[[str], Path]
_HELD = (Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)


def written(stage: Stage, path: Path, *lines: str) -> Entry:
    """A recording whose text has these lines."""
    (entry,) = stage.drop(path)
    parts = [segment(number, f" {line}") for number, line in enumerate(lines)]
    stage.say(Started(entry.id, 60.0, MODELS), Finished(entry.id, transcript(*parts)))
    stage.settle()
    return entry


def listed(window: MainWindow) -> list[str]:
    model = window.sidebar.model
    return [model.index(row).data() for row in range(model.rowCount())]


def test_headings_are_days_and_months() -> None:
    today = date(2026, 11, 26)  # a Thursday
    days = (date(2026, 11, day) for day in (27, 26, 25, 24, 23, 22, 1))
    assert [dates.group(day, today) for day in days] == [
        *(_("Today"), _("Today"), _("Yesterday"), _("This week"), _("This week"), _("November"), _("November"))
    ]
    assert dates.group(date(2026, 2, 3), today) == _("February")
    year = _("{month} {year}", month=_("November"), year=2025)
    assert dates.group(date(2025, 11, 26), today) == year


def test_recordings_stand_under_their_days(window: MainWindow, stage: Stage, recording: Make) -> None:
    old, new = stage.drop(recording("old.wav"), recording("new.wav"))
    for entry in (old, new):
        finish(stage, entry)
    assert listed(window) == [_("Today"), "new.wav", "old.wav"]
    old.created = datetime(2024, 3, 5, 12, tzinfo=UTC)
    del old.local
    stage.session.reloaded.emit()
    assert listed(window) == [_("Today"), "new.wav", _("{month} {year}", month=_("March"), year=2024), "old.wav"]
    time_ = f"{new.created.astimezone():%H:%M}"
    assert new.summary().startswith(_("Today {time}", time=time_)), "from the first moment on"


def test_a_hit_shows_its_line_and_opens_at_the_word(
    window: MainWindow, stage: Stage, recording: Make, qtbot: QtBot
) -> None:
    """Over all recordings, in any case, with or without accents; each hit of the text is marked."""
    written(stage, recording("one.wav"), "Nothing here")
    lines = [f"Line number {number}" for number in range(80)]
    entry = written(stage, recording("two.wav"), *lines, "We met in the Café again", "and left the café")
    window.show_idle()
    window.sidebar.search.setText("cafe")
    model = window.sidebar.model
    qtbot.waitUntil(lambda: listed(window) == [_("Today"), "two.wav"])
    index = model.row_of(entry.id)
    qtbot.waitUntil(lambda: index.data(SnippetRole) is not None)
    assert index.data(SnippetRole).found == "Café"
    assert "We met in the Café again" in index.data(Qt.ItemDataRole.AccessibleTextRole)
    qtbot.mouseClick(
        window.sidebar.list.viewport(), Qt.MouseButton.LeftButton, pos=window.sidebar.list.visualRect(index).center()
    )
    view = window.page.view
    qtbot.waitUntil(lambda: view.finder.hit is not None)
    paragraph, begin, end = view.finder.hit or (0, 0, 0)
    assert view.flow.lines[paragraph].text[begin:end] == "Café" and len(view.finder.hits) == 2
    y = view.flow.top_of(paragraph) - view.verticalScrollBar().value()
    assert 0 <= y <= view.viewport().height()
    assert window.page.find_bar.isVisible() and not window.page.find_bar.field.hasFocus()


def test_what_is_in_work_and_what_is_dropped_stands_above_the_results(
    window: MainWindow, stage: Stage, recording: Make, qtbot: QtBot
) -> None:
    written(stage, recording("one.wav"), "Nothing here")
    written(stage, recording("two.wav"), "We met in the Café")
    (queued,) = stage.drop(recording("queued.wav"))
    window.show_idle()
    window.sidebar.search.setText("cafe")
    found = [_("In progress"), "queued.wav", _("Today"), "two.wav"]
    qtbot.waitUntil(lambda: listed(window) == found)
    assert window.sidebar.search_for(queued.id) == "", "it was not found by these words"
    window.sidebar.search.setFocus()
    qtbot.keyClick(window.sidebar.search, Qt.Key.Key_Down)
    assert window.page.header.title.text() == "two.wav", "the first result, behind what is in work"
    (dropped,) = stage.drop(recording("dropped.wav"))
    assert listed(window) == [_("In progress"), "queued.wav", "dropped.wav", _("Today"), "two.wav"]
    finish(stage, dropped)
    assert listed(window) == [_("In progress"), "queued.wav", _("Today"), "dropped.wav", "two.wav"]
    window.sidebar.search.setText("nowhere")
    qtbot.waitUntil(window.sidebar._nothing.isVisible)
    window.sidebar.search.clear()
    qtbot.waitUntil(lambda: len(listed(window)) == 6)


def test_a_live_recording_is_found_by_the_name_that_it_has_in_the_list(
    window: MainWindow, stage: Stage, recording: Make, qtbot: QtBot
) -> None:
    written(stage, recording("one.wav"), "Nothing here")
    entry = stage.record()
    stage.stop()
    stage.say(Finished(entry.id, transcript(segment(0))))
    stage.settle()
    for wanted in (entry.name, entry.name.split()[-1], entry.name.split()[0].lower()):
        window.sidebar.search.setText(wanted)
        qtbot.waitUntil(lambda wanted=wanted: window.sidebar.model.wanted == wanted)
        assert listed(window) == [_("Today"), entry.name], wanted


def test_the_list_shows_the_recording_that_is_looked_at(window: MainWindow, stage: Stage, recording: Make) -> None:
    entries = stage.drop(*(recording(f"{number}.wav") for number in range(60)))
    for each in entries:
        finish(stage, each)
    rows, view = window.sidebar.list, window.sidebar.list.viewport().rect()
    for each in (entries[0], entries[-1], entries[30]):
        window.show_entry(each.id)
        assert view.contains(rows.visualRect(window.sidebar.model.row_of(each.id))), each.name


def test_a_title_is_given_in_the_row_and_taken_back(
    window: MainWindow, stage: Stage, recording: Make, qtbot: QtBot
) -> None:
    entry = written(stage, recording("one.wav"), "Words")
    rows = window.sidebar.list
    rows.setFocus()
    qtbot.keyClick(rows, Qt.Key.Key_F2)
    editor = rows.findChild(QLineEdit)
    assert editor is not None and editor.text() == "one.wav" and editor.accessibleName() == _("Title")
    stage.drop(recording("while it is edited.wav"))
    assert editor.isVisible(), "what comes meanwhile does not end it"
    editor.setText("  Board   meeting ")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not window.sidebar.model._held)
    window.show_entry(entry.id)
    assert entry.name == "Board meeting" and window.page.header.title.text() == "Board meeting"
    assert _("In progress") in listed(window)
    stage.session.describe(entry.id, title="Board of trustees")
    assert window.windowTitle().startswith("Board of trustees")
    stage.session.describe(entry.id, title="Board meeting")
    later = stage.restart()
    assert later.session.entries[entry.id].name == "Board meeting"
    stage.session.describe(entry.id, title="")
    assert entry.name == "one.wav" and Path(entry.path).exists()


def test_details_keep_title_tags_and_notes(
    window: MainWindow, stage: Stage, recording: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = written(stage, recording("one.wav"), "Words")

    def fill(dialog: Details) -> int:
        assert dialog.title is not None and dialog.notes is not None
        assert dialog.title.text() == "one.wav" and not dialog.tags.text()
        dialog.title.setText("Talk")
        dialog.tags.setText("work, #berlin,, work")
        dialog.notes.setPlainText("Call back.\n")
        dialog.save.click()
        return dialog.result()

    monkeypatch.setattr(details.Details, "exec", fill)
    window.all_actions["details"].trigger()
    assert (entry.title, entry.tags, entry.notes) == ("Talk", ("work", "berlin"), "Call back.")
    assert "#work" in entry.summary()
    stage.settle()
    for wanted in ("#berl", "talk", "call BACK", "one.wav"):
        assert stage.library.search(wanted) == {entry.id}, wanted
    monkeypatch.setattr(details.Details, "exec", lambda dialog: dialog.reject() or QDialog.DialogCode.Rejected)
    window.all_actions["details"].trigger()
    assert entry.title == "Talk"


def test_details_tell_of_file_and_models(window: MainWindow, stage: Stage, recording: Make) -> None:
    """Which file it is, how large, and what wrote the text: without a look into folders."""
    entry = written(stage, recording("one.wav"), "Words")
    dialog = Details(window, stage.session, [entry])
    assert dialog.path.text() == entry.path
    assert entry.models is not None and dialog.models.text() == wording.models_in_use(entry.models)
    bytes_ = Path(entry.path).stat().st_size
    stage.until(lambda: dialog.file_size.text().startswith(wording.size(bytes_)))
    assert dialog.file_size.text().endswith(wording.length(entry.seconds))
    dialog.reject()


def test_tags_are_words_between_commas() -> None:
    assert tags_in(" a ,, b  c,a #d") == ("a", "b c", "d")


def test_several_are_tagged_and_deleted_together(
    window: MainWindow, stage: Stage, recording: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two, three = (written(stage, recording(f"{name}.wav"), name) for name in ("one", "two", "three"))
    stage.session.describe(one.id, tags=("old", "x"))
    stage.session.describe(two.id, tags=("x",))
    rows = window.sidebar.list
    window.show_entry(two.id)
    rows.setFocus()
    qtbot.keyClick(rows, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert window.sidebar.selected() == [two.id, one.id] and window.current.key == two.id

    def fill(dialog: Details) -> int:
        assert (dialog.title, dialog.notes, dialog.tags.text()) == (None, None, "x")
        dialog.tags.setText("y")
        dialog.save.click()
        return dialog.result()

    monkeypatch.setattr(details.Details, "exec", fill)
    menu = window.files.menu_for(*window.sidebar.selected())
    menu.actions()[0].trigger()
    assert (one.tags, two.tags, three.tags) == (("old", "y"), ("y",), ())
    qtbot.keyClick(rows, Qt.Key.Key_Delete)
    assert list(stage.session.entries) == [three.id]
    assert ngettext("{n} recording deleted", "{n} recordings deleted", 2) in window.sidebar.undo.undo.accessibleName()
    window.sidebar.undo.undo.click()
    assert list(stage.session.entries) == [three.id, two.id, one.id]


def test_a_file_of_a_paused_queue_says_so_on_its_page(window: MainWindow, stage: Stage, recording: Make) -> None:
    _one, two = stage.drop(recording("one.wav"), recording("two.wav"))
    window.show_entry(two.id)
    assert window.page._empty.text() == _("Waiting in the queue")
    stage.session.queue.pause()
    assert window.page._empty.text() == _("The queue is paused")
    stage.session.queue.resume()
    assert window.page._empty.text() == _("Waiting in the queue")


@pytest.mark.parametrize(
    ("elided", "shown"),
    [("the rain", "the rain"), ("…he rain in", "… rain in"), ("…ontinuous", "…"), ("", "")],
)
def test_what_stands_before_a_hit_begins_with_a_word(elided: str, shown: str) -> None:
    assert from_a_word(elided) == shown


def test_the_menu_comes_by_keys_too(window: MainWindow, stage: Stage, recording: Make, qtbot: QtBot) -> None:
    entry = written(stage, recording("one.wav"), "Words")
    rows = window.sidebar.list
    rows.setFocus()
    asked: list[tuple[list[str], QPoint]] = []
    window.sidebar.menu_asked.disconnect()
    window.sidebar.menu_asked.connect(lambda keys, place: asked.append((keys, place)))
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(3, 3), rows.mapToGlobal(QPoint(3, 3)))
    QApplication.sendEvent(rows.viewport(), event)
    ((keys, place),) = asked
    assert keys == [entry.id]
    row = rows.visualRect(window.sidebar.model.row_of(entry.id))
    assert row.contains(rows.viewport().mapFromGlobal(place))


def test_the_queue_is_paused_and_put_into_order_from_the_list(
    window: MainWindow, stage: Stage, recording: Make, qtbot: QtBot
) -> None:
    _one, _two, three = stage.drop(*(recording(f"{name}.wav") for name in ("one", "two", "three")))
    bar, rows = window.sidebar.queue, window.sidebar.list
    assert bar.isVisible()
    window.show_entry(three.id)
    rows.setFocus()
    qtbot.keyClick(rows, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert listed(window) == [_("In progress"), "one.wav", "three.wav", "two.wav"]
    assert window.sidebar.selected() == [three.id], "the row that moves stays selected"
    texts = [action.text() for action in window.files.menu_for(three.id).actions() if action.isEnabled()]
    assert any(text.startswith(_("Move down")) for text in texts)
    assert not any(text.startswith(_("Move up")) for text in texts)
    bar.pause.click()
    assert stage.session.queue.paused and bar.resume.isVisible() and not bar.pause.isVisible()
    bar.resume.click()
    assert not stage.session.queue.paused
    bar.cancel.click()
    assert "two.wav" in listed(window)[2:]


def test_a_file_that_waits_is_dragged_to_another_place(window: MainWindow, stage: Stage, recording: Make) -> None:
    old = written(stage, recording("old.wav"), "Words")
    _one, two, three, four = stage.drop(*(recording(f"{name}.wav") for name in ("one", "two", "three", "four")))
    model, queue = window.sidebar.model, stage.session.queue

    def drop(entry: Entry, row: int) -> bool:
        data = model.mimeData([model.row_of(entry.id)])
        nowhere = QModelIndex()
        if not model.canDropMimeData(data, Qt.DropAction.MoveAction, row, 0, nowhere):
            return False
        return model.dropMimeData(data, Qt.DropAction.MoveAction, row, 0, nowhere)

    assert listed(window)[:5] == [_("In progress"), "one.wav", "two.wav", "three.wav", "four.wav"]
    assert drop(four, 2) and queue.waiting == [four, two, three]
    assert drop(four, 5) and queue.waiting == [two, three, four]
    assert drop(two, 4) and queue.waiting == [three, two, four]
    assert not drop(two, 3) and not drop(two, 4), "it is there"
    assert not drop(two, 1), "before the file in progress"
    assert not drop(two, 6), "among the finished ones"
    assert not drop(old, 2)
    drags = Qt.ItemFlag.ItemIsDragEnabled
    assert [bool(model.flags(model.row_of(it.id)) & drags) for it in (old, _one, two)] == [False, False, True]
    both = model.mimeData([model.row_of(two.id), model.row_of(three.id)])
    assert not model.canDropMimeData(both, Qt.DropAction.MoveAction, 2, 0, QModelIndex()), "one at a time"


def test_the_mouse_drags_a_waiting_file_and_files_from_outside_are_the_windows(
    window: MainWindow, stage: Stage, recording: Make
) -> None:
    _one, two, three = stage.drop(*(recording(f"{name}.wav") for name in ("one", "two", "three")))
    rows, model = window.sidebar.list, window.sidebar.model
    assert rows.dragDropMode() == rows.DragDropMode.InternalMove
    rows.setState(rows.State.DraggingState)
    data = model.mimeData([model.row_of(three.id)])
    place = rows.visualRect(model.row_of(two.id))
    above = QPointF(place.center().x(), place.top() + 1)
    for kind in (QDragEnterEvent, QDragMoveEvent):
        event = kind(above.toPoint(), Qt.DropAction.MoveAction, data, *_HELD)
        QApplication.sendEvent(rows.viewport(), event)
    urls = QMimeData()
    urls.setUrls([QUrl.fromLocalFile(str(recording("four.wav")))])
    entering = QDragEnterEvent(above.toPoint(), Qt.DropAction.CopyAction, urls, *_HELD)
    assert not window.veil.isVisible()
    QApplication.sendEvent(rows.viewport(), entering)
    assert window.veil.isVisible(), "the window takes them"


def test_tags_are_completed_from_those_that_are_in_use(window: MainWindow, stage: Stage, recording: Make) -> None:
    one, two = (written(stage, recording(f"{name}.wav"), "Words") for name in ("one", "two"))
    stage.session.describe(one.id, tags=("Family", "family trip", "work"))
    stage.session.describe(two.id, tags=("work", "Über uns"))
    assert stage.session.tags == ["Family", "family trip", "work", "Über uns"]
    dialog = Details(window, stage.session, [two])
    completer = dialog.tags.completer()
    dialog.tags.setText("work, fam")
    completer.setWidget(dialog.tags)
    completer.setCompletionPrefix(completer.splitPath("work, fam")[0])
    offered = completer.completionModel()
    assert [offered.index(row, 0).data() for row in range(offered.rowCount())] == ["Family", "family trip"]
    assert completer.pathFromIndex(completer.model().index(1, 0)) == "work, family trip"
    dialog.tags.setText("w")
    completer.setCompletionPrefix(completer.splitPath("w")[0])
    assert completer.pathFromIndex(completer.model().index(2, 0)) == "work"
    dialog.close()


@pytest.mark.qt_log_ignore("does not support")
def test_what_was_looked_at_last_is_opened_again_by_its_name_and_forgotten(
    window: MainWindow, stage: Stage, recording: Make, qtbot: QtBot
) -> None:
    one, two = (written(stage, recording(f"{name}.wav"), "Words") for name in ("one", "two & a half"))
    for entry in (one, two):
        window.show_entry(entry.id)

    def opened_menu() -> QMenu:
        window.all_actions["recent"].trigger()
        qtbot.waitUntil(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
        found = QApplication.activePopupWidget()
        assert isinstance(found, QMenu)
        return found

    menu = opened_menu()
    assert [action.text() for action in menu.actions()] == [
        "two && a half.wav", "one.wav", "", _("Clear recent recordings")
    ]  # fmt: skip
    menu.actions()[1].trigger()
    menu.close()
    assert window.current.key == one.id
    menu = opened_menu()
    assert menu.actions()[0].text() == "one.wav"
    menu.actions()[-1].trigger()
    menu.close()
    menu = opened_menu()
    assert [action.isEnabled() for action in menu.actions()] == [False]
    menu.close()


def test_recordings_of_one_name_are_told_apart(window: MainWindow, stage: Stage, tmp_path: Path) -> None:
    paths = [tmp_path / folder / "talk.wav" for folder in ("monday", "tuesday")]
    for path in paths:
        path.parent.mkdir()
        path.write_bytes(b"sound")
    first, second = (written(stage, path, "Words") for path in paths)
    model = window.sidebar.model
    assert str(model.row_of(first.id).data(SummaryRole)).startswith("monday · ")
    assert str(model.row_of(second.id).data(SummaryRole)).startswith("tuesday · ")
    stage.session.describe(second.id, title="Other")
    assert model.row_of(first.id).data(SummaryRole) == first.summary()


def test_a_moved_file_is_located(
    window: MainWindow, stage: Stage, recording: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    entry = written(stage, recording("one.wav"), "Words")
    window.show_entry(entry.id)
    window.player._refuse(entry.id, Problem("file.missing"))
    assert window.player.bar.locate.isVisible() and not window.player.can_play
    found = tmp_path / "found.wav"
    found.write_bytes(b"sound")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(found), ""))
    window.player.bar.locate.click()
    assert (entry.path, window.player.can_play) == (str(found), True)
    assert not window.player.bar.locate.isVisible()
    assert stage.restart().session.entries[entry.id].path == str(found)


def test_titles_use_the_room_there_is(window: MainWindow, stage: Stage, recording: Make, qtbot: QtBot) -> None:
    """The sidebar grows with the window, and as the user draws it; the title of the page has a line of its own."""
    name = "An interview with the mayor about the bridge over the river.wav"
    entry = written(stage, recording(name), "Words")
    window.resize(2540, 1300)
    window.show_entry(entry.id)
    QApplication.processEvents()
    title = window.page.header.title
    assert title.width() >= title.fontMetrics().horizontalAdvance(name)
    before = window.sidebar.width()
    assert before > 300
    qtbot.keyClick(window.sidebar.grip, Qt.Key.Key_Right)
    assert window.sidebar.width() > before and stage.preferences.text("sidebar") == str(window.sidebar.width())
    window.resize(800, 600)
    QApplication.processEvents()
    assert window.sidebar.width() <= 320, "the page has its room"
    window.sidebar.grip.reset.emit()
    window.resize(1280, 800)
    QApplication.processEvents()
    assert window.sidebar.width() < 300


def test_a_banner_stands_only_on_its_page_and_alone(window: MainWindow, stage: Stage, recording: Make) -> None:
    (entry,) = stage.drop(recording("one.wav"))
    finish(stage, entry)
    window.show_entry(entry.id)
    stage.session.tell(Problem("file.none_found"))
    assert window.trouble.isVisible()
    window.show_settings()
    assert not window.trouble.isVisible()
    window.show_entry(entry.id)
    assert window.trouble.isVisible()
    stage.add([str(recording("notes.txt")), str(recording("three.wav"))])
    stage.until(lambda: len(stage.session.entries) == 2)
    assert window.page.header.title.text() == "three.wav"
    assert window.trouble.isVisible(), "what is said of a drop stays in sight on the page of its first file"
    window.show_settings()
    window.show_idle()
    assert not window.trouble.isVisible()
    (other,) = stage.drop(recording("two.wav"))
    stage.say(Failed(other.id, Problem("file.not_media")))
    later = [entry for entry in stage.session.entries.values() if entry.state != DONE]
    later[0].state = "interrupted"
    stage.recovery.found = later
    stage.recovery.changed.emit()
    bar = window.live.recovery_bar
    window.show_idle()
    assert bar.isVisible()
    window.show_settings()
    assert not bar.isVisible()
    window.show_idle()
    stage.session.tell(Problem("file.none_found"))
    assert (window.trouble.isVisible(), bar.isVisible()) == (True, False)


def test_ten_thousand_recordings_are_listed_at_once(
    window: MainWindow, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change of one costs no walk over all of them."""
    now = datetime.now(UTC)
    many = [Entry(f"{n:032x}", f"/{n}.wav", f"{n}.wav", now - timedelta(hours=n), DONE, 9.0) for n in range(10_000)]
    stage.session.entries = {entry.id: entry for entry in many}
    painted: list[int] = []
    paint = RecordingRow.paint
    monkeypatch.setattr(RecordingRow, "paint", lambda row, *given: (painted.append(1), paint(row, *given))[1])
    assert calls(lambda: (stage.session.reloaded.emit(), drain())) < 40 * len(many)
    assert 0 < len(painted) < 100, "those that are seen"
    model, told = window.sidebar.model, list[int]()
    assert isinstance(model, RecordingModel) and model.rowCount() > 10_000
    model.modelReset.connect(lambda: told.append(1))
    assert calls(lambda: stage.session.changed.emit(many[5].id)) < 2 * len(many), "one look at each for the queue"
    assert not told
    window.sidebar.select(many[9_000].id)
    assert window.sidebar.selected() == [many[9_000].id]
    stage.deletions.delete([entry.id for entry in many[:300]])
    assert told == [1], "the rows are made anew once, however many go"
    assert model.entry(model.row_of(many[300].id)) is many[300]


def test_a_row_of_a_long_queue_is_asked_for_without_a_walk_over_the_queue(
    window: MainWindow, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = datetime.now(UTC)
    many = [Entry(f"{n:032x}", f"/{n}.wav", f"{n}.wav", now, WAITING, 9.0) for n in range(1000)]
    stage.session.entries = {entry.id: entry for entry in many}
    stage.session.reloaded.emit()
    model, walks = window.sidebar.model, list[int]()
    assert isinstance(model, RecordingModel)
    in_work = Session.in_work.fget
    assert in_work is not None
    monkeypatch.setattr(Session, "in_work", property(lambda session: (walks.append(1), in_work(session))[1]))
    flags = [model.flags(model.row_of(entry.id)) for entry in many]
    assert all(each & Qt.ItemFlag.ItemIsDragEnabled for each in flags)
    assert not walks


def test_a_menu_says_what_can_be_done(window: MainWindow, stage: Stage, recording: Make) -> None:
    entry = written(stage, recording("one.wav"), "Words")
    menu = window.files.menu_for(entry.id)
    assert isinstance(menu, QMenu)
    texts = [action.text().split("\t")[0] for action in menu.actions()]
    for text in (_("Rename"), _("Details…"), _("Locate the audio file…"), _("Delete")):
        assert text in texts
