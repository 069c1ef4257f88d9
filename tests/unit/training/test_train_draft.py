"""`galley models train-draft` makes a draft that its target takes by itself, goes on where it stopped, and says what is
wrong in one line."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from desktop_app import cli, folders
from desktop_app.checkpoints import installed
from desktop_app.checkpoints.folder import read, same_encoder
from desktop_app.training import draft
from desktop_app.training.labels import Labels
from tests.small_pair import SMALL_PAIR

CLIPS = Path(__file__).resolve().parents[2] / "data" / "clips"


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Small networks on a busy computer: threads that wait for each other take most of the time."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """The small target without its draft, installed as `mine`."""
    plain = tmp_path / "plain"
    shutil.copytree(SMALL_PAIR, plain, ignore=shutil.ignore_patterns("draft"))
    installed.add(plain, "mine", lambda what, done, total: None)
    return installed.home() / "mine"


@pytest.fixture
def audio(tmp_path: Path) -> Path:
    folder = tmp_path / "audio"
    folder.mkdir()
    for name in ("00.flac", "01.flac"):
        shutil.copy(CLIPS / name, folder)
    (folder / "notes.txt").write_text("no sound")
    return folder


def train(target: str, audio: Path, *more: str) -> int:
    return cli.main(["models", "train-draft", target, "--audio", str(audio), "--minutes", "0.02", *more])


def test_a_draft_is_trained_installed_and_taken(target: Path, audio: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert train("mine", audio, "--layers", "1") == 0
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "notes.txt is left out: this is not audio or video, or it is damaged"
    assert said[-1] == "mine-draft will draft for mine."
    made = read(installed.home() / "mine-draft")
    assert made.shape.decoder_layers == 1
    assert same_encoder(read(target), made)
    assert installed.verify("mine-draft", lambda what, done, total: None)
    assert not (folders.cache() / "drafts" / "mine-draft").exists()
    assert cli.main(["transcribe", str(audio / "00.flac"), "--target", "mine", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["models"]["draft"] == "mine-draft"


def test_a_draft_that_cannot_be_installed_leaves_a_begun_download_alone(
    target: Path, audio: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = installed.home() / ".partial" / "mine-draft" / "model.safetensors"
    begun.parent.mkdir(parents=True)
    begun.write_bytes(b"half of it")
    with monkeypatch.context() as patch:
        patch.setattr(draft.weights, "write", lambda *given: (_ for _ in ()).throw(OSError(28, "No space left")))
        assert train("mine", audio, "--layers", "1") == 1
    assert begun.read_bytes() == b"half of it" and list(begun.parent.iterdir()) == [begun]
    assert train("mine", audio, "--layers", "1") == 0
    assert "mine-draft" in installed.names() and not installed.unfinished()


def test_labels_are_the_targets_own_text(target: Path, audio: Path, tmp_path: Path) -> None:
    checkpoint = read(target)
    wish = draft.Wish(target, audio, "x")
    work = tmp_path / "work"
    work.mkdir()
    arguments = (checkpoint, draft.find(wish.audio), work, "en", draft._device("cpu"))
    told: list[str] = []
    files = draft.label(*arguments, lambda what, done, total: told.append(what), lambda sentence: None)
    assert len(files) == 2
    labels = Labels.load(files[0])
    vocabulary = checkpoint.vocabulary
    assert labels.heard.shape == (checkpoint.shape.audio_positions, checkpoint.shape.width)
    assert labels.read[0] == vocabulary.start and labels.wrote[-1] == vocabulary.end
    assert np.array_equal(labels.wrote[:-1], labels.read[len(labels.read) - len(labels.wrote) + 1 :])
    assert (labels.shares.sum(-1) <= 1.001).all()
    assert any(told.count(what) for what in told if what.startswith("Loading"))
    told.clear()
    assert draft.label(*arguments, lambda what, done, total: told.append(what), lambda sentence: None) == files
    assert not any(what.startswith("Loading") for what in told), "what is labelled is not labelled again"


def test_every_obstacle_is_one_line(
    target: Path, audio: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    silent = tmp_path / "silent"
    silent.mkdir()
    (silent / "a.txt").write_text("no sound")
    assert train("nothing", audio) == 2
    assert train("mine", empty) == 1
    assert train("mine", tmp_path / "missing") == 1
    assert train("mine", silent) == 1
    assert train("mine", audio, "--name", "mine") == 1
    assert train("mine", audio, "--language", "fr") == 1
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "disk_usage", lambda folder: shutil._ntuple_diskusage(10, 10, 0))  # type: ignore[attr-defined]
        assert train("mine", audio) == 1
    with monkeypatch.context() as patch:
        patch.delattr("desktop_app.training.draft")
        patch.delitem(sys.modules, "desktop_app.training.draft")
        patch.setitem(sys.modules, "torch", None)
        assert train("mine", audio) == 1
    lines = [line for line in capsys.readouterr().err.splitlines() if "left out" not in line]
    assert [line.partition(";")[0] for line in lines] == [
        "nothing: there is no such model",
        f"mine: {empty} is empty",
        f"mine: {tmp_path / 'missing'} is no folder",
        "mine: no file in the folder holds sound that can be read",
        "mine: mine is already installed",
        "mine: Galley starter does not know the language fr",
        "mine: there is not enough room on the disk: 0.1 GB are needed, 0.0 GB are free",
        "mine: training needs PyTorch, which is not installed",
    ]
