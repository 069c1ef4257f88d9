"""What a transcript is made of. Times are seconds from the start of the audio; everything is immutable."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any

from desktop_app import problems
from desktop_app.problems import Problem
from desktop_app.transcript.statistics import Statistics


@dataclass(frozen=True)
class Word:
    """One word with its place in the audio; `probability` is the target's, `speaker` an id or None; `edited`: a reader
    has written it."""

    text: str
    start: float
    end: float
    probability: float
    speaker: str | None = None
    edited: bool = False


@dataclass(frozen=True)
class Segment:
    """A stretch of speech between two timestamps, as the target wrote it.

    After silence `start` may lie many seconds before the first word; what a reader sees and hears is `speech_start`.
    `tokens` are the target's ids with both timestamps, so that two runs can be compared token for token.
    `begins_paragraph`: a reader has begun a paragraph with it.
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
    begins_paragraph: bool = False

    @property
    def speech_start(self) -> float:
        """When the first word is said, in seconds; `start` where words are not timed."""
        return self.words[0].start if self.words else self.start


def shifted(segment: Segment, seconds: float) -> Segment:
    """The segment so much later in its recording."""
    words = tuple(
        dataclasses.replace(word, start=word.start + seconds, end=word.end + seconds) for word in segment.words
    )
    return dataclasses.replace(segment, start=segment.start + seconds, end=segment.end + seconds, words=words)


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
class GuardReport:
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

    `notices` are what the reader of the transcript must know. `final` is the target that was chosen,
    where a smaller one writes while somebody speaks; else "". `batch` is how many chunks were transcribed at the same
    time; 1 where one window followed another.
    """

    target: str
    draft: str
    drafter: str
    device: str
    precision: str
    notices: tuple[Problem, ...] = ()
    final: str = ""
    batch: int = 1

    def plain(self) -> dict[str, Any]:
        """What JSON can hold; `read_models` reads it."""
        return dataclasses.asdict(self) | {"notices": [problems.plain(one) for one in self.notices]}


NO_MODELS = Models("", "", "", "", "")
"""Of a recording that nothing has transcribed yet."""


def read_models(plain: dict[str, Any]) -> Models:
    """The models from what `Models.plain` gave."""
    return Models(**plain | {"notices": tuple(map(problems.from_plain, plain["notices"]))})


@dataclass(frozen=True)
class ResumePoint:
    """Between two windows of a file: all of what was written before that the text behind it depends on, beside the
    models and the options.

    Attributes:
        samples: of the audio at 16 kHz, that lie before the next window; `segments` were written for them.
        language, probability: what was spoken, and how likely the target held it to be.
        prompt: the tokens that the next window follows.
        spoken: when the last word ended, in seconds, where words are timed.
        file: bytes of the file, and nanoseconds of its last change.
    """

    samples: int
    segments: int
    language: str
    probability: float
    prompt: tuple[int, ...] = ()
    spoken: float = 0.0
    file: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Transcript:
    """The whole result for one recording.

    `damage` is what of the file could not be read, if anything; `guarded` is what the guard did, in the order of time.
    """

    path: str
    seconds: float
    language: str
    language_probability: float
    models: Models
    segments: tuple[Segment, ...] = ()
    speakers: tuple[Speaker, ...] = ()
    stats: Statistics = field(default_factory=Statistics)
    damage: Problem | None = None
    guarded: tuple[GuardReport, ...] = ()
