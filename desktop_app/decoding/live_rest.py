"""The rest of a live recording that was broken off: by the rules of live text, but as fast as it can be read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from desktop_app.decoding.hearing import Hear, Samples
from desktop_app.decoding.live import Gate, Live, Resume
from desktop_app.decoding.longform import Listener
from desktop_app.decoding.setup import Setup
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.model import Segment
from desktop_app.transcript.settings import Settings
from desktop_app.transcript.statistics import Counter

_NEWS = 10.0  # seconds of silence after which it is told how far it is


def transcribe(
    blocks: Iterator[Samples],
    since: int,
    hear: Hear,
    setup: Setup,
    gate: Gate,
    listener: Listener,
    settings: Settings,
    counter: Counter,
) -> None:
    """Transcribe a stream of mono audio at 16 kHz that begins with the recording's sample `since`; all times are the
    recording's.

    A speech is written once, when it is over, or when it fills a window: nobody waits for its first words. The other
    arguments are those of `longform.transcribe`; `Listener.tentative` is not called, and words get no times.
    """
    live = Live(
        hear,
        setup,
        gate,
        previous=setup.drafter is not None,
        settings=settings,
        counter=counter,
        resume=Resume(since),
    )
    reported, done = 0, since

    def write() -> None:
        nonlocal reported
        text = live.update()
        if live.language is not None:
            listener.language(live.language)
        if live.reports[reported:]:
            listener.guarded(live.reports[reported:])
            reported = len(live.reports)
        tell(text.committed if text else ())

    def tell(segments: Sequence[Segment]) -> None:
        nonlocal done
        done = live.decoded
        listener.segments(segments, done / SAMPLE_RATE)

    for block in blocks:
        live.feed(block)
        while live.is_full:
            write()
        if live.decoded - done >= _NEWS * SAMPLE_RATE:
            tell(())
    live.finish()
    while live.due:
        write()
    tell(())
