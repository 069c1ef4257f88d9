"""One window: the tokens before the text, sampling that can be replayed, and a second try where a text went wrong."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from desktop_app.decoding import window
from desktop_app.decoding.rules import Rules
from desktop_app.decoding.sampling import Sampling
from desktop_app.decoding.setup import Setup
from desktop_app.decoding.task import prefix
from desktop_app.decoding.window import Language, WindowDecoder, WindowText
from desktop_app.transcript.settings import Settings
from desktop_app.transcript.statistics import Counter

from .toys import ENGLISH, FIRST_TIME, GERMAN, NO_TIMES, START, TRANSCRIBE, Toy, toy_window, vocabulary

TRANSLATE, PREVIOUS = 3, 4


def say(tokens: Sequence[int]) -> str:
    return "".join(f" word{token}" for token in tokens)


def decoder(model: Toy) -> WindowDecoder:
    return WindowDecoder(Setup(model, vocabulary(), say), Counter())


def nothing(tokens: Sequence[int], draft: Sequence[int]) -> None:
    """Watches and does nothing."""


def test_the_prefix_says_language_task_timestamps_and_what_came_before() -> None:
    words = vocabulary(translate=TRANSLATE, previous=PREVIOUS)
    assert prefix(words, Settings("en"), 48) == [START, ENGLISH, TRANSCRIBE]
    assert prefix(words, Settings("en", translate=True), 48) == [START, ENGLISH, TRANSLATE]
    assert prefix(words, Settings("en", timestamps=False), 48) == [START, ENGLISH, TRANSCRIBE, NO_TIMES]
    assert prefix(words, Settings("en", prompt=(7, 8)), 48) == [PREVIOUS, 7, 8, START, ENGLISH, TRANSCRIBE]
    assert prefix(vocabulary(languages={}), Settings(""), 48) == [START]


def test_of_a_long_prompt_the_end_stays() -> None:
    words = vocabulary(previous=PREVIOUS)
    kept = prefix(words, Settings("en", prompt=tuple(range(12)) * 40), 48)[1:-3]
    assert len(kept) == 23
    assert kept[-1] == 11


def test_hot_words_stand_before_the_prompt_and_leave_it_the_rest_of_the_room() -> None:
    words = vocabulary(previous=PREVIOUS)
    assert prefix(words, Settings("en", hot_words=(9, 8)), 48) == [PREVIOUS, 9, 8, START, ENGLISH, TRANSCRIBE]
    kept = prefix(words, Settings("en", prompt=(7,) * 40, hot_words=(9, 8)), 48)[1:-3]
    assert kept == [9, 8, *(7,) * 21]
    assert prefix(words, Settings("en", prompt=(7,), hot_words=(9,) * 60), 48)[1:-3] == [9] * 23


@pytest.mark.parametrize("words", [vocabulary(translate=None), vocabulary(languages={}, translate=TRANSLATE)])
def test_a_checkpoint_that_cannot_translate_says_so(words: object) -> None:
    with pytest.raises(ValueError, match="does not translate"):
        prefix(words, Settings("en", translate=True), 48)  # type: ignore[arg-type]


def test_a_checkpoint_that_names_no_language_writes_english_without_saying_so_to_the_model() -> None:
    words = vocabulary(languages={})
    found = WindowDecoder(Setup(Toy(1), words, say), Counter()).detect_language(toy_window())
    assert found == Language("en", 1.0)
    assert prefix(words, Settings(found.code), 48) == [START]


def test_sampling_is_the_same_each_time_and_another_at_another_place() -> None:
    here, again = Sampling(0.8, 480_000), Sampling(0.8, 480_000)
    assert (here.noise(3, 99) == again.noise(3, 99)).all()
    assert not np.allclose(here.noise(3, 99), here.noise(4, 99))
    assert not np.allclose(here.noise(3, 99), Sampling(0.6, 480_000).noise(3, 99))
    assert not np.allclose(here.noise(3, 99), Sampling(0.8, 480_320).noise(3, 99))
    assert len(np.unique(here.noise(0, 50_000))) > 49_000


def test_noise_draws_tokens_by_their_probability() -> None:
    logits = np.log(np.array([0.5, 0.3, 0.2], np.float32))
    drawn = [int((logits + Sampling(1.0, 0).noise(position, 3)).argmax()) for position in range(4000)]
    assert np.allclose(np.bincount(drawn) / 4000, [0.5, 0.3, 0.2], atol=0.03)


class Tries(WindowDecoder):
    """Writes the texts it is given, a try each."""

    def __init__(self, texts: list[WindowText]) -> None:
        super().__init__(Setup(Toy(1), vocabulary(), say), Counter())
        self.texts, self.temperatures = texts, []

    def decode_steps(self, window, settings, watch, sampling=None):  # type: ignore[no-untyped-def]
        self.temperatures.append(sampling.temperature if sampling else 0.0)
        return self.texts[len(self.temperatures) - 1]
        yield


GOOD, UNSURE = WindowText((1, 2), -0.3, 0.0), WindowText((1, 2), -1.2, 0.0)
SILENT, LOOP = WindowText((1, 2), -1.2, 0.9), WindowText((3,) * 40, -0.1, 0.0)


@pytest.mark.parametrize(
    ("texts", "tried"),
    [
        ([GOOD], [0.0]),
        ([UNSURE, GOOD], [0.0, 0.2]),
        ([LOOP, GOOD], [0.0, 0.2]),
        ([UNSURE, LOOP, GOOD], [0.0, 0.2, 0.4]),
        ([UNSURE, UNSURE, UNSURE], [0.0, 0.2, 0.4]),
        ([SILENT], [0.0]),
    ],
)
def test_a_text_that_went_wrong_is_tried_again_hotter(texts: list[WindowText], tried: list[float]) -> None:
    tries = Tries(texts)
    text = tries.decode_with_fallback(toy_window(), Settings("en", temperatures=(0.0, 0.2, 0.4)), nothing)
    assert text == texts[-1]
    assert tries.temperatures == tried


def test_a_text_without_timestamps_has_none() -> None:
    toy = Toy(8)
    decode = decoder(toy)
    text = decode.decode(toy_window(), Settings("en", timestamps=False), nothing)
    assert text.tokens
    with_times = decode.decode(toy_window(), Settings("en"), nothing)
    assert with_times.tokens[0] >= FIRST_TIME


def test_probabilities_are_those_of_a_plain_reading() -> None:
    """Of each token and the end under the rules, of no speech behind the start, and of the language."""
    toy, words = Toy(8), vocabulary()
    text = decoder(toy).decode(toy_window(), Settings("en"), nothing)
    assert len(text.tokens) > 2
    rows = toy.open(toy_window().encoded(toy)).run([START, ENGLISH, TRANSCRIBE, *text.tokens])
    shares = np.exp(rows[0]) / np.exp(rows[0]).sum()
    assert text.no_speech_probability == pytest.approx(shares[words.no_speech], rel=1e-4)
    rules = Rules(words)
    read = [rules.decide(row, rules.written(text.tokens[:at])) for at, row in enumerate(rows[2:])]
    assert [each.token for each in read] == [*text.tokens, words.end]
    assert text.mean_log_probability == pytest.approx(np.mean([each.log_probability for each in read]), rel=1e-4)
    english, german = np.exp(rows[0][[ENGLISH, GERMAN]])
    language = decoder(toy).detect_language(toy_window())
    assert language.code == ("en" if english > german else "de")
    assert language.probability == pytest.approx(max(english, german) / (english + german), rel=1e-4)


@pytest.mark.parametrize(("seconds", "frames"), [(30.0, 1500), (0.58, 29), (0.579, 28), (1.0, 50)])
def test_words_are_looked_for_where_there_is_audio(
    monkeypatch: pytest.MonkeyPatch, seconds: float, frames: int
) -> None:
    """In whole frames of a fiftieth of a second; 50 times 0.58 is a little less than 29 in binary numbers."""

    class Attentive(Toy):
        def attend(self, encoded: np.ndarray, tokens: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
            return self.open(encoded).run(tokens), np.zeros((1, len(tokens), 1500), np.float32)

    monkeypatch.setattr(window, "align", lambda *given: given[-1])
    assert decoder(Attentive(9)).words(toy_window(), Settings("en"), [1, 2], seconds) == frames


def test_the_same_sampling_writes_the_same_text() -> None:
    decode = decoder(Toy(9))
    hot = [decode.decode(toy_window(), Settings("en"), nothing, Sampling(1.0, 5)) for _ in range(2)]
    assert hot[0] == hot[1]
    assert hot[0].temperature == 1.0
    assert hot[0].tokens != decode.decode(toy_window(), Settings("en"), nothing, Sampling(1.0, 6)).tokens


def test_a_text_that_fills_every_position_still_gets_its_words() -> None:
    class Attentive(Toy):
        def attend(self, encoded: np.ndarray, tokens: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
            return self.open(encoded).run(tokens), np.zeros((1, len(tokens), 1500), np.float32)

    decode = decoder(Attentive(9, positions=48))
    timings = decode.words(toy_window(), Settings("en"), [1] * 47, 30.0)
    assert len(timings) == 48 - 4 - 1


def test_translating_needs_a_token_for_it_and_another_language_than_english() -> None:
    assert vocabulary(translate=TRANSCRIBE).translates
    assert not vocabulary().translates
    assert not vocabulary(translate=TRANSCRIBE, languages={"en": ENGLISH}).translates
