"""`galley models train-draft`: a draft for a model, learnt from the user's own recordings."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from desktop_app.checkpoints import choice, installed
from desktop_app.checkpoints.installed import Installed
from desktop_app.checkpoints.problem import ModelProblem
from desktop_app.cli.screen import Screen
from desktop_app.cli.transcribe import DONE, FAILED, INTERRUPTED, USAGE, shown


def run(arguments: argparse.Namespace) -> int:
    """Train, install and register; gives the exit status."""
    given: str = arguments.target
    target = installed.names().get(given) or Path(given).expanduser()
    if not target.is_dir():
        known = ", ".join(installed.names())
        return _fail(given, ModelProblem("there is no such model", f"choose a folder or one of: {known}"), USAGE)
    name = arguments.name or f"{target.resolve().name}-draft"
    try:
        made, agreement = _make(arguments, target, name)
        _say(f"{made.name} is trained: it wrote what the model wrote in {agreement:.0%} of the places kept back.")
        if given in installed.names():
            choice.register_draft(given, made.name)
            _say(f"{made.name} will draft for {given}.")
        else:
            _say(f"galley transcribe FILE --target {shown(given)} --draft {made.name} uses it.")
    except ModelProblem as problem:
        return _fail(given, problem)
    except OSError as error:
        return _fail(given, installed.disk_problem(error))
    except KeyboardInterrupt:
        _say("Interrupted: what is done is kept; the same command goes on from there.")
        return INTERRUPTED
    return DONE


def _make(arguments: argparse.Namespace, target: Path, name: str) -> tuple[Installed, float]:
    try:
        from desktop_app.training import draft
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise ModelProblem("training needs PyTorch, which is not installed", "install galley[torch]") from error
    except ImportError as error:
        raise ModelProblem(f"PyTorch cannot be loaded ({error})", "install galley[torch] again") from error
    audio = Path(arguments.audio).expanduser()
    wish = draft.Wish(target, audio, name, arguments.layers, arguments.minutes, arguments.language, arguments.device)
    with Screen() as screen:
        return draft.make(wish, screen.show, screen.say)


def _fail(name: str, problem: ModelProblem, status: int = FAILED) -> int:
    _say(f"{shown(name)}: {problem.reason}; {problem.remedy}")
    return status


def _say(sentence: str) -> None:
    sys.stderr.write(f"{sentence}\n")
    sys.stderr.flush()
