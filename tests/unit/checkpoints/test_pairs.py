"""Any Whisper model can draft for any other, whatever its vocabulary and mel bins, and never changes the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer
from tokenizers.models import BPE

from desktop_app.audio import logmel
from desktop_app.checkpoints import pairs
from desktop_app.checkpoints.folder import Checkpoint, read
from desktop_app.checkpoints.pieces import TokenizerPieces
from desktop_app.decoding.audio_window import AudioWindow
from desktop_app.decoding.drafters import Draft, Drafter
from desktop_app.decoding.protocol import Scores
from desktop_app.decoding.retokenised import Content, RetokenisedDrafter, Spelling
from desktop_app.decoding.sampling import Sampling
from desktop_app.decoding.setup import Setup
from desktop_app.decoding.vocabulary import Vocabulary
from desktop_app.decoding.window import WindowDecoder
from desktop_app.problems import Problem
from desktop_app.runtimes.openvino import OpenVinoModel, load
from desktop_app.transcript.settings import Settings
from desktop_app.transcript.statistics import Counter, Statistics
from tests.random_models import THREE_VOCABULARIES, TOY, write


@pytest.fixture(autouse=True)
def always_sure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Random models are hardly ever sure of a token, and would draft nothing."""
    monkeypatch.setattr("desktop_app.decoding.drafters.UNSURE", 1e-9)


SIZES = sorted(THREE_VOCABULARIES)


class Models:
    """A checkpoint of each vocabulary, a target and a draft of each, and what the targets write alone."""

    def __init__(self, folder: Path) -> None:
        self.checkpoints: dict[int, Checkpoint] = {}
        for size, recipe in THREE_VOCABULARIES.items():
            short = replace(recipe, shape=replace(recipe.shape, text_positions=28), kind="F32")
            self.checkpoints[size] = read(write(folder / str(size), short))
        self.noise = AudioWindow(np.random.default_rng(3).normal(0, 0.1, 16_000).astype(np.float32), logmel.features)
        self.target = cache(lambda size: load(self.checkpoints[size]))
        self.draft = cache(lambda size: load(self.checkpoints[size]))
        self.alone = cache(lambda size, sampling: self.write(size, None, sampling)[0])

    def drafter(self, target: int, draft: int) -> Drafter:
        model: OpenVinoModel = self.draft(draft)
        return pairs.drafter(self.checkpoints[target], self.checkpoints[draft])(
            Draft(model, model, self.checkpoints[draft].vocabulary)
        )

    def write(
        self, target: int, drafter: Drafter | None, sampling: Sampling | None
    ) -> tuple[tuple[int, ...], Statistics]:
        counter = Counter()
        decoder = WindowDecoder(Setup(self.target(target), self.checkpoints[target].vocabulary, str, drafter), counter)
        return decoder.decode(self.noise, Settings("en"), lambda tokens, draft: None, sampling).tokens, counter.total


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Models:
    return Models(tmp_path_factory.mktemp("three"))


@pytest.mark.parametrize("sampling", [None, Sampling(0.6, 0)], ids=["greedy", "drawn"])
@pytest.mark.parametrize(
    ("target", "draft"),
    [
        pytest.param(target, draft, marks=() if target == SIZES[0] or draft == SIZES[0] else pytest.mark.long)
        for target in SIZES
        for draft in SIZES
    ],
)
def test_nine_pairings_write_what_the_target_writes(
    models: Models, target: int, draft: int, sampling: Sampling | None
) -> None:
    """Those with the English vocabulary, which spells otherwise, in `make test`; all nine in `make parity`."""
    assert models.checkpoints[target].vocabulary.size == target
    drafter = models.drafter(target, draft)
    assert isinstance(drafter, RetokenisedDrafter) == ((target == 51_864) != (draft == 51_864))
    tokens, figures = models.write(target, drafter, sampling)
    assert tokens == models.alone(target, sampling)
    assert len(tokens) > 10
    assert figures.drafted > 0
    if target == draft:
        assert figures.accepted == figures.compared - figures.near_ties


@pytest.mark.parametrize(("target", "draft"), [(51_865, 51_866), (51_866, 51_865), (51_865, 51_865)])
def test_every_piece_special_and_time_keeps_its_meaning(models: Models, target: int, draft: int) -> None:
    ours, theirs = models.checkpoints[target], models.checkpoints[draft]
    ids = pairs.ids(ours, theirs)
    pieces = ours.pieces.text
    assert ids.to_draft(list(pieces.values())) == [theirs.pieces.text[piece] for piece in pieces]
    for name, token in ours.pieces.special.items():
        assert ids.to_draft([token]) == [
            theirs.pieces.special[each] for each in (name,) if each in theirs.pieces.special
        ]
    times = range(ours.vocabulary.first_timestamp, target)
    seconds = [theirs.vocabulary.seconds(time) for time in ids.to_draft(times)]
    assert seconds == [ours.vocabulary.seconds(time) for time in times]
    extra = {theirs.pieces.special[name] for name in theirs.pieces.special.keys() - ours.pieces.special.keys()}
    assert {token for token in range(draft) if ids.to_target(token) is None} == extra <= {*ids.vocabulary.suppress}


