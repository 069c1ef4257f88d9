"""What the guard did, in words."""

from __future__ import annotations

from collections.abc import Sequence

from desktop_app.transcript.model import GuardReport

_DONE = {
    "silence": "left out text where nobody speaks ({})",
    "loop": "left out turns of a repetition ({})",
    "unwritten": "found speech without text ({})",
}
_MOST = 3


def sentence(guarded: Sequence[GuardReport]) -> str:
    """One sentence on what the guard did, with the first places of each kind; "" if it did nothing."""
    clauses = []
    for kind, clause in _DONE.items():
        places = [f"{_clock(one.start)}–{_clock(one.end)}" for one in guarded if one.kind == kind]
        more = len(places) - _MOST
        named = ", ".join(places[:_MOST]) + (f" and {more} more" if more > 0 else "")
        if places:
            clauses.append(clause.format(named))
    return f"The guard {'; '.join(clauses)}." if clauses else ""


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}" if minutes >= 60 else f"{minutes}:{rest:02}"
