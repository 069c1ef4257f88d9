"""What lies between a clean voice and a microphone, and what a microphone hears when nobody speaks.

`disturb` makes a recording in a room out of clean speech: a second voice's murmur, noise, echoes, a telephone's band, a
codec, the level. `non_speech` makes silence, noise, hum, clicks, tones and music. Everything is made of random
numbers and sines; no recording is used. Audio is float32 at 16 kHz; lengths never change and the direct sound is
never delayed, so labels in time stay right.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np

from models.training.voices import RATE

COLOURS = {"white": 0.0, "pink": 0.5, "brown": 1.0, "speech": 0.0}
"""Noises, and the power of the frequency that their amplitude falls by. "speech" has the shape of a crowd's voices."""
_DROWNING = {"white": 0.36, "pink": 0.28, "brown": 0.14, "speech": 0.22}
"""How often each noise drowns speech: most errors are made in the first two."""
_BANK = 1 << 20
_BLOCK = 15360
"""Transforms have whole multiples of this length: many small factors, so they are fast."""


def disturb(
    audio: np.ndarray,
    rng: np.random.Generator,
    strength: float,
    others: Sequence[np.ndarray] = (),
    faintest: float = 35.0,
) -> np.ndarray:
    """A new recording of `audio`; strength 0 leaves it as it is, 1 is a bad telephone line in a loud kitchen.

    `others` are voices to murmur in the background; without them pieces of `audio` itself do. The `faintest` noise lies
    so many dB below the speech.
    """
    level = speech_level(audio)
    if strength <= 0 or level < 1e-4:
        return audio
    changed = audio
    if rng.random() < 0.5 * strength:
        changed = through(changed, rng, echo=rng.random() < 0.7, telephone=rng.random() < 0.35, strength=strength)
    chance = rng.random()
    loudest = min(25 - 23 * strength, faintest - 1)
    ratio = rng.triangular(loudest, loudest, faintest)
    if chance < 0.5:
        changed = mixed(changed, noise(len(audio), rng), ratio, level)
    elif chance < 0.82:
        changed = mixed(changed, murmur(others or [audio], len(audio), rng), ratio + 2, level)
    elif chance < 0.87:
        changed = mixed(changed, music(len(audio), rng), ratio + 3, level)
    if rng.random() < 0.25 * strength:
        changed = coded(changed, rng)
    gain = 10 ** (rng.uniform(-25 * strength, 0) / 20)
    if rng.random() < 0.1 * strength:  # too loud for the microphone
        changed = np.clip(changed, -1.5 * level, 1.5 * level)
    return np.asarray(changed * np.float32(gain / max(1.0, float(np.abs(changed).max()))), np.float32)


def drowned(audio: np.ndarray, rng: np.random.Generator, others: Sequence[np.ndarray]) -> np.ndarray:
    """`audio` with noise or a murmur of `others`, as often one as the other, 4 to 16 dB below the speech; no room."""
    if rng.random() < 0.5:
        other = noise(len(audio), rng, str(rng.choice(list(_DROWNING), p=list(_DROWNING.values()))))
    else:
        other = murmur(others, len(audio), rng)
    changed = mixed(audio, other, rng.uniform(4, 16), speech_level(audio))
    return np.asarray(changed / np.float32(max(1.0, float(np.abs(changed).max()))), np.float32)


def non_speech(samples: int, rng: np.random.Generator) -> np.ndarray:
    """`samples` of something that nobody said, at a random level, often two things at a time."""
    kinds = ("silence", "noise", "hum", "clicks", "tones", "music", "wind")
    total = np.zeros(samples, np.float32)
    for kind in rng.choice(kinds, size=rng.integers(1, 3), replace=False, p=(0.1, 0.22, 0.1, 0.13, 0.15, 0.2, 0.1)):
        total += sound(str(kind), samples, rng) * np.float32(10 ** (rng.uniform(-55, -8) / 20))
    return total


