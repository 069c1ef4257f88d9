"""The page of models: what is said before anything is asked, what the work on models looks like, what is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QPushButton
from pytestqt.qtbot import QtBot

from desktop_app import settings, texts
from desktop_app.app.models.model_job import Job
from desktop_app.app.models.speeds import Speeds
from desktop_app.app.presentation.problems import sentence
from desktop_app.app.settings import preferences
from desktop_app.engine.model_list import DownloadSource, ListedModel
from desktop_app.messages.model_work import (
    Add,
    Done,
    Download,
    Measure,
    Quantise,
    Refused,
    Remove,
    Step,
    Stopped,
    Try,
    Verify,
)
from desktop_app.problems import Problem
from desktop_app.transcript.statistics import Speed
from desktop_app.ui.models import page as page_module
from desktop_app.ui.models.card import ModelsCard
from desktop_app.ui.models.page import ModelsPage
from desktop_app.ui.models.row import ModelRow
from desktop_app.ui.models.words import about, facts, too_slow
from desktop_app.ui.shell import main_window as window_module
from desktop_app.ui.shell.main_window import MainWindow
from desktop_app.ui.widgets.theme import Theme
from tests.ui.staging import Stage, drag, drop
from tests.works import BASE, HOME, LARGE, NETWORK, SMALL

NO_NETWORK = Refused(Problem("download.timeout"))


@pytest.fixture(autouse=True)
def english(use_language: None) -> None:
    """Here sentences are read word by word, so always in English."""
    texts.use("en")


@pytest.fixture
def page(window: MainWindow, stage: Stage, qtbot: QtBot) -> ModelsPage:
    """The page with everything on it, on a computer of unknown memory."""
    stage.models.memory = None
    window.show_models()
    window.models.fold.click()
    window.models.card.fold.click()
    qtbot.waitUntil(lambda: set(window.models.rows) == {"base", "large", "small", "voices"})
    return window.models


def settle(stage: Stage, done: Callable[[], bool]) -> None:
    stage.qtbot.waitUntil(done)


def install(stage: Stage, page: ModelsPage, *names: str) -> None:
    """Let models be here, and the page show it."""
    stage.works.install(*(each for each in (LARGE, SMALL, NETWORK) if each.name in names))
    stage.models.refresh()
    settle(stage, lambda: all(page.rows[name]._model.folder for name in names))


def test_what_a_download_takes_is_said_before_it_is_asked_for(page: ModelsPage, stage: Stage) -> None:
    row = page.rows["large"]
    assert row.facts.text() == "Multilingual · about 17 GB of memory"
    assert row.advice.text() == "Faster with a draft model: small (English, 166 MB)"
    assert row.get.text() == "Download · 3.1 GB"
    assert row.get.accessibleName() == "Download large from hub.example.org: 3.1 GB"
    assert page.rows["small"].get.text() == "Download · about 166 MB"
    where = "Downloads come from hub.example.org and its file servers (*.hub.example.org, *.hf.co). Nothing is sent"
    assert page._where.text().startswith(where)
    assert page.rows["base"].facts.text() == "147 MB · Multilingual · included with Galley"
    assert page.rows["base"].tag.text() == "In use"
    assert page.rows["voices"].facts.text() == "identifies speakers"
    assert [type(each.work) for each in stage.works.all] == [Try]  # nothing was fetched unasked


def test_a_newcomer_sees_what_is_featured_and_all_the_rest_when_asked(
    page: ModelsPage, stage: Stage, qtbot: QtBot
) -> None:
    """Nothing that there is something to say of is hidden: here what has failed, and what is suggested."""
    featured = replace(SMALL, featured="Already fast; no draft needed.")
    stage.works.found = replace(stage.works.found, offered=(LARGE, NETWORK, featured))
    page.card.fold.click()
    assert not page.card.draft.isVisible() and not page.card.precision.isVisible() and page.card.target.isVisible()
    page.fold.click()
    stage.models.refresh()
    settle(stage, lambda: set(page.rows) == {"base", "small"})
    assert page.rows["small"].purpose.text() == "Already fast; no draft needed."
    assert page.fold.text() == "Show all 3 models" and page.card.fold.text() == "Advanced…"
    stage.models.get("large")
    stage.works.of(Download).say(NO_NETWORK)
    settle(stage, lambda: set(page.rows) == {"base", "small", "large"})
    page.fold.click()
    settle(stage, lambda: "voices" in page.rows)
    assert page.fold.text() == "Show fewer models"
    order = [each.name for each in page._offered.findChildren(ModelRow)]
    assert sorted(order) == ["large", "small", "voices"] and page.rows["small"].y() < page.rows["large"].y()


def test_another_draft_than_the_automatic_one_is_seen_at_once(stage: Stage, theme: Theme, qtbot: QtBot) -> None:
    stage.preferences.choose(draft="off")
    card = ModelsCard(theme, stage.models, stage.preferences)
    qtbot.addWidget(card)
    assert not card._advanced.isHidden()


def test_what_a_model_wants_is_compared_with_this_computer() -> None:
    full = replace(LARGE, parameters=240_000_000)
    assert facts(full, room=32_000_000_000).endswith("about 17 GB of memory")
    assert facts(full, room=16_000_000_000).endswith(" · fits into this computer's memory only as 8-bit")
    assert facts(full, room=4_000_000_000).endswith(" · too large for this computer's memory")
    assert facts(full, estimated=2.66).endswith(" · about 2.7 × real time here")
    assert "about 2.7" not in facts(full, Speed(9.0, 0.0), 2.66), "what was measured stands for it"


def test_a_model_that_is_too_slow_here_says_so_and_is_not_praised(page: ModelsPage, stage: Stage) -> None:
    """The catalogue's praise of a featured model holds for computers that are quick enough."""
    assert too_slow(Speed(9.0, 0.0), 0.3) == too_slow(None, 0.0) == too_slow(None, 1.0) == ""
    assert too_slow(Speed(0.25, 0.0), 3.0) == "Too slow here: an hour takes about 4 h"
    featured = replace(SMALL, featured="Already fast; no draft needed.", parameters=800_000_000)
    row = page.rows["small"]
    row.show_model(featured, stage.works.found.source)
    assert row.purpose.text() == "Already fast; no draft needed."
    stage.works.found = replace(
        stage.works.found, installed=(replace(BASE, parameters=80_000_000),), offered=(featured,)
    )
    stage.models.speeds.keep((str(BASE.folder), "auto", "auto"), Speed(4.0, 0.0))
    stage.models.refresh()
    settle(stage, lambda: "slow" in row.__dict__)
    assert row.slow.text() == "Too slow here: an hour takes about 2 h 30 min" and not row.purpose.isVisible()


