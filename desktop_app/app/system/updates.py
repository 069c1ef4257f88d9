"""The check for a newer version: asks one server, named before, when it is pressed; tells, and installs nothing."""

from __future__ import annotations

from urllib.parse import urlsplit

from desktop_app import __version__
from desktop_app.app.system import about
from desktop_app.engine import model_list, probe
from desktop_app.messages.questions import Latest
from desktop_app.problems import Problem
from desktop_app.texts import _

_SECONDS = 40.0


def address() -> str:
    """What is asked: the address that Galley was built with, "" for none, and then nothing is offered. Reads a file."""
    built = about.build()
    return built.updates if built else ""


def host(asked: str) -> str:
    """The computer that is asked."""
    return urlsplit(asked).netloc.rpartition("@")[2]


def announcement(asked: str) -> str:
    """What asking does, said before."""
    values = {"host": host(asked), "proxy": model_list.proxy(asked)}
    if values["proxy"]:
        return _("Asks {host}, through the proxy {proxy}; nothing about you or your recordings is sent.", **values)
    return _("Asks {host}; nothing about you or your recordings is sent.", **values)


def ask(asked: str) -> Latest:
    """The newest version, asked by a process of its own. Takes seconds. Raises Problem."""
    try:
        return probe.newest_version(asked, _SECONDS)
    except Problem as problem:
        if problem.kind == "download":
            raise Problem("updates.not_asked", cause=problem) from problem
        raise


def is_newer(latest: Latest) -> bool:
    """Whether there is a newer version than this one."""
    return _numbers(latest.version) > _numbers(__version__)


def sentence(latest: Latest) -> str:
    """What to tell a user."""
    if is_newer(latest):
        return _("Galley {version} is available.", version=latest.version)
    return _("Galley {version} is the newest version.", version=__version__)


def _numbers(version: str) -> tuple[int, ...]:
    """Versions in their order: 1.2 and 1.2.0 are one."""
    numbers = [int(each) for each in version.split(".")]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)
