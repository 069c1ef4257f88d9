"""A short share of `python -m tests.chaos.offline`: the program without a network, and every socket of it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.chaos import offline
from tests.chaos.cases import Case

pytestmark = pytest.mark.timeout(300)


def test_a_connection_is_seen(tmp_path: Path) -> None:
    """What the other tests here rest on."""
    Case("a connection is seen", offline.a_connection_is_seen).check(tmp_path)


@pytest.mark.parametrize("journey", [offline.transcribe, offline.window_recording], ids=lambda each: each.__name__)
def test_without_a_network_it_works_and_asks_for_none(journey: offline.Journey, tmp_path: Path) -> None:
    """The window transcribes, saves, verifies a model and records a microphone; no process makes an INET socket."""
    Case(journey.__name__, partial(journey, offline.both)).check(tmp_path)
