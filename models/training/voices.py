"""The synthetic voices: espeak-ng in this process through its C interface, the other engines as commands."""

import ctypes
import random
import re
import subprocess
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import soundfile
import soxr

from models.training.accents import MADE_ACCENTS, MADE_VARIANTS, flite_lexicon
from models.training.phones import ESPEAK_PHONES, FLITE_PHONES, UNKNOWN

RATE = 16000
_WORD, _PHONEME = 1, 7
_ESPEAK_RATE, _ESPEAK_PITCH, _ESPEAK_MOVEMENT = 1, 3, 4
_ESPEAK_UTF8, _ESPEAK_SSML = 1, 0x10
_EMPHASIS, _AS_USUAL = '<emphasis level="strong">', "</emphasis>"


@dataclass(frozen=True)
class Voice:
    """How one utterance is spoken; `speed` is words a minute, `warp` stretches the spectrum (1 = as it is).

    `movement` is how far the pitch moves, from 0 to 100 (espeak-ng's and some of flite's voices). `emphasis` is the
    place of an emphasised word, from 0 (the first) to 1 (espeak-ng's voices); None where all are as usual. `accent` is
    the number of a made-up one (flite's voices); None for the voice's own.
    """

    engine: str
    name: str
    speed: int = 175
    pitch: int = 50
    warp: float = 1.0
    movement: int = 50
    emphasis: float | None = None
    accent: int | None = None


@dataclass
class Spoken:
    """`audio` float32 at 16 kHz; `phones` (sample, class) and `words` (character, sample) in order of time."""

    audio: np.ndarray
    phones: list[tuple[int, int]]
    words: list[tuple[int, int]]


class _EventId(ctypes.Union):
    _fields_ = [("number", ctypes.c_int), ("name", ctypes.c_char_p), ("string", ctypes.c_char * 8)]


class _Event(ctypes.Structure):
    _fields_ = [
        ("type", ctypes.c_int),
        ("unique_identifier", ctypes.c_uint),
        ("text_position", ctypes.c_int),
        ("length", ctypes.c_int),
        ("audio_position", ctypes.c_int),
        ("sample", ctypes.c_int),
        ("user_data", ctypes.c_void_p),
        ("id", _EventId),
    ]


_Callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.POINTER(_Event))


class Espeak:
    """espeak-ng's library, with the data in `folder` where one is given; one instance a process."""

    def __init__(self, folder: Path | None = None) -> None:
        self._library = ctypes.CDLL("libespeak-ng.so.1")
        self._rate: int = self._library.espeak_Initialize(2, 0, str(folder).encode() if folder else None, 1)
        self._blocks: list[bytes] = []
        self._events: list[tuple[int, int, int, str]] = []
        self._callback = _Callback(self._receive)
        self._library.espeak_SetSynthCallback(self._callback)

    def _receive(self, wav: "ctypes._Pointer[ctypes.c_short]", count: int, events: "ctypes._Pointer[_Event]") -> int:
        if wav and count:
            self._blocks.append(ctypes.string_at(wav, 2 * count))
        i = 0
        while events[i].type:
            name = bytes(events[i].id.string).decode(errors="replace") if events[i].type == _PHONEME else ""
            self._events.append((events[i].type, events[i].text_position, events[i].sample, name))
            i += 1
        return 0

    def say(self, text: str, voice: Voice) -> Spoken:
        self._blocks, self._events = [], []
        if self._library.espeak_SetVoiceByName(voice.name.encode()) != 0:
            raise ValueError(f"espeak-ng knows no voice {voice.name}")
        self._library.espeak_SetParameter(_ESPEAK_RATE, voice.speed, 0)
        self._library.espeak_SetParameter(_ESPEAK_PITCH, voice.pitch, 0)
        self._library.espeak_SetParameter(_ESPEAK_MOVEMENT, voice.movement, 0)
        first, last = (0, 0) if voice.emphasis is None else word_at(text, voice.emphasis)
        marked = text[:first] + _EMPHASIS + text[first:last] + _AS_USUAL + text[last:] if last else text
        encoded, flags = marked.encode(), _ESPEAK_UTF8 | (_ESPEAK_SSML if last else 0)
        self._library.espeak_Synth(encoded, len(encoded) + 1, 0, 1, 0, flags, None, None)
        scale = RATE / (self._rate * voice.warp)
        audio = np.frombuffer(b"".join(self._blocks), "<i2").astype(np.float32) / 32768
        audio = soxr.resample(audio, self._rate * voice.warp, RATE, quality="MQ")
        phones = [
            (round(at * scale), ESPEAK_PHONES.get(name, UNKNOWN))
            for kind, _, at, name in self._events
            if kind == _PHONEME
        ]
        begun = [(position - 1, at) for kind, position, at, _ in self._events if kind == _WORD]
        if last:  # positions count the marks
            opened, closed = first + len(_EMPHASIS), last + len(_EMPHASIS) + len(_AS_USUAL)
            begun = [
                (place - len(_EMPHASIS) * (place >= opened) - len(_AS_USUAL) * (place >= closed), at)
                for place, at in begun
            ]
        words = {(place, round(at * scale)) for place, at in begun if place < len(text)}
        return Spoken(audio, phones, sorted(words))


