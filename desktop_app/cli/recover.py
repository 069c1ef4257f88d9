"""`galley record --recover`: the text of recordings whose program was ended in the middle."""

from __future__ import annotations

import queue
from collections.abc import Callable
from pathlib import Path

from desktop_app.cli import results
from desktop_app.cli.keeping import Keeping
from desktop_app.engine.client import Engine
from desktop_app.engine.messages import Event, Failed, Finished, Options, SegmentReady, Started
from desktop_app.transcript import formats

DONE, FAILED, INTERRUPTED = 0, 1, 130


def run(ending: str, options: Options, keeping: Keeping, say: Callable[[str], None]) -> int:
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
            keeping.take_up(one)
            engine.transcribe(one.id, one.path, options)
            status = max(status, _follow(events, keeping, Path(one.path).with_suffix(f".{ending}"), ending, say))
    except KeyboardInterrupt:
        say("Interrupted: the recordings are kept.")
        return INTERRUPTED
    finally:
        engine.close()
    return status


def _follow(
    events: queue.SimpleQueue[Event], keeping: Keeping, place: Path, ending: str, say: Callable[[str], None]
) -> int:
    """Until the file that is in work is done."""
    while True:
        match event := events.get():
            case Started():
                keeping.models(event.models, event.audio_seconds)
            case SegmentReady():
                keeping.append(event.segment)
            case Finished():
                keeping.finish(event.transcript)
                try:
                    results.write(place, formats.write(event.transcript, ending))
                except OSError as error:
                    say(f"{place}: the text cannot be written ({error.strerror or error}); make room for it")
                    return FAILED
                say(f"Text: {place}")
                return DONE
            case Failed():
                keeping.fail(f"{event.reason}; {event.remedy}")
                say(f"{place.with_suffix('.flac')}: {event.reason}; {event.remedy}")
                return FAILED
