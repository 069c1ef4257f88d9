"""The `galley` command with a small pair, as a person or a script calls it."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

from desktop_app import resources
from desktop_app.app.presentation import problems, stages, wording
from desktop_app.export.json_format import read_json
from desktop_app.problems import Problem
from desktop_app.texts import _
from desktop_app.transcript.model import Models, Transcript
from desktop_app.transcript.statistics import Statistics
from tests.command import GALLEY
from tests.random_models import real_tiny
from tests.small_pair import NAME, NOTICE
from tests.waiting import Within

TESTS = Path(__file__).resolve().parents[1]
SAMPLE = resources.path("resources", "sample", "conversation.flac")
CLIPS = sorted((TESTS / "data").rglob("*.flac"))


def galley(*arguments: str | Path, **options: object) -> subprocess.CompletedProcess[str]:
    """Run the command to its end."""
    run = [*GALLEY, *map(str, arguments)]
    return subprocess.run(run, capture_output=True, text=True, cwd=TESTS.parent, **options)


def begin(*arguments: str | Path) -> subprocess.Popen[str]:
    """Start the command in a process group of its own, as a shell does."""
    run = [*GALLEY, *map(str, arguments)]
    pipe = subprocess.PIPE
    return subprocess.Popen(run, stdout=pipe, stderr=pipe, text=True, cwd=TESTS.parent, start_new_session=True)


Results = dict[str, Transcript]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory, make_home: Callable[[], Path]) -> tuple[Results, Results]:
    """The sample and some clips, once with the draft and once without; `tests/parity` takes all of them. Nothing is
    known yet of how fast the draft is, else it might begin disabled."""
    clips, environment = CLIPS[::6], os.environ | {"GALLEY_HOME": str(make_home())}

    def transcripts(draft: str) -> Results:
        folder = tmp_path_factory.mktemp(draft)
        options = ["--draft", draft, "--format", "json", "--output", folder]
        done = galley("transcribe", *options, SAMPLE, *clips, env=environment)
        assert done.returncode == 0, done.stderr
        assert done.stdout == ""
        found = [read_json(file.read_text(encoding="utf-8")) for file in folder.iterdir()]
        assert len(found) == len(clips) + 1
        return {transcript.path: transcript for transcript in found}

    return transcripts("auto"), transcripts("off")


def total(results: Results, name: str) -> int:
    return sum(getattr(transcript.stats, name) for transcript in results.values())


def test_the_text_is_the_targets_own_token_for_token(results: tuple[Results, Results]) -> None:
    drafted, alone = results
    assert drafted.keys() == alone.keys()
    for path, transcript in alone.items():
        mine = [segment.tokens for segment in drafted[path].segments]
        assert mine == [segment.tokens for segment in transcript.segments], path
    assert sum(len(transcript.segments) for transcript in alone.values()) > len(alone)


def test_the_target_alone_takes_a_pass_for_each_token(results: tuple[Results, Results]) -> None:
    alone = results[1]
    for transcript in alone.values():
        assert (transcript.models.draft, transcript.models.drafter) == ("", "off")
        assert (transcript.stats.drafted, transcript.stats.compared, transcript.stats.accepted) == (0, 0, 0)
        assert transcript.stats.target_passes >= transcript.stats.tokens


def test_the_draft_is_accepted_and_saves_passes(results: tuple[Results, Results]) -> None:
    """Also where this computer is faster without the draft, which is then left out for most of the text."""
    drafted, alone = results
    assert 0 < total(drafted, "accepted") <= total(drafted, "compared")
    assert total(drafted, "target_passes") < total(alone, "target_passes")


def test_text_streams_to_standard_output_and_what_writes_it_is_named_on_standard_error() -> None:
    process = begin("transcribe", SAMPLE)
    assert process.stdout is not None
    first = process.stdout.readline()
    still_at_work = process.poll() is None
    rest, err = process.communicate()
    assert first.strip()
    assert rest.strip()
    assert still_at_work
    assert process.returncode == 0
    named, notice = err.splitlines()
    assert re.fullmatch(wording.models_in_use(Models(NAME, ".+", "model", "CPU", "f32")), named)
    assert NOTICE in notice


def test_what_is_piped_in_becomes_the_text_of_its_file(home: Path) -> None:
    with CLIPS[0].open("rb") as sound:
        piped = galley("transcribe", "-", stdin=sound)
    assert (piped.returncode, piped.stdout) == (0, galley("transcribe", CLIPS[0]).stdout)
    assert piped.stdout
    assert not (home / "data" / "piped").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="a pseudo-terminal stands for the user's")
def test_progress_is_shown_on_a_terminal_and_never_mixed_into_the_text() -> None:
    here, there = os.openpty()
    run = [*GALLEY, "transcribe", str(CLIPS[0])]
    process = subprocess.Popen(run, stdout=subprocess.PIPE, stderr=there, text=True, cwd=TESTS.parent)
    os.close(there)
    shown = b""
    with contextlib.suppress(OSError):  # the end of a pseudo-terminal
        while some := os.read(here, 65_536):
            shown += some
    os.close(here)
    out = process.communicate()[0]
    assert process.returncode == 0
    assert "\x1b" not in out
    loading = (stages.describe("loading", name=NAME), stages.describe("loading_on", name=NAME, device="CPU"))
    assert any(stage.encode() in shown for stage in loading)  # the first may be over before it is drawn
    assert CLIPS[0].name.encode() in shown


def test_a_reader_that_has_enough_is_no_error() -> None:
    process = begin("transcribe", SAMPLE, SAMPLE)
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline()
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert process.wait(60) in (0, 1)
    assert "Traceback" not in err
    assert len(err.splitlines()) == 2  # what writes, and the notice


@pytest.mark.parametrize(
    ("number", "after_text", "status"),
    [(signal.SIGINT, True, 130), (signal.SIGINT, False, 130), (signal.SIGTERM, True, 143), (signal.SIGHUP, True, 129)],
)
def test_a_signal_keeps_what_is_finished_and_says_so(
    number: int, after_text: bool, status: int, within: Within
) -> None:
    """Ctrl-C, a shutdown and a closed window send it to the engine, too."""
    process = begin("transcribe", SAMPLE, SAMPLE)
    assert process.stdout is not None and process.stderr is not None
    (process.stdout if after_text else process.stderr).readline()  # what writes is named before the text
    os.killpg(process.pid, number)
    with within(3.0):
        err = process.communicate()[1]
    assert process.returncode == status
    assert "Traceback" not in err
    if after_text:
        assert _("Interrupted. Transcribed files: {done} of {total}", done=0, total=2) in err


def test_figures_and_any_file_name(tmp_path: Path) -> None:
    odd = tmp_path / "año nuevo 100%.flac"
    shutil.copy(CLIPS[0], odd)
    out, figures = tmp_path / "out", tmp_path / "figures.json"
    done = galley("transcribe", "--format", "srt", "--output", out, "--stats", figures, odd)
    assert done.returncode == 0, done.stderr
    assert (out / "año nuevo 100%.srt").read_text(encoding="utf-8").startswith("1\n00:00:0")
    found = json.loads(figures.read_text(encoding="utf-8"))
    stats = found["files"][0]["stats"]
    assert set(Statistics.__dataclass_fields__) <= set(stats)
    assert stats["target_passes"] > 0
    assert found["total"]["tokens"] == stats["tokens"]


def test_a_folder_with_the_shape_of_a_real_model(tmp_path: Path) -> None:
    """Random weights, the real tiny model's layers and its 51,865 tokens."""
    target = real_tiny(tmp_path / "real-tiny")
    noise = tmp_path / "noise.wav"
    soundfile.write(noise, np.random.default_rng(0).standard_normal(32_000) / 10, 16_000)
    done = galley("transcribe", "--target", target, "--language", "ak", "--no-guard", "--format", "json", noise)
    assert done.returncode == 0, done.stderr
    transcript = read_json(done.stdout)
    assert transcript.models.target == "real-tiny"
    assert transcript.stats.tokens > 0


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--target", "nobody"], Problem("model.unknown", name="nobody", names="base")),
        (["--draft", "nobody"], Problem("model.unknown", name="nobody", names="base")),
        (["--language", "xx"], Problem("model.language", model=NAME, language="xx")),
        (["--batch", "2"], Problem("model.batch_device")),
        (["--batch", "2", "--device", "cuda", "--condition"], Problem("model.batch_condition")),
    ],
)
def test_without_a_usable_model_the_status_is_3(arguments: list[str], problem: Problem) -> None:
    done = galley("transcribe", *arguments, CLIPS[0], CLIPS[1])
    assert (done.returncode, done.stdout) == (3, "")
    assert f"galley: {problems.describe(problem)[0]}" in done.stderr


