"""Live, where nobody speaks: no word is written and nothing waits."""

from __future__ import annotations

import numpy as np
import pytest

from desktop_app.decoding.guard import Guard
from desktop_app.decoding.longform import RATE

from .test_live import WORD, WORDS, Reader, Screen, say, spell


def test_silence_is_never_decoded() -> None:
    model = Reader()
    screen = Screen(model).play(np.zeros(20 * RATE, np.float32))
    assert model.passes == 0
    assert not screen.updates
    assert not screen.live.due


def test_silence_that_the_gate_has_passed_over_is_no_backlog() -> None:
    """Neither while it lasts nor when somebody speaks again: a wait of half a minute would frighten who sees it."""
    live = Screen(Reader()).play(say("abcd ")).live
    for _ in range(30):
        live.feed(np.zeros(RATE, np.float32))
        assert live.decoded == live.heard
    live.feed(say("ab"))
    assert live.due
    assert live.heard - live.decoded == pytest.approx(2 * WORD * RATE, abs=RATE)


def test_words_in_doubt_wait_for_a_voice() -> None:
    """In what the gate took for speech nobody speaks, or only after half a second; then nobody listens again."""
    asked: list[int] = []
    silent = Screen(Reader(), guard=Guard(lambda samples, seconds: False, WORDS, spell)).play(say("efgh ijkl "))
    assert not silent.text
    assert not any(text.ink or text.uncommitted for text in silent.updates)
    assert [(act.kind, act.text) for act in silent.live.acts] == [("silence", "e f g h"), ("silence", "i j k l")]

    def late(samples: np.ndarray, seconds: float) -> bool:
        asked.append(len(samples))
        return len(samples) > RATE // 2

    screen = Screen(Reader(), guard=Guard(late, WORDS, spell)).play(say("efgh "))
    assert (screen.text, len(asked), screen.live.acts) == ("efgh", 2, [])
