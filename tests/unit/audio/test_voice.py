"""The voice gate: it opens before the first word, closes behind the last, and costs next to nothing in silence."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from desktop_app import resources
from desktop_app.audio.files import AudioFile
from desktop_app.audio.voice import FRAME, VoiceGate, Voices, cut_at_pause, speech
from desktop_app.transcript.constants import SAMPLE_RATE

CLIPS = Path(__file__).resolve().parents[2] / "data" / "clips"
TURNS = [
    (float(line.split()[3]), float(line.split()[3]) + float(line.split()[4]))
    for line in resources.path("resources", "sample", "conversation.rttm").read_text("utf-8").splitlines()
]


def clip(number: int) -> np.ndarray:
    with AudioFile(str(CLIPS / f"{number:02d}.flac")) as audio:
        return np.concatenate(list(audio))


def noise(seconds: float, level: float) -> np.ndarray:
    return (np.random.default_rng(1).normal(size=round(seconds * SAMPLE_RATE)) * level).astype(np.float32)


def test_speech_is_found_with_its_first_and_last_word() -> None:
    """A clip has a quarter of a second of silence before it and half a second behind it."""
    for number in range(10):
        audio = clip(number)
        found = speech(
            np.concatenate([np.zeros(2 * SAMPLE_RATE, np.float32), audio, np.zeros(2 * SAMPLE_RATE, np.float32)])
        )
        seconds = json.loads((CLIPS / "clips.json").read_text("utf-8"))[number]["seconds"]
        assert found[0][0] <= 2.3, number
        assert 2 + seconds - 0.65 <= found[-1][1] <= 2 + seconds + 0.2, number


def test_every_turn_of_a_conversation_is_heard() -> None:
    with AudioFile(str(resources.path("resources", "sample", "conversation.flac"))) as file:
        audio = np.concatenate(list(file))[: 30 * SAMPLE_RATE]
    found = speech(audio)
    for start, end in TURNS:
        if end < 29:
            covered = sum(max(0.0, min(end, to) - max(start, since)) for since, to in found)
            assert covered > 0.9 * (end - start)


def test_any_cutting_into_blocks_gives_the_same() -> None:
    audio = np.concatenate([noise(1, 1e-4), clip(0), noise(1, 1e-3), clip(1), noise(1.5, 1e-5)])
    whole = VoiceGate()
    wanted = whole.feed(audio)
    assert [starts for starts, _ in wanted] == [True, False, True, False]
    pieces, found, at = VoiceGate(), [], 0
    sizes = np.random.default_rng(2).integers(1, 3 * FRAME, 1000)
    for size in sizes:
        found += pieces.feed(audio[at : at + size])
        at += size
    assert at > len(audio)
    assert found == wanted


def test_the_pre_roll_never_reaches_into_the_speech_before() -> None:
    gate = VoiceGate()
    turns = gate.feed(np.concatenate([noise(2, 1e-4), clip(0), np.zeros(SAMPLE_RATE // 4, np.float32), clip(1)]))
    turns += gate.finish()
    places = [at for _, at in turns]
    assert places == sorted(places)
    assert places[0] >= SAMPLE_RATE


@pytest.mark.parametrize("level", [0.0, 1e-4, 3e-3, 0.05])
def test_silence_and_noise_are_no_speech(level: float) -> None:
    assert speech(noise(10, level)) == []


def test_speech_to_the_very_end_is_closed() -> None:
    gate = VoiceGate()
    audio = clip(0)[: round(1.5 * SAMPLE_RATE)]
    (begun,) = gate.feed(audio)
    assert begun[0]
    assert gate.speaking
    assert gate.finish() == [(False, len(audio))]
    assert not gate.speaking
    assert gate.finish() == []


def test_in_near_silence_the_network_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[int] = []

    class Network:
        def __call__(self, samples: np.ndarray) -> np.ndarray:
            heard.append(len(samples))
            return np.zeros(len(samples), np.float32)

    monkeypatch.setattr("desktop_app.audio.voice.Silero", Network)
    VoiceGate().feed(noise(60, 1e-4))
    assert sum(heard) == 0


def test_after_half_a_second_of_silence_the_network_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it remembers of the sound before belongs to another moment; a shorter pause it hears."""
    forgot: list[int] = []
    heard = 0

    class Network:
        def reset(self) -> None:
            forgot.append(heard)

        def __call__(self, samples: np.ndarray) -> np.ndarray:
            nonlocal heard
            heard += len(samples.reshape(-1, FRAME))
            return np.zeros(len(samples.reshape(-1, FRAME)), np.float32)

    monkeypatch.setattr("desktop_app.audio.voice.Silero", Network)
    loud, pause, silence = noise(10 * FRAME / SAMPLE_RATE, 0.1), np.zeros(16 * FRAME), np.zeros(17 * FRAME)
    gate = VoiceGate()
    gate.feed(np.concatenate([loud, pause, loud, silence, loud, pause]).astype(np.float32))
    assert forgot == [10 + 16 + 10 + 16]  # after the long silence
    assert heard == forgot[-1] + 10 + 16


