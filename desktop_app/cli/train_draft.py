"""`galley models train-draft`: a draft for a model, learnt from the user's own recordings."""

from __future__ import annotations

import argparse
from pathlib import Path

from desktop_app import printing
from desktop_app.app import stages
from desktop_app.app.wording import percent
from desktop_app.checkpoints import choice, installed
from desktop_app.checkpoints.installed import Installed
from desktop_app.cli.screen import Screen
from desktop_app.problems import Problem
from desktop_app.texts import N_, _

_WORK = {
    "loading": N_("Loading the model"),
    "labelling": N_("Labelling the recordings"),
    "training": N_("Training"),
}


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
    screen.say(
        _(
            "{name} is trained. Agreement with the model on held-out tokens: {share}",
            name=made.name,
            share=percent(agreement),
        )
    )
    if given in installed.names():
        choice.register_draft(given, made.name)
        screen.say(_("{draft} is now the draft model of {target}.", draft=made.name, target=given))
    else:
        screen.say(
            _(
                "Use it: galley transcribe FILE --target {target} --draft {draft}",
                target=printing.one_line(given),
                draft=made.name,
            )
        )


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

    def show(work: str, done: float, total: float) -> None:
        screen.show(_(_WORK[work]), done, total)

    return draft.make(wish, show, lambda stage, **values: screen.say(stages.describe(stage, **values)))
