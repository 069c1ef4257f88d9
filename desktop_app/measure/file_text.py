"""What the file path writes of some audio, for benchmarks that look at it from inside one process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from desktop_app.audio.spectrogram import Spectrogram
from desktop_app.audio.voice import Voices
from desktop_app.decoding import longform
from desktop_app.decoding.guard import Act, Guard
from desktop_app.decoding.hearing import Samples
from desktop_app.engine.job import settings_of
from desktop_app.engine.messages import Options
from desktop_app.engine.models import Pair


@dataclass(frozen=True)
class FileText:
    """The segments of a recording, their text, and what the guard did."""

    segments: Sequence[longform.Segment] = ()
    text: str = ""
    acts: Sequence[Act] = ()


def file_text(pair: Pair, audio: Samples, options: Options) -> FileText:
    """Transcribe mono audio at 16 kHz in whole windows."""
    checkpoint = pair.target.checkpoint
    notes = _Notes()
    longform.transcribe(
        iter([audio]),
        Spectrogram([audio], pair.mel_bins).features,
        pair.target.model,
        checkpoint.vocabulary,
        checkpoint.text,
        notes,
        pair.drafter(),
        settings_of(options, checkpoint),
        guard=Guard(Voices, checkpoint.vocabulary, checkpoint.text) if options.guard else None,
    )
    text = " ".join(checkpoint.text(segment.tokens).strip() for segment in notes.made)
    return FileText(notes.made, text, notes.acts)


class _Notes(longform.Listener):
    """Keeps what comes."""

    def __init__(self) -> None:
        self.made: list[longform.Segment] = []
        self.acts: list[Act] = []

    def segments(self, segments: Sequence[longform.Segment], done_seconds: float) -> None:
        self.made += segments

    def guarded(self, acts: Sequence[Act]) -> None:
        self.acts += acts
