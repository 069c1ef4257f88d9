"""What the application needs of the engine."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from desktop_app.messages.jobs import LiveOptions
from desktop_app.messages.options import Options
from desktop_app.transcript.model import ResumePoint, Span, Transcript


class EnginePort(Protocol):
    """What the session needs of desktop_app.engine.client.Engine."""

    def transcribe(
        self, job: str, path: str, options: Options, written: Transcript | None = None, place: ResumePoint | None = None
    ) -> None: ...

    def transcribe_part(self, job: str, path: str, options: Options, span: Span) -> None: ...

    def find_speakers(self, job: str, path: str, speakers: str, span: Span | None = None) -> None: ...

    def cancel(self, job: str) -> None: ...

    def start_live(self, job: str, options: Options, live: LiveOptions) -> None: ...

    def live_audio(self, job: str, start: int, samples: np.ndarray) -> None: ...

    def stop_live(self, job: str) -> None: ...
