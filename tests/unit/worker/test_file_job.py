"""One job, in this process, with a toy: the events in their order, and the text while it is written."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from desktop_app.audio import spectrogram
from desktop_app.audio.files import AudioFile
from desktop_app.checkpoints.folder import Checkpoint, read
from desktop_app.decoding.longform import Line
from desktop_app.messages.jobs import (
    Cancelled,
    Event,
    Failed,
    FindSpeakers,
    Finished,
    Preparing,
    Progress,
    SegmentReady,
    Started,
    Tentative,
    TentativeLine,
    Transcribe,
)
from desktop_app.messages.options import Options
from desktop_app.problems import Problem
from desktop_app.transcript.model import Models, ResumePoint, Segment, Transcript
from desktop_app.worker import file_job, main
from desktop_app.worker.file_speakers import FileSpeakers
from desktop_app.worker.loaded_models import ModelCache
from desktop_app.worker.outbox import Outbox
from tests.random_models import TOY, toy, write
from tests.waiting import LONGEST

unguarded = partial(Options, guard=False)  # a toy writes noise for noise


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = toy(tmp_path_factory.mktemp("models") / "target")
    toy(made / "draft")
    return made


@pytest.fixture(scope="module")
def model_cache() -> ModelCache:
    return ModelCache()


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """Four seconds of noise, enough for a toy to write as much as a window can hold."""
    path = tmp_path / "noise.wav"
    soundfile.write(path, np.random.default_rng(0).standard_normal(16_000 * 4) / 10, 16_000)
    return path


@pytest.fixture
def ends() -> tuple[Connection, Outbox]:
    here, there = Pipe(duplex=False)
    return here, Outbox(there)


def drain(connection: Connection) -> list[Event]:
    found = []
    while connection.poll(0.05):
        found.append(connection.recv())
    return found


def run(
    path: Path | str,
    options: Options,
    model_cache: ModelCache,
    ends: tuple[Connection, Outbox],
    stop_after: float = float("inf"),
    written: Transcript | None = None,
    place: ResumePoint | None = None,
) -> list[Event]:
    """The events of a job; it is asked to stop when it has looked that many times."""
    passes = 0

    def cancelled() -> bool:
        nonlocal passes
        passes += 1
        return passes > stop_after

    with ThreadPoolExecutor(1) as worker:  # a pipe that nobody reads is full after a while
        working = worker.submit(
            file_job.run, Transcribe("a", str(path), options, written, place), model_cache, ends[1], cancelled
        )
        found: list[Event] = []
        while not working.done():
            found += drain(ends[0])
        working.result()
    return found + drain(ends[0])


def test_the_events_of_a_job(
    folder: Path, model_cache: ModelCache, recording: Path, ends: tuple[Connection, Outbox]
) -> None:
    events = run(recording, unguarded(str(folder), language="en"), model_cache, ends)
    kinds = [type(event) for event in events if not isinstance(event, (Preparing, Tentative))]
    assert kinds[0] is Started
    assert kinds[-2:] == [Progress, Finished]
    assert {event.job for event in events} == {"a"}
    started = next(event for event in events if isinstance(event, Started))
    assert (started.audio_seconds, started.models.target) == (4.0, "target")
    finished = events[-1]
    assert isinstance(finished, Finished)
    transcript = finished.transcript
    assert transcript.segments == tuple(event.segment for event in events if isinstance(event, SegmentReady))
    assert [segment.id for segment in transcript.segments] == list(range(len(transcript.segments)))
    assert (transcript.path, transcript.seconds, transcript.language) == (str(recording), 4.0, "en")
    progress = [event for event in events if isinstance(event, Progress)]
    assert progress[-1].done_seconds == 4.0
    stats = transcript.stats
    assert stats.tokens >= sum(len(segment.tokens) for segment in transcript.segments) > 0
    assert stats.audio_seconds == 4.0
    assert stats.encode_seconds + stats.draft_seconds + stats.verify_seconds <= stats.wall_seconds
    assert stats.drafted + stats.left_out > 0  # a draft as large as its target may be known not to pay by now


class Open:
    """A gate that hears speech from the first sample to the last: a toy's noise is none for the real one."""

    speaking = False

    def __init__(self) -> None:
        self._received = 0

    def feed(self, samples: np.ndarray) -> list[tuple[bool, int]]:
        begins, self.speaking = not self.speaking, True
        self._received += len(samples)
        return [(True, 0)] if begins else []

    def finish(self) -> list[tuple[bool, int]]:
        return [(False, self._received)] if self.speaking else []


