"""Which models are used where none was named: the model that transcribes, and the draft for it."""

from __future__ import annotations

import os
from pathlib import Path

from desktop_app.checkpoints import catalogue, installed, parts

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
    drafts = {_draft_of(folder) for folder in known.values()}
    here = [installed.describe(name, folder).entry for name, folder in known.items() if name not in drafts]
    ranked = (entry.name for entry in catalogue.entries() if entry.knows(language) and entry in here)
    return next(ranked, installed.BUNDLED)


def registered_draft(target: Path) -> Path | None:
    """The draft that the user gave to a model, if it is still there."""
    return installed.names().get(_draft_of(target))


def recommended_drafts(target: Path, language: str) -> list[Path]:
    """The folders of installed models that the catalogue recommends as drafts of a target, the best first."""
    if target.parent != installed.home():
        return []
    known = installed.names()
    return [known[draft.name] for draft in catalogue.drafts(target.name, language) if draft.name in known]


def register_draft(target: str, draft: str) -> None:
    """Let an installed model draft for another one from now on."""
    known = installed.names()
    for name in (target, draft):
        if name not in known:
            raise installed.unknown(name)
    folder = _notes(known[target])
    folder.mkdir(parents=True, exist_ok=True)
    parts.write_about(folder, {"name": target} | parts.read_about(folder) | {"draft": draft})


def _draft_of(model: Path) -> str:
    """The name of the draft that the user gave to a model, or ""."""
    return parts.text_in(parts.read_about(_notes(model)), "draft")


def _notes(model: Path) -> Path:
    """The folder whose galley.json says what the user wants of a model: its own, but of the bundled one, which may lie
    where only an administrator can write, that of the installed ones.
    """
    return installed.home() if model == installed.bundled() else model
