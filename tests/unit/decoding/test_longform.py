"""Recordings of any length: where windows begin, which lines they give, and that only one window of audio is kept."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from desktop_app.decoding import longform
from desktop_app.decoding.audio_window import BEFORE
from desktop_app.decoding.drafters import Drafter
from desktop_app.decoding.longform import DecodingListener, Line, cut, share_out, transcribe
from desktop_app.decoding.protocol import Scores
from desktop_app.decoding.setup import Setup
from desktop_app.decoding.speculation import CancelledError
from desktop_app.decoding.window import Language
from desktop_app.decoding.words import Timing
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.model import ResumePoint, Segment
from desktop_app.transcript.settings import Settings

from .toys import END, ENGLISH, FIRST_TIME, GERMAN, NO_SPEECH, SIZE, START, TEXT, Toy, vocabulary

PREVIOUS = 11  # a word of the toy's, so rarely that it stands for the token before a prompt


def at(seconds: float) -> int:
    return FIRST_TIME + round(seconds / 2)


class Scripted:
    """Writes the texts it is given, one a window, whatever it hears; remembers how much audio each window had."""

    positions, epsilon, mel_bins = 40, 0.0, 2

    def __init__(self, texts: list[list[int]], silent: Sequence[int] = ()) -> None:
        self.texts, self.silent, self.encoded_lengths = texts, silent, []
        self._tokens: list[int] = []

    def encode(self, features: np.ndarray) -> int:
        self.encoded_lengths.append(int(features[0, 0]))
        return len(self.encoded_lengths) - 1

    def open(self, encoded: int) -> Scripted:
        self._window, self._tokens = encoded, []
        return self

    @property
    def length(self) -> int:
        return len(self._tokens)

    def rewind(self, length: int) -> None:
        del self._tokens[length:]

    def run(self, tokens: Sequence[int]) -> Scores:
        rows = []
        for token in tokens:
            self._tokens.append(token)
            row = np.full(SIZE, -20.0, np.float32)
            if token == START:
                row[GERMAN] = 5
            if self._window in self.silent:
                row[:TEXT] = -1.0
                row[NO_SPEECH] = 9
            written = len(self._tokens) - 3
            text = [*self.texts[self._window], END]
            if written >= 0:
                row[text[min(written, len(text) - 1)]] = 0.0  # a draft may run on past the end
            rows.append(row)
        return np.stack(rows)


class Notes(DecodingListener):
    def __init__(self) -> None:
        self.languages: list[Language] = []
        self.made: list[Segment] = []
        self.seen: list[tuple[tuple[Line, ...], tuple[int, ...]]] = []
        self.done: list[float] = []

    def language(self, language: Language) -> None:
        self.languages.append(language)

    def tentative(self, lines: Sequence[Line], draft: Sequence[int]) -> None:
        self.seen.append((tuple(lines), tuple(draft)))

    def segments(self, segments: Sequence[Segment], done_seconds: float) -> None:
        self.made.extend(segments)
        self.done.append(done_seconds)


def blocks(seconds: float, size: int = 4000) -> Iterator[np.ndarray]:
    left = round(seconds * SAMPLE_RATE)
    while left:
        yield np.zeros(min(size, left), np.float32)
        left -= min(size, left)


def extract(samples: np.ndarray, bins: int, before: np.ndarray, behind: np.ndarray, place: int) -> np.ndarray:
    """Features that tell how many samples there were."""
    return np.full((bins, 12), len(samples), np.float32)


def say(tokens: Sequence[int]) -> str:
    return " ".join(f"word{token}" for token in tokens if token < END)


def run(model: Scripted, seconds: float, **options: object) -> Notes:
    notes = Notes()
    transcribe(blocks(seconds), extract, Setup(model, vocabulary(previous=PREVIOUS), say), notes, Settings(**options))  # type: ignore[arg-type]
    return notes


def test_a_pair_of_timestamps_ends_a_line_and_moves_the_next_window_to_it() -> None:
    model = Scripted([[at(0), 1, at(4), at(4), 2, at(10), at(10), 3], [at(0), 4, at(6)]])
    notes = run(model, 40, language="en")
    assert [(line.start, line.end, line.tokens) for line in notes.made] == [
        (0, 4, (at(0), 1, at(4))),
        (4, 10, (at(4), 2, at(10))),
        (10, 16, (at(0), 4, at(6))),
    ]
    assert model.encoded_lengths == [30 * SAMPLE_RATE, 30 * SAMPLE_RATE]
    assert notes.done == [10, 40]


def test_a_single_timestamp_at_the_end_means_that_the_whole_window_is_heard() -> None:
    notes = run(Scripted([[at(0), 1, at(4), at(4), 2, at(8)], [at(2), 3, at(4)]]), 35, language="en")
    assert [(line.start, line.end) for line in notes.made] == [(0, 4), (4, 8), (32, 34)]
    assert notes.done == [30, 35]


def test_a_text_without_end_reaches_to_the_end_of_the_window_and_no_further_than_the_audio() -> None:
    assert [(s.start, s.end) for s in run(Scripted([[at(0), 1, 2]]), 7.5, language="en").made] == [(0, 7.5)]
    assert [(s.start, s.end) for s in run(Scripted([[at(0), 1, at(8)]]), 7.5, language="en").made] == [(0, 7.5)]


def test_windows_follow_one_another_to_the_last_sample() -> None:
    texts = [[at(0), 1, at(20), at(20)] for _ in range(5)]
    model = Scripted(texts)
    notes = run(model, 90, language="en")
    assert notes.done == [20, 40, 60, 80, 90]
    assert model.encoded_lengths == [30 * SAMPLE_RATE] * 4 + [10 * SAMPLE_RATE]


def test_silence_writes_nothing_and_the_work_goes_on_behind_it() -> None:
    notes = run(Scripted([[at(0), 1, 2, 3, 4, 5, 6, at(4)], [at(0), 2, at(4)]], silent=[0]), 40, language="en")
    assert [(line.start, line.tokens) for line in notes.made] == [(30, (at(0), 2, at(4)))]


def test_a_line_without_words_is_not_a_segment() -> None:
    assert run(Scripted([[at(0)]]), 5, language="en").made == []


def test_the_language_is_detected_once_and_used() -> None:
    model = Scripted([[at(0), 1, at(4), at(4)], [at(0), 2, at(4)]])
    notes = run(model, 12)
    assert [language.code for language in notes.languages] == ["de"]
    assert notes.languages[0].probability > 0.9
    assert model._tokens[1] == GERMAN
    assert run(model2 := Scripted([[at(0), 1, at(4)]]), 5, language="en").languages == [Language("en", 1.0)]
    assert model2._tokens[1] == ENGLISH


def test_a_language_that_the_checkpoint_lacks_is_refused() -> None:
    with pytest.raises(ValueError, match="'fr'"):
        run(Scripted([]), 5, language="fr")


@pytest.mark.parametrize("seconds", [0, 0.0001])
def test_no_audio_is_no_text(seconds: float) -> None:
    assert run(Scripted([]), seconds).done == []


def test_tentative_lines_become_the_segments_without_a_change_of_text() -> None:
    notes = run(Scripted([[at(0), 1, 2, at(4), at(4), 3, 4, at(8), at(8)], [at(0), 5, at(2)]]), 10, language="en")
    for lines, _ in notes.seen:
        for line in lines:
            made = next(segment for segment in notes.made if segment.start == line.start)
            assert made.tokens[: len(line.tokens)] == line.tokens or line.tokens[-1] >= FIRST_TIME
    assert any(len(lines) == 2 for lines, _ in notes.seen)


def test_a_prompt_stands_before_the_first_window_only() -> None:
    model = Prompted([[at(0), 1, at(4), at(4)], [at(0), 2, at(4)]])
    run(model, 12, language="en", prompt=(7, 8))
    assert model.prompts == [[7, 8], []]


def test_with_condition_the_text_so_far_is_the_next_prompt() -> None:
    model = Prompted([[at(0), 1, at(4), at(4)], [at(0), 2, at(4), at(4)], [at(0), 3, at(4)]])
    run(model, 12, language="en", prompt=(7,), condition=True)
    assert model.prompts == [[7], [7, at(0), 1, at(4)], [7, at(0), 1, at(4), at(0), 2, at(4)]]


class Prompted(Scripted):
    """A scripted model that takes a prompt in its prefill and remembers it."""

    def __init__(self, texts: list[list[int]]) -> None:
        super().__init__(texts)
        self.prompts: list[list[int]] = []

    def run(self, tokens: Sequence[int]) -> Scores:
        if self.length:
            return super().run(tokens)
        at_start = list(tokens).index(START)
        self.prompts.append(list(tokens[1:at_start]))
        return np.concatenate([np.zeros((at_start, SIZE), np.float32), super().run(tokens[at_start:])])


def test_a_listener_can_stop_the_work_in_the_middle_of_a_window() -> None:
    class Stop(Notes):
        def tentative(self, lines: Sequence[Line], draft: Sequence[int]) -> None:
            raise CancelledError

    with pytest.raises(CancelledError):
        transcribe(blocks(5), extract, Setup(Toy(1), vocabulary(), say), Stop(), Settings(language="en"))


def test_three_hours_pass_through_one_window_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[int] = []
    part = longform.SampleBuffer.part

    def watched(self: longform.SampleBuffer, start: int) -> longform.WindowSamples:
        found = part(self, start)
        kept.append(len(self._kept))
        return found

    monkeypatch.setattr(longform.SampleBuffer, "part", watched)
    run(Scripted([[at(0), 1, at(30)] for _ in range(360)]), 3 * 3600, language="en")
    assert len(kept) == 361
    assert max(kept) < 31 * SAMPLE_RATE + BEFORE


def test_an_unfinished_text_keeps_its_open_end() -> None:
    lines, _ = cut([at(0), 1, at(4), at(4), 2], vocabulary(), 100.0, 30.0, finished=False)
    assert [(line.start, line.tokens) for line in lines] == [(100, (at(0), 1, at(4))), (104, (at(4), 2))]


def timing(text: str, tokens: tuple[int, ...], start: float, end: float) -> Timing:
    return Timing(text, tokens, start, end, 0.9)


def test_words_go_to_the_line_that_holds_their_tokens_on_the_recording_s_clock() -> None:
    made = [
        Line(10.0, 14.0, (at(0), 1, 2, at(4))),
        Line(14.0, 16.0, (at(4), 3, at(6))),
    ]
    timings = [timing(" a", (1,), 0.1, 0.4), timing(" b", (2,), 0.5, 0.9), timing(" c", (3,), 4.1, 4.6)]
    shared = share_out(timings, made, 10.0, 0.4, 9.9, vocabulary())
    assert [[word.text for word in words] for words in shared] == [[" a", " b"], [" c"]]
    assert shared[1][0].start == pytest.approx(14.1)


def test_speech_ends_with_the_last_word_of_the_last_line_that_has_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next window's first word begins behind it, wherever it goes on."""
    found = [timing(" a", (1,), 0.1, 0.4), timing(" b", (2,), 2.1, 2.4), timing(" c", (3,), 2.5, 2.9)]
    monkeypatch.setattr(longform.WindowDecoder, "words", lambda *arguments: found)
    places: list[ResumePoint] = []
    notes = Notes()
    notes.reached = places.append  # type: ignore[method-assign]
    script = Scripted([[at(0), 1, at(2), at(2), 2, 3, at(4), at(4), 4, at(8)]])
    transcribe(blocks(10), extract, Setup(script, vocabulary(), say), notes, Settings("en", words=True))
    assert [len(segment.words) for segment in notes.made] == [1, 2, 0]
    assert places[0].spoken == 2.9


def test_a_draft_that_only_costs_time_is_left_out() -> None:
    asked: list[int] = []

    class Useless(Drafter):
        def propose(self, tokens: Sequence[int], count: int, confidence: float = 0.0) -> list[int]:
            asked.append(count)
            time.sleep(0.001)
            return [9] * count

    texts = [[at(0), *[1, 2] * 15, at(30)] for _ in range(12)]
    setup = Setup(Scripted(texts), vocabulary(), say, Useless())
    transcribe(blocks(12 * 30), extract, setup, Notes(), Settings("en"))
    assert 0 < len(asked) < 12 * 30 / 2
