"""Pages and documents can be opened by what reads them, hold the whole text, and load nothing."""

from __future__ import annotations

import base64
import hashlib
import io
import re
from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser

import docx
from docx.oxml.ns import qn

from desktop_app.export.document import Document, ExportOptions, is_right_to_left, paragraphs
from desktop_app.export.formats import FORMATS
from desktop_app.transcript.editing import replace_text
from desktop_app.transcript.model import Models, Segment, Speaker, Transcript, Word

TALK = Transcript(
    "talks/board <meeting>.wav",
    40.0,
    "en",
    1.0,
    Models("base", "", "off", "CPU", "f32"),
    (
        Segment(0, 0.0, 2.0, " Hello & <welcome>.", speaker="S1",
                words=(Word(" Hello", 0.0, 0.4, 0.9), Word(" &", 0.5, 0.6, 0.9), Word(" <welcome>.", 0.7, 2.0, 0.9))),
        Segment(1, 2.1, 4.0, " Sit down.", speaker="S1",
                words=(Word(" Sit", 2.1, 2.5, 0.9), Word(" down.", 2.5, 4.0, 0.9))),
        Segment(2, 4.0, 5.0, " ", speaker="S2"),
        Segment(3, 5.0, 9.0, " \x0bThanks.\ufffe", speaker="S2"),
        Segment(4, 30.0, 31.0, " Now then.", speaker="S2"),
    ),
    (Speaker("S1", 'Ann "A" <b>'), Speaker("S2", "Bo Li")),
)  # fmt: skip
MADE = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)
HEBREW = replace(TALK, language="he", segments=(Segment(0, 0.0, 2.0, " Zoom היא תוכנה"),), speakers=())


