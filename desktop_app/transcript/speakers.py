"""Who said what, and how a reader corrects it. Every edit gives a new transcript: keeping the old one is the undo.

A segment has one speaker, and its words have the same. Where a speaker changes inside a segment, it is split; its
`tokens` then stay with the first part, so that those of all segments together remain what the target wrote.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from desktop_app.transcript.difference import untouched
from desktop_app.transcript.model import Segment, Span, Speaker, Transcript

LONGEST_NAME = 80
"""Characters of a speaker's name."""

Place = tuple[int, int]
"""A place in the text: the id of a segment, and how many of its characters stand before the place."""


def read(fields: Mapping[str, Any]) -> Speaker:
    """The speaker whose fields were kept as JSON."""
    turns = tuple((float(begin), float(end)) for begin, end in fields["turns"])
    return Speaker(fields["id"], fields["name"], turns)


def find(transcript: Transcript, speaker: str | None) -> Speaker | None:
    """The speaker with this id, if there is one."""
    return next((each for each in transcript.speakers if each.id == speaker), None)


def name_of(transcript: Transcript, speaker: str | None) -> str:
    """The name to show for an id; "" where nobody is known."""
    found = find(transcript, speaker)
    return found.name if found else ""


def called(speaker: str) -> str:
    """What somebody whom Galley named "S" and a number is called until a reader says more."""
    return f"Speaker {speaker[1:]}"


def add(transcript: Transcript, name: str = "") -> tuple[Transcript, str]:
    """One more speaker, who has said nothing yet, and the id; without a name it is "Speaker" and a number."""
    taken = {speaker.id for speaker in transcript.speakers}
    number = next(number for number in range(1, len(taken) + 2) if f"S{number}" not in taken)
    speaker = Speaker(f"S{number}", clean_name(name) or f"Speaker {number}")
    return replace(transcript, speakers=(*transcript.speakers, speaker)), speaker.id


def rename(transcript: Transcript, speaker: str, name: str) -> Transcript:
    """The speaker has this name in the whole recording. Raises ValueError for an empty name, KeyError for nobody."""
    if not clean_name(name):
        raise ValueError("a speaker needs a name")
    _known(transcript, speaker)
    speakers = tuple(
        replace(each, name=clean_name(name)) if each.id == speaker else each for each in transcript.speakers
    )
    return replace(transcript, speakers=speakers)


def with_names(people: Iterable[Speaker], names: Mapping[str, str]) -> tuple[Speaker, ...]:
    """The speakers, those of these ids with other names."""
    return tuple(replace(each, name=names.get(each.id, each.name)) for each in people)


def with_names_given(transcript: Transcript, names: Mapping[str, str]) -> Transcript:
    """A text with the names that its speakers were given before it was whole. Two of one name are one."""
    made, first = replace(transcript, speakers=with_names(transcript.speakers, names)), dict[str, str]()
    for each in made.speakers:
        if each.id in names and each.name.casefold() in first:
            made = merge(made, [each.id], first[each.name.casefold()])
        first.setdefault(each.name.casefold(), each.id)
    return made


def reassign(transcript: Transcript, segments: Collection[int], speaker: str | None) -> Transcript:
    """Give the segments with these ids to a speaker, None for nobody, and their stretches of the turns with them.

    Somebody who loses the last line and the last turn by this is gone. Raises KeyError for a speaker that is not there.
    """
    if speaker is not None:
        _known(transcript, speaker)
    moved = [each for each in transcript.segments if each.id in segments and each.speaker != speaker]
    turns = {each.id: each.turns for each in transcript.speakers}
    for segment in moved:
        span = (segment.start, segment.end)
        own = [span]
        if segment.speaker in turns:
            own = intersect(turns[segment.speaker], [span]) or own
            turns[segment.speaker] = subtract(turns[segment.speaker], span)
        if speaker is not None:
            turns[speaker] = union([*turns[speaker], *own])
    ids = {each.id for each in moved}
    changed = tuple(spoken_by(each, speaker) if each.id in ids else each for each in transcript.segments)
    left = {each.speaker for each in changed}
    lost = {each.speaker for each in moved} - left
    speakers = tuple(
        replace(each, turns=turns[each.id])
        for each in transcript.speakers
        if turns[each.id] or each.id == speaker or each.id not in lost
    )
    return replace(transcript, segments=changed, speakers=speakers)


