"""What was measured of a pair is there for the next run, and a damaged file of it is no matter."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from desktop_app import folders, resources
from desktop_app.decoding import longform
from desktop_app.decoding.lookahead import HEAD_ALONE, TRY, LookAhead, Round
from desktop_app.decoding.setup import Setup
from desktop_app.decoding.speculation import CancelledError
from desktop_app.messages.jobs import Cancelled, Finished, LiveAudio, StartLive, StopLive, Transcribe
from desktop_app.messages.options import Options
from desktop_app.transcript.model import Transcript
from desktop_app.worker import file_job, live_job, measured
from desktop_app.worker.loaded_models import ModelCache, Pair
from desktop_app.worker.outbox import Outbox
from tests.random_models import toy

MINE, OTHER = ("base", "cpu"), ("base", "npu")


def learnt(rounds: int = 50) -> LookAhead:
    policy = LookAhead(may_disable_draft=True, has_head=True)
    for _ in range(rounds):
        count = policy.choose()
        policy.record(Round(count, count, count, count, count + 1, 0, 0.001, 0.01 + 0.001 * count))
    return policy


def resumed(pair: tuple[str, ...] = MINE) -> dict[str, Any]:
    policy = LookAhead(may_disable_draft=True, has_head=True)
    measured.resume(pair, policy)
    return policy.as_json()


NOTHING = LookAhead(may_disable_draft=True, has_head=True).as_json()


def file() -> Path:
    return folders.cache() / "look-ahead.json"


def test_each_pair_has_its_own_measurements() -> None:
    assert resumed() == NOTHING
    mine, other = learnt(), learnt(20)
    measured.keep(MINE, mine)
    assert resumed(OTHER) == NOTHING
    measured.keep(OTHER, other)
    assert (resumed(), resumed(OTHER)) == (mine.as_json(), other.as_json())
    assert not any(name in file().read_text(encoding="utf-8") for name in ("base", "cpu", "npu"))


def test_only_the_pairs_that_were_used_last_are_kept() -> None:
    measured.keep(MINE, learnt())
    measured.keep(OTHER, learnt())
    measured.keep(MINE, learnt())
    for number in range(measured.PAIRS - 1):
        measured.keep((str(number), "cpu"), learnt(5))
    assert resumed() != NOTHING
    assert resumed(OTHER) == NOTHING


def of_another_version(kept: dict[str, Any]) -> str:
    return json.dumps(kept | {"version": "0.0"})


def with_words(kept: dict[str, Any]) -> str:
    first = next(iter(kept["pairs"].values()))
    first["ways"][0]["plan"]["look_ahead"] = "four"
    return json.dumps(kept)


def without_end(kept: dict[str, Any]) -> str:
    first = next(iter(kept["pairs"].values()))
    first["ways"][0]["plan"]["worth"] = float("inf")
    return json.dumps(kept).replace("Infinity", "1e999")


@pytest.mark.parametrize(
    "damage",
    [of_another_version, with_words, without_end, lambda kept: json.dumps(kept)[:-9], lambda kept: "[]"],
    ids=["version", "words", "infinite", "torn", "list"],
)
def test_a_file_that_is_no_use_is_measured_again(damage: Callable[[dict[str, Any]], str]) -> None:
    measured.keep(MINE, learnt())
    file().write_text(damage(json.loads(file().read_bytes())), encoding="utf-8")
    assert resumed() == NOTHING
    measured.keep(MINE, learnt())
    assert resumed() != NOTHING


def test_a_folder_that_cannot_be_written_is_no_error() -> None:
    file().mkdir(parents=True)
    measured.keep(MINE, learnt())
    assert resumed() == NOTHING


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A toy with a draft."""
    made = toy(tmp_path / "target")
    toy(made / "draft")
    return made


