"""Accents and speakers that nobody has: espeak-ng's data with made-up voices beside its own.

An accent is one of espeak-ng's English phoneme tables with some shifts of a kind that real accents know (a vowel
moved to one near it, a diphthong made plain, a rolled r, another th); a variant is a vocal tract and a voice. A
listener that has heard many of both should be less at a loss with one it has not. The table of `en-gb-scotland`, which
is kept back, is left out. flite's voices, which were made from recordings of persons, get such an accent by a lexicon.
"""

import math
import os
import random
import shutil
import subprocess
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from models.training.settings import WORK

ESPEAK_DATA = WORK / "espeak"
"""Where the voices are written, a folder of espeak-ng's data for each number."""
ACCENTS, VARIANTS = 60, 100  # in each folder, for espeak-ng lists at most 350 voices
MADE_ACCENTS = [f"made{i}" for i in range(ACCENTS)]
MADE_VARIANTS = [f"own{i}" for i in range(VARIANTS)]
_SEED = 31
_INSTALLED = ("/usr/lib/x86_64-linux-gnu/espeak-ng-data", "/usr/lib/aarch64-linux-gnu/espeak-ng-data")
_TABLES = ("en", "en", "en-us", "en-us", "en-rp", "en-wi", "en-wm", "en-n")
Place = tuple[float, float]
_VOWELS: dict[str, Place] = {  # how open and how far back each is
    "i:": (0.0, 0.0),
    "I": (0.2, 0.15),
    "e:": (0.3, 0.0),
    "E": (0.55, 0.05),
    "a": (0.95, 0.2),
    "A:": (1.0, 0.9),
    "0": (0.9, 1.0),
    "O:": (0.6, 1.0),
    "o:": (0.35, 1.0),
    "U": (0.2, 0.8),
    "u:": (0.0, 0.9),
    "V": (0.75, 0.6),
    "3:": (0.5, 0.45),
    "@": (0.5, 0.5),
}
_NEAR = 0.5
_DIPHTHONGS = {"eI": ("E", "I"), "aI": ("a", "I"), "OI": ("O:", "I"), "aU": ("a", "U"), "oU": ("o:", "U")}
_FLITE_VOWELS: dict[str, Place] = {
    "iy": (0.0, 0.0),
    "ih": (0.2, 0.15),
    "eh": (0.55, 0.05),
    "ae": (0.95, 0.2),
    "aa": (1.0, 0.9),
    "ao": (0.6, 1.0),
    "uh": (0.2, 0.8),
    "uw": (0.0, 0.9),
    "ah": (0.75, 0.6),
    "er": (0.5, 0.45),
}
_FLITE_DIPHTHONGS = {"ey": ("eh", "ih"), "ay": ("ae", "ih"), "oy": ("ao", "ih"), "aw": ("ae", "uh"), "ow": ("ao", "uh")}
_FLITE_CONSONANTS = "th>t th>s th>f dh>d dh>z w>v v>w z>s ng>n jh>zh ch>sh hh>".split()
_CONSONANTS = "T>t T>s T>f D>d D>z w>v v>w r>R r>R2 r>* t>t[ d>d[ N>n l>L z>s h>NULL h>x dZ>Z tS>S".split()


def _vowel_shifts(vowels: dict[str, Place], diphthongs: dict[str, tuple[str, str]]) -> dict[str, list[str]]:
    """What a vowel may become: one near it; a diphthong a plain vowel at either end or one with the same end."""
    shifts = {
        vowel: [other for other, there in vowels.items() if other != vowel and math.dist(here, there) <= _NEAR]
        for vowel, here in vowels.items()
    }
    for name, (start, end) in diphthongs.items():
        plain = [vowel for vowel in vowels if min(math.dist(vowels[vowel], vowels[e]) for e in (start, end)) <= 0.3]
        shifts[name] = [*plain, *(other for other in diphthongs if other != name and diphthongs[other][1] == end)]
    return shifts


def _shifts(rng: random.Random, vowels: dict[str, list[str]], consonants: list[str]) -> list[tuple[str, str]]:
    """An accent: what two to six vowels and up to three consonants become."""
    chosen = [(vowel, rng.choice(vowels[vowel])) for vowel in rng.sample(list(vowels), rng.randint(2, 6))]
    for shift in rng.sample(consonants, rng.randint(0, 3)):
        sound, _, other = shift.partition(">")
        chosen.append((sound, other))
    return chosen


