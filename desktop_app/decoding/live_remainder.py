"""Transcribes the remainder of an interrupted live recording: by the rules of live text, but not in real time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from desktop_app.decoding.audio_window import FeatureExtractor, Samples
from desktop_app.decoding.live import Gate, Live, Resume
from desktop_app.decoding.longform import DecodingListener
from desktop_app.decoding.setup import Setup
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.model import Segment
from desktop_app.transcript.settings import Settings
from desktop_app.transcript.statistics import Counter

_REPORT_AFTER = 10.0  # seconds of silence after which progress is reported


def transcribe(
    blocks: Iterator[Samples],
    since: int,
    extract: FeatureExtractor,
    setup: Setup,
    gate: Gate,
    listener: DecodingListener,
    settings: Settings,
    counter: Counter,
) -> None:
    """Transcribe a stream of mono audio at 16 kHz that begins with the recording's sample `since`; all times are the
    recording's.

    A stretch of speech is decoded once, when it is over or fills a window: nobody is waiting for its first words. The
    other arguments are those of `longform.transcribe`; `DecodingListener.tentative` is not called, and words get no
    times.
    """
    live = Live(
        extract,
        setup,
        gate,
        previous=setup.drafter is not None,
        settings=settings,
        counter=counter,
        resume=Resume(since),
    )
    reported, done = 0, since

    def decode() -> None:
        nonlocal reported
        text = live.update()
        if live.language is not None:
            listener.language(live.language)
        if live.reports[reported:]:
            listener.guarded(live.reports[reported:])
            reported = len(live.reports)
        report(text.segments if text else ())

    def report(segments: Sequence[Segment]) -> None:
        nonlocal done
        done = live.decoded
        listener.segments(segments, done / SAMPLE_RATE)

    for block in blocks:
        live.feed(block)
        while live.is_full:
            decode()
        if live.decoded - done >= _REPORT_AFTER * SAMPLE_RATE:
            report(())
    live.finish()
    while live.due:
        decode()
    report(())
