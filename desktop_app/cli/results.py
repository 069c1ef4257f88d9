"""Where results go: file names that never meet, and files that are whole or not there."""

from __future__ import annotations

import contextlib
import os
import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from desktop_app.transcript import formats
from desktop_app.transcript.model import Transcript


def destinations(files: Sequence[str], folder: Path, ending: str) -> list[Path]:
    """A file in `folder` for each input: `<stem>.<ending>`, with the input's whole name where two stems are the same.

    Numbers tell equal names apart; no input is ever chosen. Names that differ in case only count as equal.
    """
    stems = Counter(Path(file).stem.casefold() for file in files)
    inputs = {Path(file).resolve() for file in files}
    taken: set[str] = set()
    chosen = []
    for file in files:
        path = Path(file)
        names = [path.stem] if stems[path.stem.casefold()] == 1 else []
        names += [path.name, *(f"{path.name}.{number}" for number in range(2, len(files) + 3))]
        for name in names:
            target = folder / f"{name}.{ending}"
            if target.name.casefold() not in taken and target.resolve() not in inputs:
                break
        taken.add(target.name.casefold())
        chosen.append(target)
    return chosen


def write(target: Path, text: str) -> None:
    """Write a file so that it is there whole or not at all, even if the power fails. Raises OSError."""
    draft = target.with_name(f".galley-{uuid.uuid4().hex}.part")
    try:
        with draft.open("x", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise


def keep(transcript: Transcript, target: Path, form: str, what: str, say: Callable[[str], None]) -> bool:
    """Write a transcript, and say where `what` is or why it cannot be written; gives whether it was."""
    try:
        write(target, formats.write(transcript, form))
    except OSError as error:
        say(f"{target}: the text cannot be written ({error.strerror or error}); make room for it")
        return False
    say(f"{what}: {target}")
    return True
