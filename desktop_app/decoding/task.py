"""The tokens before a window's text: they tell a model what to decode."""

from __future__ import annotations

from desktop_app.decoding.vocabulary import ENGLISH, Vocabulary
from desktop_app.transcript.settings import Settings


def is_able(vocabulary: Vocabulary, settings: Settings) -> bool:
    """Whether a checkpoint with this vocabulary can do what is asked."""
    return vocabulary.knows(settings.language or ENGLISH) and (vocabulary.translates or not settings.translate)


def prefix(vocabulary: Vocabulary, settings: Settings, positions: int) -> list[int]:
    """The tokens before the text: prompt, start, language, task, and whether there are timestamps.

    The language is left out where the checkpoint has none; no language is English. Hot words and prompt have half of
    the positions, less one for their own start token: of the hot words the beginning stays, of the prompt the end.
    Raises ValueError for a translation by a checkpoint that cannot translate.
    """
    tokens = [vocabulary.start]
    if vocabulary.languages and vocabulary.transcribe is not None:
        tokens += [vocabulary.languages[settings.language or ENGLISH], vocabulary.transcribe]
    if settings.translate:
        if vocabulary.translate is None or len(tokens) == 1:
            raise ValueError("this model does not translate")
        tokens[-1] = vocabulary.translate
    if not settings.timestamps:
        tokens.append(vocabulary.no_timestamps)
    if (settings.prompt or settings.hot_words) and vocabulary.previous is not None:
        hot_words = settings.hot_words[: positions // 2 - 1]
        room = positions // 2 - 1 - len(hot_words)
        tokens = [vocabulary.previous, *hot_words, *settings.prompt[max(0, len(settings.prompt) - room) :], *tokens]
    return tokens
