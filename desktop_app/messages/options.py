"""The options of a transcription, each declared once: a field of `Options` carries its flag, its help, how it is read
and written as text and as JSON, the key of its setting, and how the window asks for it.

The command line (`cli/model_arguments.py`), the settings file (`app/settings/preferences.py`), resuming
(`app/recordings/resuming.py`) and the form of "Transcribe again" (`ui/versions/form.py`) read them from here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from desktop_app.messages import devices
from desktop_app.texts import N_, _

AUTO, ON, OFF = "auto", "on", "off"

MOST_SPEAKERS = 50
"""The largest number of speakers that can be asked for."""

MOST_ROWS = 64
"""The largest size of a batch."""

_SPEAKERS_FORM = "off|auto|N"

TRANSCRIBE, RECORD, BENCH = "transcribe", "record", "bench"
"""The commands that take options; `bench` stands for all of its benchmarks that run models."""


@dataclass(frozen=True)
class Codec:
    """How the values of an option are written. `parse` reads what a person typed and raises ValueError with a sentence
    for people, `text` writes what `parse` reads, `decode` takes what JSON has and raises ValueError or TypeError."""

    parse: Callable[[str], Any]
    text: Callable[[Any], str]
    decode: Callable[[Any], Any]


def terms(text: str) -> tuple[str, ...]:
    """Names and terms that were typed with commas between them."""
    return tuple(term for part in text.split(",") if (term := " ".join(part.split())))


def _of_type(wanted: type) -> Callable[[Any], Any]:
    def decode(found: Any) -> Any:
        if type(found) is not wanted:
            raise TypeError(found)
        return found

    return decode


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _device(text: str) -> str:
    devices.parse(text)
    return text


def _language(text: str) -> str:
    code = text.strip().lower()
    if not re.fullmatch(r"auto|[a-z]{2,3}", code):
        raise ValueError(_("{text} is not a language code, such as en, or auto", text=repr(text)))
    return code


def _speakers(text: str) -> str:
    wanted = text.strip().lower()
    if wanted in (OFF, AUTO) or (wanted.isdecimal() and 1 <= int(wanted) <= MOST_SPEAKERS):
        return wanted
    raise ValueError(
        _(
            "{text} is not a number of speakers; use off, auto, or a number up to {most}",
            text=repr(text),
            most=MOST_SPEAKERS,
        )
    )


def _temperatures(text: str) -> tuple[float, ...]:
    try:
        found = tuple(float(part) for part in text.split(","))
    except ValueError:
        found = ()
    if not found or not all(0 <= temperature <= 2 for temperature in found):
        raise ValueError(_("{text} is not a temperature; use numbers from 0 to 2, such as 0,0.2,0.4", text=repr(text)))
    return found


def _rows(text: str) -> int:
    if text.isdecimal() and 1 <= int(text) <= MOST_ROWS:
        return int(text)
    raise ValueError(_("{text} is not a number of parts; use one from 1 to {most}", text=repr(text), most=MOST_ROWS))


def _lines_of(file: str) -> tuple[str, ...]:
    try:
        lines = Path(file).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(_("{file} cannot be read as text; use a file with one word per line", file=file)) from error
    return tuple(line.strip() for line in lines if line.strip())


TEXT = Codec(_one_line, str, _of_type(str))
PATH = Codec(str, str, _of_type(str))
SWITCH = Codec(lambda text: text != OFF, lambda on: ON if on else OFF, _of_type(bool))
DEVICE = Codec(_device, str, _of_type(str))
LANGUAGE = Codec(_language, str, _of_type(str))
SPEAKERS = Codec(_speakers, str, _of_type(str))
ROWS = Codec(_rows, str, _of_type(int))
TERMS = Codec(terms, ", ".join, lambda found: tuple(map(str, found)))
TEMPERATURES = Codec(_temperatures, lambda found: ",".join(map(str, found)), lambda found: tuple(map(float, found)))


@dataclass(frozen=True)
class Option:
    """How one option is asked for and kept. What people read is marked by `N_`, and translated where it is shown.

    Attributes:
        flag: on the command line; a switch has its `--no-` too.
        help: what `--help` says, with `{ways}` and `{drafters}` for the names of drafters (`drafter_names`).
        codec: how its values are written; `argument` reads what stands behind the flag, where that is another thing.
        metavar, choices: what `--help` shows behind the flag; `choices` are all its values.
        commands: those that take it.
        title: its label in the window; "" where the window does not ask for it.
        hint: the text in its empty field.
        offers: values and their labels, of which the window lets one be chosen.
        setting: the key under which the preferences keep it; "" where each recording begins with the default.
    """

    flag: str
    help: str
    codec: Codec = TEXT
    argument: Callable[[str], Any] | None = None
    metavar: str = ""
    choices: tuple[str, ...] = ()
    commands: tuple[str, ...] = (TRANSCRIBE, RECORD, BENCH)
    title: str = ""
    hint: str = ""
    offers: tuple[tuple[Any, str], ...] = ()
    setting: str = ""


def _option(flag: str, help: str, *, default: Any, **others: Any) -> Any:  # noqa: A002  argparse's word
    return field(default=default, metadata={"option": Option(flag, help, **others)})


@dataclass(frozen=True)
class Options:
    """How a recording is to be transcribed. `target` and `draft` are a model's name or folder.

    `target` "" means the default model (`choice.best`); `draft` is "auto" (what belongs to the target),
    "off", a drafter of `drafter_names`, a name or a folder. `task` is "transcribe" or "translate"
    (into English). `prompt` is text that might have stood before the recording; with `condition` each window also
    follows the text before it. A window is tried at the `temperatures` in turn until its text is neither repetitive
    nor unsure; 0 is greedy. `words` asks when each word was said. `hot_words` are names and terms that may occur
    anywhere. `guard` removes hallucinated text. `speakers` is "off", "auto" or how many there are, up to
    MOST_SPEAKERS. With a `batch` above 1, up to MOST_ROWS, files are transcribed in batches of so many chunks, which
    only PyTorch does; live recordings are not.
    """

    target: str = _option(
        "--target",
        N_("model that transcribes (default: the best one installed)"),
        default="",
        codec=PATH,
        metavar=N_("NAME|FOLDER"),
        title=N_("Model"),
        setting="target",
    )
    draft: str = _option(
        "--draft",
        N_(
            "what drafts, which changes the speed and never the text: auto, the target's draft model, in the way that "
            "is fastest here, or in the one that is named: {ways}; off, nothing; or without a model: {drafters} "
            "(default: auto)"
        ),
        default=AUTO,
        codec=PATH,
        metavar=N_("auto|off|{ways}|{drafters}|NAME|FOLDER"),
        title=N_("Draft model"),
        offers=((AUTO, N_("Automatic")), (OFF, N_("Off"))),
        setting="draft",
    )
    _: KW_ONLY
    language: str = _option(
        "--language",
        N_("spoken language, such as en (default: detected)"),
        default=AUTO,
        codec=LANGUAGE,
        metavar=N_("auto|CODE"),
        title=N_("Spoken language"),
        setting="spoken",
    )
    task: str = _option(
        "--task",
        N_("transcribe, or translate into English (default: %(default)s)"),
        default="transcribe",
        choices=("transcribe", "translate"),
        title=N_("Text"),
        offers=(("transcribe", N_("As spoken")), ("translate", N_("In English"))),
        setting="task",
    )
    speakers: str = _option(
        "--speakers",
        N_(
            "identify speakers; N is their number, if you know it. The text of a file is then shown when the whole "
            "file is transcribed (default: off)"
        ),
        default=OFF,
        codec=SPEAKERS,
        metavar=_SPEAKERS_FORM,
        commands=(TRANSCRIBE, RECORD),
        title=N_("Speakers"),
        setting="speakers",
    )
    hot_words: tuple[str, ...] = _option(
        "--vocabulary",
        N_("text file of names and terms that may occur, one per line"),
        default=(),
        codec=TERMS,
        argument=_lines_of,
        metavar=N_("FILE"),
        title=N_("Vocabulary"),
        hint=N_("Names and terms, separated by commas"),
        setting="hot_words",
    )
    prompt: str = _option(
        "--prompt",
        N_("text that could precede the recording: names, terms, style"),
        default="",
        argument=str,
        metavar=N_("TEXT"),
        title=N_("Text before"),
        hint=N_("A sentence that might stand before"),
    )
    device: str = _option(
        "--device",
        N_(
            "device to compute on: auto, cpu, gpu, npu or cuda, or one for each part, such as "
            "encoder=npu,target=gpu,draft=cpu (default: %(default)s, the CPU)"
        ),
        default=AUTO,
        codec=DEVICE,
        metavar=N_("DEVICE"),
        title=N_("Device"),
        offers=((AUTO, N_("Automatic")), ("cpu", "CPU"), ("gpu", "GPU"), ("npu", "NPU")),
    )
    precision: str = _option(
        "--precision",
        N_("precision; int8 and int4 quantise the weights (default: %(default)s, f32 on a CPU, otherwise f16)"),
        default=AUTO,
        choices=(AUTO, "f32", "f16", "bf16", "int8", "int4"),
        setting="precision",
    )
    guard: bool = _option(
        "--guard",
        N_(
            "remove hallucinated and repeated text, and report each removal; --no-guard keeps all that the model "
            "writes, for comparisons (default: yes)"
        ),
        default=True,
        codec=SWITCH,
        setting="guard",
    )
    batch: int = _option(
        "--batch",
        N_(
            "transcribe N parts of a file at the same time, cut at pauses, which needs --device cuda; the text may "
            "differ from that of one window after another (default: 1)"
        ),
        default=1,
        codec=ROWS,
        metavar="N",
        commands=(TRANSCRIBE,),
    )
    timestamps: bool = _option(
        "--timestamps",
        N_("let the model predict timestamps; without them a segment is a window of 30 s (default: yes)"),
        default=True,
        codec=SWITCH,
        commands=(TRANSCRIBE,),
    )
    condition: bool = _option(
        "--condition",
        N_("condition each window on the text before it (default: no)"),
        default=False,
        codec=SWITCH,
        commands=(TRANSCRIBE,),
    )
    temperatures: tuple[float, ...] = _option(
        "--temperature",
        N_(
            "sampling temperature; 0 takes the most probable text. With several, such as 0,0.2,0.4, the next one is "
            "tried where decoding fails (default: 0)"
        ),
        default=(0.0,),
        codec=TEMPERATURES,
        metavar="T[,T...]",
        commands=(TRANSCRIBE,),
    )
    words: bool = _option(
        "--words",
        N_("add word timestamps to the json format; the text is the same (default: with speakers, subtitles and html)"),
        default=False,
        codec=SWITCH,
        commands=(TRANSCRIBE,),
    )


DECLARED: Mapping[str, Option] = {each.name: each.metadata["option"] for each in fields(Options)}
"""Every option, by the name of its field, in the order of the command line's help and of the window's form."""


def declared(command: str) -> Sequence[str]:
    """The names of the options that a command takes."""
    return [name for name, option in DECLARED.items() if command in option.commands]


def as_json(options: Options) -> dict[str, Any]:
    """The options as JSON can hold them; `from_json` takes them."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(options).items()}


def from_json(found: Mapping[str, Any]) -> Options:
    """The options in what `as_json` gave; ValueError, TypeError or LookupError for anything else."""
    if unknown := found.keys() - DECLARED.keys():
        raise ValueError(unknown)
    return Options(**{name: option.codec.decode(found[name]) for name, option in DECLARED.items()})


def from_settings(kept: Callable[[str], str | None]) -> Options:
    """The options in the settings, of which `kept` gives the text under a key; the default where that has none, or one
    that cannot be read."""
    found: dict[str, Any] = {}
    for name, option in DECLARED.items():
        text = kept(option.setting) if option.setting else None
        if text is None or (option.choices and text not in option.choices):
            continue
        try:
            found[name] = option.codec.parse(text)
        except ValueError:
            continue
    return Options(**found)


def to_settings(changed: Mapping[str, Any]) -> dict[str, str]:
    """Keys and texts of the settings that keep these options."""
    return {DECLARED[name].setting: DECLARED[name].codec.text(value) for name, value in changed.items()}
