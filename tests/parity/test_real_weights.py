"""Galley writes what openai-whisper and transformers write with OpenAI's own models on real speech, token for token."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

import pytest

from desktop_app.checkpoints import installed
from desktop_app.transcript.settings import Settings
from tests.parity import real
from tests.parity.comparison import Case, Outcome, Reference, WordReference, compare_windows, compare_words
from tests.parity.galley import loaded
from tests.parity.hugging_face import HuggingFace
from tests.parity.openai import OpenAI

pytestmark = [pytest.mark.usefixtures("one_thread"), pytest.mark.parity]
MODELS = ("base", "tiny", "base.en", "tiny.en")
REFERENCES: dict[str, Callable[[Path], Reference]] = {"openai": OpenAI, "transformers": HuggingFace}
OTHER_RULES = {"openai": (), "transformers": ("words", "drawn", "temperatures", "all-untimed")}
"""What a reference does by rules of its own or refuses, as docs/design/references.md says."""

galley = lru_cache(maxsize=1)(loaded)


@lru_cache(maxsize=1)
def reference(program: str, folder: Path) -> Reference:
    return REFERENCES[program](folder)


def cases() -> Iterator[object]:
    for program in REFERENCES:
        for model in MODELS:
            able = real.in_english if model.endswith(".en") else real.in_any_language
            for group, question in real.asked(able, OTHER_RULES[program]):
                yield pytest.param(program, model, group, question, id=f"{program}-{model}-{group}-{question}")


@pytest.mark.long
@pytest.mark.parametrize(("program", "model", "group", "question"), list(cases()))
def test_real_speech(program: str, model: str, group: str, question: str, case: Case) -> None:
    folder = real.model(model)

    def compare() -> Outcome:
        return real.compare(galley(folder), reference(program, folder), group, question)

    assert case(compare).tokens


@pytest.mark.parametrize("program", ["openai", pytest.param("transformers", marks=pytest.mark.long)])
def test_the_bundled_model(program: str) -> None:
    """A quick share of the above on the sample conversation: a full window, the rest with a prompt, its words."""
    folder = installed.bundled()
    ours, theirs, (window, rest) = galley(folder), reference(program, folder), real.sample()
    prompt = tuple(ours.checkpoint.tokens(" What was said before, to the end."))
    assert compare_windows(ours, theirs, window, Settings("en")).tokens > 40
    assert compare_windows(ours, theirs, rest, Settings(timestamps=False, prompt=prompt)).tokens >= 5
    if isinstance(theirs, WordReference):
        assert compare_words(ours, theirs, rest, Settings("en", words=True)).tokens > 5
