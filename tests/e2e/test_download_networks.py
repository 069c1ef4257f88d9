"""Networks that tell speakers apart are fetched as the catalogue knows them, or not at all."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
from collections.abc import Iterator
from pathlib import Path

import huggingface_hub.constants
import pytest

from desktop_app.checkpoints import download, installed, speaker_networks
from desktop_app.checkpoints import server as transfer
from desktop_app.problems import Problem
from tests.hub_server import HubServer, serving

CONTENTS = b"not really a network" * 100


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(transfer, "PAUSE", 0.0)
    monkeypatch.setattr(installed, "home", lambda: tmp_path / "models")
    monkeypatch.setattr(speaker_networks, "home", lambda: tmp_path / "models")
    monkeypatch.setattr(speaker_networks, "bundled", lambda entry: tmp_path / "not with Galley")
    entry = speaker_networks.entries()[0]
    (tmp_path / "hub" / entry.file).parent.mkdir(parents=True)
    (tmp_path / "hub" / entry.file).write_bytes(CONTENTS)
    (tmp_path / "hub" / "README.md").write_bytes(b"not asked for")
    with serving() as running:
        running.repositories[entry.repository] = tmp_path / "hub"
        yield running


def test_the_file_that_the_catalogue_knows_is_fetched_checked_and_removed(
    server: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = dataclasses.replace(
        speaker_networks.entries()[0], bytes=len(CONTENTS), sha256=hashlib.sha256(CONTENTS).hexdigest()
    )
    monkeypatch.setattr(speaker_networks, "entries", lambda: (entry,))
    file = download.download_network(entry, server.url, progress=lambda what, done, total: None)
    assert file.read_bytes() == CONTENTS
    assert not server.fetched("README.md")
    assert speaker_networks.is_installed(entry) and speaker_networks.verify(entry)
    assert speaker_networks.of(speaker_networks.SEGMENTATION) == (entry, file)
    with pytest.raises(Problem, match="installed name"):
        download.download_network(entry, server.url, progress=lambda what, done, total: None)
    speaker_networks.remove(entry)
    assert not speaker_networks.is_installed(entry)
    with pytest.raises(Problem, match="no_network"):
        speaker_networks.remove(entry)


def test_a_network_that_another_galley_installed_meanwhile_is_not_fetched_again(
    server: HubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry, staging = speaker_networks.entries()[0], installed.staging

    def late(name: str) -> contextlib.AbstractContextManager[Path]:
        file = tmp_path / "models" / entry.name / entry.file
        file.parent.mkdir(parents=True)
        file.write_bytes(CONTENTS)
        return staging(name)

    monkeypatch.setattr(installed, "staging", late)
    with pytest.raises(Problem, match="installed name"):
        download.download_network(entry, server.url, progress=lambda what, done, total: None)
    assert server.requests == []


def test_another_file_leaves_nothing_behind(server: HubServer) -> None:
    entry = speaker_networks.entries()[0]
    with pytest.raises(Problem, match="hash"):
        download.download_network(entry, server.url, progress=lambda what, done, total: None)
    assert not speaker_networks.is_installed(entry)
