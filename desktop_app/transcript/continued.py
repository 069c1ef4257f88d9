"""A recording that is written in two runs: the second one goes on behind the last line of the first."""

from __future__ import annotations

from dataclasses import replace

from desktop_app.problems import Problem
from desktop_app.transcript.model import Models, Transcript
from desktop_app.transcript.speakers import numbered


def continued(before: Transcript, after: Transcript) -> Transcript:
    """Both runs in one. The lines of `before` stand as they are; `after` has what was written behind them, on the
    recording's clock and with its length. Where another model wrote the first part, a notice names it."""
    known = after if after.language else before
    return replace(
        after,
        language=known.language,
        language_probability=known.language_probability,
        models=_named(before, after.models),
        segments=numbered([*before.segments, *after.segments]),
        speakers=before.speakers + after.speakers,
        stats=replace(before.stats + after.stats, audio_seconds=after.seconds),
        guarded=before.guarded + after.guarded,
    )


def _named(before: Transcript, now: Models) -> Models:
    first = before.models.target
    if not before.segments or first in ("", now.target):
        return now
    minutes, seconds = divmod(int(before.segments[-1].end), 60)
    notice = Problem("model.continued", model=first, time=f"{minutes}:{seconds:02}")
    return replace(now, notices=(notice, *now.notices))
