"""No name and no text from outside can steer a terminal, and a stream that is closed takes nothing with it."""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from desktop_app import cli, printing
from desktop_app.cli.live_screen import LiveScreen
from desktop_app.cli.screen import Screen

TOP = Path(__file__).resolve().parents[2]
ATTACK = "a\x1b]0;owned\x07\x1b[2J\x9b31m\r\x7f\u202etxt.exe\u2066"


def steers(text: str) -> bool:
    """Whether anything in it would do more on a terminal than stand there."""
    return any(letter in text for letter in "\x1b\x07\x9b\r\x7f\u202e\u2066\x00\b")


def test_control_characters_are_replaced_and_lines_stay() -> None:
    assert steers(ATTACK)
    assert not steers(printing.printable(ATTACK))
    plain = "One\tline,\nund noch eine: שלום \u200f سلام\u200cها 👩\u200d👧\n"
    assert printing.printable(plain) == plain
    assert printing.one_line("a\nb\x1b\udcff") == "a?b?\udcff"


def test_all_that_a_screen_shows_is_without_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal and without one, text, sentences and what moves; rich has its own sequences."""
    for terminal in (False, True):
        shown = io.StringIO()
        shown.isatty = lambda terminal=terminal: terminal  # type: ignore[method-assign,misc]
        monkeypatch.setenv("TERM", "xterm-256color")
        monkeypatch.setattr(sys, "stderr", shown)
        monkeypatch.setattr(sys, "stdout", shown)
        with Screen() as screen:
            screen.show(ATTACK, 1, 2, ATTACK)
            screen.text(ATTACK)
            screen.say(ATTACK)
        with LiveScreen() as live:
            live.status.source = live.status.final = live.status.provisional = live.status.draft = ATTACK
            live.line(ATTACK)
            live.say(ATTACK)
        for attack in ("\x1b]0", "owned\x07", "\x1b[2J", "\x9b", "\x7f", "\u202e"):
            assert attack not in shown.getvalue()
        assert shown.getvalue().count("owned") >= 4


def test_nothing_else_writes_to_the_streams() -> None:
    """What is printed past `printing` could steer a terminal, or fail where a stream is closed."""
    written = re.compile(r"(?<!\.)\bprint\(|sys\.std(out|err)\.write|Console\((?!file=printing)")
    for folder in ("cli", "measure"):
        for file in (TOP / "desktop_app" / folder).rglob("*.py"):
            assert not written.search(file.read_text(encoding="utf-8")), file


def test_a_name_in_a_usage_error_cannot_steer_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["transcribe", "a.wav", f"--{ATTACK}"]) == 2
    assert cli.main(["transcribe", ATTACK, "--format", ATTACK]) == 2
    out, err = capsys.readouterr()
    assert "owned" in err
    assert not steers(out + err)


@pytest.mark.skipif(sys.platform == "win32", reason="a shell closes the streams")
@pytest.mark.parametrize(
    ("closed", "status"), [(">&-", 1), ("2>&-", 0), ("<&-", 0), ("<&- >&- 2>&-", 1), (">/dev/full", 1)]
)
def test_a_closed_stream_is_no_mistake_and_lost_output_is_no_success(closed: str, status: int, tmp_path: Path) -> None:
    """Its number must not become that of a file of Galley's, which would then hold what libraries print."""
    command = f"{shlex.quote(sys.executable)} -m desktop_app models list {closed}"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, cwd=TOP)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr and "Exception" not in done.stderr
    if status and "2>&-" not in closed:
        assert done.stderr.startswith("galley: The output cannot be written")
        assert ("closed" in done.stderr) == (">&-" in closed)
        assert done.stderr.count("\n") == 1


def test_a_reader_that_has_enough_ends_it_without_a_word() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    run = [sys.executable, "-m", "desktop_app", "models", "list"]
    done = subprocess.run(run, stdout=writer, stderr=subprocess.PIPE, text=True, cwd=TOP)
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, "")
