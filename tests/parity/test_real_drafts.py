"""With OpenAI's own models on real speech the text is the same with a draft and without, in each precision."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import pytest

from desktop_app.checkpoints import installed
from desktop_app.runtimes.openvino import precisions
from desktop_app.transcript.settings import Settings
from tests.parity import real
from tests.parity.comparison import Case, Outcome, compare_windows
from tests.parity.drafted import Drafted

pytestmark = pytest.mark.parity
PAIRS = {
    "base+own": ("bundled", "bundled/draft"),
    "base+tiny": ("base", "tiny"),
    "base.en+tiny.en": ("base.en", "tiny.en"),
    "base+tiny.en": ("base", "tiny.en"),
    "small+base": ("small-int8", "base"),
}
PRECISIONS = ("f32", "bf16", "f16", "int8", "int4")

drafted = lru_cache(maxsize=1)(Drafted)


def drafting_in_english(group: real.Group, question: real.Question) -> bool:
    """What a draft for English alone is not refused for; where another language is heard, the target writes alone."""
    return not question.translate and (group.english or question.detects_language)


ABLE = {"base.en+tiny.en": real.in_english, "base+tiny.en": drafting_in_english}


def cases() -> Iterator[object]:
    for pair in PAIRS:
        for precision in PRECISIONS:
            for group, question in real.asked(ABLE.get(pair, real.in_any_language), ("words",)):
                yield pytest.param(pair, precision, group, question, id=f"{pair}-{precision}-{group}-{question}")


@pytest.mark.long
@pytest.mark.parametrize(("pair", "precision", "group", "question"), list(cases()))
def test_a_draft_changes_nothing(pair: str, precision: str, group: str, question: str, case: Case) -> None:
    target, draft = (real.model(name) for name in PAIRS[pair])
    if precision not in precisions("CPU"):
        pytest.skip(f"this processor does not compute in {precision}")

    def compare() -> Outcome:
        both = drafted(target, draft, precision)
        return real.compare(both.alone, both, group, question)

    assert case(compare).tokens


@pytest.mark.parametrize("precision", ["f32", "int8"])
def test_the_bundled_pair(precision: str) -> None:
    """A quick share of the above: a window of the sample conversation, and a drawn one."""
    both = drafted(installed.bundled(), installed.bundled() / "draft", precision)
    window, rest = real.sample()
    assert compare_windows(both.alone, both, window, Settings("en")).tokens > 40
    assert compare_windows(both.alone, both, rest, Settings("en", temperatures=(0.6,))).tokens > 10
