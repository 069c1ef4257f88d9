"""Whisper's special tokens and suppress lists, from whatever a model folder has of generation_config.json, the
tokenizer and config.json.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from desktop_app.checkpoints.pieces import TokenizerPieces
from desktop_app.checkpoints.shape import Shape
from desktop_app.decoding.vocabulary import Vocabulary
from desktop_app.problems import Problem

_TASKS = ("transcribe", "translate")
_LANGUAGE = re.compile(r"<\|([a-z]{2,3})\|>")
_FRAMES_A_SECOND = 50.0
_ENGLISH_END, _MULTILINGUAL_END = 50_256, 50_257
"""<|endoftext|> in openai's two vocabularies."""


def read_vocabulary(
    pieces: TokenizerPieces, generation: dict[str, Any], config: dict[str, Any], shape: Shape
) -> Vocabulary:
    """The special tokens of a checkpoint; Problem where one that is needed is missing or outside of the
    vocabulary.
    """

    def inside(token: int, name: str) -> int:
        if not 0 <= token < shape.vocabulary:
            raise Problem("model.other_tokenizer")
        return token

    def find(key: str, *names: str) -> int | None:
        """A token by the generation settings, else by its name in the tokenizer, else by the settings of the model."""
        named = (pieces.special.get(name) for name in names)
        found = next(
            (each for each in (_number(generation.get(key)), *named, _number(config.get(key))) if each is not None),
            None,
        )
        return None if found is None else inside(found, names[0])

    def before_times(places: int) -> int | None:
        """A token by its place, where the tokenizer names none: all of Whisper's vocabularies end alike."""
        return None if "<|notimestamps|>" in pieces.special or no_timestamps < places else no_timestamps - places

    def need(key: str, *names: str) -> int:
        found = find(key, *names)
        if found is None:
            raise Problem("model.no_token", token=names[0])
        return found

    end = need("eos_token_id", "<|endoftext|>")
    no_timestamps = need("no_timestamps_token_id", "<|notimestamps|>")
    if no_timestamps + 1 >= shape.vocabulary:
        raise Problem("model.no_timestamps")
    if not any(token < end for token in pieces.text.values()):
        raise Problem("model.other_tokenizer")
    languages = _languages(pieces, generation) if _multilingual(pieces, generation, config, end) else {}
    tasks = _tasks(pieces, generation) if languages else {}
    for name, token in (languages | tasks).items():
        inside(token, f"<|{name}|>")
    # Rows that only pad the vocabulary stand behind the last timestamp and mean nothing.
    last = no_timestamps + 1 + shape.audio_positions
    # As in transformers, the model's settings say what is suppressed only where there are no generation settings: in
    # those a list that is not there is none.
    lists = generation or config
    suppress = {*_tokens(lists.get("suppress_tokens"), shape.vocabulary), *range(last + 1, shape.vocabulary)}
    initial = generation.get("max_initial_timestamp_index", Vocabulary.max_initial_timestamp)
    previous = find("prev_sot_token_id", "<|startofprev|>")
    no_speech = find("no_speech_token_id", "<|nospeech|>", "<|nocaptions|>")
    return Vocabulary(
        size=shape.vocabulary,
        end=end,
        start=need("decoder_start_token_id", "<|startoftranscript|>"),
        no_timestamps=no_timestamps,
        first_timestamp=no_timestamps + 1,
        previous=before_times(2) if previous is None else previous,
        no_speech=before_times(1) if no_speech is None else no_speech,
        transcribe=tasks.get("transcribe"),
        translate=tasks.get("translate"),
        languages=languages,
        suppress=tuple(sorted(suppress)),
        begin_suppress=tuple(_tokens(lists.get("begin_suppress_tokens"), shape.vocabulary)),
        max_initial_timestamp=_number(initial),
        seconds_per_timestamp=1 / _FRAMES_A_SECOND,
    )


def _number(value: Any) -> int | None:
    """A token id, the first of a list of them, or None."""
    value = value[0] if isinstance(value, list) and value else value
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _ids(value: Any) -> dict[str, int]:
    """Name -> id, without what is no id."""
    return (
        {str(name): token for name, token in value.items() if isinstance(token, int)} if isinstance(value, dict) else {}
    )


def _languages(pieces: TokenizerPieces, generation: dict[str, Any]) -> dict[str, int]:
    """Language code -> token, by the generation settings or else by the tokenizer's names."""
    named = _ids(generation.get("lang_to_id")) or pieces.special
    found = ((_LANGUAGE.fullmatch(name), token) for name, token in named.items())
    return {match[1]: token for match, token in found if match}


def _tasks(pieces: TokenizerPieces, generation: dict[str, Any]) -> dict[str, int]:
    """Task -> token, by the generation settings or else by the tokenizer's names."""
    named = {name: pieces.special[f"<|{name}|>"] for name in _TASKS if f"<|{name}|>" in pieces.special}
    return named | {name: token for name, token in _ids(generation.get("task_to_id")).items() if name in _TASKS}


def _multilingual(pieces: TokenizerPieces, generation: dict[str, Any], config: dict[str, Any], end: int) -> bool:
    """Whether the prefill names language and task. English-only tokenizers have those tokens too, so they prove
    nothing.
    """
    stated = generation.get("is_multilingual")
    if isinstance(stated, bool):
        return stated
    forced = generation.get("forced_decoder_ids") or config.get("forced_decoder_ids")
    tokens = (
        [each[1] for each in forced if isinstance(each, list) and len(each) == 2] if isinstance(forced, list) else []
    )
    named = [None, *_languages(pieces, generation).values(), *_tasks(pieces, generation).values()]
    if any(token in named for token in tokens):  # a language left open is null
        return True
    if end in (_ENGLISH_END, _MULTILINGUAL_END):
        return end == _MULTILINGUAL_END
    return not tokens and not str(config.get("_name_or_path", "")).endswith(".en")


def _tokens(value: Any, size: int) -> Iterable[int]:
    """The tokens of a list; null is none, and ids that there are not (-1) are left out."""
    return [token for token in value if isinstance(token, int) and 0 <= token < size] if isinstance(value, list) else []
