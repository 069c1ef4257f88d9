"""`galley doctor` says each problem with its remedy, and only what stops a transcription is a failure."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace

import pytest

from desktop_app import cli
from desktop_app.app.presentation.problems import sentence
from desktop_app.app.system import doctor as checks
from desktop_app.audio.microphone import Input
from desktop_app.checkpoints import installed
from desktop_app.cli import doctor, window
from desktop_app.engine import probe
from desktop_app.messages.questions import (
    AudioInputs,
    CudaDevices,
    InferenceDevices,
    Question,
    Trial,
    TrialRun,
    TryBundled,
    TryDevice,
)
from desktop_app.problems import Problem
from desktop_app.runtimes import openvino_place
from desktop_app.transcript.model import Models
from desktop_app.transcript.statistics import Statistics
from desktop_app.worker import trial
from tests.small_pair import NAME, SMALL_PAIR

MICROPHONE = Input("a", "Microphone", "ALSA", 1, 48_000, is_default=True, is_system=False)
SPEAKERS = Input("b", "Monitor of Speakers", "PipeWire", 2, 48_000, is_default=False, is_system=True)
Questions = Mapping[Callable[[], object], object]
MODELS = Models("base", "own", "model", "CPU", "f32")
WELL: Questions = {
    InferenceDevices(): [("CPU", "A fine processor")],
    CudaDevices(): ([], ""),
    TryBundled(): (MODELS, 1.0),
    AudioInputs(): ([MICROPHONE, SPEAKERS], None),
    doctor.open_window: "offscreen",
}


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Callable[[Questions], None]:
    """Let `probe.ask` answer as if all were well, but for the questions that are given; a text is a failure."""

    def set_answers(other: Questions) -> None:
        def ask(question: Question | Callable[[], object], seconds: float = 0.0) -> object:
            answer = {**WELL, **other}[question]
            if isinstance(answer, Problem):
                raise answer
            return answer

        monkeypatch.setattr(probe, "ask", ask)

    set_answers({})
    return set_answers


def lines(capsys: pytest.CaptureFixture[str], mark: str) -> list[str]:
    return [line for line in capsys.readouterr().out.splitlines() if line.startswith(mark)]


def test_all_is_well(answers: Callable[[Questions], None], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert "PROBLEM" not in out
    assert "note" not in out
    assert "OpenVINO device CPU: A fine processor" in out


@pytest.mark.parametrize(
    ("question", "output"),
    [
        (InferenceDevices(), "OpenVINO does not work: The system's libraries failed. Install Galley again."),
        (TryBundled(), "The bundled model does not work: The system's libraries failed. Install Galley again."),
    ],
)
def test_what_stops_a_transcription_is_a_problem(
    answers: Callable[[Questions], None],
    capsys: pytest.CaptureFixture[str],
    question: Callable[[], object],
    output: str,
) -> None:
    answers({question: Problem("engine.libraries")})
    assert cli.main(["doctor"]) == 3
    (line,) = lines(capsys, "PROBLEM")
    assert line.endswith(output)


def test_window_and_microphone_are_notes(
    answers: Callable[[Questions], None], capsys: pytest.CaptureFixture[str]
) -> None:
    gone = Problem("engine.libraries")
    answers({AudioInputs(): gone, doctor.open_window: gone})
    assert cli.main(["doctor"]) == 0
    first, second = lines(capsys, "note")
    assert "libxcb-cursor0" in second
    assert (
        first
        == "note     No microphone can be used: The system's libraries failed. Files can be transcribed without one."
    )


def test_what_hears_is_listed_or_what_to_do(
    answers: Callable[[Questions], None], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli.main(["devices"]) == 0
    assert capsys.readouterr().out.endswith(
        "Audio inputs:\n"
        "  Microphone           ALSA, 1 channel, 48000 Hz, system default\n"
        "  Monitor of Speakers  PipeWire, 2 channels, 48000 Hz, system audio\n"
    )
    assert cli.main(["doctor"]) == 0
    assert lines(capsys, "ok")[-2] == "ok       Audio input: Microphone (ALSA)"
    monkeypatch.setattr("sys.platform", "darwin")
    answers({AudioInputs(): ([MICROPHONE], None)})
    for command in ("devices", "doctor"):
        assert cli.main([command]) == 0
        assert sentence(Problem("microphone.system_audio_macos")) in capsys.readouterr().out
    answers({AudioInputs(): ([], Problem("microphone.none"))})
    assert cli.main(["devices"]) == 0
    assert capsys.readouterr().out.endswith(
        "Audio inputs:\n  none: No microphone is connected. Connect one, or switch it on.\n"
    )
    assert cli.main(["doctor"]) == 0
    assert lines(capsys, "note")[-1] == (
        "note     Nothing can be recorded: No microphone is connected. Connect one, or switch it on."
    )


def test_a_disk_that_is_nearly_full_is_a_problem(
    answers: Callable[[Questions], None], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=2e8))
    assert cli.main(["doctor"]) == 3
    (line,) = lines(capsys, "PROBLEM")
    assert line.endswith("Only 200 MB of space is free there. Free some space: a model needs 1 GB.")


def test_a_package_that_is_missing(
    answers: Callable[[Questions], None], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "PACKAGES", ("numpy", "a-package-of-nobody"))
    assert cli.main(["doctor"]) == 3
    (line,) = lines(capsys, "PROBLEM")
    assert line.endswith("Missing packages: a-package-of-nobody. Install Galley again.")


def test_devices_without_an_engine(answers: Callable[[Questions], None], capsys: pytest.CaptureFixture[str]) -> None:
    gone = Problem("engine.libraries")
    answers({InferenceDevices(): gone, CudaDevices(): gone, AudioInputs(): gone})
    assert cli.main(["devices"]) == 3
    assert capsys.readouterr().out == (
        "Compute devices:\n  none: The system's libraries failed. Run galley doctor.\n"
        "Audio inputs:\n  none: The system's libraries failed. Run galley doctor.\n"
    )


def test_without_a_display_the_window_is_one_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(window.sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "talk.wav").touch()
    assert cli.main([str(tmp_path / "talk.wav")]) == 1
    assert capsys.readouterr().err == (
        "galley: There is no display for the window. galley transcribe FILE works without one.\n"
    )


def test_cuda_devices_are_named(answers: Callable[[Questions], None], capsys: pytest.CaptureFixture[str]) -> None:
    answers({CudaDevices(): ([("CUDA", "A fine card")], None)})
    assert cli.main(["devices"]) == 0
    assert "Compute devices:\n  cpu   A fine processor\n  cuda  A fine card\n" in capsys.readouterr().out
    assert cli.main(["doctor"]) == 0
    assert "ok       PyTorch device CUDA: A fine card\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("answer", "output"),
    [
        (
            ([], Problem("model.no_cuda", version="2")),
            "ok       PyTorch 2 is built without CUDA. OpenVINO works without it.",
        ),
        (
            Problem("engine.libraries"),
            "note     PyTorch does not work: The system's libraries failed. OpenVINO works without it.",
        ),
    ],
)
def test_nobody_needs_pytorch(
    answers: Callable[[Questions], None], capsys: pytest.CaptureFixture[str], answer: object, output: str
) -> None:
    answers({CudaDevices(): answer})
    assert cli.main(["doctor"]) == 0
    assert output in capsys.readouterr().out
    assert cli.main(["devices"]) == 0
    assert "cuda" not in capsys.readouterr().out.lower()


def tried(with_draft: tuple[int, ...], alone: tuple[int, ...]) -> Trial:
    cost = Statistics(
        45.0, encode_seconds=0.5, draft_seconds=0.1, verify_seconds=0.3, tokens=3, target_passes=2, near_ties=1
    )
    return Trial(
        MODELS, 2.0, TrialRun(with_draft, cost), TrialRun(alone, cost), TrialRun((1, 2, 3), cost), is_exact=False
    )


@pytest.mark.parametrize(
    ("tokens", "agreed", "good"), [((1, 2, 3), 3, True), ((1, 4, 3), 1, True), ((4, 2, 3), 0, False), ((), 0, False)]
)
def test_a_trial_is_good_while_the_beginning_is_the_same(tokens: tuple[int, ...], agreed: int, good: bool) -> None:
    """In half precision a near tie may part two texts later."""
    found = tried(tokens, tokens)
    assert (found.agreed, found.good) == (agreed, good)


def test_where_a_device_parts_from_the_processor_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(probe, "ask", lambda question, seconds: tried((1, 4, 3), (1, 4, 3)))
    assert cli.main(["doctor", "--device", "npu"]) == 0
    assert "Token 2 of 3 is the first that is not the CPU's in f32" in capsys.readouterr().out


def test_a_device_is_tried_alone(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """In a process of its own: a driver that ends it leaves a sentence."""
    found: list[object] = [
        tried((1, 2, 3), (1, 2, 3)),
        tried((1, 2, 4), (1, 2, 3)),
        Problem("model.no_device", device="NPU", devices="cpu"),
        Problem("engine.libraries"),
    ]

    def ask(question: Callable[[], object], seconds: float) -> object:
        assert question == TryDevice("npu")
        answer = found.pop(0)
        if isinstance(answer, Problem):
            raise answer
        return answer

    monkeypatch.setattr(probe, "ask", ask)
    assert [cli.main(["doctor", "--device", "npu"]) for _ in range(4)] == [0, 3, 3, 3]
    output = capsys.readouterr().out.splitlines()
    good, bad = output[:6], output[6:13]
    assert good[0] == "ok       Built and compiled: base with draft model own on CPU, f32 (2.0 s)"
    assert good[1].endswith(
        "With the draft model: 3 tokens from 45 s of audio; encoder 0.50 s, 2 passes of 150.0 ms, draft model 0.10 s"
    )
    assert [line[9:] for line in good[3:]] == [
        "The draft model changes nothing",
        "Near ties between passes of one and of many tokens: 1",
        "All 3 tokens are those of the CPU in f32",
    ]
    assert [line[9:] for line in bad[3:6]] == [
        "THE DRAFT MODEL CHANGES THE TEXT",
        good[4][9:],
        good[5][9:],
    ]
    assert bad[6].endswith("The text from npu differs from the CPU's. Update its driver, or choose another device.")
    assert output[13].endswith("npu does not work: This computer has no device NPU. Choose one of: cpu.")
    assert output[14].endswith("The system's libraries failed. Update its driver, or choose another device.")


def test_the_trial_of_this_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    """The model on the CPU writes what it writes there, with a draft and without; a device that is missing is said."""
    monkeypatch.setattr(trial, "SECONDS", 6)
    monkeypatch.setattr(installed, "bundled", lambda: SMALL_PAIR)
    found = trial.on_device("cpu")
    assert found.good and (found.models.target, found.models.device, found.models.precision) == (NAME, "CPU", "f32")
    assert found.with_draft is not None and found.with_draft.tokens == found.alone.tokens == found.reference.tokens
    assert len(found.alone.tokens) == found.agreed > 0 and found.alone.statistics.audio_seconds == 6
    monkeypatch.setattr(installed, "bundled", lambda: SMALL_PAIR / "draft")  # a model that has none
    found = trial.on_device("cpu")
    assert found.good and found.with_draft is None
    with pytest.raises(Problem, match="no_device device='NPU'"):
        trial.on_device("npu")


def test_a_driver_that_fails_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it refuses a graph, and where it stops in the middle."""

    def refuse(*about: object) -> None:
        raise RuntimeError("Exception from src/inference\nCheck failed:\n  the compiler of the NPU is too old\n")

    monkeypatch.setattr(openvino_place.core().__class__, "compile_model", refuse)
    with pytest.raises(Problem) as caught:
        trial.on_device("cpu")
    assert caught.value == Problem("model.device_refused", device="CPU", error="the compiler of the NPU is too old")

    class Lost:
        """A request whose device is gone."""

        def start_async(self) -> None:
            raise RuntimeError("device lost")

        def get_compiled_model(self) -> SimpleNamespace:
            return SimpleNamespace(get_property=lambda name: ["NPU"])

    with pytest.raises(Problem) as lost:
        openvino_place.run(Lost())
    assert lost.value == Problem("model.device_failed", device="NPU", error="device lost")
