"""The catalogue holds together, and says nothing that its own numbers contradict."""

from __future__ import annotations

import math
import re

import pytest

from desktop_app.app.models.model_store import CATALOGUE_NOTES
from desktop_app.checkpoints import catalogue
from desktop_app.checkpoints.catalogue import CatalogueEntry, drafts, entries, find
from desktop_app.checkpoints.shape import Shape

# Width, layers of the encoder and of the decoder, mel bins, size of the vocabulary: from the config.json of each.
SHAPES = {
    "tiny": (384, 4, 4, 80, 51_865),
    "tiny.en": (384, 4, 4, 80, 51_864),
    "base": (512, 6, 6, 80, 51_865),
    "base.en": (512, 6, 6, 80, 51_864),
    "small": (768, 12, 12, 80, 51_865),
    "small.en": (768, 12, 12, 80, 51_864),
    "distil-small.en": (768, 12, 4, 80, 51_864),
    "medium": (1024, 24, 24, 80, 51_865),
    "medium.en": (1024, 24, 24, 80, 51_864),
    "distil-medium.en": (1024, 24, 2, 80, 51_864),
    "large-v1": (1280, 32, 32, 80, 51_865),
    "large-v2": (1280, 32, 32, 80, 51_865),
    "distil-large-v2": (1280, 32, 2, 80, 51_865),
    "large-v3": (1280, 32, 32, 128, 51_866),
    "large-v3-turbo": (1280, 32, 4, 128, 51_866),
}
DISTILLED_V3 = (1280, 32, 2, 128, 51_866)


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.name)
def test_an_entry_is_complete(entry: CatalogueEntry) -> None:
    assert re.fullmatch(r"[\w.-]+/[\w.-]+", entry.repository)
    assert entry.revision == "main" or re.fullmatch(r"[0-9a-f]{40}", entry.revision)
    assert entry.languages and entry.licence
    assert entry.sha256 == "" or (re.fullmatch(r"[0-9a-f]{64}", entry.sha256) and entry.revision != "main")
    assert all(find(draft) for draft in entry.drafts)
    for name in (entry.name, entry.repository, *entry.aliases):
        assert find(name) is entry


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.name)
def test_parameters_and_sizes_follow_from_the_shape(entry: CatalogueEntry) -> None:
    width, emits, writes, bins, vocabulary = SHAPES.get(entry.name, DISTILLED_V3)
    heads, inner = width // 64, 4 * width
    shape = Shape(width, emits, heads, inner, writes, heads, inner, bins, 1500, 448, vocabulary, False)
    assert entry.parameters == sum(math.prod(sides) for sides in shape.tensors().values())
    if entry.bytes:  # the numbers, and a header of at most 250 bytes a tensor
        header = entry.bytes - entry.parameters * catalogue.WIDTHS[entry.numbers]
        assert 0 < header < 250 * len(shape.tensors())
    if entry.numbers:
        assert entry.download >= entry.parameters * catalogue.WIDTHS[entry.numbers]
    else:
        assert entry.download == 0


def test_names_are_told_apart() -> None:
    names = [name for entry in entries() for name in (entry.name, *entry.aliases)]
    assert len(names) == len(set(names))
    assert find("whisper-large-v3") is find("large")
    assert find("nothing") is None


@pytest.mark.parametrize(
    ("target", "language", "expected"),
    [
        ("large-v3", "en", ["distil-large-v3", "distil-large-v3.5", "large-v3-turbo", "tiny"]),
        ("large-v3", "nl", ["large-v3-turbo", "tiny"]),
        ("large-v3", "ja", ["kotoba-whisper-v2.0", "large-v3-turbo", "tiny"]),
        ("large-v2", "de", ["tiny"]),
        ("medium.en", "en", ["distil-medium.en", "tiny.en"]),
        ("turbo", "en", []),
        ("my own", "en", []),
    ],
)
def test_the_drafts_of_a_language(target: str, language: str, expected: list[str]) -> None:
    assert [draft.name for draft in drafts(target, language)] == expected


def test_before_the_language_is_known_the_drafts_for_every_language_come_first() -> None:
    found = drafts("large-v3", "auto")
    assert [draft.name for draft in found][:3] == ["large-v3-turbo", "tiny", "distil-large-v3"]
    assert len(found) == len(find("large-v3").drafts)


def test_what_it_says_of_models_is_marked_for_translation() -> None:
    said = {text for entry in entries() for text in (entry.note, entry.featured) if text}
    assert said == set(CATALOGUE_NOTES)


def test_two_models_are_featured_and_both_know_every_language() -> None:
    """A newcomer chooses between two; which language the user speaks is not known."""
    featured = [entry for entry in entries() if entry.featured]
    assert len(featured) == 2
    assert all(entry.knows("auto") and entry.parameters > find("base").parameters for entry in featured)


def test_memory_is_estimated_from_what_was_measured() -> None:
    for name, precision, measured in (
        ("tiny", "f32", 0.43),
        ("small", "int8", 1.13),
        ("small", "f32", 1.78),
        ("large-v3", "int8", 4.66),
    ):
        assert find(name).memory(precision) == pytest.approx(measured * 1e9, rel=0.03)
