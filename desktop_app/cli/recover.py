"""`galley record --recover`: the text of recordings whose program was ended in the middle.

The lines that were written while somebody spoke stand; only the sound behind them is transcribed.
"""

from __future__ import annotations

import queue
from collections.abc import Callable
from pathlib import Path

from desktop_app.cli import checking, results
from desktop_app.cli.keeping import Keeping
from desktop_app.engine.client import Engine
from desktop_app.engine.messages import Event, Failed, Finished, Options, SegmentReady, Started
from desktop_app.transcript.formats import Format
from desktop_app.transcript.model import Transcript

DONE, FAILED, INTERRUPTED = 0, 1, 130


def run(form: Format, options: Options, check: bool, keeping: Keeping, say: Callable[[str], None]) -> int:
    """Write them down, beside their sound and in the library; gives the exit status."""
    found = keeping.interrupted()
    if not found:
        say("No recording was interrupted.")
        return DONE
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()
    engine = Engine(events.put)
    status = DONE
    try:
        for one in found:
            say(f"Writing down {one.path} ...")
            written = keeping.take_up(one)
            engine.transcribe(one.id, one.path, options, written)
            whole = _follow(events, keeping, one.path, len(written.segments) if written else 0, say)
            if whole is None or not results.keep(
                whole, Path(one.path).with_suffix(f".{form.extension}"), form, "Text", say
            ):
                status = FAILED
            if whole is not None and check and not checking.compare(engine, events, whole, options, form, say):
                status = FAILED
    except KeyboardInterrupt:
        say("Interrupted: the recordings are kept.")
        return INTERRUPTED
    finally:
        engine.close()
    return status


def _follow(
    events: queue.SimpleQueue[Event], keeping: Keeping, path: str, kept: int, say: Callable[[str], None]
) -> Transcript | None:
    """Until the file that is in work is done; gives its text, None where it cannot be written."""
    while True:
        match event := events.get():
            case Started():
                keeping.models(event.models, event.audio_seconds, kept)
            case SegmentReady():
                keeping.append(event.segment)
            case Finished():
                keeping.finish(event.transcript)
                return event.transcript
            case Failed():
                keeping.fail(f"{event.reason}; {event.remedy}")
                say(f"{path}: {event.reason}; {event.remedy}")
                return None
