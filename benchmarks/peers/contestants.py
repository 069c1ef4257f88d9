"""Who is measured: Galley alone and with its draft, through its own command, and the peers. Each measurement is a
process of its own, from start to end.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from benchmarks.peers import environments

ALONE, WITH_DRAFT = "Galley alone", "Galley with draft"


@dataclass(frozen=True)
class Job:
    """What all transcribe: a `target` (folder) in a precision ("f32" or "int8"), language code, threads of the CPU;
    `draft` is what Galley's own is called, "auto" for the one that it chooses."""

    target: Path
    precision: str
    language: str
    threads: int
    draft: str = "auto"


@dataclass(frozen=True)
class Measured:
    """One transcription: seconds without loading and of the whole process, wall clock, and the text."""

    seconds: float
    with_loading: float
    text: str


Transcribe = Callable[[Path], Measured]
"""One WAVE file (16 kHz, mono, 16 bits). Raises environments.FailedError."""


@dataclass(frozen=True)
class Contestant:
    """`precision` is its own, which is not the job's where it has only one."""

    name: str
    precision: str
    transcribe: Transcribe


@dataclass(frozen=True)
class Peer:
    """Adapter (a module of this package), environment ("" for Galley's own), format of the weights ("" for the
    checkpoint itself), and whether it can compute with weights in int8.
    """

    adapter: str
    environment: str
    weights: str
    quantises: bool = True
    assisted: bool = False


PEERS = {
    "faster-whisper": Peer("faster_whisper", "faster-whisper", "ctranslate2"),
    "openai-whisper": Peer("openai_whisper", "", "openai", quantises=False),
    "openvino-genai": Peer("openvino_genai", "openvino-genai", "openvino"),
    "optimum-intel": Peer("optimum_intel", "optimum-intel", "openvino"),
    "transformers": Peer("transformers", "", "", quantises=False),
    "transformers assisted": Peer("transformers", "", "", quantises=False, assisted=True),
}
NAMES = (ALONE, WITH_DRAFT, *PEERS)


def contestant(name: str, job: Job, assistant: Path | None) -> Contestant:
    """One of NAMES, its environment and weights made ready. Raises environments.FailedError."""
    if name not in PEERS:
        draft = "off" if name == ALONE else job.draft
        return Contestant(name, job.precision, lambda file: _by_galley(job, draft, file))
    peer = PEERS[name]
    precision = job.precision if peer.quantises else "f32"
    if peer.assisted and assistant is None:
        raise environments.FailedError("it needs --assistant FOLDER, a smaller Whisper with the same tokenizer")
    interpreter = environments.python(peer.environment)
    folder = environments.weights(job.target, peer.weights, precision)
    request = {"weights": str(folder), "precision": precision, "threads": job.threads, "language": job.language}
    if peer.assisted:
        request["assistant"] = str(assistant)
    return Contestant(name, precision, lambda file: _by_peer(interpreter, peer.adapter, request, file))


def _by_peer(interpreter: Path, adapter: str, request: dict[str, object], file: Path) -> Measured:
    began = perf_counter()
    out = environments.work(interpreter, adapter, "transcribe", request | {"file": str(file)})
    whole = perf_counter() - began
    found = json.loads(out.splitlines()[-1])
    return Measured(found["seconds"], whole, found["text"])


def _by_galley(job: Job, draft: str, file: Path) -> Measured:
    """Its statistics count from opening the file, when the models are ready, to the end of the text."""
    with tempfile.TemporaryDirectory() as folder:
        stats = Path(folder) / "stats.json"
        given = ["--target", str(job.target), "--draft", draft, "--device", "cpu", "--precision", job.precision]
        given += ["--language", job.language, "--format", "json", "--stats", str(stats), str(file)]
        began = perf_counter()
        out = environments.run([sys.executable, "-m", "desktop_app", "transcribe", *given])
        whole = perf_counter() - began
        seconds = json.loads(stats.read_text("utf-8"))["total"]["wall_seconds"]
    text = " ".join(segment["text"].strip() for segment in json.loads(out)["segments"])
    return Measured(seconds, whole, text)
