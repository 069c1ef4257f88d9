"""Ask whether weaknesses are known in the packages of constraints.txt: `audit.py`, by pip-audit.

Exit status: 0 none is known; 1 some are, each on a line; 2 the advisories could not be asked for, which is said. A
package that cannot be asked about is never taken for a good one. This is a command for developers; Galley itself asks
nobody.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

CONSTRAINTS = Path(__file__).resolve().parents[1] / "constraints.txt"


def pins() -> list[str]:
    """The lines that pin a package."""
    lines = CONSTRAINTS.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if "==" in line and not line.startswith("#")]


def ask(wanted: list[str]) -> list[dict[str, Any]]:
    """What pip-audit says of each package; none where it cannot say anything."""
    with tempfile.TemporaryDirectory() as folder:
        listed = Path(folder, "requirements.txt")
        listed.write_text("".join(f"{line}\n" for line in wanted), encoding="utf-8")
        options = ["--requirement", str(listed), "--no-deps", "--disable-pip", "--format", "json"]
        done = subprocess.run(
            [sys.executable, "-m", "pip_audit", *options, "--progress-spinner", "off"], capture_output=True, text=True
        )
    try:
        found: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError, TypeError):
        return []
    return found


def main() -> int:
    """Ask, and say what was found; gives the exit status."""
    wanted = pins()
    # One package first: where nothing is known of it, nothing would be of the others.
    found = [each for each in ask(wanted[:1]) if "skip_reason" not in each]
    if found:
        found = [each for each in ask(wanted) if "skip_reason" not in each]
    weak = [each for each in found if each.get("vulns")]
    for each in weak:
        for one in each["vulns"]:
            fixed = ", ".join(one.get("fix_versions") or []) or "no version yet"
            print(f"{each['name']} {each['version']}: {one['id']}, fixed in {fixed}")
    if len(found) < len(wanted):
        missing = f"{len(wanted) - len(found)} of {len(wanted)} packages were not compared with known weaknesses"
        print(f"The advisory database cannot be reached or does not answer: {missing}.", file=sys.stderr)
        return 2
    print(f"{len(weak)} of {len(wanted)} packages have known weaknesses.")
    return 1 if weak else 0


if __name__ == "__main__":
    sys.exit(main())
