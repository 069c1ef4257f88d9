"""Whose words, where the words are recognised: conversations through the whole engine, scored by cpWER (meeteval)."""

from __future__ import annotations

import queue
import tempfile
import wave
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from desktop_app.checkpoints.problem import ModelProblem
from desktop_app.engine.client import Engine
from desktop_app.engine.messages import Event, Failed, Finished, Options
from desktop_app.measure.conversations import Conversation
from desktop_app.measure.words import matched, normalised
from desktop_app.speakers.words import said_by
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.model import Segment, Transcript


def recognised_figures(talks: Sequence[Conversation]) -> dict[str, Any]:
    """Transcribe the conversations as `galley transcribe --speakers auto --language en` does, and count errors: those
    of the words alone (all speakers in the order of time), and those of the words with their speakers. Texts are
    compared in lower case and without marks. Raises ModelProblem.
    """
    from meeteval.wer import cp_word_error_rate

    count = wrong = wrong_or_elsewhere = 0
    for talk, heard in zip(talks, _transcribed(talks), strict=True):
        gold = [word for each in talk.words for word in normalised(each.text)]
        text = [word for segment in heard.segments for word in normalised(segment.text)]
        reference = {who: " ".join(normalised(said)) for who, said in said_by(talk.words).items()}
        result = cp_word_error_rate(reference, _by_speaker(heard.segments))
        count += len(gold)
        wrong += matched(gold, text)[1]
        wrong_or_elsewhere += int(result.errors)
    return {
        "conversations": len(talks),
        "words": count,
        "wer": round(wrong / count, 4),
        "cpwer": round(wrong_or_elsewhere / count, 4),
    }


def _by_speaker(segments: Sequence[Segment]) -> dict[str, str]:
    said: dict[str, list[str]] = {}
    for segment in segments:
        said.setdefault(segment.speaker or "", []).extend(normalised(segment.text))
    return {who: " ".join(words) for who, words in said.items()}


def _transcribed(talks: Sequence[Conversation]) -> list[Transcript]:
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()
    engine, found = Engine(events.put), dict[str, Transcript]()
    try:
        with tempfile.TemporaryDirectory() as folder:
            for talk in talks:
                path = Path(folder) / f"{talk.name}.wav"
                _write(path, talk)
                engine.transcribe(talk.name, str(path), Options(language="en", words=True, speakers="auto"))
            while len(found) < len(talks):
                event = events.get()
                if isinstance(event, Failed):
                    raise ModelProblem(event.reason, event.remedy)
                if isinstance(event, Finished):
                    found[event.job] = event.transcript
    finally:
        engine.close()
    return [found[talk.name] for talk in talks]


def _write(path: Path, talk: Conversation) -> None:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(SAMPLE_RATE)
        file.writeframes((talk.samples * 32767).astype(np.int16).tobytes())
