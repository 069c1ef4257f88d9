"""The trainer of CTC heads: what a head is taught spells the target's text, and it learns to write it."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import numpy as np
import pytest
import torch

from desktop_app.checkpoints.shared_draft import Ctc
from desktop_app.decoding.ctc import BREAK, FIRST_UNIT
from desktop_app.decoding.retokenised import Spelling
from desktop_app.decoding.vocabulary import Vocabulary
from desktop_app.training import ctc, loop
from desktop_app.training.ctc import CtcLesson, Head, Speller, shape_for
from desktop_app.training.labels import Labels
from desktop_app.training.loop import Report, TrainingSettings

PIECES = [b"a", b"b", b"c", b"d", b"ab", b"abc", b"cd"]
END, FIRST_TIME = 7, 10
WORDS = Vocabulary(size=FIRST_TIME + 41, end=END, start=8, no_timestamps=9, first_timestamp=FIRST_TIME)
POSITIONS, WIDTH = 40, 16


def split(letters: bytes) -> list[int]:
    """Spells with the longest piece that fits, from the left."""
    found = []
    while letters:
        token = max((t for t, piece in enumerate(PIECES) if letters.startswith(piece)), key=lambda t: len(PIECES[t]))
        found.append(token)
        letters = letters[len(PIECES[token]) :]
    return found


SPELLING = Spelling(WORDS, [*PIECES, *[b""] * (WORDS.size - len(PIECES))], split)


def window(
    folder: Path, number: int, wrote: list[int], encoded: np.ndarray | None = None, language: str = "en"
) -> Path:
    """The labels of a window in which the target wrote these tokens."""
    none = np.zeros((len(wrote), 1))
    noise = np.random.default_rng(number).standard_normal((POSITIONS, WIDTH))
    labels = Labels(
        (noise if encoded is None else encoded).astype(np.float16),
        np.array(wrote, np.int32),
        np.array(wrote, np.int32),
        none.astype(np.int32),
        none.astype(np.float32),
        language,
    )
    labels.save(folder / f"{number}.npz")
    return folder / f"{number}.npz"


def spoken(folder: Path, number: int) -> Path:
    """A window whose positions show which letter is spoken; it lasts six of them."""
    rng = np.random.default_rng(number)
    letters = rng.integers(0, 4, 5)
    encoded = 0.1 * rng.standard_normal((POSITIONS, WIDTH))
    for place, letter in enumerate(letters):
        encoded[4 + 6 * place : 7 + 6 * place, letter] += 3.0
    end = 4 + 6 * len(letters)
    encoded[end, 7] += 3.0
    text = split(bytes(PIECES[letter][0] for letter in letters))
    return window(folder, number, [FIRST_TIME, *text, FIRST_TIME + end, END], encoded)


def test_units_are_the_letters_and_the_commonest_tokens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctc, "UNITS", 1)
    files = [window(tmp_path, number, [FIRST_TIME, 5, 5, 6, FIRST_TIME + 3, END]) for number in range(3)]
    found = shape_for(SPELLING, files, ["en"])
    assert found.units == (0, 1, 2, 5), "d is in the text three times, too few to be learnt"
    assert found.languages == ("en",)
    assert (found.width, found.layers, found.kernel) == (ctc.WIDTH, ctc.LAYERS, ctc.KERNEL)


def test_a_language_with_little_text_has_units_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctc, "UNITS", 2)
    files = [window(tmp_path, number, [*[5] * 60, *[4] * 40, END]) for number in range(10)]
    files.append(window(tmp_path, 10, [*[6] * 200, END], language="de"))
    assert {5, 6} <= set(shape_for(SPELLING, files, ["de", "en"]).units)


def test_a_token_is_spelled_in_the_longest_units_and_without_letters_that_there_are_not() -> None:
    speller = Speller(SPELLING, (0, 1, 2, 4))
    a, c, ab = FIRST_UNIT, FIRST_UNIT + 2, FIRST_UNIT + 3
    assert [speller.spell(token) for token in (0, 5, 6, 3)] == [[a], [ab, c], [c], []]


def test_a_head_is_taught_the_text_its_breaks_and_where_segments_end(tmp_path: Path) -> None:
    file = window(tmp_path, 1, [FIRST_TIME, 5, FIRST_TIME + 9, FIRST_TIME + 9, 3, FIRST_TIME + 40, END])
    lesson = made((0, 1, 2, 3))
    units, times = lesson._target(Labels.load(file))
    assert units == [FIRST_UNIT, FIRST_UNIT + 1, FIRST_UNIT + 2, BREAK, FIRST_UNIT + 3, BREAK]
    assert times == [9, 9, POSITIONS - 1], "the last time lies behind the last position"


def made(units: tuple[int, ...]) -> CtcLesson:
    shape = Ctc(16, 1, 3, units, ("en",))
    torch.manual_seed(0)
    return CtcLesson(Head(shape, WIDTH), shape, SPELLING, torch.device("cpu"))


def test_a_head_learns_to_write_and_a_finished_run_is_not_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ctc, "_LONGEST_MASK", 3)  # these windows are short
    files, reports = [spoken(tmp_path, number) for number in range(40)], list[Report]()
    lesson, settings = made((0, 1, 2, 3)), TrainingSettings(minutes=3, rate=1e-2)

    def run() -> float:
        clock = count().__next__  # a second a step
        return loop.train(lesson, files, settings, tmp_path / "state", lambda *told: None, reports.append, clock)

    after = run()
    assert after > 0.9
    assert reports[0].loss > 2 * reports[-1].loss
    steps = reports[-1].steps
    assert run() == pytest.approx(after)
    assert reports[-1].steps == steps


def test_a_window_that_is_too_short_for_its_text_does_not_spoil_the_others(tmp_path: Path) -> None:
    crowded = window(tmp_path, 1, [FIRST_TIME, *[5, 6] * 20, FIRST_TIME + 40, END])
    loss = made((0, 1, 2, 3)).loss([crowded, spoken(tmp_path, 2)])
    loss.backward()  # type: ignore[no-untyped-call]
    assert torch.isfinite(loss)


def test_a_batch_is_made_faster_or_slower_by_a_tenth_at_most() -> None:
    ramp = torch.arange(100.0).reshape(1, 100, 1).repeat(2, 1, 3)
    torch.manual_seed(0)
    lengths = set()
    for _ in range(50):
        stretched = ctc._stretched(ramp)
        assert stretched.shape[0] == 2 and stretched.shape[2] == 3
        assert torch.all(stretched.diff(dim=1) >= 0)
        assert stretched[0, 0, 0] < 1 and stretched[0, -1, 0] > 98
        lengths.add(stretched.shape[1])
    assert min(lengths) == 90 and max(lengths) == 110
    assert all(length % 2 == 0 for length in lengths), "two positions are a frame"


@pytest.mark.parametrize(
    ("wrote", "last"),
    [
        ([FIRST_TIME, 0, FIRST_TIME + 8, FIRST_TIME + 8, END], 8 + 10),
        ([FIRST_TIME, 0, FIRST_TIME + 8, FIRST_TIME + 8, 1, FIRST_TIME + 12, FIRST_TIME + 12, END], 12 + 10),
        ([FIRST_TIME, 0, FIRST_TIME + 6, FIRST_TIME + 8, END], 8 + 10),
        ([FIRST_TIME, 0, FIRST_TIME + 34, FIRST_TIME + 34, END], POSITIONS),
        ([FIRST_TIME, 0, FIRST_TIME + 8, END], POSITIONS),
        ([FIRST_TIME, 0, 1, END], POSITIONS),
        ([0, 0, END], POSITIONS),
        ([END], POSITIONS),
    ],
)
@pytest.mark.parametrize("speed", [1, 2])
def test_what_follows_a_text_that_was_cut_off_teaches_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrote: list[int], last: int, speed: int
) -> None:
    """That a sentence is left to the next window is said by two times; positions behind them may hold anything."""
    file, lesson = window(tmp_path, 1, wrote), made((0, 1, 2, 3))
    monkeypatch.setattr(ctc, "_stretched", lambda encoded: encoded.repeat_interleave(speed, 1))

    def loss(frame: int | None) -> float:
        """That of a network that hears a d in this frame."""

        def answer(encoded: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            holds = torch.zeros(1, speed * POSITIONS // 2, 6)
            if frame is not None:
                holds[0, frame, FIRST_UNIT + 3] = 9.0
            return holds, torch.zeros(1, speed * POSITIONS)

        monkeypatch.setattr(lesson.network, "forward", answer)
        return float(lesson.loss([file]))

    heard = [loss(frame) != loss(None) for frame in range(speed * POSITIONS // 2)]
    frames = speed * last // 2
    assert heard == [True] * frames + [False] * (speed * POSITIONS // 2 - frames)


def test_where_segments_end_is_stretched_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = window(tmp_path, 1, [FIRST_TIME, 0, FIRST_TIME + 11, END])
    monkeypatch.setattr(ctc, "_stretched", lambda encoded: encoded.repeat_interleave(2, 1))
    lesson = made((0, 1, 2, 3))

    def loss(end: int) -> float:
        """That of a network that takes this for the end of the segment."""

        def answer(encoded: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            ends = torch.full((1, 2 * POSITIONS), -9.0)
            ends[0, end] = 9.0
            return torch.zeros(1, POSITIONS, 6), ends

        monkeypatch.setattr(lesson.network, "forward", answer)
        return float(lesson.loss([file]))

    assert loss(22) < min(loss(11), loss(21), loss(23))


def test_what_is_measured_on_is_not_learnt_from_in_its_changed_form() -> None:
    recorded = [Path(f"{number}.npz") for number in range(40)]
    changed = [Path(f"{number}-changed.npz") for number in range(40)]
    learnt, kept = loop.split([*recorded, *changed])
    assert kept == [Path("10.npz"), Path("30.npz")]
    assert len(learnt) == 76 and not {"10-changed", "30-changed", "10", "30"} & {file.stem for file in learnt}
