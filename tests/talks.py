"""Conversations for tests and pictures: who says what, and when."""

from __future__ import annotations

from desktop_app.transcript.model import Models, Segment, Speaker, Transcript, Word
from desktop_app.transcript.statistics import Statistics

_TABLE = ("Rose", "Arthur", "Speaker 3", "Dr. Ingeborg Halvorsen", "Ben")
_LINES = (
    (0, "We have about half an hour, so let us begin with the roof and see how far we come before lunch."),
    (1, "The roof is done. They finished it on Tuesday, and the gutters too."),
    (1, "What is left is the chimney, and nobody has told me yet when the man comes who does that."),
    (2, "He comes on Friday."),
    (0, "Good. Then the scaffold can go next week, and the garden will be a garden again."),
    (3, "I would keep it standing a little longer. There are two places on the north wall that one reaches from it."),
    (4, "How long is a little?"),
    (3, "Ten days. Perhaps two weeks, if it rains."),
    (0, "It always rains."),
    (1, "Then let us ask what the scaffold costs for another two weeks, and decide on Monday."),
    (4, "I can ask. I have to call them about the invoice anyway."),
    (2, "And somebody has to tell the neighbours, because their drive is blocked as long as it stands there."),
    (0, "I will do that tonight. They were kind about it the last time, with all the dust and the noise."),
    (3, "Bring them some of the plums."),
    (0, "There is a whole basket of them by the door."),
    (1, "Next is the kitchen."),
)  # fmt: skip


def talk(speakers: int = 2, rounds: int = 1, named: bool = True) -> Transcript:
    """A conversation of so many people; `rounds` times as long. Times of words are even."""
    segments: list[Segment] = []
    turns: dict[int, list[tuple[float, float]]] = {}
    at = 0.4
    for _ in range(rounds):
        for who, text in _LINES:
            who %= speakers
            end = at + 0.35 * len(text.split()) + 0.3
            segments.append(_segment(len(segments), at, end, text, f"S{who + 1}"))
            turns.setdefault(who, []).append((at, end - 0.15))
            at = end + 0.25
    people = tuple(
        Speaker(f"S{who + 1}", _TABLE[who] if named else f"Speaker {who + 1}", tuple(turns.get(who, ())))
        for who in range(speakers)
    )
    stats = Statistics(
        audio_seconds=at, wall_seconds=at / 8, encode_seconds=1.0, draft_seconds=1.5, verify_seconds=2.5,
        tokens=40 * rounds, target_passes=14 * rounds, draft_passes=34, compared=30, drafted=34, accepted=27,
    )  # fmt: skip
    models = Models("base", "base draft", "model", "CPU", "f32")
    return Transcript("talk.flac", at, "en", 0.99, models, tuple(segments), people, stats)


def _segment(number: int, start: float, end: float, text: str, speaker: str) -> Segment:
    spoken = text.split()
    step = (end - start) / len(spoken)
    words = tuple(
        Word(word, start + step * place, start + step * (place + 1), 0.9, speaker) for place, word in enumerate(spoken)
    )
    return Segment(number, start, end, text, tuple(range(len(spoken))), speaker=speaker, words=words)
