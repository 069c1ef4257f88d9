"""`make results`: render benchmarks/RESULTS.md and the table of README.md from the recorded figures."""

from __future__ import annotations

from benchmarks.figures import page
from benchmarks.figures.records import TOP


def main() -> None:
    """Write both."""
    readme = TOP / "README.md"
    (TOP / "benchmarks" / "RESULTS.md").write_text(page.page(), "utf-8")
    readme.write_text(page.with_table(readme.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
