"""Galley beside other programs that run Whisper: the same recording, weights, precision, language and threads, in turn;
medians, with loading and without, and word error rates.

    python -m benchmarks.peers RECORDING|FOLDER [--assistant FOLDER] [--precision int8|f32] [--rounds 5]

`make bench-peers FILE=...` does the same. Of a folder with reference texts (an index.json in it or above it, or
LibriSpeech's layout) about five minutes are joined. All decode greedily: one beam, temperature 0 without fallback, with
timestamps, without the text before as a prompt. What other programs need is installed below build/peers (2 GB, once),
and the weights are converted there; what is finished stays. Each measurement is a process of its own. "Without
loading" counts from opening the file, "with loading" the whole process. Who cannot be installed or fails is named in a
line, and the others go on.

transformers computes in f32 in any case. Its assisted decoding needs an assistant that has an encoder of its own and
the target's tokenizer, whisper-tiny for base, and works on windows of 30 s without timestamps.
"""

from __future__ import annotations

import argparse
import json
import sys
import wave
from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov

from benchmarks.figures import records
from benchmarks.joined import recording
from benchmarks.machine import machine
from benchmarks.peers import environments, plot, rounds
from benchmarks.peers.contestants import ALONE, NAMES, WITH_DRAFT, Contestant, Job, Measured, contestant
from desktop_app import atomic
from desktop_app.app.presentation import problems
from desktop_app.checkpoints import installed
from desktop_app.decoding.audio_window import Samples
from desktop_app.problems import Problem
from desktop_app.transcript.constants import SAMPLE_RATE, WINDOW_SECONDS


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("file", type=Path, metavar="RECORDING|FOLDER", help="what is transcribed")
    add("--target", type=Path, default=installed.bundled(), help="Whisper folder (default: the model Galley ships)")
    add("--draft", default="auto", help="the name of a draft that was made for it (default: the one Galley chooses)")
    add("--assistant", type=Path, help="Whisper folder that assists transformers; without one that is left out")
    add("--precision", default="int8", choices=("int8", "f32"), help="default: %(default)s")
    add("--language", help="code of the language (default: the folder's, or else en)")
    add("--rounds", type=int, default=5, help="default: %(default)s")
    add("--seconds", type=float, default=300.0, help="that are joined of a folder (default: %(default)s)")
    add("--only", nargs="+", default=NAMES, choices=NAMES, metavar="NAME", help=f"of {', '.join(NAMES)}")
    add("--json", type=Path, help="figures, beside which the plot is written (default: below build/peers)")
    add("--resume", action="store_true", help="keep the rounds that are in the figures, and add those that are missing")
    records.add_argument(parser)
    options = parser.parse_args()
    environments.HOME.mkdir(parents=True, exist_ok=True)
    try:
        samples, reference, language = recording(options.file, options.seconds)
    except Problem as problem:
        print(f"{options.file}: {problems.sentence(problem)}", file=sys.stderr)
        return 1
    language = options.language or language or "en"
    job = Job(options.target.resolve(), options.precision, language, threads(), options.draft)
    assistant = options.assistant.resolve() if options.assistant else None
    where = options.json or environments.HOME / f"{options.file.stem}-{options.precision}.json"
    setup = {
        "recording": options.file.name,
        "seconds": len(samples) / SAMPLE_RATE,
        "reference_words": len(reference.split()),
        "target": job.target.name,
        "draft": job.draft,
        "assistant": assistant.name if assistant else None,
        "precision": job.precision,
        "language": job.language,
        "threads": job.threads,
        "machine": machine(),
    }
    kept = earlier(where, setup) if options.resume else {}
    done: rounds.Rounds = {name: [Measured(**each) for each in found["rounds"]] for name, found in kept.items()}
    precisions = {name: found["precision"] for name, found in kept.items()}
    ready: list[Contestant] = []
    for name in options.only:
        try:
            ready.append(contestant(name, job, assistant))
        except environments.FailedError as error:
            rounds.complain(name, error)
    precisions |= {each.name: each.precision for each in ready}

    def figures() -> dict[str, dict[str, Any]]:
        ordered = {name: done[name] for name in NAMES if name in done}
        return rounds.figures(ordered, reference, language, precisions)

    def save() -> None:
        text = json.dumps({"setup": setup, "contestants": figures()}, indent=1, ensure_ascii=False)
        atomic.write(where, text + "\n")

    file, first = (environments.HOME / f"{name}.wav" for name in ("recording", "first"))
    write_wave(file, samples)
    write_wave(first, samples[: SAMPLE_RATE * WINDOW_SECONDS])
    try:
        rounds.measure(ready, file, first, options.rounds, done, save)
    except KeyboardInterrupt:
        print("Interrupted. What was measured is kept; --resume goes on from there.", file=sys.stderr)
    if not done:
        print("Nothing could be measured.", file=sys.stderr)
        return 1
    found = figures()
    title = f"{setup['recording']}, {setup['seconds'] / 60:.1f} min, {setup['target']} in {job.precision}"
    print(f"{title}, {setup['machine']['processor']}, {job.threads} threads")
    print("Medians; in the last two columns how many times as fast as the peer Galley is, without loading:")
    print("\n".join(rounds.lines(found)))
    plot.write(where.with_suffix(".png"), found, title)
    print(f"{where}, {where.with_suffix('.png')}")
    if options.record is not None:
        model = "" if options.target == installed.bundled() else f"{job.target.name}: "
        command = (
            f"python -m benchmarks.peers {options.file.name} --precision {job.precision} --rounds {options.rounds} "
            f"--seconds {options.seconds:g}"
        )
        record(found, setup, model, command, options.record)
    return 0


