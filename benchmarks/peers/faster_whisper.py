"""How long faster-whisper takes for the recordings that Galley transcribes: the same files, weights, precision and
number of threads, in turn in one run; medians, and ratios of medians.

faster-whisper has an environment of its own (here PEER), and its weights are converted once, by an environment that has
transformers, torch and ctranslate2 (here CONVERT); MODEL is a Whisper folder with model.safetensors:

    python3 -m venv PEER && PEER/bin/pip install faster-whisper
    CONVERT/bin/ct2-transformers-converter --model MODEL --output_dir CONVERTED \\
        --copy_files tokenizer.json preprocessor_config.json
    .venv/bin/python -m benchmarks.peers.faster_whisper FILE ... --peer PEER/bin/python --converted CONVERTED \\
        --target MODEL --precision int8 --language en --json figures.json

Both decode greedily (beam 1, temperature 0), without the text before as a prompt, and faster-whisper without its voice
activity detection. Reading the file counts for both. Each has one warm-up, which does not count. Galley's options are
those of `galley transcribe`; what it says of each drafter is explained in docs/devices.md.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

TOP = Path(__file__).resolve().parents[2]
PEER = "faster-whisper"
COMPUTE_TYPES = {"auto": "float32", "f32": "float32", "int8": "int8"}


def serve(converted: str, compute_type: str, threads: int, language: str) -> None:
    """The peer's side, in its own environment: a file's name in, its wall-clock seconds and its text out, as lines."""
    from faster_whisper import WhisperModel
    from faster_whisper.audio import decode_audio

    model = WhisperModel(converted, device="cpu", compute_type=compute_type, cpu_threads=threads)
    for line in sys.stdin:
        began = perf_counter()
        segments, _ = model.transcribe(
            decode_audio(json.loads(line)),
            language=None if language == "auto" else language,
            beam_size=1,
            temperature=0.0,
            condition_on_previous_text=False,
            vad_filter=False,
        )
        text = "".join(segment.text for segment in segments)  # they are transcribed while they are read
        print(json.dumps({"seconds": perf_counter() - began, "text": text.strip()}), flush=True)


class Peer:
    """faster-whisper in a process of its own."""

    def __init__(self, python: Path, *given: str) -> None:
        command = [str(python), "-m", "benchmarks.peers.faster_whisper", "--serve", *given]
        self._process = subprocess.Popen(command, cwd=TOP, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def transcribe(self, file: str) -> dict[str, Any]:
        """Its seconds and text."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps(str(Path(file).resolve())) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            sys.exit(f"{PEER} ended with {self._process.wait()}")
        found: dict[str, Any] = json.loads(line)
        return found

    def close(self) -> None:
        """End it."""
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()


def main() -> None:
    """Galley's side: both in turn."""
    from desktop_app.engine import arguments as model_options
    from desktop_app.measure import speed

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", type=Path, required=True, help="Python of the environment with faster-whisper")
    parser.add_argument("--converted", type=Path, required=True, help="the weights as CTranslate2 reads them")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    speed.add_arguments(parser)
    arguments = parser.parse_args()
    if arguments.precision not in COMPUTE_TYPES:
        parser.error(f"--precision must be one of {', '.join(COMPUTE_TYPES)}")
    bench = speed.Bench()
    if bench.read(arguments.files):
        sys.exit(1)
    bench.load(model_options.options(arguments))
    if not bench.threads:
        parser.error("--device must be the CPU")
    given = (str(arguments.converted.resolve()), COMPUTE_TYPES[arguments.precision], str(bench.threads))
    peer = Peer(arguments.peer, *given, arguments.language)
    seconds: list[float] = []
    try:
        bench.warm_up()
        texts = [peer.transcribe(file)["text"] for file in bench.files]
        for number in range(1, arguments.rounds + 1):
            print(f"Round {number} of {arguments.rounds}", file=sys.stderr)
            seconds.append(sum(peer.transcribe(file)["seconds"] for file in bench.files))
            bench.rounds.append({name: bench.all_files(name) for name in bench.names})
    finally:
        peer.close()
    figures = bench.figures()
    own = median(seconds)
    ratios = {name: own / found["wall"] for name, found in figures["drafters"].items()}
    print(f"{PEER} ({given[1]}, {bench.threads} threads): {own:.2f} s")
    for name, found in figures["drafters"].items():
        print(f"Galley, {name}: {found['wall']:.2f} s, {ratios[name]:.2f} × as fast as {PEER}")
    if arguments.json:
        figures["peer"] = {"name": PEER, "seconds": seconds, "texts": texts, "times_peer": ratios}
        arguments.json.write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    sys.exit(bench.compare())


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5])
    else:
        main()
