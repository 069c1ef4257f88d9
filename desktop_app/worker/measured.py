"""What earlier runs measured of a pair, so that the next one begins with the look-ahead that was fastest.

All of it lies in one file of the cache folder, and can be measured again: a file that cannot be read or written costs
nothing else.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Hashable
from contextlib import suppress
from pathlib import Path
from typing import Any

from desktop_app import __version__, atomic, bounded, folders
from desktop_app.decoding.lookahead import LookAhead

PAIRS = 20
"""So many are kept, those that were used last."""


def resume(pair: Hashable, look_ahead: LookAhead) -> None:
    """Give a new look-ahead what was measured of its `pair`, if anything was."""
    with suppress(KeyError, TypeError, ValueError):
        kept = _read()[_name(pair)]
        _check(kept)
        look_ahead.resume(kept)


def keep(pair: Hashable, look_ahead: LookAhead) -> None:
    """Write down what was measured of a pair, in the place of what was known of it."""
    pairs, name = _read(), _name(pair)
    pairs.pop(name, None)
    pairs[name] = look_ahead.as_json()
    newest = dict(list(pairs.items())[-PAIRS:])
    with suppress(OSError):
        _path().parent.mkdir(parents=True, exist_ok=True)
        atomic.write(_path(), json.dumps({"version": __version__, "pairs": newest}))


def _path() -> Path:
    return folders.cache() / "look-ahead.json"


def _name(pair: Hashable) -> str:
    """The file says nothing of the folders in which somebody's models lie."""
    return hashlib.sha256(repr(pair).encode()).hexdigest()[:16]


def _read() -> dict[str, Any]:
    try:
        kept = bounded.read_json(_path())
        return dict(kept["pairs"]) if kept["version"] == __version__ else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _check(kept: Any) -> None:
    """Raise ValueError unless there are only numbers in it."""
    match kept:
        case dict():
            _check(list(kept.values()))
        case list():
            for each in kept:
                _check(each)
        case int() | float() if math.isfinite(kept):
            pass
        case None:
            pass
        case _:
            raise ValueError(kept)
