"""Accents and speakers that nobody has: espeak-ng's data with made-up voices beside its own.

An accent is one of espeak-ng's English phoneme tables with a few shifts that real accents know (a diphthong made
plain, two vowels fallen together, a rolled r, another th); a variant is a vocal tract and a voice. A listener that
has heard many of both should be less at a loss with one it has not. The table of `en-gb-scotland`, which is kept
back, is left out.
"""

import os
import random
import shutil
from pathlib import Path

from models.training.settings import WORK

ESPEAK_DATA = WORK / "espeak"
"""Where the voices are written, a folder of espeak-ng's data for each part."""
ACCENTS, VARIANTS = 60, 100  # in each part, for espeak-ng lists at most 350 voices
MADE_ACCENTS = [f"made{i}" for i in range(ACCENTS)]
MADE_VARIANTS = [f"own{i}" for i in range(VARIANTS)]
_SEED = 31
_INSTALLED = ("/usr/lib/x86_64-linux-gnu/espeak-ng-data", "/usr/lib/aarch64-linux-gnu/espeak-ng-data")
_TABLES = ("en", "en", "en-us", "en-us", "en-rp", "en-wi", "en-wm", "en-n")
_SHIFTS = """eI>e: eI>e eI>aI oU>o: oU>o oU>aU aI>aI2 aI>OI aI>A: aU>au aU>A: OI>aI u:>y u:>u u:>U U>u: V>U V>a A:>a
0>A: 0>O: O:>0 O:>o: 3:>E I>@ I>i i:>I i:>i E>I E>e a>E a>a/ a>a# @>V T>t T>s T>f D>d D>z w>v v>w r>R r>R2 r>*
t>t[ d>d[ N>n l>L z>s h>NULL h>x dZ>Z tS>S""".split()


def make_voices(part: int = 0) -> Path:
    """Copy espeak-ng's English data and add a part's own made-up voices; returns the folder to give to espeak-ng.

    Raises FileNotFoundError where espeak-ng's data is not installed.
    """
    folder = ESPEAK_DATA / str(part)
    if folder.exists():
        return folder
    installed = next((Path(folder) for folder in _INSTALLED if Path(folder).is_dir()), None)
    if installed is None:
        raise FileNotFoundError("espeak-ng's data was not found: install the package espeak-ng")
    partial = ESPEAK_DATA / f"{os.getpid()}.partial"
    data = partial / "espeak-ng-data"
    # Those of other languages are left out to make room for more.
    shutil.copytree(installed, data, ignore=lambda folder, names: _other_languages(Path(folder), names))
    rng = random.Random(_SEED + part)
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
    """A voice file: a phoneme table, two to six shifts, the lengths of weak and strong syllables."""
    shifts = [shift.split(">") for shift in rng.sample(_SHIFTS, rng.randint(2, 6))]
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