class Page(HTMLParser):
    """What a page is made of: texts of elements that are open, tags, and what attributes refer to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.spans: list[tuple[float, str]] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta",):
            self.open.append(tag)
        if tag == "span":
            self.spans.append((float(dict(attrs)["data-t"] or ""), ""))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"style", "script", "title"} & set(self.open):
            self.text += data
        if self.open and self.open[-1] == "span":
            self.spans[-1] = (self.spans[-1][0], data)


def page(transcript: Transcript = TALK, sound: str = "", **chosen: bool) -> str:
    document = Document(transcript, "", MADE, "23 November 2026", sound)
    return str(FORMATS["html"].render(document, ExportOptions(**chosen)))  # type: ignore[arg-type]


def test_a_page_holds_every_word_with_the_second_at_which_it_is_said() -> None:
    found = Page(page(sound="board.wav"))
    assert found.spans[:5] == [(0.0, "Hello"), (0.5, "&"), (0.7, "<welcome>."), (2.1, "Sit"), (2.5, "down.")]
    assert [time for time, _word in found.spans] == sorted(time for time, _word in found.spans)
    assert "Hello & <welcome>. Sit down." in found.text
    assert "board <meeting>" in found.text
    assert found.text.count('Ann "A" <b>') == 1 == found.text.count("Bo Li")  # once until another one speaks
    assert found.tags[0] == ("html", {"lang": "en"})


def test_the_times_of_a_page_never_go_back() -> None:
    """Which word is heard is looked up by halves."""
    words = Word(" One", 3.0, 3.5, 0.9), Word(" two.", 1.0, 4.0, 0.9)
    back = replace(TALK, segments=(Segment(0, 1.0, 4.0, " One two.", words=words),))
    assert Page(page(back)).spans == [(3.0, "One"), (3.0, "two.")]


def test_a_page_loads_nothing_but_its_sound() -> None:
    text = page(sound="my%20talk.wav")
    found = Page(text)
    addresses = [value for _tag, attrs in found.tags for name, value in attrs.items() if name in ("src", "href")]
    assert addresses == ["my%20talk.wav"]
    assert not re.search(r"https?:|//[a-z]|@import|url\(", text)
    policy = next(attrs["content"] for tag, attrs in found.tags if attrs.get("http-equiv"))
    assert policy is not None and policy.startswith("default-src 'none';")
    for element in ("style", "script"):
        (content,) = re.findall(f"<{element}>(.*?)</{element}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{element}-src 'sha256-{digest}';" in policy, "it allows what is in the page, and nothing else"
    assert "unsafe" not in policy and " style=" not in text


def test_a_page_without_a_sound_has_no_player_and_one_without_times_no_buttons() -> None:
    tags = [tag for tag, _attrs in Page(page()).tags]
    assert "audio" not in tags and "script" not in tags and tags.count("button") == 3
    found = Page(page(times=False, names=False))
    assert "button" not in [tag for tag, _attrs in found.tags]
    assert "Ann" not in found.text and "Hello" in found.text


def test_right_to_left_is_by_the_language_where_a_line_begins_with_a_foreign_word() -> None:
    assert is_right_to_left("Zoom היא תוכנה", "he")
    assert not is_right_to_left("Zoom היא תוכנה", "en")
    assert is_right_to_left("שלום world", "en")
    assert not is_right_to_left("Zoom 12", "he")
    lines = [attrs for tag, attrs in Page(page(HEBREW)).tags if tag in ("html", "p")]
    assert [attrs.get("dir") for attrs in lines] == ["rtl", None, "rtl"]
    written = docx.Document(io.BytesIO(document_of(HEBREW)))
    assert written.paragraphs[-1]._p.pPr.find(qn("w:bidi")) is not None


def document_of(transcript: Transcript = TALK, **chosen: bool) -> bytes:
    document = Document(transcript, "", MADE, "23 November 2026")
    found = FORMATS["docx"].render(document, ExportOptions(**chosen))  # type: ignore[arg-type]
    assert isinstance(found, bytes)
    return found


def test_a_word_document_can_be_opened_and_holds_the_text() -> None:
    found = docx.Document(io.BytesIO(document_of()))
    assert [line.text for line in found.paragraphs] == [
        "board <meeting>",
        "23 November 2026",
        'Ann "A" <b>  0:00  Hello & <welcome>. Sit down.',
        "Bo Li  0:05  Thanks.",
        "Bo Li  0:30  Now then.",
    ]
    assert found.paragraphs[2].runs[0].bold
    assert found.core_properties.title == "board <meeting>"
    assert found.core_properties.created == MADE
    assert found.core_properties.author == "Galley"  # and not the name of the library


def test_a_word_document_without_times_and_names_is_the_text() -> None:
    found = docx.Document(io.BytesIO(document_of(times=False, names=False)))
    assert [line.text for line in found.paragraphs][2:] == ["Hello & <welcome>. Sit down.", "Thanks.", "Now then."]


def test_a_title_longer_than_a_property_may_be_stands_in_the_document() -> None:
    long = "Ein Gespräch " * 30
    found = FORMATS["docx"].render(Document(TALK, long), ExportOptions())
    assert isinstance(found, bytes)
    written = docx.Document(io.BytesIO(found))
    assert written.paragraphs[0].text == long
    assert written.core_properties.title == long[:255]


def test_lines_of_a_speaker_flow_together_until_a_pause_and_no_longer_than_one_reads() -> None:
    long = tuple(Segment(number, number * 2.0, number * 2.0 + 2, " A sentence.") for number in range(60))
    found = list(paragraphs(Document(replace(TALK, segments=long, speakers=()))))
    assert [len(each.segments) for each in found] == [21, 21, 18], "a sentence ends after 40 s"
    assert [segment for each in found for segment in each.segments] == list(long)
    endless = tuple(replace(segment, text=" and so on") for segment in long)
    found = list(paragraphs(Document(replace(TALK, segments=endless, speakers=()))))
    assert [len(each.segments) for each in found] == [41, 19], "and no later than after 80 s"
    quoted = (*endless[:25], replace(endless[25], text=" “and so on.”"), *endless[26:])
    found = list(paragraphs(Document(replace(TALK, segments=quoted, speakers=()))))
    assert len(found[0].segments) == 26


def test_a_line_that_is_split_moves_no_paragraph_behind_it() -> None:
    long = tuple(Segment(number, number * 2.0, number * 2.0 + 2, " A sentence.") for number in range(60))
    before = replace(TALK, segments=long, speakers=())
    begins = [each.start for each in paragraphs(Document(before))]
    assert begins == [0.0, 42.0, 84.0]
    for line in (3, 20, 30):
        after, _caret = replace_text(before, (line, 3), (line, 3), "\n")
        made = after.segments[line + 1].start
        assert [each.start for each in paragraphs(Document(after))] == sorted([*begins, made])


def test_a_paragraph_begins_where_a_reader_has_begun_one() -> None:
    lines = [Segment(number, number * 2.0, number * 2.0 + 2, " A sentence.") for number in range(4)]
    lines[2] = replace(lines[2], begins_paragraph=True)
    found = list(paragraphs(Document(replace(TALK, segments=tuple(lines), speakers=()))))
    assert [len(each.segments) for each in found] == [2, 2]


def test_the_beginning_of_a_long_text_is_all_that_a_preview_renders() -> None:
    lines = tuple(Segment(number, number * 1.0, number + 1.0, " Ten letter", speaker="S1") for number in range(1000))
    whole = Document(replace(TALK, segments=lines, speakers=(Speaker("S1", "Ann", ((0.0, 1000.0),)),)))
    start = whole.beginning(100)
    assert len(start.transcript.segments) == 10
    assert start.transcript.speakers[0].turns == ((0.0, 10.0),)
    assert whole.beginning(10**6) is whole
