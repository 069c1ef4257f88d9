"""Hubs that mean harm: what they send without end, ever so slowly or from elsewhere is one sentence, soon and in little
memory, and what has arrived of a model can be resumed.
"""

from __future__ import annotations

import contextlib
import gzip
import itertools
import json
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

import pytest

from desktop_app.checkpoints import hub, installed
from desktop_app.checkpoints import server as transfer
from desktop_app.problems import Problem
from tests.e2e.test_download import NAME, REPOSITORY, WEIGHTS, assert_whole, fetch
from tests.e2e.test_download_answers import told
from tests.hub_server import COMMIT, HubServer
from tests.waiting import Within

HEAD = b"HTTP/1.1 200 OK\r\n"
SPAN, PAUSE = 0.4, 0.02
SOON = round(10 * SPAN / PAUSE)
"""Drops: what a quick computer is sent in ten spans, and a slow one in more."""


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a download be slow after less than a minute."""
    monkeypatch.setattr(transfer, "SPAN", SPAN)


def files(server: HubServer) -> None:
    hub.Hub(server.url).files(REPOSITORY, "main")


def writing(
    head: bytes, parts: Iterator[bytes], pause: float = 0.0, sent: list[int] | None = None
) -> Callable[[BinaryIO], None]:
    """Writes something endless, until the other side has enough; `sent` gets the bytes of each part."""

    def write(out: BinaryIO) -> None:
        out.write(head)
        for part in parts:
            out.write(part)
            out.flush()
            if sent is not None:
                sent.append(len(part))
            time.sleep(pause)

    return write


BOMB = gzip.compress(b" " * 50_000_000, 9)


@pytest.mark.parametrize(
    ("head", "part"),
    [
        pytest.param(HEAD + b"\r\n", b"[" + b"1," * 30_000, id="endless"),
        pytest.param(HEAD + b"Content-Encoding: gzip\r\n\r\n", BOMB, id="compressed"),
        pytest.param(HEAD + b"Content-Encoding: gzip, gzip\r\n\r\n", gzip.compress(BOMB), id="compressed twice"),
        pytest.param(HEAD + b"Content-Encoding: br\r\n\r\n", b"x" * 1000, id="compressed otherwise"),
        pytest.param(HEAD + b"Content-Length: 9000000000\r\n\r\n", b" " * 60_000, id="of nine gigabytes"),
    ],
)
def test_a_description_without_end_is_not_read_to_its_end(server: HubServer, head: bytes, part: bytes) -> None:
    server.raw = {"/main": writing(head, itertools.repeat(part))}
    tracemalloc.start()
    try:
        with pytest.raises(Problem, match="not_a_hub"):
            files(server)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 4 * transfer.LONGEST_ANSWER
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("head", "part"),
    [
        pytest.param(HEAD + b"\r\n", b" ", id="description"),
        pytest.param(HEAD + b"Transfer-Encoding: chunked\r\n\r\n1;", b"x", id="within the framing"),
        pytest.param(HEAD + b"X-Long: ", b"x", id="a header"),
        pytest.param(b"", b"HTTP/1.1 100 Continue\r\n\r\n", id="nothing but go on"),
    ],
)
def test_a_byte_now_and_then_is_cut_off(
    server: HubServer, hurried: None, head: bytes, part: bytes, within: Within
) -> None:
    sent: list[int] = []
    server.raw = {"/main": writing(head, itertools.repeat(part), PAUSE, sent)}
    with within(10 * SPAN), pytest.raises(Problem, match=r"download\.slow"):
        files(server)
    assert len(sent) < SOON


def test_headers_without_end_are_not_kept(server: HubServer) -> None:
    server.raw = {"/main": writing(HEAD, (b"X-%d: %s\r\n" % (number, b"x" * 1000) for number in itertools.count()))}
    with pytest.raises(Problem, match=r"download\.unreachable"):
        files(server)


def test_a_file_that_drips_is_given_up_and_can_be_resumed(
    home: Path, repository: Path, server: HubServer, hurried: None, within: Within
) -> None:
    length = (repository / WEIGHTS).stat().st_size
    head = HEAD + b"Content-Length: %d\r\n\r\n" % length + (repository / WEIGHTS).read_bytes()[:100_000]
    drops = (bytes([each]) for each in (repository / WEIGHTS).read_bytes()[100_000:])
    sent: list[int] = []
    server.raw = {f"/cdn/{REPOSITORY}/{WEIGHTS}": writing(head, drops, PAUSE, sent)}
    with within(20 * SPAN), pytest.raises(Problem, match=r"download\.slow"):
        fetch(server)
    assert len(sent) < 2 * SOON
    assert installed.unfinished()[NAME] > 100_000
    server.raw, server.requests = {}, []
    fetch(server)
    assert_whole(home, repository)
    assert server.fetched(WEIGHTS)[0].rpartition("=")[2].startswith("1000")


def test_so_is_one_that_comes_a_byte_a_connection(server: HubServer, hurried: None) -> None:
    server.cuts = {WEIGHTS: [1] * 100_000}
    with pytest.raises(Problem, match=r"download\.slow"):
        fetch(server)
    assert len(server.requests) < 2000


def test_a_slow_connection_that_is_fast_enough_is_let_be(
    home: Path, repository: Path, server: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transfer, "SPAN", 0.2)
    server.pace = 400_000
    fetch(server)
    assert_whole(home, repository)


@pytest.mark.parametrize("status", [400, 401, 404, 500])
def test_the_text_of_an_error_is_not_read(server: HubServer, status: int) -> None:
    server.raw = {"/main": writing(b"HTTP/1.1 %d No\r\n\r\n" % status, itertools.repeat(b"x" * 60_000))}
    with pytest.raises(Problem, match=r"status|not_found|busy"):
        files(server)


# Other hosts


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:1/x", "https://files.example.org/x", "//files.example.org/x", "ftp://127.0.0.1/x"]
)
@pytest.mark.parametrize("end", ["/main", f"/resolve/{COMMIT}/{WEIGHTS}"])
def test_a_redirect_to_another_host_is_named_and_not_followed(
    home: Path, server: HubServer, address: str, end: str
) -> None:
    server.answers = {end: (302, {"Location": address}, b"")}
    with pytest.raises(Problem, match=r"other_host host='(127.0.0.1(:1)?|files.example.org)'"):
        fetch(server)


def test_a_redirect_to_itself_ends(server: HubServer) -> None:
    server.answers = {"/main": (302, {"Location": "main"}, b"")}
    with pytest.raises(Problem, match="not_a_hub"):
        files(server)
    assert len(server.requests) == 6


@pytest.mark.parametrize(
    ("mirror", "before", "led", "code"),
    [
        ("https://huggingface.co", "", "https://cas-bridge.xethub.hf.co/x", ""),
        ("https://huggingface.co", "", "https://cdn-lfs.huggingface.co/x", ""),
        ("https://huggingface.co", "", "https://huggingface.co/api/x", ""),
        ("https://huggingface.co", "", "https://evilhf.co/x", "download.other_host"),
        ("https://huggingface.co", "", "https://hf.co.example.org/x", "download.other_host"),
        ("https://huggingface.co", "", "https://hf.co@example.org/x", "download.other_host"),
        ("https://huggingface.co", "", "http://huggingface.co/x", "download.not_encrypted"),
        ("https://huggingface.co", "", "http://cdn-lfs.hf.co/x", "download.other_host"),
        ("https://huggingface.co", "", "https://cdn-lfs.hf.co:8443/x", "download.other_host"),
        ("http://hub.example.org", "", "https://hub.example.org/x", ""),
        ("http://hub.example.org", "https://cdn.hub.example.org", "http://hub.example.org/", "download.not_encrypted"),
        ("https://hub.example.org", "", "https://cdn.hub.example.org/x", ""),
        ("https://hub.example.org", "", "https://cdn-lfs.hf.co/x", ""),
        ("https://10.0.0.1", "", "https://7.10.0.0.1/x", "download.other_host"),
        ("http://localhost:8080", "", "http://localhost:22/x", "download.other_host"),
    ],
)
def test_which_redirects_are_followed(mirror: str, before: str, led: str, code: str) -> None:
    asked = hub.Hub(mirror)
    url = asked._http.URL
    refused = pytest.raises(Problem, match=f"^{code} ") if code else contextlib.nullcontext()
    with refused:
        asked._check_redirect(url(before or mirror), url(led))


# Sizes


def test_a_size_that_no_file_has_is_no_hubs(server: HubServer) -> None:
    body = told(size=10**18)
    server.answers = {"/main": (200, {"Content-Length": str(len(body))}, body)}
    with pytest.raises(Problem, match="not_a_hub"):
        files(server)


@pytest.mark.parametrize("file", ["config.json", "tokenizer.json", "merges.txt"])
def test_a_description_larger_than_any_models_is_not_fetched(home: Path, server: HubServer, file: str) -> None:
    entries = [{"rfilename": name, "size": 1, "blobId": "0" * 40} for name in ("config.json", WEIGHTS)]
    body = json.dumps({"sha": COMMIT, "siblings": [*entries, entries[0] | {"rfilename": file, "size": 20 << 30}]})
    server.answers = {"/main": (200, {"Content-Length": str(len(body))}, body.encode())}
    with pytest.raises(Problem, match=f"file_too_large file='{file}'"):
        fetch(server)
    assert len(server.requests) == 1
