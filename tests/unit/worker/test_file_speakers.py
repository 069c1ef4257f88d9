"""Speakers beside a job: they come with the transcript, and whatever fails, the transcript stands and says so."""

from __future__ import annotations

import contextlib
import dataclasses
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from desktop_app.checkpoints import speaker_networks
from desktop_app.checkpoints.download import download_network
from desktop_app.checkpoints.parts import digest
from desktop_app.problems import Problem
from desktop_app.speakers.diarisation import Diarisation
from desktop_app.speakers.networks import Networks
from desktop_app.transcript.model import Models, Segment, Transcript
from desktop_app.worker import file_speakers
from desktop_app.worker.file_speakers import FileSpeakers
from tests.unit.runtimes.test_speakers_openvino import tiny_embedder, tiny_segmenter
from tests.unit.speakers.voices import NETWORKS, talk

GIVEN = Transcript(
    "a.wav",
    9.0,
    "en",
    1.0,
    Models("t", "", "off", "CPU", "f32", (Problem("model.notice", text="Read this."),)),
    (Segment(0, 1.0, 5.0, "Hi."),),
)


def test_speakers_come_with_the_transcript_and_nothing_is_loaded_before_the_first_words() -> None:
    loaded = []

    def load() -> Networks:
        loaded.append(1)
        return NETWORKS

    beside = FileSpeakers("auto", load)
    beside.feed(talk(("", 1), ("a", 4)))
    assert not loaded
    beside.work()
    beside.feed(talk(("", 1), ("b", 5)))
    found = beside.finish(GIVEN)
    assert loaded == [1]
    assert [each.speaker for each in found.segments] == ["S1"]
    assert [each.id for each in found.speakers] == ["S1", "S2"]
    assert found.models == GIVEN.models


@pytest.mark.parametrize("number", ["auto", "2"])
def test_a_missing_network_is_a_notice(number: str) -> None:
    def load() -> Networks:
        raise Problem("model.no_network", name="voices")

    beside = FileSpeakers(number, load)
    beside.feed(np.zeros(16_000, np.float32))
    beside.work()
    beside.feed(np.zeros(16_000, np.float32))
    found = beside.finish(GIVEN)
    assert found.models.notices[1:] == (Problem("model.no_speakers", cause=Problem("model.no_network", name="voices")),)
    assert found.segments == GIVEN.segments and found.speakers == ()


def test_a_mistake_is_a_notice_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))

    def broken(samples: np.ndarray) -> np.ndarray:
        raise RuntimeError("the network fell over")

    beside = FileSpeakers("auto", lambda: replace(NETWORKS, segment=broken))
    beside.feed(talk(("a", 3), ("", 1)))
    found = beside.finish(GIVEN)
    cause = found.models.notices[-1].values["cause"]
    assert (cause.code, cause.values["error"]) == ("engine.mistake", "the network fell over")
    assert found.segments == GIVEN.segments


@pytest.mark.parametrize("bundled", [True, False])
def test_the_networks_that_come_with_galley_are_used_or_the_same_that_were_downloaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bundled: bool
) -> None:
    monkeypatch.setattr(speaker_networks, "bundled", lambda entry: tmp_path / "with" / f"{entry.name}.onnx")
    monkeypatch.setattr(speaker_networks, "home", lambda: tmp_path / "models")
    with pytest.raises(Problem, match=r"no_network name='pyannote-segmentation-3\.0'"):
        file_speakers.networks()
    known = []
    for part, make in (("embedding", tiny_embedder), ("segmentation", tiny_segmenter)):
        entry = next(each for each in speaker_networks.entries() if each.part == part)
        file = speaker_networks.bundled(entry) if bundled else tmp_path / "models" / entry.name / entry.file
        file.parent.mkdir(parents=True, exist_ok=True)
        make(file)
        known.append(dataclasses.replace(entry, bytes=file.stat().st_size, sha256=digest(file)))
    monkeypatch.setattr(speaker_networks, "entries", lambda: tuple(known))
    found = file_speakers.networks()
    entry, _ = speaker_networks.of(speaker_networks.EMBEDDING)
    assert (found.name, found.limits.same, found.limits.alike) == (entry.name, entry.same, entry.alike)
    recognition = Diarisation(found)
    recognition.feed(talk(("", 1), ("a", 12), ("", 2)))
    (turn,) = recognition.finish()
    assert (turn.start, turn.end, turn.speaker) == (pytest.approx(1, abs=0.1), pytest.approx(13, abs=0.1), "S1")
    with file.open("r+b") as network:
        network.write(b"\x7f")
    with pytest.raises(Problem, match=r"model\.changed") if not bundled else contextlib.nullcontext():
        speaker_networks.of(speaker_networks.SEGMENTATION)


def test_the_networks_of_this_checkout_are_those_of_the_catalogue() -> None:
    for entry in speaker_networks.entries():
        assert speaker_networks.location(entry) == speaker_networks.bundled(entry)
        assert speaker_networks.verify(entry) and speaker_networks.bundled(entry).stat().st_size == entry.bytes
        with pytest.raises(Problem, match="built_in"):
            speaker_networks.remove(entry)
        with pytest.raises(Problem, match="built_in"):
            download_network(entry, progress=lambda what, done, total: None)


def test_the_catalogue_says_whose_the_networks_are() -> None:
    for entry in speaker_networks.entries():
        assert entry.licence and entry.credit and len(entry.sha256) == 64 and entry.bytes
        if entry.part == "embedding":
            assert 0 < entry.least < entry.same < 1 and 0 < entry.alike < 1 and entry.doubt > 0
