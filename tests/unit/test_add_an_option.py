"""CONTRIBUTING's recipe "Add an option" holds: one declaration reaches the command line, the form of the window, the
settings, the resuming of a file and JSON. It is followed in a copy of the package."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
LAST = "\n\nDECLARED: Mapping"
DECLARATION = """
    accent: str = _option(
        "--accent",
        N_("accent of those who speak"),
        default="",
        metavar="ACCENT",
        title=N_("Accent"),
        hint=N_("As you would call it"),
        setting="accent",
    )
"""
USE = """
import json
from types import SimpleNamespace

from PySide6.QtWidgets import QApplication, QLabel

from desktop_app.app.background import BackgroundThread
from desktop_app.app.recordings import resuming
from desktop_app.app.settings.preferences import Preferences
from desktop_app.app.signals import Signal
from desktop_app.cli import arguments, model_arguments
from desktop_app.messages.options import Options, TRANSCRIBE, as_json, from_json
from desktop_app.ui.versions.form import OptionsForm
from desktop_app.ui.widgets.theme import Theme

given = arguments.command("transcribe", ["talk.wav", "--accent", "broad"])
options = model_arguments.options(given, TRANSCRIBE, words=False)
assert options.accent == "broad", options
assert resuming.options(resuming.asked(options)) == options
assert json.loads(json.dumps(as_json(options)))["accent"] == "broad" and from_json(as_json(options)) == options

worker = BackgroundThread("settings", lambda call: call())
preferences = Preferences(worker)
preferences.choose(accent="soft")
worker.close()
assert Preferences(worker).options().accent == "soft"

program = QApplication([])
models = SimpleNamespace(
    list=None, in_use="", find=lambda name: None, at=lambda folder: None,
    devices=None, devices_found=Signal(), look_for_devices=lambda: None,
)
form = OptionsForm(Theme(program, preferences), models, preferences)
assert "Accent" in [label.text() for label in form.findChildren(QLabel)]
assert form.controls["accent"].line.text() == "soft"
form.controls["accent"].line.setText("none")
assert form.options().accent == "none"
"""


def test_one_declaration_is_enough(tmp_path: Path) -> None:
    shutil.copytree(TOP / "desktop_app", tmp_path / "desktop_app", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("resources", "models"):
        (tmp_path / name).symlink_to(TOP / name)
    options = tmp_path / "desktop_app" / "messages" / "options.py"
    before = options.read_text(encoding="utf-8")
    assert before.count(LAST) == 1
    options.write_text(before.replace(LAST, DECLARATION + LAST), encoding="utf-8")
    surroundings = {**os.environ, "PYTHONPATH": str(tmp_path), "QT_QPA_PLATFORM": "offscreen", "GALLEY_LANGUAGE": "en"}
    ran = subprocess.run(
        [sys.executable, "-c", USE], cwd=tmp_path, env=surroundings, capture_output=True, text=True, timeout=110
    )
    assert ran.returncode == 0, ran.stderr


def test_each_flag_stands_in_one_file() -> None:
    """grep finds where an option is declared."""
    sources = {file: file.read_text(encoding="utf-8") for file in (TOP / "desktop_app").rglob("*.py")}
    declared = sources[TOP / "desktop_app" / "messages" / "options.py"]
    for flag in (
        "--target",
        "--draft",
        "--vocabulary",
        "--guard",
        "--temperature",
        "--condition",
        "--words",
        "--batch",
    ):
        assert declared.count(f'"{flag}"') == 1
        assert [file.name for file, text in sources.items() if f'"{flag}"' in text] == ["options.py"], flag
