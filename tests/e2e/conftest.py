"""A hub server on loopback with a toy model, for the tests of downloads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import huggingface_hub.constants
import pytest

from desktop_app.addons import cuda
from desktop_app.checkpoints import server as transfer
from tests import random_models
from tests.e2e.test_download import NAME, REPOSITORY
from tests.hub_server import HubServer, serving


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A toy model among what else lies in a repository: a pickle, other numbers, a page to read."""
    folder = random_models.toy(tmp_path_factory.mktemp("hub") / NAME)
    for other in ("pytorch_model.bin", "model.fp32.safetensors", "README.md", "kotoba.py"):
        (folder / other).write_bytes(b"not asked for")
    return folder


@pytest.fixture
def server(repository: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(transfer, "PAUSE", 0.0)
    with serving() as running:
        running.repositories[REPOSITORY] = repository
        yield running


@pytest.fixture
def package_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    """A server for a package index, on a computer that is offered PyTorch for CUDA."""
    monkeypatch.setattr(transfer, "PAUSE", 0.0)
    monkeypatch.setattr(cuda, "is_offered", lambda: True)
    with serving() as running:
        yield running