RATIOS = {
    "int8 with draft against alone": "≥ 1.45",
    "int8 against faster-whisper int8": "≥ 1.6 / 1.15",
    "f32 against faster-whisper f32": "≥ 1.4 / –",
    "int8 against openai-whisper f32": "",
    "f32 against openai-whisper f32": "",
    "int8 against openvino-genai int8": "≥ 1.5 / –",
    "int8 against optimum-intel int8": "≥ 1.5 / –",
    "int8 against transformers f32": "≥ 3 / –",
    "int8 against transformers assisted f32": "≥ 4 / –",
}
"""How many times as fast Galley is, with its draft and alone, where that is recorded, with the goals; the others follow
from the speeds.
"""


def record(found: dict[str, dict[str, Any]], setup: dict[str, Any], model: str, command: str, note: str) -> None:
    """Write the figures: how fast each is, in multiples of real time, and the RATIOS."""
    precision = setup["precision"]
    speeds = {name: setup["seconds"] / each["seconds"] for name, each in found.items()}
    claims: dict[str, float | tuple[float, float]] = {}
    if {ALONE, WITH_DRAFT} <= speeds.keys():
        with_draft, alone = speeds[WITH_DRAFT], speeds[ALONE]
        claims[f"Galley {precision}, with draft / alone"] = (with_draft, alone)
        claims[f"{precision} with draft against alone"] = with_draft / alone
    for name in (each for each in found if each not in (ALONE, WITH_DRAFT)):
        own, times = found[name]["precision"], found[name]["times_as_fast"]
        claims[f"{name} {own}"] = speeds[name]
        if {ALONE, WITH_DRAFT} <= times.keys():
            claims[f"{precision} against {name} {own}"] = (times[WITH_DRAFT], times[ALONE])
    for claim, values in claims.items():
        if claim in RATIOS or "against" not in claim:
            records.record(
                "peers",
                f"{model}{claim}",
                values,
                goal=RATIOS.get(claim, ""),
                note=note,
                command=command,
            )


def write_wave(file: Path, samples: Samples) -> None:
    """16 bits, mono, 16 kHz: what every contestant reads without a library."""
    with wave.open(str(file), "wb") as audio:
        audio.setnchannels(1)
        audio.setsampwidth(2)
        audio.setframerate(SAMPLE_RATE)
        audio.writeframes((np.clip(samples, -1, 1) * 32767).round().astype("<i2").tobytes())


def threads() -> int:
    """As many as OpenVINO takes for one request, which is what Galley computes with."""
    value = ov.opset13.parameter([1], np.float32)
    request = {"PERFORMANCE_HINT": "LATENCY"}
    compiled = ov.Core().compile_model(ov.Model([ov.opset13.relu(value)], [value]), "CPU", request)
    return int(compiled.get_property("INFERENCE_NUM_THREADS"))


def earlier(where: Path, setup: dict[str, Any]) -> dict[str, Any]:
    """The contestants of earlier figures, if those are of the same setup; else none, which is said."""
    if not where.is_file():
        return {}
    found = json.loads(where.read_text("utf-8"))
    if found["setup"] != setup:
        print(f"{where} is of another setup; all rounds are measured.", file=sys.stderr)
        return {}
    contestants: dict[str, Any] = found["contestants"]
    return contestants


if __name__ == "__main__":
    sys.exit(main())
