"""What the user sees and does while something is recorded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractSlider, QPushButton
from pytestqt.qtbot import QtBot

from desktop_app.app.live.live_recording import OFF, OPENING, PAUSED
from desktop_app.app.presentation import stages, wording
from desktop_app.app.presentation.problems import sentence
from desktop_app.app.recordings import entry as states
from desktop_app.messages.jobs import Failed, Finished, Preparing, Started
from desktop_app.problems import Problem
from desktop_app.texts import _
from desktop_app.ui.recording import controller
from desktop_app.ui.shell.main_window import MainWindow
from tests.studio import DESK, HEADSET, SPEAKERS
from tests.ui.staging import MODELS, Stage, segment, transcript, update

Make = Callable[[str], Path]
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def test_one_key_starts_and_stops(window: MainWindow, stage: Stage, qtbot: QtBot) -> None:
    qtbot.keyClick(window, Qt.Key.Key_R, CONTROL)
    qtbot.waitUntil(lambda: bool(stage.studio.recorders) and window.stack.currentWidget() is window.page)
    strip = window.live.strip
    assert strip.isVisible()
    assert strip.words.text() == _("Opening the microphone…")
    stage.studio.recorder.feed(3.0)
    qtbot.waitUntil(lambda: strip.words.text() == _("Recording"))
    qtbot.waitUntil(lambda: strip.time.text() == "0:03")
    assert strip.source.text() == DESK.name
    assert strip.meter.share > 0
    assert not window.sidebar.record.isVisible(), "one Stop is enough"
    window.show_idle()
    assert window.sidebar.live.text() == _("Recording · {time}", time="0:03")
    window.sidebar.live.click()
    assert window.stack.currentWidget() is window.page
    qtbot.keyClick(window, Qt.Key.Key_R, CONTROL)
    qtbot.waitUntil(lambda: stage.live.phase == OFF)
    assert not strip.isVisible()
    assert window.page.strip.isVisible()
    assert window.sidebar.record.isVisible() and not window.sidebar.live.isVisible()


def test_every_button_that_records_records(window: MainWindow, stage: Stage, qtbot: QtBot) -> None:
    for button in (window.sidebar.record, window.idle.record):
        window.show_idle()
        button.click()
        qtbot.waitUntil(lambda: stage.live.entry is not None)
        stage.studio.recorder.feed(0.5)
        qtbot.waitUntil(lambda: stage.live.phase != OPENING)
        window.live.strip.stop.click()
        qtbot.waitUntil(lambda: stage.live.phase == OFF)
    assert len(stage.session.entries) == 2


def test_a_key_pauses_and_goes_on(window: MainWindow, stage: Stage, qtbot: QtBot) -> None:
    stage.record()
    qtbot.keyClick(window, Qt.Key.Key_R, CONTROL | SHIFT)
    assert stage.live.phase == PAUSED
    assert (window.live.strip.words.text(), window.live.strip.pause.text()) == (_("Paused"), _("Resume"))
    window.live.strip.pause.click()
    assert stage.live.phase == OPENING


def test_window_and_list_say_the_same_while_no_sound_arrives(window: MainWindow, stage: Stage) -> None:
    entry = stage.record()
    assert entry.progress_words() == window.sidebar.live.text() == _("Recording · {time}", time="0:01")
    stage.studio.recorder.listener.trouble((Problem("microphone.gone", name=DESK.name),))
    stage.until(lambda: stage.live.is_deaf)
    waiting = _("Waiting for sound · {time}", time="0:01")
    assert window.live.strip.words.text() == _("Waiting for sound")
    assert entry.progress_words() == window.sidebar.live.text() == waiting
    stage.say(update(entry.id, (), " And"))  # what was said before
    assert entry.progress_words() == waiting
    stage.studio.recorder.listener.trouble(())
    stage.until(lambda: not stage.live.is_deaf)
    assert entry.progress_words() == window.sidebar.live.text() == _("Recording · {time}", time="0:01")


def test_hallucinated_text_is_removed_or_kept_as_the_settings_say(window: MainWindow, stage: Stage) -> None:
    """Of files and of what is recorded live."""
    window.show_settings()
    choice = window.settings.sections["Hallucinated text"].control.group
    assert choice.checkedButton().text() == _("Remove")
    choice.button(1).click()
    stage.record()
    stage.stop()
    choice.button(0).click()
    stage.record()
    assert [options.guard for _, options, _ in stage.engine.live][:1] == [False]
    assert stage.preferences.options().guard


def test_the_text_has_three_colours_and_stays_where_it_is(window: MainWindow, stage: Stage) -> None:
    entry = stage.record()
    stage.say(update(entry.id, (segment(0),), " The roof is", " done, and the", " windows come", 2.0))
    view = window.page.view
    image = view.viewport().grab().toImage()
    palette = window.page.view._theme.palette
    colors = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(110)}
    assert {palette.ink, palette.unsettled, palette.draft} <= colors
    before = view.flow.spans(1, 0, len("The roof is"))
    stage.say(update(entry.id, (), " The roof is done, and the", " window comes", "", 2.0))
    assert view.flow.spans(1, 0, len("The roof is")) == before
    assert view.flow.lines[1].final == len("The roof is done, and the")


def test_the_end_is_followed_until_the_user_scrolls(window: MainWindow, stage: Stage) -> None:
    entry = stage.record()
    stage.say(update(entry.id, tuple(segment(n) for n in range(60))))
    view, bar = window.page.view, window.page.view.verticalScrollBar()
    stage.qtbot.waitUntil(lambda: bar.maximum() > 0 and bar.value() == bar.maximum())
    bar.triggerAction(QAbstractSlider.SliderAction.SliderPageStepSub)
    place = bar.value()
    stage.say(update(entry.id, tuple(segment(n) for n in range(60, 70)), " And", " now"))
    assert (bar.value(), view.follower.pill.isVisible()) == (place, True)
    view.follower.pill.click()
    stage.qtbot.waitUntil(lambda: bar.value() == bar.maximum())
    assert not view.follower.pill.isVisible()


def test_the_panel_tells_latency_backlog_and_time(window: MainWindow, stage: Stage) -> None:
    entry = stage.record(62.0)
    assert window.panel.live.latency.text() == "–"
    stage.say(Started(entry.id, 0.0, MODELS), update(entry.id, received=62.0, decoded=60.5, latency=0.84))
    live = window.panel.live
    delays = [_("{seconds} s", seconds=wording.number(value, 1)) for value in (0.8, 1.5)]
    assert (live.latency.text(), live.behind.text(), live.time.text()) == (*delays, "1:02")
    assert delays[1] in live.behind.accessibleName()
    stage.say(update(entry.id, received=70.0, decoded=60.5))
    assert window.live.strip.behind.text() == _("Text is about {seconds} s behind", seconds=10)
    stage.stop()
    stage.say(Finished(entry.id, transcript(segment(0))))
    assert not live.isVisible()


def test_a_smaller_target_that_writes_along_is_named_with_the_chosen_one(window: MainWindow, stage: Stage) -> None:
    window.all_actions["speed"].trigger()
    entry = stage.record()
    stage.say(Started(entry.id, 0.0, MODELS), update(entry.id))
    live = window.panel.live
    assert not live.final.isVisible()
    notice = Problem("model.live_smaller", model="Small", chosen="Large", seconds="2.0")
    stage.say(Started(entry.id, 0.0, replace(MODELS, target="Small", notices=(notice,), final="Large")))
    stage.say(update(entry.id))
    assert (live.now.text(), live.final.text()) == ("Small", "Large")
    assert live.final.isVisible()
    assert window.page.notice.text.text() == sentence(notice)


def test_words_are_promised_only_when_the_model_is_there(window: MainWindow, stage: Stage) -> None:
    entry = stage.record()
    stage.say(Preparing(entry.id, "loading", {"name": "Large"}))
    assert window.page._empty.text() == stages.describe("loading", name="Large")
    stage.say(Started(entry.id, 0.0, MODELS))
    assert window.page._empty.text() == _("Text appears here as you speak.")


def test_a_lost_input_is_said_and_one_click_takes_another(window: MainWindow, stage: Stage) -> None:
    stage.record()
    strip, lost = window.live.strip, window.live.lost
    stage.studio.inputs = [SPEAKERS, HEADSET]
    stage.studio.recorder.listener.trouble((Problem("microphone.gone", name=DESK.name),))
    stage.qtbot.waitUntil(lambda: lost.isVisible() and lost.buttons[0].isVisible())
    assert lost.text.text() == sentence(Problem("microphone.gone", name=DESK.name))
    assert strip.words.text() == _("Waiting for sound")
    assert lost.buttons[0].text() == _("Use {input}", input="Headset")
    lost.buttons[0].click()
    stage.qtbot.waitUntil(lambda: stage.studio.recorder.asked[-1] == f"switch {HEADSET.id}")
    stage.studio.recorder.listener.trouble(())
    stage.qtbot.waitUntil(lambda: not lost.isVisible())
    assert (strip.words.text(), strip.source.text()) == (_("Recording"), "Headset")


def test_an_input_that_goes_before_its_first_sample_can_be_replaced_too(window: MainWindow, stage: Stage) -> None:
    stage.live.start()
    stage.qtbot.waitUntil(lambda: bool(stage.studio.recorders) and "start" in stage.studio.recorder.asked)
    stage.studio.recorder.listener.trouble((Problem("microphone.gone", name=DESK.name),))
    lost = window.live.lost
    stage.qtbot.waitUntil(lambda: lost.isVisible() and lost.buttons[0].isVisible())
    assert window.live.strip.words.text() == _("Waiting for sound")
    lost.buttons[0].click()
    stage.qtbot.waitUntil(lambda: stage.studio.recorder.asked[-1] == f"switch {HEADSET.id}")


def test_a_disk_that_is_nearly_full_is_said_without_another_input(window: MainWindow, stage: Stage) -> None:
    stage.record()
    stage.studio.recorder.listener.trouble((Problem("disk.low", minutes=4),))
    stage.qtbot.waitUntil(lambda: window.live.lost.isVisible())
    assert not window.live.lost.buttons[0].isVisible()
    assert window.live.strip.words.text() == _("Recording")


def test_an_engine_that_fails_is_said_and_the_recording_goes_on(window: MainWindow, stage: Stage) -> None:
    entry = stage.record()
    stage.say(Failed(entry.id, Problem("model.tokenizer")))
    assert window.page.problem.text.text().startswith(sentence(Problem("model.tokenizer")) + " ")
    assert not window.page.try_again.isVisible()
    assert window.live.strip.words.text() == _("Recording")
    stage.stop()
    assert window.page.try_again.isVisible()


def test_a_refused_microphone_is_one_sentence(window: MainWindow, stage: Stage, qtbot: QtBot) -> None:
    stage.studio.refusal = Problem("microphone.forbidden", name=DESK.name)
    window.sidebar.record.click()
    qtbot.waitUntil(lambda: window.trouble.isVisible())
    assert window.trouble.text.text() == sentence(Problem("microphone.forbidden", name=DESK.name))
    assert window.stack.currentWidget() is window.idle
    assert window.sidebar.record.text() == _("Record")


def test_another_page_may_be_read_meanwhile(window: MainWindow, stage: Stage, recording: Make) -> None:
    entry = stage.record()
    window.show_settings()
    assert not window.live.strip.isVisible()
    window.show_entry(entry.id)
    assert window.live.strip.isVisible()


def test_closing_asks_and_keeps_the_recording(
    window: MainWindow, stage: Stage, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    entry = stage.record()
    answers = [False, True]
    monkeypatch.setattr(controller, "confirm", lambda *_: answers.pop(0))
    assert not window.close()
    assert stage.live.is_on
    with qtbot.waitSignal(window.closed):
        window.close()
        qtbot.waitUntil(lambda: stage.live.phase == OFF)
        assert window.isVisible()  # until the last words are written
        stage.say(Finished(entry.id, transcript(segment(0))))
    assert entry.state == states.DONE
    assert Path(entry.path).exists()


def test_what_is_recorded_is_not_removed_by_a_key(window: MainWindow, stage: Stage, qtbot: QtBot) -> None:
    entry = stage.record()
    window.sidebar.list.setFocus()
    qtbot.keyClick(window.sidebar.list, Qt.Key.Key_Delete)
    assert entry.id in stage.session.entries
    assert [action.text() for action in window.files.menu_for(entry.id).actions()] == [_("Stop recording")]


@pytest.mark.qt_log_ignore("does not support raise")  # the offscreen screen has no windows over others
def test_every_live_control_has_a_name_and_can_be_reached(window: MainWindow, stage: Stage) -> None:
    stage.record()
    window.live.captions.show()
    for control in (*window.live.strip.findChildren(QPushButton), *window.live.captions.findChildren(QPushButton)):
        assert control.accessibleName() or control.text(), control
        assert control.focusPolicy() & Qt.FocusPolicy.TabFocus, control
    assert window.live.strip.meter.accessibleDescription()


@pytest.mark.parametrize("size", [(760, 520), (800, 600)])
def test_everything_fits_a_small_window(window: MainWindow, stage: Stage, size: tuple[int, int]) -> None:
    window.resize(*size)
    stage.studio.inputs = [type(DESK)("a", "Microphone " * 20, "PulseAudio", 1, 48_000, True, False)]
    entry = stage.record(370.0)
    stage.say(update(entry.id, received=370.0, decoded=270.0))
    strip = window.live.strip
    stage.qtbot.waitUntil(lambda: strip.time.width() >= strip.time.sizeHint().width())
    assert (window.width(), window.height()) == size
    for control in (strip.stop, strip.pause, strip.inputs, strip.time, strip.behind):
        assert window.rect().contains(control.mapTo(window, control.rect().bottomRight()))
        if control.isVisible():
            assert control.width() >= control.sizeHint().width()


def test_a_label_that_changes_is_painted_anew_and_the_last_pass_decides(window: MainWindow, stage: Stage) -> None:
    """Ids and names are as everywhere; the text stays, the end is still followed, and nothing can be edited yet."""
    entry = stage.record()
    view = window.page.view
    stage.say(Started(entry.id, 0.0, MODELS), update(entry.id, (segment(0), segment(1)), " And"))
    before = [paragraph.text for paragraph in view.flow.lines]
    assert [paragraph.speaker for paragraph in view.flow.lines] == [None] * 3
    stage.say(replace(update(entry.id, (), " And"), speakers=((0, "S1"), (1, "S1"))))
    assert [paragraph.speaker for paragraph in view.flow.lines[:2]] == ["S1", "S1"]
    stage.say(replace(update(entry.id, (), " And"), speakers=((1, "S2"),)))
    assert [paragraph.speaker for paragraph in view.flow.lines[:2]] == ["S1", "S2"]
    assert [view.name_of(who) for who in ("S1", "S2")] == [_("Speaker {number}", number=number) for number in (1, 2)]
    assert [paragraph.text for paragraph in view.flow.lines] == before
    assert all(paragraph.lead for paragraph in view.flow.lines[:2])
    assert view.follower.following and not stage.edits.may_edit(entry.id)
    assert window.speakers.strip.isVisible()
    assert not any(preview.isVisible() for preview in window.speakers.strip.previews.values()), "nothing to play yet"
    stage.stop()
    stage.say(Finished(entry.id, transcript(segment(0), segment(1))))  # the last pass has failed, say
    assert entry.speakers == () and [paragraph.speaker for paragraph in view.flow.lines] == [None, None]
