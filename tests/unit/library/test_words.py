"""Words of a row are read in one look, and nothing damaged passes it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from desktop_app.library import rows
from desktop_app.transcript.model import Word

GOOD = {"text": " one", "start": 1.0, "end": 2.0, "probability": 0.5, "speaker": None, "edited": False}


def test_usual_and_unusual_words_are_read() -> None:
    """A whole number for a time, an edited word and one with a speaker are no damage."""
    others = [{**GOOD, "start": 1}, {**GOOD, "edited": True}, {**GOOD, "speaker": "S1"}]
    assert rows._words(json.dumps([GOOD, *others])) == tuple(Word(**each) for each in (GOOD, *others))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("text", 5), ("speaker", 5), ("edited", 7)),
        *((name, value) for name in ("start", "end") for value in (-1.0, 1e30, float("nan"), "1", True)),
        *(("probability", float("inf")), ("probability", None)),
    ],
)
def test_damaged_words_are_refused(name: str, value: Any) -> None:
    """Of each value, what no Galley writes."""
    with pytest.raises((ValueError, TypeError)):
        rows._words(json.dumps([{**GOOD, name: value}]))
