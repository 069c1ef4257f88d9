"""The models that Galley knows by name: models/catalogue.toml as typed entries."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from typing import Any

from desktop_app import resources

WIDTHS = {"f32": 4, "f16": 2}
"""Bytes of one number as it is stored."""

MEMORY = {"f32": (180_000_000, 6.62), "int8": (450_000_000, 2.73)}
"""Precision -> bytes that any model takes, and bytes for each of its parameters: the straight line through the peaks of
a process that loaded a model of random 16-bit weights and ran one window on a CPU. In f32 the shapes of tiny, 0.43
GB, and small, 1.78 GB; in int8 those of small, 1.13 GB, and large-v3, 4.66 GB.
"""

_ANY = "*"


@dataclass(frozen=True)
class CatalogueEntry:
    """A model on the hub. `bytes` and `sha256` are those of its model.safetensors, 0 and "" where unknown; `drafts` are
    names of entries, the best first; `featured` says in a sentence what it is for, where newcomers are to see it first.
    """

    name: str
    repository: str
    revision: str
    languages: tuple[str, ...]
    licence: str
    parameters: int
    numbers: str = ""
    bytes: int = 0
    sha256: str = ""
    drafts: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    note: str = ""
    featured: str = ""

    def knows(self, language: str) -> bool:
        """Whether it was trained for a language; "auto" asks for all of them."""
        return _ANY in self.languages or language in self.languages

    @property
    def download(self) -> int:
        """About how many bytes have to be fetched; 0 if nobody knows."""
        return self.bytes or self.parameters * WIDTHS.get(self.numbers, 0)

    def memory(self, precision: str) -> int:
        """About how many bytes of memory it takes at its peak, at a precision of MEMORY: an estimate."""
        program, each = MEMORY[precision]
        return program + int(self.parameters * each)


@cache
def entries() -> tuple[CatalogueEntry, ...]:
    """All of them, in the order of the file."""
    text = resources.path("models", "catalogue.toml").read_text(encoding="utf-8")
    return tuple(_entry(each) for each in tomllib.loads(text)["model"])


def _entry(fields: dict[str, Any]) -> CatalogueEntry:
    typed: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in fields.items()}
    return CatalogueEntry(**typed)


def find(wanted: str) -> CatalogueEntry | None:
    """The entry of this name, alias or repository, with or without the repository's owner."""
    for entry in entries():
        if wanted in (entry.name, entry.repository, entry.repository.rpartition("/")[2], *entry.aliases):
            return entry
    return None


def worth_having(entry: CatalogueEntry) -> list[CatalogueEntry]:
    """The best draft of a model, and the best one for every language where that is another."""
    known = [draft for name in entry.drafts if (draft := find(name))]
    general = [draft for draft in known if draft.knows("auto")]
    return list(dict.fromkeys(known[:1] + general[:1]))


def drafts(name: str, language: str) -> list[CatalogueEntry]:
    """What may draft for the model `name` in a language, the best first. With "auto" those for every language come
    first, because nobody knows yet what will be spoken.
    """
    entry = find(name)
    found = [draft for each in (entry.drafts if entry else ()) if (draft := find(each))]
    if language == "auto":
        return sorted(found, key=lambda draft: not draft.knows(language))
    return [draft for draft in found if draft.knows(language)]
