"""Speak the sentences: every shard of the recipe becomes int16 audio, phone labels and a list of utterances.

A shard part is three files in the data folder: `NAME.pcm` (int16, 16 kHz, each utterance padded to whole frames of
320 samples), `NAME.phones` (one uint8 class a frame) and `NAME.jsonl` (one line an utterance).
"""

import json
import multiprocessing
import random
import shutil
import subprocess
import zlib
from typing import Any

import numpy as np

from models.training.accents import make_voices
from models.training.phones import PHONE_ID, SILENCE
from models.training.settings import DATA, recipe
from models.training.text import (
    PLAIN_WORDS,
    Sentence,
    all_sentences,
    common_word_salads,
    held_out,
    sentences_with_numbers,
)
from models.training.voices import OTHER_ENGINES, RATE, Espeak, Spoken, Voice, draw_voice, emphatic, foreign, say

FRAME = 320
"""Samples in one encoder frame (20 ms)."""
_MARGIN = 480


def sentences_for(shard: dict[str, Any]) -> list[Sentence]:
    """The training sentences a shard may draw from."""
    limit = shard.get("words", PLAIN_WORDS)
    chosen = [
        s
        for s in all_sentences()
        if s.source in shard["sources"]
        and s.rank < limit
        and len(s.text.split()) <= shard["longest"]
        and not held_out(s.text)
    ]
    if "words" in shard["sources"]:
        chosen += common_word_salads(shard["count"] // 8, seed=shard["seed"])
    if "numbers" in shard["sources"]:
        chosen += sentences_with_numbers(shard["count"], seed=shard["seed"])
    return chosen


def trimmed(spoken: Spoken) -> Spoken | None:
    """Cut silence off both ends (a short margin stays), level the peak, pad to whole frames; None when unusable."""
    loud = np.nonzero(np.abs(spoken.audio) > 1e-3)[0]
    if len(loud) < RATE // 4:
        return None
    first = max(0, int(loud[0]) - _MARGIN)
    audio = spoken.audio[first : int(loud[-1]) + _MARGIN]
    audio = np.pad(audio, (0, -len(audio) % FRAME)) * (0.7 / np.abs(audio).max())
    return Spoken(
        audio,
        [(max(0, at - first), phone) for at, phone in spoken.phones],
        [(position, min(max(0, at - first), len(audio))) for position, at in spoken.words],
    )


def phone_frames(spoken: Spoken) -> np.ndarray:
    """One phone class a frame, taken at the frame's middle."""
    frames = np.full(len(spoken.audio) // FRAME, PHONE_ID[SILENCE], np.uint8)
    for at, phone in spoken.phones:
        frames[max(0, round(at / FRAME - 0.5)) :] = phone
    return frames


def speak(espeak: Espeak, text: str, voice: Voice) -> Spoken | None:
    """One trimmed utterance; None when the synthesiser failed or said next to nothing."""
    try:
        return trimmed(say(espeak, text, voice))
    except (subprocess.SubprocessError, OSError):
        return None


def make_part(shard: dict[str, Any], part: int, parts: int) -> None:
    """Speak one part of a shard; finished files appear under their names only when complete."""
    name = f"{shard['name']}-{part}"
    if (DATA / f"{name}.jsonl").exists():
        return
    rng = random.Random(zlib.crc32(f"{shard['seed']} {name}".encode()))
    sentences, espeak, offset = sentences_for(shard), Espeak(make_voices(parts * shard.get("crowd", 0) + part)), 0
    order = list(range(len(sentences)))
    rng.shuffle(order)
    lines: list[str] = []
    with open(DATA / f"{name}.pcm", "wb") as pcm, open(DATA / f"{name}.phones", "wb") as phones:
        for i in range(shard["count"] // parts):
            sentence = sentences[order[(i * parts + part) % len(order)]]
            voice = draw_voice(shard["voices"], rng)
            if "emphasis" in shard and rng.random() < shard["emphasis"]:
                voice = emphatic(voice, rng)
            if "accents" in shard and rng.random() < shard["accents"]:
                voice = foreign(voice, rng)
            spoken = speak(espeak, sentence.spoken or sentence.text, voice)
            if spoken is None or len(spoken.audio) > RATE * 10:
                continue
            pcm.write((spoken.audio * 32767).astype("<i2").tobytes())
            phones.write(phone_frames(spoken).tobytes())
            lines.append(
                json.dumps(
                    {
                        "offset": offset,
                        "samples": len(spoken.audio),
                        "text": sentence.text,
                        "voice": voice.name,
                        "plain": sentence.plain,
                        "words": [] if sentence.spoken else spoken.words,
                    }
                )
            )
            offset += len(spoken.audio)
            if i % 2000 == 1999:
                print(f"{name}: {i + 1} utterances, {offset / RATE / 3600:.1f} h", flush=True)
    (DATA / f"{name}.partial").write_text("\n".join(lines) + "\n")
    (DATA / f"{name}.partial").rename(DATA / f"{name}.jsonl")
    print(f"{name}: done, {len(lines)} utterances, {offset / RATE / 3600:.2f} h", flush=True)


def main() -> None:
    """Speak every shard that is not there yet, in the recipe's order, on all cores."""
    DATA.mkdir(parents=True, exist_ok=True)
    for program, packages in OTHER_ENGINES.items():
        if not shutil.which(program):
            print(f"{program} is not installed (Debian: {packages}); its sentences are left out", flush=True)
    parts = recipe()["parts"]
    for shard in recipe()["shards"]:
        with multiprocessing.get_context("spawn").Pool(parts) as pool:
            pool.starmap(make_part, [(shard, part, parts) for part in range(parts)])


if __name__ == "__main__":
    main()
