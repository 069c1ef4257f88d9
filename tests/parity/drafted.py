"""Galley with a draft as a reference for Galley without: the text must be the same."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from desktop_app.decoding.audio_window import Samples
from desktop_app.transcript.settings import Settings
from tests.parity.comparison import Text, Texts
from tests.parity.galley import Galley, pair


class Drafted:
    """A target with a draft in a precision, as the program loads them; `alone` is the target without the draft."""

    def __init__(self, target: Path, draft: Path, precision: str) -> None:
        both = pair(target, str(draft), precision)
        assert both.draft is not None and both.described().precision.startswith(precision)
        checkpoint, model = both.target.checkpoint, both.target.model
        self.alone = Galley(checkpoint, model, mel_bins=both.mel_bins)
        self._drafting = Galley(checkpoint, model, both.drafter, both.mel_bins)

    def windows(self, sounds: Sequence[Samples], settings: Settings) -> list[Text]:
        """Each text, and the language that was heard."""
        found = self._drafting.windows(sounds, settings)
        return [Text(each.text.tokens, each.settings.language) for each in found]

    def recording(self, samples: Samples, settings: Settings, places: Sequence[int]) -> Texts:
        """All lines with their times."""
        found = self._drafting.recording(samples, settings)
        lines = [Text(line.segment.tokens, start=line.segment.start, end=line.segment.end) for line in found.lines]
        return Texts(lines, found.language_code, len(found.attempts))

    def prepared(self, samples: Samples) -> Samples:
        """Nothing to prepare."""
        return samples
