"""Where results go: file names that never meet; and what is said where they cannot."""

from __future__ import annotations

import errno
import os
import shlex
import stat
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from desktop_app import atomic
from desktop_app.app.wording import rendered
from desktop_app.texts import _
from desktop_app.transcript.formats import Format
from desktop_app.transcript.model import Transcript


def destinations(files: Sequence[str], folder: Path, ending: str) -> list[Path]:
    """A file in `folder` for each input: `<stem>.<ending>`, with the input's whole name where two stems are the same.

    Numbers tell equal names apart; no input is ever chosen. Names that differ in case only count as equal. A name that
    the file system does not take, with `.part` before its ending, is shortened.
    """
    room = _longest_name(folder) - len(os.fsencode(f".{len(files) + 2}.part.{ending}"))
    stems = Counter(Path(file).stem.casefold() for file in files)
    inputs = {Path(file).resolve() for file in files}
    taken: set[str] = set()
    chosen = []
    for file in files:
        path = Path(file)
        stem, whole = _shortened(path.stem, room), _shortened(path.name, room)
        names = [stem] if stems[path.stem.casefold()] == 1 else []
        names += [whole, *(f"{whole}.{number}" for number in range(2, len(files) + 3))]
        for name in names:
            target = folder / f"{name}.{ending}"
            if target.name.casefold() not in taken and target.resolve() not in inputs:
                break
        taken.add(target.name.casefold())
        chosen.append(target)
    return chosen


def refusal(place: Path) -> OSError | None:
    """Why a file could not be written there, as far as that can be told without writing; None where it could."""
    try:
        if place.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not stat.S_ISDIR(place.parent.stat().st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        if not os.access(place.parent, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        return error
    return None


def output_refused(error: OSError) -> str:
    """Why standard output cannot be written, and what helps where something does."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return _("The output cannot be written ({error}). Free some space for it.", error=error.strerror)
    if error.errno == errno.EBADF:
        return _("The output cannot be written: standard output is closed. Redirect it to a file, or leave it open.")
    return _("The output cannot be written ({error}).", error=error.strerror or error)


def _longest_name(folder: Path) -> int:
    """The bytes that a file's name may have there."""
    try:
        return os.pathconf(folder, "PC_NAME_MAX")
    except (AttributeError, OSError, ValueError):
        return 255


def _shortened(name: str, room: int) -> str:
    while len(os.fsencode(name)) > room:
        name = name[:-1]
    return name


def keep(transcript: Transcript, target: Path, form: Format, what: str, say: Callable[[str], None]) -> bool:
    """Write the transcript of a recording, and say where `what` is, or why it cannot be written and how it can be had;
    gives whether it was."""
    try:
        atomic.write(target, rendered(transcript, form))
    except OSError as error:
        say(
            _(
                "{file}: The transcript cannot be written ({error}). Free some space, then transcribe the recording: "
                "galley transcribe {recording}",
                file=target,
                error=error.strerror or error,
                recording=shlex.quote(transcript.path),
            )
        )
        return False
    say(f"{what}: {target}")
    return True
