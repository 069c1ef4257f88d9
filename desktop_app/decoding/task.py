"""What is to be written of a window, and how that is said to a model: the tokens before the text."""

from __future__ import annotations

from dataclasses import dataclass

from desktop_app.decoding.vocabulary import ENGLISH, Vocabulary


@dataclass(frozen=True)
class Task:
    """What is to be written of a window, behind the tokens of a `prompt`.

    `language` is a code of the checkpoint's, and ignored where it has none; "" is English. `translate` means into
    English.
    """

    language: str
    translate: bool = False
    timestamps: bool = True
    prompt: tuple[int, ...] = ()


def is_able(vocabulary: Vocabulary, task: Task) -> bool:
    """Whether a checkpoint with this vocabulary can do the task."""
    return vocabulary.knows(task.language or ENGLISH) and (vocabulary.translates or not task.translate)


def prefix(vocabulary: Vocabulary, task: Task, positions: int) -> list[int]:
    """The tokens before the text: prompt, start, language, task, and whether there are timestamps.

    Of the prompt the last half of the positions stays, less one for its own start token. Raises ValueError for a
    translation by a checkpoint that cannot translate.
    """
    tokens = [vocabulary.start]
    if vocabulary.languages and vocabulary.transcribe is not None:
        tokens += [vocabulary.languages[task.language or ENGLISH], vocabulary.transcribe]
    if task.translate:
        if vocabulary.translate is None or len(tokens) == 1:
            raise ValueError("this model does not translate")
        tokens[-1] = vocabulary.translate
    if not task.timestamps:
        tokens.append(vocabulary.no_timestamps)
    if task.prompt and vocabulary.previous is not None:
        tokens = [vocabulary.previous, *task.prompt[-(positions // 2 - 1) :], *tokens]
    return tokens
