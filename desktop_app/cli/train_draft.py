"""`galley models train-draft`: a draft for a model, learnt from the user's own recordings."""

from __future__ import annotations

import argparse
from pathlib import Path

from desktop_app import printing
from desktop_app.app.presentation import stages
from desktop_app.app.presentation.wording import percent
from desktop_app.checkpoints import choice, installed
from desktop_app.cli.screen import Screen
from desktop_app.engine import model_work
from desktop_app.messages.training import TrainDraft
from desktop_app.problems import Problem
from desktop_app.texts import N_, _

_WORK = {
    "reading": N_("Reading the recordings"),
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
    audio = Path(arguments.audio).expanduser()
    request = TrainDraft(target, audio, name, arguments.layers, arguments.minutes, arguments.language, arguments.device)

    def show(work: str, done: float, total: float) -> None:
        screen.show(_(_WORK[work]), done, total)

    made = model_work.perform(request, show, lambda stage, **values: screen.say(stages.describe(stage, **values)))
    screen.say(
        _(
            "{name} is trained. Agreement with the model on held-out tokens: {share}",
            name=made.name,
            share=percent(made.agreement),
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