def word_at(text: str, place: float) -> tuple[int, int]:
    """Where the word at a place from 0 (the first) to 1 (the last) begins and ends; (0, 0) where text cannot be marked
    up."""
    words = [] if re.search("[&<>]", text) else [word.span() for word in re.finditer(r"[A-Za-z']+", text)]
    return words[min(int(place * len(words)), len(words) - 1)] if words else (0, 0)


def flite_say(text: str, voice: Voice) -> Spoken:
    """Speak with flite; it names its phones and their end times, words are not located."""
    stretch = 160 / voice.speed
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "speech.wav"
        command = ["flite", "-voice", voice.name, "--setf", f"duration_stretch={stretch:.3f}", "-psdur"]
        if voice.movement != 50:
            command += ["--setf", f"int_f0_target_stddev={0.3 * voice.movement:.1f}"]
        if voice.accent is not None:
            lexicon = Path(folder) / "lexicon.txt"
            lexicon.write_text(flite_lexicon(re.findall(r"[a-z]+", text.lower()), voice.accent))
            command += ["-add_lex", str(lexicon)]
        listing = subprocess.run([*command, "-t", text, "-o", str(path)], check=True, capture_output=True, timeout=20)
        audio, rate = soundfile.read(path, dtype="float32")
    audio = soxr.resample(audio, rate * voice.warp, RATE, quality="MQ")
    phones, start = [], 0.0
    for entry in listing.stdout.decode().split():
        name, _, end = entry.rpartition(":")
        phones.append((round(start * RATE / voice.warp), FLITE_PHONES.get(name, UNKNOWN)))
        start = float(end)
    return Spoken(audio, phones, [])


OTHER_ENGINES = {
    "text2wave": "festival festvox-kdlpc16k",
    "pico2wave": "libttspico-utils, in non-free",
    "RHVoice-test": "rhvoice rhvoice-english, in non-free",
}
"""Programs of voices that a shard of the `world` does without where they are missing, and their Debian packages."""


def command_say(text: str, voice: Voice) -> Spoken:
    """Speak with festival, pico or RHVoice; they name neither phones nor words, so nothing guides an attention."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "speech.wav"
        if voice.engine == "festival":
            command = ["text2wave", "-eval", f"(voice_{voice.name})", "-o", str(path)]
        elif voice.engine == "pico":
            tempo, tone = round(voice.speed / 1.6), 70 + round(0.6 * voice.pitch)
            marked = f'<pitch level="{tone}"><speed level="{tempo}">{text}</speed></pitch>'
            command = ["pico2wave", "-l", voice.name, "-w", str(path), marked]
        else:
            rate, tone = round(voice.speed / 1.7), 75 + voice.pitch // 2
            command = ["RHVoice-test", "-p", voice.name, "-r", str(rate), "-t", str(tone), "-o", str(path)]
        subprocess.run(command, check=True, capture_output=True, timeout=20, input=text.encode())
        audio, rate = soundfile.read(path, dtype="float32")
    audio = soxr.resample(audio, rate * voice.warp, RATE, quality="MQ")
    return Spoken(audio, [(0, UNKNOWN)], [])


def say(espeak: Espeak, text: str, voice: Voice) -> Spoken:
    """Speak with the voice's engine. Raises OSError or SubprocessError where the engine fails or is not installed."""
    if voice.engine == "espeak":
        return espeak.say(text, voice)
    return flite_say(text, voice) if voice.engine == "flite" else command_say(text, voice)


