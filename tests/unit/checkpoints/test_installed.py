"""The models on this computer: what comes in is whole and checked, what is damaged is found, what goes is gone."""

from __future__ import annotations

import errno
import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from desktop_app.checkpoints import catalogue, choice, installed, parts
from desktop_app.checkpoints.folder import read
from desktop_app.problems import Problem
from tests import random_models


def quiet(what: str, done: int, total: int) -> None:
    """Nobody watches."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return random_models.toy(tmp_path_factory.mktemp("models") / "toy")


@pytest.fixture
def source(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "toy"))


def test_a_folder_is_copied_with_what_belongs_to_it_and_nothing_else(home: Path, source: Path) -> None:
    random_models.toy(source / "draft", seed=1)
    (source / "draft" / "galley.json").write_text('{"name": "Small toy"}')
    (source / "galley.json").write_text('{"name": "Toy", "notice": "Only noise."}')
    for other in ("pytorch_model.bin", "notes.txt", "draft/optimizer.pt"):
        (source / other).write_text("not a part of it")
    steps: list[tuple[str, int, int]] = []
    model = installed.add(source, "", lambda *step: steps.append(step))
    shutil.rmtree(source)
    assert (model.name, model.folder) == ("toy", home / "data" / "models" / "toy")
    found = {str(file.relative_to(model.folder)) for file in model.folder.rglob("*") if file.is_file()}
    assert not {file for file in found if file.endswith((".bin", ".pt", ".txt"))}
    assert {"model.safetensors", "draft/model.safetensors", "galley.json", "draft/galley.json"} <= found
    checkpoint = read(model.folder)
    assert (checkpoint.name, checkpoint.notice) == ("Toy", "Only noise.")
    assert checkpoint.draft is not None and read(checkpoint.draft).name == "Small toy"
    assert installed.verify("toy", quiet)
    assert steps[-1][1] == steps[-1][2] > 0
    assert list(home.glob("data/models/.*")) == []


def test_a_draft_that_cannot_be_used_is_named_before_anything_is_copied(home: Path, source: Path) -> None:
    (random_models.toy(source / "draft") / "tokenizer.json").unlink()
    with pytest.raises(Problem, match=r"own_draft cause=.*model\.incomplete.*tokenizer\.json"):
        installed.add(source, "", lambda *step: pytest.fail("something is copied"))
    assert not (home / "data" / "models").exists()


def test_a_model_whose_windows_are_not_whispers_is_refused(home: Path, tmp_path: Path) -> None:
    """It could neither write nor draft for one that can."""
    shape = replace(random_models.TOY.shape, audio_positions=750)
    short = random_models.write(tmp_path / "short", replace(random_models.TOY, shape=shape))
    with pytest.raises(Problem, match=r"model.window seconds='15'"):
        installed.add(short, "", lambda *step: pytest.fail("something is copied"))


@pytest.mark.parametrize("file", ["model.safetensors", "tokenizer.json"])
def test_one_changed_byte_is_found(source: Path, file: str) -> None:
    model = installed.add(source, "", quiet)
    with (model.folder / file).open("r+b") as changed:
        changed.seek(-2, 2)
        byte = changed.read(1)
        changed.seek(-2, 2)
        changed.write(bytes([byte[0] ^ 1]))
    with pytest.raises(Problem, match=f"model.changed file='{file}'"):
        installed.verify("toy", quiet)


def test_missing_and_cut_files_are_found(source: Path) -> None:
    model = installed.add(source, "", quiet)
    (model.folder / "config.json").write_text("{}")
    with pytest.raises(Problem, match=r"changed file='config\.json'"):
        installed.verify("toy", quiet)
    (model.folder / "tokenizer.json").unlink()
    (model.folder / "config.json").write_bytes((source / "config.json").read_bytes())
    with pytest.raises(Problem, match=r"changed file='tokenizer\.json'"):
        installed.verify("toy", quiet)


def test_a_folder_put_there_by_hand_is_read_but_not_compared(home: Path, source: Path) -> None:
    shutil.copytree(source, home / "data" / "models" / "mine")
    assert not installed.verify("mine", quiet)


def test_weights_that_are_no_numbers_are_found(home: Path, tmp_path: Path) -> None:
    folder = random_models.toy(tmp_path / "broken")
    checkpoint = read(folder)
    numbers = {f"model.{name}": checkpoint.tensors[name].read().copy() for name in checkpoint.tensors}
    numbers["model.decoder.layers.0.fc1.bias"][3] = np.nan
    random_models.write_tensors(folder / "model.safetensors", numbers, "F32")
    with pytest.raises(Problem, match=r"not_finite name='.*decoder\.layers\.0\.fc1\.bias'"):
        installed.add(folder, "", quiet)
    assert list((home / "data" / "models").iterdir()) == []


def test_only_a_pickle_is_refused_by_name(home: Path, source: Path) -> None:
    (source / "model.safetensors").rename(source / "pytorch_model.bin")
    with pytest.raises(Problem, match=r"pickle file='pytorch_model\.bin'"):
        installed.add(source, "", quiet)
    assert not (home / "data" / "models").exists()


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("my model", "my-model"),
        ("é", "é"),
        ("e\N{COMBINING ACUTE ACCENT}", "é"),
        ("日本 (2)", "日本-2-"),
        (".#", "model"),
    ],
)
def test_a_folder_whose_name_cannot_be_a_models_lends_what_can(source: Path, folder: str, name: str) -> None:
    """The window adds a folder without asking for a name."""
    assert installed.add(source.rename(source.with_name(folder)), "", quiet).name == name
    with pytest.raises(Problem, match="bad_name name='my model'"):
        installed.add(source.with_name(folder), "my model", quiet)


@pytest.mark.parametrize("name", ["", "..", ".partial", "a/b", "a b", "-rf"])
def test_names_that_cannot_be(name: str) -> None:
    with pytest.raises(Problem, match="bad_name"):
        installed.check_free(name)


def test_nothing_is_overwritten(source: Path) -> None:
    installed.add(source, "", quiet)
    for name, reason in (("toy", "installed name='toy'"), ("base", "built_in name='base'")):
        with pytest.raises(Problem, match=reason):
            installed.add(source, name, quiet)
    assert installed.add(source, "toy2", quiet).name == "toy2"


def test_a_full_disk_leaves_nothing_behind(home: Path, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(installed.os, "fsync", refuse)
    with pytest.raises(OSError, match="No space left") as caught:
        installed.add(source, "", quiet)
    assert installed.disk_problem(caught.value).code == "disk.full"
    assert list((home / "data" / "models").iterdir()) == []


def test_too_little_room_is_said_first(home: Path, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(home)._replace(free=100)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: usage)
    with pytest.raises(Problem, match="no_room"):
        installed.add(source, "", quiet)
    assert list((home / "data" / "models").iterdir()) == []


def test_removing(home: Path, source: Path) -> None:
    installed.add(source, "", quiet)
    installed.remove("toy")
    assert list(installed.names()) == ["base"]
    assert list((home / "data" / "models").iterdir()) == []
    for name, reason in (("base", "built_in"), ("toy", "not_installed name='toy'"), ("../x", "not_installed")):
        with pytest.raises(Problem, match=reason):
            installed.remove(name)


def test_what_a_download_left_can_be_removed(home: Path) -> None:
    partial = home / "data" / "models" / ".partial" / "large-v3"
    partial.mkdir(parents=True)
    (partial / "model.safetensors.0123.part").write_bytes(b"begun")
    assert installed.unfinished() == {"large-v3": 5}
    assert list(installed.names()) == ["base"]
    installed.remove("large-v3")
    assert installed.unfinished() == {}


def test_a_model_of_the_catalogue_gets_its_name_by_its_weights(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fine-tuned model often lies in a folder that is called as the one it was made from."""
    sha256 = parts.digest(source / "model.safetensors")
    entry = catalogue.CatalogueEntry("tiny", "openai/whisper-toy", "0" * 40, ("*",), "MIT", 1, sha256=sha256)
    monkeypatch.setattr(catalogue, "entries", lambda: (entry,))
    tuned = random_models.toy(tmp_path / "tuned" / "whisper-toy", seed=9)
    model = installed.add(tuned, "", quiet)
    assert (model.name, model.entry) == ("whisper-toy", None)
    same = source.rename(tmp_path / "whisper-toy")
    model = installed.add(same, "", quiet)
    assert (model.name, model.entry) == ("tiny", entry)


