"""What the file path writes of some audio, for the benchmarks that look at it from inside one process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from desktop_app.audio.spectrogram import Spectrogram
from desktop_app.decoding import longform
from desktop_app.decoding.guard import Act, Guard
from desktop_app.decoding.hearing import Samples
from desktop_app.engine.models import Pair


@dataclass(frozen=True)
class FileText:
    """The segments of a recording with their texts, and what the guard did."""

    segments: Sequence[longform.Segment]
    texts: Sequence[str]
    acts: Sequence[Act]

    @property
    def text(self) -> str:
        """All that was written."""
        return " ".join(text.strip() for text in self.texts)


def file_text(pair: Pair, audio: Samples, language: str | None = None, guard: Guard | None = None) -> FileText:
    """Transcribe mono audio at 16 kHz in whole windows; with `language` None it is detected."""
    checkpoint = pair.target.checkpoint
    segments: list[longform.Segment] = []
    acts: list[Act] = []

    class Notes(longform.Listener):
        def segments(self, made: Sequence[longform.Segment], done_seconds: float) -> None:
            segments.extend(made)

        def guarded(self, done: Sequence[Act]) -> None:
            acts.extend(done)

    longform.transcribe(
        iter([audio]),
        Spectrogram([audio], pair.mel_bins).features,
        pair.target.model,
        checkpoint.vocabulary,
        checkpoint.text,
        Notes(),
        pair.drafter(),
        longform.Settings(language=language),
        guard=guard,
    )
    return FileText(segments, [checkpoint.text(segment.tokens) for segment in segments], acts)
