"""What it takes for one checkpoint to draft for another: whether it can at all, and how its tokens become the target's.

Tokens are the same when they spell the same or have the same role; an id proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial

from desktop_app.checkpoints.folder import Checkpoint
from desktop_app.decoding.drafters import Draft, Drafter, ModelDrafter
from desktop_app.decoding.mapping import Ids, head_ids, map_ids
from desktop_app.decoding.retokenised import RetokenisedDrafter, Spelling
from desktop_app.problems import Problem

_SHOWN = [*range(33, 127), *range(161, 173), *range(174, 256)]
_LETTERS = {chr(byte): byte for byte in _SHOWN} | {
    chr(256 + index): byte for index, byte in enumerate(sorted({*range(256)} - {*_SHOWN}))
}
"""How byte-level tokenizers write bytes: those that are a visible letter as that, the others as letters from 256 on
(openai/gpt-2's `bytes_to_unicode`)."""


def check(target: Checkpoint, draft: Checkpoint, language: str | None, translate: bool) -> None:
    """Raise Problem if the draft takes another input, or cannot do what is asked for and the target can. A `language`
    that is still to be found out is None; should the draft not know it, the target will write alone.
    """
    if target.shape.audio_positions != draft.shape.audio_positions:
        raise Problem("model.draft_window", draft=draft.name, target=target.name)
    end_of_window = target.shape.audio_positions * target.vocabulary.seconds_per_timestamp
    if draft.vocabulary.timestamp(end_of_window) is None:
        raise Problem("model.draft_timestamps", draft=draft.name, target=target.name)
    if language and target.vocabulary.knows(language) and not draft.drafts(language):
        raise Problem("model.draft_language", draft=draft.name, target=target.name, language=language)
    if translate and target.vocabulary.translates and not draft.vocabulary.translates:
        raise Problem("model.draft_translation", draft=draft.name, target=target.name)


def drafter(target: Checkpoint, draft: Checkpoint) -> Callable[[Draft], Drafter]:
    """What makes a drafter of the draft's model; Problem where the text of one cannot become the other's."""
    if draft.head_tokens is not None:
        return partial(ModelDrafter, ids=head_ids(target.vocabulary, draft.head_tokens))
    if target.pieces.text.keys() == draft.pieces.text.keys():
        return partial(ModelDrafter, ids=ids(target, draft))
    spellings = spelling(target), spelling(draft)
    if spellings[0] is None or spellings[1] is None:
        raise Problem("model.draft_tokenizer", draft=draft.name, target=target.name)
    return partial(RetokenisedDrafter, target=spellings[0], own=spellings[1])


def ids(target: Checkpoint, draft: Checkpoint) -> Ids:
    """The draft's ids for the target's tokens, by their pieces and names."""
    ours, theirs = (each.pieces.text | each.pieces.special for each in (target, draft))
    named = {token: theirs[name] for name, token in ours.items() if name in theirs}
    return map_ids(target.vocabulary, draft.vocabulary, named)


def spelling(checkpoint: Checkpoint) -> Spelling | None:
    """How a checkpoint spells text; None if there are bytes that it cannot spell."""
    pieces = [b""] * checkpoint.vocabulary.size
    for piece, token in checkpoint.pieces.text.items():
        try:
            pieces[token] = bytes(map(_LETTERS.__getitem__, piece))
        except KeyError:
            pieces[token] = piece.encode()
    alone = {piece[0]: token for token, piece in enumerate(pieces) if len(piece) == 1}
    if len(alone) < 256:
        return None

    def split_whole(text: bytes) -> list[int]:
        tokens = checkpoint.tokens(text.decode())
        same = b"".join(pieces[token] for token in tokens) == text  # not where a text holds the name of a special token
        return tokens if same else [alone[byte] for byte in text]

    @lru_cache(maxsize=64)  # the finished lines of a window are asked for in every round
    def split(text: bytes) -> tuple[int, ...]:
        """Bytes that are no characters, as at the end of a text that is cut inside of one, are tokens of their own."""
        tokens: list[int] = []
        while text:
            try:
                text.decode()
                good = bad = len(text)
            except UnicodeDecodeError as error:
                good, bad = error.start, error.end
            tokens += [*split_whole(text[:good]), *(alone[byte] for byte in text[good:bad])]
            text = text[bad:]
        return tuple(tokens)

    return Spelling(checkpoint.vocabulary, pieces, split)
