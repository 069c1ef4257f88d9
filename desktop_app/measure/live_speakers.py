"""How soon and how steadily live labels come: a conversation heard half a second at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from desktop_app.measure.conversations import Conversation
from desktop_app.measure.der import Errors, errors
from desktop_app.speakers.live import WINDOW, LiveSpeakers
from desktop_app.speakers.networks import Networks
from desktop_app.speakers.turns import Turn
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.model import Word

SOON = 3.0
"""Seconds after its end in which a word should have its last label."""

_BLOCK = SAMPLE_RATE // 2


@dataclass(frozen=True)
class LiveFigures:
    """Of one conversation: words, those whose last label came soon, changes of words older than the window, and the
    errors of what was shown at the end and of the pass that follows.
    """

    words: int
    soon: int
    frozen_changes: int
    shown: Errors
    final: Errors

    @staticmethod
    def together(each: Sequence[LiveFigures]) -> dict[str, Any]:
        """The figures of all."""
        words = sum(one.words for one in each)
        return {
            "words": words,
            "last_label_within_3_s": round(sum(one.soon for one in each) / max(1, words), 4),
            "changes_of_frozen_words": sum(one.frozen_changes for one in each),
            "der_shown": round(sum((one.shown for one in each), Errors()).rate, 4),
            "der_after_the_last_pass": round(sum((one.final for one in each), Errors()).rate, 4),
        }


def live_figures(talk: Conversation, found: Networks) -> LiveFigures:
    """Hear a conversation as a microphone gives it; computing time is not counted."""
    live = LiveSpeakers(found)
    labels: dict[int, str] = {}
    since: dict[int, float] = {}
    frozen = 0
    for at in range(0, talk.samples.size, _BLOCK):
        if not live.hear(talk.samples[at : at + _BLOCK]):
            continue
        now = (at + _BLOCK) / SAMPLE_RATE
        turns = live.turns()
        for number, word in enumerate(talk.words):
            label = _label(word, turns) if word.end <= now else None
            if label is not None and labels.get(number) != label:
                frozen += number in labels and word.end < now - WINDOW - 2.0
                labels[number], since[number] = label, now
    shown = live.turns()
    soon = sum(since[number] - talk.words[number].end <= SOON for number in since)
    return LiveFigures(len(talk.words), soon, frozen, errors(talk.turns, shown), errors(talk.turns, live.finish()))


def _label(word: Word, turns: Sequence[Turn]) -> str | None:
    """Who is heard most while a word is said; None where nobody is yet."""
    heard = [(min(word.end, turn.end) - max(word.start, turn.start), turn.speaker) for turn in turns]
    best = max(heard, default=(0.0, ""))
    if best[0] > 0:
        return best[1]
    near = [(max(turn.start - word.end, word.start - turn.end), turn.speaker) for turn in turns]
    closest = min(near, default=(np.inf, ""))
    return closest[1] if closest[0] < 0.5 else None
