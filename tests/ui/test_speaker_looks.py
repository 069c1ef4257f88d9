"""Speakers can be told apart, by everybody and on every ground; the lanes show every turn."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor

from desktop_app.texts import _
from desktop_app.ui.player.turns import Lane, runs, words_at
from desktop_app.ui.speakers.lanes import next_turn
from desktop_app.ui.transcript.flow import Flow, Revision
from desktop_app.ui.widgets.speaker_badge import SHAPES, badge, initial, look_of, outline
from desktop_app.ui.widgets.theme import DARK_PALETTE, LIGHT_PALETTE, SPEAKER_COLORS, Palette, Theme, contrast, font
from tests.talks import talk

BOTH = pytest.mark.parametrize("palette", [LIGHT_PALETTE, DARK_PALETTE], ids=lambda palette: palette.name)


@BOTH
def test_every_colour_can_be_read_on_every_ground(palette: Palette) -> None:
    for color in SPEAKER_COLORS[palette.name]:
        for ground in ("page", "side", "raised", "hover", "pressed"):
            assert contrast(color, getattr(palette, ground)) >= 4.5, (color, ground)


def test_forty_speakers_look_different_and_neighbours_differ_in_colour_and_shape() -> None:
    looks = [look_of(f"S{number}") for number in range(1, 41)]
    assert len(set(looks)) == 40
    assert all(one.color != other.color and one.shape != other.shape for one, other in itertools.pairwise(looks))
    assert look_of("anybody") == look_of("anybody")


@pytest.mark.parametrize(
    ("name", "letter"),
    [("Rose", "R"), ("Speaker 3", "3"), ("Speaker 12", "12"), ("Sprecher 2", "2"), ("émile", "É"), ("李", "李"),
     ("(Dr.) House", "D"), ("???", "·"), ("Agent 007", "A"), ("4th floor", "4")],
)  # fmt: skip
def test_the_initial_says_who_it_is(name: str, letter: str) -> None:
    assert initial(name) == letter


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_has_its_middle_for_the_letter(shape: str) -> None:
    place = QRectF(0, 0, 18, 18)
    path = outline(shape, place)
    assert all(path.contains(QPointF(9 + x, 9 + y)) for x in (-4, 0, 4) for y in (-4, 0, 4))
    assert place.adjusted(-2, -2, 2, 2).contains(path.boundingRect())


@BOTH
def test_a_badge_is_painted_in_the_speakers_colour(palette: Palette, theme: Theme) -> None:
    image = badge(look_of("S2"), "A", palette).toImage()
    assert image.pixelColor(10, 3) == QColor(SPEAKER_COLORS[palette.name][1])


def test_every_turn_is_seen_and_none_leaves_its_lane() -> None:
    turns = ((0.0, 0.01), (10.0, 20.0), (20.001, 30.0), (99.99, 100.0))
    found = runs(turns, (0.0, 100.0), 200.0)
    assert found == [(0.0, 2.0), (20.0, pytest.approx(40.0)), (198.0, pytest.approx(2.0))]
    assert runs(((0.0, 500.0),), (0.0, 100.0), 50.0) == [(0.0, 50.0)]
    assert runs(turns, (0.0, 0.0), 200.0) == []
    assert runs(turns, (15.0, 25.0), 200.0) == [(0.0, 200.0)]
    assert runs(turns, (40.0, 60.0), 200.0) == []


def test_ten_hours_of_short_turns_are_few_rectangles() -> None:
    turns = tuple((second * 1.5, second * 1.5 + 1.0) for second in range(24_000))
    assert len(runs(turns, (0.0, 36_000.0), 300.0)) == 1


def test_the_next_turn_is_found_in_both_directions() -> None:
    turns = [(1.0, 2.0), (5.0, 6.0)]
    assert [next_turn(turns, at, step) for at, step in ((0.0, 1), (1.0, 1), (5.0, 1), (5.0, -1), (1.0, -1))] == [
        1.0, 5.0, 5.0, 1.0, 1.0,
    ]  # fmt: skip


def test_the_lanes_say_who_speaks_at_a_time() -> None:
    lanes: list[Lane] = [("Rose", QColor("red"), ((0, 5),)), ("Ben", QColor("blue"), ((4, 9),))]
    assert [words_at(lanes, at) for at in (1, 4.5, 15)] == ["0:01, Rose", "0:04, Rose, Ben", f"0:15, {_('no speech')}"]


def test_places_stay_at_their_words_when_a_line_is_divided() -> None:
    change = Revision(2, (20,), (8, 11))
    assert [change.place(*place) for place in ((1, 5), (2, 3), (2, 8), (2, 9), (2, 20), (3, 4))] == [
        (1, 5), (2, 3), (2, 8), (3, 0), (3, 11), (4, 4),
    ]  # fmt: skip
    assert Revision(2, (8, 11), (20,)).place(3, 11) == (2, 20)


@pytest.mark.parametrize("at", [0, 3, 15])
def test_a_line_that_is_divided_leaves_the_others_laid_out(theme: Theme, at: int) -> None:
    segments = talk(5).segments
    flow = Flow(font(17, serif=True), 27, 11)
    flow.lead = 34
    flow.sync(segments, ())
    part = segments[at]
    half = len(part.text) // 2
    parts = [replace(part, text=part.text[:half]), replace(part, text=part.text[half:], start=part.start + 0.5)]
    cut = (*segments[:at], *parts, *segments[at + 1 :])
    measured = flow.measured
    change = flow.revise(cut)
    assert (change.first, change.before, len(change.after)) == (at, (len(part.text),), 2)
    assert flow.measured == measured + 2
    assert flow.is_measured, "nothing is looked at again in idle time"
    fresh = Flow(font(17, serif=True), 27, 11)
    fresh.lead = 34
    fresh.sync(cut, ())
    assert [flow.top_of(index) for index in range(len(cut))] == [fresh.top_of(index) for index in range(len(cut))]
    assert flow.lines == fresh.lines
