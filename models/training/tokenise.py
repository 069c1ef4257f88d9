"""The byte-level BPE and Whisper's special tokens behind it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tokenizers import AddedToken, ByteLevelBPETokenizer, Tokenizer

from models.training.settings import WORK, recipe
from models.training.text import all_sentences, held_out

SPECIALS = (
    "<|endoftext|>",
    "<|startoftranscript|>",
    "<|en|>",
    "<|translate|>",
    "<|transcribe|>",
    "<|startoflm|>",
    "<|startofprev|>",
    "<|nospeech|>",
    "<|notimestamps|>",
)
TIMES = tuple(f"<|{i * 0.02:.2f}|>" for i in range(1501))
FILE = WORK / "tokenizer.json"


@dataclass(frozen=True)
class Tokens:
    """The tokenizer together with the ids that the format is made of."""

    tokenizer: Tokenizer

    @classmethod
    def load(cls, path: Path = FILE) -> "Tokens":
        return cls(Tokenizer.from_file(str(path)))

    def id(self, token: str) -> int:
        found = self.tokenizer.token_to_id(token)
        if found is None:
            raise KeyError(token)
        return int(found)

    @cached_property
    def size(self) -> int:
        return int(self.tokenizer.get_vocab_size())

    @cached_property
    def end(self) -> int:
        return self.id("<|endoftext|>")

    @cached_property
    def time0(self) -> int:
        return self.id("<|0.00|>")

    @cached_property
    def prefix(self) -> list[int]:
        return [self.id(name) for name in ("<|startoftranscript|>", "<|en|>", "<|transcribe|>")]

    def encode(self, text: str) -> list[int]:
        """Ids of a sentence with the space before it, as Whisper writes text."""
        return list(self.tokenizer.encode(" " + text, add_special_tokens=False).ids)

    def decode(self, ids: Sequence[int]) -> str:
        """The text alone: special and time tokens are left out."""
        return str(self.tokenizer.decode([i for i in ids if i < self.end], skip_special_tokens=False)).strip()


def main() -> None:
    """Learn the merges from the training sentences and save the tokenizer once."""
    if FILE.exists():
        return
    settings = recipe()["tokens"]
    texts = [" " + s.text for s in all_sentences() if s.source in settings["sources"] and not held_out(s.text)]
    bpe = ByteLevelBPETokenizer()
    bpe.train_from_iterator(texts, vocab_size=settings["size"], min_frequency=2, show_progress=False)
    tokenizer = Tokenizer.from_str(bpe.to_str())
    tokenizer.add_special_tokens([AddedToken(name, special=True, normalized=False) for name in SPECIALS + TIMES])
    FILE.parent.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(FILE))
    print(f"tokenizer: {settings['size']} of bytes and merges, {tokenizer.get_vocab_size()} in all", flush=True)


if __name__ == "__main__":
    main()
