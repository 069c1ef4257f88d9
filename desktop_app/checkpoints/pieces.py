"""Tokens as text: the byte-level pieces of a checkpoint's tokenizer.

Galley only ever turns tokens into text, for which the vocabulary is enough: each piece spells bytes in GPT-2's alphabet
of printable characters (`bytes_to_unicode` in https://github.com/openai/gpt-2/blob/master/src/encoder.py).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desktop_app.checkpoints.problem import ModelProblem
from desktop_app.checkpoints.tensors import FETCH_AGAIN

_SPECIAL = re.compile(r"<\|.*\|>")


def _alphabet() -> dict[str, bytes]:
    """Printable character -> the byte that it stands for."""
    printable = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in printable]
    letters = {chr(byte): bytes([byte]) for byte in printable}
    return letters | {chr(256 + index): bytes([byte]) for index, byte in enumerate(others)}


_BYTES = _alphabet()


@dataclass(frozen=True)
class Pieces:
    """`text`: id -> piece of every token that is written; `special`: name ("<|en|>") -> id of those that are not."""

    text: Mapping[int, str]
    special: Mapping[str, int]

    def join(self, tokens: Sequence[int]) -> str:
        """The text of `tokens`; special tokens are left out, bytes that are no UTF-8 become U+FFFD."""
        pieces = (self.text.get(int(token), "") for token in tokens)
        return b"".join(_BYTES.get(letter) or letter.encode() for piece in pieces for letter in piece).decode(
            "utf-8", "replace"
        )

    @property
    def largest(self) -> int:
        """The largest id in use."""
        return max([-1, *self.text, *self.special.values()])


def read_json(path: Path) -> Any:
    """The contents of a JSON file of the model; ModelProblem if it cannot be read."""
    try:
        return json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ModelProblem(f"{path.name} cannot be read", "check the file's permissions") from error
    except ValueError as error:
        raise ModelProblem(f"{path.name} is damaged", FETCH_AGAIN) from error


def read_pieces(folder: Path) -> Pieces:
    """The tokenizer of a model folder: tokenizer.json, or vocab.json with the optional added_tokens.json of older
    folders.
    """
    fast, slow, added = folder / "tokenizer.json", folder / "vocab.json", folder / "added_tokens.json"
    ids: dict[str, int] = {}
    special: set[str] = set()
    try:
        if fast.is_file():
            tokenizer = read_json(fast)
            ids |= tokenizer["model"]["vocab"]
            for token in tokenizer.get("added_tokens") or []:
                ids[token["content"]] = token["id"]
                special |= {token["content"]} if token.get("special") else set()
        elif slow.is_file():
            ids |= read_json(slow) | (read_json(added) if added.is_file() else {})
        else:
            raise ModelProblem("the folder has no tokenizer.json", "choose a Whisper folder in the Hugging Face layout")
        ids = {str(piece): int(token) for piece, token in ids.items()}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ModelProblem("the tokenizer is damaged or of another kind", FETCH_AGAIN) from error
    special |= {piece for piece in ids if _SPECIAL.fullmatch(piece)}
    return Pieces(
        text={token: piece for piece, token in ids.items() if piece not in special},
        special={piece: token for piece, token in ids.items() if piece in special},
    )
