"""Sentences to speak: gathered from free sources, ranked from plain to odd, split into training and held-out.

Sources: the usage examples of WordNet 3.0 (Debian `wordnet-base`), Debian's `fortunes`, and the project's own
sentence grammar (`grammar.toml`). None of their text is committed; the files are read where Debian installs them.
"""

import hashlib
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from models.training.grammar import sentences_from_grammar
from models.training.numbers import number_sentences

WORDNET = Path("/usr/share/wordnet")
FORTUNES = Path("/usr/share/games/fortunes")
PLAIN_WORDS = 3000
"""A sentence is plain when all its words are among this many commonest."""

_SPEAKABLE = re.compile(r"[A-Za-z',.?! -]+")
_QUESTION = re.compile(
    r"(who|what|when|where|why|how|which|is|are|am|was|were|do|does|did|can|could|will|would|shall|should|have|has|may)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Sentence:
    """One sentence as it is to be transcribed; `rank` is the frequency rank of its rarest word (0 = commonest).

    `spoken` is what a synthesiser is to say where that is something else.
    """

    text: str
    source: str
    rank: int
    spoken: str = ""

    @property
    def plain(self) -> bool:
        return self.rank < PLAIN_WORDS


def words_of(text: str) -> list[str]:
    """Lower-case words without punctuation; apostrophes inside a word stay."""
    return re.findall(r"[a-z]+(?:'[a-z]+)*", text.lower().replace("\u2019", "'"))


def held_out(text: str) -> bool:
    """True for the tenth of all sentences that is kept for measuring (by a hash of the normalised words)."""
    return hashlib.sha1(" ".join(words_of(text)).encode()).digest()[0] % 10 == 0


def wordnet_examples() -> Iterator[str]:
    """The quoted usage examples of WordNet's glosses, made into sentences with a capital and a full stop."""
    for part in ("noun", "verb", "adj", "adv"):
        for line in (WORDNET / f"data.{part}").read_text().splitlines():
            for example in re.findall(r'"([^"]+)"', line.partition("|")[2]):
                example = re.sub(r"\s+", " ", example).strip(" ,;")
                if not example or "(" in example:
                    continue
                if example[-1] not in ".?!":
                    first, rest = example.split(" ")[0], example.split(" ")[1:]
                    asks = _QUESTION.fullmatch(first) and len(rest) > 1 and _is_inverted(first, rest[0])
                    example += "?" if asks else "."
                yield example[0].upper() + example[1:]


def _is_inverted(first: str, second: str) -> bool:
    """Whether `first second ...` opens a question: a question word, or a verb before its subject."""
    if first.lower() in ("who", "what", "where", "why", "how", "which", "when"):
        return second.lower() in "is are do does did can could will would was were much".split()
    return second.lower() in "i you he she it we they the that this there your my".split()


def fortune_sentences() -> Iterator[str]:
    """Single sentences out of Debian's fortunes, without attributions."""
    for path in sorted(FORTUNES.iterdir()):
        if "." in path.name or path.name in ("ascii-art", "translate-me"):
            continue
        for fortune in path.read_text(errors="ignore").split("\n%\n"):
            fortune = re.sub(r"\s+", " ", re.sub(r"\s--.*", "", fortune, flags=re.DOTALL))
            for sentence in re.split(r"(?<=[.?!]) +", fortune):
                if sentence.strip()[-1:] in (".", "?", "!"):
                    yield sentence.strip()


def speakable(text: str) -> bool:
    """Whether a sentence reads as it is written: letters and plain punctuation only, two to sixteen words."""
    words = text.split()
    if not 2 <= len(words) <= 16 or not _SPEAKABLE.fullmatch(text) or not text[0].isupper():
        return False
    if re.search(r"\.\.|[?!.,-]{2}| -|- |--|\b[A-Z]{2,}\b|\b[B-HJ-Z]\b|\.\s*[a-z]|' | '", text):
        return False
    return len(text) / len(words) < 9


def word_ranks(texts: Iterable[str]) -> dict[str, int]:
    """Frequency rank of every word in `texts`."""
    counts = Counter(word for text in texts for word in words_of(text))
    ordered = sorted(counts, key=lambda word: (-counts[word], word))
    return {word: rank for rank, word in enumerate(ordered)}


@cache
def all_sentences(grammar_count: int = 40000) -> tuple[Sentence, ...]:
    """Every usable sentence, plain ones first; the order and content are fixed by the sources alone."""
    sources = {
        "wordnet": sorted({text for text in wordnet_examples() if speakable(text)}),
        "fortunes": sorted({text for text in fortune_sentences() if speakable(text)}),
    }
    ranks = word_ranks(text for texts in sources.values() for text in texts)
    sources["grammar"] = sorted({text for text in sentences_from_grammar(grammar_count) if speakable(text)})
    found: dict[str, Sentence] = {}
    for source, texts in sources.items():
        for text in texts:
            # Words that only the grammar knows are everyday words by choice, so they count as plain.
            unknown = PLAIN_WORDS - 1 if source == "grammar" else len(ranks)
            rank = max((ranks.get(word, unknown) for word in words_of(text)), default=unknown)
            if source == "grammar":
                rank = min(rank, PLAIN_WORDS - 1)
            found.setdefault(" ".join(words_of(text)), Sentence(text, source, rank))
    return tuple(sorted(found.values(), key=lambda sentence: (sentence.rank, sentence.text)))


def common_word_salads(count: int, seed: int) -> list[Sentence]:
    """Short rows of random common words: every plain word is heard, whatever the sentences say."""
    rng = random.Random(seed)
    known = [word for sentence in all_sentences() if sentence.plain for word in words_of(sentence.text)]
    words = sorted({word for word in known if "'" not in word and len(word) > 2})
    salads = (" ".join(rng.sample(words, rng.randint(2, 5))).capitalize() + "." for _ in range(count))
    return [Sentence(text, "words", PLAIN_WORDS - 1) for text in salads if not held_out(text)]


def sentences_with_numbers(count: int, seed: int) -> list[Sentence]:
    """Digits, dates, money, titles, initials; never plain. Held out by what is said."""
    made = number_sentences(count, seed)
    return [Sentence(text, "numbers", PLAIN_WORDS, said) for text, said in made if not held_out(said)]
