"""Fill the model card's figures and curve from what the training and the evaluation wrote down."""

import json
import re
import shutil
from itertools import pairwise
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from models.training.settings import STARTER, WORK

BEGIN, END = "<!-- figures: written by `python -m models.training.card` -->", "<!-- end of figures -->"


def draw_curve() -> None:
    """The losses over the training's minutes, as `training.png` beside the card, and the log they were drawn from."""
    shutil.copy(WORK / "target.jsonl", STARTER / "training.jsonl")
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


GOALS = {
    "known voices": "8%",
    "held-out voices": "15%",
    "10 dB above noise": "20%",
    "10 dB above murmur": "20%",
}
"""The word error rates that the training aims at."""


def figures(report: dict[str, Any]) -> str:
    """The measured tables in Markdown."""
    rows = [
        "| set | clips | word error rate | aim | draft accepted | tokens a pass | ends within 0.2 s |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, found in report.items():
        if "wer" in found:
            ends = f"{found['ends']:.1%}" if "ends" in found else ""
            rows.append(
                f"| {name} | {found['clips']} | {found['wer']:.1%} | {GOALS.get(name, '')} | "
                f"{found['acceptance']:.1%} | {found['tokens_per_pass']:.2f} | {ends} |"
            )
    return "\n".join([*rows, "", *others(report), "", *examples(report), *recordings(report)])


def others(report: dict[str, Any]) -> list[str]:
    """What the table does not hold, an item a line."""
    early, silent = report["early exit"], report["non-speech"]
    rows = [
        "Aims: draft accepted at least 85%, 2.5 tokens a pass, ends within 0.2 s for 95%.",
        "",
        (
            f"- Target's own first {early['layers']} layers as draft (early exit), known voices: "
            f"{early['acceptance']:.1%} accepted (aim 70%), {early['tokens_per_pass']:.2f} tokens a pass."
        ),
        f"- Clips in which nobody speaks: text on {silent['written']} of {silent['clips']} (aim: none).",
    ]
    rows += [f"  - {result['name']}: {result['heard'][:80]}" for result in silent["results"] if result["heard"]]
    if "speakers" in report:
        clean, disturbed = report["speakers"]["clean"], report["speakers"]["disturbed"]
        rows.append(
            f"- Speaker network, {report['speakers']['speakers']} held-out speakers, 3 s against 3 s, other sentences: "
            f"equal error rate {clean['equal_error_rate']:.1%} clean (aim 8%), {disturbed['equal_error_rate']:.1%} "
            f"through rooms, telephones and noise."
        )
    known = report["known voices"]["results"]
    by_source = [
        f"{source} {sum(r['wer'] for r in known if r['source'] == source) / count:.1%} ({count} clips)"
        for source in sorted({r["source"] for r in known})
        if (count := sum(r["source"] == source for r in known))
    ]
    rows.append(f"- Known voices by where the sentence comes from, mean over clips: {', '.join(by_source)}.")
    return rows


def examples(report: dict[str, Any]) -> list[str]:
    """The first clips of the clean sets, right or wrong."""
    rows = [
        "The first clips of each synthetic set, as they came out:",
        "",
        "| voice | said | heard |",
        "| --- | --- | --- |",
    ]
    for name in ("known voices", "held-out voices"):
        rows += [f"| {r['name']} | {r['said']} | {r['heard']} |" for r in report[name]["results"][:8]]
    return rows


def recordings(report: dict[str, Any]) -> list[str]:
    """The word error rate of every real recording, where some were measured."""
    if "real recordings" not in report:
        return []
    rows = ["", "Every real recording, as it is:", "", "| recording | word error rate |", "| --- | ---: |"]
    return rows + [f"| {r['name']} | {r['wer']:.0%} |" for r in report["real recordings"]["results"]]


def main() -> None:
    draw_curve()
    report = json.loads((WORK / "evaluation.json").read_text())
    card = STARTER / "README.md"
    block = f"{BEGIN}\n\n{figures(report)}\n\n{END}"
    pattern = re.compile(re.escape(BEGIN) + ".*?" + re.escape(END), re.DOTALL)
    card.write_text(pattern.sub(lambda _: block, card.read_text()))


if __name__ == "__main__":
    main()
