"""The user's settings: one INI file in the data folder, with one section, in the format of Qt, which wrote it first."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from desktop_app import atomic, folders

Value = str | bytes

_NAMED = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}
_ESCAPED = {value: f"\\{name}" for name, value in _NAMED.items()} | {'"': '\\"', "\\": "\\\\"}
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]+)|([0-7]+)|(.))", re.DOTALL)
_BYTES = "@ByteArray("
_SECTION = "[General]"
_BLANK = " \t\r"


def path() -> Path:
    """Where the file lies; it need not be there."""
    return folders.data() / "settings.ini"


def read() -> dict[str, Value]:
    """All that is set; nothing where there is no file, or none that can be read."""
    try:
        lines = path().read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError:
        return {}
    return {key: _decoded(value) for key, value in _values(lines).items()}


def write(changed: Mapping[str, Value]) -> None:
    """Set these, and leave the rest of the file as another Galley may have written it meanwhile. Raises OSError.

    The file is there whole, as it was or as it is to be, whatever ends the program or the computer.
    """
    file = path()
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = file.read_text(encoding="utf-8", errors="replace").split("\n") if file.exists() else []
    values = _values(lines) | {key: _encoded(value) for key, value in changed.items()}
    text = "\n".join([_SECTION, *(f"{key}={value}" for key, value in sorted(values.items())), ""])
    atomic.write(file, text.encode(errors="replace"))


def _values(lines: list[str]) -> dict[str, str]:
    """What stands behind each key of the section, as it is written there."""
    found: dict[str, str] = {}
    section = _SECTION
    for line in lines:
        key, equals, value = line.partition("=")
        if line.startswith("["):
            section = line.strip()
        elif equals and section == _SECTION:
            found[key.strip(_BLANK)] = value.strip(_BLANK)
    return found


def _decoded(text: str) -> Value:
    if len(text) > 1 and text[0] == text[-1] == '"':
        text = text[1:-1]
    text = _ESCAPE.sub(_unescaped, text)
    if text.startswith(_BYTES) and text.endswith(")"):
        return text[len(_BYTES) : -1].encode("latin-1", errors="replace")
    return text[1:] if text.startswith("@@") else text


def _unescaped(found: re.Match[str]) -> str:
    digits, octal, letter = found.groups()
    if letter:
        return _NAMED.get(letter, letter)
    return chr(min(int(digits, 16) if digits else int(octal, 8), 0x10FFFF))


def _encoded(value: Value) -> str:
    if isinstance(value, bytes):
        text, keep = f"{_BYTES}{value.decode('latin-1')})", "~"
    else:
        text, keep = (f"@{value}" if value.startswith("@") else value), "\U0010ffff"
    written: list[str] = []
    for letter in text:
        ended = not re.search(r"\\(x[0-9a-f]+|0)$", written[-1]) if written else True
        if letter in _ESCAPED:
            written.append(_ESCAPED[letter])
        elif " " <= letter <= keep and letter != "\x7f" and (ended or letter not in "0123456789abcdefABCDEF"):
            written.append(letter)
        else:  # behind such an escape a digit would be read as a part of it
            written.append(f"\\x{ord(letter):x}")
    text = "".join(written)
    return f'"{text}"' if re.search(r"[;,=\"]|^\s|\s$", text) else text
