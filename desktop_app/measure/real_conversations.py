"""Real recordings with known speakers, as far as a folder has them: index.json names them, files beside them say who
speaks when (RTTM, lines of start, end and label, or seconds in a note).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unicodedata import normalize

from desktop_app.audio.files import AudioProblem
from desktop_app.measure.conversations import Conversation
from desktop_app.measure.recordings import audio_of
from desktop_app.measure.voices import SEVERAL
from desktop_app.speakers.turns import Turn, joined

_NOTE = re.compile(r"([\d.]+)-([\d.]+) (S\d+)")


def read(folder: Path) -> Iterator[Conversation]:
    """The recordings of `folder`/index.json that lie in its folder "speakers" and whose speakers are known. Raises
    AudioProblem.
    """
    try:
        entries = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise AudioProblem(
            f"{folder} has no index.json that can be read", "name the folder above the folder speakers"
        ) from error
    for entry in entries:
        place = folder / entry["file"]
        if entry["file"].startswith(f"{SEVERAL}/") and place.is_file():
            turns = _turns(place, entry)
            if turns:
                yield Conversation(place.stem, audio_of(place), tuple(joined(turns, 0.0)), ())


def _turns(place: Path, entry: dict[str, Any]) -> list[Turn]:
    """Who speaks when, in whatever form it was written down."""
    noted = [Turn(float(start), float(end), who) for start, end, who in _NOTE.findall(entry["speakers"])]
    if noted:
        return noted
    plain = "".join(letter for letter in normalize("NFKD", place.stem) if letter.isascii())
    found = []
    for file in sorted(place.parent.glob("*.rttm")):
        for line in file.read_text(encoding="utf-8").splitlines():
            fields = line.split()
            if len(fields) > 7 and fields[0] == "SPEAKER" and fields[1] == plain:
                found.append(Turn(float(fields[3]), float(fields[3]) + float(fields[4]), fields[7]))
    segments = place.with_suffix(".segments")
    if not found and segments.is_file():
        rows = [line.split() for line in segments.read_text(encoding="utf-8").replace(",", " ").splitlines()]
        found = [Turn(float(start), float(end), who) for start, end, who in (row[:3] for row in rows if len(row) >= 3)]
    return found
