"""Make the sample conversation (`resources/sample/`) and the short held-out clips (`tests/data/clips/`)."""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import soundfile

from models.training.settings import REPOSITORY, recipe
from models.training.synthesise import speak
from models.training.text import Sentence, all_sentences, held_out, words_of
from models.training.voices import RATE, Espeak, Voice, draw_voice

SPEAKERS = {
    "ARTHUR": Voice("espeak", "en", speed=150, pitch=40),
    "ROSE": Voice("flite", "slt", speed=150),
}
CONVERSATION = """
ARTHUR: Good morning, Rose. Did you have a quiet night?
ROSE: Yes, thank you. The new bed is very soft.
ARTHUR: I am glad to hear that. Would you like some toast and tea?
ROSE: Tea would be lovely, but no toast for me, please.
ARTHUR: The weather looks fine. We could walk down to the river after breakfast.
ROSE: That is a good plan. What time does your train go?
ARTHUR: It leaves at half past three, so there is no hurry.
ROSE: Then we can have lunch at the little place near the bridge.
ARTHUR: They make very good soup there. I went with my brother in March.
ROSE: How is your brother? I have not seen him for a long time.
ARTHUR: He is well. He bought a small house by the sea.
ROSE: Does he still play the piano every evening?
ARTHUR: He does, and now he teaches two children from next door.
ROSE: How nice. Please tell him that I asked about him.
ARTHUR: I will call him tonight when I get home.
ROSE: Let me find my coat, and then we can go.
"""
KNOWN_CLIPS, STRANGE_CLIPS = 20, 10


@dataclass(frozen=True)
class Clip:
    """A held-out sentence spoken by a voice that was trained on (`known`) or kept back."""

    text: str
    voice: Voice
    known: bool
    source: str
    audio: np.ndarray


def held_out_sentences(seed: int, shortest: int = 5, longest: int = 10) -> list[Sentence]:
    """Plain held-out sentences in random order: two of WordNet's examples for one of the grammar."""
    rng = random.Random(seed)
    kept = [s for s in all_sentences() if s.plain and held_out(s.text)]
    chosen = [s for s in kept if shortest <= len(words_of(s.text)) <= longest]
    written = [s for s in chosen if s.source == "wordnet"]
    made = [s for s in chosen if s.source == "grammar"]
    rng.shuffle(written)
    rng.shuffle(made)
    return [s for i, pair in enumerate(zip(written[::2], written[1::2], strict=False)) for s in (*pair, made[i])]


def held_out_clips(known: int, strange: int, seed: int) -> Iterator[Clip]:
    """`known` clips in the clear training voices, then `strange` ones in voices never trained on."""
    rng, espeak = random.Random(seed), Espeak()
    sentences = iter(held_out_sentences(seed))
    for i in range(known + strange):
        kind = "clear" if i < known else "held-out"
        clip = None
        while clip is None:
            sentence, voice = next(sentences), draw_voice(kind, rng)
            spoken = speak(espeak, sentence.text, voice)
            if spoken is not None and 1.4 < len(spoken.audio) / RATE < 6:
                clip = Clip(sentence.text, voice, i < known, sentence.source, spoken.audio.astype(np.float32))
        yield clip


def write_clips() -> None:
    folder = REPOSITORY / "tests" / "data" / "clips"
    folder.mkdir(parents=True, exist_ok=True)
    listing = []
    for i, clip in enumerate(held_out_clips(KNOWN_CLIPS, STRANGE_CLIPS, recipe()["clips_seed"])):
        audio = np.pad(clip.audio, (RATE // 4, RATE // 2))
        name = f"{i:02d}.flac"
        soundfile.write(folder / name, audio, RATE, subtype="PCM_16")
        listing.append(
            {
                "file": name,
                "text": clip.text,
                "voice": clip.voice.name,
                "known": clip.known,
                "seconds": round(len(audio) / RATE, 2),
            }
        )
    (folder / "clips.json").write_text(json.dumps(listing, indent=1) + "\n")
    print(f"{len(listing)} clips in {folder.relative_to(REPOSITORY)}")


def write_conversation() -> None:
    """The turns one after another with pauses; where each turn lies is known exactly."""
    folder = REPOSITORY / "resources" / "sample"
    folder.mkdir(parents=True, exist_ok=True)
    trained = {" ".join(words_of(s.text)) for s in all_sentences() if not held_out(s.text)}
    rng, espeak = random.Random(recipe()["clips_seed"]), Espeak()
    blocks, turns, at = [np.zeros(RATE // 2, np.float32)], [], RATE // 2
    for line in CONVERSATION.strip().splitlines():
        name, _, text = line.partition(": ")
        sentences = [part.strip() for part in text.replace("?", "?|").replace(".", ".|").split("|") if part.strip()]
        if known := [sentence for sentence in sentences if " ".join(words_of(sentence)) in trained]:
            raise ValueError(f"the conversation holds sentences that are trained on: {known}")
        spoken = speak(espeak, text, SPEAKERS[name])
        if spoken is None:
            raise RuntimeError(f"nothing was spoken for {text}")
        start, length = at / RATE, len(spoken.audio) / RATE
        turns.append(f"SPEAKER conversation 1 {start:.3f} {length:.3f} <NA> <NA> {name} <NA> <NA>")
        pause = np.zeros(int(rng.uniform(0.3, 0.8) * RATE), np.float32)
        blocks += [spoken.audio.astype(np.float32), pause]
        at += len(spoken.audio) + len(pause)
    soundfile.write(folder / "conversation.flac", np.concatenate(blocks), RATE, subtype="PCM_16")
    (folder / "conversation.txt").write_text(CONVERSATION.strip() + "\n")
    (folder / "conversation.rttm").write_text("\n".join(turns) + "\n")
    print(f"a conversation of {at / RATE:.1f} s in {folder.relative_to(REPOSITORY)}")


def main() -> None:
    write_clips()
    write_conversation()


if __name__ == "__main__":
    main()
