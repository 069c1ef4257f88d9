"""Word and character error rates as Whisper's authors take them: edits between two texts after Whisper's own text
normalisers (Radford et al. 2022, "Robust Speech Recognition via Large-Scale Weak Supervision", section 4.4 and
appendix C; `whisper/normalizers` of openai-whisper, here from the package whisper-normalizer). Edits are counted by
jiwer. Both packages are of the extra `bench` and are imported where they are used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, dataclass
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import jiwer

UNSPACED = frozenset({"zh", "yue", "ja", "th", "lo", "my"})
"""Languages whose words no space divides: each character counts as a word, as in the paper."""

_PACKAGES = {"jiwer": "jiwer", "whisper_normalizer": "whisper-normalizer"}


@dataclass(frozen=True)
class Edits:
    """The fewest edits that turn a reference of `total` words or characters into what was written."""

    total: int = 0
    substitutions: int = 0
    deletions: int = 0
    insertions: int = 0

    def __add__(self, other: Edits) -> Edits:
        """The edits of two texts together."""
        return Edits(*(one + two for one, two in zip(astuple(self), astuple(other), strict=True)))

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


def word_edits(reference: str, text: str, language: str) -> Edits:
    """The edits in words between two texts, which are normalised here."""
    import jiwer

    normalised = normaliser(language)
    return _edits(jiwer.process_words(normalised(reference), normalised(text)))


def character_edits(reference: str, text: str, language: str) -> Edits:
    """The edits in characters between two texts, which are normalised here. A space between words counts; in an
    unspaced language none does, and the characters are the words.
    """
    import jiwer

    if language in UNSPACED:
        return word_edits(reference, text, language)
    normalised = normaliser(language)
    return _edits(jiwer.process_characters(normalised(reference), normalised(text)))


def _edits(found: jiwer.WordOutput | jiwer.CharacterOutput) -> Edits:
    total = found.hits + found.substitutions + found.deletions
    return Edits(total, found.substitutions, found.deletions, found.insertions)
