"""What was written live, compared with what the file gives when it is read as a whole."""

from __future__ import annotations

import queue
from collections.abc import Callable
from pathlib import Path
from typing import Any

from desktop_app.cli import results
from desktop_app.engine.client import Engine
from desktop_app.engine.messages import Failed, Finished, Options
from desktop_app.transcript import difference
from desktop_app.transcript.formats import Format
from desktop_app.transcript.model import Transcript

_JOB = "check"


def compare(
    engine: Engine,
    events: queue.SimpleQueue[Any],
    live: Transcript,
    options: Options,
    form: Format,
    say: Callable[[str], None],
) -> bool:
    """Transcribe the file as any other, say how many words that would change, and keep that text beside the live one;
    gives whether all went well. `events` is where the engine answers."""
    path = Path(live.path)
    engine.transcribe(_JOB, live.path, options)
    while True:
        event = events.get()
        if isinstance(event, Failed) and event.job == _JOB:
            say(f"{path}: {event.reason}; {event.remedy}")
            return False
        if isinstance(event, Finished) and event.job == _JOB:
            break
    words = difference.word_count(difference.changes(live.segments, event.transcript.segments))
    if not words:
        say("No word would change: the whole file gives the same text.")
        return True
    say(f"{words} {'word' if words == 1 else 'words'} would change, transcribed as a whole file.")
    return results.keep(event.transcript, path.with_suffix(f".checked.{form.extension}"), form, "That text", say)