def make_voices(number: int = 0) -> Path:
    """Copy espeak-ng's English data and add made-up voices, others for each number; returns the folder for espeak-ng.

    Raises FileNotFoundError where espeak-ng's data is not installed.
    """
    folder = ESPEAK_DATA / str(number)
    if folder.exists():
        return folder
    installed = next((Path(folder) for folder in _INSTALLED if Path(folder).is_dir()), None)
    if installed is None:
        raise FileNotFoundError("espeak-ng's data was not found: install the package espeak-ng")
    partial = ESPEAK_DATA / f"{os.getpid()}.partial"
    data = partial / "espeak-ng-data"
    # Those of other languages are left out to make room for more.
    shutil.copytree(installed, data, ignore=lambda folder, names: _other_languages(Path(folder), names))
    rng = random.Random(_SEED + number)
    for name in MADE_ACCENTS:
        (data / "lang" / "gmw" / name).write_text(_accent(name, rng))
    for name in MADE_VARIANTS:
        (data / "voices" / "!v" / name).write_text(_variant(name, rng))
    partial.rename(folder)
    return folder


def _other_languages(folder: Path, names: list[str]) -> list[str]:
    if folder.name == "lang":
        return [name for name in names if name != "gmw"]
    return [name for name in names if name == "mb"]


def _accent(name: str, rng: random.Random) -> str:
    """A voice file: a phoneme table, two to nine shifts, the lengths of weak and strong syllables."""
    shifts = _shifts(rng, _vowel_shifts(_VOWELS, _DIPHTHONGS), _CONSONANTS)
    lengths = [round(length * rng.uniform(0.85, 1.15)) for length in (160, 135, 185, 180, 220, 220, 260, 290)]
    lines = [
        f"name {name}",
        f"language en-x-{name} 9",
        f"phonemes {rng.choice(_TABLES)}",
        f"stressLength {' '.join(map(str, lengths))}",
        f"intonation {rng.randint(1, 4)}",
        *(f"replace 00 {sound} {other}" for sound, other in shifts),
    ]
    return "\n".join(lines) + "\n"


def _variant(name: str, rng: random.Random) -> str:
    """A variant file: pitch, the frequency, height and width of every formant in per cent, the voice's sound."""
    low = rng.randint(55, 180)
    tract = rng.gauss(100, 8)  # a longer or shorter throat moves all formants together
    lines = ["language variant", f"name {name}", f"pitch {low} {round(low * rng.uniform(1.2, 1.9))}"]
    for formant in range(9):
        frequency = min(125.0, max(78.0, tract + rng.gauss(0, 5))) if formant else 100
        height = min(160.0, max(40.0, rng.gauss(95, 22)))
        lines.append(f"formant {formant} {frequency:.0f} {height:.0f} {rng.uniform(65, 150):.0f}")
    lines.append(f"voicing {rng.randint(70, 160)}")
    lines.append(f"consonants {rng.randint(70, 130)} {rng.randint(70, 130)}")
    if rng.random() < 0.3:
        lines.append(f"flutter {rng.randint(1, 10)}")
    if rng.random() < 0.3:
        lines.append(f"roughness {rng.randint(1, 4)}")
    if rng.random() < 0.2:
        lines.append(f"klatt {rng.choice((1, 2, 3, 6))}")
    return "\n".join(lines) + "\n"


def flite_lexicon(words: Iterable[str], accent: int) -> str:
    """How flite is to say these words in a made-up accent, for its option `-add_lex`.

    Raises OSError where flite's `t2p` is not installed.
    """
    rng = random.Random(_SEED + accent)
    shifts = dict(_shifts(rng, _vowel_shifts(_FLITE_VOWELS, _FLITE_DIPHTHONGS), _FLITE_CONSONANTS))
    lines = []
    for word in sorted(set(words)):
        said = " ".join(filter(None, (_shifted(phone, shifts) for phone in _flite_phones(word))))
        if said:
            lines.append(f"{word} 0 : {said}\n")
    return "".join(lines)


@cache
def _flite_phones(word: str) -> tuple[str, ...]:
    """What flite says for one word, vowels with 1 or 0 behind them for stress, without the pauses around it."""
    listed = subprocess.run(["t2p", word], check=True, capture_output=True, timeout=20).stdout.decode().split()
    return tuple(phone for phone in listed if phone != "pau")


def _shifted(phone: str, shifts: dict[str, str]) -> str:
    """The phone in the accent; flite's lexicon wants its stress named, and knows no stressed `ax`."""
    sound, stress = phone.rstrip("01"), "1" if phone.endswith("1") else "0"
    other = shifts.get(sound, sound)
    if other not in _FLITE_VOWELS and other not in _FLITE_DIPHTHONGS and other != "ax":
        return other
    return "ah1" if other + stress == "ax1" else other + stress
