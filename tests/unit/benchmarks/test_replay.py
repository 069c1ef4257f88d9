"""Models with random weights whose choices are given: the texts, the acceptance, and the limit by arithmetic."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import replay
from desktop_app.checkpoints import installed
from desktop_app.checkpoints.folder import read
from desktop_app.measure.memory import SHAPES

SMALL = replace(
    SHAPES["tiny"], width=64, encoder_heads=1, encoder_inner=64, decoder_layers=3, decoder_heads=1, decoder_inner=64
)


def test_the_most_that_a_draft_can_be_worth() -> None:
    """A perfect draft that costs nothing writes nine tokens a pass; one that costs as much as the target, less than
    one. At 0.9 and half of the cost the best look-ahead is 3: 3.439 tokens for 2.5 passes.
    """
    assert replay.ceiling(1.0, 0.0, 1.0) == 9.0
    assert replay.ceiling(1.0, 1.0, 0.5) == 0.75
    assert replay.ceiling(2.0, 1.0, 0.9) == pytest.approx(3.439 / 2.5)


def test_a_script_gives_each_place_its_token() -> None:
    vocabulary = read(installed.bundled()).vocabulary
    script = replay.Script(vocabulary, 3)
    text = list(script.text)
    assert len(text) == replay.TOKENS and vocabulary.is_timestamp(text[0]) and vocabulary.is_timestamp(text[-1])
    assert [script.follows(position) for position in (0, 1, 2, 3)] == [None, None, text[0], text[1]]
    assert script.follows(2 + len(text)) == vocabulary.end
    script.next()
    assert script.text != text


@pytest.mark.parametrize(("given", "accepted"), [(1.0, 1.0), (0.0, 0.0)])
def test_the_draft_agrees_as_often_as_it_is_told(
    given: float, accepted: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`replay` itself refuses another text than the script's."""
    monkeypatch.setattr("desktop_app.measure.roofline._LEAST_READ", 1 << 22)
    monkeypatch.setattr(replay, "TOKENS", 40)
    found = replay.replay(SMALL, "f32", given, 1, tmp_path)
    assert list(found) == ["alone", "distilled", "trained"]
    for name in ("distilled", "trained"):
        assert found[name]["acceptance"] == pytest.approx(accepted, abs=0.01)
        assert len(found[name]["windows"]) == 1
    assert found["alone"]["times_alone"] == found["alone"]["ceiling"] == 1.0
    assert found["trained"]["bytes"] < found["distilled"]["bytes"] < found["alone"]["bytes"]
