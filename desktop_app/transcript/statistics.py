"""What a run counts and times. The counts are defined in docs/statistics.md."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Statistics:
    """The figures of one run, or of a part of it. Seconds are wall clock.

    `compared` counts drafted tokens that the target looked at: up to and including the first rejection of each round.
    `target_passes` counts every pass of the target's decoder, prefill and tie guard too, `draft_passes` those of the
    draft's decoder: none where the drafter has no model. `head_compared` and `head_accepted` are those of the tokens
    compared and accepted that the CTC head of a draft proposed. `left_out` counts tokens that
    were written without the draft because it would have cost time; over them `left_out_speed` is a sum.
    """

    audio_seconds: float = 0.0
    wall_seconds: float = 0.0
    encode_seconds: float = 0.0
    draft_seconds: float = 0.0
    verify_seconds: float = 0.0
    tokens: int = 0
    target_passes: int = 0
    draft_passes: int = 0
    compared: int = 0
    drafted: int = 0
    accepted: int = 0
    near_ties: int = 0
    head_compared: int = 0
    head_accepted: int = 0
    left_out: int = 0
    left_out_speed: float = 0.0

    def __add__(self, other: Statistics) -> Statistics:
        """The figures of two runs together."""
        return Statistics(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))

    @property
    def acceptance(self) -> float:
        """Per-position probability that the target agrees with the draft: accepted / compared."""
        return self.accepted / self.compared if self.compared else 0.0

    @property
    def accepted_per_drafted(self) -> float:
        """The share of all drafted tokens that was used."""
        return self.accepted / self.drafted if self.drafted else 0.0

    @property
    def tokens_per_pass(self) -> float:
        """Tokens written for each pass of the target's decoder."""
        return self.tokens / self.target_passes if self.target_passes else 0.0

    @property
    def draft_worth(self) -> float:
        """How fast the text would have come with the draft where it was left out, the target alone being 1."""
        return self.left_out_speed / self.left_out if self.left_out else 0.0

    @property
    def real_time_factor(self) -> float:
        """Wall seconds for one second of audio; below 1 is faster than real time."""
        return self.wall_seconds / self.audio_seconds if self.audio_seconds else 0.0


BUSY = 0.15
"""Share of the processors; what a desktop does by itself stays well below it."""


@dataclass(frozen=True)
class Speed:
    """Seconds of audio that are transcribed in a second, by the target alone and with its draft (0 without one).
    `others` is the share of the processors that other programs used meanwhile, 0 where that is unknown."""

    alone: float
    with_draft: float
    others: float = 0.0

    @property
    def used(self) -> float:
        """That of a transcription, which drafts where it can."""
        return self.with_draft or self.alone

    @property
    def was_busy(self) -> bool:
        """Whether other programs took so much that it is faster when they do not."""
        return self.others > BUSY


class Counter:
    """The running total of one recording.

    Attributes: total (without `audio_seconds` and `wall_seconds`, which decoding does not know).
    """

    def __init__(self) -> None:
        self.total = Statistics()

    def add(self, more: Statistics) -> None:
        """Count what has happened since the last time."""
        self.total += more
