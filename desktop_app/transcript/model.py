"""What a transcript is made of. Times are seconds from the start of the audio; everything is immutable."""

from __future__ import annotations

from dataclasses import astuple, dataclass, field


@dataclass(frozen=True)
class Word:
    """One word with its place in the audio; `probability` is the target's, `speaker` an id or None."""

    text: str
    start: float
    end: float
    probability: float
    speaker: str | None = None


@dataclass(frozen=True)
class Segment:
    """A stretch of speech between two timestamps, as the target wrote it.

    `tokens` are the target's ids with both timestamps, so that two runs can be compared token for token.
    """

    id: int
    start: float
    end: float
    text: str
    tokens: tuple[int, ...] = ()
    temperature: float = 0.0
    mean_log_probability: float = 0.0
    no_speech_probability: float = 0.0
    speaker: str | None = None
    words: tuple[Word, ...] = ()


Span = tuple[float, float]
"""A stretch of the recording: begin and end in seconds."""


@dataclass(frozen=True)
class Speaker:
    """Somebody who speaks: a stable `id` and the `name` shown for it.

    `turns` are the stretches in which this voice is heard, in order and apart from each other. Turns of two speakers
    may overlap; a line of text belongs to one of them.
    """

    id: str
    name: str
    turns: tuple[Span, ...] = ()


@dataclass(frozen=True)
class Guarded:
    """What the guard did about a stretch of the recording.

    `kind` is "silence" (text left out where nobody speaks), "loop" (turns of a repetition left out) or "unwritten"
    (nothing was changed, but somebody seems to speak where there is no text). `text` is what was left out.
    """

    start: float
    end: float
    kind: str
    text: str = ""


@dataclass(frozen=True)
class Models:
    """What wrote a transcript: names of target and draft ("" without one), drafting method, device and precision in
    use.

    `notice` is one sentence that the reader of the transcript must see, or "". `final` is the target that was chosen,
    where a smaller one writes while somebody speaks; else "".
    """

    target: str
    draft: str
    drafter: str
    device: str
    precision: str
    notice: str = ""
    final: str = ""


@dataclass(frozen=True)
class Stats:
    """The figures of one run. Seconds are wall clock; the counts are defined in docs/exact.md.

    `compared` counts drafted tokens that the target looked at: up to and including the first rejection of each round.
    `target_passes` counts every pass of the target's decoder, prefill and tie guard too. `left_out` counts tokens that
    were written without the draft because it would have cost time; over them `left_out_speed` is a sum.
    """

    audio_seconds: float = 0.0
    wall_seconds: float = 0.0
    encode_seconds: float = 0.0
    draft_seconds: float = 0.0
    verify_seconds: float = 0.0
    tokens: int = 0
    target_passes: int = 0
    compared: int = 0
    drafted: int = 0
    accepted: int = 0
    near_ties: int = 0
    left_out: int = 0
    left_out_speed: float = 0.0

    def __add__(self, other: Stats) -> Stats:
        """The figures of two runs together."""
        return Stats(*(one + two for one, two in zip(astuple(self), astuple(other), strict=True)))

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


@dataclass(frozen=True)
class Transcript:
    """The whole result for one recording.

    `damage` is a sentence about what of the file could not be read, or ""; `guarded` is what the guard did, in the
    order of time.
    """

    path: str
    seconds: float
    language: str
    language_probability: float
    models: Models
    segments: tuple[Segment, ...] = ()
    speakers: tuple[Speaker, ...] = ()
    stats: Stats = field(default_factory=Stats)
    damage: str = ""
    guarded: tuple[Guarded, ...] = ()
