"""Live: final text never changes, nothing said is lost or said twice, long speech is cut, and drafts decide nothing."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop_app.decoding.live import Live, LiveText, Resume
from desktop_app.decoding.live_pace import LONGEST_INTERVAL, SHORTEST_INTERVAL, Pace
from desktop_app.decoding.live_text import Spell
from desktop_app.decoding.protocol import Scores
from desktop_app.decoding.setup import Listen, Setup
from desktop_app.decoding.window import WindowDecoder
from desktop_app.decoding.words import Timing
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.model import Segment
from desktop_app.transcript.settings import Settings
from desktop_app.transcript.statistics import Counter

from .test_identity import Scripted, drafter
from .toys import END, FIRST_TIME, SIZE, TEXT, Toy, vocabulary

WORD = 0.5  # seconds that each word of the doubles takes
TIMES = 1501
WORDS = vocabulary(
    size=FIRST_TIME + TIMES, seconds_per_timestamp=0.02, max_initial_timestamp=None, begin_suppress=(), suppress=()
)


def spell(tokens: Sequence[int]) -> str:
    return "".join(f" {chr(97 + token)}" for token in tokens if token < TEXT)


def say(words: str, pause: float = 1.0) -> np.ndarray:
    """Audio in which each letter is a word: half a second of its own value. A space is a pause."""
    pieces = [np.full(round(WORD * SAMPLE_RATE), (ord(word) - 96) / 100) for word in words if word != " "]
    at = 0
    found = []
    for word in words:
        if word == " ":
            found.append(np.zeros(round(pause * SAMPLE_RATE)))
        else:
            found.append(pieces[at])
            at += 1
    return np.concatenate(found).astype(np.float32)


class Gate:
    """Hears speech wherever the audio is not zero; half a second of zeros ends it."""

    speaking = False

    def __init__(self) -> None:
        self._at = self._last = 0

    def feed(self, samples: np.ndarray) -> list[tuple[bool, int]]:
        turns = []
        for start in range(0, len(samples), 160):
            part = samples[start : start + 160]
            self._at += len(part)
            if part.any():
                if not self.speaking:
                    turns.append((True, self._at - len(part)))
                self.speaking, self._last = True, self._at
            elif self.speaking and self._at - self._last >= SAMPLE_RATE // 2:
                self.speaking = False
                turns.append((False, self._last))
        return turns

    def finish(self) -> list[tuple[bool, int]]:
        was, self.speaking = self.speaking, False
        return [(False, self._at)] if was else []


class Reader:
    """Writes exactly what `say` said; a word that the end of the window cuts is heard wrongly. A line ends behind every
    `line` words."""

    positions, epsilon, mel_bins = 448, 0.0, 2

    def __init__(self, line: int = 4, loop: bool = False) -> None:
        self.line, self.loop, self.passes = line, loop, 0
        self.lengths: list[float] = []

    def encode(self, features: np.ndarray) -> list[int]:
        values = features[0]
        self.lengths.append(len(values) / SAMPLE_RATE)
        found_words = np.rint(values[:: SAMPLE_RATE // 50] * 100).astype(int)  # a value each 20 ms
        self.found_words: list[tuple[int, int, int]] = []  # word, first frame, end frame
        for frame, value in enumerate(found_words):
            length = round(WORD * 50)
            newest = self.found_words[-1] if self.found_words else None
            if value and newest and newest[2] == frame and newest[0] == value - 1 and frame - newest[1] < length:
                self.found_words[-1] = (newest[0], newest[1], frame + 1)
            elif value:
                self.found_words.append((value - 1, frame, frame + 1))
        text: list[int] = []
        for number, (word, first, end) in enumerate(self.found_words):
            if number % self.line == 0:
                text.append(FIRST_TIME + first)
            cut = end == len(found_words) and end - first < length
            text.append((word + 5) % TEXT if cut else word)
            if number % self.line == self.line - 1 or number == len(self.found_words) - 1:
                text.append(FIRST_TIME + end)
        if self.loop and self.found_words:
            text = [FIRST_TIME, *[1, 2] * 12]
        return text

    def open(self, encoded: list[int]) -> Reader:
        self._text, self._tokens = [*encoded, END], []
        return self

    @property
    def length(self) -> int:
        return len(self._tokens)

    def rewind(self, length: int) -> None:
        del self._tokens[length:]

    def run(self, tokens: Sequence[int]) -> Scores:
        self.passes += 1
        rows = []
        for token in tokens:
            self._tokens.append(token)
            row = np.full(WORDS.size, -20.0, np.float32)
            written = self._tokens[3:]
            good = written == self._text[: len(written)] and len(written) < len(self._text)
            row[self._text[len(written)] if good else END] = 0.0
            rows.append(row)
        return np.stack(rows)

    def attend(self, encoded: list[int], tokens: Sequence[int]) -> tuple[Scores, np.ndarray]:
        attention = np.zeros((1, len(tokens), 1500), np.float32)
        for place, (_, first, end) in enumerate(self.found_words):
            if place + 3 < len(tokens):
                attention[0, place + 3, first:end] = 20.0
        return np.zeros((len(tokens), WORDS.size), np.float32), attention


def extract(samples: np.ndarray, bins: int) -> np.ndarray:
    return np.tile(samples, (bins, 1))


class Screen:
    """A session and what it showed, with the promises of the screen checked at every update."""

    def __init__(self, model: Any, listen: Listen | None = None, words: Spell = spell, **options: Any) -> None:
        self.counter, self.words = Counter(), words
        self.live = Live(
            extract,
            Setup(model, WORDS, words, listen=listen),
            Gate(),
            counter=self.counter,
            ahead=self._look,
            **{"settings": English, **options},
        )
        self.segments: list[Segment] = []
        self.updates: list[LiveText] = []
        self._final = ""

    def play(self, audio: np.ndarray, step: float = 0.3) -> Screen:
        size = round(step * SAMPLE_RATE)
        for start in range(0, len(audio), size):
            self.live.feed(audio[start : start + size])
            self._update()
        self.live.finish()
        while self.live.due:
            self._update()
        return self

    @property
    def text(self) -> str:
        return "".join(spell(segment.tokens) for segment in self.segments).replace(" ", "")

    def _update(self) -> None:
        text = self.live.update()
        if text is not None:
            self._see(text)
            self.updates.append(text)
            self.segments += text.segments

    def _look(self, text: LiveText) -> None:
        assert text.segments == ()
        assert text.final == self._final

    def _see(self, text: LiveText) -> None:
        lines = [self.words(segment.tokens).strip() for segment in text.segments]
        now = [*lines, text.final]
        assert now[0].startswith(self._final), "final text only grows"
        self._final = text.final
        times = [time for segment in [*self.segments[-1:], *text.segments] for time in (segment.start, segment.end)]
        assert times == sorted(times), "one line behind the other"


English = Settings(language="en")


@pytest.mark.parametrize("step", [0.1, 0.3, 0.7, 2.5])
def test_what_is_said_is_written_once_and_in_order(step: float) -> None:
    spoken = "abcdefgh ihgfedcba abc lkjihgfedcbabcdefghijkl "
    assert Screen(Reader()).play(say(spoken), step).text == spoken.replace(" ", "")


def test_committed_segments_have_the_times_of_what_was_said() -> None:
    screen = Screen(Reader()).play(say("  abcdefgh "), 0.3)
    assert [(round(segment.start, 2), round(segment.end, 2)) for segment in screen.segments] == [(2.0, 4.0), (4.0, 6.0)]
    assert [segment.id for segment in screen.segments] == [0, 1]
    starts = [(round(text.start, 2), text.final[:1], text.provisional[:2]) for text in screen.updates]
    first = starts.index((4.0, "e", " k"))
    assert {start for start, *_ in starts[: first - 1]} == {2.0}, "the open line's, final or not"
    assert {start for start, *_ in starts[first:-1]} == {4.0}
    assert all(WORDS.is_timestamp(segment.tokens[0]) for segment in screen.segments)
    assert all(WORDS.is_timestamp(segment.tokens[-1]) for segment in screen.segments)


def test_final_follows_the_speaker_and_does_not_wait_for_the_end() -> None:
    screen = Screen(Reader(line=100))
    screen.play(say("abcdefghijkl"), 0.3)
    late = [len(text.final.replace(" ", "")) for text in screen.updates[:-1]]
    for number, count in enumerate(late):
        assert count >= int((number + 1) * 0.3 / WORD) - 3, "three words behind at the most"


def test_one_long_line_is_cut_at_a_word() -> None:
    """The known fault of this policy elsewhere: the window grows and grows where no line ends."""
    model = Reader(line=1000)
    spoken = "abcdefghijkl" * 15  # a minute and a half without a pause
    screen = Screen(model).play(say(spoken), 0.4)
    assert screen.text == spoken
    assert max(model.lengths) < 22
    assert len(screen.segments) >= 4
    at = 0.0
    for segment in screen.segments:  # each is cut between two words
        assert segment.start == pytest.approx(at, abs=0.05)
        at += WORD * sum(token < TEXT for token in segment.tokens)
        assert segment.end == pytest.approx(at, abs=0.05)


def test_a_text_that_fills_the_positions_is_cut_at_its_last_words() -> None:
    """Its very last words have no times. What does not fit is heard in the next window."""
    model = Reader(line=1000)
    model.positions = 3 + 1 + 38  # a window of 20 seconds has 40 words
    spoken = "abcdefghijkl" * 6
    screen = Screen(model).play(say(spoken), 0.5)
    assert spoken.startswith(screen.text[:36])
    assert screen.segments[0].end == pytest.approx(19.0, abs=1.0)


@pytest.mark.parametrize("found", [[], [Timing(" a", (0,), 0.0, 0.9, 0.9)], [Timing(" a", (0,), 0.0, 20.0, 0.9)]])
def test_a_window_without_useful_times_is_cut_a_second_before_its_end(
    monkeypatch: pytest.MonkeyPatch, found: list[Timing]
) -> None:
    monkeypatch.setattr(WindowDecoder, "words", lambda *given: found)
    screen = Screen(Reader(line=1000)).play(say("abcdefghijkl" * 4), 0.5)
    assert screen.segments[0].end == 19.0


@pytest.mark.parametrize("line", [4, 1000])
def test_words_on_which_two_updates_agree_become_final_also_behind_a_cut(line: int) -> None:
    """Words of several tokens among them. Only the last word is held back."""

    def pairs(tokens: Sequence[int]) -> str:
        return "".join(f"{' ' * (token % 2 == 0)}{chr(97 + token)}" for token in tokens if token < TEXT)

    chance = random.Random(2)
    spoken = "".join(chance.choice(letters) for letters in ("acegik", "bdfhjl") * 36)
    screen = Screen(Reader(line), words=pairs).play(say(spoken), 2 * WORD)
    finished: list[str] = []
    before: list[str] = []
    for update in screen.updates:
        finished += [word for segment in update.segments for word in segment.text.split()]
        final = [*finished, *update.final.split()]
        now = [*final, *update.provisional.split()]
        same = [one == other for one, other in zip(before, now, strict=False)]
        agreed = same.index(False) if False in same else len(same)
        assert len(final) >= min(agreed, len(now) - 1)
        before = now
    assert "".join(finished) == spoken


def test_the_window_is_cut_where_a_line_ends() -> None:
    model = Reader(line=5)
    spoken = "abcdefghijkl" * 10
    assert Screen(model).play(say(spoken), 0.4).text == spoken
    assert max(model.lengths) < 13


def test_a_decoder_that_lags_drops_nothing() -> None:
    model = Reader(line=7)
    spoken = "abcdefghijkl" * 12 + " " + "cbadehgfijlk" * 2 + " "
    screen = Screen(model)
    screen.live.feed(say(spoken))  # over a minute at once
    assert screen.live.decoded < screen.live.received
    screen.play(np.zeros(SAMPLE_RATE, np.float32))
    assert screen.text == spoken.replace(" ", "")
    assert max(model.lengths) <= 30
    assert screen.live.decoded == screen.live.received


def test_speech_that_is_over_comes_before_speech_that_goes_on() -> None:
    live = Screen(Reader()).live
    assert (live.is_full, live.due, live.decoded) == (False, False, 0)
    audio = say(" abcd efgh")
    live.feed(audio)
    assert (live.is_full, live.due, live.decoded) == (True, True, SAMPLE_RATE)
    first = live.update()
    assert first is not None
    assert [spell(segment.tokens) for segment in first.segments] == [" a b c d"]
    assert (live.is_full, live.due, live.decoded) == (False, True, 4 * SAMPLE_RATE)
    live.update()
    assert (live.is_full, live.due, live.decoded) == (False, False, len(audio))


def test_three_minutes_are_no_harder_than_one() -> None:
    """Only what is needed is kept, and windows do not grow; `make soak` plays two hours to the bundled model."""
    model = Reader()
    screen = Screen(model)
    for _ in range(30):
        screen.play(say("abcdefgh  "), 1.0)
        assert len(screen.live._audio) < 16 * SAMPLE_RATE
    assert screen.live.received == 180 * SAMPLE_RATE
    assert screen.text == "abcdefgh" * 30
    third = len(model.lengths) // 3
    assert max(model.lengths[-third:]) <= max(model.lengths[:third])


def test_a_loop_is_written_once() -> None:
    screen = Screen(Reader(loop=True)).play(say("abcdef "))
    assert screen.text == "bc"


def test_behind_silence_there_is_no_prompt(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen(Reader(), settings=Settings(language="en", condition=True, prompt=(10,)))
    decoder, prompts = screen.live._decoder, []
    decode = decoder.decode_with_fallback

    def noting(window: Any, settings: Settings, watch: Any) -> Any:
        prompts.append(spell(settings.prompt).replace(" ", ""))
        return decode(window, settings, watch)

    monkeypatch.setattr(decoder, "decode_with_fallback", noting)
    screen.play(say("     abcd efgh    ijkl "), 5.0)
    assert set(prompts) == {"k", "kabcd", ""}, "the user's own prompt waits for the first speech"
    assert prompts[-1] == ""


def test_moments_and_lengths() -> None:
    """Of an update, of a window with lines and without, and of the audio that is kept where nobody speaks."""
    live = Screen(Reader()).live
    live.feed(np.zeros(20 * SAMPLE_RATE, np.float32))
    assert live.text.start == pytest.approx(20.0 - 1.5)
    live.feed(say("a")[: round(0.09 * SAMPLE_RATE)])
    assert not live.due
    live.feed(say("a")[: round(0.02 * SAMPLE_RATE)])
    assert live.due
    for line, longest in ((1000, 20.0), (2, 8.0)):
        model = Reader(line)
        Screen(model).play(say("abcdefghijkl" * 5), 0.5)
        assert max(model.lengths) == longest


@pytest.mark.parametrize(("pause", "prompt"), [(2.9, "kabcd"), (3.1, "")])
def test_text_from_before_three_seconds_of_silence_is_no_prompt(
    monkeypatch: pytest.MonkeyPatch, pause: float, prompt: str
) -> None:
    screen = Screen(Reader(), settings=Settings(language="en", condition=True, prompt=(10,)))
    decode, prompts = screen.live._decoder.decode_with_fallback, []

    def noting(window: Any, settings: Settings, watch: Any) -> Any:
        prompts.append(spell(settings.prompt).replace(" ", ""))
        return decode(window, settings, watch)

    monkeypatch.setattr(screen.live._decoder, "decode_with_fallback", noting)
    screen.play(say(" abcd efgh ", pause), 5.0)
    assert prompts[-1] == prompt


def test_a_session_goes_on_after_the_final_text_that_was_there() -> None:
    audio = say("abcdefgh ")
    screen = Screen(Reader(line=100), resume=Resume(5 * SAMPLE_RATE, (0, 1)))
    screen._final = "a b"
    screen.play(audio)
    assert screen.text == "abcdefgh"
    assert screen.segments[0].start == pytest.approx(5.0)
    assert screen.segments[-1].end == pytest.approx(9.0)


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(ValueError, match="'fr'"):
        Screen(Reader(), settings=Settings(language="fr"))


class Attentive(Toy):
    """A random model whose text depends on all that it hears."""

    def attend(self, encoded: np.ndarray, tokens: Sequence[int]) -> tuple[Scores, np.ndarray]:
        shake = np.random.default_rng(len(tokens)).normal(size=(1, len(tokens), 1500)).astype(np.float32)
        return np.zeros((len(tokens), SIZE), np.float32), shake


def summary(samples: np.ndarray, bins: int) -> np.ndarray:
    """Features that change with every stretch of half a second."""
    parts = np.add.reduceat(samples, range(0, len(samples), SAMPLE_RATE // 2))
    return np.resize(np.concatenate([parts / 80, [len(samples) / SAMPLE_RATE / 30]]), (bins, 12))


def tokens_only(text: LiveText) -> object:
    """Without probabilities, whose last bits differ between passes of one and of several tokens."""
    lines = [(segment.start, segment.end, segment.tokens) for segment in text.segments]
    return lines, text.final, text.provisional, text.start


@settings(max_examples=6, deadline=None)
@given(
    st.integers(0, 200),
    st.sampled_from([0.0, 0.2]),
    st.lists(st.floats(0.1, 4.0), min_size=3, max_size=12),
    st.lists(st.lists(st.integers(0, SIZE - 1), max_size=9), max_size=40),
)
def test_the_same_audio_and_the_same_moments_give_the_same_tokens(
    seed: int, noise: float, steps: list[float], script: list[list[int]]
) -> None:
    """A recorded schedule: with the text before, a draft model, both, nonsense, or nothing as the draft."""
    audio = say("abcdefghijkl abc  " * 3)
    words = vocabulary(max_initial_timestamp=None)
    model = Attentive(seed, noise=noise)
    wanted = None
    for previous, draft in (
        (False, None),
        (True, None),
        (True, drafter(Toy(seed + 1), model, words)),
        (False, drafter(Toy(seed + 1), model, words)),
        (True, Scripted(script)),
    ):
        live = Live(summary, Setup(model, words, spell, draft), Gate(), previous=previous, settings=English)
        seen: list[object] = []
        at = 0
        for step in steps:
            live.feed(audio[at : at + round(step * SAMPLE_RATE)])
            at += round(step * SAMPLE_RATE)
            if (text := live.update()) is not None:
                seen.append(tokens_only(text))
        live.finish()
        for _ in range(40):
            if (text := live.update()) is not None:
                seen.append(tokens_only(text))
        assert not live.due
        wanted = seen if wanted is None else wanted
        assert seen == wanted


def test_the_text_before_saves_most_of_the_passes() -> None:
    spoken = say("abcdefghijkl" * 4 + " ")
    alone = Screen(Reader(line=6), previous=False).play(spoken)
    helped = Screen(Reader(line=6)).play(spoken)
    assert helped.segments == alone.segments
    assert helped.counter.total.target_passes < 0.4 * alone.counter.total.target_passes


def test_the_pace_follows_the_cost() -> None:
    pace = Pace()
    assert pace.interval == SHORTEST_INTERVAL
    pace.took(0.1, 0.3)
    assert pace.interval == pytest.approx(0.3)  # many cores: not held to the share of one
    for _ in range(20):
        pace.took(0.15, 0.24)
    assert pace.interval == pytest.approx(0.4, abs=0.01)
    for _ in range(20):
        pace.took(0.5, 0.9)
    assert pace.interval == pytest.approx(LONGEST_INTERVAL)  # what the computer can do counts more than the share
    for _ in range(20):
        pace.took(4.0, 4.0)
    assert pace.interval == pytest.approx(5.0, abs=0.01)
