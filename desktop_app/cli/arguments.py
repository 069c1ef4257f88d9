"""What can be written behind `galley`."""

from __future__ import annotations

import argparse
import difflib
import os
from collections.abc import Sequence
from typing import NoReturn

from desktop_app import printing
from desktop_app.app.system import about
from desktop_app.cli import bench, export_arguments, model_arguments
from desktop_app.cli.model_arguments import argument_type
from desktop_app.messages.options import RECORD, TRANSCRIBE
from desktop_app.texts import N_, _, ngettext

COMMANDS = {
    "transcribe": N_("Transcribe audio and video files"),
    "record": N_("Record a microphone and transcribe live"),
    "export": N_("Export transcripts of the library as files"),
    "models": N_("List, download, add, train, convert, verify and remove models"),
    "devices": N_("List the compute devices and audio inputs of this computer; add and remove CUDA"),
    "doctor": N_("Check that everything works, and suggest remedies"),
    "bench": N_("Measure speed and accuracy on this computer"),
    "help": N_("Show this help, or that of a command"),
}

# What argparse itself says.
_OF_ARGPARSE = (
    N_("usage: "),
    N_("positional arguments"),
    N_("options"),
    N_("show this help message and exit"),
    N_("%(prog)s: error: %(message)s\n"),
    N_("argument %(argument_name)s: %(message)s"),
    N_("the following arguments are required: %s"),
    N_("unrecognized arguments: %s"),
    N_("expected one argument"),
    N_("expected at least one argument"),
    N_("ignored explicit argument %r"),
    N_("not allowed with argument %s"),
    N_("invalid choice: %(value)r (choose from %(choices)s)"),
    N_("unknown parser %(parser_name)r (choices: %(choices)s)"),
    N_("invalid %(type)s value: %(value)r"),
)


class _Parser(argparse.ArgumentParser):
    """Prints what it was given without control characters."""

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        if message:
            printing.say(message, end="")
        super().exit(status)


def translate_argparse() -> None:
    """Let argparse look its texts up where Galley's are.

    It calls the `gettext` and `ngettext` of the standard library, which read compiled files of the system's language
    alone, by these two names of its module. A text that a newer Python has changed is English.
    """
    vars(argparse).update(_=_, ngettext=ngettext)


def window(given: Sequence[str]) -> argparse.Namespace:
    """The arguments without a command: files for the window. One that does not exist is wrong usage, so that a
    misspelt command is not taken for a recording."""
    parser = _window_parser(given)
    found = parser.parse_args(given)
    for file in found.files:
        if not os.path.exists(file):
            parser.exit(2, f"galley: {_neither_file_nor_command(file)}\n")
    return found


def show_help(name: str | None) -> None:
    """Print the help of a command, or of the program, and exit."""
    if name:
        command(name, ["--help"])
    window(["--help"])


def _neither_file_nor_command(argument: str) -> str:
    name = printing.one_line(argument)
    near = difflib.get_close_matches(argument.lower(), COMMANDS, n=1)
    if near:
        return _("{name} is neither a file nor a command. Did you mean galley {command}?", name=name, command=near[0])
    return _("{name} is neither a file nor a command. galley help lists the commands.", name=name)


def _window_parser(given: Sequence[str]) -> _Parser:
    width = max(map(len, COMMANDS))
    commands = "\n".join(f"  galley {name:{width}}  {_(what)}" for name, what in COMMANDS.items())
    parser = _Parser(
        prog="galley",
        usage=_("galley [FILE ...]\n       galley COMMAND ..."),
        description=_("Private transcription on your own computer. Without a command the window opens."),
        epilog=_("commands:\n{commands}\n\nRun galley COMMAND --help for details.", commands=commands),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "files", nargs="*", metavar=_("FILE"), help=_("audio or video file to transcribe in the window")
    )
    parser.add_argument(
        "--version",
        action="version",
        version="\n".join(about.lines()) if "--version" in given else "",  # else a start would read them for nothing
        help=_("show the version, and what it was built from, and exit"),
    )
    return parser


