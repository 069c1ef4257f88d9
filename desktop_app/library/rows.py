"""Transcripts and recordings as rows of the library's tables, and back.

Rows may be damaged: each value is checked when it is read. What is whole stands, and the rest is told by `DAMAGED`.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from desktop_app import problems
from desktop_app.problems import Problem
from desktop_app.transcript.model import (
    NO_MODELS,
    GuardReport,
    Models,
    Segment,
    Speaker,
    Transcript,
    Word,
    read_models,
)
from desktop_app.transcript.speakers import read as read_speaker
from desktop_app.transcript.statistics import Statistics

_REWORDED = '{"reworded": true'  # how the corrections of a text begin whose words were changed
RECORDING = (
    "id, path, name, created, state, seconds, problem, live, corrected != '',"
    f" substr(corrected, 1, {len(_REWORDED)}) = '{_REWORDED}', resume != '', title, tags, notes, place,"
    " CASE wanted WHEN '' THEN asked ELSE wanted END, marks"
)
TRANSCRIPT = "path, seconds, language, language_probability, models, stats, speakers, damage, guarded"
SEGMENT = (
    "id, begins, ends, text, tokens, temperature, mean_log_probability, no_speech_probability, speaker, words,"
    " begins_paragraph"
)
STATES = ("waiting", "working", "recording", "done", "failed", "cancelled", "interrupted")
DAMAGED = Problem("library.row")
"""What a recording says that has values which cannot be read."""

_LONGEST = 1e8  # seconds; more is no length of a recording
_FIRST_YEAR, _LAST_YEAR = 1971, 9998  # every time zone can show them
_UNKNOWN_DATE = datetime(_FIRST_YEAR, 1, 1, tzinfo=UTC)
Value = TypeVar("Value")


class Garbled(str):
    """Text whose bytes, `data`, are no UTF-8; question marks stand for what cannot be read."""

    data = b""


def decoded(data: bytes) -> str:
    """The text of a value; for SQLite, which does not check it."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        text = Garbled(data.decode(errors="replace"))
        text.data = data
        return text


class _Reader:
    """Reads the values of a row. Attributes: damaged (whether one of them could not be read)."""

    def __init__(self) -> None:
        self.damaged = False

    def read(self, make: Callable[[Any], Value], value: Any, otherwise: Value) -> Value:
        """What `make` makes of a value, or `otherwise` where it raises."""
        try:
            self.damaged |= isinstance(value, Garbled)
            return make(value)
        except (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError):
            self.damaged = True
            return otherwise


@dataclass(frozen=True)
class Recording:
    """A file that was given to Galley.

    Attributes:
        id: Galley's own name for it, also good as the name of an engine job.
        path: where the file lay; `name` is its file name, fit to be shown.
        created: when it was added, in UTC.
        state: "waiting", "working", "recording", "done", "failed", "cancelled" or "interrupted" (the program ended
            meanwhile).
        seconds: its length, 0.0 while unknown.
        problem: why it failed, if it did.
        live: whether Galley recorded the file itself, and may delete it; not one that the user has located.
        corrected: whether a reader has corrected it, and `reworded`: in its words too.
        resumable: whether its transcription was broken off behind a place that is known.
        title, tags, notes: what the user calls it, how it is sorted, and what was written about it.
        place: where it stands in the queue, 0.0 until somebody has moved it; those with a lower one come first.
        asked: the options that its text was asked for with, or the next one if that has not begun, as JSON, "" where
            unknown.
        marks: moments of it that the user has marked, in seconds and in order.
        damaged: whether values of its row could not be read; others stand for them.
    """

    id: str
    path: str
    name: str
    created: datetime
    state: str
    seconds: float
    problem: Problem | None
    live: bool
    corrected: bool = False
    reworded: bool = False
    resumable: bool = False
    title: str = ""
    tags: tuple[str, ...] = ()
    notes: str = ""
    place: float = 0.0
    asked: str = ""
    marks: tuple[float, ...] = ()
    damaged: bool = False


