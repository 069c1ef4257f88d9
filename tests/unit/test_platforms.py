"""What builds, signs and publishes installers for other systems, as far as it can be known without them."""

from __future__ import annotations

import os
import plistlib
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from desktop_app import __version__
from desktop_app.app.library.media import EXTENSIONS

TOP = Path(__file__).resolve().parents[2]
INSTALLER = TOP / "installer"
WINDOWS = runpy.run_path(str(INSTALLER / "windows_packages.py"))
NOTES = runpy.run_path(str(INSTALLER / "release_notes.py"))["notes"]
SCRIPT = (INSTALLER / "windows" / "galley.nsi").read_text(encoding="utf-8")


@pytest.fixture
def payload(tmp_path: Path) -> Path:
    """A folder as PyInstaller makes it on Windows, with next to nothing in it."""
    folder = tmp_path / "frozen ñ" / "galley"
    (folder / "_internal").mkdir(parents=True)
    for name in ("galley.exe", "galley-window.exe", "_internal/library.dll"):
        (folder / name).write_bytes(b"a program")
    return folder


@pytest.mark.skipif(not shutil.which("makensis"), reason="NSIS is not installed")
def test_the_windows_installer_compiles_without_a_warning_and_is_signed(
    payload: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Installer and uninstaller both, by the command that is given."""
    signed = tmp_path / "signed"
    monkeypatch.setenv("GALLEY_SIGN_WINDOWS", f'echo signed "%1" >> "{signed}"')
    content = WINDOWS["make_installer"](payload, __version__, tmp_path / "dist" / "galley.exe").read_bytes()
    assert content.startswith(b"MZ") and "The Galley authors".encode("utf-16-le") in content
    for wanted in (rb"<longPathAware[^>]*>true<", rb"PerMonitorV2", rb'level="asInvoker"'):
        assert re.search(wanted, content), "the manifest lacks it"
    assert signed.read_text().count("signed") == 2


def test_an_unsigned_windows_installer_is_said_to_be_one(
    payload: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("GALLEY_SIGN_WINDOWS", raising=False)
    monkeypatch.setattr(shutil, "which", lambda name: name)
    monkeypatch.setattr(subprocess, "run", lambda command: subprocess.CompletedProcess(command, 1))
    with pytest.raises(SystemExit, match="could not make"):
        WINDOWS["make_installer"](payload, "1.0", tmp_path / "galley.exe")
    assert "Not signed" in capsys.readouterr().out


def test_a_folder_that_is_no_windows_program_is_refused(
    payload: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: name)
    (payload / "galley-window.exe").unlink()
    with pytest.raises(SystemExit, match=r"no galley-window\.exe"):
        WINDOWS["make_installer"](payload, "1.0", tmp_path / "galley.exe")


def test_windows_offers_galley_for_every_kind_of_file_that_it_opens() -> None:
    assert set(re.findall(r"!insertmacro \$\{MACRO\} (\.\w+)", SCRIPT)) == EXTENSIONS


def test_the_uninstaller_deletes_recordings_only_after_a_yes() -> None:
    """Silent, it answers no; by itself, Return is no; and nothing else reaches the user's data."""
    [question] = [line for line in SCRIPT.splitlines() if '"$(Recordings)"' in line]
    assert "MB_DEFBUTTON2" in question and "/SD IDNO IDNO keep" in question
    deleting = re.findall(r"^\s*(RMDir .*|Delete .*)$", SCRIPT, re.M)
    assert [line for line in deleting if "$LOCALAPPDATA" in line] == [r'RMDir /r "$LOCALAPPDATA\Galley"']
    assert [line for line in deleting if "/r" in line and "$INSTDIR" in line] == [r'RMDir /r "$INSTDIR\_internal"']


def test_nothing_is_ended_by_force() -> None:
    """A recording would break off."""
    assert "taskkill" in SCRIPT and not re.search(r"taskkill[^\n]*/F\b", SCRIPT)


@pytest.mark.parametrize(
    ("version", "numbers"), [("0.1.0", "0.1.0.0"), ("1.2", "1.2.0.0"), ("0.2.0rc1", "0.2.0.0"), ("3.4.5.6", "3.4.5.0")]
)
def test_windows_gets_a_version_of_four_numbers(version: str, numbers: str) -> None:
    assert WINDOWS["numbers"](version) == numbers
    resource = WINDOWS["version_resource"](version)
    compile(resource, "version", "eval")
    assert f"'ProductVersion', '{version}'" in resource and str(tuple(map(int, numbers.split(".")))) in resource


def test_macos_is_told_what_the_microphone_is_for_and_what_galley_opens() -> None:
    values = plistlib.loads((INSTALLER / "macos" / "info.plist").read_bytes())
    assert "microphone" in values["NSMicrophoneUsageDescription"]
    languages = sorted(file.stem for file in (TOP / "resources" / "translations").glob("*.po"))
    assert sorted(values["CFBundleLocalizations"]) == sorted({"en", *languages})
    [kind] = values["CFBundleDocumentTypes"]
    assert kind["LSItemContentTypes"] == ["public.audio", "public.movie"]
    assert kind["LSHandlerRank"] == "Alternate", "Galley is offered, and takes no file from its own program"
    rights = plistlib.loads((INSTALLER / "macos" / "entitlements.plist").read_bytes())
    assert rights["com.apple.security.device.audio-input"] is True
    assert "com.apple.security.cs.disable-library-validation" not in rights


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no bash of its own")
def test_the_script_for_macos_parses_and_an_unsigned_image_is_said_to_be_one() -> None:
    script = INSTALLER / "macos" / "package.sh"
    subprocess.run(["bash", "-n", str(script)], check=True)
    assert "Not signed: " in script.read_text(encoding="utf-8")


def test_the_flatpak_packs_the_archive_of_this_version_and_may_no_more_than_it_needs() -> None:
    manifest = yaml.safe_load((INSTALLER / "flatpak" / "app.galley.Galley.yml").read_text(encoding="utf-8"))
    [module] = manifest["modules"]
    [source] = module["sources"]
    assert source["path"] == f"../../dist/galley-{__version__}-linux-x86_64.tar.gz"
    assert (INSTALLER / "flatpak" / f"{manifest['id']}.yml").is_file()
    assert not {"--filesystem=host", "--filesystem=home", "--socket=session-bus"} & set(manifest["finish-args"])


def test_the_release_runs_on_three_systems_and_names_files_that_exist() -> None:
    workflow: dict[str, Any] = yaml.safe_load((TOP / ".github/workflows/release.yml").read_text(encoding="utf-8"))
    jobs = workflow["jobs"]
    assert [jobs[name]["runs-on"].split("-")[0] for name in ("linux", "windows", "macos")] == [
        "ubuntu",
        "windows",
        "macos",
    ]
    assert sorted(jobs["release"]["needs"]) == ["linux", "macos", "windows"], "published only where all three work"
    commands = "\n".join(step.get("run", "") for job in jobs.values() for step in job["steps"])
    named = set(re.findall(r"(?<![\w/$])(?:installer|resources|desktop_app)/[\w./-]+", commands))
    assert {"installer/sbom.py", "installer/release_notes.py", "installer/windows_packages.py"} <= named
    assert [name for name in sorted(named) if not (TOP / name).is_file()] == []
    for name in ("linux", "windows", "macos"):
        tried = "\n".join(step.get("run", "") for step in jobs[name]["steps"])
        assert all(word in tried for word in ("--version", "doctor", "transcribe")), f"{name} is not tried"
    assert "sha256sum" in commands


def test_a_change_is_checked_on_three_systems_by_the_same_command_as_anywhere() -> None:
    workflow: dict[str, Any] = yaml.safe_load((TOP / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
    job = workflow["jobs"]["check"]
    systems = [name.partition("-")[0] for name in job["strategy"]["matrix"]["system"]]
    assert sorted(systems) == ["macos", "ubuntu", "windows"]
    assert job["steps"][-1]["run"] == ".ci/run"
    assert os.access(TOP / ".ci" / "run", os.X_OK)
    assert {"push", "pull_request"} <= set(workflow[True]), "YAML reads the key `on` as true"


CHANGELOG = """# Changelog

## [Unreleased]

- Later

## [0.2.0] - 2026-12-01

### Added

- One thing

## [0.2.0rc1]

- A first try

## [0.1.0]

[0.2.0]: compare
"""


def test_the_notes_of_a_release_are_its_part_of_the_changelog() -> None:
    assert NOTES(CHANGELOG, "0.2.0") == "### Added\n\n- One thing\n"
    assert NOTES(CHANGELOG, "0.2.0rc1") == "- A first try\n"


@pytest.mark.parametrize(("version", "why"), [("0.3.0", "no heading"), ("0.1.0", "says nothing")])
def test_a_version_of_which_the_changelog_says_nothing_is_not_released(version: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        NOTES(CHANGELOG, version)
