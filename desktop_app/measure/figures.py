"""The figures of a benchmark as a JSON file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from desktop_app import atomic, printing
from desktop_app.texts import _


def saved(file: str, figures: dict[str, Any]) -> bool:
    """Write the figures, and say it where that fails; gives whether they are written."""
    try:
        atomic.write(Path(file), json.dumps(figures, indent=1, ensure_ascii=False) + "\n")
    except OSError as error:
        why = error.strerror or error
        printing.say(_("{file}: The figures cannot be written ({error}). Choose another file.", file=file, error=why))
        return False
    return True
