"""Whether a commit's subject is one of this project, for git's commit-msg hook: `commit_subject.py FILE`.

It has at most 72 characters, begins with a capital letter, says what the commit does in the imperative ("Add", not
"Added" or "Adds"), has no full stop, and an empty line follows it. The mood is judged by the ending of the first word.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

LONGEST = 72
_SCISSORS = "# ------------------------ >8 ------------------------"
_NOT_IMPERATIVE = re.compile(r"\w+(ed|ing|[^s]s)")
_IMPERATIVE = {"Alias", "Bring", "Embed", "Exceed", "Feed", "Focus", "Need", "Proceed", "Seed", "Speed", "Succeed"}
_BY_GIT = re.compile(r"(Merge|Revert) |(fixup|squash|amend)! ")


def mistakes(message: str) -> Iterator[str]:
    """What is wrong with a message, comments of git aside; nothing where git wrote the subject."""
    lines = message.partition(_SCISSORS)[0].splitlines()
    subject, *body = [line for line in lines if not line.startswith("#")] or [""]
    if _BY_GIT.match(subject):
        return
    first = subject.partition(" ")[0]
    if not subject.strip():
        yield "The first line is empty."
    elif not first[0].isupper():
        yield f"It begins with {first[0]!r}, not with a capital letter."
    if len(subject) > LONGEST:
        yield f"It has {len(subject)} characters; {LONGEST} are the most."
    if _NOT_IMPERATIVE.fullmatch(first) and first not in _IMPERATIVE:
        yield f"{first!r} is no imperative: say what the commit does, as in “Add”, “Move”, “Test”."
    if subject.endswith("."):
        yield "It ends with a full stop."
    if body and body[0].strip():
        yield "An empty line must follow it."


def main(file: Path) -> int:
    found = list(mistakes(file.read_text(encoding="utf-8")))
    for mistake in found:
        print(f"Commit subject: {mistake}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
