"""A report shows the state of Galley, and nothing that a user said, named or chose is in it, wherever it was."""

from __future__ import annotations

import io
import json
import re
import shutil
import sqlite3
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from desktop_app import cli, folders, log, settings
from desktop_app.app.system import doctor, report
from desktop_app.app.system.doctor import Finding
from desktop_app.audio.microphone import Input
from desktop_app.checkpoints import installed
from desktop_app.cli import doctor as command
from desktop_app.engine import probe
from desktop_app.library import database
from desktop_app.library.store import Library
from desktop_app.problems import Problem
from desktop_app.transcript.model import GuardReport, Models, Segment, Speaker, Transcript, Word
from desktop_app.transcript.statistics import Statistics
from desktop_app.worker import questions
from tests import random_models
from tests.small_pair import SMALL_PAIR

TEXT, SPEAKER, FILE, FOLDER, PROMPT, VOCABULARY = (
    "zqtext",
    "zqspeaker",
    "zqfile",
    "zqfolder",
    "zqprompt",
    "zqvocabulary",
)
HOME, MODEL, MICROPHONE, MIRROR, CHOSEN = "zqhome", "zqmodel", "zqmicrophone", "zqmirror", "zqchosen"
SECRETS = (TEXT, SPEAKER, FILE, FOLDER, PROMPT, VOCABULARY, HOME, MODEL, MICROPHONE, MIRROR, CHOSEN)
PATH = f"/srv/{HOME}/{FOLDER} of mine/{FILE} one.mp3"


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Questions are answered in this process, and the model that Galley ships is a small one."""
    monkeypatch.setattr(
        probe, "ask", lambda question, seconds=0.0: question() if callable(question) else questions.reply(question)
    )
    monkeypatch.setattr(installed, "bundled", lambda: SMALL_PAIR)


@pytest.fixture
def used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Galley that somebody has used: unique words wherever a user's words can come to lie."""
    home = tmp_path / HOME
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GALLEY_HOME", str(home / "galley"))
    monkeypatch.setenv("HTTPS_PROXY", f"http://{MIRROR}:password@proxy:1")
    fill_library()
    model = random_models.toy(home / "galley" / "data" / "models" / MODEL)
    chosen = {
        "target": str(model),
        "draft": f"/{CHOSEN}",
        "recordings": f"/srv/{HOME}/{CHOSEN}",
        "language": CHOSEN * 2,
    }
    named = {"microphone": MICROPHONE, "mirror": f"https://{MIRROR}", "folder_open": f"/{FOLDER}", CHOSEN: CHOSEN}
    settings.write({**chosen, **named, "precision": "int8", "window": FOLDER})
    fill_log()


def fill_library() -> None:
    with closing(Library(folders.data() / "library")) as library:
        models = Models(MODEL, "", "model", "CPU", "f32", (Problem("model.notice", text=PROMPT),))
        done = library.add(PATH)
        segment = Segment(0, 0.0, 1.0, TEXT, (1,), 0.0, -0.1, 0.0, "S1", (Word(TEXT, 0.0, 1.0, 0.9, "S1"),))
        text = Transcript(PATH, 1.0, "en", 1.0, models, (segment,), (Speaker("S1", SPEAKER),), Statistics(1.0))
        text = Transcript(**vars(text) | {"guarded": (GuardReport(0.0, 1.0, "loop", TEXT),)})
        library.begin(done.id, models, 1.0)
        library.finish(done.id, text)
        library.revise(done.id, text)
        library.fail(library.add(PATH).id, Problem("file.not_opened", error=PATH))
        library.add_live(f"/{FOLDER}/{FILE}.flac")
    path = folders.data() / "library" / database.NAME
    with closing(sqlite3.connect(path)) as connection, connection:  # as a damaged one may be
        for state, problem in ((TEXT, ""), ("failed", TEXT), ("failed", json.dumps({"code": TEXT, "values": {}}))):
            values = (f"{state}{problem}", PATH, PATH, "", state, "", problem)
            columns = "id, path, name, created, state, owner, problem"
            connection.execute(f"INSERT INTO recording ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?)", values)