def test_another_engine_begins_with_what_was_measured(folder: Path, tmp_path: Path) -> None:

    first, policy = pair_of(Options(str(folder)))
    policy.record(Round(3, 3, 3, 2, 3, 3, 0.001, 0.01))
    first.keep_measurements()
    assert pair_of(Options(str(folder)))[1].as_json() == policy.as_json()
    for other in (Options(str(folder), precision="int8"), Options(str(folder), str(toy(tmp_path / "other")))):
        assert pair_of(other)[1].as_json() != policy.as_json(), "it costs something else"


def test_a_cancelled_job_leaves_what_it_measured(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def transcribe(*steps: Any) -> None:
        look_ahead = next(each.look_ahead for each in steps if isinstance(each, Setup))
        assert look_ahead is not None
        look_ahead.record(Round(3, 3, 3, 2, 3, 3, 0.001, 0.01))
        raise CancelledError

    monkeypatch.setattr(longform, "transcribe", transcribe)
    model_cache, told = ModelCache(), Sent()
    file_job.run(Transcribe("job", SAMPLE, Options(str(folder))), model_cache, told, lambda: False)
    assert isinstance(told.last, Cancelled)
    kept = pair_of(Options(str(folder)))[1].as_json()
    assert kept == pair_of(Options(str(folder)), model_cache)[1].as_json()
    assert kept["ways"][0]["rounds"]


def pair_of(options: Options, model_cache: ModelCache | None = None) -> tuple[Pair, LookAhead]:
    pair = (model_cache or ModelCache()).pair(options, lambda stage, **values: None)
    look_ahead = pair.look_ahead()
    assert look_ahead is not None
    return pair, look_ahead


def is_loaded(pair: Pair) -> bool:
    """Whether the model of the draft is in memory."""
    return "ready" in vars(pair.draft)


ENGLISH = Options(language="en")
SAMPLE = str(resources.path("resources", "sample", "conversation.flac"))


class Sent(Outbox):
    """The last event."""

    last: Any = None

    def __init__(self) -> None:
        pass

    def send(self, event: Any) -> None:
        self.last = event

    def tentative(self, make: Callable[[], Any]) -> None:
        pass


def written(model_cache: ModelCache) -> Transcript:
    """The text of the first eight seconds of the sample."""
    told = Sent()
    file_job.run(Transcribe("job", SAMPLE, ENGLISH, span=(0, 8)), model_cache, told, lambda: False)
    assert isinstance(told.last, Finished), told.last
    found: Transcript = told.last.transcript
    return found


def test_where_the_head_alone_was_faster_the_model_of_a_draft_stays_on_the_disk(bundled: None) -> None:
    """Live it is used from the first words on, and there none may wait for it."""
    model_cache = ModelCache()
    first, policy = pair_of(ENGLISH, model_cache)
    assert is_loaded(first), "nothing is known yet"
    for _ in range(TRY):
        policy.record(Round(3, 3, 3, 2, 3, 3, 0.03, 0.01))
    assert policy.confidence == HEAD_ALONE
    wanted = written(model_cache)

    model_cache = ModelCache()
    pair, policy = pair_of(ENGLISH, model_cache)
    assert policy.confidence == HEAD_ALONE and not is_loaded(pair)
    found = written(model_cache)
    assert found.models.device == wanted.models.device
    assert [each.tokens for each in found.segments] == [each.tokens for each in wanted.segments]
    assert found.stats.drafted > 0 == found.stats.draft_passes and not is_loaded(pair)

    class Nothing:
        def take(self, seconds: float) -> list[LiveAudio | StopLive]:
            return [StopLive("live")]

    live_job.run(StartLive("live", ENGLISH), Nothing(), model_cache, Sent(), lambda: False)
    assert is_loaded(pair)


def test_nor_is_it_loaded_where_the_draft_was_disabled(bundled: None) -> None:
    first, policy = pair_of(ENGLISH)
    while policy.left_out is None:
        count = policy.choose()
        policy.record(Round(count, count, min(count, 1), 0, 1, count, 0.03, 0.01))
    first.keep_measurements()
    pair, policy = pair_of(ENGLISH)
    assert policy.left_out is not None and not is_loaded(pair)
