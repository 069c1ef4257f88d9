"""The options of `messages/options.py` on the command line: `add` them to a command's parser, and make `options` of
what was given."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from desktop_app.decoding.drafter_names import DRAFTERS, WAYS
from desktop_app.messages.options import DECLARED, SWITCH, Options, declared
from desktop_app.texts import _

_DEFAULTS = {each.name: each.default for each in fields(Options)}


def add(parser: argparse.ArgumentParser, command: str) -> None:
    """Let a parser take all options of a command."""
    for name in declared(command):
        add_one(parser, name)


def add_one(parser: argparse.ArgumentParser, name: str, **others: Any) -> None:
    """Let a parser take one option; `others` (`help`, `default`) where the command has another use for it."""
    option = DECLARED[name]
    about: dict[str, Any] = {
        "dest": name,
        "default": _DEFAULTS[name],
        "help": _(option.help, ways=", ".join(WAYS), drafters=", ".join(DRAFTERS)),
    }
    if option.codec is SWITCH:
        about["action"] = argparse.BooleanOptionalAction
    elif option.choices:
        about["choices"] = option.choices
    else:
        about["type"] = argument_type(option.argument or option.codec.parse)
        about["metavar"] = _(option.metavar, ways="|".join(WAYS), drafters="|".join(DRAFTERS))
    parser.add_argument(option.flag, **about | others)


def options(given: argparse.Namespace, command: str, **others: Any) -> Options:
    """What was given to a command, as the engine takes it; `others` are options that it decides by itself."""
    return Options(**{**{name: getattr(given, name) for name in declared(command)}, **others})


def argument_type(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    """What argparse takes as a type: `parse`, whose ValueError has a sentence for people."""

    def argument(text: str) -> Any:
        try:
            return parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return argument
