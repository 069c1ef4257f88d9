"""Drafts with a CTC head: it reads what the encoder made of a window and writes the whole text at once, at no cost a
token.

CTC after Graves et al., "Connectionist temporal classification" (2006); as a draft that a model verifies, Saon et al.,
"Self-Speculative Decoding for LLM-based ASR with CTC Encoder Drafts" (2026); here the model verifies every token. What
the head writes are units: common tokens, of which it spells all others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from desktop_app.decoding.audio_window import AudioWindow
from desktop_app.decoding.drafters import InSteps, ModelDrafter
from desktop_app.decoding.head_text import TIME, HeadText
from desktop_app.decoding.lookahead import HEAD_ALONE
from desktop_app.decoding.protocol import Model
from desktop_app.decoding.retokenised import Spelling
from desktop_app.decoding.rules import Rules
from desktop_app.decoding.steps import Steps
from desktop_app.decoding.task import is_able
from desktop_app.decoding.vocabulary import ENGLISH, Vocabulary
from desktop_app.transcript.settings import Settings

BLANK, BREAK, FIRST_UNIT = 0, 1, 2
"""What a frame may hold: nothing new, the break between two segments (their times), or the first of the units."""

Frames = tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]
"""What a head makes of a window: for each frame what it most likely holds, [n], and for each position of the encoder
how likely a segment ends there, [positions]."""


class CtcDrafter(InSteps):
    """Proposes the head's text where the look-ahead asks for the head alone, else what the draft's model proposes.

    At temperatures above 0, of which the head knows nothing, the model proposes as well; in a language that only the
    head knows, the head does. Neither proposes what it was not trained to write. `read` runs the head on what `encoder`
    made of a window; it writes `languages`. `own` are the special tokens of the draft's model. `with_model` gives a
    drafter with that model: it is called when the model is first needed.
    """

    def __init__(
        self,
        read: Callable[[Any], Frames],
        encoder: Model,
        spelling: Spelling,
        units: Sequence[int],
        languages: Collection[str],
        own: Vocabulary,
        with_model: Callable[[], ModelDrafter],
    ) -> None:
        self._read, self._encoder, self._own, self._with_model = read, encoder, own, with_model
        self._model: ModelDrafter | None = None
        self._spelling, self._units, self._languages = spelling, units, languages
        self._text: HeadText | None = None
        self._unread: tuple[AudioWindow, Settings, Rules] | None = None
        self._unbegun: tuple[AudioWindow, Settings, Rules] | None = None
        self._is_able = self._is_head = False

    @property
    def passes(self) -> int:
        return self._model.passes if self._model else 0

    @property
    def is_head(self) -> bool:
        return self._is_head

    def begin(self, window: AudioWindow, settings: Settings, rules: Rules) -> None:
        """A new text. Head and model get ready when they are first asked."""
        self._unread = self._unbegun = (window, settings, rules)
        self._is_able = is_able(self._own, settings)

    def steps(self, tokens: Sequence[int], count: int, confidence: float = 0.0) -> Steps[list[int]]:
        """The head's text is `count` tokens each time, as far as it goes: passes of one size take less time than passes
        of many sizes, even if those are shorter."""
        text = self._written() if confidence >= HEAD_ALONE or not self._is_able else None
        self._is_head = text is not None
        if text is not None:
            return text.after(tokens, count)
        return (yield from self._by_model(tokens, count, confidence))

    def _by_model(self, tokens: Sequence[int], count: int, confidence: float) -> Steps[list[int]]:
        """What the draft's model proposes."""
        if not self._is_able:
            return []
        return (yield from self._ready_model().steps(tokens, count, confidence))

    def _ready_model(self) -> ModelDrafter:
        """The draft's model, which has begun with the window."""
        self._model = self._model or self._with_model()
        if self._unbegun:
            self._model.begin(*self._unbegun)
            self._unbegun = None
        return self._model

    def _written(self) -> HeadText | None:
        """What the head wrote of the window."""
        if self._unread:
            self._text, self._unread = self._text_of(*self._unread), None
        return self._text

    def _text_of(self, window: AudioWindow, settings: Settings, rules: Rules) -> HeadText | None:
        """The head's text of a window; None where it was not trained to write what is asked for."""
        if rules.sampling is not None or settings.translate or (settings.language or ENGLISH) not in self._languages:
            return None
        return head_text(self._read(window.encoded(self._encoder)), self._spelling, self._units, rules.timestamps)


def head_text(frames: Frames, spelling: Spelling, units: Sequence[int], timestamps: bool) -> HeadText:
    """The text that a head made of a window; without times unless `timestamps`."""
    holds, ends = frames
    joined = len(ends) // len(holds)
    places = [i for i, each in enumerate(holds) if each != BLANK and (i == 0 or holds[i - 1] != each)]
    symbols, last = [TIME] if timestamps else list[int](), 0
    for at, following in zip(places, [*places, len(holds)][1:], strict=True):
        if holds[at] != BREAK:
            symbols += spelling.pieces[units[holds[at] - FIRST_UNIT]]
            last = at
        elif timestamps:
            first = joined * last
            symbols.append(TIME + first + int(ends[first : max(joined * following, first + 1)].argmax()))
    return HeadText(spelling, symbols)
