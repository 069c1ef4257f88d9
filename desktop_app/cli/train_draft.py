"""`galley models train-draft`: a draft for a model, learnt from the user's own recordings."""

from __future__ import annotations

import argparse
from pathlib import Path

from desktop_app.app import stages
from desktop_app.checkpoints import choice, installed
from desktop_app.checkpoints.installed import Installed
from desktop_app.cli.screen import Screen
from desktop_app.cli.transcribe import shown
from desktop_app.problems import Problem


class UnknownName(Exception):
    """Nothing can be meant by a name that was given; `problem` says what is known."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem


def run(arguments: argparse.Namespace, screen: Screen) -> None:
    """Train, install and register. Raises Problem, OSError and UnknownName."""
    given: str = arguments.subject
    target = installed.names().get(given) or Path(given).expanduser()
    if not target.is_dir():
        known = ", ".join(installed.names())
        raise UnknownName(Problem("model.unknown", name=given, names=known))
    name = arguments.name or f"{target.resolve().name}-draft"
    made, agreement = _make(arguments, target, name, screen)
    screen.say(f"{made.name} is trained: it wrote what the model wrote in {agreement:.0%} of the places kept back.")
    if given in installed.names():
        choice.register_draft(given, made.name)
        screen.say(f"{made.name} will draft for {given}.")
    else:
        screen.say(f"galley transcribe FILE --target {shown(given)} --draft {made.name} uses it.")


def _make(arguments: argparse.Namespace, target: Path, name: str, screen: Screen) -> tuple[Installed, float]:
    try:
        from desktop_app.training import draft
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise Problem("model.no_torch") from error
    except ImportError as error:
        raise Problem("model.torch_broken", error=str(error)) from error
    audio = Path(arguments.audio).expanduser()
    wish = draft.Wish(target, audio, name, arguments.layers, arguments.minutes, arguments.language, arguments.device)
    return draft.make(wish, screen.show, lambda stage, **values: screen.say(stages.describe(stage, **values)))
