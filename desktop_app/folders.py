"""Where Galley keeps what belongs to the user. The environment variable GALLEY_HOME moves everything into one folder.

Nothing is created here: whoever writes makes the folder.
"""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs


def data() -> Path:
    """What must not be lost: the library, installed models, logs."""
    home = os.environ.get("GALLEY_HOME")
    return Path(home, "data") if home else platformdirs.user_data_path("Galley", appauthor=False)


def recordings() -> Path:
    """Live recordings, unless the user has chosen another folder."""
    return data() / "Recordings"


def cache() -> Path:
    """What can be made again: compiled models."""
    home = os.environ.get("GALLEY_HOME")
    return Path(home, "cache") if home else platformdirs.user_cache_path("Galley", appauthor=False)


def documents() -> Path:
    """Where the system's user keeps documents: the folder that is offered for opening and saving at first."""
    return platformdirs.user_documents_path()
