"""What is saved can be read again, by people, players and programs."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from desktop_app.export import formats, json_format
from desktop_app.export.document import Document, ExportOptions
from desktop_app.export.process import as_bytes
from desktop_app.problems import Problem
from desktop_app.transcript.editing import replace_text
from desktop_app.transcript.model import GuardReport, Models, Segment, Speaker, Transcript, Word
from desktop_app.transcript.statistics import Statistics

STATS = Statistics(
    audio_seconds=4.0,
    wall_seconds=1.0,
    encode_seconds=0.5,
    tokens=30,
    target_passes=12,
    compared=20,
    drafted=25,
    accepted=18,
    near_ties=1,
)

DAMAGE = Problem("file.cut_short", read="0:04", length="0:08")
GUARDED = (GuardReport(1.0, 3.5, "silence", "Thank you."), GuardReport(70.0, 4000.0, "unwritten"))


def transcript(*texts: str) -> Transcript:
    segments = tuple(
        Segment(i, i * 2.0, i * 2.0 + 1.9996, text, (5, 6), words=(Word(text, i * 2.0, i * 2.0 + 1, 0.9),))
        for i, text in enumerate(texts)
    )
    models = Models(
        "base", "draft", "model", "CPU", "f32", (Problem("model.notice", text="Real speech will be wrong."),)
    )
    speakers = (Speaker("a", "Anna"),)
    return Transcript("talk ñ.wav", 4.0, "en", 0.98, models, segments, speakers, STATS, DAMAGE, GUARDED)


def rendered(transcript: Transcript, name: str, **chosen: Any) -> str:
    return str(formats.FORMATS[name].render(Document(transcript), ExportOptions(**chosen)))


def test_txt_is_the_text_a_line_a_segment() -> None:
    assert rendered(transcript("Hello there.", "Good morning."), "txt") == "Hello there.\nGood morning.\n"


def test_txt_has_the_paragraphs_of_the_window_and_names_a_speaker_once_in_each() -> None:
    lines = [("S1", 0, 2), ("S1", 2, 4), ("S2", 4, 6), ("S2", 6, 8), ("S2", 11, 13), ("S2", 13, 15)]
    segments = tuple(
        Segment(number, start, end, f"Line {number}.", speaker=who) for number, (who, start, end) in enumerate(lines)
    )
    made = dataclasses.replace(SPOKEN, segments=segments)
    assert rendered(made, "txt") == (
        "Ann <b>: Line 0.\nLine 1.\n\nBo Li: Line 2.\nLine 3.\n\nBo Li: Line 4.\nLine 5.\n"
    )
    assert rendered(made, "txt", names=False, times=True).split("\n\n")[1] == "[0:04] Line 2.\n[0:06] Line 3."


def test_srt_counts_from_one_and_rounds_times_to_milliseconds() -> None:
    assert rendered(transcript("Hello.", "You."), "srt", split=False) == (
        "1\n00:00:00,000 --> 00:00:02,000\nHello.\n\n2\n00:00:02,000 --> 00:00:04,000\nYou.\n"
    )


def test_vtt_escapes_what_a_player_would_take_for_markup() -> None:
    written = rendered(transcript("Tom & <Anna> --> home\n\nnow"), "vtt")
    assert written == "WEBVTT\n\n00:00:00.000 --> 00:00:01.200\nTom &amp; &lt;Anna&gt; → home now\n"


SPOKEN = Transcript(
    "board meeting.wav",
    4.0,
    "en",
    1.0,
    Models("t", "", "off", "CPU", "f32"),
    (
        Segment(0, 0.0, 2.0, 'Hello, "you".', speaker="S1"),
        Segment(1, 2.0, 3.0, "Hm.", speaker=None),
        Segment(2, 3.0, 4.0, "Bye.", speaker="S2"),
    ),
    (Speaker("S1", "Ann <b>", ((0.0, 2.25),)), Speaker("S2", "Bo Li", ((2.0, 2.5), (3.0, 4.0)))),
)


def test_speakers_stand_in_every_format() -> None:
    assert rendered(SPOKEN, "txt") == 'Ann <b>: Hello, "you".\n\nHm.\n\nBo Li: Bye.\n'
    assert "2,000\nAnn <b>: Hello" in rendered(SPOKEN, "srt")
    assert "4.000\n<v Bo Li>Bye.\n" in rendered(SPOKEN, "vtt")
    assert '<v Ann &lt;b&gt;>Hello, "you".' in rendered(SPOKEN, "vtt")
    assert rendered(SPOKEN, "csv").splitlines()[:3] == [
        "start,end,speaker,text",
        '0.000,2.000,Ann <b>,"Hello, ""you""."',
        "2.000,3.000,,Hm.",
    ]
    assert json_format.read_json(rendered(SPOKEN, "json")) == SPOKEN


@pytest.mark.parametrize("form", formats.FORMATS)
def test_a_file_whose_name_is_no_utf8_is_exported(form: str) -> None:
    named = Document(dataclasses.replace(SPOKEN, path="/talks/a\udcff.wav"))
    assert as_bytes(formats.FORMATS[form].render(named))
    formats.FORMATS[form].file_name(named.transcript.path).encode()


@pytest.mark.parametrize(
    ("name", "tag"), [("Ann --", "<v Ann -- >"), ("--", "<v -- >"), ("A --> B", "<v A → B>"), ("A > B", "<v A &gt; B>")]
)
def test_no_speakers_name_ends_a_cue(name: str, tag: str) -> None:
    """An arrow in a line makes players read it as times; only the lines of times may have one."""
    found = rendered(dataclasses.replace(SPOKEN, speakers=(Speaker("S1", name), SPOKEN.speakers[1])), "vtt")
    assert f'\n{tag}Hello, "you".\n' in found
    assert found.count("-->") == 3 == found.count("\n00:")


FORMULAS = {
    **{text: f"'{text}" for text in ("=1+1", "+1", "-1", "@SUM(A1)", "＝1+1")},
    " =1+1": " '=1+1",
    "\t=1+1": "\t'=1+1",
    "\r=1+1": "\n'=1+1",
    "Well; =1+1": "Well; '=1+1",  # a cell of its own where the semicolon parts cells
    'Well;"x"\t@A1\n-1': "Well;\"x\"\t'@A1\n'-1",  # and there no quote keeps lines together
    "It is 3-1 = 2; isn't it?": "It is 3-1 = 2; isn't it?",
}


@pytest.mark.parametrize("text", FORMULAS)
def test_no_cell_of_a_table_is_a_formula_unless_that_is_wanted(text: str) -> None:
    said = dataclasses.replace(SPOKEN.segments[0], text=text)
    talk = dataclasses.replace(SPOKEN, segments=(said,), speakers=(Speaker("S1", text),))
    kept, safe = text.replace("\r", "\n"), FORMULAS[text]
    _head, row = csv.reader(io.StringIO(rendered(talk, "csv")))
    assert row == ["0.000", "2.000", safe, safe]
    _head, row = csv.reader(io.StringIO(rendered(talk, "csv", raw_cells=True)))
    assert row == ["0.000", "2.000", kept, kept]


def test_a_carriage_return_does_not_end_a_row() -> None:
    said = [dataclasses.replace(SPOKEN.segments[0], text=text) for text in ("One.\rTwo.", "One.\r\nTwo.")]
    found = rendered(dataclasses.replace(SPOKEN, segments=tuple(said)), "csv")
    assert [row[3] for row in csv.reader(io.StringIO(found, newline=""))] == ["text", "One.\nTwo.", "One.\nTwo."]
    assert "\r" not in found


def test_rttm_holds_the_turns_two_at_once_too() -> None:
    assert rendered(SPOKEN, "rttm").splitlines() == [
        "SPEAKER board_meeting 1 0.000 2.250 <NA> <NA> Ann_<b> <NA> <NA>",
        "SPEAKER board_meeting 1 2.000 0.500 <NA> <NA> Bo_Li <NA> <NA>",
        "SPEAKER board_meeting 1 3.000 1.000 <NA> <NA> Bo_Li <NA> <NA>",
    ]
    twins = dataclasses.replace(SPOKEN, speakers=(Speaker("S1", "Ann"), Speaker("S2", "Ann")))
    assert [text.split()[7] for text in rendered(twins, "rttm").splitlines()] == ["Ann_S1", "Ann_S2"]


def test_json_from_before_words_could_be_edited_can_be_read() -> None:
    word = Word("Bye.", 3.0, 4.0, 0.5, "S2", edited=True)
    whole = dataclasses.replace(SPOKEN, segments=(dataclasses.replace(SPOKEN.segments[2], id=0, words=(word,)),))
    written = json.loads(rendered(whole, "json"))
    assert json_format.read_json(json.dumps(written)) == whole
    del written["segments"][0]["words"][0]["edited"]
    assert json_format.read_json(json.dumps(written)).segments[0].words == (dataclasses.replace(word, edited=False),)


def test_lines_are_numbered_by_their_places_in_json_whatever_was_split_and_merged() -> None:
    """Edits leave the numbers as they are; a program that reads the file finds none twice."""
    split, _caret = replace_text(SPOKEN, (0, 2), (0, 2), "\n")
    written = json.loads(rendered(split, "json"))["segments"]
    assert [each["id"] for each in written] == list(range(len(SPOKEN.segments) + 1))


def test_times_and_names_are_left_out_or_written_as_asked() -> None:
    assert rendered(SPOKEN, "txt", names=False) == 'Hello, "you".\n\nHm.\n\nBye.\n'
    assert rendered(SPOKEN, "txt", times=True).splitlines()[4] == "[0:03] Bo Li: Bye."
    assert rendered(SPOKEN, "csv", times=False, names=False).splitlines() == [
        "text",
        '"Hello, ""you""."',
        "Hm.",
        "Bye.",
    ]
    assert "Ann" not in rendered(SPOKEN, "srt", names=False) + rendered(SPOKEN, "vtt", names=False)
    assert "**Bo Li · 0:03** Bye." in rendered(SPOKEN, "md")
    assert "**Bo Li** Bye." in rendered(SPOKEN, "md", times=False)
    assert "\n\nBye.\n" in rendered(SPOKEN, "md", times=False, names=False)


def test_nothing_that_is_said_is_markup_in_markdown() -> None:
    lines = ("# one", "1. two", "- three", "*four* <b> [five](x) `six`", "+ seven", "> eight")
    segments = tuple(Segment(number, 9.0 * number, 9.0 * number + 1, text) for number, text in enumerate(lines))
    written = rendered(dataclasses.replace(SPOKEN, segments=segments), "md", times=False)
    assert written.split("\n\n")[1:] == [
        *("\\# one", "1\\. two", "\\- three", r"\*four\* \<b\> \[five\](x) \`six\`", "\\+ seven", "\\> eight\n")
    ]


@pytest.mark.parametrize("name", ["txt", "srt", "vtt", "csv", "md", "html"])
def test_a_line_that_a_reader_has_emptied_is_left_out(name: str) -> None:
    emptied = dataclasses.replace(SPOKEN, segments=(SPOKEN.segments[0], Segment(1, 2.0, 3.0, " "), SPOKEN.segments[2]))
    without = dataclasses.replace(SPOKEN, segments=(SPOKEN.segments[0], SPOKEN.segments[2]))
    assert rendered(emptied, name) == rendered(without, name)


def test_the_readme_names_every_format() -> None:
    readme = Path(__file__).resolve().parents[3] / "README.md"
    named = re.search(r"\[Export\]\(docs/export\.md\) ([\w, ]+)\.", readme.read_text(encoding="utf-8"))
    assert named is not None
    assert set(re.findall(r"\w+", named[1])) - {"and"} == formats.FORMATS.keys()


def test_hours_are_counted_on() -> None:
    late = dataclasses.replace(SPOKEN, segments=(Segment(0, 36_000.5, 36_059.9999, "Late."),))
    assert "10:00:00.500 --> 10:01:00.000" in rendered(late, "vtt", split=False)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("txt", "[0:29] Bo Li: Good evening."),
        ("csv", "29.700,31.000,Bo Li,Good evening."),
        ("json", '"start": 29.7, "end": 31.0, "text": "Good evening."'),
        ("srt", "00:00:29,700 --> 00:00:31,000"),
        ("vtt", "00:00:29.700 --> 00:00:31.000"),
        ("md", "**Bo Li · 0:29** Good evening."),
        ("html", 'data-t="29.70">0:29</button>'),
    ],
)
def test_after_silence_a_line_has_the_time_of_its_first_word(name: str, expected: str) -> None:
    """Whisper's timestamp of a line may lie in the silence before it."""
    words = (Word(" Good", 29.7, 30.1, 0.9, "S2"), Word(" evening.", 30.1, 30.9, 0.9, "S2"))
    late = Segment(0, 16.0, 31.0, "Good evening.", (5, 6), speaker="S2", words=words)
    assert expected in rendered(dataclasses.replace(SPOKEN, segments=(late,)), name, times=True, split=False)


