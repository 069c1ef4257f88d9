"""Where Galley's data files lie: `models/` and `resources/`, the same in a checkout, a wheel and a frozen program.

A wheel carries them in `desktop_app/_data/{models,resources}`, a PyInstaller bundle at its top, a checkout beside the
package.
"""

from __future__ import annotations

import sys
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def _root() -> Path:
    bundle = getattr(sys, "_MEIPASS", None)
    if bundle:
        return Path(bundle)
    installed = _PACKAGE / "_data"
    return installed if installed.is_dir() else _PACKAGE.parent


def path(*parts: str) -> Path:
    """The data file or folder with these parts, as in `path("models", "catalogue.toml")`. Whether it exists is not
    checked.
    """
    return _root().joinpath(*parts)
