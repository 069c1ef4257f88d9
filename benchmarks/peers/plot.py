"""A plot of the medians: a bar for each contestant, light where it loads."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

OWN, OTHER, LOADING = "#2f6f8f", "#8c8c8c", "#cfdde3"


def write(file: Path, found: Mapping[str, Mapping[str, Any]], title: str) -> None:
    """Write it to a file whose ending matplotlib knows, such as .png or .svg."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 1.2 + 0.45 * len(found)), layout="constrained")
    axes = figure.subplots()
    names = list(found)[::-1]
    seconds = [found[name]["seconds"] for name in names]
    whole = [found[name]["with_loading"] for name in names]
    colours = [OWN if name.startswith("Galley") else OTHER for name in names]
    axes.barh(names, whole, 0.6, color=LOADING)
    axes.barh(names, seconds, 0.6, color=colours)
    for row, name in enumerate(names):
        wer = found[name]["wer"]
        rate = "" if wer is None else f", WER {wer:.1%}"
        label = f"  {seconds[row]:.1f} s ({found[name]['precision']}{rate})"
        axes.text(whole[row], row, label, va="center", fontsize=9)
    axes.set_xlim(0, max(whole) * 1.4)
    axes.set_title(title, loc="left", fontsize=10)
    axes.set_xlabel("seconds; pale: with loading", fontsize=9)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(left=False, labelsize=9)
    figure.savefig(file, dpi=150)
