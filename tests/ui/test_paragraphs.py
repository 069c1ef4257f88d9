"""Lines of one speaker flow together, and yet each can be clicked, edited and moved in."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app.app.recordings.entry import Entry
from desktop_app.messages.jobs import TentativeLine
from desktop_app.transcript.model import Segment
from desktop_app.ui.shell.main_window import MainWindow
from desktop_app.ui.transcript.finder import Query
from desktop_app.ui.transcript.flow import Flow
from desktop_app.ui.transcript.selection import Selection
from desktop_app.ui.widgets.theme import LIGHT_PALETTE, Theme, font
from tests.event_loop import drain
from tests.talks import talk
from tests.ui.staging import Stage
from tests.unit.app.editing.test_edits import finish, stored

Make = Callable[[str], Path]
Key = Qt.Key
WORDS = "the roof is done and windows come on Friday if only the narrow road up there opens".split()


def prose(width: float = 420) -> Flow:
    made = Flow(font(17, serif=True), 27, 11, joins=True)
    made.lead = 34
    made.set_width(width)
    return made


@pytest.fixture
def flow(qapp: QApplication, theme: Theme) -> Flow:
    return prose()


@pytest.fixture
def conversation(window: MainWindow, stage: Stage, recording: Make) -> Entry:
    """One of two people, looked at."""
    (entry,) = stage.drop(recording("talk.wav"))
    finish(stage, entry, talk(2))
    return entry


def said(*texts: str, gap: float = 0.0, speaker: str | None = None) -> tuple[Segment, ...]:
    """Lines of two seconds each."""
    step = 2.0 + gap
    return tuple(Segment(n, n * step, n * step + 2, f" {text}", speaker=speaker) for n, text in enumerate(texts))


def chatter(chance: random.Random, count: int) -> list[Segment]:
    """Short and long lines of two speakers, with pauses."""
    made, at = list[Segment](), 0.0
    for number in range(count):
        text = " ".join(chance.choices(WORDS, k=chance.randint(1, 14))) + chance.choice(("", ".", "?"))
        at += chance.choice((0.0, 0.3, 2.5))
        made.append(Segment(number, at, at + 2, f" {text}", speaker=f"S{number // 7 % 2}"))
        at += 2
    return made


def geometry(flow: Flow) -> list[tuple[float, float, bool, bool, float]]:
    return [
        (flow.top_of(index), line.offset, line.joined, line.begins, line.stop) for index, line in enumerate(flow.lines)
    ]


def fresh(segments: Sequence[Segment], width: float = 420) -> Flow:
    made = prose(width)
    for count in range(1, len(segments) + 1):
        made.sync(segments[:count], ())
    return made


def test_a_line_begins_where_the_one_before_it_ends(flow: Flow) -> None:
    flow.sync(said("One two.", "Three.", "Four."), ())
    assert len({flow.top_of(index) for index in range(3)}) == 1
    spans = [flow.spans(index, 0, len(line.text))[0] for index, line in enumerate(flow.lines)]
    for (_, right, _), (left, _, _) in itertools.pairwise(spans):
        assert 2 < left - right < 8, "a space between them"
    assert flow.height == 27 + 11
    for index, (left, right, top) in enumerate(spans):
        assert flow.position_at((left + right) / 2, top + 13)[0] == index
    assert flow.position_at(spans[1][0] + 1, 13) == (1, 0)
    assert flow.position_at(flow.width, 13) == (2, 5)
    assert flow.first_at(5.0) == 0


def test_a_paragraph_begins_with_another_speaker_after_a_pause_and_where_a_reader_wants_it(flow: Flow) -> None:
    flow.sync(said("One.", "Two.", gap=2.1), ())
    assert [line.begins for line in flow.lines] == [True, True]
    flow.clear()
    one, two, three = said("One.", "Two.", "Three.")
    flow.sync((one, replace(two, speaker="S1"), replace(three, speaker="S1", begins_paragraph=True)), ())
    assert [line.begins for line in flow.lines] == [True, True, True]
    assert [line.lead for line in flow.lines] == [0.0, 34.0, 0.0]
    assert flow.height == 3 * (27 + 11) + 34


def test_a_word_that_has_no_room_in_the_row_begins_the_next_one_whole(flow: Flow) -> None:
    for count in range(2, 14):
        flow.clear()
        flow.sync(said(" ".join(WORDS[:count]), "Incomprehensibilities, said he."), ())
        rows = flow.spans(1, 0, len("Incomprehensibilities"))
        assert len(rows) == 1, "the word is in one piece"
        assert flow.lines[1].joined == (flow.lines[1].stop > flow.lines[1].offset > 0 and rows[0][0] > 0)
        assert rows[0][1] <= flow.width
    flow.clear()
    flow.sync(said("One.", "x" * 200), ())
    assert not flow.lines[1].joined and flow.lines[1].rows > 3, "what has no room anywhere is broken"


def test_text_that_runs_to_the_left_flows_to_the_left(flow: Flow) -> None:
    flow.sync(said("مرحبا بالعالم", "كيف الحال", "Hello."), ())
    (first,), (second,) = flow.spans(0, 0, 13), flow.spans(1, 0, 9)
    assert first[1] == pytest.approx(flow.width, abs=2)
    assert second[1] < first[0] and flow.lines[1].joined
    assert flow.lines[2].begins, "another direction is another paragraph"
    assert flow.position_at((second[0] + second[1]) / 2, 13)[0] == 1
    assert flow.position_at(flow.width - 1, 13) == (0, 0)


def test_scripts_without_spaces_have_none_between_lines(flow: Flow) -> None:
    flow.sync(said("東京は晴れです。", "明日は雨です。"), ())
    (first,), (second,) = flow.spans(0, 0, 8), flow.spans(1, 0, 7)
    assert second[0] == pytest.approx(first[1], abs=0.5)


@pytest.mark.parametrize("seed", range(6))
def test_after_edits_all_stands_where_it_would_in_a_new_layout(qapp: QApplication, theme: Theme, seed: int) -> None:
    """Only what an edit moves is laid out again."""
    chance = random.Random(seed)
    lines = chatter(chance, 60)
    flow = fresh(lines)
    for _edit in range(25):
        at = chance.randrange(len(lines))
        line = lines[at]
        half = len(line.text) // 2
        parts = (replace(line, text=line.text[:half]), replace(line, text=line.text[half:], begins_paragraph=True))
        longer = replace(line, text=f"{line.text} {' '.join(chance.choices(WORDS, k=9))}")
        other = replace(line, speaker=chance.choice(("S0", "S1", None)))
        made: list[Segment] = chance.choice(([*parts], [longer], [other], [], [replace(line, text=" a")], [line, line]))
        lines = [*lines[:at], *made, *lines[at + 1 :]]
        flow.revise(lines)
        assert geometry(flow) == geometry(fresh(lines))
        assert flow.is_measured
        assert [flow.layout(index).text() for index in range(len(lines))] == [line.text for line in flow.lines]


def test_an_edit_lays_out_its_paragraph_and_no_other(flow: Flow) -> None:
    lines = list(said(*["The roof is done."] * 200))
    flow.sync(lines[:1], ())
    for count in range(2, 201):
        flow.sync(lines[:count], ())
    measured = flow.measured
    lines[3] = replace(lines[3], text=" The roof is not done.")
    flow.revise(lines)
    assert flow.measured - measured < 2 * 25, "21 lines are a paragraph"


@pytest.mark.parametrize("width", [260, 420, 900])
def test_a_whole_text_that_was_guessed_stands_in_the_end_as_if_it_had_grown(flow: Flow, width: float) -> None:
    lines = chatter(random.Random(7), 300)
    flow.sync(lines, ())
    flow.set_width(width)
    flow.refine(150, 160)
    seen = geometry(flow)[150:161]
    last = lines[-1]
    lines = [*lines, replace(last, id=300, start=last.end, end=last.end + 2, text=" And the end of it.")]
    flow.sync(lines, ())  # it is laid out at once, behind lines that are only guessed
    assert flow.lines[-1].exact and not flow.lines[-1].begins and not flow.lines[-2].exact
    while flow.refine_next(0.01):
        pass
    whole = geometry(flow)
    assert [each[1:] for each in whole[150:161]] == [each[1:] for each in seen], "what was seen is measured"
    assert whole == geometry(fresh(lines, width))


def test_text_in_work_flows_on_and_finished_lines_take_its_place(flow: Flow) -> None:
    done = said("One two three.", "Four five six.", "Seven.")
    work = [TentativeLine(segment.start, segment.text, "") for segment in done]
    flow.sync((), work)
    before = geometry(flow)
    assert [line.begins for line in flow.lines] == [True, False, False]
    for count in range(1, 4):
        flow.sync(done[:count], work[count:])
        assert geometry(flow) == before
    flow.sync(done[:1], (replace(work[1], draft=" and more"), work[2]))
    assert flow.spans(2, 0, 6)[0][0] > flow.spans(1, 0, 14)[0][1], "what follows makes room"
    flow.sync(done[:1], (replace(work[1], start=4.5),))
    assert flow.lines[1].begins, "after a pause"


def test_what_is_composed_makes_room(flow: Flow) -> None:
    flow.sync(said("One.", "Two.", "Three."), ())
    before = geometry(flow)
    flow.compose(0, 4, "nihao")
    assert flow.lines[1].offset > before[1][1] + 20 and flow.lines[2].offset > before[2][1] + 20
    flow.compose(-1, 0, "")
    assert geometry(flow) == before


def test_arrows_home_and_end_move_in_rows(flow: Flow) -> None:
    flow.sync((*said("One two.", "Three four.", "Five."), Segment(3, 20.0, 22.0, " Next six.")), ())
    reading = Selection(flow)
    reading.put((1, 3), False)
    reading.move(Key.Key_Home, False, False)
    assert reading.caret == (0, 0)
    reading.move(Key.Key_End, False, False)
    assert reading.caret == (2, 5)
    reading.move(Key.Key_Down, False, False)
    assert reading.caret == (3, 9)
    reading.put((3, 5), False)
    reading.move(Key.Key_Up, False, False)
    assert reading.caret == (0, 5)
    reading.put((0, 8), False)
    reading.move(Key.Key_Right, False, False)
    assert reading.caret == (1, 0)
    reading.select_paragraph(1)
    assert reading.text() == "One two. Three four. Five."
    reading.select_all()
    assert reading.text() == "One two. Three four. Five.\nNext six."


def test_end_stays_in_a_row_that_goes_on_in_the_next_one(flow: Flow) -> None:
    flow.sync(said(" ".join(WORDS * 3)), ())
    reading = Selection(flow)
    reading.put((0, 3), False)
    reading.move(Key.Key_End, False, False)
    assert flow.caret_at(*reading.caret)[1] == 0 and flow.caret_at(*reading.caret)[0] > flow.width / 2
    reading.move(Key.Key_Down, False, False)
    assert flow.caret_at(*reading.caret)[1] == 27
    reading.move(Key.Key_Home, False, False)
    assert flow.caret_at(*reading.caret) == (0.0, 27.0)


def test_a_click_finds_its_line_and_enter_begins_a_paragraph_that_stays(
    window: MainWindow, stage: Stage, conversation: Entry, qtbot: QtBot
) -> None:
    window.activateWindow()
    view = window.page.view
    view.setFocus()
    place = view.placement.character_rect((2, 0))
    assert place.top() == view.placement.character_rect((1, len(view.flow.lines[1].text) - 1)).top(), "they share a row"
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place.center() - QPoint(1, 0))
    assert view.selection.caret == (2, 0)
    view.selection.put((1, 18), False)
    qtbot.keyClick(view, Key.Key_Return)
    assert [line.begins for line in view.flow.lines[1:4]] == [True, True, False]
    assert view.placement.character_rect((2, 0)).top() == view.placement.character_rect((1, 0)).bottom() + 1 + 11
    stage.edits.save()
    kept = stored(stage, conversation.id).segments[:4]
    assert [line.begins_paragraph for line in kept] == [False, False, True, False]
    qtbot.keyClicks(view, "So ")
    assert view.flow.lines[2].begins and view.flow.lines[2].text.startswith("So They")
    for _key in range(4):
        qtbot.keyClick(view, Key.Key_Backspace)
    assert not view.flow.lines[2].begins
    assert view.flow.lines[1].text == talk(2).segments[1].text


def test_the_picture_of_a_selection_has_no_gap_between_lines(window: MainWindow, conversation: Entry) -> None:
    view = window.page.view
    view.select((1, 0), (2, 10))
    end, begin = (
        view.placement.character_rect((1, len(view.flow.lines[1].text) - 1)),
        view.placement.character_rect((2, 0)),
    )
    picture = view.viewport().grab().toImage()
    color = LIGHT_PALETTE.color("selection").name()
    middle = [picture.pixelColor(x, end.center().y() + 8).name() for x in range(end.right() + 1, begin.left())]
    assert middle and set(middle) == {color}


def test_a_line_that_is_split_for_its_speakers_begins_a_paragraph_once(
    window: MainWindow, stage: Stage, conversation: Entry
) -> None:
    view = window.page.view
    stage.edits.split(conversation.id, 1, 18)
    assert [line.begins for line in view.flow.lines[1:4]] == [True, True, False]
    stage.edits.split(conversation.id, 2, 12)
    assert [line.begins for line in view.flow.lines[1:5]] == [True, True, True, False]
    stage.edits.reassign_selection(conversation.id, (3, 0), (3, 8), "S1")
    assert [line.segment.begins_paragraph for line in view.flow.lines[1:6] if line.segment] == [
        *(False, True, True, False, False)
    ], "what goes on behind the other speaker was begun by nobody"


def test_another_font_lays_all_out_anew(flow: Flow) -> None:
    lines = chatter(random.Random(3), 40)
    flow.sync(lines, ())
    flow.set_type(font(24, serif=True), 38)
    assert not flow.is_measured
    flow.refine(0, 39)
    larger = Flow(font(24, serif=True), 38, 11, joins=True)
    larger.lead = 34
    larger.set_width(420)
    for count in range(1, 41):
        larger.sync(lines[:count], ())
    assert geometry(flow) == geometry(larger)


def test_only_the_first_line_of_a_paragraph_has_a_time(
    window: MainWindow, stage: Stage, recording: Make, qtbot: QtBot
) -> None:
    (entry,) = stage.drop(recording("short.wav"))
    finish(stage, entry, replace(talk(1), speakers=()))
    drain()
    view = window.page.view
    flow = prose(view.column()[1])

    def full_row(count: int) -> bool:
        flow.sync(said("go " * count, "Incomprehensibilities."), ())
        found = not flow.lines[1].joined
        flow.clear()
        return found

    count = next(count for count in range(1, 99) if full_row(count))
    (entry,) = stage.drop(recording("talk.wav"))
    lines = said("go " * count, "Incomprehensibilities.")
    finish(stage, entry, replace(talk(1), segments=lines, speakers=()))
    window.show_entry(entry.id)
    drain()
    asked, inside = list[float](), 1
    view.time_asked.connect(asked.append)
    assert not view.flow.lines[1].begins and not view.flow.lines[1].joined
    picture, page = view.viewport().grab().toImage(), LIGHT_PALETTE.color("page").name()

    def margin(index: int) -> set[str]:
        place = view.placement.time_rect(index)
        middle = place.center().y()
        return {picture.pixelColor(x, middle).name() for x in range(place.left(), place.right())}

    assert margin(inside) == {page} != margin(0)
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.placement.time_rect(inside).center())
    assert asked == []
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.placement.time_rect(0).center())
    assert asked == [view.flow.lines[0].start]


def test_a_hit_has_an_edge(window: MainWindow, conversation: Entry) -> None:
    view = window.page.view
    view.look_for(Query("chimney"))
    hit = view.finder.hit
    assert hit is not None
    first, last = view.placement.character_rect(hit[:2]), view.placement.character_rect((hit[0], hit[2] - 1))
    picture = view.viewport().grab().toImage()
    above = {picture.pixelColor(x, first.top() + 2).name() for x in range(first.left() + 4, last.right() - 4)}
    assert above == {LIGHT_PALETTE.color("hit_edge").name()}
