"""Speak held-out sentences one after another and write down when each word is said: for `galley bench live`.

Needs espeak-ng and the sentences' sources (`make starter` installs both). Writes FOLDER/speech.flac and
FOLDER/speech.words.json: {"words": [[word, start, end], ...]}, in seconds. espeak-ng tells when a word begins; one
ends where the next begins, or where the sound before the next pause ends.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

import numpy as np
import soundfile

from models.training.sample import held_out_sentences
from models.training.synthesise import speak
from models.training.voices import RATE, Espeak, Spoken, draw_voice

PAUSES = (0.3, 1.5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=77)
    arguments = parser.parse_args()
    rng, espeak = random.Random(arguments.seed), Espeak()
    blocks, words, at = [np.zeros(RATE, np.float32)], [], RATE
    for sentence in held_out_sentences(arguments.seed, 4, 14):
        voice = draw_voice("clear", rng)
        if voice.engine != "espeak" or (spoken := speak(espeak, sentence.text, voice)) is None:
            continue  # flite does not tell where its words are
        if len(spoken.words) != len(sentence.text.split()):
            continue  # espeak-ng reads some as one
        words += [
            [word, round(at / RATE + start, 3), round(at / RATE + end, 3)]
            for word, start, end in timed(sentence.text, spoken)
        ]
        pause = np.zeros(int(rng.uniform(*PAUSES) * RATE), np.float32)
        blocks += [spoken.audio.astype(np.float32), pause]
        at += len(spoken.audio) + len(pause)
        if at >= arguments.minutes * 60 * RATE:
            break
    arguments.folder.mkdir(parents=True, exist_ok=True)
    audio = np.concatenate(blocks)
    audio += np.random.default_rng(arguments.seed).normal(size=len(audio)).astype(np.float32) * 3e-4  # a quiet room
    soundfile.write(arguments.folder / "speech.flac", audio, RATE, subtype="PCM_16")
    (arguments.folder / "speech.words.json").write_text(json.dumps({"words": words}) + "\n")
    print(f"{len(words)} words in {at / RATE / 60:.1f} minutes")


def timed(text: str, spoken: Spoken) -> list[tuple[str, float, float]]:
    """The words with their begin and end in seconds of the utterance."""
    loud = np.abs(spoken.audio) > 0.02
    found = []
    for i, (place, start) in enumerate(spoken.words):
        stop = spoken.words[i + 1][1] if i + 1 < len(spoken.words) else len(spoken.audio)
        sounding = np.flatnonzero(loud[start:stop])
        end = start + int(sounding[-1]) + 1 if len(sounding) else stop
        found.append((text[place:].split()[0], start / RATE, end / RATE))
    return found


if __name__ == "__main__":
    main()
