"""Made-up voices are the same on every machine, and none of them is one that is kept back."""

import random
from dataclasses import replace
from pathlib import Path

import pytest

from models.training import accents
from models.training.phones import FLITE_PHONES, UNKNOWN
from models.training.voices import HELD_OUT_VOICES, Voice, draw_voice, flite_say, foreign


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Made-up voices beside an installation that has English and one other language."""
    installed = tmp_path / "installed"
    for folder in ("lang/gmw", "lang/roa", "voices/!v", "voices/mb"):
        (installed / folder).mkdir(parents=True)
    (installed / "lang" / "gmw" / "en").write_text("name English\n")
    (installed / "voices" / "!v" / "f2").write_text("language variant\n")
    monkeypatch.setattr(accents, "_INSTALLED", (str(installed),))
    monkeypatch.setattr(accents, "ESPEAK_DATA", tmp_path / "made")
    return accents.make_voices() / "espeak-ng-data"


def test_they_stand_beside_the_installed_english_ones(made: Path) -> None:
    assert {path.name for path in (made / "lang").iterdir()} == {"gmw"}
    assert {path.name for path in (made / "lang" / "gmw").iterdir()} == {"en", *accents.MADE_ACCENTS}
    assert {path.name for path in (made / "voices" / "!v").iterdir()} == {"f2", *accents.MADE_VARIANTS}
    assert not (made / "voices" / "mb").exists()


def test_they_are_made_once_and_by_a_seed(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = {path.name: path.read_text() for path in (made / "lang" / "gmw").iterdir()}
    assert len({text.split("\n", 2)[2] for name, text in first.items() if name != "en"}) == accents.ACCENTS
    monkeypatch.setattr(accents, "ESPEAK_DATA", tmp_path / "again")
    again = accents.make_voices() / "espeak-ng-data" / "lang" / "gmw"
    assert {path.name: path.read_text() for path in again.iterdir()} == first


def test_another_number_makes_other_voices(made: Path) -> None:
    others = accents.make_voices(2) / "espeak-ng-data"
    for folder in ("lang/gmw", "voices/!v"):
        first, other = ({path.name: path.read_text() for path in (data / folder).iterdir()} for data in (made, others))
        assert first.keys() == other.keys()
        assert sum(first[name] == other[name] for name in first) == 1  # the installed one


def test_the_accent_kept_back_lends_no_phoneme_table(made: Path) -> None:
    for path in (made / "lang" / "gmw").iterdir():
        assert "phonemes en-sc" not in path.read_text()


def test_a_missing_installation_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accents, "_INSTALLED", ())
    monkeypatch.setattr(accents, "ESPEAK_DATA", tmp_path)
    with pytest.raises(FileNotFoundError, match="install the package espeak-ng"):
        accents.make_voices()


@pytest.mark.parametrize(
    ("kind", "engines"),
    [
        ("world", {"espeak", "flite", "festival", "pico", "rhvoice"}),
        ("crowd", {"espeak"}),
        ("people", {"flite", "pico", "rhvoice"}),
    ],
)
def test_no_voice_is_one_that_is_kept_back(kind: str, engines: set[str]) -> None:
    rng = random.Random(3)
    voices = [draw_voice(kind, rng) for _ in range(2000)]
    kept = {part for name in HELD_OUT_VOICES for part in name.split("+")} - {"en-us", "en", "f2"}
    assert kept == {"en-gb-scotland", "m7", "awb"}
    assert not kept & {part for voice in voices for part in voice.name.split("+")}
    assert {voice.engine for voice in voices} == engines


def test_flite_is_told_of_an_accent_in_its_own_phones(monkeypatch: pytest.MonkeyPatch) -> None:
    said = {"hello": ("hh", "ax", "l", "ow1"), "this": ("dh", "ih1", "s"), "hm": ()}
    monkeypatch.setattr(accents, "_flite_phones", lambda word: said[word])
    lexicons = [accents.flite_lexicon(["this", "hello", "hm", "hello"], accent) for accent in range(40)]
    assert lexicons[7] == accents.flite_lexicon(["hello", "this", "hm"], 7)
    assert len(set(lexicons)) > 10
    for lexicon in lexicons:
        heads, _, phones = zip(*(line.partition(" : ") for line in lexicon.splitlines()), strict=True)
        assert heads == ("hello 0", "this 0"), "what nothing is said for is left to flite"
        for phone in " ".join(phones).split():
            sound, vowel = phone.rstrip("01"), phone[-1] in "01"
            assert sound in FLITE_PHONES and phone != "ax1"
            assert vowel == (sound[0] in "aeiou"), "flite knows vowels with their stress only"


def test_a_person_speaks_in_an_accent_that_nobody_has() -> None:
    voice = Voice("flite", "slt", accent=3)
    try:
        usual = flite_say("Hello, is this the narrow world?", replace(voice, accent=None))
        other = flite_say("Hello, is this the narrow world?", voice)
    except OSError:
        pytest.skip("flite is not installed")
    assert [phone for _, phone in usual.phones] != [phone for _, phone in other.phones]
    assert UNKNOWN not in {phone for _, phone in other.phones}


def test_only_flites_voices_take_an_accent() -> None:
    rng = random.Random(2)
    voices = [foreign(voice, rng) for voice in (draw_voice("people", rng) for _ in range(50))]
    assert all((voice.accent is None) == (voice.engine != "flite") for voice in voices)