def fill_log() -> None:
    """Errors with everything that they may quote, and what libraries print."""
    log.append(FileNotFoundError(2, "No such file or directory", PATH))
    log.append(Problem("file.not_opened", error=f"{TEXT} {VOCABULARY}"))
    log.append(ValueError(f'Traceback of {PROMPT}\n  File "{PATH}", line 3, in {FILE}\n{VOCABULARY}Error: {TEXT}'))
    with suppress(RuntimeError):
        try:
            raise KeyError(VOCABULARY)
        except KeyError as error:
            log.append(RuntimeError(f"[Errno 28] {TEXT}").with_traceback(error.__traceback__))
            raise RuntimeError from error
    with log.path().open("a", encoding="utf-8") as file:
        file.write(f"[mp3 @ 0x5581] {PATH}: Header missing\n{TEXT}\n{MICROPHONE}.Error: {SPEAKER}\n")
        file.write(f"Exception from src/inference/src/cpp/core.cpp:128:\nsrc/{FILE}.wav\n")
        file.write("Fatal Python error: Segmentation fault\n")
        file.write(f"Fatal Python error: {TEXT}\n")
    log.path().with_suffix(".old.log").write_text(f"{TEXT}\n", encoding="utf-8")


def members(made: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name).decode() for name in archive.namelist()}


def test_no_word_of_the_users_is_in_it(quick: None, used: None) -> None:
    data, model = folders.data(), Path(settings.read()["target"])
    findings = [
        Finding("ok", f"Audio input: {MICROPHONE} (ALSA)", private=MICROPHONE),
        Finding(
            "problem", f"{data} cannot be written.", f"Look into {model}, {Path.home()} or {PATH.replace(' ', '_')}."
        ),
    ]
    files = members(report.made(findings))
    assert set(files) == {"about.txt", "checks.txt", "state.json", "engine.log", "engine.old.log"}
    for name, text in files.items():
        for secret in SECRETS:
            assert secret not in text.lower(), f"{secret} in {name}: {text}"


def test_the_state_is_in_it(quick: None, used: None) -> None:
    """What helps with a problem is there, though no word of the user's is."""
    files = members(report.made([Finding("ok", f"{folders.data()} can be written", "Good.")]))
    assert files["checks.txt"] == "ok       <data> can be written Good.\n"
    state = json.loads(files["state.json"])
    assert state["processor"]["features"]
    about = {each["name"]: each["verified"] for each in state["models"]["installed"]}
    assert about["base"] == about["own_model_2"] == "readable"
    assert state["settings"]["target"] == "own_model_2" and state["settings"]["precision"] == "int8"
    assert state["settings"]["recordings"] == state["settings"]["draft"] == "(set)"
    assert "GALLEY_HOME" in state["variables"]
    library = state["library"]
    assert library["faults"] == [] and library["version"] == database.schema_version() and library["segments"] == 1
    assert library["recordings"] == {"done": 1, "failed": 3, "recording": 1, "other": 1} and library["live"] == 1
    assert library["problems"] == {"file.not_opened": 1, "other": 2}
    assert state["free_bytes"]["data"] == pytest.approx(shutil.disk_usage(folders.data()).free, rel=0.1)
    lines = files["engine.log"].splitlines()
    assert "FileNotFoundError: [Errno 2]" in lines
    assert "desktop_app.problems.Problem: file.not_opened" in lines
    assert "RuntimeError: [Errno 28]" in lines
    assert "src/inference/src/cpp/core.cpp:128" in lines
    assert "Fatal Python error: Segmentation fault" in lines
    assert files["engine.old.log"] == "[…1]\n"


def test_a_place_in_the_program_is_named_without_its_folder() -> None:
    place = f'  File "/srv/{HOME}/galley/.venv/lib/python3.11/site-packages/av/container.py", line 3, in open'
    own = f'  File "/srv/{HOME}/desktop_app/engine/job.py", line 12 in run'
    lines = report.log_without_words(f"{place}\n{own}\n").splitlines()
    assert lines[0] == '  File "site-packages/av/container.py", line 3, in open'
    assert lines[1] == '  File "desktop_app/engine/job.py", line 12, in run'


