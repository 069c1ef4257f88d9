"""What can be written behind `galley`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from desktop_app import __version__
from desktop_app.cli import bench
from desktop_app.engine import arguments as model_options
from desktop_app.engine.messages import MOST_SPEAKERS, is_speakers
from desktop_app.transcript.formats import FORMATS

COMMANDS = {
    "transcribe": "write down what is said in audio and video files",
    "record": "record a microphone, and write down what is said while it is said",
    "models": "list, download, add, convert, check and remove models",
    "devices": "list what can compute and what can hear on this computer",
    "doctor": "check that everything works, and say what to do where it does not",
    "bench": "measure this computer",
}

_STATUS = """exit status:
  0 all done; 1 some files failed, the others are done; 2 wrong usage;
  3 no usable model or engine; 130 interrupted"""


def window(given: Sequence[str]) -> argparse.Namespace:
    """The arguments without a command: files for the window."""
    width = max(map(len, COMMANDS))
    commands = "\n".join(f"  galley {name:{width}}  {what}" for name, what in COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="galley",
        usage="galley [FILE ...]\n       galley COMMAND ...",
        description="Private transcription on your own computer. Without a command the window opens.",
        epilog=f"commands:\n{commands}\n\n'galley COMMAND --help' tells more.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("files", nargs="*", metavar="FILE", help="audio or video to transcribe in the window")
    parser.add_argument("--version", action="version", version=f"galley {__version__}")
    return parser.parse_args(given)


def command(name: str, given: Sequence[str]) -> argparse.Namespace:
    """The arguments behind the command `name`, one of COMMANDS."""
    what = COMMANDS[name]
    parser = argparse.ArgumentParser(
        prog=f"galley {name}",
        description=f"{what[0].upper()}{what[1:]}.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    if name == "transcribe":
        _add_transcribe(parser)
    elif name == "record":
        _add_record(parser)
    elif name == "models":
        _add_models(parser)
    elif name == "doctor":
        parser.add_argument(
            "--device",
            type=model_options.device,
            metavar="DEVICE",
            help="try this one only: compile the bundled model for it, and compare its text with the processor's",
        )
    elif name == "bench":
        bench.add_arguments(parser, given)
    return parser.parse_args(given)


def _add_transcribe(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _STATUS
    add = parser.add_argument
    add("files", nargs="+", metavar="FILE", help="audio or video, in any format that FFmpeg reads")
    model_options.add(parser)
    add(
        "--timestamps",
        default=True,
        action=argparse.BooleanOptionalAction,
        help="let the model write times; without them a segment is a window of 30 s (default: yes)",
    )
    add(
        "--condition",
        default=False,
        action=argparse.BooleanOptionalAction,
        help="show the model the text so far before each window (default: no)",
    )
    add(
        "--temperature",
        default=(0.0,),
        type=_temperatures,
        metavar="T[,T...]",
        help="0 is the likeliest text; more of them, as in 0,0.2,0.4, are tried in turn where a text goes wrong",
    )
    add(
        "--words",
        default=None,
        action=argparse.BooleanOptionalAction,
        help="find when each word was said, for the json format; never changes the text (default: only with speakers)",
    )
    _add_speakers(parser, "The text then comes at the end")
    add("--format", default="txt", choices=tuple(FORMATS), help="of the result (default: %(default)s)")
    add("--output", metavar="FOLDER", help="write one file for each FILE there, instead of the standard output")
    add("--stats", metavar="FILE", help="write the figures of the run there, as JSON")


def _add_record(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "Return pauses the recording and goes on; Ctrl-C ends it. Its sound is on the disk from the first moment;\n"
        "a program that is killed loses less than a second of it.\n\n"
        "exit status:\n"
        "  0 recorded and written down; 1 not recorded, or the text is not finished; 2 wrong usage;\n"
        "  130 ended before the last words were written"
    )
    add = parser.add_argument
    add(
        "--input",
        metavar="NAME",
        help="what to record, a name of galley devices or a part of one (default: the system's)",
    )
    add("--seconds", type=_seconds, metavar="N", help="stop after so much sound (default: when Ctrl-C is pressed)")
    add("--output", metavar="FOLDER", help="where sound and text go (default: the recordings in Galley's data folder)")
    add("--format", default="txt", choices=tuple(FORMATS), help="of the text (default: %(default)s)")
    add("--check", action="store_true", help="then transcribe the whole file, and say how many words that would change")
    add("--recover", action="store_true", help="record nothing; write down recordings that were interrupted")
    _add_speakers(parser, "They stand in the text that is kept")
    model_options.add(parser)


def _add_speakers(parser: argparse.ArgumentParser, when: str) -> None:
    parser.add_argument(
        "--speakers",
        default="off",
        type=_speakers,
        metavar="off|auto|N",
        help=f"find who says what; N if you know how many they are. {when} (default: off)",
    )


def _add_models(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, what: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, help=what, description=f"{what[0].upper()}{what[1:]}.", allow_abbrev=False)

    add = action("list", "show the models on this computer and those that can be downloaded").add_argument
    add("--json", action="store_true", help="as one JSON object")
    add = action("download", "fetch a model; repeated after an interruption it goes on where it stopped").add_argument
    add("subject", metavar="NAME", help="a name of the list, or OWNER/NAME of another Whisper model on the hub")
    add("--mirror", default="", metavar="URL", help="fetch it from this hub (default: HF_ENDPOINT or the public hub)")
    add = action("add", "copy a model from a folder, without any network").add_argument
    add(
        "subject",
        metavar="FOLDER",
        help="a Whisper folder in the Hugging Face layout, with model.safetensors or OpenVINO's graphs",
    )
    add("--name", default="", help="what to call it (default: as the folder)")
    add("--draft-of", default="", metavar="NAME", help="let it draft for this installed model")
    add = action(
        "train-draft", "train a draft for a model from your own recordings; goes on where it stopped"
    ).add_argument
    add("subject", metavar="TARGET", help="the model to draft for: an installed one, or a folder")
    add("--audio", required=True, metavar="FOLDER", help="recordings like those you will transcribe; an hour or more")
    add("--name", default="", help="what to call the draft (default: TARGET-draft)")
    add("--layers", type=int, choices=(1, 2), default=2, help="decoder layers: fewer are faster (default: %(default)s)")
    add("--minutes", type=_minutes, default=30.0, metavar="M", help="minutes of training (default: 30)")
    add(
        "--language",
        default="auto",
        type=model_options.language,
        metavar="auto|CODE",
        help="what is spoken (default: heard)",
    )
    add("--device", default="auto", choices=("auto", "cpu", "cuda"), help="what computes (default: %(default)s)")
    add = action("convert", "write a model as OpenVINO's own graphs (needs the extra galley[convert])").add_argument
    add("subject", metavar="MODEL", help="an installed model, or a Whisper folder with model.safetensors")
    add("--to", required=True, metavar="FOLDER", help="the folder to write; it must not be there yet")
    add(
        "--calibrate",
        default="",
        metavar="FOLDER",
        help="make the encoder int8, measured on the recordings in this folder",
    )
    add = action("verify", "read every byte of a model again and compare it with what was installed").add_argument
    add("subject", nargs="?", default="", metavar="NAME", help="an installed model (default: all of them)")
    add = action("remove", "delete a model, or what an unfinished download left").add_argument
    add("subject", metavar="NAME", help="an installed model")


def _seconds(text: str) -> float:
    return _length(text, "seconds, as in 90")


def _minutes(text: str) -> float:
    return _length(text, "minutes, as in 30")


def _length(text: str, unit: str) -> float:
    try:
        length = float(text)
    except ValueError:
        length = 0.0
    if not 0 < length < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no length of time; write {unit}")
    return length


def _temperatures(text: str) -> tuple[float, ...]:
    try:
        found = tuple(float(part) for part in text.split(","))
    except ValueError:
        found = ()
    if not found or not all(0 <= temperature <= 2 for temperature in found):
        raise argparse.ArgumentTypeError(f"{text!r} is not a temperature; write numbers from 0 to 2, as in 0,0.2,0.4")
    return found


def _speakers(text: str) -> str:
    wanted = text.strip().lower()
    if is_speakers(wanted):
        return wanted
    raise argparse.ArgumentTypeError(
        f"{text!r} is no number of speakers; write off, auto, or a number up to {MOST_SPEAKERS}"
    )
