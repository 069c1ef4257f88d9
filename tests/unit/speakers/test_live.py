"""Live labels: soon, steady, and never changed once they are old."""

from __future__ import annotations

import numpy as np

from desktop_app.speakers import live
from desktop_app.transcript.constants import SAMPLE_RATE
from tests.unit.speakers.voices import NETWORKS, talk


def test_labels_come_soon_and_people_keep_their_names(monkeypatch) -> None:
    monkeypatch.setattr(live, "WINDOW", 20.0)
    parts = [("a", 3.0), ("", 0.5), ("b", 3.0), ("", 0.5), ("a", 2.0), ("", 0.4), ("b", 0.6), ("", 0.5)]
    samples = talk(*parts * 4, ("c", 4.0), ("", 0.5), *parts)
    listening = live.LiveSpeakers(NETWORKS)
    frozen: dict[float, str] = {}
    for at in range(0, samples.size, SAMPLE_RATE // 2):
        now = (at + SAMPLE_RATE // 2) / SAMPLE_RATE
        if listening.hear(samples[at : at + SAMPLE_RATE // 2]):
            turns = listening.turns()
            for time in np.arange(0.25, now - 24.0, 0.5):
                label = next((turn.speaker for turn in turns if turn.start <= time < turn.end), "")
                assert frozen.setdefault(float(time), label) == label, "what is old does not change"
            last = max((turn.end for turn in turns), default=0.0)
            assert now < 4 or now - last < 4.2, "everything said is labelled soon"
    shown = {turn.speaker for turn in listening.turns()}
    final = listening.finish()
    assert shown == {turn.speaker for turn in final} == {"S1", "S2", "S3"}
    assert final[0].speaker == "S1" and frozen


def test_silence_has_no_speakers() -> None:
    listening = live.LiveSpeakers(NETWORKS)
    assert not any(listening.hear(talk(("", 1))) for _ in range(1))
    listening.hear(talk(("", 5)))
    assert listening.turns() == listening.finish() == []


def test_the_last_pass_takes_nobody_for_a_speaker_who_was_heard_for_a_moment() -> None:
    """While it goes on, somebody new has to be somebody soon; afterwards the whole recording says who counts."""
    listening = live.LiveSpeakers(NETWORKS)
    samples = talk(("a", 4.0), ("", 0.5), ("c", 1.2), ("", 0.5), ("b", 4.0), ("", 0.5), ("a", 3.0), ("", 1.0))
    shown = set()
    for at in range(0, samples.size, SAMPLE_RATE // 2):
        listening.hear(samples[at : at + SAMPLE_RATE // 2])
        shown |= {turn.speaker for turn in listening.turns()}
    assert len(shown) == 3
    assert len({turn.speaker for turn in listening.finish()}) == 2