def reassign_selection(transcript: Transcript, begin: Place, end: Place, speaker: str | None) -> Transcript:
    """Give the text between two places to a speaker; the lines at its ends are split where it begins and stops."""
    if begin > end:
        begin, end = end, begin
    cut = _split(transcript, *end, begins_paragraph=False)  # the end first: what stands before it keeps its place
    last = end[0] if _boundary(transcript, *end) else end[0] - 1
    place, text = _boundary(cut, *begin), _text(cut, begin[0])
    first = begin[0] if place == 0 else begin[0] + 1
    if 0 < place < len(text):
        cut, last = _split(cut, *begin, begins_paragraph=False), last + 1
    return reassign(cut, range(first, last + 1), speaker)


def merge(transcript: Transcript, speakers: Collection[str], into: str) -> Transcript:
    """These speakers are one: all that they said is said by `into`, who keeps the name. KeyError for nobody."""
    _known(transcript, into)
    gone = set(speakers) - {into}
    turns = [span for each in transcript.speakers if each.id in gone or each.id == into for span in each.turns]
    return replace(
        transcript,
        segments=tuple(spoken_by(each, into) if each.speaker in gone else each for each in transcript.segments),
        speakers=tuple(
            replace(each, turns=union(turns)) if each.id == into else each
            for each in transcript.speakers
            if each.id not in gone
        ),
    )


def split(transcript: Transcript, segment: int, caret: int) -> Transcript:
    """Split the segment with this id at the boundary of words that is nearest to a place in its text; there a paragraph
    begins.

    Later segments are numbered anew. At the begin and the end there is nothing to split: the transcript as it is.
    """
    return _split(transcript, segment, caret, begins_paragraph=True)


def _split(transcript: Transcript, segment: int, caret: int, *, begins_paragraph: bool) -> Transcript:
    place, segments = _boundary(transcript, segment, caret), transcript.segments
    if not 0 < place < len(_text(transcript, segment)):
        return transcript
    at = next(at for at, each in enumerate(segments) if each.id == segment)
    first, second = split_segment(segments[at], [place])
    parts = first, replace(second, begins_paragraph=begins_paragraph)
    return replace(transcript, segments=numbered([*segments[:at], *parts, *segments[at + 1 :]]))


def split_segment(segment: Segment, places: Sequence[int]) -> list[Segment]:
    """The parts of a segment that begin at its start and at `places` of its text, which lie inside it and in order.

    With words a part begins with its first word; without, time is shared out by length of text.
    """
    text, starts = segment.text, word_places(segment)
    edges = [0, *places, len(text)]
    words = [
        tuple(word for word, start in zip(segment.words, starts, strict=True) if begin <= start < end)
        for begin, end in pairwise(edges)
    ]
    times = [segment.start]
    for place, (before, after) in zip(places, pairwise(words), strict=True):
        time = segment.start + (segment.end - segment.start) * place / len(text)
        if before and after:
            time = (before[-1].end + after[0].start) / 2
        times.append(min(max(time, times[-1]), segment.end))
    times.append(segment.end)
    return [
        replace(
            segment,
            start=times[number],
            end=times[number + 1],
            text=text[begin:end].strip(),
            tokens=segment.tokens if number == 0 else (),
            words=words[number],
            begins_paragraph=segment.begins_paragraph and number == 0,
        )
        for number, (begin, end) in enumerate(pairwise(edges))
    ]


def boundaries(segment: Segment) -> list[int]:
    """Where the text may be split: before each word but the first; in text without spaces and times anywhere."""
    if segment.words:
        return [place for place in word_places(segment) if 0 < place < len(segment.text)]
    text = segment.text
    spaced = [at + 1 for at, letter in enumerate(text[:-1]) if letter.isspace() and not text[at + 1].isspace()]
    return [place for place in spaced if place] or list(range(1, len(text)))


def word_places(segment: Segment) -> list[int]:
    """Where each word begins in the text."""
    places, at = [], 0
    for word in segment.words:
        found = segment.text.find(word.text.strip(), at)
        at = found if found >= 0 else at
        places.append(at)
        at = min(at + len(word.text.strip()), len(segment.text))
    return places


def spoken_by(segment: Segment, speaker: str | None) -> Segment:
    """The segment and its words as said by this speaker."""
    return replace(segment, speaker=speaker, words=tuple(replace(word, speaker=speaker) for word in segment.words))


def numbered(segments: Iterable[Segment]) -> tuple[Segment, ...]:
    """The segments with their place as id."""
    found = tuple(segments)
    if [each.id for each in found] == list(range(len(found))):
        return found
    return tuple(each if each.id == place else _with_id(each, place) for place, each in enumerate(found))


