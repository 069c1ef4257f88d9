"""Real speech for the live benchmark has the time of every word, and sounds without voices have no voices."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
import soundfile

from desktop_app.measure import live_speech
from desktop_app.measure.in_process import FileText
from desktop_app.measure.recordings import recordings, sounds
from desktop_app.messages.options import Options
from desktop_app.problems import Problem
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.model import Segment, Word
from desktop_app.worker.loaded_models import Pair

NO_PAIR = cast(Pair, None)


def recognised(*words: tuple[str, float, float]) -> FileText:
    return FileText([Segment(0, 0.0, 9.0, "", words=tuple(Word(text, start, end, 1.0) for text, start, end in words))])


def test_words_have_the_targets_times_and_those_between_are_shared_out(monkeypatch: pytest.MonkeyPatch) -> None:
    found = recognised(("So", 1.0, 1.4), (" wee", 1.4, 2.0), (" went", 3.0, 3.4), ("-home.", 3.4, 4.0))
    monkeypatch.setattr(live_speech, "file_text", lambda *given: found)
    said = live_speech.spoken_words(NO_PAIR, Options(words=True), np.zeros(1, np.float32), "So we all went home", 10.0)
    assert [each.word for each in said] == ["so", "we", "all", "went", "home"]
    assert [each.start for each in said] == pytest.approx([11.0, 11 + 2 / 3, 12 + 1 / 3, 13.0, 13.4])
    assert [each.end for each in said] == pytest.approx([11.4, 11.4 + 2 / 3, 11.4 + 4 / 3, 13.4, 14.0])


def test_recordings_are_joined_with_pauses_until_they_are_long_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"{number}.flac" for number in range(6)]
    for name in names:
        soundfile.write(tmp_path / name, np.full(2 * SAMPLE_RATE, 0.5), SAMPLE_RATE)
    (tmp_path / "index.json").write_text(json.dumps([{"file": name, "text": "so", "language": "en"} for name in names]))
    asked: list[Any] = []

    def text(pair: Pair, audio: np.ndarray, options: Options) -> FileText:
        asked.append((len(audio), options.language, options.words))
        return recognised(("So", 0.5, 1.0))

    monkeypatch.setattr(live_speech, "file_text", text)
    audio, said = live_speech.real_speech(NO_PAIR, Options(), tmp_path, 10.0)
    assert asked == [(2 * SAMPLE_RATE, "en", True)] * len(said)
    assert 10 * SAMPLE_RATE <= len(audio) < 10 * SAMPLE_RATE + 2 * SAMPLE_RATE + live_speech.PAUSES[1] * SAMPLE_RATE
    for each in said:
        spoken = audio[round((each.start - 0.5) * SAMPLE_RATE) : round((each.start + 1.5) * SAMPLE_RATE)]
        assert np.all(spoken > 0.4), "a word's time is that of its recording in the whole"
    again, _ = live_speech.real_speech(NO_PAIR, Options(), tmp_path, 10.0)
    assert np.array_equal(audio, again)


def test_sounds_are_those_without_voices(tmp_path: Path) -> None:
    for name in ("001 - Dog bark/1-7-A.ogg", "001 - Dog bark/4-8-A.ogg", "004 - Baby cry/1-9-A.ogg", "notes.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert len(recordings(tmp_path)) == 3
    assert [path.name for path in sounds(tmp_path)] == ["1-7-A.ogg", "4-8-A.ogg"]
    with pytest.raises(Problem, match="no_noise"):
        sounds(tmp_path / "004 - Baby cry")