def test_a_damaged_library_and_a_model_that_changed_are_said(quick: None, home: Path) -> None:
    model = random_models.toy(home / "data" / "models" / "toy")
    (model / "galley.json").write_text(
        '{"files": [{"name": "config.json", "size": 1, "sha256": "0"}]}', encoding="utf-8"
    )
    library = home / "data" / "library"
    library.mkdir(parents=True)
    (library / database.NAME).write_bytes(b"no database" * 999)
    state = json.loads(members(report.made([]))["state.json"])
    assert state["library"] == "library.damaged"
    assert state["models"]["installed"][1]["verified"] == "model.changed"


def test_what_cannot_be_asked_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def ask(question: Callable[[], object], seconds: float = 0.0) -> object:
        raise Problem("engine.libraries")

    monkeypatch.setattr(probe, "ask", ask)
    state = json.loads(members(report.made([]))["state.json"])
    assert (state["models"], state["processor"]["features"]) == ("engine.libraries", "engine.libraries")
    assert state["library"] is None


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "CHECKS", (doctor.program, doctor.data, doctor.sound))
    monkeypatch.setattr(command, "_window", lambda: iter(()))
    found = Input("a", MICROPHONE, "ALSA", 1, 48_000, is_default=True, is_system=True)
    monkeypatch.setattr(probe, "inputs", lambda: ([found], None))


def test_the_command_says_what_is_in_it(
    quick: None, used: None, checks: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "report.zip"
    assert cli.main(["doctor", "--report", str(place)]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith(f"{place}: This report holds versions, devices, models, settings,")
    assert last.endswith("Nothing was sent; read it before you share it.")
    files = members(place.read_bytes())
    assert files["checks.txt"].startswith("ok       Galley ")
    assert "Audio input: … (ALSA)" in files["checks.txt"]
    assert not [(name, secret) for name in files for secret in SECRETS if secret in files[name].lower()]


def test_a_file_is_never_overwritten(
    quick: None, checks: None, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is named is refused before anything is looked at; without a name a new one is made."""
    place = tmp_path / "report.zip"
    place.write_text("mine", encoding="utf-8")
    assert cli.main(["doctor", "--report", str(place)]) == 1
    assert capsys.readouterr() == ("", f"galley: {place} already exists. Choose another name.\n")
    assert place.read_text(encoding="utf-8") == "mine"
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    assert cli.main(["doctor", "--report"]) == 0
    (made,) = folder.iterdir()
    assert made.name.startswith("galley-report-") and zipfile.is_zipfile(made)
    assert cli.main(["doctor", "--report", "missing/report.zip"]) == 1
    assert "missing/report.zip was not saved (No such file or directory)." in capsys.readouterr().err


def test_the_real_questions_can_be_asked_in_another_process(home: Path) -> None:
    """They cross the pipe of a process of their own."""
    program = "from desktop_app.app.system import report; print(len(report.made([])))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert int(done.stdout) > 500, done.stderr


def test_every_package_of_the_base_installation_is_looked_at() -> None:
    project = (Path(__file__).resolve().parents[4] / "pyproject.toml").read_text(encoding="utf-8")
    wanted = {re.split(r"[^\w-]", each)[0] for each in tomllib.loads(project)["project"]["dependencies"]}
    assert set(doctor.PACKAGES) == wanted


def test_paths_are_left_out_and_the_words_around_them_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/srv/anna")
    assert report.without_paths("/srv/anna and 3 / 4") == "~ and 3 / 4"
    assert report.without_paths("Look into C:\\Users\\me\\x and elsewhere.") == "Look into <path>"
    assert report.without_paths("/media/usb/Anna Smith (old), 1/one.wav is missing.") == "<path>"
    assert report.without_paths("/srv/anna/Dr Weber.wav") == "~"
    assert report.without_paths("/srv/annabel/talks") == "<path>"