@pytest.mark.parametrize("size", SIZES)
def test_a_spelling_spells_everything(models: Models, size: int) -> None:
    checkpoint = models.checkpoints[size]
    found = pairs.spelling(checkpoint)
    assert found
    for text in ["Grüße, 世界!", " the <|en|> of it", "", "\n\n  a"]:
        tokens = found.split(text.encode())
        assert b"".join(found.pieces[token] for token in tokens).decode() == text
        assert checkpoint.text(tokens) == text
    for broken in ["世界".encode()[:-1], bytes(range(256)), b"\xff"]:
        assert b"".join(found.pieces[token] for token in found.split(broken)) == broken
    assert {piece for piece in found.pieces if len(piece) == 1} == {bytes([byte]) for byte in range(256)}


class Knows:
    """Knows what is said in its own tokens, and prefers `guess` to it; both are of the same length in bytes."""

    mel_bins, positions, epsilon = 80, 10_000, 0.0

    def __init__(self, spelling: Spelling, said: Content, guess: Content) -> None:
        self._spelling = spelling
        self._lines = [self._laid(said), self._laid(guess)]
        self._read: list[int] = []

    def encode(self, features: np.ndarray) -> None:
        return None

    def open(self, encoded: None) -> Knows:
        self._read = []
        return self

    @property
    def length(self) -> int:
        return len(self._read)

    def rewind(self, length: int) -> None:
        del self._read[length:]

    def run(self, tokens: Sequence[int]) -> Scores:
        words, rows = self._spelling.vocabulary, []
        before_text = words.start if words.transcribe is None else words.transcribe
        for token in tokens:
            self._read.append(token)
            row = np.full(words.size, -30, np.float32)
            text = self._read[self._read.index(before_text) + 1 :] if before_text in self._read else []
            place = sum(map(self._size, text))
            for line, score in zip(self._lines, (20, 27), strict=True):
                row[line.get(place, words.end)] = score
            rows.append(row)
        return np.stack(rows)

    def _size(self, token: int) -> int:
        return 1 if self._spelling.vocabulary.is_timestamp(token) else len(self._spelling.pieces[token])

    def _laid(self, said: Content) -> dict[int, int]:
        """Place -> the token that stands there; inside of a token, the first of what is left of it."""
        laid, place = {}, 0
        for token in self._spelling.encode(said):
            piece = self._spelling.pieces[token]
            laid[place] = token
            laid |= {place + cut: self._spelling.split(piece[cut:])[0] for cut in range(1, len(piece))}
            place += self._size(token)
        return laid


def spoken(text: str, wrong: int = 0) -> Content:
    """A text in segments of 12 words, each fourteenth word in other letters if `wrong`."""
    words = [word.swapcase() if wrong and i % wrong == 0 else word for i, word in enumerate(text.split())]
    said: Content = []
    for second, start in enumerate(range(0, len(words), 12)):
        said += [float(second), " ".join(["", *words[start : start + 12]]).encode(), float(second + 1)]
    return said


def test_a_draft_that_spells_otherwise_is_accepted_at_least_half_as_often(models: Models) -> None:
    words = (Path(__file__).parents[3] / "LICENSE").read_text("utf-8").split()
    text = " ".join([word for word in words if word.isalpha()][:80])
    target, other = models.checkpoints[51_865], models.checkpoints[51_864]
    ours = pairs.spelling(target)
    assert ours
    shares = {}
    for draft in (target, other):
        spelling = pairs.spelling(draft)
        assert spelling
        knows: Any = Knows(spelling, spoken(text), spoken(text, wrong=9))
        drafter = pairs.drafter(target, draft)(Draft(knows, knows, draft.vocabulary))
        model: Any = Knows(ours, spoken(text), spoken(text))
        counter = Counter()
        decoder = WindowDecoder(Setup(model, target.vocabulary, str, drafter), counter)
        tokens = decoder.decode(models.noise, Settings("en"), lambda tokens, draft: None).tokens
        assert list(tokens) == ours.encode(spoken(text))
        shares[draft.vocabulary.size] = counter.total.acceptance
    assert 1 > shares[51_865] > 0.8
    assert shares[51_864] > 0.5 * shares[51_865]


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Checkpoint:
    return read(write(tmp_path_factory.mktemp("models") / "toy", TOY))


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"shape": replace(TOY.shape, audio_positions=750)}, "model.draft_window"),
        ({"vocabulary": Vocabulary(400, 300, 301, 302, 303)}, "model.draft_timestamps"),
        ({"pieces": TokenizerPieces({"Ġhello": 0}, {}, Tokenizer(BPE()))}, "model.draft_tokenizer"),
    ],
    ids=["window", "timestamps", "tokenizer"],
)
def test_a_pairing_that_cannot_be_is_refused_in_a_sentence(toy: Checkpoint, changes: dict[str, Any], code: str) -> None:
    small = replace(toy, name="small", **changes)

    def pair() -> None:
        pairs.check(toy, small, None, False)
        pairs.drafter(toy, small)

    with pytest.raises(Problem) as caught:
        pair()
    assert caught.value == Problem(code, draft="small", target="toy")
