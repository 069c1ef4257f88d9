"""`galley models train-draft` makes a draft that its target takes by itself, goes on where it stopped, and says what is
wrong in one line."""

from __future__ import annotations

import difflib
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from desktop_app import cli, folders
from desktop_app.audio.logmel import features
from desktop_app.checkpoints import choice, installed
from desktop_app.checkpoints.folder import Checkpoint, read, read_draft, same_encoder
from desktop_app.decoding.audio_window import AudioWindow, Samples
from desktop_app.decoding.setup import Setup
from desktop_app.decoding.window import WindowDecoder
from desktop_app.engine import model_list, model_work
from desktop_app.messages.training import Gain, MeasureDraft, TrainDraft
from desktop_app.problems import Problem
from desktop_app.runtimes import torch as torch_runtime
from desktop_app.training import draft, held_back, loop, windows
from desktop_app.training.labels import Labels
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.settings import Settings
from desktop_app.transcript.statistics import Counter
from desktop_app.worker import trial
from tests import random_models
from tests.small_pair import NAME, SMALL_PAIR
from tests.works import perform_here

CLIPS = Path(__file__).resolve().parents[2] / "data" / "clips"


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """The work is done here, so that the test can change it."""
    monkeypatch.setattr(model_work, "perform", perform_here)


def install(folder: Path) -> Path:
    """The small target without its draft, installed as `mine`; `folder` is for its copy."""
    plain = folder / "plain"
    shutil.copytree(SMALL_PAIR, plain, ignore=shutil.ignore_patterns("draft"))
    installed.add(plain, "mine", lambda what, done, total: None)
    return installed.home() / "mine"


def recordings(folder: Path) -> Path:
    """Two clips, and a file that is none, in a new folder."""
    made = folder / "audio"
    made.mkdir()
    for name in ("00.flac", "01.flac"):
        shutil.copy(CLIPS / name, made)
    (made / "notes.txt").write_text("no sound")
    return made


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return install(tmp_path)


@pytest.fixture
def audio(tmp_path: Path) -> Path:
    return recordings(tmp_path)


@pytest.fixture(scope="module")
def trained(make_home: Callable[[], Path], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A target and a draft that was trained for it, for tests that change neither."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GALLEY_HOME", str(make_home()))
        patch.setattr(model_work, "perform", perform_here)
        folder = tmp_path_factory.mktemp("trained")
        target = install(folder)
        assert train("mine", recordings(folder), "--layers", "1") == 0
        return target, target.with_name("mine-draft")


def train(target: str, audio: Path, *more: str) -> int:
    return cli.main(["models", "train-draft", target, "--audio", str(audio), "--minutes", "0.02", *more])


