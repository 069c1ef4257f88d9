"""Exact: whatever is drafted, the text is the one that the target writes alone, one token a pass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.decoding.audio_window import AudioWindow
from desktop_app.decoding.drafters import Draft, Drafter, ModelDrafter
from desktop_app.decoding.lookahead import LookAhead
from desktop_app.decoding.mapping import map_ids
from desktop_app.decoding.rules import Rules
from desktop_app.decoding.sampling import Sampling
from desktop_app.decoding.setup import Setup
from desktop_app.decoding.task import prefix
from desktop_app.decoding.vocabulary import Vocabulary
from desktop_app.decoding.window import WindowDecoder, WindowText
from desktop_app.transcript.settings import Settings
from desktop_app.transcript.statistics import Counter, Statistics

from .toys import END, FIRST_TIME, SIZE, TEXT, Toy, toy_window, vocabulary

ENGLISH = Settings("en")


class Scripted(Drafter):
    """Proposes whatever hypothesis has thought of, valid or not."""

    def __init__(self, script: list[list[int]]) -> None:
        self._script = script

    def begin(self, window: AudioWindow, task: Settings, rules: Rules) -> None:
        self._rounds = iter(self._script)

    def propose(self, tokens: Sequence[int], count: int, confidence: float = 0.0) -> list[int]:
        return next(self._rounds, [])


class Switching(LookAhead):
    """Drafts as far as hypothesis has thought of, often not at all."""

    def __init__(self, counts: list[int]) -> None:
        super().__init__()
        self._counts = iter(counts)

    def choose(self) -> int:
        return next(self._counts, 0)


class Clairvoyant(Drafter):
    """Knows the text and proposes it, with an error now and then."""

    def __init__(self, text: Sequence[int], wrong: set[int]) -> None:
        self._text = [(token + 1) % TEXT if i in wrong else token for i, token in enumerate([*text, END])]

    def propose(self, tokens: Sequence[int], count: int, confidence: float = 0.0) -> list[int]:
        return self._text[len(tokens) : len(tokens) + count]


def drafter(draft: Toy, encoder: Toy, words: Vocabulary) -> ModelDrafter:
    """A draft with the target's vocabulary."""
    ids = map_ids(words, words, {token: token for token in range(FIRST_TIME)})
    return ModelDrafter(Draft(draft, encoder, words), ids)


def write(
    model: Toy,
    words: Vocabulary,
    drafter: Any = None,
    sampling: Sampling | None = None,
    task: Settings = ENGLISH,
    look_ahead: LookAhead | None = None,
) -> tuple[WindowText, Statistics]:
    counter, window = Counter(), toy_window()
    decoder = WindowDecoder(Setup(model, words, str, drafter, look_ahead=look_ahead), counter)
    return decoder.decode(window, task, lambda tokens, draft: None, sampling), counter.total


awkward = st.builds(
    vocabulary,
    suppress=st.sampled_from([(), (1, 2, 3), tuple(range(2, TEXT)), (END,), (FIRST_TIME + 2, FIRST_TIME + 3)]),
    begin_suppress=st.sampled_from([(), (0, END), (FIRST_TIME,)]),
    max_initial_timestamp=st.sampled_from([None, 0, 3]),
    no_speech=st.sampled_from([None, 17]),
)
models = st.builds(
    Toy,
    seed=st.integers(0, 200),
    positions=st.sampled_from([4, 5, 9, 20, 48]),
    noise=st.sampled_from([0.0, 1e-3, 0.2]),
    coarse=st.booleans(),
)


tasks = st.builds(
    Settings,
    language=st.just("en"),
    timestamps=st.booleans(),
    prompt=st.sampled_from([(), (1, 2, FIRST_TIME, 3)]),
)
samplings = st.one_of(st.none(), st.builds(Sampling, temperature=st.sampled_from([0.2, 1.0]), window=st.integers(0, 9)))
scripts = st.lists(st.lists(st.integers(0, SIZE - 1), max_size=9), max_size=12)


@given(models, awkward, scripts, samplings, tasks)
def test_no_proposal_changes_the_text(
    model: Toy, words: Vocabulary, script: list[list[int]], sampling: Sampling | None, task: Settings
) -> None:
    if model.positions < 10:
        task = ENGLISH  # a longer prefill would leave no room
    alone, _ = write(model, words, None, sampling, task)
    drafted, figures = write(model, words, Scripted(script), sampling, task)
    assert drafted.tokens == alone.tokens
    assert figures.accepted <= figures.compared <= figures.drafted


@given(models, awkward, st.sets(st.integers(0, 47)))
def test_a_mostly_right_draft_changes_nothing_but_the_number_of_passes(
    model: Toy, words: Vocabulary, wrong: set[int]
) -> None:
    alone, single = write(model, words)
    drafted, figures = write(model, words, Clairvoyant(alone.tokens, wrong))
    assert drafted.tokens == alone.tokens
    assert figures.target_passes <= single.target_passes + figures.near_ties


@given(models, awkward, st.integers(0, 200), st.booleans(), samplings)
def test_a_draft_model_changes_nothing(
    model: Toy, words: Vocabulary, seed: int, shares: bool, sampling: Sampling | None
) -> None:
    draft = Toy(seed, positions=model.positions)
    alone, _ = write(model, words, None, sampling)
    drafted, _ = write(model, words, drafter(draft, model if shares else draft, words), sampling)
    assert drafted.tokens == alone.tokens


