"""`make results`: render benchmarks/RESULTS.md and the table of README.md from the recorded figures. With `--check`
nothing is written; the exit status says whether they are what the figures render to."""

from __future__ import annotations

import sys

from benchmarks.figures import page
from benchmarks.figures.records import TOP


def main(given: list[str]) -> int:
    """Write both, or compare them; gives the exit status."""
    results, readme = TOP / "benchmarks" / "RESULTS.md", TOP / "README.md"
    rendered = {results: page.page(), readme: page.with_table(readme.read_text("utf-8"))}
    if given == ["--check"]:
        stale = [file.name for file, text in rendered.items() if file.read_text("utf-8") != text]
        if stale:
            print(f"{' and '.join(stale)}: not what the figures say; run make results", file=sys.stderr)
        return 1 if stale else 0
    for file, text in rendered.items():
        file.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
