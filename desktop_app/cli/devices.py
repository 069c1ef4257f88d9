"""`galley devices`: what can compute and what can hear on this computer."""

from __future__ import annotations

import argparse
import sys

from desktop_app.engine import probe

NO_ENGINE = 3


def run(arguments: argparse.Namespace) -> int:
    """Print the lists; gives the exit status."""
    status = 0
    lines = ["Computes:"]
    try:
        found = probe.ask(probe.inference_devices) + _cuda()
        width = max((len(name) for name, _ in found), default=0)
        lines += [f"  {name.lower():{width}}  {full}" for name, full in found]
    except probe.ProbeProblem as problem:
        lines.append(f"  nothing: {problem}; run galley doctor")
        status = NO_ENGINE
    lines.append("Hears:")
    try:
        lines += [f"  {name}" for name in probe.ask(probe.inputs)] or ["  nothing: no microphone is connected"]
    except probe.ProbeProblem as problem:
        lines.append(f"  nothing: {problem}; run galley doctor")
    sys.stdout.write("\n".join(lines) + "\n")
    return status


def _cuda() -> list[tuple[str, str]]:
    """The CUDA devices; a PyTorch that does not work is for galley doctor to say."""
    try:
        return probe.ask(probe.cuda_devices)[0]
    except probe.ProbeProblem:
        return []