def _with_id(segment: Segment, number: int) -> Segment:
    """`replace`, many times as fast: all behind an edit get other numbers while somebody types."""
    made = object.__new__(Segment)
    vars(made).update(vars(segment), id=number)
    return made


def have_same_turns(before: Transcript, after: Transcript) -> bool:
    """Whether the same speakers are heard at the same times, however their words were changed, split and merged."""
    if before.speakers != after.speakers or before.seconds != after.seconds:
        return False
    if all(speaker.turns for speaker in after.speakers):  # then the lines have no part in it
        return True
    first, last = untouched(before.segments, after.segments)
    old, new = (each.segments[first : len(each.segments) - last] for each in (before, after))
    return _spans(old) == _spans(new)


def _spans(lines: Iterable[Segment]) -> dict[str | None, tuple[Span, ...]]:
    """When each speaker of these lines is heard in them."""
    spans: dict[str | None, list[Span]] = {}
    for line in lines:
        spans.setdefault(line.speaker, []).append((line.speech_start, line.end))
    return {speaker: union(each) for speaker, each in spans.items()}


def turns(transcript: Transcript) -> dict[str, tuple[Span, ...]]:
    """When each speaker is heard: `turns_of` all of them, in one pass over the lines."""
    spans = {} if all(each.turns for each in transcript.speakers) else _spans(transcript.segments)
    return {each.id: each.turns or spans.get(each.id, ()) for each in transcript.speakers}


def shares(transcript: Transcript) -> dict[str, float]:
    """The share of each speaker in all speaking time, 0 to 1; two at once count twice."""
    spoken = {who: sum(end - begin for begin, end in spans) for who, spans in turns(transcript).items()}
    total = sum(spoken.values())
    return {speaker: seconds / total if total else 0.0 for speaker, seconds in spoken.items()}


def preview(transcript: Transcript, speaker: str, seconds: float = 10.0) -> Span | None:
    """Where to listen to get to know a voice: the begin of the longest stretch in which nobody else speaks, at most
    `seconds` of it. None for somebody who is never heard.
    """
    found = find(transcript, speaker)
    alone = turns_of(transcript, found) if found else ()
    for other in transcript.speakers:
        if other.id != speaker:
            for span in turns_of(transcript, other):
                alone = subtract(alone, span)
    spans = alone or (turns_of(transcript, found) if found else ())
    if not spans:
        return None
    begin, end = max(spans, key=lambda span: span[1] - span[0])
    return begin, min(end, begin + seconds)


def turns_of(transcript: Transcript, speaker: Speaker) -> tuple[Span, ...]:
    """When somebody speaks: the turns, or the lines where no turns are known."""
    lines = ((each.speech_start, each.end) for each in transcript.segments if each.speaker == speaker.id)
    return speaker.turns or union(lines)


def union(spans: Iterable[Span]) -> tuple[Span, ...]:
    """The spans in order, those that touch or overlap as one."""
    joined: list[Span] = []
    for begin, end in sorted(spans):
        if joined and begin <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        elif end > begin:
            joined.append((begin, end))
    return tuple(joined)


def subtract(spans: Iterable[Span], hole: Span) -> tuple[Span, ...]:
    """What is left of the spans outside the hole."""
    parts = [part for begin, end in spans for part in ((begin, min(end, hole[0])), (max(begin, hole[1]), end))]
    return tuple((begin, end) for begin, end in parts if end > begin)


def intersect(spans: Iterable[Span], others: Iterable[Span]) -> list[Span]:
    """What lies both in `spans` and in `others`."""
    limits = tuple(others)
    both = [(max(begin, start), min(end, stop)) for begin, end in spans for start, stop in limits]
    return [(begin, end) for begin, end in both if end > begin]


def _known(transcript: Transcript, speaker: str) -> None:
    if find(transcript, speaker) is None:
        raise KeyError(f"there is no speaker {speaker}")


def _text(transcript: Transcript, segment: int) -> str:
    return next((each.text for each in transcript.segments if each.id == segment), "")


def _boundary(transcript: Transcript, segment: int, caret: int) -> int:
    """The boundary of words that is nearest to a place, the begin and the end of the text among them."""
    found = next((each for each in transcript.segments if each.id == segment), None)
    return min([0, *boundaries(found), len(found.text)], key=lambda place: abs(place - caret)) if found else 0


def clean_name(name: str) -> str:
    return " ".join(name.split())[:LONGEST_NAME]
