"""A question to a process of its own always has an answer or a reason."""

from __future__ import annotations

import os
import time

import pytest

from desktop_app import log
from desktop_app.engine import probe
from desktop_app.problems import Problem


def good() -> list[str]:
    print("noise on the terminal")
    return ["an answer"]


def crash() -> None:
    os.abort()


def slow() -> None:
    time.sleep(60)


def unforeseen() -> None:
    raise ZeroDivisionError("division\nby zero")


def foreseen() -> None:
    raise Problem("microphone.no_portaudio")


def test_an_answer_comes_back_and_noise_goes_to_the_log(capfd: pytest.CaptureFixture[str]) -> None:
    assert probe.ask(good) == ["an answer"]
    assert capfd.readouterr() == ("", "")
    assert "noise on the terminal" in log.path().read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("question", "code", "detail"),
    [
        (crash, "engine.libraries", None),
        (unforeseen, "engine.mistake", "division by zero"),
        (foreseen, "microphone.no_portaudio", None),
    ],
)
def test_what_goes_wrong_there_is_a_problem_here(
    question: object, code: str, detail: str | None, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(Problem) as caught:
        probe.ask(question)
    assert (caught.value.code, caught.value.values.get("error")) == (code, detail)
    assert capfd.readouterr() == ("", "")


def test_no_answer_is_not_waited_for_without_end() -> None:
    with pytest.raises(Problem, match="no_answer seconds=1"):
        probe.ask(slow, seconds=0.6)
