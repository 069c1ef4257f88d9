"""Speaker attribution: each word goes to the speaker with the most speech at its time; lines of two are split."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from desktop_app.speakers.turns import Turn
from desktop_app.transcript.model import Segment, Speaker, Transcript, Word
from desktop_app.transcript.speakers import boundaries, called, numbered, split_segment, spoken_by, union, word_places

SENTENCE_END = ".!?。！？…"

FLEETING = 0.3
"""Seconds; a single shorter word between the words of others is a wrong time, not a turn."""

NEAR = 1.0
"""Seconds; a word that is said outside all turns belongs to one no farther than this, else to whom the word before
does."""


def attribute(transcript: Transcript, turns: Sequence[Turn]) -> Transcript:
    """The transcript with the speakers of `turns`, which come in order of time.

    Tokens and text stay as they are; see `transcript.speakers` about lines that are split.
    """
    speakers = tuple(
        Speaker(who, called(who), union((turn.start, turn.end) for turn in turns if turn.speaker == who))
        for who in dict.fromkeys(turn.speaker for turn in turns)
    )
    lines = [part for segment in transcript.segments for part in _line(segment, _Near(turns, segment))]
    return replace(transcript, segments=numbered(lines), speakers=speakers)


class _Near:
    """The turns around a segment: a long recording has thousands of others."""

    def __init__(self, turns: Sequence[Turn], segment: Segment) -> None:
        begin = min((segment.start, *(word.start for word in segment.words))) - NEAR
        end = max((segment.end, *(word.end for word in segment.words))) + NEAR
        self.turns = [turn for turn in turns if turn.start < end and turn.end > begin]

    def speaker(self, start: float, end: float, otherwise: str | None) -> str | None:
        """The speaker with the most speech between two times; of two at once the one who spoke before."""
        seconds = seconds_of(self.turns, start, end)
        if seconds:
            most = max(seconds.values())
            return (
                otherwise if seconds.get(otherwise, 0.0) >= 0.9 * most else max(seconds, key=lambda who: seconds[who])
            )
        near = [(max(turn.start - end, start - turn.end), turn.speaker) for turn in self.turns]
        return min(near)[1] if near and min(near)[0] <= NEAR else otherwise


def seconds_of(stretches: Iterable[Turn | Segment], start: float, end: float) -> dict[str | None, float]:
    """Speaker -> seconds of speech between two times, by turns or lines; without those who do not speak there."""
    seconds: dict[str | None, float] = {}
    for each in stretches:
        both = min(end, each.end) - max(start, each.start)
        if both > 0:
            seconds[each.speaker] = seconds.get(each.speaker, 0.0) + both
    return seconds


def main_speaker(stretches: Iterable[Turn | Segment], start: float, end: float) -> str | None:
    """The speaker with the most speech between two times; None where nobody speaks."""
    seconds = seconds_of(stretches, start, end)
    return max(seconds, key=lambda who: seconds[who], default=None)


def pieces(segment: Segment) -> list[tuple[float, float, int]]:
    """What a line may be split into: begin and end of each piece, which has a share of the line's time by its length of
    text, and its place in the text."""
    length = max(segment.end - segment.start, 0.01)
    marks = [0, *boundaries(segment), max(len(segment.text), 1)]
    times = [segment.start + length * mark / marks[-1] for mark in marks]
    return [(begin, end, mark) for (begin, end), mark in zip(pairwise(times), marks, strict=False)]


def split_by_speaker(segment: Segment, places: Sequence[int], speakers: Sequence[str | None]) -> list[Segment]:
    """A line with the speakers `speakers`, one for each piece of its text; the pieces begin at `places`. Split where
    they change."""
    changes = [place for place, (before, who) in zip(places[1:], pairwise(speakers), strict=True) if who != before]
    if not changes:
        return [spoken_by(segment, speakers[0])]
    people = [who for who, _ in groupby(speakers)]
    return [spoken_by(part, who) for part, who in zip(split_segment(segment, changes), people, strict=True)]


def _line(segment: Segment, near: _Near) -> list[Segment]:
    if len({turn.speaker for turn in near.turns}) <= 1 or not segment.text:
        who = near.turns[0].speaker if near.turns else None
        return [spoken_by(segment, who)]
    if segment.words:
        return split_by_speaker(segment, word_places(segment), _settled(segment.words, _of_words(segment.words, near)))
    speakers: list[str | None] = []
    parts = pieces(segment)
    for begin, end, _ in parts:
        speakers.append(near.speaker(begin, end, speakers[-1] if speakers else None))
    return split_by_speaker(segment, [place for _, _, place in parts], speakers)


def _of_words(words: Sequence[Word], near: _Near) -> list[str | None]:
    found: list[str | None] = []
    for word in words:
        before = found[-1] if found else None
        is_mark = not any(letter.isalnum() for letter in word.text)
        found.append(
            before if is_mark and found else near.speaker(word.start, max(word.end, word.start + 0.02), before)
        )
    return found


def _settled(words: Sequence[Word], speakers: Sequence[str | None]) -> list[str | None]:
    """Without turns of one fleeting word, and with changes at the end of a sentence where one is a word away: times of
    words are a little wrong, ends of sentences are not.
    """
    found = list(speakers)
    for at in range(1, len(found)):
        if found[at] == found[at - 1]:
            continue
        if at >= 2 and not _ends(words[at - 1]) and _ends(words[at - 2]) and found[at - 2] == found[at - 1]:
            found[at - 1] = found[at]
        elif not _ends(words[at - 1]) and _ends(words[at]) and at + 1 < len(found) and found[at + 1] == found[at]:
            found[at] = found[at - 1]
    for at in range(1, len(found) - 1):
        alone = found[at - 1] != found[at] != found[at + 1]
        if alone and words[at].end - words[at].start < FLEETING and not (_ends(words[at - 1]) and _ends(words[at])):
            found[at] = found[at - 1]
    return found


def _ends(word: Word) -> bool:
    return word.text.rstrip("\"'”’)]").endswith(tuple(SENTENCE_END))


def text_by_speaker(words: Iterable[Word]) -> dict[str, str]:
    """The text of each speaker, word after word, for comparisons."""
    texts: dict[str, list[str]] = {}
    for word in words:
        texts.setdefault(word.speaker or "", []).append(word.text.strip())
    return {speaker: " ".join(pieces) for speaker, pieces in texts.items()}
