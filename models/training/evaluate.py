"""Measure an exported pair as Galley runs it, on held-out sentences: `python -m models.training.evaluate`.

Word error rates in known and held-out voices, in noise and murmur, in full windows of 30 s; what is written where
nobody speaks; how much of the draft is accepted; where lines end; real recordings one by one. One window a clip,
greedy, with time tokens; words are compared in lower case without punctuation.
"""

import argparse
import json
import re
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import jiwer
import numpy as np
import soundfile
import soxr

from models.training import rooms
from models.training.listening import LOOK_AHEAD, Counts, Listener, Said, early_exit
from models.training.sample import Clip, held_out_clips
from models.training.settings import STARTER, WORK, recipe
from models.training.voices import RATE

NOISE_RATIO = 10.0
"""Decibels that speech lies above noise or murmur."""
END_WITHIN = 0.2
FULL_WINDOWS = 12
BEFORE = RATE // 4
"""Silence before a clip, in samples."""


@dataclass
class Heard:
    """One clip's result."""

    name: str
    said: str
    heard: str
    wer: float
    source: str = ""


@dataclass(frozen=True)
class Example:
    """A clip, what is said in it, and where its lines end (seconds), if that is known."""

    name: str
    text: str
    source: str
    audio: np.ndarray
    ends: tuple[float, ...] = ()


def normalised(text: str) -> str:
    """Lower case, letters, digits and apostrophes only: what is compared."""
    return re.sub(r"[^a-z0-9' ]+", " ", text.lower().replace("\u2019", "'")).strip()


def word_error_rate(said: Sequence[str], heard: Sequence[str]) -> float:
    return float(jiwer.wer([normalised(text) for text in said], [normalised(text) for text in heard]))


def examples(clips: Sequence[Clip]) -> list[Example]:
    """Each clip behind a quarter of a second of silence."""
    return [
        Example(c.voice.name, c.text, c.source, np.pad(c.audio, (BEFORE, 0)), ((BEFORE + len(c.audio)) / RATE,))
        for c in clips
    ]


def in_noise(clean: Sequence[Example], kind: str) -> list[Example]:
    """The same clips 10 dB above noise of all colours in turn, or above six other voices at a time."""
    rng, colours, found = np.random.default_rng(recipe()["evaluation_seed"]), list(rooms.COLOURS), []
    for i, example in enumerate(clean):
        samples = len(example.audio)
        if kind == "noise":
            other = rooms.noise(samples, rng, colours[i % len(colours)])
        else:
            voices = [clean[(i + 1 + k) % len(clean)].audio[BEFORE:] for k in range(6)]
            other = np.sum([np.resize(np.roll(v, int(rng.integers(len(v)))), samples) for v in voices], axis=0)
        audio = rooms.mixed(example.audio, other.astype(np.float32), NOISE_RATIO)
        audio = audio / np.float32(max(1.0, float(np.abs(audio).max())))
        found.append(Example(example.name, example.text, example.source, audio, example.ends))
    return found


