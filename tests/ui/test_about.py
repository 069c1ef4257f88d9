"""About: what was built from what, and every licence, readable and copied; no disk holds the window up."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from desktop_app import resources, texts
from desktop_app.app import about
from desktop_app.ui.shell.about import About
from desktop_app.ui.shell.window import Window


@pytest.fixture(autouse=True)
def english(use_language: None) -> None:
    """Here sentences are read word by word, so always in English."""
    texts.use("en")


def test_about_shows_the_build_and_reads_every_licence(
    window: Window, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    licence = tmp_path / "LICENSE"
    licence.write_text("Do what you like.")
    gone = tmp_path / "gone"
    found = [about.Text("Galley", resources.path("LICENSE")), about.Text("numpy", licence), about.Text("gone", gone)]
    monkeypatch.setattr(about, "licences", lambda: found)
    dialog = About(window._session.worker.post, window)
    qtbot.addWidget(dialog)
    qtbot.waitUntil(lambda: "MIT License" in dialog.text.toPlainText())
    assert "OpenVINO" in dialog.facts.text() and dialog.licences.count() == 3
    dialog.licences.setCurrentRow(1)
    qtbot.waitUntil(lambda: dialog.text.toPlainText() == "Do what you like.")
    dialog.licences.setCurrentRow(2)
    qtbot.waitUntil(lambda: "gone" in dialog.text.toPlainText())
    dialog.copy.click()
    assert QGuiApplication.clipboard().text() == "\n".join(about.lines())
    dialog.done_button.click()
    assert dialog.result() == About.DialogCode.Accepted


def test_it_is_reached_from_the_settings(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[bool] = []
    monkeypatch.setattr(About, "exec", lambda self: shown.append(True))
    window.all_actions["about"].trigger()
    assert shown == [True]