def test_a_voice_is_judged_alike_whatever_was_asked_before() -> None:
    """Frames lie on one grid and the network hears a stream, so that a line's edges do not decide what it is."""
    audio = np.concatenate([noise(1, 1e-3), clip(0), noise(1, 1e-3), clip(1)])
    seconds = len(audio) / SAMPLE_RATE
    spans = [(start, start + 1.5) for start in np.arange(0, seconds - 1.5, 0.37)]
    pieces, whole = Voices(audio), Voices(audio)
    assert whole.longest(0, seconds) > 0.5
    assert whole.longest(0.0, 0.9) == 0
    assert [pieces.longest(*span) for span in spans] == [whole.longest(*span) for span in reversed(spans)][::-1]
    assert pieces.longest(-5, 2 * seconds) == whole.longest(0, seconds)
    assert Voices(audio).longest(seconds + 1, seconds + 2) == 0


def seconds(count: int) -> np.ndarray:
    """So many seconds of clips, each with its silence around it."""
    return np.concatenate([clip(number) for number in range(30)])[: count * SAMPLE_RATE]


@pytest.mark.parametrize("since", [20, 22, 25, 28])
def test_a_cut_is_in_the_longest_pause_of_the_last_ten_seconds_shortly_before_the_next_word(since: int) -> None:
    """No word is cut, and the next part does not begin with the silence before it."""
    audio = seconds(30)
    audio[since * SAMPLE_RATE : since * SAMPLE_RATE + SAMPLE_RATE * 3 // 2] *= 1e-4
    found = cut_at_pause(audio) / SAMPLE_RATE
    assert since + 0.75 <= found <= since + 2.4, "the longest pause"
    talk = speech(audio, pre_roll=0.0, tail=0.0)
    assert not any(start < found < end for start, end in talk)
    assert all(start - found > 0.1 for start, end in talk if end > found)
    assert any(found < start < found + 0.4 for start, end in talk)


def test_an_earlier_pause_is_not_looked_for() -> None:
    audio = seconds(30)
    audio[5 * SAMPLE_RATE : 12 * SAMPLE_RATE] = 0
    assert 20 * SAMPLE_RATE <= cut_at_pause(audio) <= 30 * SAMPLE_RATE


def test_every_sound_can_be_cut() -> None:
    """Silence and noise from beginning to end; speech without a pause is cut where there is least voice."""
    assert cut_at_pause(np.zeros(30 * SAMPLE_RATE, np.float32)) > 29 * SAMPLE_RATE
    assert 0 < cut_at_pause(noise(30, 0.3)) <= 30 * SAMPLE_RATE
    one = clip(0)[SAMPLE_RATE // 2 : SAMPLE_RATE]
    without = np.tile(one, 60)[: 30 * SAMPLE_RATE]
    assert 20 * SAMPLE_RATE <= cut_at_pause(without) <= 30 * SAMPLE_RATE
