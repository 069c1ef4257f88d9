"""Galley's side of a comparison: what one model writes for windows and recordings, and how close each choice was."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar
from unittest.mock import patch

from desktop_app.audio import logmel
from desktop_app.audio.spectrogram import Spectrogram
from desktop_app.checkpoints.folder import Checkpoint
from desktop_app.decoding import longform
from desktop_app.decoding.audio_window import AudioWindow, Samples
from desktop_app.decoding.drafters import Drafter
from desktop_app.decoding.longform import DecodingListener
from desktop_app.decoding.protocol import Model
from desktop_app.decoding.rules import Rules
from desktop_app.decoding.sampling import Sampling
from desktop_app.decoding.setup import Setup
from desktop_app.decoding.task import prefix
from desktop_app.decoding.window import Language, WindowDecoder, WindowText
from desktop_app.messages.options import Options
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.model import Segment
from desktop_app.transcript.settings import Settings
from desktop_app.transcript.statistics import Counter
from desktop_app.worker.loaded_models import ModelCache, Pair

Made = TypeVar("Made")


@dataclass(frozen=True)
class Attempt:
    """One text for one window; a window that went wrong is written several times."""

    window: AudioWindow
    settings: Settings
    sampling: Sampling | None
    text: WindowText


@dataclass(frozen=True)
class WrittenLine:
    """A segment of a recording, the text that it was cut from, and the index of its first token there."""

    segment: Segment
    attempt: Attempt
    offset: int


@dataclass
class Recording(DecodingListener):
    """All that was written of a recording. `windows` are those with lines: their start in seconds, and their lines."""

    language_code: str = ""
    attempts: list[Attempt] = field(default_factory=list)
    windows: list[tuple[float, list[WrittenLine]]] = field(default_factory=list)

    @property
    def lines(self) -> list[WrittenLine]:
        """The lines of all windows."""
        return [line for _, lines in self.windows for line in lines]

    def language(self, language: Language) -> None:
        self.language_code = language.code

    def segments(self, segments: Sequence[Segment], done_seconds: float) -> None:
        attempt, offset, lines = self.attempts[-1], 0, []
        for segment in segments:
            offset = _find(segment.tokens, attempt.text.tokens, offset)
            lines.append(WrittenLine(segment, attempt, offset))
            offset += len(segment.tokens)
        if lines:
            self.windows.append((attempt.window.place / SAMPLE_RATE, lines))


class Memo(Generic[Made]):
    """Remembers what was made of the last few sounds, which are known by their identity."""

    def __init__(self, make: Callable[[Samples], Made], limit: int = 64) -> None:
        self._make, self._limit = make, limit
        self._known: dict[int, tuple[Samples, Made]] = {}

    def __call__(self, samples: Samples) -> Made:
        if id(samples) not in self._known:
            while len(self._known) >= self._limit:
                del self._known[next(iter(self._known))]
            self._known[id(samples)] = samples, self._make(samples)
        return self._known[id(samples)][1]


class Galley:
    """A target, perhaps with a drafter that hears features of its own `mel_bins`. The same sound is encoded once,
    whatever is asked about it."""

    def __init__(
        self,
        checkpoint: Checkpoint,
        target: Model,
        drafter: Callable[[], Drafter | None] = lambda: None,
        mel_bins: Collection[int] = (),
    ) -> None:
        self.checkpoint, self.target, self._drafter = checkpoint, target, drafter
        self._mel_bins = {target.mel_bins, *mel_bins}
        self._window = Memo(lambda samples: AudioWindow(samples, logmel.features))

    def windows(self, sounds: Sequence[Samples], settings: Settings) -> list[Attempt]:
        """The texts of sounds of at most 30 s, each at the first of the temperatures."""
        return [self._attempt(self._window(samples), settings) for samples in sounds]

    def recording(self, samples: Samples, settings: Settings) -> Recording:
        """The text of a recording of any length."""
        recording = Recording()
        blocks = [samples[at : at + SAMPLE_RATE // 2] for at in range(0, len(samples), SAMPLE_RATE // 2)]
        extract = Spectrogram(blocks, self._mel_bins).features
        with patch.object(longform, "WindowDecoder", partial(_Noted, recording.attempts)):
            longform.transcribe(iter(blocks), extract, self._setup(), recording, settings)
        return recording

    def margin(self, attempt: Attempt, at: int) -> float:
        """By how much the token at this index of the text was chosen: the difference of the two best scores that the
        rules leave."""
        vocabulary, tokens = self.checkpoint.vocabulary, attempt.text.tokens[:at]
        rules = Rules(vocabulary, attempt.settings.timestamps, attempt.sampling)
        cursor = self.target.open(attempt.window.encoded(self.target))
        scores = cursor.run([*prefix(vocabulary, attempt.settings, self.target.positions), *tokens])
        return rules.decide(scores[-1], rules.written(tokens)).margin

    @property
    def decoder(self) -> WindowDecoder:
        """What writes single windows."""
        return WindowDecoder(self._setup(), Counter())

    def _setup(self) -> Setup:
        return Setup(self.target, self.checkpoint.vocabulary, self.checkpoint.text, self._drafter())

    def _attempt(self, window: AudioWindow, settings: Settings) -> Attempt:
        decoder, temperature = self.decoder, settings.temperatures[0]
        settings = replace(settings, language=settings.language or decoder.detect_language(window).code)
        sampling = Sampling(temperature, window.place) if temperature else None
        return Attempt(window, settings, sampling, decoder.decode(window, settings, _nothing, sampling))


def loaded(folder: Path, precision: str = "f32") -> Galley:
    """The model in a folder, alone."""
    target = pair(folder, "off", precision).target
    return Galley(target.checkpoint, target.model)


def pair(folder: Path, draft: str, precision: str) -> Pair:
    """A target and a draft (a folder, or "off") as the program loads them."""
    return ModelCache().pair(
        Options(target=str(folder), draft=draft, precision=precision), lambda stage, **values: None
    )


class _Noted(WindowDecoder):
    """Notes every text that it writes."""

    def __init__(self, attempts: list[Attempt], *given: Any) -> None:
        super().__init__(*given)
        self._attempts = attempts

    def decode_steps(self, window, settings, watch, sampling=None):  # type: ignore[no-untyped-def]
        text = yield from super().decode_steps(window, settings, watch, sampling)
        self._attempts.append(Attempt(window, settings, sampling, text))
        return text


def _nothing(tokens: Sequence[int], draft: Sequence[int]) -> None:
    """Watches and does nothing."""


def _find(part: Sequence[int], whole: Sequence[int], start: int) -> int:
    return next(at for at in range(start, len(whole)) if tuple(whole[at : at + len(part)]) == tuple(part))
