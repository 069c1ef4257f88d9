"""A batch changes nothing: each chunk has the text that it has alone, whatever is decoded beside it, told in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop_app.decoding import batch
from desktop_app.decoding.audio_window import BEFORE, AudioWindow
from desktop_app.decoding.batch import BatchRows
from desktop_app.decoding.drafters import Draft, Drafter, ModelDrafter
from desktop_app.decoding.lines import Line
from desktop_app.decoding.longform import DecodingListener, transcribe
from desktop_app.decoding.lookahead import LookAhead
from desktop_app.decoding.mapping import map_ids
from desktop_app.decoding.protocol import Scores
from desktop_app.decoding.setup import Setup
from desktop_app.decoding.speculation import CancelledError
from desktop_app.decoding.vocabulary import Vocabulary
from desktop_app.decoding.window import Language
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.model import GuardReport, ResumePoint, Segment
from desktop_app.transcript.settings import Settings
from desktop_app.transcript.statistics import Counter, Statistics

from .toys import END, FIRST_TIME, GERMAN, NO_SPEECH, SIZE, START, TEXT, Toy, vocabulary

ENGLISH = Settings("en")
POSITIONS = 30  # of a text
CHUNK = 20 * SAMPLE_RATE  # samples, where `cut` cuts


def at(seconds: float) -> int:
    return FIRST_TIME + round(seconds / 2)


def cut(samples: np.ndarray) -> int:
    return CHUNK


def say(tokens: Sequence[int]) -> str:
    return " ".join(f"word{token}" for token in tokens if token < END)


def sound(chunks: Sequence[float], size: int = 7000) -> Iterator[np.ndarray]:
    """Blocks of a recording whose chunks each hold one number."""
    samples = np.repeat(np.asarray(chunks, np.float32), CHUNK)
    for begin in range(0, len(samples), size):
        yield samples[begin : begin + size]


def extract(samples: np.ndarray, bins: int) -> np.ndarray:
    """Features that tell the number of a chunk, and how far into it the window begins."""
    return np.full((bins, 12), samples[0], np.float32) + np.arange(12, dtype=np.float32) * samples[0] / 7


class Beside:
    """Several models of the same weights as a batch. Attributes: passes (the rows that read in each of them, and how
    many tokens each), encoded (how many windows at a time)."""

    def __init__(self, models: Sequence[Any]) -> None:
        self.rows = list(models)
        self.passes: list[dict[int, int]] = []
        self.encoded: list[int] = []

    def encode(self, features: Sequence[np.ndarray]) -> list[Any]:
        assert 0 < len(features) <= len(self.rows)
        self.encoded.append(len(features))
        return [self.rows[0].encode(each) for each in features]

    def run(self, reads: Sequence[tuple[Any, Sequence[int]]]) -> list[Scores]:
        assert len({id(cursor) for cursor, _ in reads}) == len(reads), "a row reads once a pass"
        self.passes.append({id(cursor): len(tokens) for cursor, tokens in reads})
        return [cursor.run(tokens) for cursor, tokens in reads]


class Notes(DecodingListener):
    """Everything that is told, in order."""

    def __init__(self) -> None:
        self.told: list[Any] = []
        self.seen: list[tuple[float, int]] = []  # of tentative lines: where the first begins, and those told before

    def language(self, language: Language) -> None:
        self.told.append(language)

    def tentative(self, lines: Sequence[Line], draft: Sequence[int]) -> None:
        if lines:
            self.seen.append((lines[0].start, len(self.places)))

    def guarded(self, reports: Sequence[GuardReport]) -> None:
        self.told.append(list(reports))

    def reached(self, place: ResumePoint) -> None:
        self.told.append(place)

    def segments(self, segments: Sequence[Segment], done_seconds: float) -> None:
        self.told.append((list(segments), done_seconds))

    @property
    def places(self) -> list[ResumePoint]:
        return [each for each in self.told if isinstance(each, ResumePoint)]

    @property
    def made(self) -> list[Segment]:
        return [one for each in self.told if isinstance(each, tuple) for one in each[0]]


def drafter(draft: Toy, words: Vocabulary) -> ModelDrafter:
    ids = map_ids(words, words, {token: token for token in range(FIRST_TIME)})
    return ModelDrafter(Draft(draft, draft, words), ids)


def toys(rows: int, words: Vocabulary, seed: int, noise: float, draft: int | None) -> BatchRows:
    """A target, and perhaps a draft, of one seed each."""
    targets = Beside([Toy(seed, positions=POSITIONS, noise=noise) for _ in range(rows)])
    if draft is None:
        return BatchRows([Setup(one, words, say) for one in targets.rows], [targets], [targets])
    drafts = Beside([Toy(draft, positions=POSITIONS) for _ in range(rows)])
    setups = [Setup(one, words, say, drafter(its, words)) for one, its in zip(targets.rows, drafts.rows, strict=True)]
    return BatchRows(setups, [targets, drafts], [targets, drafts])


def run(
    rows: BatchRows, chunks: Sequence[float], settings: Settings = ENGLISH, place: ResumePoint | None = None
) -> tuple[Notes, Statistics]:
    notes, counter = Notes(), Counter()
    batch.transcribe(sound(chunks), extract, rows, cut, notes, settings, counter, place)
    return notes, counter.total


def alone(model: Any, words: Vocabulary, chunk: float, settings: Settings) -> list[Segment]:
    """The lines of a chunk that is a recording of its own, by the loop for one window after another."""
    notes = Notes()

    def whole(samples: np.ndarray, bins: int, before: np.ndarray, behind: np.ndarray, place: int) -> np.ndarray:
        return extract(samples, bins)

    transcribe(iter([np.full(CHUNK, chunk, np.float32)]), whole, Setup(model, words, say), notes, settings)
    return notes.made


awkward = st.builds(
    vocabulary,
    suppress=st.sampled_from([(), (1, 2, 3), tuple(range(2, TEXT)), (END,)]),
    begin_suppress=st.sampled_from([(), (0, END)]),
    no_speech=st.sampled_from([None, NO_SPEECH]),
)
recordings = st.lists(st.integers(-9, 9).map(lambda number: number / 4), min_size=1, max_size=4)


@settings(max_examples=settings.default.max_examples // 4)  # each decodes up to four chunks twice
@given(
    recordings,
    st.integers(1, 6),
    awkward,
    st.integers(0, 99),
    st.one_of(st.none(), st.integers(0, 99)),
    st.sampled_from([0.0, 1e-3, 0.2]),
    st.booleans(),
)
def test_each_chunk_has_the_text_that_it_has_alone(
    chunks: list[float], rows: int, words: Vocabulary, seed: int, draft: int | None, noise: float, timestamps: bool
) -> None:
    """Whatever the number of rows, with a draft that is often right (the target's own weights) or never, and where
    passes of many tokens differ in their last bits."""
    asked = replace(ENGLISH, timestamps=timestamps)
    if not timestamps:  # a pair of them at 0 would move the next window by one sample
        words = replace(words, suppress=(*words.suppress, *range(FIRST_TIME, SIZE)))
    notes, figures = run(toys(rows, words, seed, noise, seed if draft and draft < 40 else draft), chunks, asked)
    for number, chunk in enumerate(chunks):
        own = alone(Toy(seed, positions=POSITIONS, noise=noise), words, chunk, asked)
        place, before = notes.places[number], notes.places[number - 1].segments if number else 0
        found = notes.made[before : place.segments]
        begin = number * CHUNK / SAMPLE_RATE
        assert [segment.tokens for segment in found] == [segment.tokens for segment in own]
        assert [segment.start - begin for segment in found] == pytest.approx([one.start for one in own])
        assert [segment.end - begin for segment in found] == pytest.approx([one.end for one in own])
    assert [segment.id for segment in notes.made] == list(range(len(notes.made)))
    assert figures.accepted <= figures.compared <= figures.drafted


class Scripted:
    """Writes for each chunk the text of its number, whatever it hears."""

    positions, epsilon, mel_bins = 60, 0.0, 2

    def __init__(self, texts: Sequence[Sequence[int]], silent: Sequence[int] = ()) -> None:
        self._texts, self._silent = texts, silent
        self.prompts: list[list[int]] = []
        self.encodings = 0

    def encode(self, features: np.ndarray) -> int:
        self.encodings += 1
        return int(features[0, 0])

    def open(self, encoded: int) -> ScriptedCursor:
        return ScriptedCursor(self, [*self._texts[encoded], END], encoded in self._silent)


class ScriptedCursor:
    def __init__(self, model: Scripted, text: Sequence[int], silent: bool) -> None:
        self._model, self._text, self._silent = model, text, silent
        self._tokens: list[int] = []

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
                self._model.prompts.append(self._tokens[:-1])
            if self._silent:
                row[:TEXT], row[NO_SPEECH] = -1.0, 9
            written = len(self._tokens) - 3 - (self._tokens.index(START) if START in self._tokens else 99)
            if written >= 0:
                row[self._text[min(written, len(self._text) - 1)]] = 0.0
            rows.append(row)
        return np.stack(rows)


def scripted(rows: int, texts: Sequence[Sequence[int]], silent: Sequence[int] = ()) -> tuple[BatchRows, Beside]:
    model = Scripted(texts, silent)
    beside = Beside([model] + [replace_identity(model) for _ in range(rows - 1)])
    words = vocabulary(previous=11)
    return BatchRows([Setup(one, words, say) for one in beside.rows], [beside], [beside]), beside


def replace_identity(model: Scripted) -> Scripted:
    """Another row, which notes its prompts in the same list."""
    other = Scripted(model._texts, model._silent)
    other.prompts = model.prompts
    return other


def line(words: int) -> list[int]:
    """A text of so many words, with its times."""
    return [at(0), *[1 + number % 9 for number in range(words)], at(18)]


def test_rows_of_very_different_length_are_told_in_order() -> None:
    """The first chunk is the longest: the text of the others waits for it. A row that is done takes the next chunk at
    once, so that no more passes are needed than the longest row has."""
    lengths = [40, 1, 2, 1, 3, 2, 1]
    rows, beside = scripted(3, [line(length) for length in lengths])
    notes, figures = run(rows, range(7))
    assert [len(segment.tokens) - 2 for segment in notes.made] == lengths
    assert [segment.start for segment in notes.made] == [20.0 * number for number in range(7)]
    assert [each[1] for each in notes.told if isinstance(each, tuple)] == [20.0 * (number + 1) for number in range(7)]
    assert len(beside.passes) == 40 + 2 + 1, "as many as the longest text alone"
    assert figures.target_passes == sum(len(each) for each in beside.passes) == sum(lengths) + 7 * 3
    assert [len(each) for each in beside.passes[:4]] == [3, 3, 3, 3], "all rows are busy"
    assert beside.encoded == [3, 3, 1]
    assert [row.encodings for row in beside.rows] == [7, 0, 0], "no row encodes for itself"


def test_tentative_lines_are_those_of_the_first_chunk_that_is_not_finished() -> None:
    """Lines of a later one would stand in front of text that is still to come."""
    rows, _ = scripted(3, [line(length) for length in (9, 20, 3, 30)])
    notes, _ = run(rows, range(4))
    assert notes.seen
    assert {start // 20 for start, _ in notes.seen} >= {0, 1, 3}
    assert all(start // 20 == told for start, told in notes.seen)


def test_a_silent_chunk_and_one_without_words_write_nothing() -> None:
    rows, _ = scripted(2, [line(3), line(30), [], line(2)], silent=[1])
    notes, _ = run(rows, range(4))
    assert [segment.start for segment in notes.made] == [0.0, 60.0]
    assert [place.samples for place in notes.places] == [CHUNK, 2 * CHUNK, 3 * CHUNK, 4 * CHUNK]


def test_what_follows_the_last_pair_of_times_is_decoded_again() -> None:
    """As in a recording of its own: the rest of the chunk is a window of its own, with the sound before it."""
    windows: list[AudioWindow] = []

    class Noting(Drafter):
        def begin(self, window: AudioWindow, settings: Settings, rules: Any) -> None:
            windows.append(window)

        def propose(self, tokens: Sequence[int], count: int, confidence: float = 0.0) -> list[int]:
            return []

    rows, _ = scripted(2, [line(2), [at(0), 1, at(14), at(14), 5]])
    rows = replace(rows, setups=[replace(one, drafter=Noting(), look_ahead=LookAhead()) for one in rows.setups])
    notes, _ = run(rows, range(2))
    places = sorted((window.place, len(window.samples), len(window.before)) for window in windows)
    assert {float(window.before[0]) for window in windows if len(window.samples) < CHUNK} == {1.0}, (
        "of the chunk itself"
    )
    assert places == [(0, CHUNK, 0), (CHUNK, CHUNK, BEFORE), (CHUNK + 14 * SAMPLE_RATE, 6 * SAMPLE_RATE, BEFORE)]
    assert [(one.start, one.end) for one in notes.made] == [(0.0, 18.0), (20.0, 34.0), (34.0, 40.0)]


def test_the_rest_of_a_recording_is_one_chunk_if_it_fits_a_window() -> None:
    rows, _ = scripted(2, [line(2), line(3)])
    notes = Notes()
    blocks = iter([np.repeat(np.float32([0, 1]), [CHUNK, CHUNK + 9 * SAMPLE_RATE])])
    batch.transcribe(blocks, extract, rows, cut, notes, ENGLISH, Counter())
    assert [place.samples for place in notes.places] == [CHUNK, 2 * CHUNK + 9 * SAMPLE_RATE]


def test_what_the_guard_removes_is_told_before_the_chunk_on_the_recordings_clock() -> None:
    class Nobody:
        """A detector of voices that hears none; a chunk's sound is one number, which is like no speech."""

        def longest(self, start: float, end: float) -> float:
            return 0.0

        def total(self, start: float, end: float) -> float:
            return 0.0

    rows, _ = scripted(2, [line(30), line(2)])
    rows = replace(rows, setups=[replace(one, listen=lambda samples: Nobody()) for one in rows.setups])
    notes, _ = run(rows, range(2))
    reports = [(one.kind, one.start, one.end) for each in notes.told if isinstance(each, list) for one in each]
    assert reports == [("silence", 0.0, 18.0), ("silence", 20.0, 38.0)]
    assert [type(each) for each in notes.told[1:]] == [list, ResumePoint, tuple] * 2
    assert notes.made == []


def test_the_language_is_found_once_in_the_first_chunk() -> None:
    rows, beside = scripted(2, [line(1), line(2), line(1)])
    notes, figures = run(rows, range(3), Settings())
    assert notes.told[0].code == "de"
    assert sum(isinstance(each, Language) for each in notes.told) == 1
    assert {place.language for place in notes.places} == {"de"}
    assert figures.target_passes == sum(len(each) for each in beside.passes) + 1


def test_a_prompt_is_for_the_first_chunk_and_hot_words_are_for_all() -> None:
    rows, beside = scripted(2, [line(1), line(2), line(1)])
    run(rows, range(3), replace(ENGLISH, prompt=(7, 8), hot_words=(3,)))
    assert sorted(beside.rows[0].prompts) == [[11, 3], [11, 3], [11, 3, 7, 8]]


@pytest.mark.parametrize("rows", [1, 2, 4])
def test_from_every_place_on_the_text_is_what_it_would_have_become(rows: int) -> None:
    """Also in another number of rows, and sampled, with noise that depends on the place in the recording."""
    chunks, settings = [0.5, -1.0, 2.0, 1.5, -0.25], replace(ENGLISH, temperatures=(0.7,), prompt=(4,))
    whole, _ = run(toys(2, vocabulary(previous=11), 3, 0.0, None), chunks, settings)
    assert {segment.temperature for segment in whole.made} == {0.7}
    for place in whole.places:
        again, _ = run(toys(rows, vocabulary(previous=11), 3, 0.0, 3), chunks, settings, place)
        exact = [(one.id, one.start, one.tokens, one.temperature) for one in again.made]
        assert exact == [(one.id, one.start, one.tokens, one.temperature) for one in whole.made[place.segments :]]
        assert again.told[0] == whole.told[0], "the language, also where nothing is left"
        assert again.places == whole.places[whole.places.index(place) + 1 :]


def test_it_stops_when_it_is_asked_to() -> None:
    class Stop(Notes):
        def tentative(self, lines: Sequence[Line], draft: Sequence[int]) -> None:
            if lines and lines[0].start >= 40:
                raise CancelledError

    rows, _ = scripted(3, [line(length) for length in (1, 2, 9, 30, 30)])
    stop = Stop()
    with pytest.raises(CancelledError):
        batch.transcribe(sound(range(5)), extract, rows, cut, stop, ENGLISH, Counter())
    assert [segment.start for segment in stop.made] == [0.0, 20.0], "what is finished stays"


def test_the_rows_draft_before_the_target_verifies() -> None:
    """A pass of the target has every row that is not finished, however far each drafts."""
    words = vocabulary()
    rows = toys(4, words, 5, 0.0, 5)
    target, draft = rows.batches
    assert isinstance(target, Beside) and isinstance(draft, Beside)
    _, figures = run(rows, [0.5, 1.0, -1.0, 2.0])
    assert figures.accepted > 0
    assert len(target.passes[0]) == len(target.passes[1]) == 4
    assert len({*target.passes[1].values()}) > 1, "each row verifies its own number of tokens"
    assert sum(len(each) for each in target.passes) == figures.target_passes
    assert sum(len(each) for each in draft.passes) == figures.draft_passes
    assert draft.encoded == [4]


def test_hours_pass_through_little_memory() -> None:
    """No more is read than the chunks that are encoded at the same time, and a window's length."""
    read: list[int] = []
    told: list[float] = []

    class Watching(Notes):
        def segments(self, segments: Sequence[Segment], done_seconds: float) -> None:
            told.append(done_seconds)
            assert sum(read) - done_seconds * SAMPLE_RATE < 6 * CHUNK + 31 * SAMPLE_RATE

    def blocks() -> Iterator[np.ndarray]:
        for block in sound([0.0] * 180, SAMPLE_RATE):
            read.append(len(block))
            yield block

    rows, _ = scripted(3, [line(2)])
    batch.transcribe(blocks(), extract, rows, cut, Watching(), ENGLISH, Counter())
    assert told[-1] == 180 * 20
    assert all(first < second for first, second in pairwise(told))


@pytest.mark.parametrize("seconds", [0, 0.0001])
def test_no_audio_is_no_text(seconds: float) -> None:
    rows, _ = scripted(2, [])
    notes = Notes()
    blocks = iter([np.zeros(round(seconds * SAMPLE_RATE), np.float32)])
    batch.transcribe(blocks, extract, rows, cut, notes, Settings(), Counter())
    assert notes.told == []


def test_what_cannot_be_done_is_refused() -> None:
    rows, _ = scripted(2, [line(1)])
    with pytest.raises(ValueError, match="'fr'"):
        run(rows, [0.0], Settings("fr"))
    with pytest.raises(ValueError, match="follow the text"):
        run(rows, [0.0], replace(ENGLISH, condition=True))