def showable(text: str) -> str:
    """Text that SQLite and a screen can take: the bytes of a file name that are no UTF-8 become question marks."""
    return text.encode(errors="replace").decode()


def path_value(path: str) -> bytes:
    """A path as its bytes, so that any file name comes back as it was."""
    return os.fsencode(path)


def models_value(models: Models) -> str:
    """The models as JSON."""
    return json.dumps(models.plain())


def stats_value(stats: Statistics) -> str:
    """The figures as JSON."""
    return json.dumps(asdict(stats))


def speakers_value(speakers: Sequence[Speaker]) -> str:
    """The speakers as JSON."""
    return json.dumps([vars(speaker) for speaker in speakers])


def tags_value(tags: Sequence[str]) -> str:
    """The tags as JSON."""
    return json.dumps(list(tags), ensure_ascii=False)


def marks_value(marks: Sequence[float]) -> str:
    """Marked moments as JSON."""
    return json.dumps(list(marks))


def _marks(value: Any) -> tuple[float, ...]:
    return tuple(sorted(map(_length, json.loads(value))))


def read_tags(value: Any) -> tuple[str, ...]:
    """The tags, from their JSON; none where that is damaged."""
    return _Reader().read(_tags, value, ())


def guarded_value(guarded: Sequence[GuardReport]) -> str:
    """What the guard did as JSON."""
    return json.dumps([asdict(one) for one in guarded])


def read_guarded(value: Any) -> tuple[GuardReport, ...]:
    """What the guard did, from its JSON; nothing where that is damaged."""
    return _Reader().read(_guarded, value, ())


def read_date(value: Any) -> datetime:
    """A moment from its text; one long ago where that is damaged."""
    return _Reader().read(_date, value, _UNKNOWN_DATE)


def read_text(value: Any) -> str:
    """A text; "" where it is damaged."""
    return _Reader().read(_text, value, "")


def read_models_of(value: Any) -> Models:
    """The models from their JSON; none where that is damaged."""
    return _Reader().read(_models, value, NO_MODELS)


def corrected_value(transcript: Transcript, reworded: bool = False) -> str:
    """Who speaks when in a text that a reader has corrected, and whether words of it were changed, as JSON."""
    lines = ", ".join(json.dumps((line.start, line.end, line.speaker)) for line in transcript.segments)
    people = json.dumps([vars(speaker) for speaker in transcript.speakers])
    mark = '"reworded": true, ' if reworded else ""
    return f'{{{mark}"lines": [{lines}], "speakers": {people}}}'  # line by line: in one, Python's lock would be kept


def corrected(value: Any) -> Transcript | None:
    """A transcript without words that has those speakers and times; None where there is none, or it is damaged."""
    return _Reader().read(_corrected, value, None) if value else None


def _corrected(value: Any) -> Transcript:
    fields = json.loads(value)
    lines = enumerate(fields["lines"])
    segments = tuple(
        Segment(place, _length(start), _length(end), "", speaker=speaker) for place, (start, end, speaker) in lines
    )
    speakers = tuple(read_speaker(each) for each in fields["speakers"])
    return Transcript("", 0.0, "", 0.0, NO_MODELS, segments, speakers)


def recording(row: Sequence[Any]) -> Recording:
    """The recording in a row of the columns RECORDING."""
    return _plain_recording(row) or _checked_recording(row)


