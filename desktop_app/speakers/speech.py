"""Where somebody speaks: stretches of a stream, found while it is heard."""

from __future__ import annotations

import numpy as np

from desktop_app.audio.silero import FRAME
from desktop_app.speakers.networks import RATE, Array, Voice

CHUNK = FRAME
"""Samples for which there is one probability."""

ON, OFF = 0.5, 0.45
"""Speech begins at this probability, and goes on down to that one (Silero's own values)."""

CLOSE = 0.1
"""Seconds of silence after which a stretch is over."""

SHORTEST = 0.16
"""Seconds; a shorter stretch is a click."""

LONGEST = 20.0
"""Seconds after which a stretch is handed on though nobody has paused."""

BEFORE, AFTER = 0.02, -0.06
"""Seconds that a stretch begins earlier and ends later than the probabilities say: they lag."""


class SpeechFinder:
    """Cuts a stream into stretches of speech.

    `hear` takes samples and gives the stretches that ended in them, each as the index of its first sample and its
    samples; `finish` gives what is still open.
    """

    def __init__(self, voice: Voice, longest: float = LONGEST) -> None:
        self._voice, self._longest = voice, longest
        self._kept: Array = np.zeros(0, np.float32)
        self._first = 0  # index of the first kept sample
        self._heard = 0  # samples that have a probability
        self._begin: int | None = None
        self._loud = 0  # end of the last chunk that counts as speech
        self._free = 0  # where the next stretch may begin

    def hear(self, samples: Array) -> list[tuple[int, Array]]:
        """More of the stream, any number of samples."""
        self._kept = np.concatenate([self._kept, samples]) if self._kept.size else samples
        whole = (self._first + self._kept.size - self._heard) // CHUNK * CHUNK
        found = []
        if whole:
            new = self._kept[self._heard - self._first : self._heard - self._first + whole]
            for probability in self._voice(new):
                found += self._step(float(probability))
            self._forget()
        return found

    def finish(self) -> list[tuple[int, Array]]:
        """The stream is over."""
        return self._close(self._first + self._kept.size)

    def _step(self, probability: float) -> list[tuple[int, Array]]:
        begin, self._heard = self._heard, self._heard + CHUNK
        if self._begin is None:
            if probability >= ON:
                self._begin, self._loud = max(self._free, begin - round(BEFORE * RATE)), self._heard
            return []
        if probability >= OFF:
            self._loud = self._heard
        if self._heard - self._loud >= CLOSE * RATE or self._heard - self._begin >= self._longest * RATE:
            return self._close(self._heard)
        return []

    def _close(self, limit: int) -> list[tuple[int, Array]]:
        begin, self._begin = self._begin, None
        if begin is None:
            return []
        end = min(self._loud + round(AFTER * RATE), limit)
        self._free = end
        if self._loud == limit:  # nobody has paused: the rest follows at once
            self._begin = self._loud = limit
            self._free = end = limit
        if end - begin < SHORTEST * RATE:
            return []
        return [(begin, self._kept[begin - self._first : end - self._first])]

    def _forget(self) -> None:
        """Keep only what may still be handed on."""
        needed = self._begin if self._begin is not None else max(self._free, self._heard - round(BEFORE * RATE))
        needed = min(needed, self._first + self._kept.size)
        if needed - self._first > RATE:
            self._kept, self._first = self._kept[needed - self._first :].copy(), needed
