"""Fill the model card's figures and curve from what the training and the evaluation wrote down."""

import json
import re
from itertools import pairwise
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from models.training.settings import STARTER, WORK

BEGIN, END = "<!-- figures: written by `python -m models.training.card` -->", "<!-- end of figures -->"


def draw_curve() -> None:
    """The losses over the training's minutes, as `training.png` beside the card."""
    lines = [json.loads(line) for line in (WORK / "target.jsonl").read_text().splitlines()]
    figure, axes = plt.subplots(figsize=(6.4, 3.4), dpi=100)
    for name, label in (("phones", "encoder: phones"), ("text", "decoder: tokens"), ("exit", "exit after layer 2")):
        points = [(line["minutes"], line[name]) for line in lines if name in line]
        axes.plot(*zip(*points, strict=True), label=label, linewidth=1.2)
    for previous, line in pairwise(lines):
        if previous["stage"] != line["stage"]:
            axes.axvline(line["minutes"], color="0.8", linewidth=0.8, zorder=0)
            axes.annotate(line["stage"], (line["minutes"] + 0.5, 0.1), fontsize=7, color="0.4", rotation=90)
    axes.set(xlabel="minutes of training", ylabel="cross-entropy (nats)", ylim=(0, None))
    axes.legend(frameon=False, fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(STARTER / "training.png")


def figures(report: dict[str, Any]) -> str:
    """The measured tables in Markdown."""
    rows = ["| set | clips | word error rate | draft accepted |", "| --- | ---: | ---: | ---: |"]
    rows += [
        f"| {name} | {found['clips']} | {found['wer']:.1%} | {found['acceptance']:.1%} |"
        for name, found in report.items()
    ]
    known = report["known voices"]["results"]
    rows += [
        "",
        "Word error rate in known voices by where the sentence comes from (mean over clips): "
        + ", ".join(
            f"{source} {sum(r['wer'] for r in known if r['source'] == source) / count:.1%} ({count} clips)"
            for source in sorted({r["source"] for r in known})
            if (count := sum(r["source"] == source for r in known))
        )
        + ".",
    ]
    rows += [
        "",
        "The first clips of each synthetic set, as they came out:",
        "",
        "| voice | said | heard |",
        "| --- | --- | --- |",
    ]
    for name in ("known voices", "held-out voices"):
        rows += [f"| {r['name']} | {r['said']} | {r['heard']} |" for r in report[name]["results"][:8]]
    if "real recordings" in report:
        rows += ["", "Every real recording, as it is:", "", "| recording | word error rate |", "| --- | ---: |"]
        rows += [f"| {r['name']} | {r['wer']:.0%} |" for r in report["real recordings"]["results"]]
    return "\n".join(rows)


def main() -> None:
    draw_curve()
    report = json.loads((WORK / "evaluation.json").read_text())
    card = STARTER / "README.md"
    block = f"{BEGIN}\n\n{figures(report)}\n\n{END}"
    pattern = re.compile(re.escape(BEGIN) + ".*?" + re.escape(END), re.DOTALL)
    card.write_text(pattern.sub(lambda _: block, card.read_text()))


if __name__ == "__main__":
    main()
