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
from desktop_app.texts import _


def add(parser: argparse.ArgumentParser) -> None:
    """What decides the text, of a file or of a microphone."""
    option = parser.add_argument
    option(
        "--target",
        default="",
        metavar=_("NAME|FOLDER"),
        help=_("model that transcribes (default: the best one installed)"),
    )
    option(
        "--draft",
        default="auto",
        metavar="|".join(("auto", "off", *DRAFTERS, _("NAME|FOLDER"))),
        help=_(
            "what drafts, which changes the speed and never the text: auto, the target's draft model; off, nothing; or "
            "without a model: {drafters} (default: auto)",
            drafters=", ".join(DRAFTERS),
        ),
    )
    option(
        "--device",
        default="auto",
        type=device,
        metavar=_("DEVICE"),
        help=_(
            "device to compute on: auto, cpu, gpu, npu or cuda, or one for each part, such as "
            "encoder=npu,target=gpu,draft=cpu (default: %(default)s, the CPU)"
        ),
    )
    option(
        "--precision",
        default="auto",
        choices=("auto", "f32", "f16", "bf16", "int8", "int4"),
        help=_("precision; int8 and int4 quantise the weights (default: %(default)s, f32 on a CPU, otherwise f16)"),
    )
    option(
        "--language",
        default="auto",
        type=language,
        metavar=_("auto|CODE"),
        help=_("spoken language, such as en (default: detected)"),
    )
    option(
        "--task",
        default="transcribe",
        choices=("transcribe", "translate"),
        help=_("transcribe, or translate into English (default: %(default)s)"),
    )
    option(
        "--prompt",
        default="",
        metavar=_("TEXT"),
        help=_("text that could precede the recording: names, terms, style"),
    )
    option(
        "--hot-words",
        default=(),
        type=_hot_words,
        metavar=_("FILE"),
        help=_("text file of names and terms that may occur, one per line"),
    )
    option(
        "--guard",
        default=True,
        action=argparse.BooleanOptionalAction,
        help=_(
            "remove hallucinated and repeated text, and report each removal; --no-guard keeps all that the model "
            "writes, for comparisons (default: yes)"
        ),
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
        raise argparse.ArgumentTypeError(_("{text} is not a language code, such as en, or auto", text=repr(text)))
    return code


def _hot_words(file: str) -> tuple[str, ...]:
    try:
        lines = Path(file).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise argparse.ArgumentTypeError(
            _("{file} cannot be read as text; use a file with one word per line", file=file)
        ) from error
    return tuple(line.strip() for line in lines if line.strip())