def sound(kind: str, samples: int, rng: np.random.Generator) -> np.ndarray:
    """One kind of non-speech with a peak of about 1: a colour of COLOURS, or one that `non_speech` names."""
    if kind == "silence":
        return np.zeros(samples, np.float32)
    if kind == "noise" or kind in COLOURS:
        made = noise(samples, rng, None if kind == "noise" else kind)
    elif kind == "wind":
        made = noise(samples, rng, "brown") * swells(samples, rng)
    else:
        made = {"hum": hum, "clicks": clicks, "tones": tones, "music": music}[kind](samples, rng)
    return np.asarray(made / max(1e-6, float(np.abs(made).max())), np.float32)


def speech_level(audio: np.ndarray) -> float:
    """Root mean square of the frames of 20 ms that hold sound: at most 30 dB below the loudest."""
    frames = audio[: len(audio) // 320 * 320].reshape(-1, 320)
    powers = np.einsum("ij,ij->i", frames, frames) / 320
    if not len(powers) or powers.max() <= 0:
        return 0.0
    return float(np.sqrt(powers[powers > 1e-3 * powers.max()].mean()))


def mixed(audio: np.ndarray, other: np.ndarray, ratio: float, level: float | None = None) -> np.ndarray:
    """`audio` with `other` so loud that speech lies `ratio` dB above it (speech as `speech_level` measures it)."""
    loudness = float(np.sqrt(np.mean(other * other)))
    if loudness < 1e-6:
        return audio
    level = speech_level(audio) if level is None else level
    return audio + other * np.float32(level * 10 ** (-ratio / 20) / loudness)


@cache
def _noise_bank(colour: str) -> np.ndarray:
    """A minute of noise of one colour, from which pieces are cut."""
    rng = np.random.default_rng(len(colour))
    spectrum = np.fft.rfft(rng.standard_normal(_BANK, np.float32))
    hertz = np.fft.rfftfreq(_BANK, 1 / RATE)
    if colour == "speech":  # flat to 500 Hz, then 9 dB an octave down: the long-term spectrum of talkers
        shape = np.where(hertz < 80, 0.0, np.minimum(1.0, (np.maximum(hertz, 1) / 500) ** -1.5))
    else:
        shape = np.maximum(hertz, 20.0) ** -COLOURS[colour] * (hertz > 15)
    made = np.fft.irfft(spectrum * shape, _BANK).astype(np.float32)
    return made / made.std()


def noise(samples: int, rng: np.random.Generator, colour: str | None = None) -> np.ndarray:
    """A piece of noise of root mean square 1."""
    bank = _noise_bank(colour or str(rng.choice(list(COLOURS))))
    start = int(rng.integers(0, len(bank)))
    piece = np.take(bank, np.arange(start, start + samples), mode="wrap")
    return piece if rng.random() < 0.5 else -piece[::-1]


def swells(samples: int, rng: np.random.Generator) -> np.ndarray:
    """A slow curve between 0.1 and 1, two points a second."""
    points = rng.uniform(0.1, 1, 2 + samples // (RATE // 2))
    return np.interp(np.linspace(0, len(points) - 1, samples), np.arange(len(points)), points).astype(np.float32)


def murmur(speech: Sequence[np.ndarray], samples: int, rng: np.random.Generator, voices: int = 6) -> np.ndarray:
    """Several voices at a time, none to be understood: pieces of `speech`, shifted, half of them backwards."""
    total = np.zeros(samples, np.float32)
    for _ in range(voices):
        piece = speech[int(rng.integers(len(speech)))][:: rng.choice((-1, 1))]
        start = int(rng.integers(0, len(piece)))
        total += np.take(piece, np.arange(start, start + samples), mode="wrap") * np.float32(rng.uniform(0.3, 1))
    return total


def through(audio: np.ndarray, rng: np.random.Generator, echo: bool, telephone: bool, strength: float) -> np.ndarray:
    """One linear path: a microphone's tilt, perhaps a room's echoes, perhaps a telephone's 300 to 3,400 Hz."""
    length = -(-(len(audio) + (RATE if echo else 0)) // _BLOCK) * _BLOCK
    hertz = np.fft.rfftfreq(length, 1 / RATE).astype(np.float32)
    path = np.maximum(hertz, 50.0) ** np.float32(rng.uniform(-0.3, 0.3))
    if telephone:
        path *= 1 / (1 + (rng.uniform(200, 320) / np.maximum(hertz, 1)) ** 8)
        path *= 1 / (1 + (hertz / rng.uniform(3200, 3700)) ** 16)
    path /= path[(hertz > 400) & (hertz < 3000)].mean()
    spectrum = np.fft.rfft(audio, length) * path
    if echo:
        spectrum *= np.fft.rfft(room(rng, strength), length)
    return np.fft.irfft(spectrum, length)[: len(audio)].astype(np.float32)


def room(rng: np.random.Generator, strength: float) -> np.ndarray:
    """A room's response of at most a second: the direct sound, a few early echoes, a tail that dies away.

    The tail is noise under an exponential (Polack's model), which loses its high tones first.
    """
    decay = rng.uniform(0.15, 0.25 + 0.65 * strength)  # seconds until it is 60 dB quieter
    length = int(min(1.0, decay * 1.1) * RATE)
    seconds = np.arange(length, dtype=np.float32) / RATE
    tail = rng.standard_normal(length, np.float32) * np.exp(np.float32(-6.9 / decay) * seconds)
    tail[1:] += np.float32(0.7) * tail[:-1]
    tail[: int(rng.uniform(0.002, 0.01) * RATE)] = 0
    for _ in range(int(rng.integers(2, 8))):
        at = int(rng.uniform(0.001, 0.04) * RATE)
        tail[at] += rng.choice((-1, 1)) * rng.uniform(0.2, 1.0) * 8
    direct_above = rng.uniform(10 - 12 * strength, 18)  # dB, direct sound against all echoes
    tail *= np.float32(10 ** (-direct_above / 20) / np.sqrt(np.sum(tail * tail)))
    tail[0] = 1.0
    return tail


def coded(audio: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A lossy codec's damage: eight bits by the mu-law, or weak and high bins of the spectrum left out."""
    peak = max(1e-6, float(np.abs(audio).max()))
    if rng.random() < 0.3:
        compressed = np.sign(audio) * np.log1p(255 * np.abs(audio) / peak) / np.log(256)
        steps = np.round(compressed * 127) / 127
        return np.asarray(np.sign(steps) * (256 ** np.abs(steps) - 1) / 255 * peak, np.float32)
    size, half = 640, 320
    padded = np.pad(audio, (half, half + (-len(audio)) % half))
    window = np.sin(np.pi * (np.arange(size, dtype=np.float32) + 0.5) / size)
    blocks = np.lib.stride_tricks.sliding_window_view(padded, size)[::half] * window
    spectrum = np.fft.rfft(blocks)
    strength = np.abs(spectrum)
    kept = strength > rng.uniform(0.005, 0.06) * strength.max(-1, keepdims=True)
    kept[:, int(rng.uniform(3500, 8000) / (RATE / size)) :] = False
    blocks = np.fft.irfft(spectrum * kept).astype(np.float32) * window
    total = np.zeros(len(padded), np.float32)
    total[: half * len(blocks)] += blocks[:, :half].reshape(-1)
    total[half : half * (len(blocks) + 1)] += blocks[:, half:].reshape(-1)
    return total[half : half + len(audio)]


def hum(samples: int, rng: np.random.Generator) -> np.ndarray:
    """Mains or a motor: a low tone with overtones."""
    base = rng.choice((50.0, 60.0, rng.uniform(70, 180)))
    cycle = int(RATE / base)
    phase = np.arange(cycle) * (2 * np.pi / cycle)
    wave = sum(rng.uniform(0, 1) / k * np.sin(k * phase + rng.uniform(0, 6)) for k in range(1, 12))
    return np.resize(np.asarray(wave, np.float32), samples)


def clicks(samples: int, rng: np.random.Generator) -> np.ndarray:
    """Keys, knocks and taps: short bursts that ring out, at random or in rows."""
    total = np.zeros(samples, np.float32)
    count = max(1, int(samples / RATE * rng.uniform(0.3, 8)))
    places = rng.integers(0, samples, count) if rng.random() < 0.6 else np.linspace(0, samples - 1, count).astype(int)
    length = int(rng.uniform(0.003, 0.08) * RATE)
    seconds = np.arange(length) / RATE
    ring = np.exp(-seconds * 6 * RATE / length) * np.sin(2 * np.pi * rng.uniform(150, 4000) * seconds)
    ring += np.exp(-seconds * 9 * RATE / length) * rng.standard_normal(length) * rng.uniform(0, 1)
    for at in places:
        piece = ring[: samples - at]
        total[at : at + len(piece)] += piece * rng.uniform(0.3, 1)
    return total


def tones(samples: int, rng: np.random.Generator) -> np.ndarray:
    """Rings, beeps and whistles: one or two sines, steady, gliding or switched."""
    seconds = np.arange(samples) / RATE
    total = np.zeros(samples)
    for _ in range(int(rng.integers(1, 3))):
        glide = rng.uniform(-0.1, 0.1) if rng.random() < 0.3 else 0.0
        total += np.sin(2 * np.pi * rng.uniform(120, 3000) * seconds * (1 + glide * seconds / 2))
    if rng.random() < 0.6:
        period = rng.uniform(0.2, 3.0)
        total *= (seconds % period) < period * rng.uniform(0.2, 0.7)
    return total.astype(np.float32)


def music(samples: int, rng: np.random.Generator) -> np.ndarray:
    """Chords in fours, a bass, a tune and a drum, in a random key, tempo and timbre."""
    beat = int(60 / rng.uniform(70, 150) * RATE)
    scale = np.array((0, 2, 4, 5, 7, 9, 11) if rng.random() < 0.6 else (0, 2, 3, 5, 7, 8, 10))
    key = 110 * 2 ** (rng.integers(0, 12) / 12)
    overtones = rng.uniform(0.1, 1, 5) / np.arange(1, 6)
    decay = rng.uniform(0.5, 6)
    notes: dict[tuple[float, int], np.ndarray] = {}

    def note(step: int, octave: int, beats: int) -> np.ndarray:
        hertz = key * 2 ** ((scale[step % 7] + 12 * (step // 7)) / 12 + octave)
        if (hertz, beats) not in notes:
            seconds = np.arange(beat * beats, dtype=np.float32) / RATE
            phase = np.float32(2 * np.pi * hertz) * seconds
            wave = sum(np.float32(a) * np.sin(np.float32(k + 1) * phase) for k, a in enumerate(overtones))
            notes[hertz, beats] = wave * np.exp(-np.float32(decay) * seconds) * np.minimum(1, seconds * 100)
        return notes[hertz, beats]

    drum = rng.standard_normal(beat // 3, np.float32) * np.exp(-np.arange(beat // 3, dtype=np.float32) / (beat / 20))
    drums, tune = rng.random() < 0.6, rng.random() < 0.7
    total = np.zeros(samples + 4 * beat, np.float32)
    bars = rng.choice((0, 3, 4, 5), 4)
    for bar, at in enumerate(range(0, samples, 4 * beat)):
        root = int(bars[bar % 4])
        for step in (root, root + 2, root + 4):
            total[at : at + 4 * beat] += np.float32(0.5) * note(step, 1, 4)
        total[at : at + 4 * beat] += note(root, 0, 4)
        for i in range(4):
            place = slice(at + i * beat, at + (i + 1) * beat)
            if tune:
                total[place] += note(int(rng.integers(0, 10)), 2, 1)
            if drums:
                total[place][: len(drum)] += drum
    return total[:samples]
