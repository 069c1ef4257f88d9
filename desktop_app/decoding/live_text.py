"""The text of a growing window as words and line breaks, and what two such texts agree on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from string import punctuation

from desktop_app.decoding.vocabulary import Vocabulary
from desktop_app.decoding.words import split

Spell = Callable[[Sequence[int]], str]

_MARKS = frozenset(punctuation + "。，！？：、…—–“”„«»¿¡·")
_LONGEST_PHRASE = 8

HELD_BACK = 1
"""Words at the end of a text that are not committed: the end of the audio may have cut them."""


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
    """What the target writes of a window: `tokens`, and the same as `items`. Its first line starts at `start`; its last
    one ends at `end`, or is open (None). Seconds of the window."""

    tokens: tuple[int, ...]
    items: tuple[Item, ...]
    start: float
    end: float | None


def parse(
    tokens: Sequence[int], vocabulary: Vocabulary, spell: Spell, spaced: bool, seconds: float = float("inf")
) -> Hypothesis:
    """The hypothesis in the tokens of a window with `seconds` of audio."""
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


def behind(ink: Sequence[Item], items: Sequence[Item]) -> int:
    """From where on `items` say what comes behind `ink`, which the target may hear otherwise by now.

    The words of `ink` are matched with the beginning of `items` at the least edit distance; among equals one that ends
    with the same word, then one with as many words as `ink` has.
    """
    if len(ink) <= len(items) and all(one.text == other.text for one, other in zip(ink, items, strict=False)):
        return len(ink)
    known = [item.word for item in ink if item.word]
    places = [place for place, item in enumerate(items) if item.word]
    words = [items[place].word for place in places]
    costs = _distances(known, words)

    def rank(count: int) -> tuple[int, bool, int]:
        return costs[count], words[count - 1 : count] != known[-1:], abs(count - len(known))

    best = min(range(len(costs)), key=rank)
    at = places[best - 1] + 1 if best else 0
    ended = bool(ink) and not ink[-1].word  # marks stand behind the last word already, perhaps a break
    while ended and at < len(items) and not items[at].word:
        if items[at].is_break and not ink[-1].is_break:
            break
        at += 1
    return at


def agreed(before: Sequence[Item], now: Sequence[Item]) -> int:
    """How many items of `now` can be committed: those that `before` has too, without the words that are held back and
    what stands behind them (LocalAgreement-2; Macháček, Dabre and Bojar, 2023)."""
    words = [place for place, item in enumerate(now) if item.word]
    most = min(words[-HELD_BACK] if len(words) >= HELD_BACK else 0, len(before))
    return next((i for i in range(most) if before[i].text != now[i].text), most)


def unlooped(items: Sequence[Item]) -> Sequence[Item]:
    """The items without a loop at their end: one word eight times, or a phrase of two to eight words three times over
    at least twelve words. The first time stays."""
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
    """The tokens for a window that begins `seconds` later: its times are that much smaller, none below 0."""
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
