"""What to decode from a window, and the tokens that tell a model so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from desktop_app.decoding.vocabulary import ENGLISH, Vocabulary


@dataclass(frozen=True)
class Task:
    """What to decode from a window. The prefill contains the tokens of `hot_words` that may occur and of a `prompt`,
    the text so far.

    `language` is one of the checkpoint's codes, ignored where it has none; "" is English. `translate` means into
    English.
    """

    language: str
    translate: bool = False
    timestamps: bool = True
    prompt: tuple[int, ...] = ()
    hot_words: tuple[int, ...] = ()

    def respelled(self, respell: Callable[[Sequence[int]], Sequence[int]]) -> Task:
        """The same task in the tokens of another vocabulary."""
        return replace(self, prompt=tuple(respell(self.prompt)), hot_words=tuple(respell(self.hot_words)))


def is_able(vocabulary: Vocabulary, task: Task) -> bool:
    """Whether a checkpoint with this vocabulary can do the task."""
    return vocabulary.knows(task.language or ENGLISH) and (vocabulary.translates or not task.translate)


def prefix(vocabulary: Vocabulary, task: Task, positions: int) -> list[int]:
    """The tokens before the text: prompt, start, language, task, and whether there are timestamps.

    Hot words and prompt have half of the positions, less one for their own start token: of the hot words the beginning
    stays, of the prompt the end. Raises ValueError for a translation by a checkpoint that cannot translate.
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
    if (task.prompt or task.hot_words) and vocabulary.previous is not None:
        hot_words = task.hot_words[: positions // 2 - 1]
        room = positions // 2 - 1 - len(hot_words)
        tokens = [vocabulary.previous, *hot_words, *task.prompt[max(0, len(task.prompt) - room) :], *tokens]
    return tokens
