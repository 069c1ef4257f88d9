"""Which version of Galley is the newest, as the server of its makers says: asked only when a user presses for it."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from desktop_app.bounded import parse_json
from desktop_app.checkpoints.server import Server, host_of
from desktop_app.messages.questions import Latest
from desktop_app.problems import Problem

_LONGEST = 20_000  # bytes of an answer
_LONGEST_PAGE = 500  # characters of its address
_VERSION = re.compile(r"\d{1,5}(\.\d{1,5}){1,3}", re.ASCII)
_PAGE = re.compile(r"[!-~]+")


def latest(address: str) -> Latest:
    """What the server at `address` answers: {"version": "1.2.0", "page": "https://..."}, the page on the same server.
    Raises Problem.
    """
    server = Server(address, otherwise=Problem("updates.no_answer", host=host_of(address)))
    return server.read(address, lambda text: understood(address, parse_json(text)), longest=_LONGEST, tries=1)


def understood(address: str, answer: Any) -> Latest:
    """What an answer from this address says; ValueError, TypeError or LookupError where it says something else."""
    version, page = answer["version"], answer["page"]
    if not _VERSION.fullmatch(version) or not _PAGE.fullmatch(page) or len(page) > _LONGEST_PAGE:
        raise ValueError(page)
    if urlsplit(page)[:2] != urlsplit(address)[:2]:  # else whoever answers could send users anywhere
        raise ValueError(page)
    return Latest(version, page)
