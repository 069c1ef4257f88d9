"""Files in batches, by a whole engine job with a trained pair on PyTorch: the text depends neither on the draft nor on
how many rows there are, and everything else is as without batches. The CPU stands in for the card.

`make parity` takes all numbers of rows; `make test` takes one beside which the draft is off, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
import torch

from desktop_app import resources
from desktop_app.audio.files import AudioFile
from desktop_app.audio.logmel import features
from desktop_app.audio.voice import cut_at_pause
from desktop_app.checkpoints.folder import read
from desktop_app.decoding import batch
from desktop_app.decoding.batch import BatchRows
from desktop_app.decoding.longform import DecodingListener, transcribe
from desktop_app.decoding.setup import Setup
from desktop_app.export.json_format import json_object, json_text, read_json
from desktop_app.messages.jobs import Cancelled, Event, Failed, Finished, Progress, Started, Transcribe
from desktop_app.messages.options import Options
from desktop_app.problems import Problem
from desktop_app.runtimes import torch as torch_runtime
from desktop_app.runtimes.torch_passes import WIDEST
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.model import ResumePoint, Segment, Transcript
from desktop_app.transcript.settings import Settings
from desktop_app.transcript.statistics import Counter
from desktop_app.worker import file_job
from desktop_app.worker.loaded_models import ModelCache
from tests.small_pair import DRAFT_NAME, NAME, SMALL_PAIR

LOADED: dict[tuple[Path, int], Any] = {}
CONVERSATION = str(resources.path("resources", "sample", "conversation.flac"))


@pytest.fixture(autouse=True)
def cuda(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A card that is the CPU, which computes on one thread: these models have no work for a second one. A model is
    loaded once for all tests."""

    def load_batch(checkpoint: Any, rows: int, device: str, precision: str, *, encoder: Any, **others: Any) -> Any:
        if device == "cpu":
            return original(checkpoint, rows, device, precision, encoder=encoder, **others)
        key = checkpoint.folder, rows
        if key not in LOADED:
            LOADED[key] = original(checkpoint, rows, "cpu", "f32", encoder=encoder)
        return LOADED[key]

    original, threads = torch_runtime.load_batch, torch.get_num_threads()
    monkeypatch.setattr(torch_runtime, "devices", lambda: [("CUDA", "A card")])
    monkeypatch.setattr(torch_runtime, "load_batch", load_batch)
    monkeypatch.setattr(torch_runtime, "_encodes_alike", lambda *about: True)  # which test_torch_batch.py looks into
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def model_cache() -> ModelCache:
    return ModelCache()


class Events:
    """An outbox that keeps what it is given."""

    def __init__(self) -> None:
        self.sent: list[Event] = []

    def send(self, event: Event) -> None:
        self.sent.append(event)

    def tentative(self, make: Any) -> None:
        self.sent.append(make())


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The beginning of the conversation: two chunks."""
    samples, rate = soundfile.read(CONVERSATION, frames=42 * SAMPLE_RATE)
    path = tmp_path_factory.mktemp("sound") / "short.flac"
    soundfile.write(path, samples, rate)
    return str(path)


def run(
    model_cache: ModelCache, options: Options, path: str = CONVERSATION, stop: int = 10**9, **request: Any
) -> tuple[list[Event], Any]:
    """The events of a job, and the last of them; it is asked to stop when it has looked so often."""
    looks = iter(range(stop))
    outbox: Any = Events()
    file_job.run(Transcribe("a", path, options, **request), model_cache, outbox, lambda: next(looks, None) is None)
    return outbox.sent, outbox.sent[-1]


def text(
    model_cache: ModelCache, rows: int, draft: str = "auto", path: str = CONVERSATION, **options: Any
) -> Transcript:
    _, last = run(model_cache, Options(draft=draft, device="cuda", batch=rows, **options), path)
    assert isinstance(last, Finished), last
    return last.transcript


def exact(segments: Any) -> list[tuple[Any, ...]]:
    return [
        (one.id, one.start, one.end, one.text, one.tokens, [(w.text, w.start) for w in one.words]) for one in segments
    ]


@cache
def in_five_rows(model_cache: ModelCache) -> Transcript:
    """The conversation's text, written once for the tests that compare with it."""
    return text(model_cache, 5, words=True)


@cache
def in_two_rows(model_cache: ModelCache, short: str) -> Transcript:
    """Its beginning, likewise."""
    return text(model_cache, 2, path=short)


