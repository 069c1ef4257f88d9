"""`--device cuda` where there is no CUDA device, through the real engine; torch never enters the command's process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import soundfile

from desktop_app.texts import _
from tests.random_models import toy

PROGRAM = (
    "import sys; from desktop_app import cli; status = cli.main(sys.argv[1:]);"
    "print(sorted({'openvino', 'torch'} & set(sys.modules))); sys.exit(status)"
)


def galley(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The command, and behind its output the model runtimes that its own process has loaded."""
    run = [sys.executable, "-c", PROGRAM, *arguments]
    hidden = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    top = Path(__file__).resolve().parents[2]
    return subprocess.run(run, capture_output=True, text=True, cwd=top, env=hidden)


def test_one_sentence_says_what_is_missing_and_what_there_is(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "talk.wav", np.zeros(16_000, np.float32), 16_000)
    model = toy(tmp_path / "model")
    done = galley("transcribe", "--device", "cuda", "--target", str(model), str(tmp_path / "talk.wav"))
    assert (done.returncode, done.stdout) == (3, "[]\n")
    (line,) = done.stderr.splitlines()
    assert line.startswith("galley: PyTorch 2") and "CUDA" in line
    assert line.endswith(_("Choose another device, such as cpu."))


def test_looking_for_devices_loads_no_runtime_here() -> None:
    done = galley("devices")
    assert done.returncode == 0
    assert done.stdout.endswith("[]\n")
    assert "cuda" not in done.stdout
