"""A question to a process of its own always has an answer or a reason."""

from __future__ import annotations

import os
import time

import pytest

from desktop_app.engine import log, probe


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
    raise probe.ProbeProblem("PortAudio is not installed")


def test_an_answer_comes_back_and_noise_goes_to_the_log(capfd: pytest.CaptureFixture[str]) -> None:
    assert probe.ask(good) == ["an answer"]
    assert capfd.readouterr() == ("", "")
    assert "noise on the terminal" in log.path().read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        (crash, "the system's libraries fail"),
        (unforeseen, "division by zero"),
        (foreseen, "PortAudio is not installed"),
    ],
)
def test_what_goes_wrong_there_is_a_reason_here(
    question: object, reason: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(probe.ProbeProblem) as caught:
        probe.ask(question)
    assert str(caught.value) == reason
    assert capfd.readouterr() == ("", "")


def test_no_answer_is_not_waited_for_without_end() -> None:
    with pytest.raises(probe.ProbeProblem, match="no answer after 1 s"):
        probe.ask(slow, seconds=0.6)
