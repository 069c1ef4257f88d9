"""Real recordings for `galley bench speakers`: found by index.json, who speaks when in whatever form it is there."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile

from desktop_app.measure.conversations import real_conversations
from desktop_app.problems import Problem
from desktop_app.speakers.turns import Turn

TURNS = (Turn(0.0, 1.0, "S1"), Turn(1.0, 2.0, "S2"))


def test_every_form_of_who_speaks_when_is_read(tmp_path: Path) -> None:
    talks = tmp_path / "speakers"
    talks.mkdir()
    for name in ("noted", "listed", "marked", "unknown"):
        soundfile.write(talks / f"{name}.wav", np.zeros(32_000, np.float32), 16_000)
    notes = {"noted": "by ear: 0.0-1.0 S1, 1.0-2.0 S2"}
    entries = [{"file": f"speakers/{name.stem}.wav", "speakers": notes.get(name.stem, "")} for name in talks.iterdir()]
    entries += [{"file": "speakers/gone.wav", "speakers": "0-1 S1"}, {"file": "english/one.wav", "speakers": ""}]
    (tmp_path / "index.json").write_text(json.dumps(entries))
    (talks / "all.rttm").write_text(
        "".join(f"SPEAKER listed 1 {turn.start} 1.0 <NA> <NA> {turn.speaker} <NA> <NA>\n" for turn in TURNS)
    )
    (talks / "marked.segments").write_text("0.0, 1.0, S1\n1.0, 2.0, S2\n")
    found = {talk.name: talk for talk in real_conversations(tmp_path)}
    assert set(found) == {"noted", "listed", "marked"}
    assert all(talk.turns == TURNS and talk.seconds == 2.0 for talk in found.values())


@pytest.mark.parametrize("text", [None, "no json"])
def test_a_folder_without_an_index_is_said(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "index.json").write_text(text)
    with pytest.raises(Problem, match="no_index"):
        list(real_conversations(tmp_path))
