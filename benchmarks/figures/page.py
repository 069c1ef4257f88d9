"""benchmarks/RESULTS.md and the table of README.md, as the recorded figures make them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.figures.records import HOME, PROCESSORS, TOPICS, Claim, Figure, Topic, read

BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"

HEAD = """# Figures

Rendered by `make results` from [figures](figures), which benchmarks write when they are given `--record`.
The small number at a figure names its run, below the table: commit and day. A row of several values names them in
order; "missed" is short of the goal. Each processor lent two shared cores: ratios of runs in turn say more than speeds.
What did not help: [NOTES.md](NOTES.md). The log: [history](history/2026-11.md).
"""

NOT_RUN = "not run"

Run = tuple[str, str, str, str]
"""Command, commit, day and note."""

PROGRAMS = {
    "Galley, int8": "Galley int8, with draft / alone",
    "Galley, f32": "Galley f32, with draft / alone",
    "faster-whisper, int8": "faster-whisper int8",
    "faster-whisper, f32": "faster-whisper f32",
    "openai-whisper, f32": "openai-whisper f32",
}
"""The rows of README's table, and the claims of "peers" whose first value is their speed."""

CORPORA = {"read": "word errors, read books", "crowd": "word errors, own microphones"}
"""Its columns: claims of "accuracy" are a corpus and a program."""


def page(home: Path = HOME) -> str:
    """benchmarks/RESULTS.md."""
    topics = [read(topic, home) for topic in TOPICS]
    figures = [each for topic in topics for claim in topic.claims for each in claim.figures.values()]
    years = {each.date[:4] for each in figures}
    year = years.pop() if len(years) == 1 else ""
    columns = "; ".join(f"**{kind}**: {what}" for kind, what in PROCESSORS.items())
    told = f"{columns}.{f' All days are of {year}.' if year else ''}"
    return "\n".join([HEAD, told, *(section(topic, year) for topic in topics), ""])


def section(topic: Topic, year: str = "") -> str:
    """Heading, table, and the runs that its numbers name, by command; days of `year` without it."""
    kinds = [kind for kind in PROCESSORS if any(kind in each.figures for each in topic.claims)]
    goals = any(each.goal for each in topic.claims)
    head = ["claim", *(["goal"] if goals else []), *(kinds or ["measured"])]
    runs: list[Run] = []
    rows = []
    for claim in topic.claims:
        cells = [f"{claim.claim}, {claim.unit}" if claim.unit else claim.claim, *([claim.goal] if goals else [])]
        if claim.figures:
            cells += [cell(claim, claim.figures.get(kind), runs) for kind in kinds]
        else:
            cells += [NOT_RUN, *[""] * (len(kinds) - 1)]
        rows.append(cells)
    lines = ["", f"## {topic.title}", *([topic.about] if topic.about else []), "", *table(head, rows)]
    if runs:
        lines += ["", *(f"- {each}" for each in commands(runs, year))]
    return "\n".join(lines)


def cell(claim: Claim, figure: Figure | None, runs: list[Run]) -> str:
    """The values, which run they are from (which joins `runs` if it is new), and whether the goal is missed."""
    if figure is None:
        return ""
    if (known := run(figure)) not in runs:
        runs.append(known)
    values = " / ".join(map(number, figure.values))
    return f"{values}{raised(runs.index(known) + 1)}{' missed' if missed(claim.goal, figure.values) else ''}"


def with_table(readme: str, home: Path = HOME) -> str:
    """README.md with the table between its marks; as it is without them."""
    before, begin, rest = readme.partition(BEGIN)
    _, end, after = rest.partition(END)
    return f"{before}{begin}\n{programs(home)}\n{end}{after}" if end else readme


def programs(home: Path = HOME) -> str:
    """Speed and accuracy beside other programs, on the kind of processor on which all were measured last."""
    topics = (read(topic, home) for topic in ("accuracy", "peers"))
    accuracy, peers = ({claim.claim: claim.figures for claim in topic.claims} for topic in topics)
    every = [peers[claim] for claim in PROGRAMS.values()]
    kind = max(set.intersection(*map(set, every)), key=lambda kind: every[0][kind].date)
    rows = []
    for program, claim in PROGRAMS.items():
        rates = (accuracy[f"{corpus}: {program}"].get(kind) for corpus in CORPORA)
        rates_told = (f"{number(rate.values[0])}%" if rate else "" for rate in rates)
        rows.append([program, f"{number(peers[claim][kind].values[0])} ×", *rates_told])
    runs = {run(one[kind]): None for one in every}
    return "\n".join(
        [
            *table(["Whisper base", "speed (× real time)", *CORPORA.values()], rows),
            "",
            f"Two cores, {kind} ({PROCESSORS[kind]}). {'; '.join(commands(list(runs)))}.",
        ]
    )


def run(figure: Figure) -> Run:
    """What figures of one run have in common."""
    return figure.command, figure.commit, figure.date, figure.note


def commands(runs: Sequence[Run], year: str = "") -> list[str]:
    """A line for each command, with its runs by number."""
    found: dict[str, list[str]] = {}
    for at, (command, commit, date, note) in enumerate(runs, 1):
        told = f"{raised(at)} {commit}, {date.removeprefix(f'{year}-')}{f' ({note})' if note else ''}"
        found.setdefault(command, []).append(told)
    return [f"`{command}`: {'; '.join(each)}" for command, each in found.items()]


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Markdown."""
    return [f"|{'|'.join(row)}|" for row in (head, ["---"] * len(head), *rows)]


def number(value: float) -> str:
    """Three figures, or all before the point."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def raised(value: int) -> str:
    """A small number above the line."""
    return str(value).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def missed(goal: str, values: Sequence[float]) -> bool:
    """Whether a value is not what the goal asks; "–" asks nothing of its value. Raises ValueError for no goal of the
    kind that Claim describes.
    """
    if not goal:
        return False
    sign, _, limits = goal.partition(" ")
    if sign not in ("≥", "≤"):
        raise ValueError(f"goal: {goal}")
    pairs = [(value, float(limit)) for value, limit in zip(values, limits.split(" / "), strict=False) if limit != "–"]
    return any(value < limit if sign == "≥" else value > limit for value, limit in pairs)
