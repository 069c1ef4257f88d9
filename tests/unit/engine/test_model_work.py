"""Work on models in processes of its own: it ends as it should, whatever the server, the disk or the model does."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from multiprocessing import Pipe
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
import soundfile

from desktop_app import folders
from desktop_app.app.presentation.problems import sentence
from desktop_app.checkpoints import installed, parts, quantised
from desktop_app.checkpoints.folder import read
from desktop_app.decoding.audio_window import Samples
from desktop_app.decoding.lookahead import LookAhead
from desktop_app.engine import model_list, model_work
from desktop_app.engine.model_work import Task
from desktop_app.engine.watchdog import Limits, Watchdog
from desktop_app.messages.jobs import Beat, Cancel
from desktop_app.messages.model_work import (
    Add,
    Announced,
    Convert,
    Done,
    Download,
    Hold,
    Measure,
    Message,
    Quantise,
    Refused,
    Remove,
    Step,
    Stopped,
    Try,
    Verify,
    Work,
)
from desktop_app.messages.training import TrainDraft
from desktop_app.problems import Problem
from desktop_app.runtimes import openvino
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.settings import Settings
from desktop_app.worker import model_tasks, trial
from desktop_app.worker.loaded_models import Pair
from tests import random_models, tiny_ir
from tests.hub_server import HubServer, serving
from tests.small_pair import DRAFT_NAME, SMALL_PAIR
from tests.waiting import Within, wait_until
from tests.works import perform_here

REPOSITORY = "tests/toy"
WEIGHTS = "model.safetensors"


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return random_models.toy(tmp_path_factory.mktemp("hub") / "toy")


@pytest.fixture
def server(toy: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    """A hub that the settings name, as a user would."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    with serving() as running:
        running.repositories[REPOSITORY] = toy
        (home / "data").mkdir(exist_ok=True)
        (home / "data" / "settings.ini").write_text(f"[General]\nmirror={running.url}\n")
        yield running


class Listener:
    """Hears a task. Attributes: steps; stages; last (its last word, None until it comes)."""

    def __init__(self, work: Work, limits: Limits | None = None) -> None:
        self.steps: list[Step] = []
        self.stages: list[str] = []
        self.last: Message | None = None
        self.task = Task(work, self._receive, limits)

    def _receive(self, message: Message) -> None:
        assert self.last is None
        if isinstance(message, Step):
            self.steps.append(message)
        elif isinstance(message, Announced):
            self.stages.append(message.stage)
        else:
            self.last = message

    def wait(self) -> Message:
        wait_until(lambda: self.last is not None)
        assert self.last is not None
        return self.last


def done(work: Work) -> Message:
    return Listener(work).wait()


def test_a_download_that_is_cancelled_is_gone_on_with_and_ends_whole(
    toy: Path, server: HubServer, within: Within
) -> None:
    server.stall = (WEIGHTS, 200_000)
    listener = Listener(Download(REPOSITORY))
    wait_until(lambda: any(step.what == "Downloading" and step.done >= 200_000 for step in listener.steps))
    with within(3.0):  # a server that says nothing holds up nobody, nor does a window that is closed
        listener.task.cancel()
        assert listener.wait() == Stopped()
    assert installed.unfinished()["toy"] >= 200_000
    server.stall = None
    assert done(Download(REPOSITORY)) == Done(REPOSITORY)
    assert server.fetched(WEIGHTS)[-1].endswith("bytes=200000-")
    assert (installed.home() / "toy" / WEIGHTS).read_bytes() == (toy / WEIGHTS).read_bytes()
    assert done(Verify("toy")) == Done("toy")
    assert done(Remove("toy")) == Done("toy")
    assert list(installed.names()) == ["base"]


def test_a_wrong_hash_leaves_nothing_behind(toy: Path, server: HubServer) -> None:
    data = bytearray((toy / WEIGHTS).read_bytes())
    data[1000] ^= 1
    server.lies = {WEIGHTS: bytes(data)}
    message = done(Download(REPOSITORY))
    assert isinstance(message, Refused)
    assert message.problem == Problem("download.hash", file=WEIGHTS)
    assert list(installed.home().iterdir()) == []


