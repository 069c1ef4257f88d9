"""Which model is used where none was chosen."""

from __future__ import annotations

import os

from desktop_app.checkpoints import catalogue, installed

VARIABLE = "GALLEY_MODEL"
"""The environment variable that says it, by a name or a folder."""


def best(language: str = "auto") -> str:
    """The model for a language or, with "auto", for any: its name, or what GALLEY_MODEL says, which may be a folder.

    Of the models that are no draft of another one, the first that the catalogue lists and that knows the language, or
    else the bundled one, which knows all of Whisper's. One that the catalogue does not list is used when it is chosen.
    """
    if chosen := os.environ.get(VARIABLE):
        return chosen
    known = installed.names()
    drafts = {installed.draft_of(folder) for folder in known.values()}
    here = [installed.describe(name, folder).entry for name, folder in known.items() if name not in drafts]
    ranked = (entry.name for entry in catalogue.entries() if entry.knows(language) and entry in here)
    return next(ranked, installed.BUNDLED)
