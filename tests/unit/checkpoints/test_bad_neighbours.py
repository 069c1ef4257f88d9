"""What is wrong with one model, or with an attempt to add it, harms no other model and no download."""

from __future__ import annotations

import errno
import io
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from desktop_app.checkpoints import choice, installed, parts
from desktop_app.checkpoints.folder import read
from desktop_app.problems import Problem
from desktop_app.worker.loaded_models import find
from tests import random_models


def quiet(what: str, done: int, total: int) -> None:
    """Nobody watches."""


@pytest.fixture
def good(home: Path) -> Path:
    """An installed model."""
    return random_models.toy(home / "data" / "models" / "good")


@pytest.fixture
def closed(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An installed model whose folder the system does not let one look into: chmod 000, which root would not feel."""
    folder = random_models.toy(home / "data" / "models" / "closed")

    def guarded(real: Callable[..., Any], itself: bool) -> Callable[..., Any]:
        def ask(path: Any = ".", *options: Any, **named: Any) -> Any:
            asked = None if isinstance(path, int) else Path(os.fsdecode(path))
            if asked and (folder in asked.parents or (itself and asked == folder)):
                raise PermissionError(errno.EACCES, "Permission denied", str(path))
            return real(path, *options, **named)

        return ask

    with monkeypatch.context() as patch:
        for module, name, itself in [(os, "listdir", True), (os, "scandir", True), (os, "stat", False)]:
            patch.setattr(module, name, guarded(getattr(module, name), itself))
        patch.setattr(io, "open", guarded(io.open, False))
        yield folder


def test_a_model_that_cannot_be_read_is_left_out(good: Path, closed: Path, bundled: None) -> None:
    assert list(installed.names()) == ["base", "good"]
    assert [model.name for model in installed.models()] == ["base", "good"]
    assert choice.best() == "base"
    assert not installed.verify("good", quiet)
    installed.remove("good")


@pytest.mark.parametrize(
    "ask",
    [
        lambda: installed.verify("closed", quiet),
        lambda: installed.remove("closed"),
        lambda: choice.register_draft("good", "closed"),
        lambda: installed.check_free("closed"),
        lambda: find("closed"),
    ],
    ids=["verify", "remove", "draft", "name", "find"],
)
def test_who_asks_for_it_is_told(good: Path, closed: Path, ask: Callable[[], object]) -> None:
    with pytest.raises(Problem, match=r"not_read file='.*closed' error='Permission denied'"):
        ask()


def test_so_is_who_reads_it_as_a_folder(closed: Path) -> None:
    with pytest.raises(Problem, match=r"not_read file='config\.json' error='Permission denied'"):
        read(closed)


@pytest.mark.parametrize("about", ['{"draft": ["x"]}', '{"draft": {}}', "[" * 5000, '{"repository": "\\ud800"}'])
def test_a_strange_galley_json_is_no_obstacle(good: Path, bundled: None, about: str) -> None:
    (good / "galley.json").write_text(about)
    assert choice.best() == "base"
    assert choice.registered_draft(good) is None
    for model in installed.models():
        model.repository.encode()


def test_a_record_of_infinite_size_is_none(good: Path) -> None:
    files = [{"name": "config.json", "size": float("inf"), "sha256": ""}]
    (good / "galley.json").write_text(json.dumps({"files": files}))
    assert parts.recorded(good) == []


def test_half_a_character_in_a_name_is_kept_as_it_is(tmp_path: Path) -> None:
    folder = random_models.toy(tmp_path / "toy")
    (folder / "galley.json").write_text('{"name": "\\ud800x"}')
    assert parts.read_about(installed.add(folder, "", quiet).folder)["name"] == "\ud800x"


@pytest.fixture
def begun(home: Path) -> Path:
    """What an unfinished download of a model called toy left."""
    part = home / "data" / "models" / ".partial" / "toy" / "model.safetensors.0123.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"begun")
    return part


def test_a_folder_that_cannot_be_added_leaves_the_download_of_that_name(tmp_path: Path, begun: Path) -> None:
    folder = random_models.toy(tmp_path / "toy")
    numbers = {f"model.{name}": tensor.read().copy() for name, tensor in _tensors(folder)}
    numbers["model.decoder.layers.0.fc1.bias"][3] = np.inf
    random_models.write_tensors(folder / "model.safetensors", numbers, "F32")
    with pytest.raises(Problem, match=r"model.not_finite"):
        installed.add(folder, "", quiet)
    assert installed.unfinished() == {"toy": 5}
    assert [file.name for file in begun.parent.iterdir()] == [begun.name]


def _tensors(folder: Path) -> Iterator[tuple[str, Any]]:
    tensors = read(folder).tensors
    return ((name, tensors[name]) for name in tensors)


def test_a_folder_that_is_added_takes_the_place_of_its_download(tmp_path: Path, begun: Path) -> None:
    (begun.parent / "copy").mkdir()
    (begun.parent / "copy" / "config.json").write_text("of a copying that was killed")
    assert installed.add(random_models.toy(tmp_path / "toy"), "", quiet).name == "toy"
    assert installed.unfinished() == {}
    assert not begun.parent.parent.exists()


def test_a_model_that_came_in_meanwhile_is_seen(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the look at the names and the lock, another Galley can have put a model there."""
    staging = installed.staging

    def late(name: str) -> Any:
        random_models.toy(home / "data" / "models" / name)
        return staging(name)

    monkeypatch.setattr(installed, "staging", late)
    with pytest.raises(Problem, match=r"model.installed name='toy'"):
        installed.add(random_models.toy(tmp_path / "toy"), "", lambda *step: pytest.fail("something is copied"))
