"""What is kept of a file's transcription: what was asked for, and what it takes to resume it after another start."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from desktop_app import bounded
from desktop_app.messages.options import Options, as_json, from_json
from desktop_app.transcript.model import ResumePoint

_ARITHMETIC = 1
"""Of the models: raised by a change after which a model may write another text on the same device at the same
precision. What was begun before it is not resumed."""


def plain(place: ResumePoint, options: Options) -> str:
    """The place that was reached with these options, as JSON."""
    return json.dumps({"arithmetic": _ARITHMETIC, "place": asdict(place), "options": as_json(options)})


def asked(options: Options, chosen: bool = False) -> str:
    """What was asked of the models, as JSON; and whether it was `chosen` for this recording."""
    return json.dumps({"options": as_json(options), "chosen": chosen})


def chosen(text: str) -> Options | None:
    """The options in what `asked` gave, if they were chosen for that recording."""
    try:
        return options(text) if bounded.parse_json(text)["chosen"] is True else None
    except (ValueError, TypeError, LookupError):
        return None


def options(text: str) -> Options | None:
    """The options in what `asked` gave, or `plain`; None where they cannot be read."""
    try:
        return from_json(bounded.parse_json(text)["options"])
    except (ValueError, TypeError, LookupError, AttributeError):
        return None


def place(text: str, options: Options) -> ResumePoint | None:
    """The place in what `plain` gave; None where it was reached with other options or arithmetic, or cannot be read."""
    try:
        found: dict[str, Any] = bounded.parse_json(text)
        if found["arithmetic"] != _ARITHMETIC or found["options"] != as_json(options):
            return None
        fields = found["place"]
        prompt, file = tuple(map(int, fields.pop("prompt"))), fields.pop("file")
        return ResumePoint(**fields, prompt=prompt, file=(int(file[0]), int(file[1])))
    except (ValueError, TypeError, LookupError, AttributeError):
        return None