_CLEAR = [
    *["en-us", "en", "en-gb-x-rp"] * 3,
    *["en-us+f2", "en-us+f3", "en-us+m3", "en+m1", "en+f3", "en-gb-x-rp+f2", "en-us+m1"],
]
_ACCENTS = [
    "en-us",
    "en-us",
    "en-us",
    "en",
    "en",
    "en",
    "en-gb-x-rp",
    "en-029",
    "en-gb-x-gbclan",
    "en-gb-x-gbcwmd",
    "en-us-nyc",
]
_VARIANTS = """m1 m2 m3 m4 m5 m6 m8 f1 f2 f3 f4 f5 Alex Alicia Andrea Andy Annie Denis Diogo Gene Gene2 Henrique Hugo
Jacky Lee Marco Mario Michael Mike Mr_serious Nguyen adam anika announcer antonio aunty belinda benjamin boris caleb
david ed edward edward2 gustave iven iven2 john linda marcelo max michel miguel norbert pablo paul pedro quincy rob
robert sandro shelby steph steph2 travis victor zac klatt klatt2""".split()
HELD_OUT_VOICES = ("en-gb-scotland", "en-us+m7", "en+m7", "en-gb-scotland+f2", "awb")
"""Never trained on: the accent `en-gb-scotland`, the variant `+m7` with any accent, and flite's `awb`."""

HELD_OUT_SPEAKERS = (
    *("m7", "Alicia", "announcer", "boris", "edward", "f5", "klatt2", "linda", "Nguyen", "pablo", "robert", "shelby"),
    *("zac", "en-gb-scotland", "awb"),
)
"""Variants, accents and voices that the speaker network never hears in its training, whatever they are joined with."""
_SPEAKER_VARIANTS = """AnxiousAndy RicishayMax RicishayMax2 RicishayMax3 Storm croak grandma grandpa iven3 iven4
kaukovalta klatt3 klatt4 klatt5 klatt6 robosoft robosoft2 robosoft3 robosoft4 robosoft5 robosoft6 robosoft7 robosoft8
steph3""".split()
"""Odder variants: too odd to learn words from, but people differ by as much."""
_SPEAKER_ACCENTS = (*dict.fromkeys(_ACCENTS), "de", "fr", "es", "it", "sv", "pl")
ACCENTS_OF_PERSONS = 400
_WARPS = (0.88, 0.92, 0.96, 1.0, 1.04, 1.08, 1.12)
_PITCHES = (25, 35, 45, 55, 65, 75)


def speakers(count: int, seed: int) -> list[Voice]:
    """`count` different speakers to train on: engine, accent, variant, pitch and spectral warp make one."""
    rng = random.Random(seed)
    found = [Voice("flite", name, warp=warp) for name in ("slt", "rms", "kal16") for warp in _WARPS]
    variants = ["", *(v for v in (*_VARIANTS, *_SPEAKER_VARIANTS) if v not in HELD_OUT_SPEAKERS)]
    everyone = [
        Voice("espeak", accent + ("+" + variant if variant else ""), pitch=pitch, warp=warp)
        for accent in _SPEAKER_ACCENTS
        for variant in variants
        for pitch in _PITCHES
        for warp in _WARPS
    ]
    return [*found, *rng.sample(everyone, count - len(found))]


def held_out_speakers() -> list[Voice]:
    """The speakers kept back: every held-out variant with an accent in turn, the held-out accent, flite's `awb`."""
    accents = ("en-us", "en", "en-gb-x-rp")
    variants = [name for name in HELD_OUT_SPEAKERS if name not in ("awb", "en-gb-scotland")]
    joined = [f"{accents[i % len(accents)]}+{variant}" for i, variant in enumerate(variants)]
    scottish = ["en-gb-scotland", "en-gb-scotland+f2", "en-gb-scotland+m3", "en-gb-scotland+grandma"]
    return [*(Voice("espeak", name) for name in (*joined, *scottish)), Voice("flite", "awb")]