def _plain_recording(row: Sequence[Any]) -> Recording | None:
    """The same for a row that is surely whole and has nothing special, as nearly all are: in a tenth of the time."""
    key, path, name, created, state, seconds, problem, live, corrected, reworded, resumable, *labels = row
    title, tags, notes, position, asked, marks = labels
    if (
        problem != ""
        or tags != "[]"
        or marks != "[]"
        or state not in STATES
        or type(seconds) is not float
        or not 0.0 <= seconds <= _LONGEST
        or type(path) is not bytes
        or not path
        or b"\0" in path
        or not (type(key) is type(name) is type(created) is type(title) is type(notes) is str)
        or not (name.isascii() and title.isascii() and notes.isascii())
        or not (live == 0 or live == 1)
        or type(asked) is not str
        or type(position) is not float
        or not math.isfinite(position)
        or not created.endswith("+00:00")
        or not "1971" <= created[:4] <= "9998"
    ):
        return None
    try:
        when = datetime.fromisoformat(created)
    except ValueError:
        return None
    flags = bool(live), bool(corrected), bool(reworded), bool(resumable)
    place = os.fsdecode(path)
    return Recording(key, place, name, when, state, seconds, None, *flags, title, (), notes, position, asked)


def _checked_recording(row: Sequence[Any]) -> Recording:
    key, path, name, created, state, seconds, problem, live, corrected, reworded, resumable = row[:11]
    title, tags, notes, position, asked, marks = row[11:]
    reader = _Reader()
    place = reader.read(_path, path, "")
    return Recording(
        reader.read(_text, key, str(key)),
        place,
        reader.read(_text, name, showable(Path(place).name)),
        reader.read(_date, created, _UNKNOWN_DATE),
        reader.read(_state, state, "interrupted"),
        reader.read(_length, seconds, 0.0),
        reader.read(_problem, problem, None),
        reader.read(_flag, live, otherwise=False),
        reader.read(_flag, corrected, otherwise=False),
        reader.read(_flag, reworded, otherwise=False),
        reader.read(_flag, resumable, otherwise=False),
        reader.read(_text, title, ""),
        reader.read(_tags, tags, ()),
        reader.read(_text, notes, ""),
        reader.read(_number, position, 0.0),
        reader.read(_text, asked, ""),
        reader.read(_marks, marks, ()),
        reader.damaged,
    )


def problem_value(problem: Problem | None) -> str:
    """A problem as JSON, "" for none."""
    return json.dumps(problems.plain(problem), ensure_ascii=False) if problem else ""


def transcript(row: Sequence[Any], segments: Sequence[Sequence[Any]], damaged: bool = False) -> Transcript:
    """The transcript in a row of the columns TRANSCRIPT and rows of the columns SEGMENT.

    Its `damage` is DAMAGED if one of them, or something else of the recording, is `damaged`.
    """
    path, seconds, language, probability, models, stats, speakers, damage, guarded = row
    reader = _Reader()
    lines = [line for values in segments if (line := _segment(reader, values)) is not None]
    made = Transcript(
        path=reader.read(_path, path, ""),
        seconds=reader.read(_length, seconds, 0.0),
        language=reader.read(_text, language, ""),
        language_probability=reader.read(_number, probability, 0.0),
        models=reader.read(_models, models, NO_MODELS),
        segments=tuple(lines),
        speakers=reader.read(_speakers, speakers, ()),
        stats=reader.read(_statistics, stats, Statistics()),
        damage=reader.read(_problem, damage, None),
        guarded=reader.read(_guarded, guarded, ()),
    )
    return replace(made, damage=DAMAGED) if damaged or reader.damaged else made


def transcript_values(made: Transcript) -> tuple[Any, ...]:
    """The values of the columns TRANSCRIPT without the path."""
    return (
        made.seconds,
        made.language,
        made.language_probability,
        models_value(made.models),
        stats_value(made.stats),
        speakers_value(made.speakers),
        problem_value(made.damage),
        guarded_value(made.guarded),
    )


def segment_values(segment: Segment) -> tuple[Any, ...]:
    """The values of the columns SEGMENT."""
    return (
        segment.id,
        segment.start,
        segment.end,
        segment.text,
        json.dumps(segment.tokens),
        segment.temperature,
        segment.mean_log_probability,
        segment.no_speech_probability,
        segment.speaker,
        json.dumps([vars(word) for word in segment.words]),
        int(segment.begins_paragraph),
    )