def test_a_draft_is_trained_installed_and_taken(target: Path, audio: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """How far it is, and what it has reached, is told off a terminal too."""
    assert train("mine", audio, "--layers", "1") == 0
    told = capsys.readouterr().err
    assert told.count("Labelled 0.0 of 0.0 hours.") == 2, "before the first label, and behind the last"
    assert "loss" in told and "agreement with the target" in told
    said = told.splitlines()
    assert said[0] == "notes.txt is skipped. This is not an audio or video file, or it is damaged."
    assert said[-1] == "mine-draft is now the draft model of mine."
    whole = read(target)
    made = read_draft(installed.home() / "mine-draft", whole)
    assert made.shape.decoder_layers == 1
    assert made.ctc is not None and set(made.ctc.tensors(made.shape.width)) <= set(made.tensors)
    assert same_encoder(whole, made)
    whole_size, size = (sum(file.stat().st_size for file in each.folder.iterdir()) for each in (whole, made))
    assert size < 0.25 * whole_size, "what is the target's is not stored twice"
    assert installed.verify("mine-draft", lambda what, done, total: None)
    assert not list((folders.cache() / "drafts").glob("*.state")), "a finished run is not resumed"
    assert cli.main(["transcribe", str(audio / "00.flac"), "--target", "mine", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["models"]["draft"] == "mine-draft"


@pytest.mark.usefixtures("in_process")
def test_a_draft_that_cannot_be_installed_leaves_a_begun_download_alone(
    target: Path, audio: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = installed.home() / ".partial" / "mine-draft" / "model.safetensors"
    begun.parent.mkdir(parents=True)
    begun.write_bytes(b"half of it")
    with monkeypatch.context() as patch:
        patch.setattr(draft.weights, "write", lambda *given: (_ for _ in ()).throw(OSError(28, "No space left")))
        assert train("mine", audio, "--layers", "1") == 1
    assert begun.read_bytes() == b"half of it" and list(begun.parent.iterdir()) == [begun]
    assert train("mine", audio, "--layers", "1") == 0
    assert "mine-draft" in installed.names() and not installed.unfinished()


@pytest.mark.usefixtures("in_process")
def test_another_draft_learns_from_the_labels_that_are_there(
    target: Path, audio: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert train("mine", audio, "--layers", "1") == 0
    assert "The labels stay in" in capsys.readouterr().err
    monkeypatch.setattr(draft, "Labeller", None)
    assert train("mine", audio, "--layers", "2", "--name", "other") == 0
    assert "Labelled" not in capsys.readouterr().err


def silent(*told: object, **values: object) -> None:
    """Nobody listens."""


def label(target: Path, audio: Path, work: Path, language: str = "en") -> list[Path]:
    cpu = draft._device("cpu")
    return draft.label(read(target), draft.find(audio), work, language, cpu, silent, silent)


def test_labels_are_the_targets_own_text(target: Path, audio: Path, tmp_path: Path) -> None:
    """What a label says the target wrote is what Galley writes with it, token for token, as far as half precision
    lets it."""
    checkpoint = read(target)
    recorded, changed = label(target, audio, tmp_path / "work")
    labels = Labels.load(recorded)
    assert np.abs(Labels.load(changed).encoded - labels.encoded).max() > 0.1, "it learns from changed sound too"
    vocabulary, shape = checkpoint.vocabulary, checkpoint.shape
    assert labels.encoded.shape == (shape.audio_positions, shape.width)
    assert labels.read[0] in (vocabulary.start, vocabulary.previous) and labels.wrote[-1] == vocabulary.end
    agreed = labels.wrote[:-1] == labels.read[len(labels.read) - len(labels.wrote) + 1 :]
    assert agreed.mean() > 0.9
    assert (labels.shares.sum(-1) <= 1.001).all()
    samples = windows.cut(draft.readable(draft.find(audio), silent, silent))[0].samples()
    written = _transcribed(checkpoint, samples)
    text = [token for token in labels.read.tolist() if token < vocabulary.end]
    assert difflib.SequenceMatcher(None, written, text).ratio() > 0.9


def _transcribed(checkpoint: Checkpoint, samples: Samples) -> list[int]:
    counter, model = Counter(), torch_runtime.load(checkpoint, "cpu")
    decoder = WindowDecoder(Setup(model, checkpoint.vocabulary, checkpoint.text), counter)
    text = decoder.decode(AudioWindow(samples, features), Settings("en"), lambda *told, **values: None)
    return [token for token in text.tokens if token < checkpoint.vocabulary.end]


def test_the_head_has_what_the_target_writes_and_all_special_tokens(
    target: Path, audio: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoint = read(target)
    files = label(target, audio, tmp_path / "work")
    special = range(checkpoint.vocabulary.end, checkpoint.vocabulary.size)
    monkeypatch.setattr(draft, "HEAD_TOKENS", len(special) + 200)
    head = draft.describe(checkpoint, files, 1).head_tokens
    assert len(head) == len(special) + 200 and set(special) <= set(head)
    written = {int(token) for file in files for token in Labels.load(file).wrote}
    assert written <= set(head)


def test_a_draft_of_another_target_is_refused(
    trained: tuple[Path, Path], audio: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = random_models.write(tmp_path / "other", random_models.TOY)
    folder = Path(shutil.copytree(trained[1], installed.home() / "mine-draft"))
    with pytest.raises(Problem, match="draft_trained_for"):
        read_draft(folder, read(other))
    capsys.readouterr()
    assert cli.main(["transcribe", str(audio / "00.flac"), "--target", str(other), "--draft", "mine-draft"]) == 3
    assert "The draft was trained for another model" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("head_tokens", [3, 2, 1]),
        ("head_tokens", [1, 2, 3]),
        ("decoder_layers", 0),
        ("audio_pooling", 7),
        ("target", 1),
        ("ctc", {"width": 24, "layers": 1, "kernel": 3, "languages": ["en"]}),
        ("ctc", {"width": 24, "layers": 1, "kernel": 4, "units": [1, 2], "languages": ["en"]}),
        ("ctc", {"width": 24, "layers": 1, "kernel": 3, "units": [2, 1], "languages": ["en"]}),
        ("ctc", {"width": 24, "layers": 1, "kernel": 3, "units": [1, 1 << 20], "languages": ["en"]}),
        ("ctc", {"width": 24, "layers": 1, "kernel": 3, "units": [1, 2]}),
    ],
)
def test_a_damaged_draft_is_refused(trained: tuple[Path, Path], tmp_path: Path, key: str, value: object) -> None:
    target, draft = trained
    config = Path(shutil.copytree(draft, tmp_path / "draft")) / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {key: value}))
    with pytest.raises(Problem, match="damaged file='config"):
        read_draft(config.parent, read(target))


@pytest.mark.usefixtures("in_process")
def test_every_obstacle_is_one_line(
    target: Path, audio: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    silent = tmp_path / "silent"
    silent.mkdir()
    (silent / "a.txt").write_text("no sound")
    assert train("nothing", audio) == 2
    assert train("mine", empty) == 1
    assert train("mine", tmp_path / "missing") == 1
    assert train("mine", silent) == 1
    assert train("mine", audio, "--name", "mine") == 1
    assert train("mine", audio, "--language", "fr") == 1
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "disk_usage", lambda folder: shutil._ntuple_diskusage(10, 10, 0))  # type: ignore[attr-defined]
        assert train("mine", audio) == 1
    with monkeypatch.context() as patch:
        patch.delattr("desktop_app.training.draft")
        patch.delitem(sys.modules, "desktop_app.training.draft")
        patch.setitem(sys.modules, "torch", None)
        assert train("mine", audio) == 1
    lines = [line for line in capsys.readouterr().err.splitlines() if "is skipped" not in line]
    assert [line.partition(". ")[0] for line in lines] == [
        "nothing: There is no model nothing",
        f"mine: {empty} contains no recording that can be read",
        f"mine: There is no folder {tmp_path / 'missing'}",
        f"mine: {silent} contains no recording that can be read",
        "mine: mine is already installed",
        f"mine: {NAME} does not know the language fr",
        "mine: There is not enough space on the disk: 0.1 GB are needed, 0.0 GB are free",
        "mine: PyTorch is not installed",
    ]


@pytest.mark.usefixtures("in_process")
def test_what_a_draft_brings_is_measured_on_what_it_did_not_learn_from(
    target: Path, audio: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Labels lie where they are wanted, and files are taken one by one."""
    monkeypatch.setattr(windows, "FULL_SECONDS", 6.0)
    monkeypatch.setattr(trial, "_LEAST", 0.1)
    room = tmp_path / "room"
    files = (audio / "00.flac", audio / "01.flac")
    request = TrainDraft(target, files, "mine-draft", layers=1, minutes=0.02, language="en", room=room)
    assert perform_here(request, silent).name == "mine-draft"
    assert not (folders.cache() / "drafts").exists()
    cut = windows.cut(draft.readable(draft.find(files), silent, silent))
    labels = sorted(room.glob("windows-*/*.npz"))
    learnt, kept = loop.split([file for window in cut for file in labels if file.stem == window.key])
    assert learnt and not set(learnt) & set(kept)
    sound = held_back.samples(request, silent)
    expected = [window.samples() for window in cut if window.key in {file.stem for file in kept}]
    np.testing.assert_array_equal(sound, np.concatenate(expected))
    steps: list[str] = []
    work = MeasureDraft(request, "auto")
    gain = perform_here(work, lambda what, done, total: steps.append(what)).gain
    assert gain is not None and steps[-1] == "Measuring"
    assert gain.seconds == pytest.approx(len(sound) / SAMPLE_RATE)
    assert gain.alone > 0 and gain.after > 0 and gain.tokens_per_pass > 0.5
    assert gain.before == 0, "nothing drafted for it"
    choice.register_draft("mine", "mine-draft")
    again = perform_here(work, silent).gain
    assert again is not None and again.before == 0, "what it takes already is not another draft"
    shutil.rmtree(room)
    with pytest.raises(Problem, match="no_speech"):
        perform_here(work, silent)


def test_a_draft_pays_only_beyond_what_measuring_is_uncertain() -> None:
    """And no draft takes the place of a better one."""
    assert Gain(60.0, 10.0, 0.0, 13.0, 2.4).pays
    assert not Gain(60.0, 10.0, 0.0, 10.1, 2.4).pays
    assert not Gain(60.0, 10.0, 14.0, 13.0, 2.4).pays


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("[enforce fail] DefaultCPUAllocator: not enough")])
def test_too_little_memory_is_one_sentence(error: BaseException, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(draft, "make", lambda *given: (_ for _ in ()).throw(error))
        with pytest.raises(Problem, match=r"model\.training_memory"):
            perform_here(TrainDraft(tmp_path, tmp_path, "mine"), silent)


def test_the_space_that_labels_take_is_about_what_is_said_before(tmp_path: Path) -> None:
    """A draft cannot be trained of a draft, nor of a model with no more layers than a draft has."""
    file = tmp_path / "talk.wav"
    file.write_bytes(b"sound")
    shape = read(SMALL_PAIR).shape
    needed = len(windows.cut({file: 3600.0})) * Labels.bytes(shape.width, shape.audio_positions)
    assert needed / 1.25 < model_list._training(SMALL_PAIR) < 1.25 * needed
    assert model_list._training(SMALL_PAIR / "draft") == 0
    assert model_list._training(tmp_path) == 0
    assert model_list._training(random_models.write(tmp_path / "toy", random_models.TOY)) == 0
