"""The speed panel: closed until it is asked for, how a recording went, what the draft model gained, figures to save."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from desktop_app import texts
from desktop_app.app.recordings.entry import Entry
from desktop_app.messages.jobs import Finished, Progress, Started
from desktop_app.messages.model_work import Done, Measure, Refused, Step
from desktop_app.problems import Problem
from desktop_app.transcript.model import Models
from desktop_app.transcript.statistics import Speed, Statistics
from desktop_app.ui.shell.main_window import MainWindow
from tests.ui.staging import MODELS, Stage, segment, transcript

Make = Callable[[str], Path]


@pytest.fixture(autouse=True)
def english(use_language: None) -> None:
    """Here sentences are read word by word, so always in English."""
    texts.use("en")


@pytest.fixture
def entry(window: MainWindow, stage: Stage, recording: Make) -> Entry:
    """A recording that is transcribed to 84 of 90 s, in three windows, with the panel open."""
    window.all_actions["speed"].trigger()
    (made,) = stage.drop(recording("one.wav"))
    stage.say(Started(made.id, 90.0, MODELS))
    for number, accepted in enumerate((90, 140, 200), 1):
        stats = Statistics(
            28.0 * number, 3.0 * number, tokens=100 * number, target_passes=40 * number, compared=100 * number,
            drafted=160 * number, accepted=accepted,
        )  # fmt: skip
        stage.say(Progress(made.id, 28.0 * number, 90.0, stats))
    return made


def finished(stage: Stage, entry: Entry) -> None:
    stage.say(Finished(entry.id, replace(transcript(segment(0)), stats=entry.stats)))


def test_the_panel_is_closed_until_its_key_opens_it(
    window: MainWindow, stage: Stage, recording: Make, qtbot: QtBot
) -> None:
    (made,) = stage.drop(recording("one.wav"))
    stage.say(Started(made.id, 60.0, MODELS))
    assert not window.panel.isVisible()
    qtbot.keyClick(window, Qt.Key.Key_F12)
    assert window.panel.isVisible()
    assert stage.preferences.text("speed") == "shown"
    qtbot.keyClick(window, Qt.Key.Key_F12)
    assert not window.panel.isVisible()


def test_the_chart_shows_each_window_by_itself(window: MainWindow, entry: Entry) -> None:
    chart = window.panel.chart
    assert chart.isVisible()
    assert [point.acceptance for point in chart.points] == [0.9, 0.5, 0.6]
    assert [point.look_ahead for point in chart.points] == [4.0, 4.0, 4.0]
    assert chart.accessibleDescription() == "1:24: 60% accepted, look-ahead 4.0"
    middle = chart.at(chart.width() / 2)
    assert middle is not None
    assert middle.seconds == 56.0


def test_the_drafter_that_wrote_most_is_named_and_a_tip_says_how_each_did(window: MainWindow, entry: Entry) -> None:
    value = window.panel.values["draft_model"]
    assert value.text() == MODELS.draft and "accepted" not in value.toolTip(), "a draft with one part"
    stats, models = replace(entry.stats, compared=300, accepted=200), MODELS
    window.panel.show_figures(replace(stats, head_compared=200, head_accepted=120), models)
    assert value.text() == f"{MODELS.draft}, CTC head"
    assert "CTC head: 120 of 200 tokens accepted" in value.toolTip()
    assert "Decoder layers: 80 of 100 tokens accepted" in value.accessibleDescription()
    window.panel.show_figures(replace(stats, head_compared=60, head_accepted=40), models)
    assert value.text() == f"{MODELS.draft}, decoder layers"
    window.panel.show_figures(stats, replace(models, draft="", drafter="ngram"))
    assert value.text() == "Repeated words" and "CTC" not in value.toolTip()


def test_a_recording_of_an_earlier_start_has_no_chart(window: MainWindow, entry: Entry) -> None:
    entry.history.points.clear()
    window.panel.show_entry(entry)
    assert not window.panel.chart.isVisible()


def test_what_users_ask_for_comes_first_and_the_rest_when_asked(window: MainWindow, stage: Stage, entry: Entry) -> None:
    """How fast, how long, what the draft gains; then what was accepted. Other terms stand behind the question mark."""
    finished(stage, entry)
    panel = window.panel
    stage.qtbot.waitUntil(panel.comparison.isVisible)
    told = [panel.values["real_time"], panel.values["took"], panel.comparison.line, panel.values["acceptance"]]
    assert [each.text() for each in told[:2]] == ["9.3", "9 s"]
    heights = [each.mapTo(panel, QPoint(0, 0)).y() for each in (*told, panel.chart, panel.values["target_model"])]
    assert heights == sorted(heights)
    behind = [panel.values[name] for name in ("per_pass", "near_ties", "encoder", "drafting", "target")]
    assert not any(each.isVisible() for each in behind)
    panel.help.click()
    assert all(each.isVisible() for each in behind)
    stage.qtbot.waitUntil(lambda: panel.verticalScrollBar().isVisible())
    stage.qtbot.waitUntil(lambda: panel.widget().width() == panel.viewport().width())
    panel.help.click()
    assert not any(each.isVisible() for each in behind)


def test_the_chart_has_figures_at_its_axes(window: MainWindow, entry: Entry) -> None:
    told = [text for text, _place, _alignment in window.panel.chart.axes()]
    assert told == ["0%", "0", "50%", "4", "100%", "8", "0:28", "1:24"]


def test_a_value_takes_the_room_beside_its_name(window: MainWindow, entry: Entry, qtbot: QtBot) -> None:
    """However long the other names are: a usual one takes one line, and the longest precision two."""
    panel = window.panel
    panel.show_figures(entry.stats, Models("base", "base-draft", "", "CPU", "int8, encoder int8 and bf16"))
    line = panel.values["target_model"].height()
    qtbot.waitUntil(lambda: panel.values["precision"].height() == 2 * line)
    assert panel.values["draft_model"].height() == line


def test_what_the_draft_model_gains_is_measured_when_asked(window: MainWindow, stage: Stage, entry: Entry) -> None:
    """On this recording, in its language, with the models in use, and never while it is transcribed."""
    comparison = window.panel.comparison
    assert not comparison.isVisible()
    finished(stage, entry)
    stage.qtbot.waitUntil(comparison.isVisible)
    assert comparison.line.text() == "How much faster than without the draft model?"
    comparison.measure.click()
    order = stage.works.of(Measure)
    chosen = (str(stage.preferences.folder_in_use), "auto", "auto")
    assert order.work == Measure(*chosen, entry.path, entry.language)
    order.say(Step("Measuring", 1, 4))
    stage.qtbot.waitUntil(lambda: comparison.line.text() == "Measuring… 25%")
    assert comparison.cancel.isVisible()
    order.say(Done("base", speed=Speed(8.0, 12.0)))
    stage.qtbot.waitUntil(lambda: comparison.line.text() == "1.5 × faster than without the draft model")
    assert stage.models.speed is None  # the sample is what computers are compared by


def test_why_it_cannot_be_measured_is_said_there(window: MainWindow, stage: Stage, entry: Entry) -> None:
    finished(stage, entry)
    window.panel.comparison.measure.click()
    stage.works.of(Measure).say(Refused(Problem("file.not_found", path=entry.path)))
    stage.qtbot.waitUntil(window.panel.comparison.measure.isVisible)
    assert "Measur" not in window.panel.comparison.line.text()
    assert window.panel.comparison.line.text().endswith(".")


def test_the_figures_can_be_saved(window: MainWindow, stage: Stage, entry: Entry, tmp_path: Path) -> None:
    finished(stage, entry)
    stage.models.compared[entry.path] = Speed(8.0, 12.0)
    window.figures.save(entry, tmp_path / "figures.json")
    stage.qtbot.waitUntil(lambda: window.toast.text() == "Saved as figures.json")
    found = json.loads((tmp_path / "figures.json").read_text("utf-8"))
    assert found["file"] == "one.wav"
    assert found["models"]["target"] == MODELS.target
    assert found["statistics"]["tokens"] == entry.stats.tokens
    assert [point["acceptance"] for point in found["course"]] == [0.9, 0.5, 0.6]
    assert found["speed_up"] == {"alone": 8.0, "with_draft": 12.0}
    told: list[object] = []
    stage.session.trouble.connect(told.append)
    window.figures.save(entry, tmp_path / "none" / "figures.json")
    stage.qtbot.waitUntil(lambda: bool(told))


def test_a_recording_that_is_transcribed_again_begins_a_new_chart(
    window: MainWindow, stage: Stage, entry: Entry
) -> None:
    finished(stage, entry)
    entry.begin_again()
    assert entry.history.points == []
