"""The environments of the peers and the weights as they read them, made once, below build/peers.

What is finished holds a file `made`, which says what it was made of; all else is made again. What pip has installed by
then is not installed twice.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TOP = Path(__file__).resolve().parents[2]
HOME = TOP / "build" / "peers"
CONSTRAINTS = Path(__file__).with_name("constraints.txt")
LIMIT = 1800.0
"""Seconds after which a peer's process is taken to hang."""

OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "TRANSFORMERS_VERBOSITY": "error"}

PACKAGES = {
    "faster-whisper": ("torch", "transformers", "faster-whisper"),
    "openvino-genai": ("openvino-genai", "numpy"),
    "optimum-intel": ("torch", "optimum-intel", "nncf", "openvino-tokenizers"),
}
"""What each environment holds besides what these packages ask for; CONTRIBUTING.md says why. torch comes first, so that
no package pulls another release of it.
"""


class FailedError(Exception):
    """A peer, or what it needs, could not be made or did not run; the text says why in one line."""


@dataclass(frozen=True)
class Format:
    """Weights as some peers read them: the adapter that converts them, and its environment."""

    adapter: str
    environment: str


FORMATS = {
    "ctranslate2": Format("faster_whisper", "faster-whisper"),
    "openvino": Format("optimum_intel", "optimum-intel"),
    "openai": Format("openai_whisper", ""),
}


def python(name: str) -> Path:
    """The interpreter of an environment, which is made if it is not there. Raises FailedError."""
    if not name:
        return Path(sys.executable)
    folder = HOME / name
    inside = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    packages = PACKAGES[name]
    content = f"{' '.join(packages)} {zlib.crc32(CONSTRAINTS.read_bytes()):08x}"
    if is_made(folder, content):
        return inside
    print(f"Installing {name} into {folder.relative_to(TOP)}, once", file=sys.stderr)
    if not inside.exists():
        venv.create(folder, with_pip=True, clear=True)
    for some in (packages[:1], packages):
        pip = ("-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--constraint", str(CONSTRAINTS))
        run([str(inside), *pip, *some])
    (folder / "made").write_text(content, "utf-8")
    return inside


def weights(target: Path, wanted: str, precision: str) -> Path:
    """The folder of a checkpoint's weights in one of the FORMATS; with "" the checkpoint itself. Raises FailedError."""
    if not wanted:
        return target
    folder = HOME / "weights" / f"{target.name}-{wanted}-{precision}"
    files = [(file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in sorted(target.glob("*.*"))]
    content = f"{target} {zlib.crc32(repr(files).encode()):08x} {zlib.crc32(CONSTRAINTS.read_bytes()):08x}"
    if is_made(folder, content):
        return folder
    form = FORMATS[wanted]
    interpreter = python(form.environment)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    print(f"Converting {target.name} for {wanted} in {precision}, once", file=sys.stderr)
    request = {"target": str(target), "weights": str(folder), "precision": precision}
    work(interpreter, form.adapter, "convert", request)
    (folder / "made").write_text(content, "utf-8")
    return folder


def is_made(folder: Path, content: str) -> bool:
    """Whether a folder was finished, of this content."""
    made = folder / "made"
    return made.is_file() and made.read_text("utf-8") == content


def work(interpreter: Path, adapter: str, what: str, request: dict[str, Any]) -> str:
    """The output of a peer's process. Raises FailedError."""
    return run([str(interpreter), "-m", "benchmarks.peers.work", adapter, what, json.dumps(request)])


def run(command: Sequence[str]) -> str:
    """The output of a command. Raises FailedError with the last line of what it complained about."""
    try:
        done = subprocess.run(
            command,
            cwd=TOP,
            env=os.environ | OFFLINE,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise FailedError(f"it took over {LIMIT / 60:.0f} minutes") from error
    except OSError as error:
        raise FailedError(str(error)) from error
    if done.returncode:
        complaint = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        raise FailedError(complaint[-1][:200] if complaint else f"it ended with {done.returncode}")
    return done.stdout