def test_json_holds_the_contract_and_reads_back_the_same() -> None:
    whole = transcript("Grüße, ñandú.", "b")
    written = rendered(whole, "json")
    assert written.count("\n") == 1
    found = json.loads(written)
    names = {"audio", "language", "language_probability", "models", "segments", "speakers", "guard", "stats"}
    assert set(found) == names
    assert found["guard"][0] == {"start": 1.0, "end": 3.5, "kind": "silence", "text": "Thank you."}
    assert found["stats"]["acceptance"] == 0.9
    assert found["stats"]["accepted_per_drafted"] == 0.72
    assert found["stats"]["tokens_per_pass"] == 2.5
    assert found["stats"]["real_time_factor"] == 0.25
    assert found["audio"]["damage"] == {"code": "file.cut_short", "values": {"read": "0:04", "length": "0:08"}}
    assert json_format.read_json(written) == whole


@pytest.mark.parametrize("name", formats.FORMATS)
def test_an_empty_transcript_can_be_saved(name: str) -> None:
    empty = Transcript("a", 0.0, "", 0.0, Models("", "", "off", "", ""))
    form = formats.FORMATS[name]
    assert isinstance(form.render(Document(empty)), bytes if form.is_binary else str)
    assert empty.stats.acceptance == empty.stats.tokens_per_pass == empty.stats.real_time_factor == 0