def test_no_sentence_speaks_of_commands(toy: Path, server: HubServer, tmp_path: Path) -> None:
    """What the window shows is done in the window."""
    message = [done(Download("tests/none"))]
    assert done(Add(str(toy))) == Done("toy")
    pickle = Path(shutil.copytree(toy, tmp_path / "pickle"))
    (pickle / WEIGHTS).rename(pickle / "pytorch_model.bin")
    message += [done(Add(str(toy))), done(Add(str(pickle))), done(Verify("none")), done(Remove("base"))]
    for each in message:
        assert isinstance(each, Refused)
        assert "galley " not in sentence(each.problem)
        assert "--" not in sentence(each.problem)
    assert message[2].problem == Problem("model.pickle", file="pytorch_model.bin")


def test_a_pair_that_cannot_work_is_refused_when_it_is_tried(toy: Path, tmp_path: Path) -> None:
    assert done(Try("", "auto")) == Done("", DRAFT_NAME)
    assert done(Try(str(toy), "off")) == Done(str(toy))
    other = random_models.toy(tmp_path / "other", seed=1)
    assert done(Try(str(toy), str(other))) == Done(str(toy), "other")
    shorter = replace(random_models.TOY, shape=replace(random_models.TOY.shape, audio_positions=750))
    message = done(Try(str(toy), str(random_models.write(tmp_path / "short", shorter))))
    assert message == Refused(Problem("model.draft_window", draft="short", target="toy"))


