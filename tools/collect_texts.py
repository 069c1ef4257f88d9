"""Collects the marked messages of the program and brings every file of `resources/translations` up to date.

make texts                 translations stay; new messages are added, empty; messages that are gone become obsolete
make texts LANGUAGE=fr     the same, and begins resources/translations/fr.po
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import polib

TOP = Path(__file__).resolve().parents[1]
PACKAGE = TOP / "desktop_app"
TRANSLATIONS = TOP / "resources" / "translations"

# What marks a message, and which parts of a message its first arguments are.
MARKS = {
    "_": ("message",),
    "N_": ("message",),
    "ngettext": ("message", "plural"),
    "pgettext": ("context", "message"),
}


class Message(NamedTuple):
    """A marked message and the file that it is in."""

    message: str
    file: str
    line: int
    plural: str = ""
    context: str = ""


def mark_of(call: ast.Call) -> str:
    """The marking function that is called, or nothing."""
    name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
    return name if name in MARKS else ""


def messages(files: Iterable[Path] | None = None, top: Path = TOP) -> Iterator[Message]:
    """Every marked message of these files; of the whole program if none are given.

    Raises `ValueError` for a message that is put together while running: no translation could know it.
    """
    for file in sorted(PACKAGE.rglob("*.py")) if files is None else files:
        if file == PACKAGE / "texts.py":
            continue
        name = file.relative_to(top).as_posix()
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(call, ast.Call) or not (mark := mark_of(call)):
                continue
            given = call.args[: len(MARKS[mark])]
            parts = [one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str)]
            if len(parts) == len(MARKS[mark]):
                yield Message(file=name, line=call.lineno, **dict(zip(MARKS[mark], parts, strict=True)))
            elif mark != "_" or not all(isinstance(one, ast.Name | ast.Attribute | ast.Subscript) for one in given):
                raise ValueError(f"{name}:{call.lineno}: {mark}() needs literal texts")


def catalogue(found: Iterable[Message]) -> polib.POFile:
    """The messages without translations, sorted, each with the files that use it (no lines: they change too often)."""
    entries: dict[tuple[str, str], polib.POEntry] = {}
    for one in sorted(found):
        flags = ["python-brace-format"] if "{" in one.message else []
        entry = entries.setdefault(
            (one.message, one.context), polib.POEntry(msgid=one.message, msgctxt=one.context or None, flags=flags)
        )
        if one.plural:
            entry.msgid_plural = one.plural
            entry.msgstr_plural = entry.msgstr_plural or {0: "", 1: ""}
        if (one.file, "") not in entry.occurrences:
            entry.occurrences.append((one.file, ""))
    made = polib.POFile(wrapwidth=120)
    made.extend(entries.values())
    return made


def update(file: Path, found: polib.POFile) -> None:
    """Bring one language's file up to date, and make it if it is not there."""
    if file.exists():
        old = polib.pofile(str(file), encoding="utf-8", wrapwidth=120)
    else:
        old = polib.POFile(wrapwidth=120)
        old.metadata = {
            "Content-Type": "text/plain; charset=UTF-8",
            "Content-Transfer-Encoding": "8bit",
            "Language": file.stem,
            "MIME-Version": "1.0",
            "Plural-Forms": "nplurals=2; plural=(n != 1);",
        }
    old.merge(found)
    old.sort(key=lambda entry: (entry.obsolete, entry.msgid, entry.msgctxt or ""))
    old.save(str(file), newline="\n")


def main(new: list[str]) -> None:
    found = catalogue(messages())
    TRANSLATIONS.mkdir(exist_ok=True)
    for file in sorted({*TRANSLATIONS.glob("*.po"), *(TRANSLATIONS / f"{code}.po" for code in new)}):
        update(file, found)
        now = polib.pofile(str(file), encoding="utf-8")
        print(f"{file.relative_to(TOP)}: {len(now.untranslated_entries())} of {len(found)} messages to translate")


if __name__ == "__main__":
    main(sys.argv[1:])
