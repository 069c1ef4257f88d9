"""Live, where nobody speaks: no word is written and nothing waits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from desktop_app.decoding.audio_window import Samples
from desktop_app.decoding.live import Live
from desktop_app.decoding.setup import Setup
from desktop_app.decoding.window import Language, WindowDecoder
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.settings import Settings

from .test_live import WORD, WORDS, Gate, Reader, Screen, extract, say, spell


def test_silence_is_never_decoded() -> None:
    model = Reader()
    screen = Screen(model).play(np.zeros(20 * SAMPLE_RATE, np.float32))
    assert model.passes == 0
    assert not screen.updates
    assert not screen.live.due


def test_silence_that_the_gate_has_passed_over_is_no_backlog() -> None:
    """Neither while it lasts nor when somebody speaks again: a wait of half a minute would frighten who sees it."""
    live = Screen(Reader()).play(say("abcd ")).live
    for _ in range(30):
        live.feed(np.zeros(SAMPLE_RATE, np.float32))
        assert live.decoded == live.received
    live.feed(say("ab"))
    assert live.due
    assert live.received - live.decoded == pytest.approx(2 * WORD * SAMPLE_RATE, abs=SAMPLE_RATE)


class Detector:
    """Hears a voice in what is long enough, and counts how often it listened."""

    def __init__(self, least: float = np.inf, most: float = np.inf) -> None:
        self.least, self.most, self.asked = least, most, 0

    def __call__(self, samples: Samples) -> Detector:
        self.asked += 1
        self.seconds = len(samples) / SAMPLE_RATE
        return self

    def longest(self, start: float, end: float) -> float:
        return 1.0 if self.least < self.seconds < self.most else 0.0

    total = longest


def test_words_in_doubt_wait_for_a_voice() -> None:
    """In what the gate took for speech nobody speaks, or only after half a second; then nobody listens again."""
    silent = Screen(Reader(), listen=Detector()).play(say("efgh ijkl "))
    assert not silent.text
    assert not any(text.final or text.provisional for text in silent.updates)
    assert [(act.kind, act.text) for act in silent.live.reports] == [("silence", "e f g h"), ("silence", "i j k l")]

    late = Detector(least=0.5)
    screen = Screen(Reader(), listen=late).play(say("efgh "))
    assert (screen.text, late.asked, screen.live.reports) == ("efgh", 2, [])


def test_a_voice_is_listened_for_from_two_seconds_before_a_window() -> None:
    """Audio is kept for that, however long the session is: the detector's state has to settle."""
    listened: list[float] = []

    def listen(samples: Samples) -> Detector:
        listened.append(len(samples) / SAMPLE_RATE)
        return Detector(least=0.0)(samples)

    Screen(Reader(), listen=listen).play(say("   efgh ijkl "), 3.0)
    assert listened == [2.0 + 4 * WORD] * 2


def test_a_noise_does_not_fix_the_language(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long it was: the guard found nobody speaking in it."""
    detected = iter([Language("cy", 0.9), Language("en", 0.6)])
    monkeypatch.setattr(WindowDecoder, "detect_language", lambda decoder, window: next(detected))
    listen = Detector(least=0.0, most=4.0)
    english = WORDS.languages["en"]
    words = replace(WORDS, languages={"cy": english, "en": english})
    live = Live(extract, Setup(Reader(), words, spell, listen=listen), Gate(), settings=Settings())
    for spoken in (say("a" * 12 + " "), say("ef ")):
        live.feed(spoken)
        assert live.update() is not None
    assert (live.language, [act.kind for act in live.reports]) == (Language("en", 0.6), ["silence"])
