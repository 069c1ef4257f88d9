"""`galley devices add cuda` and `galley devices remove cuda`: PyTorch for CUDA, for the installed program."""

from __future__ import annotations

import argparse
import sys

from desktop_app import printing
from desktop_app.addons import cuda
from desktop_app.app.presentation import problems
from desktop_app.app.presentation.wording import size
from desktop_app.app.system import about
from desktop_app.checkpoints import installed
from desktop_app.checkpoints.server import host_of
from desktop_app.cli.interrupts import INTERRUPTED
from desktop_app.cli.screen import Screen
from desktop_app.cli.transcribe import DONE, FAILED, USAGE
from desktop_app.engine import model_list
from desktop_app.problems import Problem
from desktop_app.texts import N_, _

_INTERRUPTED = {
    "add": N_("Interrupted. Repeat the command to resume the download."),
    "remove": N_("Interrupted. Repeat the command to remove the rest."),
}


def run(arguments: argparse.Namespace) -> int:
    """Add or remove it; gives the exit status."""
    try:
        return _add(arguments) if arguments.action == "add" else _remove()
    except (Problem, OSError) as error:
        problem = error if isinstance(error, Problem) else installed.disk_problem(error)
        printing.say(f"{cuda.NAME}: {problems.sentence(problem)}")
        return FAILED
    except KeyboardInterrupt:
        printing.say(_(_INTERRUPTED[arguments.action]))
        return INTERRUPTED


def described() -> list[str]:
    """A line on the add-on for the list of devices; none where Galley runs from source."""
    if not cuda.is_offered():
        return []
    here = cuda.found()
    if here is None:
        return [_("not installed; galley devices add cuda downloads it")]
    if not here.fits:
        return [problems.sentence(Problem("addon.outdated", version=here.version, wanted=cuda.TORCH))]
    return [f"PyTorch {here.version}, {size(here.bytes)}"]


def _add(arguments: argparse.Namespace) -> int:
    if not cuda.is_offered():
        raise Problem("addon.from_source")
    built = about.build()
    address = arguments.index or (built.index if built else "")
    if not address:
        raise Problem("addon.no_address")
    if not (arguments.yes or sys.stdin.isatty()):
        printing.say(_("Nobody can be asked here. Add --yes to download without a question."))
        return USAGE
    try:
        wanted = cuda.plan(address, lambda host: _contacting(host, address, arguments.yes))
    except _Declined:
        printing.say(_("Nothing was downloaded."))
        return FAILED
    printing.say(
        _(
            "PyTorch {version} for CUDA: {size} in {count} files from {hosts}; unpacked they take more. They go to "
            "{folder}.",
            version=cuda.TORCH,
            size=size(wanted.bytes),
            count=len(wanted.wheels),
            hosts=", ".join(wanted.hosts),
            folder=cuda.folder(),
        )
    )
    printing.say(_("NVIDIA's libraries among them are under NVIDIA's own licences, which lie beside them."))
    if not (arguments.yes or _agreed(_("Download? [y/N]"))):
        printing.say(_("Nothing was downloaded."))
        return FAILED
    with Screen() as screen:
        cuda.install(wanted, screen.show_bytes)
        screen.say(_("PyTorch for CUDA is installed. Use it: galley transcribe FILE --device cuda"))
    return DONE


class _Declined(Exception):
    """The user does not want a host to be asked."""


def _contacting(host: str, address: str, agreed: bool) -> None:
    """Say which host is asked; one that only the index has named is asked when the user has `agreed`."""
    if not (agreed or host == host_of(address)):
        question = _("The files of {index} are described by {host}. Ask it? [y/N]", index=host_of(address), host=host)
        if not _agreed(question):
            raise _Declined
    proxy = model_list.proxy(address)
    if proxy:
        printing.say(_("Asking {host}, through the proxy {proxy}…", host=host, proxy=proxy))
    else:
        printing.say(_("Asking {host}…", host=host))


def _agreed(question: str) -> bool:
    """Whether the user wants it."""
    printing.say(question, end=" ")
    return sys.stdin.readline().strip().casefold() in ("y", "yes", _("yes").casefold(), _("yes")[:1].casefold())


def _remove() -> int:
    cuda.remove()
    printing.say(_("PyTorch for CUDA was removed."))
    return DONE