@given(models, awkward, st.integers(0, 200), st.lists(st.sampled_from([0, 0, 1, 3, 8]), max_size=40), samplings)
def test_leaving_the_draft_out_now_and_then_changes_nothing(
    model: Toy, words: Vocabulary, seed: int, counts: list[int], sampling: Sampling | None
) -> None:
    draft = Toy(seed, positions=model.positions)
    alone, _ = write(model, words, None, sampling)
    drafted, figures = write(model, words, drafter(draft, draft, words), sampling, look_ahead=Switching(counts))
    assert drafted.tokens == alone.tokens
    assert figures.drafted <= sum(counts)
    assert figures.draft_passes == len(draft.widths)
    assert any(counts) or not draft.widths  # a draft that is left out is not even told of the window


@given(models, awkward, samplings)
def test_the_model_as_its_own_draft_is_accepted_up_to_noise(
    model: Toy, words: Vocabulary, sampling: Sampling | None
) -> None:
    twin, alone = Toy(0), write(model, words, None, sampling)[0]
    twin.__dict__.update(model.__dict__)
    drafted, figures = write(model, words, drafter(twin, model, words), sampling)
    assert drafted.tokens == alone.tokens
    assert model.epsilon or figures.accepted == figures.compared


def test_the_tie_guard_is_what_keeps_noisy_passes_exact() -> None:
    """The same models without the guard do write another text: the guard is not decoration."""
    flipped = 0
    for seed in range(60):
        noisy = Toy(seed, noise=0.2)
        alone, _ = write(noisy, vocabulary())
        noisy.epsilon = 0.0
        flipped += write(noisy, vocabulary(), Clairvoyant(alone.tokens, set()))[0].tokens != alone.tokens
    assert flipped > 0


def test_no_pass_is_run_behind_a_draft_that_is_hardly_right(monkeypatch: pytest.MonkeyPatch) -> None:
    """A drafter goes as far as it may, but not behind too unlikely tokens; and it counts its passes."""
    monkeypatch.setattr("desktop_app.decoding.drafters.UNSURE", 0.0)
    words, draft = vocabulary(suppress=tuple(range(END, FIRST_TIME))), Toy(7)
    made = drafter(draft, draft, words)

    def proposed(confidence: float) -> tuple[list[int], int]:
        made.begin(toy_window(), Settings("en"), Rules(words))
        before = made.passes
        return made.propose([FIRST_TIME], 6, confidence), made.passes - before

    all_six, one, some = proposed(0.0), proposed(1.0), proposed(0.3)
    assert (len(all_six[0]), all_six[1]) == (6, 6)
    assert one == (all_six[0][:1], 1)
    assert 1 < some[1] < 6 and some == (all_six[0][: some[1]], some[1])


@pytest.mark.parametrize("unsure", [0.0, 0.1, 0.2, 0.4])
def test_a_draft_ends_before_the_first_token_that_it_hardly_believes(
    monkeypatch: pytest.MonkeyPatch, unsure: float
) -> None:
    monkeypatch.setattr("desktop_app.decoding.drafters.UNSURE", unsure)
    words, draft = vocabulary(suppress=tuple(range(END, FIRST_TIME))), Toy(7)
    made, rules = drafter(draft, draft, words), Rules(words)
    made.begin(toy_window(), Settings("en"), rules)
    text = [FIRST_TIME]
    for _ in range(6):  # the same, token by token
        rows = draft.open(toy_window().encoded(draft)).run([*prefix(words, Settings("en"), 48), *text])
        decision = rules.decide(rows[-1], rules.written(text))
        if np.exp(decision.log_probability) < unsure:
            break
        text.append(decision.token)
    assert made.propose([FIRST_TIME], 6) == text[1:]


def test_the_target_alone_takes_one_token_passes_and_drafts_nothing() -> None:
    model = Toy(3)
    text, figures = write(model, vocabulary())
    assert model.widths[0] == 3
    assert set(model.widths[1:]) == {1}
    assert figures.target_passes >= len(text.tokens)
    assert figures.drafted == figures.compared == figures.accepted == figures.near_ties == 0


def test_what_is_written_without_the_disabled_draft_is_counted() -> None:
    class Disabled(LookAhead):
        left_out = 0.8  # type: ignore[assignment]

        def choose(self) -> int:
            return 0

    text, figures = write(Toy(3), vocabulary(), Scripted([]), look_ahead=Disabled())
    assert figures.left_out == len(text.tokens) > 0
    assert figures.left_out_speed == pytest.approx(0.8 * figures.left_out)
    assert write(Toy(3), vocabulary(), None, look_ahead=Disabled())[1].left_out == 0, "there is none"
    assert write(Toy(3), vocabulary(), Scripted([]), look_ahead=Switching([3] * 99))[1].left_out == 0


def test_the_text_fills_the_positions_and_goes_no_further() -> None:
    words = vocabulary(suppress=(*vocabulary().suppress, END))
    for positions in (4, 5, 6, 7, 11, 12, 448):
        for draft in (None, Toy(5, positions)):
            text, _ = write(Toy(4, positions), words, draft and drafter(draft, draft, words))
            assert len(text.tokens) == positions - 3
