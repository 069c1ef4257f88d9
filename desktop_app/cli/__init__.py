"""The command line: which command was asked for, and what the exit status says."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Sequence

from desktop_app.cli import arguments, devices, doctor, transcribe

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
        status = _run(given)
        sys.stdout.flush()
    except SystemExit as end:  # argparse's help and usage errors
        return end.code if isinstance(end.code, int) else FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of the output has enough. Python would complain when it flushes at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except OSError as error:
        with contextlib.suppress(OSError):
            sys.stderr.write(f"galley: the output cannot be written ({error.strerror or error}); make room for it\n")
        return FAILED
    return status


def _run(given: Sequence[str]) -> int:
    if given and given[0] in arguments.COMMANDS:
        parsed = arguments.command(given[0], given[1:])
        if given[0] == "models":
            from desktop_app.cli import (
                models,
            )  # loads numpy and the tokenizers, which the window's process does without

            return models.run(parsed)
        return {"transcribe": transcribe.run, "devices": devices.run, "doctor": doctor.run}[given[0]](parsed)
    files: list[str] = arguments.window(given).files
    from desktop_app.ui import app

    return app.run(files)
