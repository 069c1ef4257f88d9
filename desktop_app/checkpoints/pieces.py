"""Tokens as text and text as tokens: the tokenizer of a checkpoint, by the `tokenizers` library."""

from __future__ import annotations

import json
import re
from bisect import bisect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from tokenizers import ByteLevelBPETokenizer, Tokenizer

from desktop_app.bounded import parse_json
from desktop_app.checkpoints.parts import read_text, there
from desktop_app.problems import Problem

_SPECIAL = re.compile(r"<\|.*\|>")
_MOST_COMPLETED = 1000  # merges that a tokenizer may lack


@dataclass(frozen=True)
class TokenizerPieces:
    """A tokenizer. `text`: piece -> id of every token that is written; `special`: name ("<|en|>") -> id of the others.

    Two of them are equal when each token means the same in both.
    """

    text: dict[str, int]
    special: dict[str, int]
    _tokenizer: Tokenizer = field(compare=False, repr=False)

    def join(self, tokens: Sequence[int]) -> str:
        """The text of `tokens`; special and unknown tokens are left out, bytes that are no UTF-8 become U+FFFD."""
        return str(self._tokenizer.decode([token for token in tokens if token in self._written]))

    def split(self, text: str) -> list[int]:
        """The tokens of a text in which no special token is meant."""
        return [token for token in self._tokenizer.encode(text, add_special_tokens=False).ids if token in self._written]

    @property
    def largest(self) -> int:
        """The largest id in use."""
        return max([-1, *self.text.values(), *self.special.values()])

    @cached_property
    def _written(self) -> frozenset[int]:
        return frozenset(self.text.values())


def read_json(path: Path) -> Any:
    """The contents of a JSON file of the model; Problem if it cannot be read."""
    try:
        return parse_json(read_text(path))
    except OSError as error:
        raise Problem("model.not_read", file=path.name, error=error.strerror or str(error)) from error
    except ValueError as error:
        raise Problem("model.damaged", file=path.name) from error


def read_pieces(folder: Path) -> TokenizerPieces:
    """The tokenizer of a model folder: tokenizer.json, or vocab.json, merges.txt and the optional added_tokens.json of
    older folders.
    """
    tokenizer = _read_fast(folder / "tokenizer.json") or _read_slow(folder)
    if tokenizer is None:
        raise Problem("model.incomplete", file="tokenizer.json")
    added = tokenizer.get_added_tokens_decoder()
    special = {token.content for token in added.values() if token.special}
    ids = tokenizer.get_vocab(with_added_tokens=True)
    special |= {piece for piece in ids if _SPECIAL.fullmatch(piece)}
    return TokenizerPieces(
        {piece: token for piece, token in ids.items() if piece not in special},
        {piece: token for piece, token in ids.items() if piece in special},
        tokenizer,
    )


def _read_fast(path: Path) -> Tokenizer | None:
    if not there(path):
        return None
    found = read_json(path)
    tokenizer = _made(lambda: Tokenizer.from_str(json.dumps(_completed(found))))
    tokenizer.no_truncation()  # what a training left in the file would cut prompts and hot words
    tokenizer.no_padding()
    return tokenizer


def _read_slow(folder: Path) -> Tokenizer | None:
    vocabulary, merges, added = folder / "vocab.json", folder / "merges.txt", folder / "added_tokens.json"
    if not (there(vocabulary) and there(merges)):
        return None
    names = read_json(added) if there(added) else {}

    def make() -> Tokenizer:
        tokenizer = ByteLevelBPETokenizer(str(vocabulary), str(merges))
        tokenizer.add_special_tokens(sorted(names, key=names.__getitem__))
        if any(tokenizer.token_to_id(name) != token for name, token in names.items()):
            raise ValueError("added tokens have other ids")
        return Tokenizer.from_str(json.dumps(_completed(json.loads(tokenizer.to_str()))))

    return _made(make)


def _made(make: Callable[[], Tokenizer]) -> Tokenizer:
    """A tokenizer; Problem where its file is of no use to the library, which then raises what it likes: Exception
    itself, and where it panics something that is none.
    """
    try:
        return make()
    except BaseException as error:
        if isinstance(error, Exception) or type(error).__name__ == "PanicException":
            raise Problem("model.tokenizer") from error
        raise


def _completed(tokenizer: dict[str, Any]) -> dict[str, Any]:
    """A byte-level tokenizer whose pieces of two letters can all be reached.

    The published files of multilingual Whisper lack the very first merge, " " and "t": read as they are, they make
    " the" of " " and "the" (as transformers does), which neither openai/whisper nor the model's training knows.
    """
    if _holds_pattern(tokenizer):
        raise ValueError("a pattern of its own, which could take any time")
    model = tokenizer["model"]
    if model["type"] != "BPE":
        return tokenizer
    pieces, merges = model["vocab"], [each if isinstance(each, str) else " ".join(each) for each in model["merges"]]
    reached = {merge.replace(" ", "") for merge in merges}
    lacking = [each for each in pieces if len(each) == 2 and each not in reached and pieces.keys() >= {*each}]
    if len(lacking) > _MOST_COMPLETED:
        raise ValueError("a tokenizer without merges")
    for piece in lacking:
        # Merges stand in the order of what they make.
        place = bisect(merges, pieces[piece], key=lambda merge: pieces[merge.replace(" ", "")])
        merges.insert(place, " ".join(piece))
    return tokenizer | {"model": model | {"merges": merges}}


def _holds_pattern(tokenizer: dict[str, Any]) -> bool:
    """Whether a tokenizer cuts or changes text by a regular expression of its own. Whisper's have none."""
    steps = [tokenizer.get(key) for key in ("normalizer", "pre_tokenizer", "post_processor", "decoder")]
    while steps:
        step = steps.pop()
        if isinstance(step, dict):
            if "Regex" in step:
                return True
            steps += step.values()
        elif isinstance(step, list):
            steps += step
    return False
