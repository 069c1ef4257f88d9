"""More figures of conversations: of live labels; of the text that the whole engine transcribes; of hours as one
recording.
"""

from __future__ import annotations

import math
import multiprocessing
import queue
import tempfile
import time
import wave
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from desktop_app import printing
from desktop_app.engine.client import Engine
from desktop_app.measure.conversations import CONVERSATIONS, Conversation, make
from desktop_app.measure.der import Errors, errors
from desktop_app.measure.error_rates import matched, normalised
from desktop_app.measure.memory import peak
from desktop_app.measure.recordings import Reference
from desktop_app.messages.jobs import Event, Failed, Finished
from desktop_app.messages.options import Options
from desktop_app.speakers.attribution import text_by_speaker
from desktop_app.speakers.diarisation import Diarisation
from desktop_app.speakers.live import WINDOW, LiveSpeakers
from desktop_app.speakers.networks import Networks
from desktop_app.speakers.turns import Turn
from desktop_app.texts import N_, _
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.model import Segment, Transcript, Word

SOON = 3.0
"""Seconds after its end in which a word should have its last label."""

_LIVE_BLOCK = SAMPLE_RATE // 2
_BLOCK = 10 * SAMPLE_RATE
_MARKS = (0.1, 1.0, 5.0, 10.0)
_LAST_PASS = N_("last pass")
_SHORTEST = 80.0  # seconds of a conversation


@dataclass(frozen=True)
class LiveFigures:
    """Of one conversation: words, those whose last label came soon, changes of words older than the window, and the
    errors of what was shown at the end and of the pass that follows.
    """

    words: int
    soon: int
    frozen_changes: int
    shown: Errors
    final: Errors

    @staticmethod
    def together(each: Sequence[LiveFigures]) -> dict[str, Any]:
        """The figures of all."""
        words = sum(one.words for one in each)
        return {
            "words": words,
            "last_label_within_3_s": round(sum(one.soon for one in each) / max(1, words), 4),
            "changes_of_frozen_words": sum(one.frozen_changes for one in each),
            "der_shown": round(sum((one.shown for one in each), Errors()).rate, 4),
            "der_after_the_last_pass": round(sum((one.final for one in each), Errors()).rate, 4),
        }


def live_figures(talk: Conversation, found: Networks) -> LiveFigures:
    """Process a conversation as a microphone gives it, half a second at a time; computing time is not counted."""
    live = LiveSpeakers(found)
    labels: dict[int, str] = {}
    since: dict[int, float] = {}
    frozen = 0
    for at in range(0, talk.samples.size, _LIVE_BLOCK):
        if not live.feed(talk.samples[at : at + _LIVE_BLOCK]):
            continue
        now = (at + _LIVE_BLOCK) / SAMPLE_RATE
        turns = live.turns()
        for number, word in enumerate(talk.words):
            label = _label(word, turns) if word.end <= now else None
            if label is not None and labels.get(number) != label:
                frozen += number in labels and word.end < now - WINDOW - 2.0
                labels[number], since[number] = label, now
    shown = live.turns()
    soon = sum(since[number] - talk.words[number].end <= SOON for number in since)
    return LiveFigures(len(talk.words), soon, frozen, errors(talk.turns, shown), errors(talk.turns, live.finish()))


def _label(word: Word, turns: Sequence[Turn]) -> str | None:
    """Who speaks most during a word; None where no turn is near yet."""
    overlaps = [(min(word.end, turn.end) - max(word.start, turn.start), turn.speaker) for turn in turns]
    best = max(overlaps, default=(0.0, ""))
    if best[0] > 0:
        return best[1]
    near = [(max(turn.start - word.end, word.start - turn.end), turn.speaker) for turn in turns]
    closest = min(near, default=(np.inf, ""))
    return closest[1] if closest[0] < 0.5 else None


