"""About: what was built from what, and every licence, readable and copied; no disk holds the window up."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtGui import QDesktopServices, QGuiApplication
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from desktop_app import resources, texts
from desktop_app.app.system import about
from desktop_app.ui.shell.about import About
from desktop_app.ui.shell.main_window import MainWindow
from tests.hub_server import serving


@pytest.fixture(autouse=True)
def english(use_language: None) -> None:
    """Here sentences are read word by word, so always in English."""
    texts.use("en")


def test_about_shows_the_build_and_reads_every_licence(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    licence = tmp_path / "LICENSE"
    licence.write_text("Do what you like.")
    gone = tmp_path / "gone"
    found = [
        about.LicenceText("Galley", resources.path("LICENSE")),
        about.LicenceText("numpy", licence),
        about.LicenceText("gone", gone),
    ]
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


def test_a_newer_version_is_asked_for_only_when_pressed_and_its_page_opened(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host is named before; a failure is a sentence, and can be tried again."""
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: not opened.append(url.toString()))
    with serving() as server:
        host = server.url.removeprefix("http://")
        address = f"{server.url}/latest.json"
        monkeypatch.setattr(about, "build", lambda: about.Build("abc", "2026-11-24", {}, updates=address))
        dialog = About(window._session.worker.post, window)
        qtbot.addWidget(dialog)
        qtbot.waitUntil(lambda: dialog.check.isVisibleTo(dialog))
        assert dialog.newest.text() == f"Asks {host}; nothing about you or your recordings is sent."
        assert not server.requests
        dialog.check.click()
        assert dialog.newest.text() == f"Asking {host}…" and not dialog.check.isEnabled()
        qtbot.waitUntil(dialog.check.isEnabled)
        assert dialog.newest.text().startswith("The newest version could not be asked for.")
        body = f'{{"version": "7.0", "page": "{server.url}/seven"}}'.encode()
        server.answers = {"/latest.json": (200, {"Content-Length": str(len(body))}, body)}
        dialog.check.click()
        qtbot.waitUntil(lambda: dialog.newest.text() == "Galley 7.0 is available.")
        assert dialog.page.text() == f"Open its page on {host}" and not opened
        dialog.page.click()
        assert opened == [f"{server.url}/seven"] and server.requests == ["GET /latest.json"] * 2
        window.show_settings()
        parts = window.settings.sections["Connections"]
        assert parts.value is not None and f"“About Galley” asks {host}." in parts.value.text()
        assert (
            "“galley devices add cuda” and “Download PyTorch” ask the package index that you name" in parts.value.text()
        )


def test_a_build_without_an_address_offers_no_check(window: MainWindow, qtbot: QtBot) -> None:
    dialog = About(window._session.worker.post, window)
    qtbot.addWidget(dialog)
    qtbot.waitUntil(lambda: "MIT License" in dialog.text.toPlainText())
    assert not any(each.isVisibleTo(dialog) for each in (dialog.check, dialog.newest, dialog.page))
    window.show_settings()
    parts = window.settings.sections["Connections"]
    assert parts.value is not None and "updates" not in parts.value.text()


def test_what_is_found_after_the_dialog_is_gone_is_dropped(window: MainWindow, qtbot: QtBot) -> None:
    calls: list[Callable[[], object]] = []
    dialog = About(calls.append, window)
    qtbot.waitUntil(lambda: bool(calls))
    dialog.done_button.click()
    delete(dialog)
    for call in calls:
        call()


def test_it_is_reached_from_the_settings(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[bool] = []
    monkeypatch.setattr(About, "exec", lambda self: shown.append(True))
    window.all_actions["about"].trigger()
    assert shown == [True]