def test_a_draft_that_the_user_gave(source: Path) -> None:
    target = installed.add(source, "", quiet)
    assert choice.registered_draft(target.folder) is None
    installed.add(source, "small", quiet)
    choice.register_draft("toy", "small")
    assert choice.registered_draft(target.folder) == target.folder.with_name("small")
    assert installed.verify("toy", quiet)
    installed.remove("small")
    assert choice.registered_draft(target.folder) is None
    with pytest.raises(Problem, match="not_installed name='small'"):
        choice.register_draft("toy", "small")


def test_a_draft_for_the_bundled_model_is_noted_where_the_user_may_write(home: Path, source: Path) -> None:
    """The program's own folder may belong to an administrator."""
    before = sorted((file.name, file.stat().st_mtime_ns) for file in installed.bundled().iterdir())
    installed.add(source, "", quiet)
    choice.register_draft("base", "toy")
    assert choice.registered_draft(installed.bundled()) == home / "data" / "models" / "toy"
    assert sorted((file.name, file.stat().st_mtime_ns) for file in installed.bundled().iterdir()) == before
    assert list(installed.names()) == ["base", "toy"]
    installed.remove("toy")
    assert choice.registered_draft(installed.bundled()) is None


def test_what_the_user_installed_under_the_bundled_models_name_hides_it_until_it_is_removed(home: Path) -> None:
    """From before Galley brought one along."""
    put(home, "base", repository="openai/whisper-base")
    assert installed.names() == {"base": home / "data" / "models" / "base"}
    installed.remove("base")
    assert installed.names() == {"base": installed.bundled()}


