"""What is saved can be read again, by people, players and programs."""

from __future__ import annotations

import json

import pytest

from desktop_app.transcript import formats
from desktop_app.transcript.model import Guarded, Models, Segment, Speaker, Stats, Transcript, Word

STATS = Stats(
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

GUARDED = (Guarded(1.0, 3.5, "silence", "Thank you."), Guarded(70.0, 4000.0, "unwritten"))


def transcript(*texts: str) -> Transcript:
    segments = tuple(
        Segment(i, i * 2.0, i * 2.0 + 1.9996, text, (5, 6), words=(Word(text, i * 2.0, i * 2.0 + 1, 0.9),))
        for i, text in enumerate(texts)
    )
    models = Models("Galley starter", "draft", "model", "CPU", "f32", "Real speech will be wrong.")
    speakers = (Speaker("a", "Anna"),)
    return Transcript("talk ñ.wav", 4.0, "en", 0.98, models, segments, speakers, STATS, "It was cut short.", GUARDED)


def test_txt_is_the_text_a_line_a_segment() -> None:
    assert formats.write(transcript("Hello there.", "Good morning."), "txt") == "Hello there.\nGood morning.\n"


def test_srt_counts_from_one_and_rounds_times_to_milliseconds() -> None:
    assert formats.write(transcript("Hello.", "You."), "srt") == (
        "1\n00:00:00,000 --> 00:00:02,000\nHello.\n\n2\n00:00:02,000 --> 00:00:04,000\nYou.\n"
    )


def test_vtt_escapes_what_a_player_would_take_for_markup() -> None:
    written = formats.write(transcript("Tom & <Anna> --> home\n\nnow"), "vtt")
    assert written == "WEBVTT\n\n00:00:00.000 --> 00:00:02.000\nTom &amp; &lt;Anna&gt; → home\nnow\n"


def test_hours_are_counted_on() -> None:
    assert formats._clock(36_000.5, ".") == "10:00:00.500"
    assert formats._clock(59.9999, ",") == "00:01:00,000"


def test_json_holds_the_contract_and_reads_back_the_same() -> None:
    whole = transcript("Grüße, ñandú.", "b")
    written = formats.write(whole, "json")
    assert written.count("\n") == 1
    found = json.loads(written)
    names = {"audio", "language", "language_probability", "models", "segments", "speakers", "guard", "stats"}
    assert set(found) == names
    assert found["guard"][0] == {"start": 1.0, "end": 3.5, "kind": "silence", "text": "Thank you."}
    assert found["stats"]["acceptance"] == 0.9
    assert found["stats"]["accepted_per_drafted"] == 0.72
    assert found["stats"]["tokens_per_pass"] == 2.5
    assert found["stats"]["real_time_factor"] == 0.25
    assert formats.read_json(written) == whole


@pytest.mark.parametrize("name", formats.FORMATS)
def test_an_empty_transcript_can_be_saved(name: str) -> None:
    empty = Transcript("a", 0.0, "", 0.0, Models("", "", "off", "", ""))
    assert isinstance(formats.write(empty, name), str)
    assert empty.stats.acceptance == empty.stats.tokens_per_pass == empty.stats.real_time_factor == 0
