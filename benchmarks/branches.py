"""What branches would bring: `python -m benchmarks.branches FILE ...`

A runtime with room for several texts could verify several drafts of one text in a pass, a row each, and keep the best
(trees of drafts: SpecInfer, Miao et al. 2024; with retrieval: Graft, 2026). Rows hold the text of the draft's CTC head:
the first as it is, each other with one change where the head was unsure, the likeliest first (the head right up to
there, times its second choice there), and one what followed the last tokens before, where it has. A row's scores do not
depend on the others, so the text that the target writes alone and what the head made of each window decide how many
passes that takes: they are counted, none is run.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import openvino as ov

from desktop_app.audio.spectrogram import Spectrogram
from desktop_app.decoding import longform
from desktop_app.decoding.audio_window import AudioWindow
from desktop_app.decoding.ctc import Frames, head_text
from desktop_app.decoding.drafters import Drafter, common
from desktop_app.decoding.head_text import HeadText
from desktop_app.decoding.lookahead import LookAhead
from desktop_app.decoding.ngram import NGramDrafter
from desktop_app.decoding.rules import Rules
from desktop_app.measure.recordings import audio_of
from desktop_app.messages.options import Options
from desktop_app.runtimes.ctc_openvino import graph
from desktop_app.transcript.settings import Settings
from desktop_app.transcript.statistics import Counter
from desktop_app.worker.loaded_models import ModelCache

ROWS = (1, 2, 4, 8)
LEAST_LIKELY = 0.05  # of a second choice, for a row
Array = npt.NDArray[np.float32]
Drafts = Callable[[Sequence[int], int], Sequence[Sequence[int]]]
"""Gives the rows of a pass, of so many tokens at most, behind a text."""


class Recorder(Drafter):
    """Proposes nothing, and keeps the windows with what was written in them."""

    def __init__(self) -> None:
        self.windows: list[tuple[AudioWindow, list[int]]] = []

    def begin(self, window: AudioWindow, settings: Settings, rules: Rules) -> None:
        self._window = window

    def propose(self, tokens: Sequence[int], count: int, confidence: float = 0.0) -> list[int]:
        return []

    def learn(self, tokens: Sequence[int]) -> None:
        self.windows.append((self._window, [*tokens]))


@dataclass(frozen=True)
class Change:
    """Another choice in one frame: the text with it, how likely that choice is, and how likely all before it is right
    from the beginning of the window to there, as a logarithm."""

    text: HeadText
    likely: float
    before: float


class HeadScores:
    """The CTC head of a draft, with the probabilities of all that a frame may hold."""

    def __init__(self, checkpoint: Any) -> None:
        shape = checkpoint.shape
        model = graph(checkpoint.tensors, checkpoint.ctc, shape.audio_positions, shape.width)
        best = model.get_results()[0].input_value(0).get_node().input_value(0).get_node()
        scores = ov.opset13.softmax(best.input_value(0), -1)
        wanted = [ov.opset13.result(scores), model.get_results()[1]]
        self._compiled = ov.Core().compile_model(ov.Model(wanted, model.get_parameters(), "scores"), "CPU")

    def __call__(self, encoded: Array) -> tuple[Array, Array]:
        """[frames, units], and how likely a segment ends at each position."""
        found = self._compiled([np.ascontiguousarray(encoded[None])])
        return np.array(found[0][0]), np.array(found[1][0])


def changes(likely: Array, ends: Array, text_of: Callable[[Frames], HeadText]) -> Iterator[Change]:
    """Each frame's second choice, where it is likely enough."""
    holds = likely.argmax(-1).astype(np.int32)
    certain = np.concatenate([[0.0], np.cumsum(np.log(likely.max(-1)))])
    for frame, row in enumerate(likely):
        second = int(np.argsort(row)[-2])
        if row[second] >= LEAST_LIKELY:
            other = holds.copy()
            other[frame] = second
            yield Change(text_of((other, ends)), float(row[second]), float(certain[frame]))


def passes(text: Sequence[int], drafts: Drafts, count: int) -> int:
    """How many passes a text takes; `drafts` gives the rows behind its beginning."""
    done = taken = 0
    while done < len(text):
        best = max((common(draft, text[done:]) for draft in drafts(text[:done], count)), default=0)
        done, taken = done + best + 1, taken + 1
    return taken


class Rows:
    """The drafts of a pass: the head's text, then the changes that are worth most, the last what was retrieved."""

    def __init__(self, chain: HeadText, others: Sequence[Change], retrieval: NGramDrafter, rows: int) -> None:
        self._chain, self._others, self._retrieval, self._rows = chain, others, retrieval, rows

    def __call__(self, tokens: Sequence[int], count: int) -> list[list[int]]:
        first = self._chain.after(tokens, count)
        found, here = [first], None
        if self._rows > 1 and (retrieved := self._retrieval.propose(tokens, count)) and retrieved != first:
            found.append(retrieved)
        ranked: list[tuple[float, list[int]]] = []
        for other in self._others:
            draft = other.text.after(tokens, count)
            if common(draft, first) == len(first):
                continue
            here = other.before if here is None else here  # the first change behind what is written
            ranked.append((other.before - here + float(np.log(other.likely)), draft))
        for _, draft in sorted(ranked, key=lambda each: -each[0]):
            if len(found) >= self._rows:
                break
            if draft not in found:
                found.append(draft)
        return found[: self._rows]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--precision", default="int8")
    parser.add_argument("--language", default="en")
    parser.add_argument("--look-ahead", type=int, default=15, help="tokens of a row (default: %(default)s)")
    options = parser.parse_args()
    pair = ModelCache().pair(
        Options(draft="head", precision=options.precision, language=options.language), lambda stage, **values: None
    )
    assert pair.draft and pair.draft.spelling and pair.draft.checkpoint.ctc
    spelling, units, end = pair.draft.spelling, pair.draft.checkpoint.ctc.units, pair.target.checkpoint.vocabulary.end
    head = HeadScores(pair.draft.checkpoint)
    for file in options.files:
        samples, recorder = audio_of(file), Recorder()
        setup = replace(pair.setup(), drafter=recorder, look_ahead=LookAhead(2, 2))
        extract = Spectrogram([samples], pair.mel_bins).features
        settings = Settings(options.language)
        longform.transcribe(iter([samples]), extract, setup, longform.DecodingListener(), settings, Counter())
        taken, written, retrieval = dict.fromkeys(ROWS, 0), 0, NGramDrafter()
        for window, tokens in recorder.windows:
            likely, ends = head(pair.target.model.hidden(window.encoded(pair.target.model)))

            def text_of(frames: Frames) -> HeadText:
                return head_text(frames, spelling, units, timestamps=True)

            chain = text_of((likely.argmax(-1).astype(np.int32), ends))
            others = list(changes(likely, ends, text_of))
            for rows in ROWS:
                taken[rows] += passes([*tokens, end], Rows(chain, others, retrieval, rows), options.look_ahead)
            written += len(tokens)
            retrieval.learn(tokens)
        figures = ", ".join(f"{rows}: {written / count:.3f}" for rows, count in taken.items())
        print(f"{file.name}, {written} tokens, look-ahead {options.look_ahead}; tokens a pass by rows: {figures}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
