"""`galley doctor`: everything that has to work, each problem with its remedy."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from desktop_app import printing
from desktop_app.app.presentation import problems
from desktop_app.app.presentation.wording import models_in_use, number
from desktop_app.app.system import doctor
from desktop_app.app.system.doctor import Finding
from desktop_app.cli.window import has_display
from desktop_app.engine import probe
from desktop_app.problems import Problem
from desktop_app.texts import N_, _

_OTHER_DEVICE = N_("Update its driver, or choose another device.")
_MARKS = {"ok": N_("ok"), "note": N_("note"), "problem": N_("PROBLEM")}
FAILED, NO_ENGINE = 1, 3

Check = Callable[[], Iterator[Finding]]

if TYPE_CHECKING:
    from desktop_app.messages.questions import Trial, TrialRun


def run(arguments: argparse.Namespace) -> int:
    """Look at everything and say it; gives the exit status, 3 if files cannot be transcribed."""
    wanted = arguments.report is not None
    place = Path(arguments.report or f"galley-report-{time.strftime('%Y%m%d-%H%M%S')}.zip")
    if wanted and os.path.lexists(place):
        return _fail(Problem("disk.exists", path=str(place)))
    trial: list[Check] = [partial(_trial, arguments.device)] if arguments.device else []
    every = trial if trial and not wanted else [*doctor.CHECKS, _window, *trial]
    status, findings = 0, []
    width = max(len(_(mark)) for mark in _MARKS.values())
    for check in every:
        for finding in check():
            line = f"{_(_MARKS[finding.state]):{width}}  {finding.what} {finding.remedy}".rstrip()
            printing.out(f"{line}\n")
            findings.append(finding)
            if finding.state == "problem":
                status = NO_ENGINE
    return _save(place, findings) or status if wanted else status


def _save(place: Path, findings: list[Finding]) -> int:
    """Write the report, and say what is in it; gives the exit status."""
    from desktop_app.app.system import report  # half of the time that any command would take to start

    try:
        report.save(place, findings)
    except Problem as problem:
        return _fail(problem)
    printing.out(f"{place}: {report.contents()}\n")
    return 0


def _fail(problem: Problem) -> int:
    printing.say(f"galley: {problems.sentence(problem)}")
    return FAILED


def _trial(device: str) -> Iterator[Finding]:
    """What only the owner of a device can find out about it."""
    try:
        trial = probe.trial(device)
    except Problem as problem:
        reason, remedy = problems.describe(problem)
        yield Finding(
            "problem",
            _("{device} does not work: {reason}", device=device, reason=reason),
            remedy or _(_OTHER_DEVICE),
        )
        return
    for line in _found(trial):
        yield Finding("ok", line)
    if not trial.good:
        yield Finding("problem", _("The text from {device} differs from the CPU's.", device=device), _(_OTHER_DEVICE))


def _found(trial: Trial) -> Iterator[str]:
    used, ready = models_in_use(trial.models), number(trial.ready, 1)
    yield _("Built and compiled: {models} ({seconds} s)", models=used, seconds=ready)
    if trial.with_draft is not None:
        yield _("With the draft model: {figures}", figures=_figures(trial.with_draft))
    yield _("Without a draft model: {figures}", figures=_figures(trial.alone))
    if trial.with_draft is not None:
        same = trial.draft_changes_nothing
        yield _("The draft model changes nothing") if same else _("THE DRAFT MODEL CHANGES THE TEXT")
        if trial.is_exact:
            yield _("Passes of one and of many tokens agree to the last bit")
        else:
            count = trial.with_draft.statistics.near_ties
            yield _("Near ties between passes of one and of many tokens: {count}", count=count)
    count = len(trial.reference.tokens)
    if trial.alone.tokens == trial.reference.tokens:
        yield _("All {count} tokens are those of the CPU in f32", count=count)
    else:
        first = trial.agreed + 1
        yield _("Token {first} of {count} is the first that is not the CPU's in f32", first=first, count=count)


def _figures(run: TrialRun) -> str:
    cost = run.statistics
    return _(
        "{tokens} tokens from {length} s of audio; encoder {encoder} s, {passes} passes of {milliseconds} ms,"
        " draft model {draft} s",
        tokens=len(run.tokens),
        length=number(cost.audio_seconds),
        encoder=number(cost.encode_seconds, 2),
        passes=cost.target_passes,
        milliseconds=number(cost.verify_seconds / max(cost.target_passes, 1) * 1000, 1),
        draft=number(cost.draft_seconds, 2),
    )


def _window() -> Iterator[Finding]:
    try:
        yield Finding("ok", _("The window opens ({platform})", platform=probe.ask(open_window)))
    except Problem as problem:
        if not has_display():
            yield Finding("note", _("There is no display for the window."), _("galley transcribe works without one."))
        else:
            yield Finding(
                "note",
                _("The window does not open: {reason}", reason=problems.describe(problem)[0]),
                _("On Debian and Ubuntu, install libegl1, libxkbcommon0 and libxcb-cursor0."),
            )


def open_window() -> str:
    """Start Qt; gives the name of its platform. For `probe.ask`: Qt ends the process where it cannot start."""
    from PySide6.QtGui import QGuiApplication

    return QGuiApplication([]).platformName()