def test_what_was_written_live_stands_and_only_the_sound_behind_it_is_transcribed(
    folder: Path,
    model_cache: ModelCache,
    recording: Path,
    ends: tuple[Connection, Outbox],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The same text as that of a file which holds the rest alone, on the clock of the whole recording."""
    monkeypatch.setattr(file_job, "VoiceGate", Open)
    options = unguarded(str(folder), language="en")
    rest = tmp_path / "rest.wav"
    soundfile.write(rest, soundfile.read(recording, start=24_000)[0], 16_000)
    nothing = Transcript(str(recording), 0.0, "en", 0.9, Models("target", "", "off", "CPU", "f32"))
    alone = run(rest, options, model_cache, ends, written=nothing)[-1]
    assert isinstance(alone, Finished)
    line = Segment(0, 0.0, 1.5, "What was said first.")
    written = replace(nothing, segments=(line,))
    events = run(recording, replace(options, language="auto"), model_cache, ends, written=written)
    finished = events[-1]
    assert isinstance(finished, Finished)
    whole = finished.transcript
    assert whole.segments[0] == line
    assert whole.segments[1:]
    assert [segment.text for segment in whole.segments[1:]] == [it.text for it in alone.transcript.segments]
    assert [segment.start - 1.5 for segment in whole.segments[1:]] == pytest.approx(
        [it.start for it in alone.transcript.segments]
    )
    assert tuple(event.segment for event in events if isinstance(event, SegmentReady)) == whole.segments[1:]
    assert (whole.seconds, whole.stats.audio_seconds, whole.language) == (4.0, 4.0, "en")
    assert [event.done_seconds for event in events if isinstance(event, Progress)][-1] == 4.0


def exact(segments: Iterable[Segment]) -> list[tuple[object, ...]]:
    """What is the same in every run: figures depend in their last digits on how much was verified in one pass."""
    return [
        (it.id, it.start, it.end, it.text, it.tokens, it.temperature, [(word.text, word.start) for word in it.words])
        for it in segments
    ]


def test_from_every_place_on_the_text_is_what_it_would_have_become(
    folder: Path, model_cache: ModelCache, ends: tuple[Connection, Outbox], tmp_path: Path
) -> None:
    """Whatever the next window depends on: the text before it, the draw at a temperature, the last word's end."""
    path = tmp_path / "noise.flac"
    soundfile.write(path, np.random.default_rng(3).standard_normal(16_000 * 62) / 10, 16_000)
    options = unguarded(str(folder), condition=True, temperatures=(0.0, 0.4), words=True)
    events = run(path, options, model_cache, ends)
    whole = events[-1]
    assert isinstance(whole, Finished)
    places = [event for event in events if isinstance(event, Progress)]
    assert len(places) > 2
    for event in places:
        place = event.place
        assert place is not None
        segments = whole.transcript.segments[: place.segments]
        written = replace(
            whole.transcript, segments=segments, stats=event.stats, language=place.language, seconds=event.done_seconds
        )
        again = run(path, replace(options, draft="off"), model_cache, ends, written=written, place=place)
        started = next(each for each in again if isinstance(each, Started))
        assert started.kept == place.segments
        rest = tuple(each.segment for each in again if isinstance(each, SegmentReady))
        assert exact(rest) == exact(whole.transcript.segments[place.segments :])
        finished = again[-1]
        assert isinstance(finished, Finished)
        assert exact(finished.transcript.segments) == exact(whole.transcript.segments)
        assert finished.transcript.language_probability == whole.transcript.language_probability
        assert (finished.transcript.seconds, finished.transcript.stats.audio_seconds) == (62.0, 62.0)
        assert finished.transcript.stats.tokens == whole.transcript.stats.tokens


@pytest.mark.parametrize("what", ["file", "model"])
def test_another_file_or_model_begins_anew(
    folder: Path, model_cache: ModelCache, recording: Path, ends: tuple[Connection, Outbox], what: str
) -> None:
    """Half a text of each would be no text of either."""
    options = unguarded(str(folder), language="en")
    whole = run(recording, options, model_cache, ends)
    assert isinstance(whole[-1], Finished)
    text = whole[-1].transcript
    place = next(event.place for event in whole if isinstance(event, Progress))
    assert place is not None
    if what == "file":
        os.utime(recording, ns=(1, 1))
    else:
        text = replace(text, models=replace(text.models, target="other"))
    again = run(recording, options, model_cache, ends, written=text, place=place)
    assert [event.kept for event in again if isinstance(event, Started)] == [0]
    assert isinstance(again[-1], Finished)
    assert exact(again[-1].transcript.segments) == exact(whole[-1].transcript.segments)
    assert not again[-1].transcript.models.notices


def test_where_all_is_written_nothing_is_added(
    folder: Path, model_cache: ModelCache, recording: Path, ends: tuple[Connection, Outbox]
) -> None:
    """The last line may even end behind the sound: of that a power cut may have taken the last moment."""
    line = Segment(0, 0.0, 4.2, "All of it.")
    written = Transcript(str(recording), 4.2, "en", 0.9, Models("target", "", "off", "CPU", "f32"), (line,))
    finished = run(recording, unguarded(str(folder)), model_cache, ends, written=written)[-1]
    assert isinstance(finished, Finished)
    assert (finished.transcript.segments, finished.transcript.language) == ((line,), "en")


def test_what_the_guard_left_out_is_in_the_transcript(
    folder: Path, model_cache: ModelCache, recording: Path, ends: tuple[Connection, Outbox]
) -> None:
    finished = run(recording, Options(str(folder), language="en"), model_cache, ends)[-1]
    assert isinstance(finished, Finished)
    assert finished.transcript.segments == ()
    assert {one.kind for one in finished.transcript.guarded} == {"silence"}
    assert finished.transcript.stats.tokens > 0


def test_a_long_file_is_measured_by_its_loudest_sound(
    folder: Path, model_cache: ModelCache, ends: tuple[Connection, Outbox], tmp_path: Path
) -> None:
    """A bang in the second window makes the first one, 100 dB softer, as good as silent, as in the reference."""
    soft = np.random.default_rng(0).standard_normal(16_000 * 31).astype(np.float32) * 1e-5
    bang = soft.copy()
    bang[-8_000:] *= 1e5
    texts = []
    for name, samples in (("soft", soft), ("bang", bang)):
        soundfile.write(tmp_path / f"{name}.wav", samples, 16_000, subtype="FLOAT")
        options = unguarded(str(folder), language="en", draft="off")
        finished = run(tmp_path / f"{name}.wav", options, model_cache, ends)[-1]
        assert isinstance(finished, Finished)
        texts.append(finished.transcript.segments[0].tokens)
    assert texts[0] != texts[1]


class Gated(AudioFile):
    """A file of which the part behind half a minute is decoded first when somebody has opened the gate."""

    gate: threading.Event
    opened = 0

    def __enter__(self) -> AudioFile:
        type(self).opened += 1
        self._is_first = type(self).opened == 1
        return super().__enter__()

    def __iter__(self) -> Iterator[np.ndarray]:
        samples = 0
        for block in super().__iter__():
            if self._is_first and samples > 31 * 16_000:
                assert self.gate.wait(LONGEST), "the rest is decoded only when there is a text"
            samples += block.size
            yield block


@pytest.mark.parametrize("ending", ["as soft", "a bang", "damaged"])
def test_the_first_window_is_transcribed_before_the_rest_is_decoded(
    ending: str,
    folder: Path,
    model_cache: ModelCache,
    ends: tuple[Connection, Outbox],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And the text is that of a file which was measured to its end before: what a bang behind it changes is written
    again before anything is final."""
    sound = np.random.default_rng(0).standard_normal(16_000 * 95).astype(np.float32) * 1e-5
    sound[-8_000:] *= 1e5 if ending == "a bang" else 1
    path = tmp_path / "long.flac"
    soundfile.write(path, sound, 16_000, subtype="PCM_24")
    if ending == "damaged":
        path.write_bytes(path.read_bytes()[:-20_000])
    options = unguarded(str(folder), language="en", draft="off")
    before = run(path, options, model_cache, ends)
    opened = threading.Event()

    class Again(Gated):
        gate = opened

    send, at_gate = Outbox.send, list[Event]()

    def noted(self: Outbox, event: Event) -> None:
        send(self, event)
        if not opened.is_set():
            at_gate.append(event)
        if isinstance(event, Progress):
            opened.set()

    monkeypatch.setattr(file_job, "AudioFile", Again)
    monkeypatch.setattr(file_job, "SHORT", 31 * 16_000)
    monkeypatch.setattr(spectrogram, "SHORT", 31 * 16_000)
    monkeypatch.setattr(Outbox, "send", noted)
    events = run(path, options, model_cache, ends)
    assert isinstance(at_gate[-1], Progress), "a window is done, and the rest is not decoded"
    assert 0 < at_gate[-1].done_seconds <= 30
    finished, expected = events[-1], before[-1]
    assert isinstance(finished, Finished)
    assert isinstance(expected, Finished)
    assert exact(finished.transcript.segments) == exact(expected.transcript.segments)
    assert (finished.transcript.seconds, finished.transcript.damage) == (
        expected.transcript.seconds,
        expected.transcript.damage,
    )
    ready = [event.segment for event in events if isinstance(event, SegmentReady)]
    assert ready == list(finished.transcript.segments), "none that was sent has changed"
    first = next(number for number, event in enumerate(events) if isinstance(event, SegmentReady))
    held = [event for event in events[:first] if isinstance(event, Progress)]
    assert held and all(event.place is None for event in held), "nothing is resumed behind what may change"
    places = [event.place for event in events if isinstance(event, Progress) and event.place]
    assert places[-1] == next(event.place for event in reversed(before) if isinstance(event, Progress))
    told = [event.audio_seconds for event in events if isinstance(event, Progress)]
    assert (told[0], told[-1]) == (95.0, finished.transcript.seconds), (
        "the length is that of the sound once it is known"
    )
    assert Again.opened == (3 if ending == "a bang" else 2)


def test_without_a_draft_nothing_is_drafted_and_the_tokens_are_the_same(
    folder: Path, model_cache: ModelCache, recording: Path, ends: tuple[Connection, Outbox]
) -> None:
    both = run(recording, unguarded(str(folder), language="en"), model_cache, ends)[-1]
    alone = run(recording, unguarded(str(folder), language="en", draft="off"), model_cache, ends)[-1]
    assert isinstance(both, Finished)
    assert isinstance(alone, Finished)
    assert [s.tokens for s in alone.transcript.segments] == [s.tokens for s in both.transcript.segments]
    assert (alone.transcript.models.drafter, alone.transcript.stats.drafted) == ("off", 0)


def test_a_draft_with_another_vocabulary_and_other_mel_bins_changes_nothing(
    recording: Path, ends: tuple[Connection, Outbox], tmp_path: Path
) -> None:
    shape, model_cache = replace(TOY.shape, text_positions=64), ModelCache()
    target = str(write(tmp_path / "target", replace(TOY, shape=shape)))
    other = str(write(tmp_path / "other", replace(TOY, english=True, shape=replace(shape, mel_bins=128))))
    both = run(recording, unguarded(target, draft=other, language="en"), model_cache, ends)[-1]
    alone = run(recording, unguarded(target, draft="off", language="en"), model_cache, ends)[-1]
    assert isinstance(both, Finished)
    assert isinstance(alone, Finished)
    assert [s.tokens for s in alone.transcript.segments] == [s.tokens for s in both.transcript.segments]
    assert both.transcript.models.draft == "other"
    assert both.transcript.stats.drafted > 0


@pytest.mark.parametrize("passes", [0, 1, 5, 50])
def test_it_stops_soon_after_it_is_asked_to(
    folder: Path, model_cache: ModelCache, recording: Path, ends: tuple[Connection, Outbox], passes: int
) -> None:
    events = run(recording, unguarded(str(folder), language="en"), model_cache, ends, stop_after=passes)
    assert events[-1] == Cancelled("a")
    assert not any(isinstance(event, Finished) for event in events)


def test_what_is_wrong_with_the_file_or_the_model_is_said(
    folder: Path, model_cache: ModelCache, recording: Path, ends: tuple[Connection, Outbox]
) -> None:
    assert run("missing.wav", unguarded(str(folder)), model_cache, ends) == [Failed("a", Problem("file.missing"))]
    assert run(recording, unguarded("nobody"), model_cache, ends) == [
        Failed("a", Problem("model.unknown", name="nobody", names="base"))
    ]
    assert run(recording, unguarded(str(folder), language="xx"), model_cache, ends)[-1] == Failed(
        "a", Problem("model.language_of", model="target", language="xx", languages="de, en")
    )


def test_the_damage_of_a_file_is_told_with_its_transcript(
    folder: Path, model_cache: ModelCache, recording: Path, ends: tuple[Connection, Outbox], tmp_path: Path
) -> None:
    whole = tmp_path / "whole.flac"
    soundfile.write(whole, *soundfile.read(recording))
    (tmp_path / "cut.flac").write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    finished = run(tmp_path / "cut.flac", unguarded(str(folder), language="en"), model_cache, ends)[-1]
    assert isinstance(finished, Finished)
    assert finished.transcript.damage is not None and finished.transcript.damage.code == "file.cut_short"
    assert 1 < finished.transcript.seconds < 3


@pytest.mark.parametrize("cut", [False, True], ids=["whole", "damaged"])
def test_a_short_file_is_decoded_once_and_a_long_one_twice(
    folder: Path,
    model_cache: ModelCache,
    recording: Path,
    ends: tuple[Connection, Outbox],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    cut: bool,
) -> None:
    path = tmp_path / "four.flac"
    soundfile.write(path, *soundfile.read(recording))
    if cut:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    happened, made = list[str](), []

    class Noted(AudioFile):
        def __enter__(self) -> AudioFile:
            happened.append("opened")
            return super().__enter__()

        def __exit__(self, *about: Any) -> None:
            happened.append("closed")
            super().__exit__(*about)

    monkeypatch.setattr(file_job, "AudioFile", Noted)
    for most in (10 * 60 * 16_000, 16_000):
        monkeypatch.setattr(file_job, "SHORT", most)
        finished = run(path, unguarded(str(folder), language="en"), model_cache, ends)[-1]
        assert isinstance(finished, Finished)
        text = finished.transcript
        made.append((exact(text.segments), text.seconds, text.damage and text.damage.code))
    assert happened == ["opened", "closed", "opened", "opened", "closed", "closed"]
    assert made[0] == made[1] and made[0][0]


def test_a_stretch_of_a_file_is_kept_or_decoded_again_as_a_file_is(tmp_path: Path) -> None:
    path, ramp = tmp_path / "ramp.flac", np.arange(5 * 16_000, dtype=np.float32) / 2**17
    soundfile.write(path, ramp, 16_000, subtype="PCM_24")
    for most in (2 * 16_000, 2 * 16_000 - 1):
        with pytest.MonkeyPatch.context() as patch, file_job._Sound(str(path), (1.0, 3.0)) as sound:
            patch.setattr(file_job, "SHORT", most)
            assert sound.seconds == 2.0
            ahead = np.concatenate(list(sound.beginning()))
            assert np.allclose(ahead, ramp[16_000 : 3 * 16_000], atol=1e-6)
            assert np.array_equal(np.concatenate(list(sound)), ahead)
            assert (sound._kept is None) == (most < 2 * 16_000)


def test_speakers_are_looked_for_in_a_stretch_alone(
    tmp_path: Path, ends: tuple[Connection, Outbox], model_cache: ModelCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[np.ndarray] = []

    class Heard(FileSpeakers):
        def feed(self, block: np.ndarray) -> None:
            heard.append(block)

    monkeypatch.setattr(file_job, "FileSpeakers", Heard)
    path, ramp = tmp_path / "ramp.flac", np.arange(5 * 16_000, dtype=np.float32) / 2**17
    soundfile.write(path, ramp, 16_000, subtype="PCM_24")
    request = FindSpeakers("a", str(path), Options(speakers="auto"), span=(1.0, 3.0))
    file_job.run(request, model_cache, ends[1], lambda: False)
    assert np.allclose(np.concatenate(heard), ramp[16_000 : 3 * 16_000], atol=1e-6)
    (done,) = drain(ends[0])
    assert isinstance(done, Finished) and done.transcript.seconds == 2.0


class Silence(AudioFile):
    """Blocks of a second, which are there only while somebody holds them."""

    count = 0
    opened = 0
    blocks: list[weakref.ref[np.ndarray]]

    def __enter__(self) -> AudioFile:
        type(self).opened += 1
        return self

    def __exit__(self, *about: object) -> None:
        pass

    def __iter__(self) -> Iterator[np.ndarray]:
        for _ in range(self.count):
            block = np.zeros(16_000, np.float32)
            self.blocks.append(weakref.ref(block))
            yield block


@pytest.fixture
def silence(monkeypatch: pytest.MonkeyPatch) -> type[Silence]:
    """Is every file."""

    class Fresh(Silence):
        count, blocks = 601, []

    monkeypatch.setattr(file_job, "AudioFile", Fresh)
    return Fresh


@pytest.mark.parametrize(("seconds", "kept"), [(600, 600), (601, 0)])
def test_ten_minutes_of_a_recording_are_kept_in_memory(silence: type[Silence], seconds: int, kept: int) -> None:
    silence.count = seconds
    with file_job._Sound("long.wav", None) as sound:
        for _ in sound.beginning():
            alive = sum(block() is not None for block in silence.blocks)
        assert kept <= alive <= kept + 2
        assert len(list(sound)) == seconds
    assert silence.opened == (1 if kept else 2)


def test_while_a_file_is_read_ahead_it_can_be_cancelled_and_live_sessions_run(
    folder: Path, model_cache: ModelCache, ends: tuple[Connection, Outbox], silence: type[Silence]
) -> None:
    paused = 0

    def pause() -> None:
        nonlocal paused
        paused += 1

    request = Transcribe("a", "long.wav", unguarded(str(folder), language="en"))
    file_job.run(request, model_cache, ends[1], lambda: len(silence.blocks) >= 100, pause)
    assert drain(ends[0])[-1] == Cancelled("a")
    assert (len(silence.blocks), paused) == (100, 99)


# The text while it is written. Token ids: 65 and so on spell letters in the toy's vocabulary.


@pytest.fixture(scope="module")
def checkpoint(folder: Path) -> Checkpoint:
    return read(folder)


def letters(checkpoint: Checkpoint, text: str) -> tuple[int, ...]:
    """The tokens of ASCII letters, one each."""
    by_text = {checkpoint.text([token]): token for token in range(256)}
    return tuple(by_text[letter] for letter in text)


def lines(
    checkpoint: Checkpoint, written: list[tuple[float, tuple[int, ...]]], draft: tuple[int, ...], begin: float = 30.0
) -> tuple[TentativeLine, ...]:
    return file_job.tentative_lines(
        checkpoint, [Line(start, start + 1, tokens) for start, tokens in written], draft, begin
    )


def test_a_draft_follows_the_last_line(checkpoint: Checkpoint) -> None:
    time = checkpoint.vocabulary.first_timestamp
    first, last = (time, *letters(checkpoint, " One."), time + 50), (time + 50, *letters(checkpoint, " Tw"))
    got = lines(checkpoint, [(30.0, first), (31.0, last)], letters(checkpoint, "o three"))
    assert got == (TentativeLine(30.0, "One.", ""), TentativeLine(31.0, "Tw", "o three"))


def test_a_draft_that_begins_with_a_time_is_a_line_of_its_own(checkpoint: Checkpoint) -> None:
    time = checkpoint.vocabulary.first_timestamp
    first = (time, *letters(checkpoint, " One."))
    got = lines(checkpoint, [(30.0, first)], (time + 50, time + 75, *letters(checkpoint, " Two"), time + 99))
    assert got == (TentativeLine(30.0, "One.", ""), TentativeLine(31.5, "", "Two"))


def test_the_first_draft_of_a_window_is_a_line_too(checkpoint: Checkpoint) -> None:
    time = checkpoint.vocabulary.first_timestamp
    assert lines(checkpoint, [], (time + 10, *letters(checkpoint, " A"))) == (TentativeLine(30.2, "", "A"),)
    assert lines(checkpoint, [], (time + 10,)) == ()
    assert lines(checkpoint, [(30.0, (time,))], letters(checkpoint, " A")) == (TentativeLine(30.0, "", "A"),)


def test_half_a_character_is_not_shown(checkpoint: Checkpoint) -> None:
    time = checkpoint.vocabulary.first_timestamp
    half = next(token for token in range(256) if checkpoint.text([token]) == "\ufffd")
    got = lines(checkpoint, [(30.0, (time, *letters(checkpoint, "A"), half))], ())
    assert got == (TentativeLine(30.0, "A", ""),)


@pytest.mark.parametrize(
    ("error", "code", "detail"),
    [
        (ImportError("libopenvino.so"), "engine.not_loaded", "libopenvino.so"),
        (
            ImportError("\n\nIMPORTANT: PLEASE READ THIS\n\nOriginal error was: no CPU\n"),
            "engine.not_loaded",
            "Original error was: no CPU",
        ),
        (ImportError("openblas.so: failed to map segment from shared object"), "engine.memory", None),
        (OSError(12, os.strerror(12)), "engine.memory", None),
        (MemoryError(), "engine.memory", None),
        (RuntimeError("Check failed: std::bad_alloc"), "engine.memory", None),
        (OSError(28, os.strerror(28)), "disk.full", None),
        (ZeroDivisionError("division\nby zero"), "engine.mistake", "division by zero"),
        (AssertionError(), "engine.mistake", "AssertionError"),
    ],
)
def test_an_unforeseen_error_is_a_problem(error: BaseException, code: str, detail: str | None) -> None:
    problem = main.explained(error)
    assert (problem.code, problem.values.get("error")) == (code, detail)
