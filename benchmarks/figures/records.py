"""The figures that readers are shown: one JSON file a topic beside this module.

`make results` renders benchmarks/RESULTS.md and the table of README.md from them. A benchmark that is given `--record`
writes its figures here: for each claim there is one figure a kind of processor, and a new one takes the old one's
place.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

HOME = Path(__file__).parent
TOP = HOME.parents[1]

TOPICS = (
    "accuracy",
    "exactness",
    "draft",
    "live",
    "window",
    "memory",
    "speakers",
    "guard",
    "replay",
    "gpu",
    "peers",
)
"""The files, in the order of the page."""

PROCESSORS = {
    "AVX2": "AMD EPYC, Zen 3",
    "AVX-512 VNNI": "AMD EPYC, Zen 4, and Intel Xeon",
    "Zen 5": "AMD EPYC",
    "AMX": "Intel Xeon",
    "GPU": "NVIDIA",
}
"""The kinds of processor that were met, in the order of the columns."""

UNKNOWN = "not recorded"
"""The commit of a figure whose source does not name one."""


@dataclass(frozen=True)
class Figure:
    """What was measured on one kind of processor: the values in the claim's unit, the command that shows them, the
    commit and the day (ISO 8601), and what else a reader should know of the run.
    """

    values: tuple[float, ...]
    command: str
    commit: str
    date: str
    note: str = ""


@dataclass(frozen=True)
class Claim:
    """A row of a table: what is measured, in which unit, the goal ("≥ 1.6" or "≤ 2 / 3.5", a number for each value),
    and a figure for each kind of processor.
    """

    claim: str
    unit: str = ""
    goal: str = ""
    figures: Mapping[str, Figure] = field(default_factory=dict)


@dataclass(frozen=True)
class Topic:
    """A table: its heading, the sentences below it, and its rows."""

    title: str
    about: str
    claims: tuple[Claim, ...]


def read(topic: str, home: Path = HOME) -> Topic:
    """One of TOPICS. Raises OSError, ValueError, KeyError and TypeError for a file that is none."""
    found = json.loads((home / f"{topic}.json").read_text("utf-8"))
    claims = []
    for each in found["claims"]:
        figures = {
            kind: Figure(**{**one, "values": tuple(one["values"])}) for kind, one in each.pop("figures", {}).items()
        }
        claims.append(Claim(**each, figures=figures))
    return Topic(found["title"], found["about"], tuple(claims))


def write(topic: str, content: Topic, home: Path = HOME) -> None:
    """Write the file of a topic, without what is empty."""

    def filled(given: Mapping[str, object]) -> dict[str, object]:
        return {name: value for name, value in given.items() if value not in ("", {})}

    plain = asdict(content)
    for claim in plain["claims"]:
        claim["figures"] = {kind: filled(one) for kind, one in claim["figures"].items()}
    plain["claims"] = [filled(claim) for claim in plain["claims"]]
    (home / f"{topic}.json").write_text(json.dumps(plain, indent=1, ensure_ascii=False) + "\n", "utf-8")


def add_argument(parser: argparse.ArgumentParser) -> None:
    """`--record`, which gives None, or the note of the run."""
    what = "write the figures that RESULTS.md shows; NOTE says what else ran, or how"
    parser.add_argument("--record", nargs="?", const="", metavar="NOTE", help=what)


def record(
    topic: str,
    claim: str,
    values: float | Sequence[float],
    *,
    unit: str = "",
    goal: str = "",
    note: str = "",
    command: str = "",
    processor: str = "",
    home: Path = HOME,
) -> None:
    """Put a figure of today in the place of the one that this claim has for this kind of processor. A claim that is
    not in the topic is added; unit and goal are those of a claim that is. `command` is this program's by default,
    `processor` that of this machine.
    """
    content = read(topic, home)
    given = tuple(values) if isinstance(values, Sequence) else (values,)
    figure = Figure(
        tuple(float(f"{value:.4g}") for value in given),
        command or command_line(sys.argv[1:]),
        commit(),
        datetime.now(UTC).date().isoformat(),
        note,
    )
    claims = {each.claim: each for each in content.claims}
    known = claims.get(claim, Claim(claim, unit, goal))
    claims[claim] = replace(known, figures={**known.figures, processor or kind_of_processor(): figure})
    write(topic, replace(content, claims=tuple(claims.values())), home)


def command_line(arguments: Sequence[str]) -> str:
    """How a module that runs as a program was started, without `--record`; of a path stands the last part alone."""
    main = sys.modules["__main__"].__spec__
    name = main.name.removesuffix(".__main__") if main else Path(sys.argv[0]).name
    shown = []
    for before, each in zip(("", *arguments), arguments, strict=False):
        if not each.startswith("--record") and (before != "--record" or each.startswith("--")):
            shown.append(Path(each).name if os.sep in each else each)
    return f"python -m {name} {shlex.join(shown)}".strip()


def commit() -> str:
    """The commit of this checkout; GALLEY_COMMIT names it where the checkout has no history."""
    if given := os.environ.get("GALLEY_COMMIT"):
        return given
    head = _git("rev-parse", "--short=7", "HEAD").strip()
    if not head:
        return UNKNOWN
    return f"{head}, changed" if _git("status", "--porcelain", "--", "desktop_app", "models") else head


def _git(*arguments: str) -> str:
    try:
        return subprocess.run(("git", *arguments), cwd=TOP, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""


def kind_of_processor(about: str | None = None) -> str:
    """Which of PROCESSORS the CPU is, by what Linux tells of it (/proc/cpuinfo). Raises ValueError where it is none."""
    if about is None:
        try:
            about = Path("/proc/cpuinfo").read_text("utf-8")
        except OSError:
            about = ""
    flags = set(next(iter(re.findall(r"^flags\s*:(.*)$", about, re.MULTILINE)), "").split())
    if "amx_tile" in flags:
        return "AMX"
    if "avx512_vnni" in flags:
        return "Zen 5" if "AuthenticAMD" in about and "avx_vnni" in flags else "AVX-512 VNNI"
    if "avx2" in flags and "avx512f" not in flags:
        return "AVX2"
    raise ValueError("no figure was recorded on such a processor: give it a name in benchmarks/figures/records.py")
