"""Measure an exported pair with Hugging Face's own Whisper: word error rate, and how often the draft is right.

Clips are padded to 30 s and decoded greedily with time tokens under Whisper's rules. The sentences are held out; the
voices are those trained on, or those kept back. Real recordings are measured where a folder with an `index.json`
(file, text, language, seconds) is given.
"""

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import jiwer
import numpy as np
import soundfile
import soxr
import torch
from transformers import WhisperFeatureExtractor, WhisperForConditionalGeneration

from models.training.sample import held_out_clips
from models.training.settings import STARTER, WORK, recipe
from models.training.tokenise import Tokens
from models.training.voices import RATE

BATCH = 10


@dataclass
class Heard:
    """One clip's result."""

    name: str
    said: str
    heard: str
    wer: float
    source: str = ""


def normalised(text: str) -> str:
    """Lower case, letters, digits and apostrophes only: what is compared."""
    return re.sub(r"[^a-z0-9' ]+", " ", text.lower().replace("\u2019", "'")).strip()


def word_error_rate(said: Sequence[str], heard: Sequence[str]) -> float:
    return float(jiwer.wer([normalised(text) for text in said], [normalised(text) for text in heard]))


class Pair:
    """Target and draft as transformers loads them."""

    def __init__(self, folder: Path) -> None:
        self.tokens = Tokens.load(folder / "tokenizer.json")
        self.features = WhisperFeatureExtractor.from_pretrained(folder)
        self.target = WhisperForConditionalGeneration.from_pretrained(folder, dtype=torch.float32).eval()
        self.draft = WhisperForConditionalGeneration.from_pretrained(folder / "draft", dtype=torch.float32).eval()

    @torch.inference_mode()
    def transcribe(self, clips: Sequence[np.ndarray]) -> Iterator[tuple[list[int], list[bool]]]:
        """For every clip (float32, 16 kHz, at most 30 s): the target's tokens, and at which the draft agrees."""
        for i in range(0, len(clips), BATCH):
            inputs = self.features(list(clips[i : i + BATCH]), sampling_rate=RATE, return_tensors="pt").input_features
            written = self.target.generate(
                inputs,
                return_timestamps=True,
                language="en",
                task="transcribe",
                num_beams=1,
                do_sample=False,
                max_new_tokens=200,
            )
            audio = self.target.model.encoder(inputs).last_hidden_state
            for row, heard in zip(written.tolist(), audio, strict=True):
                body = [token for token in row if token < self.tokens.end or token >= self.tokens.time0]
                line = torch.tensor([[*self.tokens.prefix, *body, self.tokens.end]])
                guesses = [
                    model(encoder_outputs=(heard[None],), decoder_input_ids=line[:, :-1]).logits.argmax(-1)[0, 2:]
                    for model in (self.target, self.draft)
                ]
                yield body, (guesses[0] == guesses[1]).tolist()


def measure(
    pair: Pair, clips: Sequence[np.ndarray], names: Sequence[str], texts: Sequence[str], sources: Sequence[str]
) -> dict[str, Any]:
    """Word error rate over all clips, the draft's acceptance over all positions, and every clip's text."""
    results, agreed = [], []
    for (body, agrees), name, text, source in zip(pair.transcribe(clips), names, texts, sources, strict=True):
        heard = pair.tokens.decode(body)
        results.append(Heard(name, text, heard, round(word_error_rate([text], [heard]), 3), source))
        agreed += agrees
    return {
        "clips": len(results),
        "wer": round(word_error_rate(texts, [result.heard for result in results]), 4),
        "acceptance": round(sum(agreed) / max(1, len(agreed)), 4),
        "results": [asdict(result) for result in results],
    }


def measure_voices(pair: Pair, count: int) -> dict[str, Any]:
    """Held-out plain sentences: `count` in known voices, half as many in held-out voices."""
    clips = list(held_out_clips(count, count // 2, seed=recipe()["evaluation_seed"]))
    found = {}
    for name, known in (("known voices", True), ("held-out voices", False)):
        chosen = [clip for clip in clips if clip.known == known]
        found[name] = measure(
            pair,
            [np.pad(c.audio, (RATE // 4, 0)) for c in chosen],
            [c.voice.name for c in chosen],
            [c.text for c in chosen],
            [c.source for c in chosen],
        )
    return found


def measure_real(pair: Pair, folder: Path) -> dict[str, Any]:
    """Real English recordings of at most 30 s that come with a text."""
    entries = [
        entry
        for entry in json.loads((folder / "index.json").read_text())
        if entry["language"] == "en"
        and entry["text"]
        and float(entry["seconds"]) <= 30
        and entry["file"].startswith("english/")
        and not entry["file"].endswith("m4a")
    ]
    clips = []
    for entry in entries:
        audio, rate = soundfile.read(folder / entry["file"], dtype="float32", always_2d=True)
        clips.append(soxr.resample(audio.mean(1), rate, RATE)[: 30 * RATE])
    names = [Path(entry["file"]).name for entry in entries]
    return measure(pair, clips, names, [entry["text"] for entry in entries], ["real"] * len(entries))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=STARTER)
    parser.add_argument("--clips", type=int, default=120, help="clips in known voices; half as many in held-out ones")
    parser.add_argument("--real", type=Path, help="a folder of real recordings with an index.json")
    arguments = parser.parse_args()
    torch.set_num_threads(recipe()["target"]["threads"])
    pair = Pair(arguments.folder)
    report = measure_voices(pair, arguments.clips)
    if arguments.real:
        report["real recordings"] = measure_real(pair, arguments.real)
    for name, found in report.items():
        print(f"{name}: {found['clips']} clips, WER {found['wer']:.1%}, acceptance {found['acceptance']:.1%}")
        for result in found["results"][: 12 if name != "real recordings" else None]:
            print(f"  {result['name']}: {result['wer']:.0%} | {result['said']} | {result['heard']}")
    WORK.mkdir(parents=True, exist_ok=True)
    (WORK / "evaluation.json").write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