def test_the_words_times_are_on_the_recordings_clock(model_cache: ModelCache) -> None:
    five = in_five_rows(model_cache)
    assert len(five.segments) > 20 and five.seconds == pytest.approx(73.888, abs=0.01)
    assert five.stats.accepted > 0 and five.stats.near_ties == 0
    assert five.stats.target_passes < five.stats.tokens
    words = [word for segment in five.segments for word in segment.words]
    assert len(words) > 100 and words[-1].end > 70
    assert all(first.start <= second.start for first, second in pairwise(words))
    assert all(first.end <= second.start for first, second in pairwise(five.segments))


@pytest.mark.parametrize(
    ("rows", "draft"),
    [pytest.param(5, "off", marks=pytest.mark.long), pytest.param(2, "auto", marks=pytest.mark.long), (2, "off")],
)
def test_neither_the_draft_nor_the_number_of_rows_changes_a_token(
    model_cache: ModelCache, rows: int, draft: str
) -> None:
    five, other = in_five_rows(model_cache), text(model_cache, rows, draft)
    assert [(one.start, one.end, one.tokens) for one in other.segments] == [
        (one.start, one.end, one.tokens) for one in five.segments
    ]
    assert other.stats.tokens == five.stats.tokens
    assert (other.stats.drafted > 0) == (draft == "auto")


def test_seconds_add_up_to_no_more_than_the_wall_clock(model_cache: ModelCache, short: str) -> None:
    """A pass for several rows is counted once, by shares."""
    stats = in_two_rows(model_cache, short).stats
    assert 0 < stats.encode_seconds + stats.draft_seconds + stats.verify_seconds <= stats.wall_seconds


def test_a_drafter_without_a_model(model_cache: ModelCache, short: str) -> None:
    ngrams, drafted = text(model_cache, 2, "ngram", path=short), in_two_rows(model_cache, short)
    assert exact(ngrams.segments) == exact(drafted.segments)
    assert (ngrams.models.drafter, ngrams.models.batch) == ("ngram", 2)


class Collected(DecodingListener):
    def __init__(self) -> None:
        self.places: list[ResumePoint] = []
        self.made: list[Segment] = []

    def reached(self, place: ResumePoint) -> None:
        self.places.append(place)

    def segments(self, segments: Any, done_seconds: float) -> None:
        self.made += segments


@pytest.mark.parametrize("rows", [pytest.param(1, marks=pytest.mark.long), 2, pytest.param(5, marks=pytest.mark.long)])
def test_each_chunk_has_the_text_of_a_recording_that_holds_nothing_else(rows: int) -> None:
    """By the loop for one window after another, with a model that has one row."""
    checkpoint = read(SMALL_PAIR)
    beside, model = (
        torch_runtime.load_batch(checkpoint, rows, "cuda", "f32", encoder=None),
        torch_runtime.load(checkpoint, "cpu", "f32"),
    )
    setups = [Setup(one, checkpoint.vocabulary, checkpoint.text) for one in beside.rows]
    with AudioFile(CONVERSATION) as audio:
        samples = np.concatenate(list(audio))
    found, settings = Collected(), Settings("en")
    batch.transcribe(
        iter([samples]), features, BatchRows(setups, [beside], [beside]), cut_at_pause, found, settings, Counter()
    )
    assert len(found.places) >= 3
    begin = count = 0
    for place in found.places:
        assert place.samples - begin <= 30 * SAMPLE_RATE
        alone = Collected()

        def whole(part: np.ndarray, bins: int, before: np.ndarray, behind: np.ndarray, place: int) -> np.ndarray:
            return features(part, bins)

        chunk = samples[begin : place.samples]
        transcribe(iter([chunk]), whole, Setup(model, checkpoint.vocabulary, checkpoint.text), alone, settings)
        ours = found.made[count : place.segments]
        assert [one.tokens for one in ours] == [one.tokens for one in alone.made]
        starts = [one.start + begin / SAMPLE_RATE for one in alone.made]
        assert [one.start for one in ours] == pytest.approx(starts)
        begin, count = place.samples, place.segments
    assert begin == len(samples)


def test_the_output_names_the_batch(model_cache: ModelCache, short: str) -> None:
    made = in_two_rows(model_cache, short)
    models = json_object(made)["models"]
    assert (models["target"], models["draft"], models["batch"]) == (NAME, DRAFT_NAME, 2)
    assert read_json(json_text(made)).models == made.models


