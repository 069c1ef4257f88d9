"""What a draft is worth on real speech: `python -m benchmarks.draft FOLDER`.

First every recording of the folder alone, with a fixed look-ahead: how many of the tokens that the target compared were
accepted, and how many tokens a pass of it writes; with the draft's model, and with its CTC head if it has one. Then
some minutes of them joined to one file, as a person would hand it over: `galley transcribe` with the draft and without,
in turn, the whole command and the transcription in it, and whether both texts are the same, token for token.
`--record` writes the figures of Whisper base on the recordings of `read`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from time import perf_counter

import soundfile

from benchmarks.figures import records
from benchmarks.joined import join
from desktop_app.audio.spectrogram import Spectrogram
from desktop_app.decoding import drafters, longform
from desktop_app.decoding.ctc import CtcDrafter
from desktop_app.decoding.lookahead import LookAhead
from desktop_app.measure.recordings import audio_of, recordings
from desktop_app.messages.options import Options
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.settings import Settings
from desktop_app.transcript.statistics import Counter
from desktop_app.worker.loaded_models import ModelCache, Pair


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    add = parser.add_argument
    add("folder", type=Path)
    add("--target", default="", metavar="NAME|FOLDER")
    add("--draft", default="auto", metavar="NAME|FOLDER")
    add("--precision", default="auto")
    add("--language", default="en")
    add("--look-ahead", type=int, default=4, help="tokens drafted a round, alone (default: %(default)s)")
    add(
        "--unsure",
        type=float,
        nargs="*",
        help="limits below which drafting stops, to compare (default: the one in use)",
    )
    add("--clips", type=int, default=0, help="at most so many recordings alone (default: all)")
    add("--seconds", type=float, default=300.0, help="of them joined (default: %(default)s); 0 leaves that out")
    add("--rounds", type=int, default=3, help="of both commands in turn (default: %(default)s)")
    records.add_argument(parser)
    options = parser.parse_args()
    files = recordings(options.folder)
    alone = files[: options.clips or None]
    pair = ModelCache().pair(_options(options), lambda stage, **values: None)
    for unsure in options.unsure or [drafters.UNSURE]:
        drafters.UNSURE = unsure
        ahead = LookAhead(options.look_ahead, options.look_ahead)
        _acceptance(pair, alone, options, ahead, f"unsure below {unsure:g}", "layers")
    if isinstance(pair.drafter(), CtcDrafter):
        ahead = LookAhead(options.look_ahead, options.look_ahead, head_alone=True)
        _acceptance(pair, alone, options, ahead, "its head alone", "head")
    if options.seconds:
        _in_turn(files, options)
    return 0


def _options(options: argparse.Namespace) -> Options:
    return Options(options.target, draft=options.draft, precision=options.precision, language=options.language)


def _acceptance(
    pair: Pair, files: Sequence[Path], options: argparse.Namespace, ahead: LookAhead, what: str, part: str
) -> None:
    """Each file by itself, with as many tokens drafted in every round by a `part` of the draft."""
    counter, began = Counter(), perf_counter()
    for file in files:
        samples = audio_of(file)
        longform.transcribe(
            iter([samples]),
            Spectrogram([samples], pair.mel_bins).features,
            replace(pair.setup(), look_ahead=ahead),
            longform.DecodingListener(),
            Settings(options.language),
            counter,
        )
    total = counter.total
    print(
        f"{len(files)} recordings, {pair.described().draft}, look-ahead {options.look_ahead}, {what}: "
        f"{total.acceptance:.3f} of {total.compared} compared tokens accepted, "
        f"{total.tokens_per_pass:.2f} tokens a pass; encoder {total.encode_seconds:.1f} s, "
        f"draft {total.draft_seconds:.1f} s, target {total.verify_seconds:.1f} s of {perf_counter() - began:.1f} s",
        flush=True,
    )
    if options.record is not None:
        claim = f"{part}: share accepted / tokens a pass, {options.precision}"
        records.record("draft", claim, (total.acceptance, total.tokens_per_pass), note=options.record)


def _in_turn(files: Sequence[Path], options: argparse.Namespace) -> None:
    """The command with the draft and without, one after the other, so that a busy machine slows both."""
    with tempfile.TemporaryDirectory() as folder:
        joined = Path(folder) / "joined.flac"
        samples, _ = join(files, options.seconds)
        soundfile.write(joined, samples, SAMPLE_RATE)
        seconds = len(samples) / SAMPLE_RATE
        times: dict[str, list[tuple[float, float]]] = {options.draft: [], "off": []}
        tokens = {}
        for turn in range(options.rounds + 1):
            for draft, found in times.items():
                whole, inner, tokens[draft] = _command(joined, draft, options, Path(folder))
                if turn:  # the first compiles the models
                    found.append((whole, inner))
    with_it, without = ([median(column) for column in zip(*found, strict=True)] for found in times.values())
    same = "the same text" if tokens[options.draft] == tokens["off"] else "ANOTHER TEXT"
    print(
        f"{seconds:.0f} s joined, medians of {options.rounds}: the whole command {with_it[0]:.2f} s with the draft, "
        f"{without[0]:.2f} s without, ratio {with_it[0] / without[0]:.3f}; transcription alone {with_it[1]:.2f} and "
        f"{without[1]:.2f} s, ratio {with_it[1] / without[1]:.3f}; {same}",
        flush=True,
    )
    if options.record is not None:
        claim = f"whole command, with / without, {options.precision}"
        records.record("draft", claim, with_it[0] / without[0], note=options.record)


def _command(file: Path, draft: str, options: argparse.Namespace, folder: Path) -> tuple[float, float, list[int]]:
    """Seconds of the whole command and of the transcription in it, and the tokens."""
    chosen = ["--target", options.target] if options.target else []
    stats = folder / "stats.json"
    command = [sys.executable, "-m", "desktop_app", "transcribe", str(file), *chosen, "--draft", draft]
    command += ["--precision", options.precision, "--language", options.language, "--format", "json"]
    began = perf_counter()
    done = subprocess.run([*command, "--stats", str(stats)], capture_output=True, text=True, check=True)
    whole = perf_counter() - began
    tokens = [token for segment in json.loads(done.stdout)["segments"] for token in segment["tokens"]]
    return whole, json.loads(stats.read_text(encoding="utf-8"))["total"]["wall_seconds"], tokens


if __name__ == "__main__":
    sys.exit(main())
