"""Where results go: file names that never meet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from desktop_app import atomic
from desktop_app.texts import _
from desktop_app.transcript.formats import Format
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


def keep(transcript: Transcript, target: Path, form: Format, what: str, say: Callable[[str], None]) -> bool:
    """Write a transcript, and say where `what` is or why it cannot be written; gives whether it was."""
    try:
        atomic.write(target, form.render(transcript))
    except OSError as error:
        why = error.strerror or error
        say(_("{file}: The transcript cannot be written ({error}). Free some space for it.", file=target, error=why))
        return False
    say(f"{what}: {target}")
    return True
