"""The options that decide the text, the same for every command that transcribes: `add` them to its parser, and make
`options` of what was given.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

from desktop_app.decoding.drafter_names import DRAFTERS
from desktop_app.engine import placing
from desktop_app.engine.messages import Options


def add(parser: argparse.ArgumentParser) -> None:
    """What decides the text, of a file or of a microphone."""
    option = parser.add_argument
    option(
        "--target",
        default="",
        metavar="NAME|FOLDER",
        help="the model whose text it is (default: the best one installed)",
    )
    option(
        "--draft",
        default="auto",
        metavar="|".join(("auto", "off", *DRAFTERS, "NAME", "FOLDER")),
        help="what drafts, which changes the speed and never the text: auto, the model that came with the target; off, "
        f"the target alone; {' or '.join(DRAFTERS)}, a drafter without a model",
    )
    option(
        "--device",
        default="auto",
        type=device,
        metavar="DEVICE",
        help="what computes: auto, cpu, gpu, npu or cuda, or apart as in encoder=npu,target=gpu,draft=cpu "
        "(default: %(default)s, the processor)",
    )
    option(
        "--precision",
        default="auto",
        choices=("auto", "f32", "f16", "bf16", "int8", "int4"),
        help="of the numbers; int8 and int4 of the weights only (default: %(default)s, f32 on a processor, else f16)",
    )
    option(
        "--language",
        default="auto",
        type=language,
        metavar="auto|CODE",
        help="the language that is spoken, as in en (default: heard from the file)",
    )
    option(
        "--task",
        default="transcribe",
        choices=("transcribe", "translate"),
        help="write what is said, or translate it into English (default: %(default)s)",
    )
    option(
        "--prompt", default="", metavar="TEXT", help="text that might stand before the recording: names, terms, style"
    )
    option(
        "--hot-words",
        default=(),
        type=_hot_words,
        metavar="FILE",
        help="a text file of names and terms that may occur, one a line",
    )
    option(
        "--guard",
        default=True,
        action=argparse.BooleanOptionalAction,
        help="leave out text where nobody speaks and turns of a repetition, and say so; --no-guard writes whatever the"
        " target writes, for comparisons (default: yes)",
    )


def options(given: argparse.Namespace, **others: Any) -> Options:
    """What was given, as the engine takes it; `others` are options of the one command."""
    return Options(
        target=given.target,
        draft=given.draft,
        device=given.device,
        precision=given.precision,
        language=given.language,
        task=given.task,
        prompt=given.prompt,
        hot_words=given.hot_words,
        guard=given.guard,
        **others,
    )


def device(text: str) -> str:
    """The type of --device: what `placing` reads."""
    try:
        placing.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return text


def language(text: str) -> str:
    """The type of --language: a code, or auto."""
    code = text.strip().lower()
    if not re.fullmatch(r"auto|[a-z]{2,3}", code):
        raise argparse.ArgumentTypeError(f"{text!r} is not a language code; write one like en, or auto")
    return code


def _hot_words(file: str) -> tuple[str, ...]:
    try:
        lines = Path(file).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise argparse.ArgumentTypeError(f"{file} cannot be read as text; give a file with one word a line") from error
    return tuple(line.strip() for line in lines if line.strip())
