"""What the catalogue or a model's settings forbid is refused before anything big is fetched, and takes nothing away."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from desktop_app.checkpoints import catalogue, download, installed, parts
from desktop_app.problems import Problem
from tests import random_models, tiny_ir
from tests.e2e.test_download import NAME, REPOSITORY, WEIGHTS, assert_whole, fetch, in_parts, sha256
from tests.hub_server import COMMIT, HubServer, serving


def test_other_weights_than_the_catalogue_knows_are_not_even_fetched(
    home: Path, server: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    pinned = catalogue.CatalogueEntry(NAME, REPOSITORY, COMMIT, ("*",), "MIT", 1, sha256="0" * 64)
    monkeypatch.setattr(catalogue, "entries", lambda: (pinned,))
    with pytest.raises(Problem, match="other_file"):
        fetch(server)
    assert len(server.requests) == 1
    assert list((home / "data" / "models").iterdir()) == []


def test_a_mirror_with_other_weights_takes_nothing_from_what_has_arrived(
    home: Path, repository: Path, tmp_path: Path, server: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    pinned = catalogue.CatalogueEntry(NAME, REPOSITORY, COMMIT, ("*",), "MIT", 1, sha256=sha256(repository / WEIGHTS))
    monkeypatch.setattr(catalogue, "entries", lambda: (pinned,))
    server.cuts = {WEIGHTS: [100_000, *[0] * 50]}
    with pytest.raises(Problem, match="unreachable"):
        fetch(server)
    arrived = installed.unfinished()[NAME]
    with serving() as mirror:
        mirror.repositories[REPOSITORY] = random_models.toy(tmp_path / NAME, seed=9)
        with pytest.raises(Problem, match="other_file"):
            fetch(mirror)
    assert installed.unfinished()[NAME] == arrived
    server.cuts, server.requests = {}, []
    fetch(server)
    assert_whole(home, repository)
    assert server.fetched(WEIGHTS) == [f"GET /cdn/{REPOSITORY}/{WEIGHTS} bytes=100000-"]


def test_the_catalogues_hash_cannot_be_passed_by_with_weights_in_parts(
    home: Path, tmp_path: Path, server: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    pinned = catalogue.CatalogueEntry(NAME, REPOSITORY, COMMIT, ("*",), "MIT", 1, sha256="0" * 64)
    monkeypatch.setattr(catalogue, "entries", lambda: (pinned,))
    server.repositories[REPOSITORY] = in_parts(tmp_path / NAME)
    with pytest.raises(Problem, match="other_file"):
        fetch(server)
    assert len(server.requests) == 1
    assert list((home / "data" / "models").iterdir()) == []


def test_the_catalogue_decides_revision_and_hash(
    home: Path, repository: Path, server: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    pinned = catalogue.CatalogueEntry(NAME, REPOSITORY, COMMIT, ("*",), "MIT", 1, sha256=sha256(repository / WEIGHTS))
    monkeypatch.setattr(catalogue, "entries", lambda: (dataclasses.replace(pinned, aliases=("short",)),))
    download.download("short", server.url, progress=lambda what, done, total: None)
    assert server.requests[0] == f"GET /api/models/{REPOSITORY}/revision/{COMMIT}"
    assert_whole(home, repository)


@pytest.mark.parametrize("name", ["large-v3", "whisper-small"])
def test_a_strangers_repository_with_a_name_of_the_catalogue_gets_its_owners_name(
    home: Path, repository: Path, server: HubServer, name: str
) -> None:
    server.repositories[f"someone/{name}"] = repository
    model = download.download(f"someone/{name}", server.url, progress=lambda what, done, total: None)
    assert (model.name, model.entry) == (f"someone-{name}", None)
    assert json.loads((model.folder / "galley.json").read_text())["name"] == f"someone-{name}"


def test_another_commit_than_the_catalogue_knows_is_refused(
    home: Path, repository: Path, server: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The catalogue has a hash of the weights alone; the commit stands for the settings and the tokenizer."""
    pinned = catalogue.CatalogueEntry(
        NAME, REPOSITORY, "ab" * 20, ("*",), "MIT", 1, sha256=sha256(repository / WEIGHTS)
    )
    monkeypatch.setattr(catalogue, "entries", lambda: (pinned,))
    server.commits = {"ab" * 20: COMMIT}
    with pytest.raises(Problem, match="other_commit repository='tests/toy'"):
        fetch(server)
    assert len(server.requests) == 1
    assert list((home / "data" / "models").iterdir()) == []


@pytest.mark.parametrize(
    ("file", "old", "new", "reason"),
    [
        ("config.json", '"whisper"', '"wav2vec2"', "not_whisper found='model_type"),
        ("config.json", '"gelu"', '"relu"', "not_whisper .*relu"),
        ("preprocessor_config.json", "16000", "8000", "not_whisper .*8000"),
        ("tokenizer.json", '"BPE"', '"other"', "model.tokenizer"),
        ("generation_config.json", '"eos_token_id": ', '"eos_token_id": 99', "other_tokenizer"),
    ],
)
@pytest.mark.parametrize("shape", ["whole", "parts"])
def test_no_weights_are_fetched_for_settings_that_are_of_no_use(
    home: Path, tmp_path: Path, server: HubServer, file: str, old: str, new: str, reason: str, shape: str
) -> None:
    folder = random_models.toy(tmp_path / NAME) if shape == "whole" else in_parts(tmp_path / NAME)
    text = (folder / file).read_text("utf-8")
    assert old in text
    (folder / file).write_text(text.replace(old, new), "utf-8")
    server.repositories[REPOSITORY] = folder
    with pytest.raises(Problem, match=reason):
        fetch(server)
    assert not [each for each in server.requests if each.endswith(".safetensors")]
    assert list((home / "data" / "models").iterdir()) == []


def test_no_numbers_are_fetched_of_graphs_that_cannot_run_here(
    home: Path, repository: Path, tmp_path: Path, server: HubServer
) -> None:
    folder = server.repositories[REPOSITORY] = tiny_ir.write(repository, tmp_path / NAME)
    decoder = folder / parts.DECODER
    right = decoder.read_text("utf-8")
    decoder.write_text(right.replace("beam_idx", "past"), "utf-8")
    with pytest.raises(Problem, match=r"decoder_model\.xml' detail='past'"):
        fetch(server)
    assert not [each for each in server.requests if each.endswith(".bin")]
    assert list((home / "data" / "models").iterdir()) == []
    decoder.write_text(right, "utf-8")
    assert {*parts.GRAPHS} <= {file.name for file in fetch(server).folder.iterdir()}


def test_settings_of_no_use_take_nothing_from_the_weights_that_have_arrived(
    home: Path, tmp_path: Path, server: HubServer
) -> None:
    """They may be those of a careless mirror."""
    folder = server.repositories[REPOSITORY] = random_models.toy(tmp_path / NAME)
    server.cuts = {WEIGHTS: [100_000, *[0] * 50]}
    with pytest.raises(Problem, match="unreachable"):
        fetch(server)
    right = (folder / "config.json").read_text("utf-8")
    (folder / "config.json").write_text("{}")
    with pytest.raises(Problem, match="not_whisper found='model_type"):
        fetch(server)
    (folder / "config.json").write_text(right, "utf-8")
    server.cuts, server.requests = {}, []
    fetch(server)
    assert server.fetched(WEIGHTS) == [f"GET /cdn/{REPOSITORY}/{WEIGHTS} bytes=100000-"]
