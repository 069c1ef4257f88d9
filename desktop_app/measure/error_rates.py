"""Error rates of texts.

`EditCounts` are counted as Whisper's authors count them: edits between two texts after Whisper's own text
normalisers (Radford et al. 2022, "Robust Speech Recognition via Large-Scale Weak Supervision", section 4.4 and
appendix C; `whisper/normalizers` of openai-whisper, here from the package whisper-normalizer). Edits are counted by
jiwer. Both packages are of the extra `bench` and are imported where they are used.

`word_error_rate` and `matched` need neither: lower-case words, aligned by the fewest edits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import jiwer

UNSPACED = frozenset({"zh", "yue", "ja", "th", "lo", "my"})
"""Languages whose words no space divides: each character counts as a word, as in the paper."""

_PACKAGES = {"jiwer": "jiwer", "whisper_normalizer": "whisper-normalizer"}

_STEP_BOTH, _STEP_LEFT, _STEP_RIGHT = range(3)


@dataclass(frozen=True)
class EditCounts:
    """The fewest edits that turn a reference of `total` words or characters into what was written."""

    total: int = 0
    substitutions: int = 0
    deletions: int = 0
    insertions: int = 0

    def __add__(self, other: EditCounts) -> EditCounts:
        """The edits of two texts together."""
        return EditCounts(*(one + two for one, two in zip(astuple(self), astuple(other), strict=True)))

    @property
    def count(self) -> int:
        """All edits."""
        return self.substitutions + self.deletions + self.insertions

    @property
    def rate(self) -> float:
        """Edits for one word or character of the reference, of which an empty one counts as one."""
        return self.count / max(1, self.total)


def missing_packages() -> tuple[str, ...]:
    """Those of the extra `bench` that are needed here and not installed."""
    return tuple(package for module, package in _PACKAGES.items() if find_spec(module) is None)


@cache
def normaliser(language: str) -> Callable[[str], str]:
    """Whisper's normaliser for a language code: the English one, or the basic one for all others."""
    from whisper_normalizer.basic import BasicTextNormalizer
    from whisper_normalizer.english import EnglishTextNormalizer

    english = language == "en"
    found: Callable[[str], str] = (
        EnglishTextNormalizer() if english else BasicTextNormalizer(split_letters=language in UNSPACED)
    )
    return found


def word_edits(reference: str, text: str, language: str) -> EditCounts:
    """The edits in words between two texts, which are normalised here."""
    import jiwer

    normalised = normaliser(language)
    return _edits(jiwer.process_words(normalised(reference), normalised(text)))


def character_edits(reference: str, text: str, language: str) -> EditCounts:
    """The edits in characters between two texts, which are normalised here. A space between words counts; in an
    unspaced language none does, and the characters are the words.
    """
    import jiwer

    if language in UNSPACED:
        return word_edits(reference, text, language)
    normalised = normaliser(language)
    return _edits(jiwer.process_characters(normalised(reference), normalised(text)))


def _edits(found: jiwer.WordOutput | jiwer.CharacterOutput) -> EditCounts:
    total = found.hits + found.substitutions + found.deletions
    return EditCounts(total, found.substitutions, found.deletions, found.insertions)


def normalised(text: str) -> list[str]:
    """Lower-case words of letters, digits and apostrophes."""
    return re.findall(r"[^\W_]+(?:'[^\W_]+)*", text.lower().replace("\u2019", "'"))


def matched(reference: Sequence[str], hypothesis: Sequence[str]) -> tuple[list[tuple[int, int]], int]:
    """The pairs of places with equal words in an alignment of least edit distance, and that distance."""
    rows, columns = len(reference) + 1, len(hypothesis) + 1
    ids = {word: number for number, word in enumerate({*reference, *hypothesis})}
    right = np.array([ids[word] for word in hypothesis], np.int64)
    steps = np.zeros((rows, columns), np.int8)
    steps[0, :] = _STEP_RIGHT
    row = np.arange(columns)
    for i, word in enumerate(reference, 1):
        both = row[:-1] + (right != ids[word])
        left = row[1:] + 1
        best = np.concatenate([[row[0] + 1], np.minimum(both, left)])
        # A step to the right costs one more than its neighbour: a running minimum of what is left after its place.
        row = np.minimum.accumulate(best - np.arange(columns)) + np.arange(columns)
        steps[i, 0] = _STEP_LEFT
        steps[i, 1:] = np.where(row[1:] == both, _STEP_BOTH, np.where(row[1:] == left, _STEP_LEFT, _STEP_RIGHT))
    pairs = []
    i, j = len(reference), len(hypothesis)
    while i or j:
        step = steps[i, j]
        if step == _STEP_BOTH:
            i, j = i - 1, j - 1
            if reference[i] == hypothesis[j]:
                pairs.append((i, j))
        elif step == _STEP_LEFT:
            i -= 1
        else:
            j -= 1
    return pairs[::-1], int(row[-1])


def word_error_rate(reference: Sequence[str], hypothesis: Sequence[str]) -> float:
    """Substituted, deleted and inserted words for each word of the reference."""
    return matched(reference, hypothesis)[1] / max(1, len(reference))
