"""The player under a transcript: what is asked of it by bar, key and click, what it shows, and what goes wrong."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSlider
from pytestqt.qtbot import QtBot

from desktop_app.app.presentation.problems import sentence
from desktop_app.app.recordings.entry import Entry
from desktop_app.app.settings.preferences import Preferences
from desktop_app.audio import decoder_process
from desktop_app.audio.peaks import RATE
from desktop_app.audio.player import Player
from desktop_app.messages.jobs import Finished, SegmentReady, Started
from desktop_app.problems import Problem
from desktop_app.texts import _
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.model import Segment, shifted
from desktop_app.ui.player.bar import speed_words
from desktop_app.ui.player.playback import BACK_SKIP, Playback
from desktop_app.ui.player.words import span_at, spoken
from desktop_app.ui.shell.main_window import MainWindow
from tests.event_loop import drain
from tests.talks import talk
from tests.ui.staging import MODELS, Stage, segment, transcript
from tests.unit.app.editing.test_edits import finish
from tests.unit.audio.test_player import Output
from tests.waiting import LONGEST

Make = Callable[[str], Path]


@pytest.fixture
def entry(window: MainWindow, stage: Stage, recording: Make) -> Entry:
    """A conversation of two, looked at."""
    (made,) = stage.drop(recording("talk.wav"))
    finish(stage, made, talk(2))
    window.activateWindow()
    window.page.view.setFocus()
    stage.qtbot.waitUntil(window.page.view.hasFocus)
    stage.settle()
    return made


def press(window: MainWindow, keys: str) -> None:
    """Press keys in the text."""
    QTest.keySequence(window.page.view, QKeySequence(keys))


def hear(stage: Stage, seconds: float) -> None:
    """Let it play up to a place."""
    stage.player.feed(seconds)
    stage.qtbot.waitUntil(lambda: stage.playback.seconds == seconds)


def place_of(window: MainWindow, line: int, character: int) -> QPoint:
    """Where a character stands on the screen."""
    view = window.page.view
    x, row = view.flow.caret_at(line, character)
    return QPointF(view._painter.left + x + 3, view.placement.top_of(line) + row + 10).toPoint()


# Playing and pausing.


def test_it_plays_pauses_and_goes_on_a_little_earlier(window: MainWindow, stage: Stage, entry: Entry) -> None:
    bar = window.player.bar
    assert bar.isVisible()
    bar.play.click()
    assert stage.player.played == [(entry.path, 0.0, None)]
    hear(stage, 20.0)
    assert bar.time.text().startswith("0:20")
    assert bar.play.accessibleName() == _("Pause")
    bar.play.click()
    assert stage.player.stopped == 1
    assert bar.play.accessibleName() == _("Play")
    bar.play.click()
    assert stage.player.played[-1] == (entry.path, 20.0 - BACK_SKIP, None)
    hear(stage, 25.0)
    bar.play.click()
    bar.forward.click()
    bar.play.click()
    assert stage.player.played[-1] == (entry.path, 30.0, None)  # this place was chosen
    hear(stage, 31.0)
    stage.player.end()
    stage.qtbot.waitUntil(lambda: not stage.playback.key)
    bar.play.click()
    assert stage.player.played[-1] == (entry.path, 0.0, None)  # it had come to its end


def test_each_recording_keeps_its_place(window: MainWindow, stage: Stage, entry: Entry, recording: Make) -> None:
    window.player.bar.play.click()
    hear(stage, 20.0)
    window.player.toggle()
    (other,) = stage.drop(recording("other.wav"))
    finish(stage, other, talk(3))
    window.show_entry(other.id)
    assert window.player.bar.time.text().startswith("0:00")
    window.player.seek(7.0)
    window.show_entry(entry.id)
    assert window.player.bar.time.text().startswith("0:20")
    window.show_entry(other.id)
    window.player.toggle()
    assert stage.player.played[-1][:2] == (other.path, 7.0)  # put there, not left there


def test_a_sample_of_a_voice_moves_no_place(window: MainWindow, stage: Stage, entry: Entry) -> None:
    window.player.seek(12.0)
    window.speakers.strip.previews["S2"].click()
    hear(stage, 40.0)
    assert window.player.bar.time.text().startswith("0:12")
    stage.player.end()
    stage.qtbot.waitUntil(lambda: not stage.playback.key)
    window.player.toggle()
    assert stage.player.played[-1] == (entry.path, 12.0, None)


def test_keys_work_in_the_text_and_space_outside_it(
    window: MainWindow, stage: Stage, entry: Entry, qtbot: QtBot
) -> None:
    for keys, played in (("F8", 0.0), ("F9", 5.0), ("F9", 10.0), ("F7", 5.0), ("F7", 0.0), ("F7", 0.0)):
        press(window, keys)
        assert stage.player.played[-1][1] == played, keys
    press(window, "Ctrl+Space")
    assert not stage.playback.key
    line = window.player.bar.line
    line.setFocus()
    qtbot.keyClick(line, Qt.Key.Key_Space)
    assert stage.playback.key
    window.sidebar.search.setFocus()
    qtbot.keyClick(window.sidebar.search, Qt.Key.Key_Space)
    assert stage.playback.key and window.sidebar.search.text() == " "
    window.player.bar.back.setFocus()
    count = len(stage.player.played)
    qtbot.keyClick(window.player.bar.back, Qt.Key.Key_Space)  # a button is pressed by it
    assert stage.playback.key and len(stage.player.played) == count + 1


# The place.


def test_the_line_is_a_slider_for_mouse_keys_and_screen_readers(
    window: MainWindow, stage: Stage, entry: Entry, qtbot: QtBot
) -> None:
    line = window.player.bar.line
    middle = line.rect().center()
    qtbot.mouseClick(line, Qt.MouseButton.LeftButton, pos=middle)
    assert stage.playback.place(entry.id) == pytest.approx(entry.seconds / 2, rel=0.01)
    assert not stage.player.played  # nothing was heard, so nothing is
    interface = QAccessible.queryAccessibleInterface(line)
    assert interface.role() == QAccessible.Role.Slider
    assert line.accessibleName()
    window.player.toggle()
    played = len(stage.player.played)
    line.setFocus()
    for key, seconds in ((Qt.Key.Key_Home, 0.0), (Qt.Key.Key_Right, 5.0), (Qt.Key.Key_PageUp, 35.0)):
        qtbot.keyClick(line, key)
        assert stage.player.played[-1][1] == seconds
    assert line.accessibleDescription().startswith("0:35, ")
    assert line.value() == 35
    played = len(stage.player.played)
    qtbot.mousePress(line, Qt.MouseButton.LeftButton, pos=middle)
    qtbot.mouseMove(line, middle + QPoint(30, 0))
    assert len(stage.player.played) == played  # while it is dragged nothing stutters
    qtbot.mouseRelease(line, Qt.MouseButton.LeftButton, pos=middle + QPoint(30, 0))
    assert len(stage.player.played) == played + 1


def test_a_click_on_a_word_puts_the_caret_and_the_place_there(
    window: MainWindow, stage: Stage, entry: Entry, qtbot: QtBot
) -> None:
    view, words = window.page.view, entry.segments[1].words
    at = entry.segments[1].text.index(words[3].text)
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place_of(window, 1, at))
    assert view.selection.caret[0] == 1
    assert not stage.player.played
    window.player.toggle()
    assert stage.player.played[-1][1] == words[3].start
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place_of(window, 1, 0))
    assert stage.player.played[-1][1] == words[0].start
    played = len(stage.player.played)
    qtbot.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=place_of(window, 1, 0))
    qtbot.mouseMove(view.viewport(), place_of(window, 1, at))
    qtbot.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, pos=place_of(window, 1, at))
    assert view.selection.has_selection
    assert len(stage.player.played) == played  # who selects does not want to hear another place


def test_it_plays_from_the_cursor(window: MainWindow, stage: Stage, entry: Entry) -> None:
    words = entry.segments[2].words
    window.page.view.selection.put((2, entry.segments[2].text.index(words[4].text) + 1), False)
    press(window, "Ctrl+Shift+Space")
    assert stage.player.played[-1][1] == words[4].start


def test_a_line_is_repeated_until_that_is_switched_off(window: MainWindow, stage: Stage, entry: Entry) -> None:
    line = entry.segments[2]
    window.player.play_from(line.start + 1.0)
    press(window, "Shift+F8")
    assert stage.player.played[-1] == (entry.path, line.start + 1.0, line.end)
    hear(stage, line.end - 0.1)
    stage.player.end()
    stage.qtbot.waitUntil(lambda: stage.player.played[-1] == (entry.path, line.start, line.end))
    hear(stage, line.start + 0.2)
    window.player.toggle()
    window.player.toggle()
    assert stage.player.played[-1] == (entry.path, line.start, line.end)  # not the end of the line before
    window.player.seek(entry.segments[4].start)
    assert stage.player.played[-1] == (entry.path, entry.segments[4].start, entry.segments[4].end)
    hear(stage, entry.segments[4].start + 0.5)
    press(window, "Shift+F8")
    assert stage.player.played[-1] == (entry.path, entry.segments[4].start + 0.5, None)


def test_after_silence_a_line_is_shown_played_and_repeated_from_its_first_word(
    window: MainWindow, stage: Stage, recording: Make
) -> None:
    (entry,) = stage.drop(recording("talk.wav"))
    spoken = talk(2)
    late = shifted(spoken.segments[1], 14.0)
    silent = replace(late, start=spoken.segments[0].end)
    finish(stage, entry, replace(spoken, segments=(spoken.segments[0], silent), seconds=60.0))
    stage.settle()
    first, asked = late.words[0].start, list[float]()
    assert window.page.view.flow.lines[1].start == first
    assert window.page.view.flow.line_at(first - 0.5) == 0, "the line before is the one that was heard last"
    window.page.view.time_asked.connect(asked.append)
    QTest.mouseClick(
        window.page.view.viewport(), Qt.MouseButton.LeftButton, pos=window.page.view.placement.time_rect(1).center()
    )
    assert asked == [first]
    assert window.player._line_at(entry.id, first + 0.1) == (first, late.end)


def test_a_line_without_sound_is_not_repeated_for_ever(window: MainWindow, stage: Stage, entry: Entry) -> None:
    press(window, "Shift+F8")
    window.player.play_from(entry.segments[2].start)
    count = len(stage.player.played)
    stage.player.end()
    stage.qtbot.waitUntil(lambda: not stage.playback.key)
    assert len(stage.player.played) == count


# Speed and volume.


def test_speed_and_volume_are_heard_at_once_and_remembered(window: MainWindow, stage: Stage, entry: Entry) -> None:
    bar = window.player.bar
    bar.play.click()
    hear(stage, 10.0)
    for keys, speed in (("Shift+F9", 1.1), ("Shift+F9", 1.25), ("Shift+F7", 1.1)):
        press(window, keys)
        assert (stage.player.played[-1][1], stage.player.speeds[-1]) == (10.0, speed)
        assert bar.speed.text() == speed_words(speed)
    bar.volume.slider.setValue(50)
    assert stage.player.volume == pytest.approx(0.25)
    stage.settle()
    kept = Preferences(stage.keeper)
    assert (kept.text("play_speed"), kept.text("play_volume")) == ("1.1", "0.5")


def test_every_speed_can_be_chosen(window: MainWindow, stage: Stage, entry: Entry) -> None:
    for _step in range(20):
        press(window, "Shift+F7")
    assert stage.playback.speed == 0.5
    for _step in range(20):
        press(window, "Shift+F9")
    assert stage.playback.speed == 3.0


@pytest.mark.parametrize("kept", ["", "loud", "nan", "-3", "900"])
def test_a_settings_file_of_anybody_else_is_taken_as_it_can_be(
    stage: Stage, kept: str, request: pytest.FixtureRequest
) -> None:
    stage.preferences.set("play_speed", kept)
    stage.preferences.set("play_volume", kept)
    request.getfixturevalue("window").player  # noqa: B018
    assert 0.5 <= stage.playback.speed <= 3.0
    assert 0.0 <= stage.playback.volume <= 1.0


def test_a_word_on_what_was_done_leaves_the_player_free(window: MainWindow, entry: Entry) -> None:
    window.toast.say("Copied.")
    assert (
        window.toast.mapTo(window, window.toast.rect().bottomLeft()).y() < window.player.bar.mapTo(window, QPoint()).y()
    )


# The words.


def test_the_word_that_is_heard_is_marked(window: MainWindow, stage: Stage, entry: Entry) -> None:
    view, line = window.page.view, entry.segments[2]
    window.player.play_from(line.start)
    for word in line.words:
        hear(stage, (word.start + word.end) / 2)
        begin, end = view._painter.spoken
        assert line.text.strip()[begin:end] == word.text
    window.player.toggle()
    assert view._painter.playing == -1


def test_without_times_of_words_the_line_is_marked(window: MainWindow, stage: Stage, recording: Make) -> None:
    (entry,) = stage.drop(recording("plain.wav"))
    finish(stage, entry, transcript(*(segment(number) for number in range(4))))
    window.player.play_from(2.0)
    hear(stage, 4.5)
    assert (window.page.view._painter.playing, window.page.view._painter.spoken) == (2, (0, 0))
    assert span_at(entry.segments[2], 5) == (4.0, 6.0)


def test_words_are_found_by_time_and_by_place() -> None:
    line = talk(1).segments[1]
    shown = replace(line, text=f"  {line.text}")  # as Whisper writes it, with a space that is not shown
    for word in line.words:
        begin, end = spoken(shown, word.start)
        assert line.text[begin:end] == word.text
        assert span_at(shown, begin) == span_at(shown, end - 1) == (word.start, word.end)
    assert spoken(shown, line.start - 1.0) == spoken(shown, line.end + 2.0) == (0, 0)
    assert spoken(Segment(0, 0.0, 2.0, " Hello."), 1.0) == (0, 0)


def test_the_reader_is_followed_until_he_scrolls_away(window: MainWindow, stage: Stage, recording: Make) -> None:
    (entry,) = stage.drop(recording("long.wav"))
    finish(stage, entry, talk(2, rounds=8))
    view, pill, bar = window.page.view, window.player._pill.pill, window.page.view.verticalScrollBar()
    window.player.play_from(0.5)
    for line in entry.segments[:40]:
        hear(stage, line.start + 0.1)
        assert not view.is_playing_hidden()
        assert not pill.isVisible()
    top = bar.value()
    assert top > 0
    bar.setValue(0)
    assert pill.isVisible()
    hear(stage, entry.segments[41].start + 0.1)
    assert bar.value() == 0
    pill.click()
    assert bar.value() >= top
    assert not pill.isVisible()


def test_a_reader_who_has_scrolled_away_stays_there(window: MainWindow, stage: Stage, recording: Make) -> None:
    (entry,) = stage.drop(recording("one.wav"))
    parts = [segment(number) for number in range(80)]
    stage.say(Started(entry.id, 600.0, MODELS), *(SegmentReady(entry.id, part) for part in parts))
    bar = window.page.view.verticalScrollBar()
    stage.qtbot.waitUntil(lambda: bar.value() == bar.maximum() > 0)
    bar.triggerAction(QAbstractSlider.SliderAction.SliderPageStepSub)
    place = bar.value()
    stage.say(Finished(entry.id, transcript(*parts)))
    assert bar.value() == place


# The waveform.


def test_the_waveform_comes_in_parts_and_is_kept(
    window: MainWindow, stage: Stage, entry: Entry, recording: Make, qtbot: QtBot
) -> None:
    line, reader = window.player.bar.line, stage.reader
    assert reader.files == [entry.path]
    reader.feed(*[0.5] * RATE)
    qtbot.waitUntil(lambda: len(line._peaks) == RATE)
    reader.feed(*[1.0] * RATE)
    qtbot.waitUntil(lambda: len(line._peaks) == 2 * RATE)
    assert line._peaks[0] == pytest.approx(line._peaks[-1] / 2, rel=0.001)
    assert not window.grab().isNull()
    reader.end()
    (other,) = stage.drop(recording("other.wav"))
    finish(stage, other, talk(3))
    window.show_entry(other.id)
    qtbot.waitUntil(lambda: reader.files[-1] == other.path)
    assert not len(line._peaks)
    window.show_entry(entry.id)
    assert len(line._peaks) == 2 * RATE
    assert reader.files == [entry.path, other.path]  # it is not read again


def test_what_is_not_looked_at_any_more_is_not_read_on(
    window: MainWindow, stage: Stage, entry: Entry, recording: Make
) -> None:
    line = window.player.bar.line
    stage.reader.feed(0.5)
    stage.qtbot.waitUntil(lambda: len(line._peaks) == 1)
    (other,) = stage.drop(recording("other.wav"))
    finish(stage, other, talk(3))
    window.show_entry(other.id)
    stage.settle()
    assert stage.reader.stopped == 1
    stage.reader.listener.came(1, np.ones(5, np.float32))  # late
    drain()
    assert not len(line._peaks)
    window.show_entry(entry.id)
    assert not len(line._peaks)
    assert stage.reader.files == [entry.path, other.path, entry.path]  # from its beginning, not half of it for ever


# What goes wrong.


def test_a_file_that_has_moved_is_missed_until_it_is_back(window: MainWindow, stage: Stage, entry: Entry) -> None:
    bar = window.player.bar
    stage.reader.end(Problem("file.missing"))
    stage.qtbot.waitUntil(bar.reason.isVisible)
    assert bar.reason.text() == sentence(Problem("file.moved", name="talk.wav"))
    assert not bar.play.isEnabled() and not bar.line.isVisible()
    press(window, "F8")
    assert not stage.player.played
    bar.try_again.click()
    assert stage.player.played
    stage.player.end(Problem("file.missing"))
    stage.qtbot.waitUntil(bar.reason.isVisible)
    assert bar.reason.text() == sentence(Problem("file.moved", name="talk.wav"))
    bar.try_again.click()
    assert not bar.reason.isVisible() and bar.line.isVisible()
    assert stage.reader.files == [entry.path] * 2  # whose waveform is read now


def test_without_a_device_one_sentence_says_so(window: MainWindow, stage: Stage, entry: Entry) -> None:
    bar = window.player.bar
    window.player.seek(9.0)
    bar.play.click()
    stage.player.end(Problem("output.none"))
    stage.qtbot.waitUntil(bar.reason.isVisible)
    assert bar.reason.text() == sentence(Problem("output.none"))
    assert not bar.play.isEnabled()
    assert not stage.playback.key
    bar.try_again.click()
    assert bar.play.isEnabled() and not bar.reason.isVisible()
    assert len(stage.player.played) == 2


class Held(Output):
    """Takes in sound as slowly as it is heard."""

    def write(self, samples: np.ndarray) -> None:
        self.began.set()
        self.go.wait(0.05)


@pytest.fixture
def heard(stage: Stage) -> Iterator[Held]:
    """What the real player plays on."""
    output = Held()
    output.go.clear()
    stage.playback = Playback(lambda listener: Player(listener, lambda: output))
    yield output
    output.go.set()
    stage.playback.close()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows ends processes in another way")
def test_a_decoder_that_is_killed_in_the_middle_is_one_sentence(
    stage: Stage, heard: Held, window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "long.flac"
    soundfile.write(path, np.random.default_rng(1).normal(0, 0.1, 300 * SAMPLE_RATE), SAMPLE_RATE)
    (entry,) = stage.drop(path)
    finish(stage, entry, replace(talk(2, rounds=4), path=str(path)))
    ends: list[Callable[[], None]] = []
    with pytest.MonkeyPatch.context() as patch:
        made = decoder_process.DecoderProcess.ask
        patch.setattr(
            decoder_process.DecoderProcess,
            "ask",
            lambda it, *a, **k: (ends.append(it._child.end), made(it, *a, **k))[1],
        )
        window.player.toggle()
        assert heard.began.wait(LONGEST)
    qtbot.waitUntil(lambda: stage.playback.seconds > 0.2)
    ends[0]()
    heard.go.set()  # all that was sent before is taken
    bar = window.player.bar
    qtbot.waitUntil(bar.reason.isVisible)
    assert bar.reason.text() == sentence(Problem("file.crashed"))
    assert not stage.playback.key
    assert window.isVisible()
    bar.try_again.click()
    assert not bar.reason.isVisible()
    qtbot.waitUntil(lambda: stage.playback.is_playing(entry.id))
