"""What is said of another text of a recording, in one sentence."""

from __future__ import annotations

from desktop_app.app.editing.recheck import AGAIN, MISSED, PART, RECHECK, VERSION, Check
from desktop_app.app.presentation.problems import sentence
from desktop_app.app.presentation.wording import percent
from desktop_app.texts import _, ngettext


def check_words(check: Check) -> str:
    """How far it is, or how it differs from the text."""
    if check.problem:
        return _problem(check, sentence(check.problem))
    if check.transcript is None:
        return _progress(check, percent(check.progress))
    if not check.changes:
        return _same(check)
    count = check.words
    if check.kind == RECHECK:
        return ngettext(
            "Re-check finished: {n} word would change.", "Re-check finished: {n} words would change.", count
        )
    if check.kind == MISSED:
        return ngettext("{n} word was found there.", "{n} words were found there.", count)
    if check.kind == PART:
        return ngettext("{n} word of this part would change.", "{n} words of this part would change.", count)
    return ngettext("The version differs in {n} word.", "The version differs in {n} words.", count)


def _problem(check: Check, problem: str) -> str:
    if check.kind == RECHECK:
        return _("The recording could not be re-checked. {problem}", problem=problem)
    if check.kind in (PART, MISSED):
        return _("This part could not be transcribed again. {problem}", problem=problem)
    return _("The recording could not be transcribed again. {problem}", problem=problem)


def _progress(check: Check, share: str) -> str:
    if check.paused and check.kind != VERSION:
        return _("Paused · {time}", time=share)
    if check.kind == RECHECK:
        return _("Re-checking the recording… {percent}", percent=share)
    if check.kind in (PART, MISSED):
        return _("Transcribing this part again… {percent}", percent=share)
    if check.kind == AGAIN:
        return _("Transcribing again… {percent}. The text stays until the new one is ready.", percent=share)
    return _("Comparing…")


def _same(check: Check) -> str:
    if check.refused or check.taken:
        return _("Done.")
    if check.kind == RECHECK:
        return _("Re-check finished: no changes.")
    if check.kind == MISSED:
        return _("No words were found there.")
    return _("No words differ.")
