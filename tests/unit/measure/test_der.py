"""The scorers agree with pyannote.metrics and meeteval, and with what can be counted by hand."""

from __future__ import annotations

import numpy as np
import pytest
from pyannote.core import Annotation, Segment, Timeline
from pyannote.metrics.diarization import DiarizationErrorRate

from desktop_app.measure.conversations import Conversation
from desktop_app.measure.der import Errors, errors
from desktop_app.measure.speakers import summary, word_figures
from desktop_app.speakers.turns import Turn, joined
from desktop_app.transcript.model import Word

REFERENCE = [Turn(0.0, 10.0, "ann"), Turn(8.0, 14.0, "bob"), Turn(15.0, 20.0, "ann")]


def test_counted_by_hand() -> None:
    assert errors(REFERENCE, REFERENCE).rate == 0
    found = [Turn(0.0, 10.0, "x"), Turn(10.0, 16.0, "y"), Turn(16.0, 21.0, "x")]
    assert errors(REFERENCE, found) == Errors(21.0, pytest.approx(2.0), pytest.approx(2.0), pytest.approx(1.0))
    assert errors(REFERENCE, []) == Errors(21.0, 21.0, 0.0, 0.0)
    assert errors([], found).rate == 0, "nothing was said, so there is no rate"
    assert errors(REFERENCE, found, seconds=14.0).confusion == 0


def annotation(turns: list[Turn]) -> Annotation:
    found = Annotation()
    for number, turn in enumerate(turns):
        found[Segment(turn.start, turn.end), number] = turn.speaker
    return found.support()


def drawn(rng: np.random.Generator, people: str) -> list[Turn]:
    starts = np.sort(rng.uniform(0, 60, 25)).round(2)
    turns = [Turn(float(at), float(round(at + rng.uniform(0.3, 6), 2)), str(rng.choice([*people]))) for at in starts]
    return joined(turns, 0.0)


@pytest.mark.parametrize("collar", [0.0, 0.25])
@pytest.mark.parametrize("seed", range(6))
def test_the_same_as_pyannote_metrics(seed: int, collar: float) -> None:
    rng = np.random.default_rng(seed)
    reference, found = drawn(rng, "abcd"[: 2 + seed % 3]), drawn(rng, "vwxyz"[: 1 + seed % 5])
    metric = DiarizationErrorRate(collar=2 * collar, skip_overlap=False)  # pyannote counts both sides together
    theirs = metric(annotation(reference), annotation(found), uem=Timeline([Segment(0, 80)]), detailed=True)
    mine = errors(reference, found, collar)
    assert mine.total == pytest.approx(theirs["total"], abs=1e-6)
    assert mine.missed == pytest.approx(theirs["missed detection"], abs=1e-6)
    assert mine.false_alarm == pytest.approx(theirs["false alarm"], abs=1e-6)
    assert mine.confusion == pytest.approx(theirs["confusion"], abs=1e-6)


def test_words_with_the_wrong_speaker_count_as_missing_there_and_invented_here() -> None:
    pytest.importorskip("meeteval", reason="meeteval is not installed")
    words = tuple(
        Word(text, at, at + 0.9, 1.0, who) for at, (text, who) in enumerate(zip("abcdef", "xxxyyy", strict=True))
    )
    talk = Conversation("t", np.zeros(96_000, np.float32), (Turn(0, 3, "x"), Turn(3, 6, "y")), words)
    assert word_figures(talk, [Turn(0, 3, "S1"), Turn(3, 6, "S2")]) == {"count": 6, "errors": 0, "cpwer": 0.0}
    late = word_figures(talk, [Turn(0, 4, "S1"), Turn(4, 6, "S2")])
    assert late == {"count": 6, "errors": 2, "cpwer": pytest.approx(2 / 6, abs=1e-4)}


def test_rates_are_of_all_the_speech_and_not_means_of_rates() -> None:
    rates = {"seconds": 10.0, "missed_s": 1.0, "false_alarm_s": 0.0, "confusion_s": 0.0}
    long = {"seconds": 90.0, "missed_s": 0.0, "false_alarm_s": 0.0, "confusion_s": 0.0}
    common = {
        "overlap": 0.0,
        "real_time_factor": 0.1,
        "processor_time_factor": 0.1,
        "words": {"count": 5, "cpwer": None},
    }
    rows = [
        {"speakers": 2, "found": 2, "seconds": 10.0, "collar_0": rates, "collar_250ms": rates} | common,
        {"speakers": 3, "found": 5, "seconds": 90.0, "collar_0": long, "collar_250ms": long} | common,
    ]
    found = summary(rows)
    assert found is not None and found["collar_0"]["der"] == 0.01
    assert (found["count_right"], found["count_at_most_one_off"]) == (0.5, 0.5)
    assert summary([]) is None
