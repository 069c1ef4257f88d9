"""`galley devices`: the devices of this computer, those that compute and those that record."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from desktop_app import printing
from desktop_app.app.presentation import problems
from desktop_app.engine import probe
from desktop_app.problems import Problem
from desktop_app.texts import _, ngettext

if TYPE_CHECKING:
    from desktop_app.audio.microphone import Input

NO_ENGINE = 3


def run(arguments: argparse.Namespace) -> int:
    """Print the lists, or do what is asked of the add-on; gives the exit status."""
    if arguments.action:
        from desktop_app.cli import addons

        return addons.run(arguments)
    from desktop_app.audio import microphone  # brings numpy, which no other command needs to begin

    status = 0
    lines = [_("Compute devices:")]
    try:
        found = probe.inference_devices() + _cuda()
        width = max((len(name) for name, _ in found), default=0)
        lines += [f"  {name.lower():{width}}  {full}" for name, full in found]
    except Problem as problem:
        lines.append(_none(problem, _("Run galley doctor.")))
        status = NO_ENGINE
    lines += _addons()
    lines.append(_("Audio inputs:"))
    try:
        inputs, why_not = probe.inputs()
        lines += _described(inputs) or [_none(problem) for problem in (why_not,) if problem]
        if inputs and not any(one.is_system for one in inputs):
            lines.append(f"  {problems.sentence(microphone.no_system_audio())}")
    except Problem as problem:
        lines.append(_none(problem, _("Run galley doctor.")))
    printing.out("\n".join(lines) + "\n")
    return status


def _addons() -> list[str]:
    """The heading and lines of add-ons, where there can be some."""
    from desktop_app.cli import addons

    described = [f"  cuda  {line}" for line in addons.described()]
    return [_("Add-ons:"), *described] if described else []


def _none(problem: Problem, advice: str = "") -> str:
    return "  " + _("none: {why}", why=f"{problems.sentence(problem)} {advice}".rstrip())


def _described(inputs: list[Input]) -> list[str]:
    width = max((len(one.name) for one in inputs), default=0)
    lines = []
    for one in inputs:
        notes = [one.host, ngettext("{n} channel", "{n} channels", one.channels), f"{one.rate} Hz"]
        notes += [_("system default")] * one.is_default + [_("system audio")] * one.is_system
        lines.append(f"  {one.name:{width}}  {', '.join(notes)}")
    return lines


def _cuda() -> list[tuple[str, str]]:
    """The CUDA devices; a PyTorch that does not work is for galley doctor to say."""
    try:
        return probe.cuda_devices()[0]
    except Problem:
        return []
