"""A CTC head's frames become the target's tokens, and its text is the draft where the head alone is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.decoding.ctc import BLANK, BREAK, FIRST_UNIT, CtcDrafter, Frames, head_text
from desktop_app.decoding.drafters import ModelDrafter
from desktop_app.decoding.lookahead import HEAD_ALONE, PRIOR_CONFIDENCE, LookAhead
from desktop_app.decoding.rules import Rules
from desktop_app.decoding.sampling import Sampling
from desktop_app.decoding.vocabulary import Vocabulary
from desktop_app.transcript.settings import Settings

from .test_identity import awkward, drafter, models, samplings, tasks, write
from .test_other_vocabularies import PIECES, spelling
from .toys import END, FIRST_TIME, GERMAN, Toy, toy_window, vocabulary

WORDS = vocabulary()
UNITS = [0, 1, 2, 5]
"""The letters a, b and space, and ab."""
A, B, SPACE, AB = range(FIRST_UNIT, FIRST_UNIT + len(UNITS))
WITH_MODEL = PRIOR_CONFIDENCE


def frames(holds: Sequence[int], ends: dict[int, float] | None = None) -> Frames:
    """What a head makes of a window of so many frames, each of two positions."""
    ended = np.zeros(2 * len(holds), np.float32)
    for place, share in (ends or {}).items():
        ended[place] = share
    return np.array(holds, np.int32), ended


def spelled(holds: Sequence[int], ends: dict[int, float] | None = None, *, timestamps: bool = True) -> list[int]:
    return head_text(frames(holds, ends), spelling(WORDS, PIECES), UNITS, timestamps).tokens(99)


def test_a_unit_that_lasts_is_written_once_and_again_behind_a_blank() -> None:
    assert spelled([A, A, BLANK, A, SPACE], timestamps=False) == [0, 0, 2, END]


def test_units_become_the_targets_own_tokens() -> None:
    assert spelled([A, B], timestamps=False) == [PIECES.index(b"ab"), END]
    assert spelled([SPACE, AB], timestamps=False) == [PIECES.index(b" ab"), END]


def test_where_segments_meet_there_are_two_times_and_behind_the_last_there_is_one() -> None:
    holds = [A, BLANK, BREAK, BLANK, B, BLANK, BREAK, BLANK]
    ends = {3: 0.9, 1: 0.2, 11: 0.8}
    first, last = FIRST_TIME + 3, FIRST_TIME + 11
    assert spelled(holds, ends) == [FIRST_TIME, 0, first, first, 1, last, END]
    assert spelled(holds, ends, timestamps=False) == [PIECES.index(b"ab"), END]


def test_a_time_is_looked_for_between_the_words_around_it() -> None:
    assert spelled([A, BLANK, BREAK, B, BLANK], {2: 0.5, 7: 0.9})[2] == FIRST_TIME + 2, "7 ends another segment"
    assert spelled([BLANK, A, BREAK, B], {0: 0.9, 3: 0.4})[2] == FIRST_TIME + 3, "0 is before the word"
    assert spelled([A, BREAK], {3: 0.4})[2] == FIRST_TIME + 3


def test_silence_is_an_empty_text() -> None:
    assert spelled([BLANK, BLANK]) == [FIRST_TIME, END]
    assert spelled([BLANK], timestamps=False) == [END]


class Head:
    """A head that always finds the same frames, and counts."""

    def __init__(self, holds: Sequence[int]) -> None:
        self.found, self.read = frames(holds), 0

    def __call__(self, encoded: Any) -> Frames:
        self.read += 1
        return self.found


def made(head: Head, model: Toy, own: Vocabulary = WORDS, words: Vocabulary = WORDS) -> CtcDrafter:
    return CtcDrafter(
        head, model, spelling(words, PIECES), UNITS, own.languages, own, lambda: drafter(model, model, words)
    )


def begun(head: Head, settings: Settings, own: Vocabulary = WORDS, sampling: Sampling | None = None) -> CtcDrafter:
    found = made(head, Toy(3), own)
    found.begin(toy_window(), settings, Rules(WORDS, settings.timestamps, sampling))
    return found


PLAIN = Settings("en", timestamps=False)


def test_the_heads_text_is_proposed_a_fixed_number_of_tokens_at_a_time() -> None:
    head = Head([A, SPACE, B, BLANK, A, SPACE])
    written = [PIECES.index(piece) for piece in (b"a", b" b", b"a", b" ")]
    drafter = begun(head, PLAIN)
    assert drafter.propose([], 3, HEAD_ALONE) == written[:3]
    assert drafter.propose(written[:2], 2, HEAD_ALONE) == written[2:]
    assert drafter.propose(written, 4, HEAD_ALONE) == [END]
    assert (drafter.passes, head.read) == (0, 1)


def test_behind_a_correction_the_heads_text_goes_on() -> None:
    drafter = begun(Head([A, SPACE, B, SPACE, A, SPACE]), PLAIN)
    first = drafter.propose([], 5, HEAD_ALONE)
    assert drafter.propose([11, first[1]], 2, HEAD_ALONE) == first[2:4]


def test_where_the_model_is_asked_the_head_is_not_even_run() -> None:
    head = Head([A, SPACE, A, SPACE])
    drafter = begun(head, PLAIN)
    drafter.propose([], 3, WITH_MODEL)
    assert drafter.passes > 0 and head.read == 0
    before = drafter.passes
    assert drafter.propose([], 1, HEAD_ALONE) == [0]
    assert (drafter.passes, head.read) == (before, 1), "the way may change within a window"
    drafter.propose([0], 1, WITH_MODEL)
    assert drafter.passes > before, "there and back"


def test_the_model_is_loaded_once_and_not_before_it_is_asked() -> None:
    loaded, model = list[str](), Toy(3)

    def with_model() -> ModelDrafter:
        loaded.append("model")
        return drafter(model, model, WORDS)

    both = CtcDrafter(Head([A, SPACE]), model, spelling(WORDS, PIECES), UNITS, WORDS.languages, WORDS, with_model)
    for _ in range(2):
        both.begin(toy_window(), PLAIN, Rules(WORDS, timestamps=False))
        both.propose([], 3, HEAD_ALONE)
    assert (loaded, both.passes) == ([], 0)
    for _ in range(2):
        both.begin(toy_window(), PLAIN, Rules(WORDS, timestamps=False))
        both.propose([], 3, WITH_MODEL)
    assert loaded == ["model"] and both.passes > 0


@pytest.mark.parametrize(
    ("settings", "sampling"),
    [
        (replace(PLAIN, language="de"), None),
        (replace(PLAIN, translate=True), None),
        (PLAIN, Sampling(0.4, 0)),
    ],
)
def test_what_the_head_has_not_learnt_it_is_not_asked(settings: Settings, sampling: Sampling | None) -> None:
    head = Head([A, SPACE])
    own = vocabulary(languages={"en": WORDS.languages["en"]}, translate=None)
    drafter = begun(head, settings, own, sampling)
    drafter.propose([], 3, HEAD_ALONE)
    assert head.read == 0
    assert (drafter.passes > 0) == (sampling is not None), "nor is the model, which has learnt as much"
    german = begun(head, replace(PLAIN, language="de"), vocabulary(languages={"de": GERMAN}))
    german.propose([], 3, HEAD_ALONE)
    assert head.read == 1, "a head for that language is asked"


def test_in_a_language_that_only_the_head_knows_the_head_drafts_whatever_is_asked() -> None:
    head, model = Head([A, SPACE]), Toy(3)
    english = vocabulary(languages={"en": WORDS.languages["en"]}, translate=None)
    drafter = CtcDrafter(head, model, spelling(WORDS, PIECES), UNITS, ("de", "en"), english, fail)
    drafter.begin(toy_window(), replace(PLAIN, language="de"), Rules(WORDS, timestamps=False))
    assert drafter.propose([], 1, WITH_MODEL) == [PIECES.index(b"a")]
    assert (drafter.passes, head.read) == (0, 1)


def fail() -> ModelDrafter:
    raise AssertionError("the model knows nothing of this language")


@pytest.mark.parametrize("alone", [True, False])
def test_what_the_head_proposed_is_counted_by_itself(alone: bool) -> None:
    model = Toy(3)
    _, counts = write(
        model, WORDS, made(Head([A, SPACE, B]), model), task=PLAIN, look_ahead=LookAhead(head_alone=alone)
    )
    assert counts.compared
    assert (counts.head_compared, counts.head_accepted) == ((counts.compared, counts.accepted) if alone else (0, 0))


written = st.tuples(
    st.lists(st.integers(BLANK, FIRST_UNIT + 3), max_size=7),  # breaks end here: the toys know no later times
    st.lists(st.sampled_from([BLANK, *range(FIRST_UNIT, FIRST_UNIT + 4)]), max_size=23),
).map(lambda parts: [*parts[0], *parts[1]])
"""What the frames of a window hold."""


@given(models, awkward, written, samplings, tasks, st.booleans())
def test_a_head_changes_nothing(
    model: Toy, words: Vocabulary, holds: list[int], sampling: Sampling | None, task: Settings, alone: bool
) -> None:
    class Costs(CtcDrafter):
        def steps(self, tokens: Sequence[int], count: int, confidence: float = 0.0) -> Any:
            return super().steps(tokens, count, HEAD_ALONE if alone else WITH_MODEL)

    if model.positions < 10:
        task = Settings("en")  # a longer prefill would leave no room
    plain, _ = write(model, words, None, sampling, task)
    head = Costs(
        Head([*holds, BLANK]),
        model,
        spelling(words, PIECES),
        UNITS,
        [task.language or "en"],
        words,
        lambda: drafter(Toy(5, model.positions), model, words),
    )
    drafted, _ = write(model, words, head, sampling, task)
    assert drafted.tokens == plain.tokens
