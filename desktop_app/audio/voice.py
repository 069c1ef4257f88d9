"""Where somebody speaks: Silero's voice-activity network and the rules around it.

Speech begins where the network is sure of it (0.5) and goes on while it thinks it possible (0.35): the hysteresis of
Silero's own `VADIterator`. A start counts from one second before, because first words are lost otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from desktop_app.audio.silero import FRAME, Silero
from desktop_app.transcript.constants import SAMPLE_RATE

SURE, POSSIBLE = 0.5, 0.35

_LEAST = 3  # voiced frames; a click has one
_QUIET = 3e-4  # of full scale, on average: ten steps of a 16-bit file, where no microphone's speech is
_QUIET_FRAMES = 16  # of silence after which the network is not run: half a second
_SEARCHED, _SETTLING = 10 * SAMPLE_RATE, 2 * SAMPLE_RATE  # samples for a pause, and those before for the network
_BEFORE_SPEECH = SAMPLE_RATE // 5  # samples between a cut and the voice behind it

Samples = npt.NDArray[np.float32]


class VoiceGate:
    """Finds where speech begins and ends in a stream of mono audio at 16 kHz.

    `pre_roll` seconds before the first voiced frame belong to the speech, and `tail` seconds behind the last; `closing`
    seconds without voice end it. In near silence (below -70 dB) the network is not asked: it takes a
    tenth of a millisecond a frame of 32 ms, and seven times that for one frame alone.

    Attributes:
        speaking: whether somebody speaks now.
    """

    def __init__(self, pre_roll: float = 1.0, closing: float = 0.5, tail: float = 0.3) -> None:
        self._network = Silero()
        self._pre_roll, self._tail = round(pre_roll * SAMPLE_RATE), round(min(tail, closing) * SAMPLE_RATE)
        self._closing = round(closing * SAMPLE_RATE)
        self._rest: Samples = np.zeros(0, np.float32)
        self._at = 0  # samples that were judged
        self._end = 0  # of the last speech: a pre-roll does not reach behind it
        self._first: int | None = None  # of the current speech
        self._last = 0  # end of the last voiced frame
        self._voiced = 0
        self._quiet = _QUIET_FRAMES
        self.speaking = False

    def feed(self, samples: Samples) -> list[tuple[bool, int]]:
        """Take the next samples. Returns the changes in order: (True, sample at which speech begins) or (False, sample
        at which it ended)."""
        audio = np.concatenate([self._rest, samples]) if len(self._rest) else samples
        whole = len(audio) // FRAME * FRAME
        turns: list[tuple[bool, int]] = []
        for probability in self._probabilities(audio[:whole].reshape(-1, FRAME)):
            turns += self._judge(probability)
        self._rest = audio[whole:].copy()
        return turns

    def finish(self) -> list[tuple[bool, int]]:
        """The audio has ended; returns the end of speech that lasts until there, if any."""
        if not self.speaking:
            return []
        self._close(self._at + len(self._rest))
        return [(False, self._end)]

    def _probabilities(self, frames: Samples) -> Iterator[float]:
        """Of frames [n, 512]; those between two silences are given to the network together."""
        quiet = np.einsum("ij,ij->i", frames, frames) < FRAME * _QUIET**2
        asked = 0  # how many frames have had their answer
        for at, still in enumerate(quiet):
            if still:
                self._quiet += 1
                if self._quiet > _QUIET_FRAMES:
                    yield from self._network(frames[asked:at])
                    yield 0.0
                    asked = at + 1
            else:
                if self._quiet > _QUIET_FRAMES:
                    self._network.reset()  # what it remembers was not just now
                self._quiet = 0
        yield from self._network(frames[asked:])

    def _judge(self, probability: float) -> list[tuple[bool, int]]:
        begin, self._at = self._at, self._at + FRAME
        if probability >= (SURE if self._first is None else POSSIBLE):
            if self._first is None:
                self._first, self._voiced = begin, 0
            self._voiced += 1
            self._last = self._at
            if not self.speaking and self._voiced >= _LEAST:
                self.speaking = True
                return [(True, max(self._end, self._first - self._pre_roll, 0))]
        elif self._first is not None and self._at - self._last >= self._closing:
            if not self.speaking:
                self._first = None
                return []
            self._close(min(self._at, self._last + self._tail))
            return [(False, self._end)]
        return []

    def _close(self, end: int) -> None:
        self._end, self._first, self.speaking = end, None, False


def speech(
    samples: Samples, pre_roll: float = 0.2, closing: float = 0.5, tail: float = 0.2
) -> list[tuple[float, float]]:
    """The stretches of `samples` (mono, 16 kHz) in which somebody speaks: starts and ends in seconds."""
    gate = VoiceGate(pre_roll, closing, tail)
    times = [at / SAMPLE_RATE for _, at in [*gate.feed(samples), *gate.finish()]]
    return list(zip(times[::2], times[1::2], strict=True))


def cut_at_pause(samples: Samples) -> int:
    """The best place to cut some samples (mono, 16 kHz, a second or more): the number of them before it.

    In the last seconds that is a moment before the end of the longest pause, where the next speech begins. Where there
    is no pause, it is the moment with the least voice.
    """
    first = max(0, len(samples) - _SEARCHED - _SETTLING)
    frames = samples[first : first + (len(samples) - first) // FRAME * FRAME]
    probabilities = Silero()(frames)[-(_SEARCHED // FRAME) :]
    first += len(frames) - len(probabilities) * FRAME
    quiet = probabilities <= max(POSSIBLE, probabilities.min())
    edges = np.flatnonzero(np.diff(quiet, prepend=False, append=False)).reshape(-1, 2)
    begin, end = max(edges.tolist(), key=lambda each: (each[1] - each[0], each[0]))
    return first + max((begin + end) * FRAME // 2, end * FRAME - _BEFORE_SPEECH)


class Voices:
    """How long somebody speaks in `samples` (mono, 16 kHz), judged as one stream from their beginning on, as far as it
    is asked for. The network needs a second or two before it detects a distant voice.

    Stricter than the gate, for which a word lost is worse than a noise let in: only frames of which the network is sure
    count.
    """

    def __init__(self, samples: Samples) -> None:
        self._samples, self._network = samples, Silero()
        self._sure: npt.NDArray[np.bool_] = np.zeros(0, bool)  # of each frame so far

    def longest(self, start: float, end: float) -> float:
        """The length of the longest speech without a pause between two times, all in seconds."""
        best = run = 0
        for sure in self._between(start, end):
            run = run + 1 if sure else 0
            best = max(best, run)
        return best * FRAME / SAMPLE_RATE

    def total(self, start: float, end: float) -> float:
        """How long somebody speaks between two times, all in seconds."""
        return int(np.count_nonzero(self._between(start, end))) * FRAME / SAMPLE_RATE

    def _between(self, start: float, end: float) -> npt.NDArray[np.bool_]:
        first, last = (
            max(0, int(start * SAMPLE_RATE // FRAME)),
            min(round(end * SAMPLE_RATE), len(self._samples)) // FRAME,
        )
        done = len(self._sure)
        if last > done:
            more = self._network(self._samples[done * FRAME : last * FRAME]) >= SURE
            self._sure = np.concatenate([self._sure, more])
        return self._sure[first:last]
