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
    speaking = _times(*parts * 4, ("c", 4.0), ("", 0.5), *parts)
    names = {"a": "S1", "b": "S2", "c": "S3"}
    frozen: dict[float, str] = {}
    for at in range(0, samples.size, SAMPLE_RATE // 2):
        now = (at + SAMPLE_RATE // 2) / SAMPLE_RATE
        if listening.feed(samples[at : at + SAMPLE_RATE // 2]):
            turns = listening.turns()
            for time, who in speaking:
                if time < now - 24.0:
                    label = next((turn.speaker for turn in turns if turn.start <= time < turn.end), "")
                    frozen[time] = label
                    assert label == names[who], f"{time} s, which is old, is no longer {who}'s at {now} s"
            last = max((turn.end for turn in turns), default=0.0)
            assert now < 4 or now - last < 4.2, "everything said is labelled soon"
    assert set(frozen.values()) == {"S1", "S2"} and len(frozen) > 40
    shown = {turn.speaker for turn in listening.turns()}
    final = listening.finish()
    assert shown == {turn.speaker for turn in final} == set(names.values())


def _times(*parts: tuple[str, float]) -> list[tuple[float, str]]:
    """Times at which somebody speaks for sure, and who: not within 0.3 s of a beginning or an end."""
    found, begin = [], 0.0
    for who, seconds in parts:
        if who:
            found += [(float(time), who) for time in np.arange(begin + 0.3, begin + seconds - 0.3, 0.3)]
        begin += seconds
    return found


def test_silence_has_no_speakers() -> None:
    listening = live.LiveSpeakers(NETWORKS)
    assert not any(listening.feed(talk(("", 1))) for _ in range(1))
    listening.feed(talk(("", 5)))
    assert listening.turns() == listening.finish() == []


def test_the_last_pass_takes_nobody_for_a_speaker_who_was_heard_for_a_moment() -> None:
    """While it goes on, somebody new has to be somebody soon; afterwards the whole recording says who counts."""
    listening = live.LiveSpeakers(NETWORKS)
    samples = talk(("a", 4.0), ("", 0.5), ("c", 1.2), ("", 0.5), ("b", 4.0), ("", 0.5), ("a", 3.0), ("", 1.0))
    shown = set()
    for at in range(0, samples.size, SAMPLE_RATE // 2):
        listening.feed(samples[at : at + SAMPLE_RATE // 2])
        shown |= {turn.speaker for turn in listening.turns()}
    assert len(shown) == 3
    assert len({turn.speaker for turn in listening.finish()}) == 2
