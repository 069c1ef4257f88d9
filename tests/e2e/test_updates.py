"""The question for a newer version: one request that tells nothing, a bounded answer, and a page on the same server."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator

import pytest

from desktop_app import __version__
from desktop_app.app.presentation import problems
from desktop_app.app.system import about, updates
from desktop_app.checkpoints import server as transfer
from desktop_app.messages.questions import Latest
from desktop_app.problems import Problem
from desktop_app.texts import _
from desktop_app.worker.updates import latest, understood
from tests.e2e.test_hostile_hub import BOMB, HEAD, PAUSE, SOON, SPAN, writing
from tests.hub_server import HubServer, serving


@pytest.fixture
def server() -> Iterator[HubServer]:
    with serving() as running:
        yield running


def answer(server: HubServer, body: object, status: int = 200, **headers: str) -> str:
    """The address at which the server now answers this."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    server.answers = {"/latest.json": (status, {"Content-Length": str(len(data)), **headers}, data)}
    return f"{server.url}/latest.json"


def test_one_request_asks_and_tells_nothing(server: HubServer) -> None:
    """Not even which version asks, from what system; through the process that asks."""
    asked = answer(server, {"version": "9.8.7", "page": f"{server.url}/news", "more": ["ignored"]})
    found = updates.ask(asked)
    assert found == Latest("9.8.7", f"{server.url}/news") and updates.is_newer(found)
    assert updates.sentence(found) == _("Galley {version} is available.", version="9.8.7")
    assert server.requests == ["GET /latest.json"]
    (headers,) = server.headers
    host = server.url.removeprefix("http://")
    assert headers == {
        "Host": host,
        "Accept": "*/*",
        "User-Agent": "galley",
        "Accept-Encoding": "identity",
        "Connection": "close",
    }
    assert host in updates.announcement(asked)


@pytest.mark.parametrize(
    ("version", "newer"),
    [(__version__, False), (f"{__version__}.0", False), ("0.0.1", False), ("0.1.0.1", True), ("0.10", True)],
)
def test_versions_are_compared_as_numbers(version: str, newer: bool) -> None:
    found = Latest(version, "")
    assert updates.is_newer(found) is newer
    own = _("Galley {version} is the newest version.", version=__version__)
    assert (updates.sentence(found) == own) is not newer


@pytest.mark.parametrize(
    "body",
    [
        [], None, "9.9", 9.9, {}, {"version": "9.9"}, {"page": "SERVER/"},
        {"version": 9.9, "page": "SERVER/"}, {"version": "9.9", "page": None},
        {"version": "9.9rc1", "page": "SERVER/"}, {"version": "9" * 400, "page": "SERVER/"},
        {"version": "9.9\n", "page": "SERVER/"}, {"version": "٩.٩", "page": "SERVER/"},
        {"version": "<b>9.9</b>", "page": "SERVER/"}, {"version": "9.9", "page": "https://example.org/"},
        {"version": "9.9", "page": "file:///etc/passwd"}, {"version": "9.9", "page": "SERVER@example.org/"},
        {"version": "9.9", "page": "SERVER.example.org/"}, {"version": "9.9", "page": "SERVER/a b"},
        {"version": "9.9", "page": "SERVER/" + "x" * 600}, {"version": "9.9", "page": "http://galley.example/"},
    ],
)  # fmt: skip
def test_an_answer_of_another_shape_or_for_another_place_is_refused(body: object) -> None:
    server = "https://galley.example"
    sent = json.loads(json.dumps(body).replace("SERVER", server))
    with pytest.raises((ValueError, TypeError, LookupError)):
        understood(f"{server}/latest.json", sent)


def test_what_is_not_json_is_one_sentence(server: HubServer) -> None:
    padded = {"version": "9.9", "page": f"{server.url}/", "more": "x" * 30_000}
    for body in (b"<html>", b"", b"\xff", b"[" * 10_000, {"version": "nonsense"}, padded):
        with pytest.raises(Problem, match=r"updates\.no_answer") as refused:
            latest(answer(server, body))
        assert server.url.removeprefix("http://") in problems.sentence(refused.value)


@pytest.mark.parametrize("head", [b"\r\n", b"Content-Encoding: gzip\r\n\r\n"])
def test_an_endless_answer_is_not_read_to_its_end(server: HubServer, head: bytes) -> None:
    server.raw = {"/latest.json": writing(HEAD + head, itertools.repeat(b"[1," * 9000 if len(head) < 3 else BOMB))}
    with pytest.raises(Problem, match=r"updates\.no_answer"):
        latest(f"{server.url}/latest.json")
    assert len(server.requests) == 1


def test_one_that_drips_is_cut(server: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transfer, "SPAN", SPAN)
    sent: list[int] = []
    server.raw = {"/latest.json": writing(HEAD + b"\r\n", itertools.repeat(b" "), PAUSE, sent)}
    with pytest.raises(Problem, match=r"download\.slow"):
        latest(f"{server.url}/latest.json")
    assert len(sent) < SOON


@pytest.mark.parametrize(
    ("status", "to", "code"),
    [
        (302, "https://example.org/latest.json", "download.other_host"),
        (302, "http://127.0.0.1:1/", "download.other_host"),
        (302, "/latest.json", "updates.no_answer"),
        (500, "", "download.busy"),
        (404, "", "download.status"),
    ],
)
def test_nobody_else_is_asked_and_nobody_twice(server: HubServer, status: int, to: str, code: str) -> None:
    with pytest.raises(Problem, match=code):
        latest(answer(server, b"", status, **({"Location": to} if to else {})))
    assert len(server.requests) == (6 if to.startswith("/") else 1)


def test_a_server_that_is_not_there_is_one_sentence() -> None:
    with pytest.raises(Problem, match=r"updates\.not_asked") as refused:
        updates.ask("http://127.0.0.1:1/latest.json")
    reason, remedy = problems.describe(refused.value)
    assert reason.startswith(_("The newest version could not be asked for. {cause}", cause=""))
    assert remedy == _("Check the connection, and try again later.")


def test_without_an_address_of_the_build_nothing_is_offered() -> None:
    assert about.build() is None and updates.address() == ""
