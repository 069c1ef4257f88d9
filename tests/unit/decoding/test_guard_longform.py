"""What the guard is given in the long form: when the target listened to each line, and the audio before a window."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest

from desktop_app.decoding import longform
from desktop_app.decoding.audio_window import AudioWindow, Samples
from desktop_app.decoding.guard import Guard, SpeechTimes, WordTimes
from desktop_app.decoding.lines import Line
from desktop_app.decoding.longform import BEFORE, MARGIN, DecodingListener, transcribe
from desktop_app.decoding.setup import Setup
from desktop_app.decoding.window import WindowText
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.model import GuardReport
from desktop_app.transcript.settings import Settings

from .test_live import WORD, WORDS, Reader, extract, say, spell


class Spy(Guard):
    """Keeps all lines, and what it was given."""

    def __init__(self) -> None:
        super().__init__(Setup(Reader(), WORDS, spell))
        self.windows: list[AudioWindow] = []
        self.spoken: list[list[tuple[float, float]]] = []

    def check(
        self,
        window: AudioWindow,
        text: WindowText,
        lines: Sequence[Line],
        covered: float,
        speech_times: SpeechTimes | None = None,
        word_times: WordTimes | None = None,
    ) -> tuple[list[Line], list[GuardReport]]:
        assert speech_times is not None and word_times is not None
        self.windows.append(window)
        self.spoken.append(list(speech_times(lines)))
        words = word_times(lines)
        assert all(end == start for (_, end), (start, _) in pairwise(words)), "without a gap"
        assert not lines or words[0][0] == self.spoken[-1][0][0]
        return list(lines), []


def test_each_line_comes_with_the_time_at_which_the_target_listened_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    margins, places = list[int](), list[int]()

    def features(samples: Samples, bins: int, before: Samples, behind: Samples, place: int) -> np.ndarray:
        margins.append(len(before))
        places.append(place)
        return extract(samples, bins)

    audio = say("abcd efgh" + " " * 24 + "ijkl ")
    spy = Spy()
    monkeypatch.setattr(longform, "Guard", lambda setup: spy)
    transcribe(iter([audio]), features, Setup(Reader(), WORDS, spell), DecodingListener(), Settings(language="en"))
    first, *others = spy.windows
    ends = [end for _, end in spy.spoken[0]]
    assert ends[:2] == pytest.approx([4 * WORD, 8 * WORD + 1], abs=0.1)
    assert (len(first.before), first.place) == (0, 0)
    for window in others:
        np.testing.assert_array_equal(window.before, audio[max(0, window.place - BEFORE) : window.place])
    assert others
    assert places == [window.place for window in spy.windows]
    assert max(margins) == MARGIN, "features depend on no more than their margin"
    assert BEFORE > SAMPLE_RATE
