"""What the passes of a pair cost, one after another: `python benchmarks/round_costs.py TARGET DRAFT --csv FILE`.

The traces that the tests of the look-ahead play were written by this with `--width 384`: "quiet" with precedence over
all other programs, "busy" beside others that wanted more than the two cores. A line holds the microseconds of one
pass of the draft, of passes of the target over 2 to 9 tokens, and of one token behind another of one, in this order.
TARGET and DRAFT are layers of a random decoder, int8.
"""

from __future__ import annotations

import argparse
import csv
import sys
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.passes import PREFIX, made, milliseconds, window  # noqa: E402
from desktop_app.runtimes.openvino import load  # noqa: E402
from tests import random_models  # noqa: E402

WIDTHS = (*range(2, 10), 1)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("target", type=int)
    parser.add_argument("draft", type=int)
    parser.add_argument("--width", type=int, default=768)
    parser.add_argument("--rows", type=int, default=150)
    parser.add_argument("--csv", type=Path, required=True)
    options = parser.parse_args()
    cursors = []
    for layers in (options.draft, options.target):
        recipe = random_models.Recipe.of(options.width, options.width // 64, 1, layers, text=50_000, languages=("en",))
        model = load(made(f"costs-{options.width}-{layers}", recipe), precision="int8")
        cursor = model.open(window(options.width))
        for size in (PREFIX, *WIDTHS):
            cursor.run([1] * size)
            cursor.rewind(min(cursor.length, PREFIX))
        cursors.append(cursor)
    with options.csv.open("w", 1, "utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["draft", *WIDTHS])
        for _ in range(options.rows):
            row = []
            for cursor, size in ((cursors[0], 1), *((cursors[1], width) for width in WIDTHS)):
                if size == 1 and cursor is cursors[1]:
                    cursor.run([5])
                    cursor.rewind(PREFIX)
                row.append(round(milliseconds(partial(cursor.run, [5] * size))[0] * 1000))
                cursor.rewind(PREFIX)
            table.writerow(row)
    return 0


if __name__ == "__main__":
    sys.exit(main())
