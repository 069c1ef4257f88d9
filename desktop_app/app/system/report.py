"""A report that a user may share: what Galley runs on and what state it is in, and nothing that was said or named.

What goes in is picked piece by piece. Of free text, which the log is, only that is kept whose form shows what it is: a
time, the kind of an error, a place in the program.
"""

from __future__ import annotations

import builtins
import io
import json
import os
import re
import shutil
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from desktop_app import __version__, atomic, bounded, folders, log, settings
from desktop_app.app.presentation import problems
from desktop_app.app.recordings.entry import BROKEN_OFF, DONE, IN_WORK
from desktop_app.app.system.doctor import Finding
from desktop_app.engine import model_list, probe
from desktop_app.engine.model_list import ListedModel
from desktop_app.library import inspection
from desktop_app.messages.options import AUTO, OFF
from desktop_app.problems import Problem
from desktop_app.texts import _

_LOG_BYTES = 500_000  # the end of each log
_VERIFY_SECONDS = 1800.0
_SET = "(set)"

_SHOWN_SETTINGS = ("appearance", "guard", "language", "precision", "speakers", "speakers_shown", "speed")
_MODEL_SETTINGS = ("target", "draft")
_HIDDEN_SETTINGS = ("mirror", "microphone", "recordings", "folder_open", "folder_save")
_WORD = re.compile(r"[a-zA-Z0-9_]{1,12}")
_VARIABLES = re.compile(
    r"(GALLEY|HF|QT|OV|OPENVINO|OMP|PULSE|ALSA)_\w+|(HTTPS?|ALL|NO)_PROXY|SSL_CERT_FILE", re.IGNORECASE
)

_PATH = re.compile(r"(?<![\w~>])(?:/|[A-Za-z]:[\\/])(?=\S).*", re.DOTALL)
_KEPT_LINE = re.compile(
    r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d process \d+"
    r"|Traceback \(most recent call last\):"
    r"|During handling of the above exception, another exception occurred:"
    r"|The above exception was the direct cause of the following exception:"
    r"|Fatal Python error: (Segmentation fault|Aborted|Illegal instruction|Bus error|Floating[- ]point exception)"
    r"|(Current thread|Thread) 0x[0-9a-f]+ \(most recent call first\):"
)
_PYTHON_PLACE = re.compile(r'  File "(.*?)", line (\d+),? in ([\w.]+|<\w+>)')
_PROGRAM_FILE = re.compile(r".*[\\/](?=(desktop_app|site-packages|python3\.\d+)[\\/][\w\\/.-]+\.py$)")
_NATIVE_PLACE = re.compile(r"\bsrc/[\w/.-]+\.(?:c|cc|cpp|h|hpp):\d+")
_ERROR = re.compile(r"([\w.]+)(?:: (.*))?")
_MODULES = {
    *("desktop_app", "av", "filelock", "huggingface_hub", "httpx2", "numpy", "openvino", "soxr"),
    *sys.stdlib_module_names,
}
_ERRNO = re.compile(r"\[Errno \d+\]|\[WinError \d+\]")


def contents() -> str:
    """What is in a report, for who has just saved one."""
    return _(
        "This report holds versions, devices, models, settings, counts of the library, and times and errors of the log,"
        " but no text, name or path of yours. Nothing was sent; read it before you share it."
    )


def made(findings: Sequence[Finding]) -> bytes:
    """The report as a zip file, with these findings of the checks. It may take minutes: every byte of each model is
    read."""
    models, shown = _models()
    state = {
        "galley": __version__,
        "processor": {"count": os.cpu_count(), "features": _asked(probe.processor_features)},
        "models": models,
        "settings": _settings(shown),
        "variables": sorted(name for name in os.environ if _VARIABLES.fullmatch(name)),
        "library": _library(),
        "free_bytes": _free(),
    }
    files = {
        "about.txt": _about(),
        "checks.txt": "".join(f"{line}\n" for line in _lines(findings)),
        "state.json": json.dumps(state, indent=1, ensure_ascii=False) + "\n",
    }
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in (files | _logs()).items():
            archive.writestr(name, text)
    return target.getvalue()


def save(place: Path, findings: Sequence[Finding]) -> None:
    """Write the report to a file. Raises Problem."""
    try:
        atomic.write(place, made(findings))
    except OSError as error:
        raise Problem("disk.not_saved", name=str(place), error=error.strerror or str(error)) from error


def _about() -> str:
    files = _(
        "checks.txt  what galley doctor says\n"
        "state.json  processor, models, settings (folders and names only as “(set)”), library, free space\n"
        "*.log       times, kinds of errors and places in the program, and of other lines the number, as […3]"
    )
    return f"{contents()}\n\n{files}\n"


def _lines(findings: Iterable[Finding]) -> Iterator[str]:
    for finding in findings:
        texts = (finding.what, finding.remedy)
        hidden = (part.replace(finding.private, "…") if finding.private else part for part in texts)
        yield " ".join([f"{finding.state:7} ", *map(without_paths, hidden)]).rstrip()


def without_paths(text: str) -> str:
    """A text of Galley's with the names of known folders in the place of their paths, and without other paths.

    What follows a path is left out too: names hold spaces and every other character, so nobody can tell where it ends.
    """
    known = {
        folders.data(): "<data>",
        folders.cache(): "<cache>",
        Path(tempfile.gettempdir()): "<temporary>",
        Path(sys.prefix): "<python>",
        Path.home(): "~",
    }
    both = {str(each): name for folder, name in known.items() for each in (folder, folder.resolve())}
    either = "|".join(re.escape(folder) for folder in sorted(both, key=len, reverse=True) if len(folder) > 1)
    text = re.sub(rf"({either})(?:[\\/]+.*|(?![\w-]))", lambda found: both[found[1]], text, flags=re.DOTALL)
    return _PATH.sub("<path>", text)


