"""What the speed panel says about a run, as plain text: one place decides on digits and words."""

from __future__ import annotations

from dataclasses import dataclass

from desktop_app.app.wording import percent
from desktop_app.transcript.model import Models
from desktop_app.transcript.statistics import Statistics

NONE = "–"


@dataclass(frozen=True)
class PanelFigures:
    """The panel's content; every figure is NONE while it is not known.

    Attributes: accepted (0 to 1, None without a draft); shares (encoder, draft, target; empty while nothing is timed).
    """

    accepted: float | None
    acceptance: str
    per_pass: str
    real_time: str
    shares: tuple[float, float, float] | None
    target: str
    draft: str
    device: str
    precision: str
    near_ties: str


def panel_figures(stats: Statistics, models: Models | None) -> PanelFigures:
    """The figures of a run so far."""
    spent = (stats.encode_seconds, stats.draft_seconds, stats.verify_seconds)
    whole = sum(spent)
    accepted = stats.acceptance if stats.compared else None
    return PanelFigures(
        accepted=accepted,
        acceptance=NONE if accepted is None else percent(accepted),
        per_pass=f"{stats.tokens_per_pass:.1f}" if stats.target_passes else NONE,
        real_time=_times(stats.audio_seconds / stats.wall_seconds)
        if stats.wall_seconds and stats.audio_seconds
        else NONE,
        shares=(spent[0] / whole, spent[1] / whole, spent[2] / whole) if whole else None,
        target=models.target if models else NONE,
        draft=_draft(stats, models) if models else NONE,
        device=models.device if models else NONE,
        precision=models.precision if models else NONE,
        near_ties=str(stats.near_ties) if stats.target_passes else NONE,
    )


def _draft(stats: Statistics, models: Models) -> str:
    """The draft's name, and why it was left out where it was."""
    if not stats.left_out or not models.draft:
        return models.draft or "none"
    share, speed = percent(stats.left_out / max(stats.tokens, stats.left_out)), percent(stats.draft_worth)
    return f"{models.draft}; left out for {share} of the text, where with it the speed would have been {speed}"


def _times(factor: float) -> str:
    return f"{factor:.0f}×" if factor >= 10 else f"{factor:.1f}×"
