"""The command line: which command was asked for, and what the exit status says."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
from collections.abc import Sequence

from desktop_app.cli import arguments, bench, devices, doctor, transcribe, window
from desktop_app.engine import log

FAILED = 1
INTERRUPTED = 130


def main(given: Sequence[str]) -> int:
    """Do what the arguments say; gives the exit status: 0 done, 1 some files failed, 2 usage, 3 no usable model or
    engine, 130 interrupted.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        if not given or given[0] not in arguments.COMMANDS:
            return window.run(arguments.window(given).files)
        return _command(given[0], given[1:])
    except SystemExit as end:  # argparse's help and usage errors
        return end.code if isinstance(end.code, int) else FAILED
    except KeyboardInterrupt:
        return INTERRUPTED


def _command(name: str, given: Sequence[str]) -> int:
    run = {
        "transcribe": transcribe.run,
        "record": _record,
        "models": _models,
        "devices": devices.run,
        "doctor": doctor.run,
        "bench": bench.run,
    }[name]
    found = arguments.command(name, given)
    try:
        status = run(found)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of the output has enough. Python would complain when it flushes at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except OSError as error:
        with contextlib.suppress(OSError):
            sys.stderr.write(f"galley: the output cannot be written ({error.strerror or error}); make room for it\n")
        return FAILED
    except Exception as error:
        log.append(error)
        what = " ".join(str(error).split())[:200] or type(error).__name__
        sys.stderr.write(f"galley: Galley made a mistake: {what}; the details are in {log.path()}\n")
        return FAILED
    return status


def _record(found: argparse.Namespace) -> int:
    from desktop_app.cli import record  # loads what hears and what encodes

    return record.run(found)


def _models(found: argparse.Namespace) -> int:
    from desktop_app.cli import models  # loads numpy and the tokenizers, which the window's process does without

    return models.run(found)
