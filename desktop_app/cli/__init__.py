"""The command line: which command was asked for, and what the exit status says."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
from collections.abc import Sequence

from desktop_app import settings, texts
from desktop_app.cli import arguments, bench, devices, doctor, transcribe, window
from desktop_app.engine import log
from desktop_app.texts import _

FAILED = 1
INTERRUPTED = 130


def main(given: Sequence[str]) -> int:
    """Do what the arguments say; gives the exit status: 0 done, 1 some files failed, 2 usage, 3 no usable model or
    engine, 130 interrupted.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    language = settings.read().get("language")
    texts.use_preferred(language if isinstance(language, str) else None)
    arguments.translate_argparse()
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
            why = error.strerror or error
            _complain(_("The output cannot be written ({error}). Free some space for it.", error=why))
        return FAILED
    except Exception as error:
        log.append(error)
        what = " ".join(str(error).split())[:200] or type(error).__name__
        _complain(_("Galley failed ({error}). The details are in {log}.", error=what, log=log.path()))
        return FAILED
    return status


def _complain(sentence: str) -> None:
    line = f"galley: {sentence}\n"
    sys.stderr.write(line)


def _record(found: argparse.Namespace) -> int:
    from desktop_app.cli import record  # loads what hears and what encodes

    return record.run(found)


def _models(found: argparse.Namespace) -> int:
    from desktop_app.cli import models  # loads numpy and the tokenizers, which the window's process does without

    return models.run(found)
