"""What the speed panel says about a run, as plain text: one place decides on digits and words."""

from __future__ import annotations

from desktop_app.app.presentation.wording import length, number, percent
from desktop_app.texts import _
from desktop_app.transcript.model import Models
from desktop_app.transcript.statistics import Statistics
from desktop_app.ui.widgets.labels import NONE


def time_shares(stats: Statistics) -> dict[str, float]:
    """The shares of the time that encoder, draft and target took; empty while nothing is timed."""
    spent = {"encoder": stats.encode_seconds, "drafting": stats.draft_seconds, "target": stats.verify_seconds}
    whole = sum(spent.values())
    return {name: seconds / whole for name, seconds in spent.items()} if whole else {}


def panel_figures(stats: Statistics, models: Models | None) -> dict[str, str]:
    """The figures of a run so far, by the names of the panel's labels; NONE for each that is not known."""
    timed = stats.wall_seconds and stats.audio_seconds
    shares = time_shares(stats)
    return {
        "acceptance": percent(stats.acceptance) if stats.compared else NONE,
        "per_pass": number(stats.tokens_per_pass, 1) if stats.target_passes else NONE,
        "took": length(stats.wall_seconds) if stats.wall_seconds else NONE,
        "real_time": _factor(stats.audio_seconds / stats.wall_seconds) if timed else NONE,
        "target_model": models.target if models else NONE,
        "draft_model": _draft(stats, models) if models else NONE,
        "device": models.device if models else NONE,
        "precision": models.precision if models else NONE,
        "near_ties": str(stats.near_ties) if stats.target_passes else NONE,
        **{name: percent(shares[name]) if shares else NONE for name in ("encoder", "drafting", "target")},
    }


def draft_parts(stats: Statistics) -> list[str]:
    """How each part of the draft did, a line each; none where it has only one."""
    if not stats.head_compared:
        return []
    layers = stats.accepted - stats.head_accepted, stats.compared - stats.head_compared
    parts = ((_("CTC head"), stats.head_accepted, stats.head_compared), (_("Decoder layers"), *layers))
    return [
        _("{part}: {accepted} of {compared} tokens accepted", part=part, accepted=accepted, compared=compared)
        for part, accepted, compared in parts
        if compared
    ]


def _draft(stats: Statistics, models: Models) -> str:
    """What drafted most of the text, and why it was disabled where it was."""
    if models.drafter == "ngram":
        return _("Repeated words")
    draft = models.draft
    if draft and 2 * stats.head_accepted > stats.accepted:
        draft = _("{draft}, CTC head", draft=draft)
    elif draft and stats.head_compared:
        draft = _("{draft}, decoder layers", draft=draft)
    if not stats.left_out or not draft:
        return draft or _("None")
    return _(
        "{draft}; disabled for {share} of the text, where it would have reduced the speed to {speed}",
        draft=draft,
        share=percent(stats.left_out / max(stats.tokens, stats.left_out)),
        speed=percent(stats.draft_worth),
    )


def _factor(value: float) -> str:
    return number(value, 0 if value >= 10 else 1)
