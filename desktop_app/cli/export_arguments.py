"""The options of commands that write transcripts: format and looks."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

from desktop_app.cli.model_arguments import argument_type
from desktop_app.cli.results import Export
from desktop_app.export.document import LIMITS, ExportOptions
from desktop_app.export.formats import FORMATS
from desktop_app.export.names import FIELDS, TEMPLATE, unknown_fields
from desktop_app.texts import _

_FIELDS = ("title", "date", "time", "file")  # that are known of a file before it is transcribed


def add(parser: argparse.ArgumentParser, several: bool = False) -> None:
    """Let a parser take them; `several` formats, if so."""
    group = parser.add_argument_group(_("transcript"))
    usual = ExportOptions()
    add = group.add_argument
    if several:
        what = _("format of the files; repeat it for several (default: txt)")
        add("--format", action="append", choices=tuple(FORMATS), help=what)
    else:
        what = _("format of the transcript (default: %(default)s)")
        add("--format", default="txt", choices=tuple(FORMATS), help=what)
    add(
        "--times",
        default=None,
        action=argparse.BooleanOptionalAction,
        help=_("write times into txt, md, docx, html and csv (default: as usual in the format)"),
    )
    add("--names", default=True, action=argparse.BooleanOptionalAction, help=_("name the speakers (default: yes)"))
    add(
        "--split",
        default=True,
        action=argparse.BooleanOptionalAction,
        help=_("split subtitles as the options below say, and never a word; otherwise a cue is a line (default: yes)"),
    )
    add(
        "--line-length",
        type=argument_type(_whole("line_length")),
        default=usual.line_length,
        metavar="N",
        help=_("characters in a line of subtitles (default: %(default)s)"),
    )
    add(
        "--lines",
        type=argument_type(_whole("lines")),
        default=usual.lines,
        metavar="N",
        help=_("lines that subtitles show at once (default: %(default)s)"),
    )
    add(
        "--shortest",
        type=argument_type(_number("shortest")),
        default=usual.shortest,
        metavar="S",
        help=_("seconds that subtitles are shown at least, where the next ones leave time (default: %(default)g)"),
    )
    add(
        "--longest",
        type=argument_type(_number("longest")),
        default=usual.longest,
        metavar="S",
        help=_("seconds that subtitles are shown at most (default: %(default)g)"),
    )
    add(
        "--reading-speed",
        type=argument_type(_number("speed")),
        default=usual.speed,
        metavar="N",
        help=_("characters of subtitles to be read in a second (default: %(default)g)"),
    )
    add(
        "--raw-cells",
        action="store_true",
        help=_("leave cells of csv that begin with =, +, - or @ as they are; spreadsheets take them for formulas"),
    )
    add("--sound", action="store_true", help=_("put the sound into html, instead of a reference to the file"))


def add_file_name(parser: argparse.ArgumentParser, is_stored: bool = False) -> None:
    """Let a parser take a template for the names of the files: of recordings that are to be transcribed, or that are
    stored."""
    fields = FIELDS if is_stored else _FIELDS

    def template(text: str) -> str:
        if unknown_fields(text, fields):
            wrong = _("{text} has fields that there are not; use {fields}", text=repr(text), fields=_in_braces(fields))
            raise ValueError(wrong)
        return text

    parser.add_argument(
        "--file-name",
        default=TEMPLATE if is_stored else "",
        type=argument_type(template),
        metavar=_("TEMPLATE"),
        help=_("names of the files in that folder, of text and these fields: {fields}", fields=_in_braces(fields)),
    )


def export(arguments: argparse.Namespace) -> Export:
    """What was asked for."""
    return Export(FORMATS[arguments.format], _options(arguments))


def exports(arguments: argparse.Namespace) -> list[Export]:
    """The same where several formats can be asked for."""
    options = _options(arguments)
    return [Export(FORMATS[name], options) for name in dict.fromkeys(arguments.format or ["txt"])]


def _options(arguments: argparse.Namespace) -> ExportOptions:
    return ExportOptions(
        times=arguments.times,
        names=arguments.names,
        split=arguments.split,
        line_length=arguments.line_length,
        lines=arguments.lines,
        shortest=arguments.shortest,
        longest=arguments.longest,
        speed=arguments.reading_speed,
        sound=arguments.sound,
        raw_cells=arguments.raw_cells,
    )


def _whole(name: str) -> Callable[[str], int]:
    low, high = map(int, LIMITS[name])

    def parse(text: str) -> int:
        if text.isdecimal() and low <= int(text) <= high:
            return int(text)
        raise ValueError(_("{text} is not a number from {low} to {high}", text=repr(text), low=low, high=high))

    return parse


def _number(name: str) -> Callable[[str], float]:
    low, high = LIMITS[name]

    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = -1.0
        if low <= value <= high:
            return value
        raise ValueError(
            _("{text} is not a number from {low} to {high}", text=repr(text), low=f"{low:g}", high=f"{high:g}")
        )

    return parse


def _in_braces(fields: Sequence[str]) -> str:
    return ", ".join(f"{{{field}}}" for field in fields)