def recognised_figures(talks: Sequence[Conversation]) -> dict[str, Any]:
    """Transcribe the conversations as `galley transcribe --speakers auto --language en` does, and count errors: those
    of the words alone (all speakers in the order of time), and those of the words with their speakers. Texts are
    compared in lower case and without marks. Raises Problem.
    """
    from meeteval.wer import cp_word_error_rate

    count = wrong = wrong_or_elsewhere = 0
    for talk, transcript in zip(talks, _transcribed(talks), strict=True):
        words = [word for each in talk.words for word in normalised(each.text)]
        text = [word for segment in transcript.segments for word in normalised(segment.text)]
        reference = {who: " ".join(normalised(spoken)) for who, spoken in text_by_speaker(talk.words).items()}
        result = cp_word_error_rate(reference, _by_speaker(transcript.segments))
        count += len(words)
        wrong += matched(words, text)[1]
        wrong_or_elsewhere += int(result.errors)
    return {
        "conversations": len(talks),
        "words": count,
        "wer": round(wrong / count, 4),
        "cpwer": round(wrong_or_elsewhere / count, 4),
    }


def _by_speaker(segments: Sequence[Segment]) -> dict[str, str]:
    text: dict[str, list[str]] = {}
    for segment in segments:
        text.setdefault(segment.speaker or "", []).extend(normalised(segment.text))
    return {who: " ".join(words) for who, words in text.items()}


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
                    raise event.problem
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


def long_figures(hours: float, found: Networks, voices: Sequence[Reference]) -> dict[str, Any]:
    """Process the benchmark's conversations one after another, again and again, for so many hours; the peaks of all
    resident memory are in bytes: before the first sample, after 0.1, 1, 5 and 10 hours, and with the last pass.
    """
    with tempfile.TemporaryDirectory() as kept:
        count = min(CONVERSATIONS, math.ceil(hours * 3600 / _SHORTEST))
        # In a process of its own: what that takes is none of this one's memory.
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as maker:
            maker.submit(_make, count, Path(kept), voices).result()
        return _processed(hours, found, sorted(Path(kept).iterdir()))


def _processed(hours: float, found: Networks, files: Sequence[Path]) -> dict[str, Any]:
    began, done, round_ = time.process_time(), 0, 0
    recognised = Diarisation(found)
    peaks = {"begin": peak()}
    marks = [*(mark for mark in _MARKS if mark < hours), hours]
    while marks:
        samples = np.load(files[round_ % len(files)])
        round_ += 1
        for at in range(0, samples.size, _BLOCK):
            recognised.feed(samples[at : at + _BLOCK])
        done += samples.size
        while marks and done >= marks[0] * 3600 * SAMPLE_RATE:
            peaks[f"{marks.pop(0):g} h"] = peak()
            hours_done = done / SAMPLE_RATE / 3600
            printing.say(_("{hours:.1f} h: {peak:.0f} MB", hours=hours_done, peak=peak() / 1e6))
    listened = time.process_time() - began
    turns = recognised.finish()
    peaks[_LAST_PASS] = peak()
    whole = time.process_time() - began
    return {
        "hours": round(done / SAMPLE_RATE / 3600, 3),
        "peak_bytes": peaks,
        "processor_time_factor": round(whole * SAMPLE_RATE / done, 4),
        "last_pass_seconds": round(whole - listened, 1),
        "turns": len(turns),
        "speakers": len({turn.speaker for turn in turns}),
    }


def _make(count: int, folder: Path, voices: Sequence[Reference]) -> None:
    for seed in range(count):
        np.save(folder / f"{seed}.npy", make(seed, voices).samples)


def long_lines(figures: dict[str, Any]) -> list[str]:
    """What a person reads."""
    names = {"begin": _("start"), _LAST_PASS: _(_LAST_PASS)}
    peaks = ", ".join(f"{names.get(name, name)} {bytes_ / 1e6:.0f}" for name, bytes_ in figures["peak_bytes"].items())
    return [
        _(
            "{hours:.1f} h from end to end: processor time / audio {cost:.4f}, last pass {last:.1f} s",
            hours=figures["hours"],
            cost=figures["processor_time_factor"],
            last=figures["last_pass_seconds"],
        ),
        _("peak memory in MB: {peaks}", peaks=peaks),
    ]