def _segment(reader: _Reader, row: Sequence[Any]) -> Segment | None:
    """The line in a row of the columns SEGMENT; None where not even its text can be read."""
    key, start, end, text, tokens, temperature, mean, no_speech, speaker, words, begins_paragraph = row
    written = reader.read(_text, text, None)
    if written is None:
        return None
    begins = reader.read(_length, start, 0.0)
    return Segment(
        reader.read(_whole, key, 0),
        begins,
        max(reader.read(_length, end, begins), begins),
        written,
        reader.read(_tokens, tokens, ()),
        reader.read(_number, temperature, 0.0),
        reader.read(_number, mean, 0.0),
        reader.read(_number, no_speech, 0.0),
        None if speaker is None else reader.read(_text, speaker, None),
        reader.read(_words, words, ()),
        bool(reader.read(_whole, begins_paragraph, 0)),
    )


# What each value has to be. All raise ValueError, TypeError, LookupError, AttributeError, OverflowError or
# RecursionError for others.


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return showable(str(value))


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise TypeError(value)
    return value


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(value)
    return value


def _length(value: Any) -> float:
    if not 0 <= _number(value) <= _LONGEST:
        raise ValueError(value)
    return float(value)


def _flag(value: Any) -> bool:
    if value not in (0, 1):
        raise ValueError(value)
    return bool(value)


def _path(value: Any) -> str:
    path = os.fsdecode(value)
    if not path or "\0" in path:
        raise ValueError(path)
    return path


def _date(value: Any) -> datetime:
    when = datetime.fromisoformat(value)
    if not _FIRST_YEAR <= when.year <= _LAST_YEAR:
        raise ValueError(value)
    return when.replace(tzinfo=when.tzinfo or UTC)


def _state(value: Any) -> str:
    if value not in STATES:
        raise ValueError(value)
    return str(value)


def _problem(value: Any) -> Problem | None:
    return problems.from_plain(json.loads(value)) if value else None


def _models(value: Any) -> Models:
    made = read_models(json.loads(value)) if value else NO_MODELS
    for text in (made.target, made.draft, made.drafter, made.device, made.precision, made.final):
        _text(text)
    return made


def _statistics(value: Any) -> Statistics:
    figures = json.loads(value) if value else {}
    for figure in figures.values():
        _number(figure)
    return Statistics(**figures)


def _speakers(value: Any) -> tuple[Speaker, ...]:
    found = tuple(read_speaker(fields) for fields in json.loads(value))
    for one in found:
        _text(one.id), _text(one.name)
        for turn in one.turns:
            _length(turn[0]), _length(turn[1])
    return found


def _tags(value: Any) -> tuple[str, ...]:
    found = json.loads(value)
    if not isinstance(found, list):
        raise TypeError(value)
    return tuple(_text(tag) for tag in found)


def _guarded(value: Any) -> tuple[GuardReport, ...]:
    found = tuple(GuardReport(**fields) for fields in json.loads(value))
    for one in found:
        _length(one.start), _length(one.end), _text(one.kind), _text(one.text)
    return found


def _tokens(value: Any) -> tuple[int, ...]:
    return tuple(_whole(token) for token in json.loads(value))


def _is_usual(word: Word) -> bool:
    """Whether a word is as Galley writes most of them, told in one look: a long text has a hundred thousand."""
    return (
        type(word.text) is str
        and type(word.start) is type(word.end) is type(word.probability) is float
        and 0.0 <= word.start <= _LONGEST
        and 0.0 <= word.end <= _LONGEST
        and 0.0 <= word.probability <= 1.0
        and word.edited is False
        and (word.speaker is None or type(word.speaker) is str)
    )


def _words(value: Any) -> tuple[Word, ...]:
    found = tuple(Word(**fields) for fields in json.loads(value))
    for word in found:
        if _is_usual(word):
            continue
        _text(word.text), _length(word.start), _length(word.end), _number(word.probability), _flag(word.edited)
        if word.speaker is not None:
            _text(word.speaker)
    return found