@pytest.mark.parametrize("share", ["last", pytest.param("rest", marks=pytest.mark.long)])
def test_from_every_place_on_the_text_is_what_it_would_have_become(model_cache: ModelCache, share: str) -> None:
    options = Options(device="cuda", batch=2, words=True)
    events, last = run(model_cache, options)
    assert isinstance(last, Finished)
    whole = last.transcript
    progress = [event for event in events if isinstance(event, Progress)]
    assert len(progress) >= 3
    for event in progress[-2:-1] if share == "last" else progress[:-2]:
        assert event.place is not None
        kept = whole.segments[: event.place.segments]
        written = replace(whole, segments=kept, stats=event.stats, seconds=event.done_seconds)
        again, end = run(model_cache, replace(options, draft="off"), written=written, place=event.place)
        assert [one.kept for one in again if isinstance(one, Started)] == [len(kept)]
        assert isinstance(end, Finished)
        assert exact(end.transcript.segments) == exact(whole.segments)
        assert end.transcript.stats.tokens == whole.stats.tokens


def test_a_text_that_was_not_written_in_such_a_batch_is_begun_anew(model_cache: ModelCache, short: str) -> None:
    """Half a text of windows and half of chunks would be no text of either."""
    events, last = run(model_cache, Options(device="cuda", batch=2), short)
    assert isinstance(last, Finished)
    place = next(event.place for event in events if isinstance(event, Progress))
    assert place is not None
    written = replace(
        last.transcript,
        segments=last.transcript.segments[: place.segments],
        models=replace(last.transcript.models, batch=1),
    )
    again, end = run(model_cache, Options(device="cuda", batch=2), short, written=written, place=place)
    assert [one.kept for one in again if isinstance(one, Started)] == [0]
    assert isinstance(end, Finished) and exact(end.transcript.segments) == exact(last.transcript.segments)


def test_silence_is_no_text(model_cache: ModelCache, tmp_path: Path) -> None:
    """More of it than a window holds; the guard is asked as ever."""
    soundfile.write(tmp_path / "silence.wav", np.zeros(70 * SAMPLE_RATE), SAMPLE_RATE)
    made = text(model_cache, 2, path=str(tmp_path / "silence.wav"), language="en")
    assert made.segments == () and made.seconds == 70


@pytest.mark.parametrize("looks", [0, 40])
def test_it_stops_soon_after_it_is_asked_to(model_cache: ModelCache, short: str, looks: int) -> None:
    events, last = run(model_cache, Options(device="cuda", batch=2), short, stop=looks)
    assert last == Cancelled("a")
    assert not any(isinstance(event, Finished) for event in events)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (Options(batch=2), Problem("model.batch_device")),
        (Options(batch=2, device="gpu"), Problem("model.batch_device")),
        (Options(batch=2, device="encoder=cuda,target=cuda,draft=cpu"), Problem("model.batch_device")),
        (Options(batch=2, device="cuda", condition=True), Problem("model.batch_condition")),
    ],
)
def test_what_cannot_be_combined_is_said(model_cache: ModelCache, options: Options, problem: Problem) -> None:
    assert run(model_cache, options)[1] == Failed("a", problem)


def test_a_draft_on_the_cpu_is_no_matter_where_there_is_none(model_cache: ModelCache, short: str) -> None:
    options = Options(batch=2, device="encoder=cuda,target=cuda,draft=cpu", draft="off")
    assert isinstance(run(model_cache, options, short)[1], Finished)


def test_another_number_of_rows_is_another_pair(model_cache: ModelCache) -> None:
    def pair(rows: int, draft: str = "auto") -> Any:
        return model_cache.pair(Options(device="cuda", batch=rows, draft=draft), lambda stage, **values: None)

    two = pair(2)
    assert pair(2).target is two.target and pair(2).draft is two.draft
    assert two.batch().setups[0].look_ahead is pair(2).batch().setups[0].look_ahead, "it goes on learning"
    assert two.batch().setups[0].look_ahead is not two.batch().setups[1].look_ahead
    assert (len(two.batch().setups), len(two.batch().batches), len(pair(2, "off").batch().batches)) == (2, 2, 1)
    assert two.draft.shares_encoder and two.batch().encoders == [two.target.ready.batch], "each chunk is encoded once"
    assert two.batch().setups[0].look_ahead._most == WIDEST - 1, "a pass reads so many in any case"
    three = pair(3)
    assert three.target is not two.target and three.described().batch == 3
