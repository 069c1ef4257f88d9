"""Tokens become text and text becomes tokens, whichever files the tokenizer lies in."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tokenizers import Tokenizer
from whisper.tokenizer import get_tokenizer

from desktop_app import resources
from desktop_app.checkpoints.folder import read
from desktop_app.checkpoints.pieces import TokenizerPieces, read_pieces
from desktop_app.problems import Problem
from tests import random_models


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return random_models.toy(tmp_path_factory.mktemp("toy"))


@pytest.fixture(scope="module")
def pieces(toy: Path) -> TokenizerPieces:
    return read_pieces(toy)


@pytest.mark.parametrize("text", [" Hello there.", " ñandú, ¿qué? 日本", "a\n b", ""])
def test_text_comes_back(pieces: TokenizerPieces, text: str) -> None:
    assert pieces.join(pieces.split(text)) == text


def test_specials_and_times_are_not_text(pieces: TokenizerPieces) -> None:
    hello = pieces.split(" hello")
    times = pieces.special["<|0.00|>"], pieces.special["<|endoftext|>"]
    assert pieces.join([*times, *hello, *times]) == " hello"
    assert pieces.join([10**6, *hello]) == " hello"


def test_a_name_of_a_special_token_in_a_prompt_is_not_that_token(pieces: TokenizerPieces) -> None:
    assert not set(pieces.split(" <|endoftext|> <|0.00|>")) & set(pieces.special.values())


def test_what_a_training_left_in_the_file_neither_cuts_nor_fills_a_text(
    toy: Path, pieces: TokenizerPieces, tmp_path: Path
) -> None:
    path = Path(shutil.copytree(toy, tmp_path / "toy")) / "tokenizer.json"
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.enable_truncation(8)
    tokenizer.enable_padding(length=8, pad_token="!")
    tokenizer.save(str(path))
    for text in (" a long prompt", " hi"):
        assert read_pieces(path.parent).split(text) == pieces.split(text)


def test_a_merge_that_the_file_lacks_is_made_up_for(toy: Path, pieces: TokenizerPieces, tmp_path: Path) -> None:
    path = Path(shutil.copytree(toy, tmp_path / "toy")) / "tokenizer.json"
    found = json.loads(path.read_text("utf-8"))
    mark = "".join(found["model"]["merges"].pop(2))
    path.write_text(json.dumps(found), "utf-8")
    assert len(Tokenizer.from_file(str(path)).encode(mark, add_special_tokens=False).ids) == 2
    assert read_pieces(path.parent).split(mark) == pieces.split(mark) == [pieces.text[mark]]


def test_words_are_the_tokens_that_openai_whisper_makes_of_them() -> None:
    """Every word that is one token there: the published tokenizer splits those that begin with " t"."""
    ours = read_pieces(resources.path("models", "whisper-base"))
    theirs = get_tokenizer(multilingual=True).encoding
    words = [word for token in range(0, theirs.eot_token, 7) if "\ufffd" not in (word := theirs.decode([token]))]
    assert sum(word.startswith(" t") for word in words) > 100
    assert [word for word in words if ours.split(word) != theirs.encode(word)] == []


def test_half_a_character_is_shown_as_such(pieces: TokenizerPieces) -> None:
    assert pieces.join(pieces.split("ñ")[:1]) == "\ufffd"


def test_the_files_of_older_folders_say_the_same(toy: Path, pieces: TokenizerPieces, tmp_path: Path) -> None:
    found = json.loads((toy / "tokenizer.json").read_text())
    words = found["model"]["vocab"]
    (tmp_path / "vocab.json").write_text(json.dumps(words))
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in found["model"]["merges"]]
    (tmp_path / "merges.txt").write_text("\n".join(["#version: 0.2", *merges]))
    added = {token["content"]: token["id"] for token in found["added_tokens"]}
    (tmp_path / "added_tokens.json").write_text(json.dumps(added))
    assert read_pieces(tmp_path) == pieces
    (tmp_path / "added_tokens.json").write_text(json.dumps({name: token + 7 for name, token in added.items()}))
    with pytest.raises(Problem, match=r"model.tokenizer"):
        read_pieces(tmp_path)


def test_alignment_heads_are_the_named_ones_else_the_upper_half(toy: Path, tmp_path: Path) -> None:
    assert read(toy).alignment_heads == ((1, 0), (1, 1))
    folder = random_models.toy(tmp_path / "toy")
    settings = json.loads((folder / "generation_config.json").read_text())
    for named, expected in [([[1, 1], [0, 0]], ((0, 0), (1, 1))), ([[9, 0]], ((1, 0), (1, 1)))]:
        (folder / "generation_config.json").write_text(json.dumps(settings | {"alignment_heads": named}))
        assert read(folder).alignment_heads == expected
