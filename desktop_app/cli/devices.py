"""`galley devices`: what can compute and what can hear on this computer."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from desktop_app.app import problems
from desktop_app.engine import probe
from desktop_app.problems import Problem

if TYPE_CHECKING:
    from desktop_app.audio.microphone import Input

NO_ENGINE = 3


def run(arguments: argparse.Namespace) -> int:
    """Print the lists; gives the exit status."""
    from desktop_app.audio import microphone  # brings numpy, which no other command needs to begin

    status = 0
    lines = ["Computes:"]
    try:
        found = probe.ask(probe.inference_devices) + _cuda()
        width = max((len(name) for name, _ in found), default=0)
        lines += [f"  {name.lower():{width}}  {full}" for name, full in found]
    except Problem as problem:
        lines.append(f"  nothing: {problems.sentence(problem)} Run galley doctor.")
        status = NO_ENGINE
    lines.append("Hears:")
    try:
        inputs, why_not = probe.ask(probe.inputs)
        lines += _described(inputs) or [f"  nothing: {problems.sentence(problem)}" for problem in (why_not,) if problem]
        if inputs and not any(one.is_system for one in inputs):
            lines.append(f"  {microphone.system_audio_remedy()}")
    except Problem as problem:
        lines.append(f"  nothing: {problems.sentence(problem)} Run galley doctor.")
    sys.stdout.write("\n".join(lines) + "\n")
    return status


def _described(inputs: list[Input]) -> list[str]:
    width = max((len(one.name) for one in inputs), default=0)
    lines = []
    for one in inputs:
        channels = "1 channel" if one.channels == 1 else f"{one.channels} channels"
        notes = [one.host, channels, f"{one.rate} Hz"]
        notes += ["the system's choice"] * one.is_default + ["what the computer plays"] * one.is_system
        lines.append(f"  {one.name:{width}}  {', '.join(notes)}")
    return lines


def _cuda() -> list[tuple[str, str]]:
    """The CUDA devices; a PyTorch that does not work is for galley doctor to say."""
    try:
        return probe.ask(probe.cuda_devices)[0]
    except Problem:
        return []
