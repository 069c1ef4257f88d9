"""Text that was shown stays where it was, whatever is written behind it."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QTextOption
from PySide6.QtWidgets import QApplication

from desktop_app.messages.jobs import TentativeLine
from desktop_app.transcript.model import Segment
from desktop_app.ui.transcript.finder import Finder, Query
from desktop_app.ui.transcript.flow import Flow
from desktop_app.ui.transcript.selection import Selection
from desktop_app.ui.widgets.theme import Theme, font

LONG = "The house in the north has a new roof, and the windows come on Friday if the road is open by then. "


@pytest.fixture
def flow(qapp: QApplication, theme: Theme) -> Flow:
    made = Flow(font(17, serif=True), 27, 11)
    made.set_width(420)
    return made


def segments(count: int) -> list[Segment]:
    return [Segment(n, n * 3.0, n * 3.0 + 3, f" {n}. {LONG}") for n in range(count)]


def places(flow: Flow, count: int) -> list[tuple[float, float]]:
    return [(flow.top_of(index), flow.height_of(index)) for index in range(count)]


def test_a_growing_line_moves_nothing_above_it(flow: Flow) -> None:
    done = segments(4)
    flow.sync(done, ())
    before = places(flow, 4)
    words = (LONG * 2).split()
    for count in range(1, len(words)):
        text = " ".join(words[:count])
        flow.sync(done, (TentativeLine(12.0, " " + text, " and more to come"),))
        assert places(flow, 4) == before
    assert flow.height > before[-1][0] + before[-1][1] + 2 * 27


def test_a_word_of_a_million_letters_is_broken_without_a_search_for_its_end(
    flow: Flow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Qt looks for the end of the word anew for each row, but where it may break anywhere."""
    modes: list[QTextOption.WrapMode] = []
    set_mode = QTextOption.setWrapMode
    monkeypatch.setattr(QTextOption, "setWrapMode", lambda option, mode: (modes.append(mode), set_mode(option, mode)))
    flow.sync([Segment(0, 0.0, 3.0, LONG), Segment(1, 3.0, 6.0, " " + "x" * 20_000)], ())
    flow.refine(0, 2)
    word = flow.height_of(1)
    assert {*modes} == {QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere, QTextOption.WrapMode.WrapAnywhere}
    assert word > 20_000 / 420 * 27, "no letter is narrower than a pixel"


def test_after_an_edit_everything_stands_where_it_would_in_a_new_layout(flow: Flow, qapp: QApplication) -> None:
    """Only what an edit changed is stacked anew; the rest is moved by the difference."""
    lines = segments(30)
    flow.sync(lines, ())
    split = [*lines[:7], Segment(7, 21.0, 22.0, "Short."), Segment(7, 22.0, 24.0, LONG * 3), *lines[8:]]
    merged = [*split[:3], Segment(3, 9.0, 18.0, LONG * 2, speaker="S1"), *split[6:]]
    shorter = [*merged[:-2], Segment(0, 84.0, 90.0, "End.")]
    for edited in (split, merged, shorter, lines):
        flow.revise(edited)
        new = Flow(flow.font, 27, 11)
        new.set_width(420)
        new.sync(edited, ())
        assert places(flow, len(edited)) == places(new, len(edited))
        assert flow.height == new.height


def test_a_rejected_word_is_replaced_in_its_place(flow: Flow) -> None:
    flow.sync((), (TentativeLine(0.0, " The roof is", " done and the widows come"),))
    before = flow.spans(0, 0, len("The roof is done and the"))
    flow.sync((), (TentativeLine(0.0, " The roof is done and the windows", ""),))
    assert flow.spans(0, 0, len("The roof is done and the")) == before
    assert flow.lines[0].text == "The roof is done and the windows"
    mark = flow.corrections[0]
    assert flow.lines[0].text[mark.begin : mark.end] == "windows"


def test_verifying_changes_the_colour_only(flow: Flow) -> None:
    line = TentativeLine(0.0, " The roof is", " done.")
    flow.sync((), (line,))
    measured = flow.measured
    flow.sync((), (TentativeLine(0.0, " The roof is done.", ""),))
    assert flow.lines[0].verified == len("The roof is done.")
    flow.sync((Segment(0, 0.0, 2.0, " The roof is done."),), ())
    assert flow.measured == measured  # never laid out again
    assert not flow.corrections


def test_the_draft_begins_where_the_verified_text_ends(flow: Flow) -> None:
    flow.sync((), (TentativeLine(0.0, " One two", " three"), TentativeLine(2.0, "", " four")))
    assert [(p.text, p.text[p.verified :]) for p in flow.lines] == [("One two three", " three"), ("four", "four")]


def test_a_word_is_grey_until_all_of_it_is_verified(flow: Flow) -> None:
    flow.sync((), (TentativeLine(0.0, " A good help", "er came"),))
    assert flow.lines[0].text[flow.lines[0].verified :] == "helper came"
    flow.sync((), (TentativeLine(0.0, " 東京は晴れです。明日は雨が降るでしょう。そして風", "も"),))
    assert flow.lines[0].text[flow.lines[0].verified :] == "も"


