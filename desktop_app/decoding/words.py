"""Word timestamps by cross-attention.

The method is openai/whisper's (`timing.py`): the attention of a few heads that follow the audio is normalised over the
tokens, smoothed by a median filter and aligned by dynamic time warping; a token begins where the path reaches it. The
corrections of words that are too long, at the ends of sentences and segments, are its corrections. Tokens never change.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from string import punctuation

import numpy as np
import numpy.typing as npt

SMOOTH = 7  # width of the median filter, in frames
_MEDIAN = ((0, 5), (0, 3), (1, 6), (2, 4), (0, 1), (3, 5), (2, 6), (2, 3), (3, 6), (4, 5), (1, 4), (1, 3), (3, 4))
"""Exchanges after which the median of seven values stands in the middle (N. Devillard, Fast median search, 1998)."""

FRAMES_A_SECOND = 50.0
LONGEST_MEDIAN = 0.7  # seconds; a longer median would come from pauses, not from words
OPENING, CLOSING, SENTENCE_END = "\"'“¿([{-", "\"'.。,，!！?？:：”)]}、", ".。!！?？"
UNSPACED = frozenset({"zh", "ja", "th", "lo", "my", "yue"})
"""Languages that are written without spaces: there a word is a character."""
BROKEN = "\ufffd"  # the decoder's replacement for bytes that are no character

Matrix = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Timing:
    """A word of the target's text with its tokens, start and end in seconds of the window, and mean probability."""

    text: str
    tokens: tuple[int, ...]
    start: float
    end: float
    probability: float


def split(
    tokens: Sequence[int], text: Callable[[Sequence[int]], str], spaced: bool
) -> list[tuple[str, tuple[int, ...]]]:
    """Words and their tokens: at spaces and punctuation, or character by character in languages without spaces."""
    words: list[tuple[str, tuple[int, ...]]] = []
    for piece, ids in _characters(tokens, text):
        if not words or not spaced or piece.startswith(" ") or piece.strip() in punctuation:
            words.append((piece, ids))
        else:
            words[-1] = (words[-1][0] + piece, words[-1][1] + ids)
    return words


