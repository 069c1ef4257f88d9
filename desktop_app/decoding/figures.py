"""What decoding counts and times while it works; `acceptance` and the others are derived from these in
docs/exact.md's words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Figures:
    """Running totals of one recording: seconds by the wall clock, and counts."""

    encode_seconds: float = 0.0
    draft_seconds: float = 0.0
    verify_seconds: float = 0.0
    tokens: int = 0
    target_passes: int = 0
    compared: int = 0
    drafted: int = 0
    accepted: int = 0
    near_ties: int = 0
    left_out: int = 0
    left_out_speed: float = 0.0
