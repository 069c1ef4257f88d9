"""transformers as a reference: `generate`, greedy, with its own features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import WhisperFeatureExtractor, WhisperForConditionalGeneration
from transformers.modeling_outputs import BaseModelOutput

from desktop_app.checkpoints.folder import read
from desktop_app.decoding.audio_window import Samples
from desktop_app.decoding.task import prefix
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.settings import Settings
from tests.parity.comparison import Text, Texts
from tests.parity.galley import Memo

BATCH = 16


class HuggingFace:
    """A model folder in transformers."""

    def __init__(self, folder: Path) -> None:
        self._checkpoint = read(folder)
        self._model: Any = WhisperForConditionalGeneration.from_pretrained(folder, dtype=torch.float32).eval()
        self._extract: Any = WhisperFeatureExtractor.from_pretrained(folder)
        self._encoded = Memo(self._encode)

    def windows(self, sounds: Sequence[Samples], settings: Settings) -> list[Text]:
        """By the short form, one call of the inner `generate` for some windows at a time."""
        found = []
        for at in range(0, len(sounds), BATCH):
            inputs = BaseModelOutput(torch.stack([self._encoded(samples) for samples in sounds[at : at + BATCH]]))
            made = self._generate(None, settings, encoder_outputs=inputs, force_unique_generate_call=True)
            found += [self._text(segments[0]["result"].tolist(), settings) for segments in made["segments"]]
        return found

    def recording(self, samples: Samples, settings: Settings, places: Sequence[int]) -> Texts:
        """By the long form. It leaves the time at which the next line would begin at the end of a window's last line,
        and keeps lines without text."""
        inputs = self._features(samples, truncation=False, padding="longest", return_attention_mask=True)
        found = self._generate(
            inputs.input_features,
            settings,
            attention_mask=inputs.attention_mask,
            condition_on_prev_tokens=settings.condition,
            temperature=0.0,
            no_speech_threshold=0.6,
            logprob_threshold=-1.0,
        )
        is_time = self._checkpoint.vocabulary.is_timestamp
        lines = [segment["tokens"].tolist() for segment in found["segments"][0]]
        lines = [line[:-1] if len(line) > 1 and is_time(line[-2]) else line for line in lines]
        return Texts([Text(tuple(line)) for line in lines if self._checkpoint.text(line).strip()])

    def prepared(self, samples: Samples) -> Samples:
        """transformers reflects at the very end, openai-whisper and Galley hear silence there: both hear it here."""
        return np.concatenate([samples, np.zeros(SAMPLE_RATE, np.float32)])

    def _generate(self, features: torch.Tensor | None, settings: Settings, **options: Any) -> Any:
        vocabulary = self._checkpoint.vocabulary
        if vocabulary.languages:
            task = "translate" if settings.translate else "transcribe"
            options |= {"language": settings.language, "task": task}
        if settings.prompt:
            options["prompt_ids"] = torch.tensor([vocabulary.previous, *settings.prompt])
        with torch.no_grad():
            return self._model.generate(
                features,
                return_timestamps=settings.timestamps,
                return_segments=True,
                do_sample=False,
                num_beams=1,
                **options,
            )

    def _text(self, tokens: list[int], settings: Settings) -> Text:
        """Without what stands before the text and behind it."""
        vocabulary = self._checkpoint.vocabulary
        before = prefix(vocabulary, replace(settings, hot_words=()), self._checkpoint.shape.text_positions)
        codes = {token: code for code, token in vocabulary.languages.items()}
        language = next((codes[token] for token in tokens[: len(before)] if token in codes), None)
        tokens = tokens[len(before) :]
        text = tokens[: tokens.index(vocabulary.end)] if vocabulary.end in tokens else tokens
        return Text(tuple(text), language)

    def _features(self, samples: Samples, **options: Any) -> Any:
        return self._extract(samples, sampling_rate=SAMPLE_RATE, return_tensors="pt", **options)

    def _encode(self, samples: Samples) -> torch.Tensor:
        with torch.no_grad():
            inputs = self._model.model.encoder(self._features(samples).input_features).last_hidden_state
        encoded: torch.Tensor = inputs[0]
        return encoded
