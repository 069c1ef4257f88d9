"""Drafts that have other ids, other tokens or other ears than the target change nothing, and their work is of use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from desktop_app.decoding.audio_window import AudioWindow
from desktop_app.decoding.drafters import Draft, ModelDrafter
from desktop_app.decoding.mapping import Ids, map_ids
from desktop_app.decoding.retokenised import RetokenisedDrafter, Spelling
from desktop_app.decoding.rules import Rules
from desktop_app.decoding.sampling import Sampling
from desktop_app.decoding.vocabulary import Vocabulary
from desktop_app.transcript.settings import Settings
from desktop_app.transcript.statistics import Statistics

from .test_identity import awkward, models, samplings, tasks, write
from .toys import (
    END,
    ENGLISH,
    FIRST_TIME,
    GERMAN,
    NO_SPEECH,
    NO_TIMES,
    SIZE,
    TEXT,
    TRANSCRIBE,
    Toy,
    toy_window,
    vocabulary,
)

# As the vocabulary, with a third language behind the second and the words in reverse order.
INSERTED = vocabulary(
    size=SIZE + 1,
    no_timestamps=NO_TIMES + 1,
    first_timestamp=FIRST_TIME + 1,
    no_speech=NO_SPEECH + 1,
    transcribe=TRANSCRIBE + 1,
    languages={"en": ENGLISH, "de": GERMAN, "fr": GERMAN + 1},
    suppress=(),
    begin_suppress=(),
)
NAMED = {token: TEXT - 1 - token if token < TEXT else token + (token > GERMAN) for token in range(FIRST_TIME)}

# What the words spell, letters that take two bytes among them; and an English-only vocabulary that spells in 10 other
# words and counts time by the second.
PIECES = [b"a", b"b", b" ", b"\xc3", b"\xa9", b"ab", b" a", b" b", b"ba", b" ab", b"\xc3\xa9", b"bb"]
OTHER_PIECES = [b" ", b"a", b"b", b"\xc3", b"\xa9", b" ba", b"aa", b"abb", b"a ", b"b\xc3"]
OTHER = Vocabulary(
    size=45,
    end=10,
    start=11,
    no_timestamps=12,
    first_timestamp=13,
    begin_suppress=(0, 10),
    max_initial_timestamp=8,
    seconds_per_timestamp=1.0,
)


def spelling(words: Vocabulary, pieces: Sequence[bytes]) -> Spelling:
    """Spells with the longest piece that fits, from the left."""

    def split(text: bytes) -> list[int]:
        tokens = []
        while text:
            token = max(
                (token for token, piece in enumerate(pieces) if text.startswith(piece)), key=lambda t: len(pieces[t])
            )
            tokens.append(token)
            text = text[len(pieces[token]) :]
        return tokens

    return Spelling(words, [*pieces, *[b""] * (words.size - len(pieces))], split)


def mapped(draft: Toy, words: Vocabulary) -> ModelDrafter:
    return ModelDrafter(Draft(draft, draft, INSERTED), map_ids(words, INSERTED, NAMED))


def retokenised(draft: Toy, words: Vocabulary) -> RetokenisedDrafter:
    return RetokenisedDrafter(Draft(draft, draft, OTHER), spelling(words, PIECES), spelling(OTHER, OTHER_PIECES))


@given(
    models, awkward, st.integers(0, 200), st.integers(5, 48), samplings, tasks, st.sampled_from([mapped, retokenised])
)
def test_a_draft_with_another_vocabulary_changes_nothing(
    model: Toy, words: Vocabulary, seed: int, positions: int, sampling: Sampling | None, task: Settings, drafter: object
) -> None:
    if min(model.positions, positions) < 10:
        task = Settings("en")  # a longer prefill would leave no room
    draft = Toy(seed, positions, size=INSERTED.size if drafter is mapped else OTHER.size)
    alone, _ = write(model, words, None, sampling, task)
    drafted, _ = write(model, words, drafter(draft, words), sampling, task)
    assert drafted.tokens == alone.tokens


@given(st.integers(0, 200), awkward, samplings)
def test_the_model_under_other_ids_is_accepted_always(seed: int, words: Vocabulary, sampling: Sampling | None) -> None:
    """Drawn tokens too: the noise goes with the token, not with its id."""
    assume(words.max_initial_timestamp != 0 or words.first_timestamp not in words.begin_suppress)  # else none can begin
    model, twin = Toy(seed), Toy(seed)
    ids = map_ids(words, INSERTED, NAMED)
    there = [ids.to_target(token) or 0 for token in range(INSERTED.size)]
    twin._embed, twin._head = model._embed[there], model._head[:, there]
    _, figures = write(model, words, mapped(twin, words), sampling)
    assert figures.accepted == figures.compared


def test_ids_are_mapped_by_name_and_seconds() -> None:
    words = vocabulary(suppress=(3,), begin_suppress=(5,))
    ids = map_ids(words, INSERTED, NAMED)
    assert ids.to_draft([0, 11, END, GERMAN, TRANSCRIBE]) == [11, 0, END, GERMAN, TRANSCRIBE + 1]
    assert [ids.to_target(token) for token in ids.to_draft(range(SIZE))] == list(range(SIZE))
    for token in range(FIRST_TIME, SIZE):
        assert INSERTED.seconds(ids.to_draft([token])[0]) == words.seconds(token)
    assert ids.to_target(GERMAN + 1) is None
    assert ids.vocabulary.suppress == (8, GERMAN + 1)
    assert ids.vocabulary.begin_suppress == (6,)


def test_times_that_the_other_has_not_are_left_out() -> None:
    short = replace(OTHER, size=OTHER.first_timestamp + 10)
    ids: Ids = map_ids(vocabulary(), short, {})
    assert ids.to_draft(range(FIRST_TIME, SIZE)) == [13, 15, 17, 19, 21]
    assert ids.to_target(14) is None
    assert spelling(short, OTHER_PIECES).encode([2.0, 30.0]) == [15]


@given(st.lists(st.integers(0, SIZE - 1), max_size=30))
def test_what_tokens_say_is_what_the_tokens_for_it_say(tokens: list[int]) -> None:
    ours, theirs = spelling(vocabulary(), PIECES), spelling(OTHER, OTHER_PIECES)
    content = ours.decode(tokens)
    assert theirs.decode(theirs.encode(content)) == ours.decode(ours.encode(content)) == content


class Noticing(Toy):
    """Notices the features it hears and the tokens before the text."""

    def encode(self, features: np.ndarray) -> np.ndarray:
        self.bins = len(features)
        return super().encode(features)


def test_each_model_hears_with_its_own_mel_bins() -> None:
    target, draft = Noticing(1), Noticing(2, size=OTHER.size)
    draft.mel_bins = 3
    _, figures = write(target, vocabulary(), retokenised(draft, vocabulary()))
    assert (target.bins, draft.bins) == (2, 3)
    assert figures.drafted


def test_what_is_heard_is_heard_once() -> None:
    made: list[int] = []

    def extract(samples: np.ndarray, bins: int) -> np.ndarray:
        made.append(bins)
        return np.zeros((bins, 12), np.float32)

    window, models = AudioWindow(np.zeros(0, np.float32), extract), [Toy(1), Toy(2), Toy(3)]
    models[2].mel_bins = 3
    first = [window.encoded(model) for model in models]
    assert all(window.encoded(model) is one for model, one in zip(models, first, strict=True))
    assert made == [2, 3]


@pytest.mark.parametrize(
    "task",
    [Settings("de"), Settings("en", translate=True), Settings("de", translate=True)],
    ids=["German", "translate", "both"],
)
def test_a_draft_leaves_alone_what_it_is_not_made_for(task: Settings) -> None:
    words = vocabulary(translate=3)
    text, figures = write(Toy(4), words, retokenised(Toy(5, size=OTHER.size), words), None, task)
    assert text.tokens == write(Toy(4), words, None, None, task)[0].tokens
    assert figures.drafted == 0


def test_a_multilingual_draft_of_an_english_target_writes_english() -> None:
    prefills = []

    class Prefilled(Toy):
        def open(self, encoded: np.ndarray) -> object:
            cursor = super().open(encoded)
            run = cursor.run
            cursor.run = lambda tokens: (prefills.append(list(tokens[:3])), run(tokens))[1]  # type: ignore[method-assign]
            return cursor

    english = vocabulary(languages={}, transcribe=None)
    _, figures = write(Toy(4), english, mapped(Prefilled(5, size=INSERTED.size), english), None, Settings(""))
    assert figures.drafted
    assert prefills[0] == [INSERTED.start, ENGLISH, TRANSCRIBE + 1]


def test_a_draft_without_positions_proposes_nothing() -> None:
    drafter = mapped(Toy(5, positions=6, size=INSERTED.size), vocabulary())
    drafter.begin(toy_window(), Settings("en"), Rules(vocabulary()))
    assert len(drafter.propose([FIRST_TIME], 8)) <= 3
    assert drafter.propose([FIRST_TIME, 1, 2, 3, 4], 8) == []


def test_figures_are_those_of_a_draft_with_the_same_words() -> None:
    """A sanity check of the property test: the drafters really draft."""
    for make, size in ((mapped, INSERTED.size), (retokenised, OTHER.size)):
        total = Statistics()
        for seed in range(20):
            _, figures = write(Toy(seed), vocabulary(), make(Toy(seed + 1, size=size), vocabulary()))
            total += figures
        assert total.drafted > total.accepted > 0


def test_prompt_and_hot_words_are_given_in_the_drafts_tokens() -> None:
    ids = map_ids(vocabulary(), INSERTED, NAMED)
    task = Settings("en", prompt=(0, FIRST_TIME, 1), hot_words=(2,)).respelled(ids.to_draft)
    assert (task.prompt, task.hot_words) == ((11, FIRST_TIME + 1, 10), (9,))
