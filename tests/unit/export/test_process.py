"""The process that makes files gives what was ordered, or says why it cannot."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from dataclasses import replace
from multiprocessing import Pipe
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from desktop_app.export import process
from desktop_app.export.document import Document, ExportOptions
from desktop_app.export.formats import FORMATS
from desktop_app.problems import Problem
from desktop_app.transcript.model import Models, Segment, Transcript

CLIP = Path(__file__).resolve().parents[2] / "data" / "clips" / "00.flac"
LINES = tuple(Segment(number, number * 1.0, number + 1.0, f" Line {number}.") for number in range(120))
TALK = Document(Transcript(str(CLIP), 120.0, "en", 1.0, Models("", "", "off", "", ""), LINES))


def answers(order: process.Order, *documents: Document) -> list[Any]:
    """What the process says, which is run in a thread here."""
    ours, theirs = Pipe()
    child = Thread(target=process.main, args=(theirs,), daemon=True)
    child.start()
    for message in process.messages(order, list(documents)):
        ours.send(message)
    found = []
    for _document in documents:
        assert ours.poll(60), "it has ended without an answer"
        found.append(ours.recv())
    ours.close()
    child.join(10)
    assert not child.is_alive()
    return found


def test_each_recording_is_answered_with_its_file() -> None:
    other = replace(TALK, transcript=replace(TALK.transcript, segments=LINES[:1]))
    found = answers(process.Order("srt", ExportOptions(lines=1), "en"), TALK, other)
    assert found == [str(FORMATS["srt"].render(each, ExportOptions(lines=1))).encode() for each in (TALK, other)]


def test_a_page_can_hold_its_sound() -> None:
    (found,) = answers(process.Order("html", ExportOptions(sound=True), "en"), TALK)
    sound = re.search(rb'src="data:audio/mpeg;base64,([^"]+)"', found)
    assert sound is not None
    assert base64.b64decode(sound[1])[:1] == b"\xff"  # the first frame's sync word


def test_a_mistake_is_answered_without_the_text_and_the_next_recording_is_made(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """What an error says may quote the title; a process that ends by it prints it."""

    def write(document: Document, options: ExportOptions) -> str:
        if document.title:
            raise ValueError(f"too long: {document.title}")
        return "made"

    monkeypatch.setitem(FORMATS, "txt", replace(FORMATS["txt"], write=write))
    found = answers(process.Order("txt", ExportOptions(), "en"), replace(TALK, title="Secret"), TALK)
    assert found == [Problem("engine.failed", error="ValueError"), b"made"]
    assert "Secret" not in "".join(capfd.readouterr())


def test_a_sound_that_has_moved_is_said_and_the_next_recording_is_made(recording: Callable[[str], Path]) -> None:
    gone = replace(TALK, transcript=replace(TALK.transcript, path="/nowhere/talk.wav"))
    no_sound = replace(TALK, transcript=replace(TALK.transcript, path=str(recording("text.wav"))))
    found = answers(process.Order("html", ExportOptions(sound=True), "en"), gone, no_sound, TALK)
    assert found[0] == Problem("file.moved", name="talk.wav")
    assert isinstance(found[1], Problem)
    assert isinstance(found[2], bytes)
