"""`galley bench live`: words on the screen while they are spoken."""

from __future__ import annotations

import argparse
import sys


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Nothing yet."""


def run(arguments: argparse.Namespace) -> int:
    """Say that it is not there yet."""
    sys.stderr.write("galley bench live: not measured yet; run galley transcribe for files\n")
    return 1