def test_licence_and_origin_are_told_when_asked(
    page: ModelsPage, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(page_module, "inform", lambda parent, heading, text: told.extend((heading, text)))
    assert about(LARGE) == "Licence: MIT\nWith 8-bit weights: about 7.1 GB of memory"
    (only,) = page.rows["voices"].menu().actions()
    only.trigger()
    assert told == ["voices", "Licence: MIT\nFrom: By many hands"]


def test_where_a_model_came_from_is_said() -> None:
    """Only what the catalogue does not say already."""
    mine = ListedModel("mine", "mine", HOME / "mine", 1_000_000)
    assert facts(mine) == "1 MB"
    assert facts(replace(mine, from_folder=True)) == "1 MB · added from a folder"
    assert facts(replace(mine, trained_for="large")) == "1 MB · trained as a draft for large"
    assert facts(replace(mine, removable=False)) == "1 MB · included with Galley"


def test_mirror_and_proxy_are_named(page: ModelsPage, stage: Stage, qtbot: QtBot) -> None:
    page.mirror.click()
    assert page.address.isVisible()
    qtbot.keyClicks(page.address, " https://mirror.example.org ")
    stage.works.found = replace(
        stage.works.found, source=DownloadSource("mirror.example.org", "proxy.example:3128", True)
    )
    qtbot.keyClick(page.address, Qt.Key.Key_Return)
    assert stage.preferences.mirror == "https://mirror.example.org"
    servers = "mirror.example.org and its file servers (*.mirror.example.org, *.hf.co)"
    where = f"Downloads come from {servers}, through the proxy proxy.example:3128."
    settle(stage, lambda: page._where.text().startswith(where))
    assert "mirror=https://mirror.example.org" in settings.path().read_text()
    assert not page.address.isVisible()
    assert page.mirror.isVisible()
    stage.works.found = replace(
        stage.works.found, source=DownloadSource("", mirror=True, problem=Problem("download.bad_mirror", address="x"))
    )
    stage.models.refresh()
    settle(stage, lambda: page._where.text().startswith("x is not the address of a mirror."))
    assert not page.rows["large"].get.isEnabled()


def test_a_download_shows_bytes_speed_and_time_and_goes_on_behind_other_pages(
    page: ModelsPage, window: MainWindow, stage: Stage
) -> None:
    page.rows["large"].get.click()
    order = stage.works.of(Download)
    assert order.work == Download("large")
    row = page.rows["large"]
    assert (row.get.isVisible(), row.cancel.isVisible(), row.progress.text()) == (False, True, "Connecting…")
    window.show_idle()
    order.say(Step("Downloading", 1_550_000_000, 3_100_000_000))
    settle(stage, lambda: window.sidebar.models.text() == "Models · 50%")
    window.show_models()
    assert row.bar.value == 0.5
    assert row.progress.text() == "1.6 GB of 3.1 GB"
    order.say(Step("Checking", 3_000_000_000, 3_100_000_000))
    settle(stage, lambda: row.progress.text() == "Verifying… 97%")
    stage.works.install(LARGE)
    order.say(Done("large"))
    settle(stage, lambda: row.use.isVisible())
    assert window.toast.text() == "large: downloaded and verified"
    assert window.sidebar.models.text() == "Models"
    assert row.draft.text() == "Download draft model small · 166 MB"
    row.draft.click()
    assert stage.works.of(Download).work == Download("small")


def test_speed_is_that_of_the_last_seconds_and_a_stall_is_said() -> None:
    job = Job(Download("large"))
    for second in range(20):
        job.note(Step("Downloading", 5_000_000_000 + second * 10_000_000, 10_000_000_000), float(second))
    assert job.words(19.0) == "5.2 GB of 10.0 GB · 10 MB/s · about 8 min left"
    assert job.words(25.0) == "5.2 GB of 10.0 GB · waiting for data"
    job.note(Step("Downloading", 5_200_000_000, 10_000_000_000), 30.0)
    assert job.speed(30.0) < 2_000_000
    assert Job(Download("large"), waiting=True).words(0.0) == "Queued"


def test_downloads_come_one_after_another_and_a_waiting_one_can_be_taken_back(page: ModelsPage, stage: Stage) -> None:
    for name in ("large", "small", "voices"):
        page.rows[name].get.click()
    fetches = [each for each in stage.works.all if isinstance(each.work, Download)]
    assert len(fetches) == 1
    assert page.rows["small"].progress.text() == "Queued"
    page.rows["small"].cancel.click()
    assert page.rows["small"].get.isVisible()
    fetches[0].say(NO_NETWORK)
    settle(stage, lambda: stage.works.of(Download).work == Download("voices"))


def test_a_cancelled_download_keeps_what_came_and_goes_on(page: ModelsPage, stage: Stage) -> None:
    row = page.rows["large"]
    row.get.click()
    order = stage.works.of(Download)
    row.cancel.click()
    assert order.cancelled
    assert (row.progress.text(), row.cancel.isEnabled()) == ("Stopping…", False)
    begun = replace(LARGE, begun=1_200_000_000)
    stage.works.found = replace(stage.works.found, offered=(begun, SMALL, NETWORK))
    order.say(Stopped())
    settle(stage, lambda: row.get.isVisible() and row.get.text() == "Resume · 1.9 GB")
    assert row.progress.text() == "1.2 GB already downloaded"
    row.discard.click()
    assert stage.works.of(Remove).work == Remove("large")


def test_what_goes_wrong_is_one_sentence_on_the_row(page: ModelsPage, stage: Stage) -> None:
    row = page.rows["large"]
    row.get.click()
    stage.works.of(Download).say(NO_NETWORK)
    settle(stage, lambda: row.get.isVisible())
    assert row.problem.text() == sentence(NO_NETWORK.problem)
    row.get.click()
    assert not row.problem.isVisible()
    stage.works.of(Download).say(NO_NETWORK)
    settle(stage, lambda: row.dismiss.isVisible())
    row.dismiss.click()
    assert not row.problem.isVisible()


def test_another_model_and_draft_are_taken_once_they_are_known_to_fit(page: ModelsPage, stage: Stage) -> None:
    install(stage, page, "large", "small")
    page.rows["large"].use.click()
    assert stage.preferences.options().target == ""
    stage.works.of(Try).say(Done(str(HOME / "large"), "small"))
    settle(stage, lambda: stage.preferences.options().target == str(HOME / "large"))
    assert page.card.target.text() == "large"
    assert page.rows["small"].tag.text() == "Draft"
    actions = {action.text(): action for action in page.card.draft_menu().actions()}
    assert list(actions) == ["Automatic", "None", "base", "small"]
    actions["base"].trigger()
    stage.works.of(Try).say(Refused(Problem("model.draft_timestamps", draft="base", target="large")))
    settle(stage, lambda: page.problem.isVisible())
    assert page.problem.text.text().startswith("base cannot draft for large: it has no timestamps. Choose another")
    assert stage.preferences.options().draft == "auto"
    page.problem.buttons[0].click()
    assert not page.problem.isVisible()
    actions["None"].trigger()
    stage.works.of(Try).say(Done(str(HOME / "large")))
    settle(stage, lambda: stage.preferences.options().draft == "off")
    assert page.card.draft.text() == "None"


def test_a_draft_that_does_not_fit_another_model_is_let_go_of_and_that_is_said(page: ModelsPage, stage: Stage) -> None:
    install(stage, page, "large", "small")
    stage.preferences.choose(draft=str(HOME / "small"))
    page.rows["large"].use.click()
    stage.works.of(Try).say(Refused(Problem("model.draft_window", draft="small", target="large")))
    settle(stage, lambda: stage.works.of(Try).work == Try(str(HOME / "large"), "auto"))
    stage.works.of(Try).say(Done(str(HOME / "large")))
    settle(stage, lambda: page.problem.isVisible())
    assert (stage.preferences.options().target, stage.preferences.options().draft) == (str(HOME / "large"), "auto")
    assert page.problem.text.text().endswith("The draft model is chosen automatically again.")


def test_small_weights_are_made_before_they_are_used(page: ModelsPage, stage: Stage, window: MainWindow) -> None:
    full, eight, _ = page.card.precision.group.buttons()
    eight.click()
    order = stage.works.of(Quantise)
    assert order.work == Quantise("", "auto", "int8")
    order.say(Step("Quantising", 600, 1000))
    settle(stage, lambda: page.card.quantising.text.text() == "Quantising the weights… 60%")
    assert stage.preferences.options().precision == "auto"
    order.say(Done())
    settle(stage, lambda: stage.preferences.options().precision == "int8")
    assert not page.card.quantising.isVisible()
    assert "int8" in window.idle._model.text()
    full.click()
    assert stage.preferences.options().precision == "auto"
    eight.click()
    stage.works.of(Quantise).say(Refused(Problem("disk.full")))
    settle(stage, lambda: page.problem.isVisible())
    assert full.isChecked()


def test_small_weights_that_nobody_wants_any_more_are_not_taken(page: ModelsPage, stage: Stage) -> None:
    full, eight, _ = page.card.precision.group.buttons()
    eight.click()
    full.click()
    assert stage.works.of(Quantise).cancelled
    stage.works.of(Quantise).say(Done())
    settle(stage, lambda: not stage.models.jobs or "+small" not in stage.models.jobs)
    assert stage.preferences.options().precision == "auto"


def test_removing_asks_and_lets_another_one_write(
    page: ModelsPage, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(stage, page, "large")
    stage.preferences.choose(target=str(HOME / "large"))
    asked: list[str] = []
    monkeypatch.setattr(page_module, "confirm", lambda window, *texts: bool(asked.append(texts[1])) or True)
    remove = page.rows["large"].menu().actions()[-1]
    assert remove.isEnabled()
    assert not page.rows["base"].menu().actions()[-1].isEnabled()
    remove.trigger()
    assert asked == ["This frees 3.1 GB. The model is in use; another one will be used instead."]
    stage.works.found = replace(
        stage.works.found, installed=stage.works.found.installed[:1], offered=(LARGE, SMALL, NETWORK)
    )
    stage.works.of(Remove).say(Done("large"))
    settle(stage, lambda: stage.preferences.options().target == "")
    settle(stage, lambda: page.rows["large"].get.isVisible())


def test_every_byte_can_be_checked(page: ModelsPage, stage: Stage, window: MainWindow) -> None:
    page.rows["base"].menu().actions()[1].trigger()
    stage.works.of(Verify).say(Done("base", compared=False))
    settle(stage, lambda: window.toast.text() == "base: all files can be read")


def test_a_dropped_folder_is_added_and_a_recording_is_still_transcribed(
    page: ModelsPage, window: MainWindow, stage: Stage, tmp_path: Path
) -> None:
    folder = tmp_path / "my model"
    folder.mkdir()
    drop(window, drag(window, folder))
    assert stage.works.of(Add).work == Add(str(folder))
    row = page.rows[str(folder)]
    assert row.title.text() == "my model"
    assert "get" not in row.__dict__
    stage.works.of(Add).say(Refused(Problem("model.pickle", file="pytorch_model.bin")))
    settle(stage, lambda: row.dismiss.isVisible())
    assert row.problem.text().startswith("The weights are a pickle (pytorch_model.bin), which could run code.")
    row.dismiss.click()
    settle(stage, lambda: str(folder) not in page.rows)
    (folder / "config.json").write_text("{}")
    window.show_idle()
    drop(window, drag(window, folder))  # a model is known for one wherever it is dropped
    assert window.stack.currentWidget() is page
    assert stage.works.of(Add).work == Add(str(folder))
    (tmp_path / "talk.wav").write_bytes(b"sound")
    drop(window, drag(window, tmp_path / "talk.wav"))
    settle(stage, lambda: bool(stage.session.entries))


def test_a_folder_is_used_where_it_lies(
    page: ModelsPage, stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "galley.json").write_text('{"name": "My model"}')
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path))
    page.card.target_menu().actions()[-1].trigger()
    assert stage.works.of(Try).work == Try(str(tmp_path), "auto")
    stage.works.of(Try).say(Refused(Problem("model.incomplete", file="config.json")))
    settle(stage, lambda: page.problem.text.text() == sentence(Problem("model.incomplete", file="config.json")))
    page.card.target_menu().actions()[-1].trigger()
    stage.works.of(Try).say(Done(str(tmp_path)))
    settle(stage, lambda: page.card.target.text() == "My model")


