"""Lines: the text of a window, cut at its timestamps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from desktop_app.decoding.vocabulary import Vocabulary


@dataclass(frozen=True)
class Line:
    """A segment, finished or not: seconds from the start of the recording, the target's tokens with their
    timestamps."""

    start: float
    end: float
    tokens: tuple[int, ...]


def cut(
    tokens: Sequence[int], vocabulary: Vocabulary, begin: float, seconds: float, finished: bool
) -> tuple[list[Line], float]:
    """Cut the text of a window that starts at `begin` and holds `seconds` of audio into lines, at each pair of
    timestamps.

    The second value says how many seconds of the window are covered: the next window starts there. With a pair in the
    text, what follows the last pair is dropped and decoded again in the next window, unless the text ends with a
    single timestamp: then there is no speech after it. In an unfinished text the open end stays a line. No line reaches
    beyond the audio; one that the target places after its end has no length.
    """
    is_time = [vocabulary.is_timestamp(token) for token in tokens]
    cuts = [i for i in range(1, len(tokens)) if is_time[i - 1] and is_time[i]]
    closed = len(tokens) >= 2 and is_time[-1] and not is_time[-2]
    lines: list[Line] = []
    last = 0
    for stop in [*cuts, *([len(tokens)] if closed and cuts else [])]:
        part = tuple(tokens[last:stop])
        lines.append(_line(part, begin, vocabulary.seconds(part[0]), vocabulary.seconds(part[-1]), seconds))
        last = stop
    rest = tuple(tokens[last:])
    if not finished:
        return [*lines, *([_open_line(rest, vocabulary, begin, seconds)] if rest else [])], 0.0
    if cuts:
        return lines, seconds if closed else min(vocabulary.seconds(tokens[last - 1]), seconds)
    return [_open_line(rest, vocabulary, begin, seconds)] if rest else [], seconds


def _open_line(tokens: tuple[int, ...], vocabulary: Vocabulary, begin: float, seconds: float) -> Line:
    times = [vocabulary.seconds(token) for token in tokens if vocabulary.is_timestamp(token)]
    start = times[0] if times else 0.0
    end = times[-1] if times and times[-1] > start else seconds
    return _line(tokens, begin, start, end, seconds)


def _line(tokens: tuple[int, ...], begin: float, start: float, end: float, seconds: float) -> Line:
    return Line(begin + min(start, seconds), begin + min(end, seconds), tokens)