def test_finished_segments_take_the_place_of_their_lines(flow: Flow) -> None:
    lines = tuple(TentativeLine(n * 3.0, s.text, "") for n, s in enumerate(segments(3)))
    flow.sync((), lines)
    before = places(flow, 3)
    for count in range(1, 4):
        flow.sync(segments(3)[:count], lines[count:])
        assert places(flow, 3) == before
    assert flow.settled == 3


def test_a_line_that_is_taken_back_goes(flow: Flow) -> None:
    flow.sync(segments(1), (TentativeLine(3.0, " One", ""), TentativeLine(5.0, "", " two")))
    flow.sync(segments(1), (TentativeLine(3.0, " One", ""),))
    assert len(flow.lines) == 2


def test_a_segment_costs_one_layout_however_long_the_transcript_is(flow: Flow) -> None:
    done = segments(5000)
    flow.sync(done, ())
    measured = flow.measured
    assert measured < 100  # a whole transcript is measured later, bit by bit
    done.append(Segment(5000, 1.0, 2.0, " One more."))
    flow.sync(done, ())
    assert flow.measured == measured + 1


def test_all_heights_are_exact_in_the_end(flow: Flow) -> None:
    done = segments(200)
    flow.sync(done, ())
    while flow.refine_next(0.01):
        pass
    assert flow.is_measured
    assert all(paragraph.exact for paragraph in flow.lines)
    assert flow.height == sum(flow.height_of(index) for index in range(200))
    one_by_one = Flow(flow.font, 27, 11)
    one_by_one.set_width(420)
    for count in range(1, 201):
        one_by_one.sync(done[:count], ())
    assert places(one_by_one, 200) == places(flow, 200)


def test_another_width_keeps_every_paragraph(flow: Flow) -> None:
    flow.sync(segments(30), ())
    flow.set_width(700)
    flow.refine(0, 29)
    assert [flow.at(flow.top_of(index) + 1) for index in range(30)] == list(range(30))


@pytest.mark.parametrize(
    "text", ["Mañana será otro día, señor.", "مرحبا بالعالم", "שלום עולם", "東京は晴れです。", "👋🏽 x"]
)
def test_every_script_is_laid_out_and_can_be_selected(flow: Flow, text: str) -> None:
    flow.sync((Segment(0, 0.0, 1.0, " " + text),), ())
    reading = Selection(flow)
    reading.select_all()
    assert reading.text() == text
    assert flow.spans(0, 0, len(text))


def test_text_that_runs_to_the_left_stands_at_the_right(flow: Flow) -> None:
    flow.sync((Segment(0, 0.0, 1.0, " 12: مرحبا بالعالم"), Segment(1, 1.0, 2.0, " Hello.")), ())
    (_, right, _), *_ = flow.spans(0, 0, 17)
    assert right > flow.width - 2
    assert flow.spans(1, 0, 6)[0][0] == 0


def test_the_selection_survives_new_text(flow: Flow) -> None:
    flow.sync(segments(3), (TentativeLine(9.0, " Still", " being written"),))
    reading = Selection(flow)
    reading.put((1, 3), False)
    reading.put((3, 40), True)
    flow.sync(segments(4), ())
    reading.clamp()
    kept = reading.text().splitlines()
    assert kept[0] == flow.lines[1].text[3:]
    assert kept[1] == flow.lines[2].text


def test_words_and_paragraphs_are_selected_whole(flow: Flow) -> None:
    flow.sync((Segment(0, 0.0, 1.0, " It isn't far."),), ())
    reading = Selection(flow)
    reading.select_word((0, 5))
    assert reading.text() == "isn't"
    reading.select_paragraph(0)
    assert reading.text() == "It isn't far."


@pytest.mark.parametrize(
    ("query", "text", "found"),
    [
        (Query("the"), "The theme, the Bathe", ["The", "the", "the", "the"]),
        (Query("the", matches_case=True), "The theme, the Bathe", ["the", "the", "the"]),
        (Query("the", whole_words=True), "The theme, the Bathe", ["The", "the"]),
        (Query("the", matches_case=True, whole_words=True), "The theme, (the) Bathe", ["the"]),
        (Query("don", whole_words=True), "Don't, don’t, 'don' don", ["don", "don"]),
        (Query("Straße", whole_words=True), "straße Straßenbahn", ["straße"]),
        (Query("e", whole_words=True), "cafe\u0301 e", ["e"]),
        (Query("東京", whole_words=True), "今日は東京へ", ["東京"]),
        (Query("1.5", whole_words=True), "1.5 1x5 11.5", ["1.5"]),
        (Query(".*"), "a .* b", [".*"]),
        (Query(), "a", []),
    ],
)
def test_what_a_query_finds(query: Query, text: str, found: list[str]) -> None:
    assert [text[begin:end] for begin, end in query.places(text)] == found


def test_the_finder_goes_around_and_grows_with_the_text(flow: Flow) -> None:
    done = segments(3)
    flow.sync(done, ())
    finder = Finder(flow)
    finder.look_for(Query("WINDOWS"))
    assert [hit[0] for hit in finder.hits] == [0, 1, 2]
    finder.step(-1)
    assert finder.current == 2
    flow.sync(segments(4), ())
    finder.extend(3)
    assert len(finder.hits) == 4
    finder.look_for(Query("nowhere"))
    assert finder.hit is None