def put(home: Path, name: str, size: int = 10, draft: str = "", repository: str = "") -> None:
    """A folder that is listed as a model; nobody reads it. One with the name of an entry is that entry's model, unless
    it comes from another repository.
    """
    entry = catalogue.find(name)
    repository = repository or (entry.repository if entry else "")
    folder = home / "data" / "models" / name
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(b"x" * size)
    (folder / "galley.json").write_text(json.dumps({"draft": draft, "repository": repository}))


@pytest.mark.parametrize(
    ("there", "language", "best"),
    [
        ({}, "auto", "base"),
        ({"tiny": "", "tiny.en": "", "distil-small.en": ""}, "auto", "base"),
        ({"tiny": ""}, "en", "base"),
        ({"base.en": "", "tiny": ""}, "en", "base.en"),
        ({"base.en": ""}, "fr", "base"),
        ({"tiny": "", "large-v3": "tiny", "large-v3-turbo": ""}, "auto", "large-v3"),
        ({"small": "", "medium.en": ""}, "auto", "small"),
        ({"small": "", "medium.en": ""}, "en", "medium.en"),
        ({"distil-large-v3": "", "kotoba-whisper-v2.0": ""}, "ja", "kotoba-whisper-v2.0"),
        ({"small": "", "distil-large-v3": ""}, "en", "distil-large-v3"),
        ({"distil-large-v3": ""}, "fr", "base"),
        ({"mine": "", "tiny": ""}, "auto", "base"),
        ({"large-v2": "large-v3-turbo", "large-v3-turbo": ""}, "auto", "large-v2"),
    ],
)
def test_the_best_model_is_used_where_none_is_chosen(
    home: Path, bundled: None, there: dict[str, str], language: str, best: str
) -> None:
    for size, (name, draft) in enumerate(there.items(), 1):
        put(home, name, size, draft)
    assert choice.best(language) == best


def test_the_environment_can_name_the_model_that_is_used_where_none_is_chosen(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(home, "small")
    for chosen in ("tiny", "/some/folder"):
        monkeypatch.setenv("GALLEY_MODEL", chosen)
        assert choice.best() == chosen


def test_another_repositorys_model_is_not_the_catalogues_whatever_its_name(home: Path, bundled: None) -> None:
    put(home, "large-v3", repository="someone/large-v3")
    put(home, "whisper-medium", repository="someone/whisper-medium")
    put(home, "tiny")
    known = {model.name: model.entry for model in installed.models()}
    assert known == {
        "base": catalogue.find("base"),
        "large-v3": None,
        "whisper-medium": None,
        "tiny": catalogue.find("tiny"),
    }
    assert choice.best() == "base"


def test_git_tells_files_apart_as_the_hub_does(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"what is up, doc?")
    assert parts.git_digest(tmp_path / "file") == "bd9dbf5aae1a3862dd1526723246b20206e5fc37"


def test_an_index_cannot_name_files_elsewhere() -> None:
    for name, reason in (("../model-1.safetensors", "damaged"), ("model.bin", r"pickle file='model\.bin'")):
        with pytest.raises(Problem, match=reason):
            parts.weights({parts.INDEX}, lambda name=name: json.loads(json.dumps({"weight_map": {"a": name}})))
    with pytest.raises(Problem, match="incomplete file='model"):
        parts.weights({"config.json"}, dict)
