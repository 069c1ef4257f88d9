"""benchmarks/RESULTS.md and the table of README.md, as the recorded figures make them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.figures.records import HOME, PROCESSORS, TOPICS, Claim, Figure, Topic, read

BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"

HEAD = """# Figures

Rendered by `make results` from [figures](figures), which benchmarks write when they are given `--record`.
The small number at a figure names its run, below the table: commit and day. A row of several values names them in
order; "missed" is short of the goal. Every machine had two shared cores, so
trust ratios from interleaved runs more than absolute speeds.
Recordings: **read** is clips of LibriSpeech dev-clean, **crowd** sentences of Common Voice.
What did not help: [NOTES.md](NOTES.md). The log: [history](history/2026-11.md).
"""

NOT_RUN = "not run"

Run = tuple[str, str, str, str]
"""Command, commit, day and note."""

PROGRAMS = (
    ("Galley, int8", "Galley int8, with draft / alone", 0, "Galley, int8"),
    ("without its draft, int8", "Galley int8, with draft / alone", 1, "Galley, int8"),
    ("faster-whisper, int8", "faster-whisper int8", 0, "faster-whisper, int8"),
    ("Galley, f32", "Galley f32, with draft / alone", 0, "Galley, f32"),
    ("without its draft, f32", "Galley f32, with draft / alone", 1, "Galley, f32"),
    ("faster-whisper, f32", "faster-whisper f32", 0, "faster-whisper, f32"),
    ("openai-whisper, f32", "openai-whisper f32", 0, "openai-whisper, f32"),
)
"""The rows of README's table: the claim of "peers" with their speed, which of its values that is, and the program as
"accuracy" names it.
"""

CORPORA = {"read": "WER, audiobooks", "crowd": "WER, volunteers"}
"""Its last columns: claims of "accuracy" are a corpus and a program."""

ABOUT = """Speed of Whisper base (English, two cores, model loading not counted), as a multiple of real time. The last
two columns are word error rates on 128 clips of audiobooks and on 100 sentences read by volunteers. int8 rounds
differently on each processor, hence the ranges."""

MEASURED = """Speeds are measured by `make bench-peers FILE=FOLDER PRECISION=int8 ROUNDS=5` (or `PRECISION=f32`);
FOLDER holds recordings with reference texts, here clips of LibriSpeech dev-clean
([speed and accuracy](docs/speed-and-accuracy.md#recordings-with-a-known-text)).
Commits and dates: [all figures](benchmarks/RESULTS.md)."""


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
    """Speed and accuracy of all programs, on each kind of processor that all but one of them were measured on."""
    topics = (read(topic, home) for topic in ("accuracy", "peers"))
    accuracy, peers = ({claim.claim: claim.figures for claim in topic.claims} for topic in topics)
    measured = [peers[claim] for _, claim, _, _ in PROGRAMS]
    kinds = [kind for kind in PROCESSORS if sum(kind in each for each in measured) >= len(PROGRAMS) - 1]
    rows = []
    for name, claim, at, program in PROGRAMS:
        speeds = [number(peers[claim][kind].values[at]) if kind in peers[claim] else "–" for kind in kinds]
        rows.append([name, *speeds, *(spread(accuracy[f"{corpus}: {program}"]) for corpus in CORPORA)])
    return "\n".join([ABOUT, "", *table(["program", *kinds, *CORPORA.values()], rows), "", MEASURED])


def spread(figures: Mapping[str, Figure]) -> str:
    """The rate on every kind of processor, from the lowest to the highest."""
    rates = sorted({each.values[0] for each in figures.values()})
    return f"{' to '.join(map(number, dict.fromkeys((rates[0], rates[-1]))))}%" if rates else ""


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
