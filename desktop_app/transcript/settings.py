"""How a recording is to be decoded."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """What is asked of decoding; the defaults are the target's greedy transcript with timestamps.

    `language` is a code, or None to detect it in the first window. `prompt` (tokens) stands before the text of the
    first window; with `condition` it is followed by the text so far, before every window. `hot_words` (tokens) stand
    before all that, in every window. At each of the `temperatures` a window is tried until its text is neither
    repetitive nor unsure. With `words` it is found when each word was said, which changes no token.
    """

    language: str | None = None
    translate: bool = False
    timestamps: bool = True
    prompt: tuple[int, ...] = ()
    condition: bool = False
    temperatures: tuple[float, ...] = (0.0,)
    words: bool = False
    hot_words: tuple[int, ...] = ()
