"""The `galley` command in German, as a person calls it: what Galley says is German, the transcript is what was said."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop_app import resources, settings, texts
from desktop_app.app.presentation import problems
from desktop_app.problems import Problem
from tests.command import GALLEY
from tests.small_pair import NAME

TOP = Path(__file__).resolve().parents[2]
SAMPLE = resources.path("resources", "sample", "conversation.flac")


def galley(*arguments: str | Path, language: str = "de") -> subprocess.CompletedProcess[str]:
    """Run the command to its end, in the language of GALLEY_LANGUAGE."""
    run = [*GALLEY, *map(str, arguments)]
    variables = {**os.environ, "GALLEY_LANGUAGE": language, "COLUMNS": "200"}
    return subprocess.run(run, capture_output=True, encoding="utf-8", cwd=TOP, env=variables)


@pytest.fixture
def german() -> Iterator[None]:
    """German in this process too, for what is expected."""
    texts.use("de")
    yield
    texts.use("en")


def test_the_help_is_german() -> None:
    done = galley("--help")
    assert done.returncode == 0
    assert done.stdout.startswith("Aufruf: galley [DATEI ...]\n        galley BEFEHL ...\n")
    assert "\nOptionen:\n  -h, --help  diese Hilfe anzeigen\n" in done.stdout
    assert "galley transcribe  Audio- und Videodateien transkribieren\n" in done.stdout


@pytest.mark.parametrize(
    "command",
    [
        *(["transcribe"], ["record"], ["devices"], ["doctor"], ["bench"], ["models"]),
        *(["models", name] for name in ("list", "download", "add", "train-draft", "convert", "verify", "remove")),
        *(["bench", name] for name in ("accuracy", "live", "memory", "speakers", "speed")),
    ],
    ids=" ".join,
)
def test_every_option_is_explained_in_german(command: list[str]) -> None:
    """argparse fills values into these texts itself, so a translation that it cannot fill would end in an error."""
    done = galley(*command, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"Aufruf: galley {command[0]}")
    assert "(default: " not in done.stdout and "usage:" not in done.stdout and "options:" not in done.stdout


def test_wrong_usage_is_told_in_german() -> None:
    for arguments, said in (
        (["transcribe"], "galley transcribe: Fehler: diese Argumente fehlen: DATEI\n"),
        (
            ["transcribe", "a", "--task", "sing"],
            "galley transcribe: Fehler: Argument --task: ungültige Auswahl: 'sing'",
        ),
        (["record", "--seconds", "soon"], "Argument --seconds: 'soon' ist keine Zahl von Sekunden wie 90\n"),
        (["models", "verify", "a", "b"], "Fehler: unbekannte Argumente: b\n"),
    ):
        done = galley(*arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("Aufruf: ") and said in done.stderr


def test_the_transcript_is_the_same_in_every_language() -> None:
    german, english = galley("transcribe", SAMPLE), galley("transcribe", SAMPLE, language="en")
    assert german.returncode == english.returncode == 0
    assert german.stdout and german.stdout == english.stdout
    assert german.stderr.startswith(f"{NAME} mit Entwurfsmodell ")


def test_a_missing_file_is_told_in_german(german: None, tmp_path: Path) -> None:
    missing = tmp_path / "fehlt.wav"
    done = galley("transcribe", missing)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"{missing}: {problems.sentence(Problem('file.missing'))}\n" in done.stderr


def test_a_microphone_that_is_not_there_is_told_in_german(german: None, tmp_path: Path) -> None:
    done = galley("record", "--input", "keines", "--output", tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    reasons = (
        Problem("microphone.unknown", name="keines"),
        Problem("microphone.none"),
        Problem("microphone.no_portaudio"),
    )
    assert done.stderr in [f"galley: {problems.sentence(reason)}\n" for reason in reasons]
    file = tmp_path / "file"
    file.write_text("in the way", encoding="utf-8")
    done = galley("record", "--output", file)
    assert (done.returncode, done.stderr) == (
        2,
        f"{file}: Das ist eine Datei, kein Ordner. Wählen Sie einen anderen Ordner.\n",
    )


def test_the_setting_decides_where_the_environment_does_not(home: Path) -> None:
    settings.write({"language": "de"})
    assert galley("--help", language="").stdout.startswith("Aufruf: ")
    assert galley("--help", language="en").stdout.startswith("usage: ")
