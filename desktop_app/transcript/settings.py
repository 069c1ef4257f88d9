"""How a recording, or one window of it, is to be decoded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Settings:
    """What is asked of decoding; the defaults are the target's greedy transcript with timestamps.

    Attributes:
        language: a code, or None to detect it in the first window; a window's own settings name it.
        translate: into English.
        timestamps: whether the text has them.
        prompt: tokens before the text of the first window; in a window's own settings, before its text.
        condition: whether the text so far follows the prompt, before every window.
        temperatures: tried one after another until a window's text is neither repetitive nor unsure; 0 is greedy.
        words: whether it is found when each word was said, which changes no token.
        hot_words: tokens before the prompt in every window: of names and terms that may occur.
    """

    language: str | None = None
    translate: bool = False
    timestamps: bool = True
    prompt: tuple[int, ...] = ()
    condition: bool = False
    temperatures: tuple[float, ...] = (0.0,)
    words: bool = False
    hot_words: tuple[int, ...] = ()

    def respelled(self, respell: Callable[[Sequence[int]], Sequence[int]]) -> Settings:
        """The same settings in the tokens of another vocabulary."""
        return replace(self, prompt=tuple(respell(self.prompt)), hot_words=tuple(respell(self.hot_words)))