def align(
    attention: Matrix, first: int, probabilities: Matrix, words: Sequence[tuple[str, tuple[int, ...]]], frames: int
) -> list[Timing]:
    """The timing of `words`, which are the text's tokens in order.

    `attention` are the alignment heads' scores before the softmax, [heads, rows, frames]: a row for each token that was
    read. From row `first` on they predict the text's tokens and the end token; the others are used for normalisation
    only. `probabilities` [tokens] are the text tokens', `frames` is the number of frames with audio.
    """
    weights = np.exp(attention[:, :, :frames] - attention[:, :, :frames].max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    weights = (weights - weights.mean(-2, keepdims=True)) / np.maximum(weights.std(-2, keepdims=True), 1e-10)
    predicting = weights[:, first : first + len(probabilities) + 1]
    path_tokens, path_frames = warp(-smooth(predicting).mean(0))
    begins = path_frames[np.flatnonzero(np.diff(path_tokens, prepend=-1))] / FRAMES_A_SECOND
    timings, at = [], 0
    for text, ids in words:
        end = at + len(ids)
        mean = float(probabilities[at:end].mean())
        timings.append(Timing(text, ids, float(begins[at]), float(begins[end]), mean))
        at = end
    return timings


def smooth(weights: Matrix) -> Matrix:
    """Median filter over the last axis of [heads, tokens, frames], with the ends mirrored.

    By exchanges of whole matrices, a head at a time, it takes a twelfth of the time of `np.median`.
    """
    half, frames = SMOOTH // 2, weights.shape[-1]
    if frames <= half:
        return weights
    padded = np.pad(weights, [(0, 0), (0, 0), (half, half)], mode="reflect")
    smoothed = np.empty_like(weights)
    for head, rows in enumerate(padded):
        shifted = [rows[:, first : first + frames] for first in range(SMOOTH)]
        for low, high in _MEDIAN:
            one, other = shifted[low], shifted[high]
            shifted[low], shifted[high] = np.minimum(one, other), np.maximum(one, other)
        smoothed[head] = shifted[half]
    return smoothed


def warp(cost: Matrix) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The cheapest path through `cost` [rows, columns] from corner to corner, by steps of one row, one column or both.

    Dynamic time warping, an anti-diagonal at a time: the cells of one depend on the two before it alone.
    """
    rows, columns = cost.shape
    total = np.full((rows + 1, columns + 1), np.inf)
    total[0, 0] = 0.0
    step = np.zeros((rows + 1, columns + 1), np.int8)  # 0 both, 1 a row, 2 a column
    for diagonal in range(2, rows + columns + 1):
        row = np.arange(max(1, diagonal - columns), min(rows, diagonal - 1) + 1)
        column = diagonal - row
        both, up, left = total[row - 1, column - 1], total[row - 1, column], total[row, column - 1]
        taken = np.where((both < up) & (both < left), 0, np.where((up < both) & (up < left), 1, 2))
        step[row, column] = taken
        total[row, column] = cost[row - 1, column - 1] + np.choose(taken, [both, up, left])
    row_path, column_path = [], []
    at_row, at_column = rows, columns
    while at_row > 0 and at_column > 0:
        row_path.append(at_row - 1)
        column_path.append(at_column - 1)
        taken_here = step[at_row, at_column]
        at_row -= taken_here != 2
        at_column -= taken_here != 1
    return np.array(row_path[::-1]), np.array(column_path[::-1])


def spans(timings: Sequence[Timing], counts: Sequence[int]) -> list[tuple[float, float]]:
    """Start and end of consecutive pieces of a text with `counts` tokens each; tokens without a time get the last
    one."""
    times = [(timing.start, timing.end) for timing in timings for _ in timing.tokens]
    end = times[-1][1] if times else 0.0
    found, at = [], 0
    for count in counts:
        part = times[at : at + count] or [(end, end)]
        found.append((part[0][0], part[-1][1]))
        at += count
    return found


def tidy(timings: Sequence[Timing]) -> tuple[list[Timing], float]:
    """Shorten overlong words at sentence ends and merge punctuation into words; also the median length of a word.

    A word with tokens but without text was punctuation that is now part of its neighbour.
    """
    lengths = [timing.end - timing.start for timing in timings if timing.end != timing.start]
    median = min(LONGEST_MEDIAN, float(np.median(lengths))) if lengths else 0.0
    words = list(timings)
    for i in range(1, len(words)):
        if words[i].end - words[i].start > 2 * median:
            if words[i].text in SENTENCE_END:
                words[i] = replace(words[i], end=words[i].start + 2 * median)
            elif words[i - 1].text in SENTENCE_END:
                words[i] = replace(words[i], start=words[i].end - 2 * median)
    return _with_punctuation(words), median


def fit(words: list[Timing], start: float, end: float, median: float, last_speech: float) -> tuple[list[Timing], float]:
    """The words of one segment with its first and last word corrected where they are too long; also the speech's end.

    `start` and `end` are the segment's, `last_speech` is the end of the speech before it, all on the words' own clock.
    """
    if not words:
        return words, last_speech
    longest = 2 * median
    first, second = words[0], words[1] if len(words) > 1 else None
    stretched = first.end - first.start > longest or (second is not None and second.end - first.start > 2 * longest)
    if first.end - last_speech > 4 * median and stretched:  # the first words after a pause include part of it
        if second is not None and second.end - second.start > longest:
            border = max(second.end / 2, second.end - longest)
            first, words[1] = replace(first, end=border), replace(second, start=border)
        words[0] = first = replace(first, start=max(0.0, first.end - longest))
    if start < first.end and start - 0.5 > first.start:
        words[0] = replace(first, start=max(0.0, min(first.end - median, start)))
    last = words[-1]
    if end > last.start and end + 0.5 < last.end:
        words[-1] = replace(last, end=max(last.start + median, end))
        return words, end
    return words, last.end


def _characters(tokens: Sequence[int], text: Callable[[Sequence[int]], str]) -> list[tuple[str, tuple[int, ...]]]:
    """The shortest runs of tokens that spell whole characters, or bytes that are none in the whole text either."""
    found: list[tuple[str, tuple[int, ...]]] = []
    whole, at = text(tokens), 0
    run: list[int] = []
    for token in tokens:
        run.append(token)
        spelled = text(run)
        broken = at + spelled.find(BROKEN)
        if BROKEN not in spelled or whole[broken : broken + 1] == BROKEN:
            found.append((spelled, tuple(run)))
            at += len(spelled)
            run = []
    if run:
        found.append((text(run), tuple(run)))
    return found


def _with_punctuation(words: list[Timing]) -> list[Timing]:
    """Opening marks go to the word behind them, closing marks to the word before them."""
    after = len(words) - 1
    for i in range(len(words) - 2, -1, -1):
        mark, word = words[i], words[after]
        if mark.text.startswith(" ") and mark.text.strip() in OPENING:
            words[after] = replace(word, text=mark.text + word.text, tokens=mark.tokens + word.tokens)
            words[i] = replace(mark, text="", tokens=())
        else:
            after = i
    before = 0
    for i in range(1, len(words)):
        word, mark = words[before], words[i]
        if not word.text.endswith(" ") and mark.text in CLOSING:
            words[before] = replace(word, text=word.text + mark.text, tokens=word.tokens + mark.tokens)
            words[i] = replace(mark, text="", tokens=())
        else:
            before = i
    return [word for word in words if word.tokens]