@pytest.mark.parametrize("precision", ["int8", "int4"])
def test_small_weights_are_those_that_the_engine_takes(
    toy: Path, tmp_path: Path, precision: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = random_models.toy(tmp_path / "draft", seed=1)
    listener = Listener(Quantise(str(toy), str(draft), precision))
    assert listener.wait() == Done(str(toy))
    bits = int(precision.removeprefix("int"))
    whole = [(folder, read(folder).shape) for folder in (toy, draft)]
    sizes = [
        quantised.size(read(folder).tensors, quantised.matrices(sides), bits)
        for folder, shape in whole
        for sides in (shape.encoder_tensors(), shape.decoder_tensors())
    ]
    assert {step.total for step in listener.steps} == {sum(sizes)}
    monkeypatch.setattr(quantised, "_write", None)  # nothing is quantised once more
    for folder in (toy, draft):
        openvino.load(read(folder), precision=precision, cache=folders.cache() / "compiled")


def test_graphs_of_openvino_keep_their_numbers(toy: Path, tmp_path: Path) -> None:
    folder = tiny_ir.write(toy, tmp_path / "ir")
    message = done(Quantise(str(folder), "off", "int8"))
    assert isinstance(message, Refused)
    assert message.problem.code == "model.openvino_precision"


@pytest.fixture
def children(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The processes of the tasks that were begun."""
    found: list[int] = []
    start = model_work.Child.__init__

    def remember(self: model_work.Child, program: object) -> None:
        start(self, program)  # type: ignore[arg-type]
        found.append(self.pid or 0)

    monkeypatch.setattr(model_work.Child, "__init__", remember)
    return found


@pytest.mark.parametrize(
    ("number", "code"), [("SIGTERM", "engine.work_ended"), ("SIGSTOP", "engine.work_silent")], ids=["end", "silence"]
)
def test_the_end_or_silence_of_the_process_is_said(
    server: HubServer, children: list[int], number: str, code: str
) -> None:
    server.stall = (WEIGHTS, 200_000)
    listener = Listener(Download(REPOSITORY), Limits(silent_loading=4.0))
    wait_until(lambda: listener.steps)
    os.kill(children[0], getattr(signal, number))
    message = listener.wait()
    assert isinstance(message, Refused)
    assert message.problem.code == code


EXPORTER = """
import sys, time
from pathlib import Path
from types import ModuleType, SimpleNamespace
from tests import tiny_ir

def main_export(model_name_or_path, output, **about):
    tiny_ir.write(Path(model_name_or_path), output)
    time.sleep(HANGS)

class OVConfig:
    def __init__(self, dtype): pass

def Dataset(items, transform):
    return transform, items

def quantize(graph, dataset, **about):
    transform, items = dataset
    for _ in range(3):
        transform(items[0])
        time.sleep(1.2)
    return graph

ModelType, IgnoredScope = SimpleNamespace(TRANSFORMER=""), SimpleNamespace
"""


@pytest.fixture
def exporter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Puts into the place of optimum-intel and NNCF, in tasks too, what hangs for so many seconds in the middle."""

    def install(seconds: float) -> None:
        top = tmp_path / "packages"
        for name in ("optimum/exporters/openvino", "optimum/intel", "nncf"):
            (top / name).mkdir(parents=True)
            (top / name / "__init__.py").write_text(EXPORTER.replace("HANGS", str(seconds)))
        monkeypatch.syspath_prepend(top)

    return install


def test_a_conversion_whose_command_was_killed_leaves_nothing(
    toy: Path, tmp_path: Path, exporter: Callable[[float], None]
) -> None:
    exporter(1000.0)
    out = tmp_path / "out"
    program = (
        "import sys\nfrom desktop_app.engine import model_work\nif __name__ == '__main__':\n"
        f" sys.path.insert(0, {str(tmp_path / 'packages')!r})\n"
        " model_work.perform(model_work.Convert(*sys.argv[1:]), print)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program, str(toy), str(out / "graphs")]) as command:
        wait_until(lambda: list(out.glob(".*/made/*.xml")) or command.poll() is not None)
        command.kill()
        assert command.wait() < 0
    wait_until(lambda: not list(out.iterdir()))


@pytest.mark.parametrize("how", ["hangs", "stopped", "cancelled"])
def test_a_conversion_that_no_longer_responds_is_ended_and_leaves_nothing(
    how: str, toy: Path, tmp_path: Path, exporter: Callable[[float], None], children: list[int]
) -> None:
    exporter(1000.0)
    silent, stuck = (4.0, 900.0) if how == "stopped" else (900.0, 12.0)
    work = Convert(str(toy), str(tmp_path / "out" / "graphs"))
    listener = Listener(work, Limits(silent_loading=silent, stuck_loading=stuck))
    wait_until(lambda: list(work.room.glob("made/*.xml")) or listener.last)
    if how == "stopped":
        os.kill(children[0], signal.SIGSTOP)
    elif how == "cancelled":
        listener.task.cancel()
    expected = Stopped() if how == "cancelled" else Refused(Problem("engine.work_silent"))
    assert listener.wait() == expected
    assert not list((tmp_path / "out").iterdir())
    with pytest.raises(ProcessLookupError):
        os.kill(children[0], 0)


def test_a_conversion_tells_that_it_goes_on(
    toy: Path, tmp_path: Path, exporter: Callable[[float], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each window that is quantised counts, so that a slow computer may take its time."""
    exporter(0.0)
    beats: list[int] = []

    class Watch(Watchdog):
        def note(self, message: object) -> None:
            assert isinstance(message, Beat)
            beats.append(message.steps)
            super().note(message)

    monkeypatch.setattr(model_work, "Watchdog", Watch)
    sounds = tmp_path / "sounds"
    sounds.mkdir()
    shutil.copy(Path(__file__).parents[2] / "data" / "clips" / "00.flac", sounds)
    listener = Listener(Convert(str(toy), str(tmp_path / "graphs"), str(sounds)))
    assert listener.wait() == Done(str(toy))
    assert listener.stages == ["converting", "quantising"]
    assert len({steps for steps in beats if steps >= 4}) >= 2, "a reading and two stages come before"
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith(".")] == []


def test_a_training_that_no_longer_responds_is_ended(
    tmp_path: Path, children: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is installed."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    plain = Path(shutil.copytree(SMALL_PAIR, tmp_path / "plain", ignore=shutil.ignore_patterns("draft")))
    audio = tmp_path / "audio"
    audio.mkdir()
    shutil.copy(Path(__file__).parents[2] / "data" / "clips" / "00.flac", audio)
    listener = Listener(TrainDraft(plain, audio, "mine", layers=1), Limits(silent_loading=4.0))
    wait_until(lambda: listener.steps or listener.last)
    os.kill(children[0], signal.SIGSTOP)
    assert listener.wait() == Refused(Problem("engine.work_silent"))
    assert "mine" not in installed.names() and not installed.unfinished()


def test_training_lets_other_programs_go_first(tmp_path: Path, children: list[int]) -> None:
    """It takes an hour of all processors; a transcription must not."""
    plain = Path(shutil.copytree(SMALL_PAIR, tmp_path / "plain", ignore=shutil.ignore_patterns("draft")))
    audio = tmp_path / "audio"
    audio.mkdir()
    shutil.copy(Path(__file__).parents[2] / "data" / "clips" / "00.flac", audio)
    listener = Listener(TrainDraft(plain, audio, "mine", layers=1))
    wait_until(lambda: listener.steps or listener.last)
    assert os.getpriority(os.PRIO_PROCESS, children[0]) == 19
    listener.task.cancel()
    assert listener.wait() == Stopped()


def test_work_that_is_held_stands_still_alive_until_it_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(work: Work, progress: Callable[[str, float, float], None], announce: object) -> Message:
        try:
            for number in itertools.count():
                progress(f"step {number}", number, 0)
        except model_tasks._Ended:
            return Stopped()
        raise AssertionError

    monkeypatch.setattr(model_tasks, "_outcome", endless)
    ours, theirs = Pipe()
    Thread(target=model_tasks.run, args=(Verify("any"), theirs), daemon=True).start()
    ours.send(Hold(True))
    beats: list[Beat] = []
    while len(beats) < 2 or beats[0].steps == beats[1].steps:  # two in a row: a task at work tells thousands of steps
        message = ours.recv()
        beats = [*beats, message][-2:] if isinstance(message, Beat) else []
    ours.send(Hold(False))
    while not isinstance(message, Step):
        message = ours.recv()
    ours.send(Hold(True))
    ours.send(Cancel(""))  # who waits hears that it is over
    while message != Stopped():
        message = ours.recv()


def test_a_task_passes_on_each_pause_and_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = Pipe()
    sent: list[object] = []

    class Silent:
        connection = ours

        def __init__(self, program: object) -> None:
            self.send = sent.append

        def kill(self) -> None:
            """There is no process."""

        close = kill

    monkeypatch.setattr(model_work, "Child", Silent)
    listener = Listener(Verify("any"))
    for held in (True, False, True):
        listener.task.hold(held)
        listener.task.hold(held)
        wait_until(lambda: len(sent) > 0 and sent[-1] == Hold(held))  # noqa: B023
    theirs.send(Done("any"))
    assert listener.wait() == Done("any")
    assert sent == [Hold(True), Hold(False), Hold(True)]


# What there is.


def test_the_list_tells_what_is_here_and_what_has_begun(toy: Path, bundled: None) -> None:
    partial = installed.home() / ".partial" / "large-v3"
    partial.mkdir(parents=True)
    (partial / "part").write_bytes(b"x" * 1000)
    small = Path(shutil.copytree(toy, installed.home() / "small"))
    parts.write_about(small, {"name": "small", "repository": "openai/whisper-small"})
    stranger = Path(shutil.copytree(toy, installed.home() / "medium"))
    parts.write_about(stranger, {"name": "medium", "repository": "someone/medium"})
    found = model_list.read()
    here = {each.name: each for each in found.installed}
    networks = [each.name for each in found.installed if each.speakers]
    assert networks == ["pyannote-segmentation-3.0", "wespeaker-resnet34-256"]
    assert list(here) == ["base", "medium", "small", *networks]
    assert not here[networks[0]].removable and here[networks[0]].origin.startswith("pyannote")
    assert (here["base"].origin, here["base"].removable) == ("", False)
    assert here["small"].languages == ("*",)
    assert (here["medium"].licence, here["medium"].origin) == ("", "someone/medium")
    assert found.best == "small"
    offered = {each.name: each for each in found.offered}
    assert "small" not in offered
    assert offered["large-v3"].begun == 1000
    assert [draft.name for draft in offered["large-v3"].drafts] == ["distil-large-v3", "large-v3-turbo"]
    assert (offered["distil-large-v3"].exact, offered["large-v3"].exact) == (False, True)
    assert not any(each.speakers for each in found.offered)


@pytest.mark.parametrize(
    ("environment", "settings", "told"),
    [
        ({}, "", model_list.DownloadSource("huggingface.co")),
        ({"HTTPS_PROXY": "http://me:secret@proxy.example:3128"}, "",
         model_list.DownloadSource("huggingface.co", "proxy.example:3128")),
        ({"HTTPS_PROXY": "http://proxy.example:3128", "NO_PROXY": "huggingface.co"}, "",
         model_list.DownloadSource("huggingface.co")),
        ({"HF_ENDPOINT": "https://hub.example.org/x"}, "mirror=https://other.example",
         model_list.DownloadSource("hub.example.org", mirror=True, fixed=True)),
        ({}, "mirror=https://other.example", model_list.DownloadSource("other.example", mirror=True)),
        ({}, "mirror=ftp://other.example",
         model_list.DownloadSource("", mirror=True, problem=Problem("download.bad_mirror", address="ftp://other.example"))),
    ],
)  # fmt: skip
def test_where_downloads_come_from_is_told_without_asking(
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, str],
    settings: str,
    told: model_list.DownloadSource,
) -> None:
    for name in (
        "HTTPS_PROXY",
        "https_proxy",
        "HTTP_PROXY",
        "http_proxy",
        "ALL_PROXY",
        "all_proxy",
        "NO_PROXY",
        "no_proxy",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("HF_ENDPOINT", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    (home / "data").mkdir(exist_ok=True)
    (home / "data" / "settings.ini").write_text(f"[General]\n{settings}\n")
    assert model_list.source() == told


def test_the_speed_of_a_pair_is_measured_alone_and_with_its_draft(monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[str] = []
    ways: list[bool] = []

    def write(
        pair: Pair, audio: Samples, settings: Settings, *, draft: bool, look_ahead: LookAhead | None
    ) -> trial.Run:
        ways.append(draft)
        found = once(pair, audio, settings, draft=draft, look_ahead=look_ahead)
        if pair.draft:
            assert look_ahead is pair.draft.look_aheads[0], "what is known of the pair is used, as in a transcription"
            if len(ways) <= 2:  # later it may try without
                assert draft <= bool(look_ahead.as_json()["ways"][0]["rounds"]), "and grows"
        return found

    once = trial._write
    monkeypatch.setattr(trial, "_write", write)
    monkeypatch.setattr("desktop_app.worker.trial._LEAST", 0.1)
    monkeypatch.setattr("desktop_app.worker.trial.SECONDS", 4)
    found = perform_here(Measure(str(SMALL_PAIR), "auto", "auto"), lambda what, *_: steps.append(what)).speed
    assert found is not None
    assert 0 < found.alone < 10_000
    assert 0 < found.with_draft < 10_000
    assert found.alone != found.with_draft
    assert steps[-1] == "Measuring"
    assert ways == [False, True, True, False], "once each says nothing of a computer that was busy for a moment"
    assert 0 <= found.others <= 1
    alone = perform_here(Measure(str(SMALL_PAIR), "off", "auto"), lambda *_: None).speed
    assert alone is not None
    assert alone.with_draft == 0


def test_the_speed_is_measured_on_the_middle_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a long one a part that is neither its greeting nor its end; a short one whole."""
    monkeypatch.setattr("desktop_app.worker.trial.SECONDS", 4)
    sound = np.repeat(np.arange(12, dtype=np.float32) / 100, SAMPLE_RATE)
    long, short = tmp_path / "long.wav", tmp_path / "short.wav"
    soundfile.write(long, sound, SAMPLE_RATE, "FLOAT")
    soundfile.write(short, sound[: 3 * SAMPLE_RATE], SAMPLE_RATE, "FLOAT")
    np.testing.assert_array_equal(trial._middle(str(long)), sound[4 * SAMPLE_RATE : 8 * SAMPLE_RATE])
    np.testing.assert_array_equal(trial._middle(str(short)), sound[: 3 * SAMPLE_RATE])
    found = perform_here(Measure(str(SMALL_PAIR), "auto", "auto", str(short), "en"), lambda *_: None).speed
    assert found is not None
    with pytest.raises(Problem):
        perform_here(Measure(str(SMALL_PAIR), "auto", "auto", str(tmp_path / "none.wav")), lambda *_: None)


def test_a_measurement_that_cannot_begin_is_refused_in_its_process(home: Path) -> None:
    assert isinstance(done(Measure(str(home / "none"), "auto", "auto")), Refused)
