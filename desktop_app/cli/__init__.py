"""The command line: which command was asked for, and what the exit status says."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from desktop_app import log, printing, settings, texts
from desktop_app.cli import arguments, bench, devices, results, transcribe, window
from desktop_app.cli.interrupts import INTERRUPTED, termination
from desktop_app.texts import _

FAILED = 1


def main(given: Sequence[str]) -> int:
    """Do what the arguments say; gives the exit status: 0 done, 1 some files failed, 2 usage, 3 no usable model or
    engine, 130 interrupted, 128 and its number where a signal has ended it.
    """
    printing.prepare()
    texts.use_preferred(settings.read().get("language"))
    arguments.translate_argparse()
    try:
        if not given or given[0] not in arguments.COMMANDS:
            return window.run(arguments.window(given).files)
        with termination.handled(termination.interrupt):
            return termination.status(_command(given[0], given[1:]))
    except SystemExit as end:  # argparse's help and usage errors
        return end.code if isinstance(end.code, int) else FAILED
    except KeyboardInterrupt:
        return termination.status(INTERRUPTED)
    finally:
        termination.number = 0


def _command(name: str, given: Sequence[str]) -> int:
    run = {
        "transcribe": transcribe.run,
        "record": _record,
        "export": _export,
        "models": _models,
        "devices": devices.run,
        "doctor": _doctor,
        "bench": bench.run,
        "help": _help,
    }[name]
    found = arguments.command(name, given)
    try:
        status = run(found)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of the output has enough
        printing.discard_output()
        return FAILED
    except OSError as error:
        printing.discard_output()
        _complain(results.output_refused(error))
        return FAILED
    except Exception as error:
        log.append(error)
        what = " ".join(str(error).split())[:200] or type(error).__name__
        _complain(_("Galley failed ({error}). The details are in {log}.", error=what, log=log.path()))
        return FAILED
    return status


def _complain(sentence: str) -> None:
    printing.say(f"galley: {sentence}")


def _help(found: argparse.Namespace) -> int:
    arguments.show_help(found.subject)
    return 0


def _doctor(found: argparse.Namespace) -> int:
    from desktop_app.cli import doctor  # loads numpy, for the report

    return doctor.run(found)


def _record(found: argparse.Namespace) -> int:
    from desktop_app.cli import record  # loads what hears and what encodes

    return record.run(found)


def _export(found: argparse.Namespace) -> int:
    from desktop_app.cli import export  # loads what reads the library

    return export.run(found)


def _models(found: argparse.Namespace) -> int:
    from desktop_app.cli import models  # loads numpy and the tokenizers, which the window's process does without

    return models.run(found)
