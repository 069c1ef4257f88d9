"""`make release-check` notices each thing that must not go into a release."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

TOP = Path(__file__).resolve().parents[2]
SCRIPTS = ("release_check", "release_notes", "licences", "sbom")


@pytest.fixture
def check(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The script, imported as it is started: its neighbours are modules of their own."""
    monkeypatch.syspath_prepend(str(TOP / "installer"))
    before = set(sys.modules)
    yield __import__("release_check")
    for name in set(SCRIPTS) - before:
        sys.modules.pop(name, None)


@pytest.fixture
def checkout(check: ModuleType, tmp_path: Path) -> Path:
    """A copy of what is checked, with one message in the program and one language."""
    for name in (*check.COPIES, "CHANGELOG.md", "desktop_app/__init__.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(TOP / name, tmp_path / name)
    (tmp_path / "desktop_app" / "page.py").write_text('_("Export…")\n', encoding="utf-8")
    translations = tmp_path / "resources" / "translations"
    translations.mkdir(parents=True)
    (translations / "de.po").write_text('msgid "Export…"\nmsgstr "Exportieren…"\n', encoding="utf-8")
    return tmp_path


def change(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def test_this_checkout_has_one_version_and_its_changes(check: ModuleType) -> None:
    assert [*check.check_version(TOP), *check.check_changelog(TOP, "")] == []


def test_every_copy_of_the_version_is_compared(check: ModuleType, checkout: Path) -> None:
    version = check.version(checkout)
    change(checkout / "desktop_app" / "__init__.py", f'"{version}"', '"9.9.9"')
    assert list(check.check_version(checkout)) == [
        f"{name} has version {version}, desktop_app/__init__.py 9.9.9"
        for name in ("installer/flatpak/app.galley.Galley.yml", "docs/design/installer-size.md")
    ]
    change(checkout / "installer" / "linux" / "galley.1", "@VERSION@", "0.0.1")
    assert "installer/linux/galley.1 has version 0.0.1, desktop_app/__init__.py 9.9.9" in check.check_version(checkout)


def test_a_place_where_no_version_is_found_any_more_is_no_agreement(check: ModuleType, checkout: Path) -> None:
    change(checkout / "docs" / "design" / "installer-size.md", "Galley ", "Gally ")
    assert [*check.check_version(checkout)] == [
        f"docs/design/installer-size.md has version none, desktop_app/__init__.py {check.version(checkout)}"
    ]


def test_the_changelog_has_the_version_and_for_a_tag_its_date(check: ModuleType, checkout: Path) -> None:
    changelog, version = checkout / "CHANGELOG.md", check.version(checkout)
    changelog.write_text(f"# Changelog\n\n## [{version}] - unreleased\n\n- One thing\n", encoding="utf-8")
    assert [*check.check_changelog(checkout, "")] == []
    assert [*check.check_changelog(checkout, f"v{version}")] == [f"CHANGELOG.md gives no date beside [{version}]"]
    change(changelog, "unreleased", "2027-01-31")
    assert [*check.check_changelog(checkout, f"v{version}")] == []
    change(changelog, f"[{version}]", "[Unreleased]")
    assert [*check.check_changelog(checkout, "")] == [f"CHANGELOG.md has no heading [{version}]."]


@pytest.mark.parametrize("entry", ["", 'msgid "Export…"\nmsgstr ""\n', '#, fuzzy\nmsgid "Export…"\nmsgstr "Ausfuhr"\n'])
def test_a_message_without_a_translation_is_counted(check: ModuleType, checkout: Path, entry: str) -> None:
    assert [*check.check_translations(checkout)] == []
    (checkout / "resources" / "translations" / "de.po").write_text(entry, encoding="utf-8")
    assert [*check.check_translations(checkout)] == ["de.po lacks 1 of 1 messages: make texts"]


@pytest.mark.parametrize(
    ("status", "said", "found"), [(0, "", []), (1, "a\nRESULTS.md differs\n", ["RESULTS.md differs"])]
)
def test_figures_are_asked_for(
    check: ModuleType, monkeypatch: pytest.MonkeyPatch, status: int, said: str, found: list[str]
) -> None:
    def run(command: list[str], **options: object) -> SimpleNamespace:
        assert command[1:] == ["-m", "benchmarks.figures", "--check"]
        return SimpleNamespace(returncode=status, stderr=said, stdout="")

    monkeypatch.setattr(subprocess, "run", run)
    assert [*check.check_figures(TOP)] == found


def test_a_package_without_the_text_of_its_licence_is_named(check: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check.licences, "packages", lambda: {"tokenizers": [], "numpy": []})
    monkeypatch.setattr(check.licences, "_TEXT", check.re.compile("no such file"))
    assert [*check.check_licences()] == ["numpy brings no text of its licence along: name it in installer/licences.py."]


def test_the_tag_is_the_version(check: ModuleType, checkout: Path) -> None:
    assert [*check.check_tag(checkout, "")] == []
    assert [*check.check_tag(checkout, f"v{check.version(checkout)}")] == []
    assert [*check.check_tag(checkout, check.version(checkout))] != []


def test_one_mistake_is_enough_and_the_other_checks_still_speak(
    check: ModuleType, checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(check, "check_figures", lambda top: iter(()))
    monkeypatch.setattr(check, "check_licences", lambda: iter(()))
    assert check.main(checkout, "") == 0
    assert check.main(checkout, "v9.9.9") == 1
    said = capsys.readouterr().out.splitlines()[6:]
    assert said[0] == "version: ok"
    assert said[-1] == f"tag: the tag is v9.9.9, the version wants v{check.version(checkout)}"
