"""What the guard did is said in one sentence."""

from __future__ import annotations

from desktop_app.transcript.guarded import sentence
from desktop_app.transcript.model import GuardReport


def test_nothing_done_is_nothing_said() -> None:
    assert sentence(()) == ""


def test_each_kind_is_named_with_its_first_places() -> None:
    silent = [GuardReport(at, at + 4.9, "silence", "Thank you.") for at in (0.0, 60.0, 120.0, 180.0, 240.0)]
    said = sentence([*silent, GuardReport(4000, 4030, "loop", "no no no"), GuardReport(9, 20, "unwritten")])
    assert said == (
        "The guard left out text where nobody speaks (0:00–0:04, 1:00–1:04, 2:00–2:04 and 2 more); "
        "left out turns of a repetition (1:06:40–1:07:10); found speech without text (0:09–0:20)."
    )