def test_closing_in_the_middle_of_a_download_asks(
    page: ModelsPage, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.rows["large"].get.click()
    asked: list[str] = []
    monkeypatch.setattr(window_module, "confirm", lambda parent, question, *_: asked.append(question))
    assert not window.close()
    assert asked == ["A download is not finished"]


def test_everything_is_reached_by_keys_and_fits_the_smallest_window(
    page: ModelsPage, window: MainWindow, stage: Stage, qtbot: QtBot
) -> None:
    window.resize(760, 520)
    install(stage, page, "large")
    for control in page.findChildren(QPushButton):
        assert control.accessibleName() or control.text(), control
        assert control.focusPolicy() & Qt.FocusPolicy.TabFocus, control
    names = {control.accessibleName() for control in page.findChildren(QPushButton)}
    assert {"Use large", "More actions for base"} <= names
    for row in page.rows.values():
        assert page.rect().contains(row.mapTo(page, row.rect().topRight()).x(), 10)
    page.add.setFocus(Qt.FocusReason.TabFocusReason)
    control, tops = QApplication.focusWidget(), list[int]()
    while control is not page.rows["voices"].get:
        assert control is not None and page.isAncestorOf(control)
        tops.append(control.mapTo(page.sheet.widget(), QPoint(0, 0)).y())
        qtbot.keyClick(control, Qt.Key.Key_Tab)
        control = QApplication.focusWidget()
    assert len(tops) > 5
    assert all(then > first - 40 for first, then in pairwise(tops))  # down the page
    page.rows["voices"].get.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert window.stack.currentWidget() is window.idle
    qtbot.keyClick(window, Qt.Key.Key_M, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert window.stack.currentWidget() is page


def test_the_speed_of_this_computer_is_measured_when_asked(page: ModelsPage, stage: Stage) -> None:
    """Nothing is computed unasked; what was found says what a user waits for, and survives a restart of the page."""
    card = page.card
    assert [type(each.work) for each in stage.works.all] == [Try]
    assert card._speed_line.text().startswith("Transcribes a part of the sample conversation")
    card.measure.click()
    order = stage.works.of(Measure)
    assert order.work == Measure(str(BASE.folder), "auto", "auto")
    assert not card.measure.isEnabled()
    order.say(Step("Measuring", 1, 2))
    settle(stage, lambda: card.measuring.text.text() == "Measuring… 50%")
    order.say(Done("base", speed=Speed(alone=9.04, with_draft=12.6)))
    settle(stage, card.measure.isEnabled)
    assert not card.measuring.isVisible()
    assert card._speed_line.text() == (
        "13 × real time · 9.0 × without the draft model · an hour of audio takes about 5 min"
    )
    assert card.measure.text() == "Measure again"
    stage.preferences.choose(draft="off")
    assert card.measure.text() == "Measure"  # another pair was not measured
    stage.preferences.choose(draft="auto")
    stage.settle()
    assert Speeds().find((order.work.target, "auto", "auto")) == Speed(9.04, 12.6)


def test_a_measurement_of_a_busy_computer_says_so_and_replaces_no_quiet_one(page: ModelsPage, stage: Stage) -> None:
    card, told = page.card, list[str]()
    stage.models.told.connect(told.append)
    for speed, shown in (
        (Speed(5.3, 7.1, 0.4), "Other work took 40% of the processor meanwhile. Measure again when it is quiet."),
        (Speed(9.0, 12.6), "5 min"),
        (Speed(7.1, 7.1, 0.5), "5 min"),
    ):
        card.measure.click()
        stage.works.of(Measure).say(Done("base", speed=speed))
        settle(stage, card.measure.isEnabled)
        assert card._speed_line.text().endswith(shown)
    assert told == ["The computer was busy. The earlier result is kept."]
    assert stage.models.speed == Speed(9.0, 12.6)


def test_a_better_model_is_suggested_where_this_computer_is_fast_enough(page: ModelsPage, stage: Stage) -> None:
    base, large = replace(BASE, parameters=72_000_000), replace(LARGE, parameters=240_000_000, memory=(1000, 1000))
    stage.works.found = replace(stage.works.found, installed=(base,), offered=(large,))
    stage.models.refresh()
    settle(stage, lambda: stage.models.list is stage.works.found)
    stage.models.speeds.keep((str(BASE.folder), "auto", "auto"), Speed(9.0, 13.0))
    stage.models.changed.emit()
    assert page.card._better_line.text() == (
        "large, available to download, makes fewer mistakes and would run at about 2.7 × here."
    )
    assert page.card._better_line.isVisible()
    assert page.rows["large"].facts.text().endswith("about 2.7 × real time here")
    page.fold.click()
    assert "large" in page.rows, "what is suggested is to be found"


def test_the_page_is_refreshed_without_searching_the_disk(page: ModelsPage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preferences, "default_folder", lambda: pytest.fail("searched the disk for models"))
    page.refresh()


def test_why_the_speed_cannot_be_measured_is_said(page: ModelsPage, stage: Stage) -> None:
    page.card.measure.click()
    stage.works.of(Measure).say(Refused(Problem("engine.work_silent")))
    settle(stage, page.problem.isVisible)
    assert page.card.measure.isEnabled()
    page.card.measure.click()
    page.card.measuring.cancel.click()
    assert stage.works.of(Measure).cancelled


def test_a_measured_speed_stands_on_the_row_of_its_model() -> None:
    assert facts(BASE, Speed(9.0, 0.0)).endswith(" · 9.0 × real time here")
