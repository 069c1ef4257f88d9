"""What tests of recordings share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fake_input import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path / "made" / "it.flac")
    yield made
    if made.recorder._thread.is_alive():
        made.recorder.stop()
