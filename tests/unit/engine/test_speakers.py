"""Speakers beside a job: they come with the transcript, and whatever fails, the transcript stands and says so."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from desktop_app.checkpoints import speaker_networks
from desktop_app.checkpoints.problem import ModelProblem
from desktop_app.engine import speakers
from desktop_app.engine.speakers import Beside
from desktop_app.speakers.networks import Limits, Networks
from desktop_app.transcript.model import Models, Segment, Transcript
from tests.unit.runtimes.test_speakers_openvino import starter_folder, tiny_embedder, tiny_segmenter
from tests.unit.speakers.voices import NETWORKS, loud, talk

GIVEN = Transcript(
    "a.wav", 9.0, "en", 1.0, Models("t", "", "off", "CPU", "f32", "Read this."), (Segment(0, 1.0, 5.0, "Hi."),)
)


@pytest.fixture(autouse=True)
def _own_ears(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speakers, "SileroVoice", lambda: loud)


def test_speakers_come_with_the_transcript_and_nothing_is_loaded_before_the_first_words() -> None:
    loaded = []

    def load() -> Networks:
        loaded.append(1)
        return NETWORKS

    beside = Beside("auto", load)
    beside.hear(talk(("", 1), ("a", 4)))
    assert not loaded
    beside.work()
    beside.hear(talk(("", 1), ("b", 5)))
    found = beside.finish(GIVEN)
    assert loaded == [1]
    assert [each.speaker for each in found.segments] == ["S1"]
    assert [each.id for each in found.speakers] == ["S1", "S2"]
    assert found.models == GIVEN.models


@pytest.mark.parametrize("number", ["auto", "2"])
def test_a_missing_network_is_a_notice(number: str) -> None:
    def load() -> Networks:
        raise ModelProblem("the network is not there", "install it")

    beside = Beside(number, load)
    beside.hear(np.zeros(16_000, np.float32))
    beside.work()
    beside.hear(np.zeros(16_000, np.float32))
    found = beside.finish(GIVEN)
    assert found.models.notice == "Read this. No speakers: the network is not there; install it."
    assert found.segments == GIVEN.segments and found.speakers == ()


def test_a_mistake_is_a_notice_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))

    def broken(banks: np.ndarray) -> np.ndarray:
        raise RuntimeError("the network fell over")

    beside = Beside("auto", lambda: Networks("broken", broken, Limits(0.5, 1.5, 0.85, 0.65)))
    beside.hear(talk(("a", 3), ("", 1)))
    found = beside.finish(GIVEN)
    assert "No speakers: they could not be found (the network fell over)" in found.models.notice
    assert found.segments == GIVEN.segments


def test_the_starters_network_is_used_until_others_are_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    starter_folder(tmp_path)
    catalogue = speaker_networks.entries()
    monkeypatch.setattr(speakers.resources, "path", lambda *parts: tmp_path)
    monkeypatch.setattr(speaker_networks, "home", lambda: tmp_path / "models")
    first = speakers.networks()
    assert (first.name, first.limits, first.segment) == ("Galley starter", Limits(0.4, 1.0, 0.8, 0.6), None)
    embedding, segmentation = (
        next(each for each in catalogue if each.part == part) for part in ("embedding", "segmentation")
    )
    for entry, make in ((segmentation, tiny_segmenter), (embedding, tiny_embedder)):
        file = tmp_path / "models" / entry.name / entry.file
        file.parent.mkdir(parents=True)
        make(file)
    second = speakers.networks()
    assert (second.name, second.limits.same, second.limits.alike) == (embedding.name, embedding.same, embedding.alike)
    hearing = speakers.recogniser(second, None)
    hearing.hear(talk(("", 1), ("a", 12), ("", 2)))
    (turn,) = hearing.finish()
    assert (turn.start, turn.end, turn.speaker) == (pytest.approx(1, abs=0.1), pytest.approx(13, abs=0.1), "S1")


def test_the_catalogue_says_whose_the_networks_are() -> None:
    for entry in speaker_networks.entries():
        assert entry.licence and entry.credit and len(entry.sha256) == 64 and entry.bytes
        if entry.part == "embedding":
            assert 0 < entry.least < entry.same < 1 and 0 < entry.alike < 1 and entry.doubt > 0