def full_windows(clips: Sequence[Clip], count: int) -> list[Example]:
    """Windows of up to 30 s with one clip after another, pauses between them."""
    rng, found, at = np.random.default_rng(recipe()["evaluation_seed"]), [], 0
    while len(found) < count and at < len(clips):
        parts, ends, texts, length = [np.zeros(RATE // 2, np.float32)], [], [], RATE // 2
        while at < len(clips) and length + len(clips[at].audio) < 29 * RATE:
            pause = np.zeros(int(rng.uniform(0.3, 1.2) * RATE), np.float32)
            parts += [clips[at].audio, pause]
            ends.append((length + len(clips[at].audio)) / RATE)
            texts.append(clips[at].text)
            length += len(clips[at].audio) + len(pause)
            at += 1
        audio = np.concatenate(parts)[: 30 * RATE]
        found.append(Example(f"window {len(found) + 1}", " ".join(texts), "window", audio, tuple(ends)))
    return found


def silences() -> list[Example]:
    """Twenty clips in which nobody speaks: every kind that `rooms` makes, of 4 to 30 s, loud and soft."""
    rng, found = np.random.default_rng(recipe()["evaluation_seed"]), []
    kinds = ("silence", "white", "pink", "brown", "speech", "hum", "clicks", "tones", "wind", "music")
    for round_, (seconds, decibels) in enumerate(((6, -12), (30, -30))):
        for kind in kinds:
            audio = rooms.sound(kind, seconds * RATE, rng) * np.float32(10 ** (decibels / 20))
            found.append(Example(f"{kind}, {seconds} s", "", f"round {round_}", audio))
    return found


def real(folder: Path) -> list[Example]:
    """Real English recordings of at most 30 s that come with a text."""
    found = []
    for entry in json.loads((folder / "index.json").read_text()):
        name = entry["file"]
        if entry["language"] != "en" or not entry["text"] or float(entry["seconds"]) > 30:
            continue
        if not name.startswith("english/") or name.endswith("m4a"):
            continue
        audio, rate = soundfile.read(folder / name, dtype="float32", always_2d=True)
        audio = soxr.resample(audio.mean(1), rate, RATE)[: 30 * RATE]
        found.append(Example(Path(name).name, entry["text"], "real", audio))
    return found


def measure(listener: Listener, clips: Sequence[Example], draft: str | None = "draft") -> dict[str, Any]:
    """Word error rate over all clips, the draft's figures, the share of lines that end where they should."""
    said = listener.hear([clip.audio for clip in clips], draft)
    counts = Counts([each.figures for each in said])
    results = [
        Heard(clip.name, clip.text, each.text, round(word_error_rate([clip.text], [each.text]), 3), clip.source)
        for clip, each in zip(clips, said, strict=True)
    ]
    found = {
        "clips": len(clips),
        "wer": round(word_error_rate([clip.text for clip in clips], [each.text for each in said]), 4),
        "acceptance": round(counts.acceptance, 4),
        "tokens_per_pass": round(counts.tokens_per_pass, 3),
    }
    if all(clip.ends for clip in clips):
        found["ends"] = round(ends_in_place(clips, said), 4)
    return found | {"results": [asdict(result) for result in results]}


def ends_in_place(clips: Sequence[Example], said: Sequence[Said]) -> float:
    """The share of true ends of lines that have a written end within 0.2 s."""
    near = [
        any(abs(end - written) <= END_WITHIN for written in each.ends)
        for clip, each in zip(clips, said, strict=True)
        for end in clip.ends
    ]
    return sum(near) / max(1, len(near))


def measure_silences(listener: Listener) -> dict[str, Any]:
    """On how many clips without speech something was written."""
    clips = silences()
    texts = [each.text for each in listener.hear([clip.audio for clip in clips], "draft")]
    results = [{"name": clip.name, "heard": text} for clip, text in zip(clips, texts, strict=True)]
    return {"clips": len(clips), "written": sum(map(bool, texts)), "results": results}


def evaluate(folder: Path, count: int, recordings: Path | None) -> dict[str, Any]:
    """The whole report: `count` clips in known voices, half as many in held-out ones and in noise."""
    clips = list(held_out_clips(count, count // 2, seed=recipe()["evaluation_seed"]))
    known = [clip for clip in clips if clip.known]
    clean = examples(known)
    sets = {
        "known voices": clean,
        "held-out voices": examples([clip for clip in clips if not clip.known]),
        "10 dB above noise": in_noise(clean[: count // 2], "noise"),
        "10 dB above murmur": in_noise(clean[: count // 2], "murmur"),
        "full windows": full_windows(known, FULL_WINDOWS),
    }
    if recordings:
        sets["real recordings"] = real(recordings)
    with tempfile.TemporaryDirectory() as scratch:
        half = json.loads((folder / "config.json").read_text())["decoder_layers"] // 2
        shallow = early_exit(folder, half, Path(scratch))
        listener = Listener(folder, {"draft": folder / "draft", "early exit": shallow})
        report: dict[str, Any] = {name: measure(listener, chosen) for name, chosen in sets.items()}
        exit_ = measure(listener, clean[: count // 2], "early exit")
    report["early exit"] = {key: exit_[key] for key in ("clips", "acceptance", "tokens_per_pass")} | {"layers": half}
    report["non-speech"] = measure_silences(listener)
    speakers = folder / "speakers.json"
    if speakers.exists():
        report["speakers"] = json.loads(speakers.read_text())["measured"]
    return report


def summary(report: dict[str, Any]) -> list[str]:
    """A line a set, for the terminal."""
    lines = []
    for name, found in report.items():
        if "wer" in found:
            ends = f", ends within {END_WITHIN} s {found['ends']:.1%}" if "ends" in found else ""
            lines.append(
                f"{name}: {found['clips']} clips, WER {found['wer']:.1%}, acceptance {found['acceptance']:.1%}, "
                f"{found['tokens_per_pass']:.2f} tokens a pass{ends}"
            )
    early, silent = report["early exit"], report["non-speech"]
    lines.append(f"early exit after {early['layers']} layers: acceptance {early['acceptance']:.1%}")
    lines.append(f"non-speech: text on {silent['written']} of {silent['clips']} clips")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=STARTER)
    parser.add_argument("--clips", type=int, default=100, help="clips in known voices; half as many in the other sets")
    parser.add_argument("--real", type=Path, help="a folder of real recordings with an index.json")
    parser.add_argument("--show", action="store_true", help="print every text that went wrong")
    arguments = parser.parse_args()
    began = time.monotonic()
    report = evaluate(arguments.folder, arguments.clips, arguments.real)
    print(f"look-ahead {LOOK_AHEAD}; measured in {time.monotonic() - began:.0f} s")
    print("\n".join(summary(report)))
    for name, found in report.items() if arguments.show else ():
        for result in found.get("results", ()):
            if result.get("wer", result["heard"]):
                print(f"{name}, {result['name']}: {result.get('said', '')} | {result['heard']}")
    WORK.mkdir(parents=True, exist_ok=True)
    (WORK / "evaluation.json").write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