def test_the_commands_process_never_loads_a_model_runtime() -> None:
    program = (
        "import sys; from desktop_app.__main__ import main; main();"
        "sys.stderr.write(repr(sorted({'openvino', 'torch', 'av', 'numpy', 'PySide6'} & set(sys.modules))))"
    )
    run = [sys.executable, "-c", program, "transcribe", str(CLIPS[0])]
    done = subprocess.run(run, capture_output=True, text=True, cwd=TESTS.parent)
    assert done.stdout.strip()
    assert done.stderr.splitlines()[-1] == "[]"


def test_devices() -> None:
    done = galley("devices")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(_("Compute devices:") + "\n  cpu")
    assert "\n" + _("Audio inputs:") + "\n" in done.stdout


def test_doctor() -> None:
    done = galley("doctor")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    works = _("The bundled model works: {models} ({seconds} s)", models="|", seconds="").partition("|")[0]
    assert re.search(rf"{works}\S+ .*CPU", done.stdout)
    assert _("OpenVINO device {name}: {full_name}", name="CPU", full_name="") in done.stdout
    assert _("PROBLEM") not in done.stdout


def test_doctor_names_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    done = galley("doctor", env={**os.environ, "GALLEY_HOME": str(tmp_path / "file")})
    assert done.returncode == 3
    (line,) = [line for line in done.stdout.splitlines() if line.startswith(_("PROBLEM"))]
    folder, error = tmp_path / "file" / "data", os.strerror(errno.ENOTDIR)
    said = _("{folder} cannot be written ({error}).", folder=folder, error=error)
    assert line.endswith(f"  {said} {_('Change its permissions, or free some space.')}")
