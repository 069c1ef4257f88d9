"""openai-whisper as a reference: the same model, greedy or drawn with Galley's noise, to the last position."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import torch
import whisper
from whisper import decoding
from whisper.audio import HOP_LENGTH, N_FRAMES, N_SAMPLES
from whisper.decoding import DecodingOptions, DecodingTask, GreedyDecoder
from whisper.timing import add_word_timestamps
from whisper.tokenizer import get_tokenizer

from desktop_app.checkpoints.folder import read
from desktop_app.decoding.audio_window import Samples
from desktop_app.decoding.lines import Line
from desktop_app.decoding.sampling import Sampling
from desktop_app.transcript.model import Segment
from desktop_app.transcript.settings import Settings
from tests import openai_models
from tests.parity.comparison import Text, Texts, Words
from tests.parity.galley import Memo

BATCH = 16


class OpenAI:
    """A model folder in openai-whisper."""

    def __init__(self, folder: Path) -> None:
        self._checkpoint = read(folder)
        self._model: Any = openai_models.load(folder)
        self._encoded = Memo(self._encode)

    def windows(self, sounds: Sequence[Samples], settings: Settings) -> list[Text]:
        """By `decode`: padded with silence to 30 s."""
        options = DecodingOptions(
            language=settings.language,
            prompt=list(settings.prompt),
            without_timestamps=not settings.timestamps,
            temperature=settings.temperatures[0],
            **self._common(settings),
        )
        found = []
        with self._as_galley([0] * len(sounds)), torch.no_grad():
            for at in range(0, len(sounds), BATCH):
                mel_windows = torch.stack([self._encoded(samples) for samples in sounds[at : at + BATCH]])
                found += self._model.decode(mel_windows, options)
        return [Text(tuple(one.tokens), one.language, one.avg_logprob, one.no_speech_prob) for one in found]

    def recording(self, samples: Samples, settings: Settings, places: Sequence[int]) -> Texts:
        """By `transcribe`."""
        with self._as_galley(places, settings.temperatures[0]) as attempts:
            found = whisper.transcribe(
                self._model,
                samples,
                language=settings.language,
                temperature=settings.temperatures,
                condition_on_previous_text=settings.condition,
                initial_prompt=self._checkpoint.text(settings.prompt) or None,
                without_timestamps=not settings.timestamps,
                **self._common(settings),
            )
        return Texts([self._line(each) for each in found["segments"] if each["tokens"]], found["language"], attempts[0])

    def prepared(self, samples: Samples) -> Samples:
        return samples

    def language(self, samples: Samples) -> tuple[str, float]:
        """The likeliest language of a window, and how likely it is."""
        _, shares = whisper.detect_language(self._model, self._encoded(samples))
        best = max(shares, key=shares.get)
        return best, shares[best]

    def words(
        self, samples: Samples, begin: float, segments: Sequence[Line | Segment], spoken: float, task: Settings
    ) -> Words:
        """By `add_word_timestamps`, as `transcribe` calls it.

        It fails on a text that fills the context. Galley gives the last tokens of such a text no times, so they are
        left out here too.
        """
        first = round(100 * begin)
        spoken_task = "translate" if task.translate else "transcribe"
        many, count = self._model.is_multilingual, self._model.num_languages
        tokenizer = get_tokenizer(many, num_languages=count, language=task.language, task=spoken_task)
        room = self._model.dims.n_text_ctx - len(tokenizer.sot_sequence) - 2
        made: list[dict[str, Any]] = []
        for one in segments:
            text = [token for token in one.tokens if token < tokenizer.eot][:room]
            room -= len(text)
            made.append({"seek": first, "start": one.start, "end": one.end, "tokens": text})
        if len(samples) > N_SAMPLES:
            frames = min(N_FRAMES, len(samples) // HOP_LENGTH - first)
            mel_windows = whisper.log_mel_spectrogram(samples, self._bins, padding=N_SAMPLES)[:, first : first + frames]
            mel = whisper.pad_or_trim(mel_windows, N_FRAMES)
        else:
            rest = samples[first * HOP_LENGTH :]
            mel, frames = self._features(rest), len(rest) // HOP_LENGTH
        add_word_timestamps(
            segments=made,
            model=self._model,
            tokenizer=tokenizer,
            mel=mel,
            num_frames=frames,
            last_speech_timestamp=spoken,
        )
        return [[(word["word"], word["start"], word["end"]) for word in each["words"]] for each in made]

    @property
    def _bins(self) -> int:
        return int(self._model.dims.n_mels)

    def _features(self, samples: Samples) -> torch.Tensor:
        return whisper.log_mel_spectrogram(whisper.pad_or_trim(samples), self._bins)

    def _encode(self, samples: Samples) -> torch.Tensor:
        with torch.no_grad():
            encoded: torch.Tensor = self._model.embed_audio(self._features(samples)[None])[0]
        return encoded

    def _common(self, settings: Settings) -> dict[str, Any]:
        """With the room of all positions; the reference's default is half of it."""
        task = "translate" if settings.translate else "transcribe"
        return {"task": task, "sample_len": self._model.dims.n_text_ctx, "fp16": False}

    def _line(self, segment: dict[str, Any]) -> Text:
        """Without a pair of times the reference lets a line begin with its window, and Galley at its first time; the
        end of a line that ends without a time is the window's."""
        vocabulary, tokens = self._checkpoint.vocabulary, segment["tokens"]
        start = segment["seek"] / 100 + (vocabulary.seconds(tokens[0]) if vocabulary.is_timestamp(tokens[0]) else 0.0)
        assert any(abs(segment["start"] - each) < 1e-6 for each in (start, segment["seek"] / 100))
        ended = len(tokens) > 1 and vocabulary.is_timestamp(tokens[-1])
        end = segment["end"] if ended else None
        assert self._checkpoint.text(tokens) == segment["text"]
        return Text(tuple(tokens), None, segment["avg_logprob"], segment["no_speech_prob"], start, end)

    @contextmanager
    def _as_galley(self, places: Sequence[int], first: float | None = None) -> Iterator[list[int]]:
        """In here the reference draws with Galley's noise and ends at the last position, as Galley does; gives how many
        texts it has written. `places` are the windows' first samples, and a window's attempts begin at the
        temperature `first`.
        """
        decode, count, window = self._model.decode, [0], [-1]

        def counted(mel_windows: torch.Tensor, options: DecodingOptions) -> Any:
            count[0] += 1
            window[0] += first is None or options.temperature == first
            return decode(mel_windows, options)

        def task(model: Any, options: DecodingOptions) -> DecodingTask:
            place = places[window[0]] if window[0] < len(places) else 0
            return _Task(model, options, place)

        with (
            patch.object(decoding, "DecodingTask", task),
            patch.object(self._model, "decode", counted, create=True),
        ):
            yield count


class _Task(DecodingTask):
    """One token less than the reference's, which writes one behind the last position."""

    def __init__(self, model: Any, options: DecodingOptions, place: int) -> None:
        super().__init__(model, options)
        self.n_ctx -= 1
        if options.temperature > 0:
            self.decoder = _Drawn(self, Sampling(options.temperature, place))


class _Drawn(GreedyDecoder):
    """Draws with noise that can be repeated, in place of torch's."""

    def __init__(self, task: DecodingTask, sampling: Sampling) -> None:
        super().__init__(sampling.temperature, task.tokenizer.eot)
        self._begin, self._sampling = task.sample_begin, sampling

    def update(self, tokens: torch.Tensor, logits: torch.Tensor, sum_logprobs: torch.Tensor) -> Any:
        noise = torch.from_numpy(self._sampling.noise(tokens.shape[-1] - self._begin, logits.shape[-1]))

        def categorical(logits: torch.Tensor) -> SimpleNamespace:
            return SimpleNamespace(sample=lambda: (logits + noise).argmax(-1))

        with patch.object(decoding, "Categorical", categorical):
            return super().update(tokens, logits, sum_logprobs)