def draw_voice(kind: str, rng: random.Random) -> Voice:
    """A voice of a recipe's set: `clear` (few, slow to middling), `wide` (all of espeak-ng and flite that may be
    trained on), `world` (other engines and made-up accents and speakers as well), `crowd` (made-up ones alone),
    `people` (the engines that were made from recordings of persons, as throats of every size) or `held-out`.
    """
    if kind == "held-out":
        name = rng.choice(HELD_OUT_VOICES)
        return Voice("flite" if name == "awb" else "espeak", name, rng.randint(140, 180))
    if kind == "world" and rng.random() < 0.75:
        return _world(rng)
    if kind == "crowd":
        return _made_up(rng, 0.9)
    if kind == "people":
        return _person(rng)
    wide = kind in ("wide", "world")
    if rng.random() < 0.15:
        warp = rng.uniform(0.92, 1.08) if wide and rng.random() < 0.5 else 1.0
        return Voice("flite", rng.choice(["slt", "rms", "kal16"]), rng.randint(130, 180), warp=warp)
    if rng.random() < 0.2:  # as the command line speaks when nothing is asked for
        return Voice("espeak", rng.choice(["en-us", "en", "en-gb-x-rp"]))
    if not wide:
        return Voice("espeak", rng.choice(_CLEAR), rng.randint(140, 175), rng.randint(40, 60))
    name = rng.choice(_ACCENTS) + rng.choice(["", "+" + rng.choice(_VARIANTS), "+" + rng.choice(_VARIANTS)])
    warp = rng.uniform(0.92, 1.08) if rng.random() < 0.3 else 1.0
    return Voice("espeak", name, rng.randint(125, 195), rng.randint(25, 75), warp)


def emphatic(voice: Voice, rng: random.Random) -> Voice:
    """The voice monotonous or lively, with emphasis on some word."""
    return replace(voice, movement=rng.randint(0, 100), emphasis=rng.random())


def foreign(voice: Voice, rng: random.Random) -> Voice:
    """The voice in an accent that nobody has, where it is flite's."""
    return replace(voice, accent=rng.randrange(ACCENTS_OF_PERSONS)) if voice.engine == "flite" else voice


def _person(rng: random.Random) -> Voice:
    """A recorded person's voice, mostly flite's, which speaks fastest."""
    speed, pitch = rng.randint(125, 190), rng.randint(25, 75)
    warp = rng.uniform(0.88, 1.14) if rng.random() < 0.75 else 1.0
    chance = rng.random()
    if chance < 0.6:
        return Voice("flite", rng.choice(["slt", "slt", "rms", "rms", "kal16"]), speed, warp=warp)
    if chance < 0.84:
        return Voice("rhvoice", rng.choice(["bdl", "clb"]), speed, pitch, warp)
    return Voice("pico", rng.choice(["en-GB", "en-US"]), speed, pitch, warp)


def _world(rng: random.Random) -> Voice:
    """A voice of another engine, or one that nobody has."""
    speed, pitch = rng.randint(125, 190), rng.randint(25, 75)
    warp = rng.uniform(0.92, 1.08) if rng.random() < 0.4 else 1.0
    chance = rng.random()
    if chance < 0.24:
        return Voice("rhvoice", rng.choice(["bdl", "clb"]), speed, pitch, warp)
    if chance < 0.40:
        return Voice("pico", rng.choice(["en-GB", "en-US"]), speed, pitch, warp)
    if chance < 0.41:
        return Voice("festival", "ked_diphone", warp=warp)
    if chance < 0.55:
        return Voice("flite", rng.choice(["slt", "rms", "kal16"]), speed, warp=warp)
    return _made_up(rng, 0.7)


def _made_up(rng: random.Random, share: float) -> Voice:
    """An accent and a variant of espeak-ng, each made up by a chance of `share`."""
    accent = rng.choice(MADE_ACCENTS if rng.random() < share else _ACCENTS)
    variant = rng.choice(MADE_VARIANTS if rng.random() < share else _VARIANTS)
    warp = rng.uniform(0.92, 1.08) if rng.random() < 0.4 else 1.0
    return Voice("espeak", f"{accent}+{variant}", rng.randint(125, 190), rng.randint(25, 75), warp)
