"""The text of a growing window as words and line breaks, and the agreement of two such texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from string import punctuation

from desktop_app.decoding.vocabulary import Vocabulary
from desktop_app.decoding.words import split

Spell = Callable[[Sequence[int]], str]

_MARKS = frozenset(punctuation + "。，！？：、…—–“”„«»¿¡·")
_LONGEST_PHRASE = 8

WORDS_HELD_BACK = 1
"""Words at the end of a text that stay provisional: the end of the audio may have cut them."""


@dataclass(frozen=True)
class Item:
    """A word with its space, a punctuation mark, or the break between two lines.

    `place` is that of its first token in the hypothesis; a break has no text: the line before it ends at `end` and the
    next one starts at `start`, in seconds of the window.
    """

    text: str
    tokens: tuple[int, ...] = ()
    place: int = 0
    end: float = 0.0
    start: float = 0.0

    @property
    def is_break(self) -> bool:
        """Whether a new line begins here."""
        return not self.tokens

    @property
    def word(self) -> str:
        """The word without case and punctuation; "" for marks and breaks."""
        return "".join(letter for letter in self.text.strip().casefold() if letter not in _MARKS)


@dataclass(frozen=True)
class Hypothesis:
    """The target's text for a window, as `tokens` and as `items`. The first line starts at `start`, the last one ends
    at `end` or is open (None); both in seconds of the window."""

    tokens: tuple[int, ...]
    items: tuple[Item, ...]
    start: float
    end: float | None


def parse(
    tokens: Sequence[int], vocabulary: Vocabulary, spell: Spell, spaced: bool, seconds: float = float("inf")
) -> Hypothesis:
    """Split the tokens of a window with `seconds` of audio into words and line breaks. `spell` makes text of tokens;
    `spaced` says whether the language puts spaces between words."""
    items: list[Item] = []
    times: list[float] = []  # those since the last word
    start = 0.0
    at = 0
    while at < len(tokens):
        if vocabulary.is_timestamp(tokens[at]):
            times.append(min(vocabulary.seconds(tokens[at]), seconds))
            at += 1
            continue
        end = next((i for i in range(at, len(tokens)) if vocabulary.is_timestamp(tokens[i])), len(tokens))
        if items and times:
            items.append(Item("", place=at - len(times), end=times[0], start=times[-1]))
        elif times:
            start = times[-1]
        times = []
        first = len(items)
        for text, ids in split(tokens[at:end], spell, spaced):
            item = Item(text, ids, at)
            if spaced and len(items) > first and item.word and not text.startswith(" "):  # the 'm of I'm
                last = items.pop()
                item = Item(last.text + text, last.tokens + ids, last.place)
            items.append(item)
            at += len(ids)
    return Hypothesis(tuple(tokens), tuple(items), start, times[0] if items and times else None)


def index_after(final: Sequence[Item], items: Sequence[Item]) -> int:
    """The index in `items` of the first item that follows the `final` text, which the target may by now transcribe
    differently.

    The words of `final` are aligned with a beginning of `items` at the least edit distance; of equal ones, one that
    ends with the same word is preferred, then the one closest in number of words.
    """
    if len(final) <= len(items) and all(one.text == other.text for one, other in zip(final, items, strict=False)):
        return len(final)
    known = [item.word for item in final if item.word]
    places = [place for place, item in enumerate(items) if item.word]
    words = [items[place].word for place in places]
    costs = _distances(known, words)

    def rank(count: int) -> tuple[int, bool, int]:
        return costs[count], words[count - 1 : count] != known[-1:], abs(count - len(known))

    best = min(range(len(costs)), key=rank)
    at = places[best - 1] + 1 if best else 0
    ended = bool(final) and not final[-1].word  # the final text ends with punctuation or a line break
    while ended and at < len(items) and not items[at].word:
        if items[at].is_break and not final[-1].is_break:
            break
        at += 1
    return at


def agreed(before: Sequence[Item], now: Sequence[Item]) -> int:
    """How many items of `now` can become final: the common beginning with `before`, without the last words and what
    follows them (LocalAgreement-2; Macháček, Dabre and Bojar, 2023)."""
    words = [place for place, item in enumerate(now) if item.word]
    most = min(words[-WORDS_HELD_BACK] if len(words) >= WORDS_HELD_BACK else 0, len(before))
    return next((i for i in range(most) if before[i].text != now[i].text), most)


def unlooped(items: Sequence[Item]) -> Sequence[Item]:
    """The items without a repetition at their end: one word eight times, or a phrase of two to eight words three times
    and at least twelve words in all. The first occurrence stays."""
    words = [(item.word, place) for place, item in enumerate(items) if item.word]
    for length in range(1, min(_LONGEST_PHRASE, len(words)) + 1):
        phrase = [word for word, _ in words[-length:]]
        times = 1
        while [word for word, _ in words[-length * (times + 1) : len(words) - length * times]] == phrase:
            times += 1
        if times * length >= (8 if length == 1 else 12) and times >= 3:
            first = len(words) - length * (times - 1)
            return items[: words[first][1]]
    return items


def shifted(tokens: Sequence[int], vocabulary: Vocabulary, seconds: float) -> list[int]:
    """The tokens for a window that begins `seconds` later: timestamps are reduced by that time, none below 0."""
    steps = round(seconds / vocabulary.seconds_per_timestamp)
    first = vocabulary.first_timestamp
    return [max(first, token - steps) if vocabulary.is_timestamp(token) else token for token in tokens]


def _distances(known: Sequence[str], words: Sequence[str]) -> list[int]:
    """The edit distance of `known` from the first 0, 1, 2, ... of `words`."""
    row = list(range(len(words) + 1))
    for count, word in enumerate(known, 1):
        above, row = row, [count]
        for i, other in enumerate(words):
            row.append(min(above[i] + (word != other), above[i + 1] + 1, row[i] + 1))
    return row
