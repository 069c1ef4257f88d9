"""The user's settings: an INI file in the data folder, with one section. A value that a line cannot hold is written as
a JSON string."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from desktop_app import atomic, bounded, folders

_SECTION = "[General]"
_BLANK = " \t\r"


def path() -> Path:
    """Where the file lies; it need not be there."""
    return folders.data() / "settings.ini"


def read() -> dict[str, str]:
    """All that is set; nothing where there is no file, or none that can be read."""
    try:
        return _values(path())
    except (OSError, ValueError):
        return {}


def write(changed: Mapping[str, str]) -> None:
    """Set these, and leave the rest of the file as another Galley may have written it meanwhile. Raises OSError.

    The file is there whole, as it was or as it is to be, whatever ends the program or the computer. One too large to be
    the settings is set aside.
    """
    file = path()
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        before = _values(file)
    except FileNotFoundError:
        before = {}
    except ValueError:
        file.replace(file.with_suffix(".damaged"))
        before = {}
    lines = [_SECTION, *(f"{key}={_encoded(value)}" for key, value in sorted({**before, **changed}.items())), ""]
    atomic.write(file, "\n".join(lines))


def _values(file: Path) -> dict[str, str]:
    """The value of each key of the section. Raises OSError, and ValueError where the file is too large."""
    found: dict[str, str] = {}
    section = _SECTION
    for line in bounded.read(file).decode(errors="replace").split("\n"):
        key, equals, value = line.partition("=")
        if line.startswith("["):
            section = line.strip()
        elif equals and section == _SECTION:
            found[key.strip(_BLANK)] = _decoded(value.strip(_BLANK))
    return found


def _decoded(text: str) -> str:
    if text.startswith('"'):
        try:
            return str(bounded.parse_json(text))
        except ValueError:
            pass
    return text


def _encoded(value: str) -> str:
    is_plain = value.isprintable() and value == value.strip() and not value.startswith('"')
    return value if is_plain else json.dumps(value)