def command(name: str, given: Sequence[str]) -> argparse.Namespace:
    """The arguments behind the command `name`, one of COMMANDS."""
    parser = _Parser(
        prog=f"galley {name}",
        description=_(COMMANDS[name]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    if name == "transcribe":
        _add_transcribe(parser)
    elif name == "record":
        _add_record(parser)
    elif name == "export":
        _add_export(parser)
    elif name == "models":
        _add_models(parser)
    elif name == "devices":
        _add_devices(parser)
    elif name == "doctor":
        what = _("check only this device: compile the bundled model for it and compare its text with the CPU's")
        model_arguments.add_one(parser, "device", help=what, default=None)
        parser.add_argument(
            "--report",
            nargs="?",
            const="",
            metavar=_("FILE"),
            help=_("save what was found, without any text, name or path of yours, as a zip file that you can share"),
        )
    elif name == "bench":
        bench.add_arguments(parser, given)
    elif name == "help":
        parser.add_argument("subject", nargs="?", choices=list(COMMANDS), metavar=_("COMMAND"), help=_("a command"))
    return parser.parse_args(given)


def _add_transcribe(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _(
        "exit status:\n"
        "  0 all files are transcribed; 1 some files failed, the others are transcribed;\n"
        "  2 wrong usage; 3 no usable model or engine; 130 interrupted; 143 or 129 ended by SIGTERM or SIGHUP"
    )
    add = parser.add_argument
    add(
        "files",
        nargs="+",
        metavar=_("FILE"),
        help=_("audio or video file, in any format that FFmpeg reads; a folder of such files; - for standard input"),
    )
    model_arguments.add(parser, TRANSCRIBE)
    parser.set_defaults(words=None)  # as the format needs them
    add(
        "--output",
        metavar=_("FOLDER"),
        help=_("write one file for each FILE into this folder, instead of the standard output"),
    )
    export_arguments.add_file_name(parser)
    add("--stats", metavar=_("FILE"), help=_("write the statistics of the run to this file, as JSON"))
    export_arguments.add(parser)


def _add_record(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _(
        "Return pauses and resumes the recording, Ctrl-C stops it. The sound is written to the disk continuously;\n"
        "a program that is killed loses less than a second of it.\n\n"
        "exit status:\n"
        "  0 recorded and transcribed; 1 not recorded, or the text is incomplete; 2 wrong usage;\n"
        "  130 stopped before the last words were transcribed; 143 or 129 the same by SIGTERM or SIGHUP"
    )
    add = parser.add_argument
    add(
        "--input",
        metavar=_("NAME"),
        help=_("input to record: a name that galley devices lists, or a part of one (default: the system's)"),
    )
    add(
        "--seconds",
        type=argument_type(_seconds),
        metavar="N",
        help=_("stop after N seconds of sound (default: when Ctrl-C is pressed)"),
    )
    add(
        "--output",
        metavar=_("FOLDER"),
        help=_("folder for sound and text (default: the recordings in Galley's data folder)"),
    )
    add(
        "--check",
        action="store_true",
        help=_("afterwards re-check the whole recording, and report how many words would change"),
    )
    add("--recover", action="store_true", help=_("record nothing; transcribe interrupted recordings"))
    model_arguments.add(parser, RECORD)
    export_arguments.add(parser)


def _add_export(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _(
        "The library is only read, also while the window is open.\n\n"
        "exit status:\n"
        "  0 exported; 1 not all of it; 2 wrong usage, or no such recording; 130 interrupted;\n"
        "  143 or 129 ended by SIGTERM or SIGHUP"
    )
    add = parser.add_argument
    add("recordings", nargs="*", metavar=_("RECORDING"), help=_("title, id or file of a recording in the library"))
    add("--all", action="store_true", help=_("export all recordings that have a text"))
    add("--list", action="store_true", help=_("list the recordings with their ids, and export nothing"))
    add(
        "--output",
        metavar=_("PLACE"),
        help=_("write into this folder, or to this file if its name ends as the format's, not to the standard output"),
    )
    export_arguments.add_file_name(parser, is_stored=True)
    export_arguments.add(parser, several=True)


def _add_models(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar=_("ACTION"))

    def action(name: str, what: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, help=what, description=what, allow_abbrev=False)

    add = action("list", _("List installed models and those available to download")).add_argument
    add("--json", action="store_true", help=_("print one JSON object"))
    add = action("download", _("Download a model; repeat the command to resume an interrupted download")).add_argument
    add("subject", metavar=_("NAME"), help=_("a name from the list, or OWNER/NAME of another Whisper model on the hub"))
    add(
        "--mirror",
        default="",
        metavar=_("URL"),
        help=_("download from this hub (default: HF_ENDPOINT or the public hub)"),
    )
    add = action("add", _("Add a model from a folder, without network access")).add_argument
    add(
        "subject",
        metavar=_("FOLDER"),
        help=_("Whisper folder in the Hugging Face layout, with model.safetensors or OpenVINO graphs"),
    )
    add("--name", default="", metavar=_("NAME"), help=_("name of the model (default: the folder's)"))
    add("--draft-of", default="", metavar=_("NAME"), help=_("use it as the draft model of this installed model"))
    training = action("train-draft", _("Train a draft model on your own recordings; repeat the command to resume"))
    add = training.add_argument
    add("subject", metavar=_("TARGET"), help=_("model to draft for: an installed one, or a folder"))
    add(
        "--audio",
        required=True,
        metavar=_("FOLDER"),
        help=_("recordings like those you will transcribe; an hour or more"),
    )
    add("--name", default="", metavar=_("NAME"), help=_("name of the draft model (default: TARGET-draft)"))
    add(
        "--layers",
        type=int,
        choices=(1, 2),
        default=2,
        help=_("number of decoder layers; fewer are faster (default: %(default)s)"),
    )
    add(
        "--minutes",
        type=argument_type(_minutes),
        default=30.0,
        metavar="M",
        help=_("minutes of training (default: 30)"),
    )
    model_arguments.add_one(training, "language")
    training.add_argument(
        "--device",  # of PyTorch: not one of the engine's
        default="auto",
        choices=("auto", "cpu", "cuda"),
        help=_("device to train on (default: %(default)s)"),
    )
    add = action("convert", _("Convert a model to OpenVINO graphs (requires the extra convert)")).add_argument
    add("subject", metavar=_("MODEL"), help=_("an installed model, or a Whisper folder with model.safetensors"))
    add("--to", required=True, metavar=_("FOLDER"), help=_("folder to write, which must not exist yet"))
    add(
        "--calibrate",
        default="",
        metavar=_("FOLDER"),
        help=_("quantise the encoder to int8, calibrated on the recordings in this folder"),
    )
    add = action("verify", _("Verify the files of a model against their hashes")).add_argument
    add("subject", nargs="?", default="", metavar=_("NAME"), help=_("an installed model (default: all)"))
    add = action("remove", _("Remove a model, or the files of an unfinished download")).add_argument
    add("subject", metavar=_("NAME"), help=_("an installed model"))


def _add_devices(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar=_("ACTION"))
    what = _("Download PyTorch for CUDA (NVIDIA GPUs) for the installed program; its size and hosts are shown first")
    adding = actions.add_parser("add", help=what, description=what, allow_abbrev=False)
    what = _("Remove PyTorch for CUDA, or the files of an unfinished download")
    removing = actions.add_parser("remove", help=what, description=what, allow_abbrev=False)
    for each in (adding, removing):
        each.add_argument("subject", choices=["cuda"], help=_("the add-on"))
    adding.add_argument("--yes", action="store_true", help=_("download without a question"))
    adding.add_argument(
        "--index",
        default="",
        metavar=_("URL"),
        help=_("download from this package index, which answers in JSON (default: that of the build)"),
    )


def _seconds(text: str) -> float:
    if length := _length(text):
        return length
    raise ValueError(_("{text} is not a number of seconds, such as 90", text=repr(text)))


def _minutes(text: str) -> float:
    if length := _length(text):
        return length
    raise ValueError(_("{text} is not a number of minutes, such as 30", text=repr(text)))


def _length(text: str) -> float | None:
    """The length of time that a text names; None where it names none, or nothing at all."""
    try:
        length = float(text)
    except ValueError:
        return None
    return length if 0 < length < float("inf") else None
