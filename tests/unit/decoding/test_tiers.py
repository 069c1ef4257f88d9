"""The head's text as the layers of the draft correct it, and the target's text whatever both propose."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.decoding import drafters
from desktop_app.decoding.ctc import BLANK
from desktop_app.decoding.drafters import Draft, ModelDrafter
from desktop_app.decoding.mapping import head_ids
from desktop_app.decoding.rules import Rules
from desktop_app.decoding.sampling import Sampling
from desktop_app.decoding.steps import Steps, alone
from desktop_app.decoding.tiers import READINGS, TiersDrafter
from desktop_app.decoding.vocabulary import Vocabulary
from desktop_app.transcript.settings import Settings

from .test_ctc import PLAIN, SPACE, UNITS, WORDS, A, B, Head, written
from .test_identity import awkward, drafter, models, samplings, tasks, write
from .test_other_vocabularies import PIECES, spelling
from .toys import END, SIZE, TEXT, Toy, toy_window

HOLDS = [A, SPACE, B, SPACE, A, SPACE, B]
HEARD = [PIECES.index(piece) for piece in (b"a", b" b", b" a", b" b")]


class Layers(ModelDrafter):
    """Knows what was said, and counts what it reads."""

    def __init__(self, said: Sequence[int]) -> None:
        self._said, self.read = said, list[list[int]]()

    def begin(self, *about: object) -> None:
        pass

    def steps(self, tokens: Sequence[int], count: int, confidence: float = 0.0) -> Steps[list[int]]:
        yield from ()
        return [TEXT - 1]

    def corrected(self, tokens: Sequence[int], proposal: Sequence[int]) -> Steps[list[int]]:
        yield from ()
        self.read.append([*proposal])
        said = self._said[len(tokens) :]
        same = drafters.common(proposal, said)
        return [*proposal[:same], *([said[same]] if same < len(proposal) else [])]


def tiers(layers: ModelDrafter, holds: Sequence[int] = HOLDS, words: Vocabulary = WORDS) -> TiersDrafter:
    return TiersDrafter(Head(holds), Toy(3), spelling(words, PIECES), UNITS, words.languages, words, lambda: layers)


def proposed(layers: Layers, count: int, sampling: Sampling | None = None) -> list[int]:
    found = tiers(layers)
    found.begin(toy_window(), PLAIN, Rules(WORDS, False, sampling))
    return found.propose([], count)


def test_what_the_layers_agree_with_they_read_once() -> None:
    for count in (3, 9):
        layers = Layers([*HEARD, END])
        assert proposed(layers, count) == [*HEARD, END][:count]
        assert len(layers.read) == 1


def test_behind_a_correction_the_heads_text_goes_on_and_is_read_again() -> None:
    other = PIECES.index(b"bb")
    said = [HEARD[0], other, *HEARD[2:], END]
    layers = Layers(said)
    assert proposed(layers, 5) == said
    assert layers.read == [[*HEARD, END], said]
    last = Layers([*HEARD[:2], other])
    assert proposed(last, 3) == [*HEARD[:2], other] and len(last.read) == 1, "nothing is behind it"


def test_the_layers_read_only_so_often_and_not_behind_the_end() -> None:
    other = PIECES.index(b"bb")
    layers = Layers([other] * 9)
    found = proposed(layers, 6)
    assert found[:READINGS] == [other] * READINGS and len(found) > READINGS == len(layers.read)
    ended = Layers([HEARD[0], END])
    assert proposed(ended, 6) == [HEARD[0], END] and len(ended.read) == 1


def test_where_the_head_has_no_text_the_layers_write() -> None:
    assert proposed(Layers([]), 3, Sampling(0.4, 0)) == [TEXT - 1]


@given(
    st.integers(0, 50),
    st.lists(st.integers(0, TEXT - 1), max_size=3),
    st.lists(st.integers(0, TEXT - 1), min_size=1, max_size=6),
)
def test_layers_correct_the_first_token_that_they_would_not_have_written(
    seed: int, text: list[int], proposal: list[int]
) -> None:
    """In one pass; a token that they cannot write passes, and so does all that is left where they are unsure."""
    layers, scored = Toy(seed), (*range(0, END, 2), *range(END, SIZE))
    row = [scored.index(token) if token in scored else -1 for token in range(SIZE)]

    class Reduced(Toy):
        """Scores only some tokens."""

        def scores(self, states: Sequence[object], length: int) -> object:  # type: ignore[override]
            return super().scores(states, length)[:, list(scored)]  # type: ignore[arg-type]

    made = ModelDrafter(Draft(Reduced(seed), layers, WORDS), head_ids(WORDS, scored))
    made.begin(toy_window(), PLAIN, Rules(WORDS, timestamps=False))
    wanted = list[int]()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drafters, "UNSURE", 0.0)
        for token in proposal:
            own = made.propose([*text, *wanted], 1)[0]
            wanted.append(token if row[token] < 0 else own)
            if wanted[-1] != token:
                break
        before = made.passes
        assert alone(made.corrected(text, proposal)) == wanted
        assert made.passes == before + 1
        patch.setattr(drafters, "UNSURE", 1.1)
        assert alone(made.corrected(text, proposal)) == proposal


@given(models, awkward, written, samplings, tasks)
def test_two_tiers_change_nothing(
    model: Toy, words: Vocabulary, holds: list[int], sampling: Sampling | None, task: Settings
) -> None:
    if model.positions < 10:
        task = Settings("en")  # a longer prefill would leave no room
    plain, _ = write(model, words, None, sampling, task)
    layers = drafter(Toy(5, model.positions), model, words)
    found = TiersDrafter(
        Head([*holds, BLANK]), model, spelling(words, PIECES), UNITS, [task.language or "en"], words, lambda: layers
    )
    drafted, _ = write(model, words, found, sampling, task)
    assert drafted.tokens == plain.tokens
