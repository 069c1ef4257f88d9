"""What the guard of a transcript did, as a reader deals with it: what was removed, and where speech has no text."""

from __future__ import annotations

from collections.abc import Iterable

from desktop_app.transcript.model import GuardReport, Span


def removed(reports: Iterable[GuardReport]) -> list[GuardReport]:
    """The text that was removed."""
    return [report for report in reports if report.kind != "unwritten"]


def missed(reports: Iterable[GuardReport]) -> list[Span]:
    """The stretches in which somebody may speak and nothing is written, in order; those that touch, as at the edge of
    two windows, are one."""
    found: list[Span] = []
    for report in reports:
        if report.kind == "unwritten":
            joins = bool(found) and report.start <= found[-1][1]
            start = found.pop()[0] if joins else report.start
            found.append((start, report.end))
    return found


def without_missed(reports: Iterable[GuardReport], span: Span) -> tuple[GuardReport, ...]:
    """The reports without those of speech in a stretch: it has its text, or there is none."""
    return tuple(
        report
        for report in reports
        if report.kind != "unwritten" or not span[0] <= (report.start + report.end) / 2 <= span[1]
    )
