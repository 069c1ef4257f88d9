"""Sentences with digits, dates, money, titles and initials: as they are written, and as they are said.

A source of its own (`numbers` in a shard's sources), because a synthesiser left to itself reads "4 May 2019" or
"£12.50" its own way. They count as plain nowhere: the word error rates are those of plain sentences.
"""

import random
import re
from collections.abc import Callable, Iterator

_ONES = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen""".split()
_TENS = "zero ten twenty thirty forty fifty sixty seventy eighty ninety".split()
_ORDINALS = {"one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth"}
_ORDINALS |= {"twelve": "twelfth"}
_MONTHS = "January February March April May June July August September October November December".split()
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_TITLES = {"Mr": "Mister", "Mrs": "Missis", "Dr": "Doctor", "Ms": "Miz"}
_SURNAMES = """Smith Jones Patel Brown Evans Walker Green Hall Wood Clark Lewis Young King Wright Hill Baker Cooper Ward
Turner Parker Morgan Bell Murphy Bailey Carter Collins Foster Gray Hunt Kelly Mason Palmer Price Reed Ross Shaw Stone
Webb West""".split()
_FIRST = (
    """Anna Ben Clara David Emma Frank Grace Harry Ivy Jack Kate Leo Mary Nick Olive Paul Rose Sam Tom Will""".split()
)
_PLACES = """London Paris Boston Dublin Oxford Berlin Rome Madrid Chicago Bristol Cardiff Glasgow York Leeds Toronto
Sydney Vienna""".split()
_INITIALS = "BBC USA UK TV DVD GPS UN EU NHS CIA FBI PC".split()
_THINGS = "chairs tickets books eggs cups letters tables boxes photos bottles lamps coats".split()

Said = tuple[str, str]
"""How a piece is written, and how it is said."""


def cardinal(number: int) -> str:
    """A number from 0 to 999,999 in British words: 214 is "two hundred and fourteen"."""
    if number < 20:
        return _ONES[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return _TENS[tens] + (f" {_ONES[ones]}" if ones else "")
    size, word = (1000, "thousand") if number >= 1000 else (100, "hundred")
    many, rest = divmod(number, size)
    joined = f" and {cardinal(rest)}" if rest < 100 else f" {cardinal(rest)}"
    return f"{cardinal(many)} {word}" + (joined if rest else "")


def ordinal(number: int) -> str:
    """21 is "twenty first"."""
    before, _, last = cardinal(number).rpartition(" ")
    regular = f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th"
    return f"{before} {_ORDINALS.get(last, regular)}".strip()


def year(number: int) -> str:
    """1998 is "nineteen ninety eight", 2005 "two thousand and five", 1906 "nineteen oh six"."""
    century, rest = divmod(number, 100)
    if 2000 <= number < 2010:
        return cardinal(number)
    if rest == 0:
        return f"{cardinal(century)} hundred"
    return f"{cardinal(century)} {'oh ' if rest < 10 else ''}{cardinal(rest)}"


def _count(rng: random.Random) -> Said:
    number = rng.choice((rng.randint(2, 20), rng.randint(11, 99), rng.randint(100, 999)))
    return str(number), cardinal(number)


def _large(rng: random.Random) -> Said:
    number = rng.choice((rng.randint(10, 99) * 100, rng.randint(2, 90) * 1000, rng.randint(1000, 9999)))
    return f"{number:,}", cardinal(number)


def _clock(rng: random.Random) -> Said:
    hour, minute = rng.randint(1, 12), rng.choice((0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55))
    if minute == 0:
        return (f"{hour}:00", f"{cardinal(hour)} o'clock")
    return f"{hour}:{minute:02}", f"{cardinal(hour)} {'oh ' if minute < 10 else ''}{cardinal(minute)}"


def _date(rng: random.Random) -> Said:
    day, month = rng.randint(1, 28), rng.choice(_MONTHS)
    written, said = f"{day} {month}", f"the {ordinal(day)} of {month}"
    if rng.random() < 0.4:
        number = rng.randint(1900, 2029)
        return f"{written} {number}", f"{said} {year(number)}"
    return written, said


def _year(rng: random.Random) -> Said:
    number = rng.randint(1800, 2029)
    return str(number), year(number)


def _money(rng: random.Random) -> Said:
    sign, name = rng.choice((("£", "pound"), ("$", "dollar"), ("€", "euro")))
    whole, rest = rng.randint(1, 99), rng.choice((0, 0, 20, 25, 50, 75, 95, 99))
    said = f"{cardinal(whole)} {name}{'s' if whole > 1 else ''}"
    return (f"{sign}{whole}.{rest:02}", f"{said} {cardinal(rest)}") if rest else (f"{sign}{whole}", said)


def _percent(rng: random.Random) -> Said:
    number = rng.choice((rng.randint(1, 99), rng.randrange(5, 100, 5)))
    return f"{number}%", f"{cardinal(number)} percent"


def _decimal(rng: random.Random) -> Said:
    whole, digit = rng.randint(0, 40), rng.randint(1, 9)
    return f"{whole}.{digit}", f"{cardinal(whole)} point {cardinal(digit)}"


def _telephone(rng: random.Random) -> Said:
    digits = [rng.randint(0, 9) for _ in range(rng.choice((4, 6)))]
    half = len(digits) // 2
    written = f"{''.join(map(str, digits[:half]))} {''.join(map(str, digits[half:]))}" if len(digits) == 6 else None
    return written or "".join(map(str, digits)), " ".join("oh" if d == 0 else cardinal(d) for d in digits)


def _nth(rng: random.Random) -> Said:
    number = rng.randint(1, 31)
    ending = "th" if 10 < number < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}", ordinal(number)


def _titled(rng: random.Random) -> Said:
    title, name = rng.choice(list(_TITLES)), rng.choice(_SURNAMES)
    return f"{title} {name}", f"{_TITLES[title]} {name}"


def _initials(rng: random.Random) -> Said:
    letters = rng.choice(_INITIALS)
    return letters, " ".join(letters)


def _one_of(words: list[str]) -> Callable[[random.Random], Said]:
    def draw(rng: random.Random) -> Said:
        word = rng.choice(words)
        return word, word

    return draw


_SLOTS: dict[str, Callable[[random.Random], Said]] = {
    "count": _count,
    "large": _large,
    "clock": _clock,
    "date": _date,
    "year": _year,
    "money": _money,
    "percent": _percent,
    "decimal": _decimal,
    "telephone": _telephone,
    "nth": _nth,
    "titled": _titled,
    "initials": _initials,
    "name": _one_of(_FIRST),
    "surname": _one_of(_SURNAMES),
    "place": _one_of(_PLACES),
    "day": _one_of(_DAYS),
    "month": _one_of(_MONTHS),
    "things": _one_of(_THINGS),
}
_TEMPLATES = """
The train to {place} leaves at {clock}.
Our meeting on {day} begins at {clock}.
Can you call me back at {clock}?
{name} was born on {date}.
The letter from {titled} came on {date}.
We moved to {place} in {year}.
The house was built in {year}.
It cost {money} at the market.
Does it really cost {money}?
{titled} paid {money} for the lamp.
I have counted {count} {things}.
There are {count} {things} in room {count}.
About {large} people live there.
They sold {large} {things} in {year}.
Prices went up by {percent} in {month}.
Only {percent} of the {things} were left.
It was {decimal} degrees in {place} on {day}.
The parcel weighs {decimal} pounds.
My number is {telephone}.
Please ring {telephone} and ask for {titled}.
It is the {nth} time this {month}.
The {nth} of {month} is a {day}.
{name} {surname} lives at {count} Mill Road.
{name} and {titled} will meet us in {place}.
I saw {titled} on the {initials} news.
{name} works for the {initials} in {place}.
Turn to page {count}, please.
Platform {count} for the {clock} to {place}.
Is {titled} coming on {date}?
In {month} {year}, {name} {surname} came to {place}.
"""


def number_sentences(count: int, seed: int) -> Iterator[Said]:
    """`count` sentences, each as it is written and as it is said; every template gets an even share."""
    rng = random.Random(seed)
    templates = [line.strip() for line in _TEMPLATES.splitlines() if line.strip()]
    for i in range(count):
        written = said = templates[i % len(templates)]
        for slot in re.findall(r"\{(\w+)\}", written):
            pieces = _SLOTS[slot](rng)
            written, said = (
                text.replace(f"{{{slot}}}", piece, 1) for text, piece in zip((written, said), pieces, strict=True)
            )
        yield written, said[0].upper() + said[1:]