def _asked(question: Callable[[], object]) -> Any:
    """The answer, or the code of the problem that it ended with."""
    try:
        return question()
    except Problem as problem:
        return problem.code


def _models() -> tuple[Any, dict[str, str]]:
    """The installed models, and the names that are shown of them, by their folders."""
    found = _asked(partial(probe.ask, model_list.read))
    if isinstance(found, str):
        return found, {}
    described, shown = [], {}
    for number, each in enumerate(found.installed, 1):
        own = each.from_folder or each.trained_for
        name = f"own_model_{number}" if own else each.name
        shown[str(each.folder)] = name
        described.append({"name": name, **_about_model(each), "verified": _verified(each)})
    begun = [{"name": each.name, "begun": each.begun} for each in found.offered if each.begun]
    best = next((shown[str(each.folder)] for each in found.installed if each.name == found.best), None)
    return {"installed": described, "unfinished": begun, "best": best}, shown


def _about_model(model: ListedModel) -> dict[str, Any]:
    return {
        "origin": model.origin,
        "bytes": model.bytes,
        "bundled": not model.removable,
        "trained_here": bool(model.trained_for),
        "openvino_graphs": model.graphs,
        "speaker_network": model.speakers,
    }


def _verified(model: ListedModel) -> str:
    answer = _asked(partial(probe.verified, model.name, _VERIFY_SECONDS))
    return {True: "verified", False: "readable"}.get(answer, str(answer))


def _settings(models: dict[str, str]) -> dict[str, str]:
    kept = settings.read()
    shown = {}
    for name in (*_SHOWN_SETTINGS, *_MODEL_SETTINGS, *_HIDDEN_SETTINGS):
        value = kept.get(name)
        if not value:
            continue
        if name in _SHOWN_SETTINGS:
            shown[name] = value if _WORD.fullmatch(value) else _SET
        elif name in _MODEL_SETTINGS:
            shown[name] = value if value in (AUTO, OFF) else models.get(value, _SET)
        else:
            shown[name] = _SET
    return shown


def _library() -> Any:
    try:
        found = inspection.inspect(folders.data() / "library")
    except Problem as problem:
        return problem.code
    if found is None:
        return None
    states, codes = Counter[str](), Counter[str]()
    for state, count in found.states.items():
        states[state if state in (*IN_WORK, *BROKEN_OFF, DONE) else "other"] += count
    for problem_json, count in found.problems.items():
        codes[_code(problem_json)] += count
    figures = {"bytes": found.bytes, "version": found.version, "set_aside": found.set_aside, "faults": found.faults}
    return figures | {"recordings": states, "problems": codes, "live": found.live, "segments": found.segments}


def _code(problem_json: str) -> str:
    try:
        code = bounded.parse_json(problem_json)["code"]
    except (ValueError, TypeError, KeyError):
        return "other"
    return code if isinstance(code, str) and problems.is_code(code) else "other"


def _free() -> dict[str, int | None]:
    chosen = settings.read().get("recordings")
    recordings = Path(chosen) if chosen else folders.recordings()
    places = {
        "data": folders.data(),
        "cache": folders.cache(),
        "recordings": recordings,
        "temporary": Path(tempfile.gettempdir()),
    }
    return {name: _free_at(place) for name, place in places.items()}


def _free_at(folder: Path) -> int | None:
    """Free bytes where a folder is, or will be; None where that cannot be told."""
    there = next((each for each in (folder, *folder.parents) if each.exists()), folder)
    try:
        return shutil.disk_usage(there).free
    except OSError:
        return None


def _logs() -> dict[str, str]:
    found = {}
    for file in (log.path(), log.path().with_suffix(".old.log")):
        try:
            with file.open("rb") as opened:
                opened.seek(max(file.stat().st_size - _LOG_BYTES, 0))
                text = opened.read().decode("utf-8", "replace")
        except OSError:
            continue
        found[file.name] = log_without_words(text)
    return found


def log_without_words(text: str) -> str:
    """Of a log the times, kinds of errors and places in the program, and of other lines only the number."""
    lines, hidden = [], 0
    for line in text.splitlines():
        kept = _kept(line)
        if kept is None:
            hidden += bool(line)
            continue
        if hidden:
            lines.append(f"[…{hidden}]")
            hidden = 0
        lines.append(kept)
    if hidden:
        lines.append(f"[…{hidden}]")
    return "".join(f"{line}\n" for line in lines)


def _kept(line: str) -> str | None:
    """What of a line of the log goes into the report; None for nothing."""
    if _KEPT_LINE.fullmatch(line):
        return line
    if place := _PYTHON_PLACE.fullmatch(line):
        file, number, function = place.groups()
        known = _PROGRAM_FILE.match(file)
        return f'  File "{file[known.end() :]}", line {number}, in {function}' if known else None
    native = _NATIVE_PLACE.findall(line)
    error = _ERROR.fullmatch(line)
    if error is None or not _is_error(error[1]):
        return " ".join(native) or None
    message = error[2] or ""
    code, _space, _values = message.partition(" ")
    known_parts = [code] * problems.is_code(code) + _ERRNO.findall(message) + native
    return " ".join([f"{error[1]}:" if known_parts else error[1], *known_parts])


def _is_error(name: str) -> bool:
    """Whether this is the name of a kind of error: Python's own, or one of the modules that are loaded here."""
    module, _dot, kind = name.rpartition(".")
    if not module:
        return isinstance(found := getattr(builtins, kind, None), type) and issubclass(found, BaseException)
    return module.partition(".")[0] in _MODULES and kind.endswith(("Error", "Exception", "Problem", "Warning"))
