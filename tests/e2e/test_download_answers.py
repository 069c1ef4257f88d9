"""Servers and proxies that answer something else: nothing that arrived is lost, and one sentence says what to do."""

from __future__ import annotations

import contextlib
import gzip
import json
import shutil
from pathlib import Path

import pytest

from desktop_app.checkpoints import download, hub, installed
from desktop_app.problems import Problem
from tests.e2e.test_download import NAME, REPOSITORY, WEIGHTS, assert_whole, fetch
from tests.hub_server import COMMIT, HubServer

PAGE = b"<html>Please log in</html>"
Answer = tuple[int, dict[str, str], bytes]


def sized(status: int, body: bytes, **headers: str) -> Answer:
    return status, {"Content-Length": str(len(body)), **headers}, body


# Something else than the file


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(sized(200, PAGE), id="a page"),
        pytest.param((200, {}, PAGE), id="a page whose length is not told"),
        pytest.param((200, {}, PAGE * 5_000), id="a longer page whose length is not told"),
        pytest.param((200, {}, PAGE * 200_000), id="a page longer than the file"),
        pytest.param((204, {}, b""), id="nothing"),
        pytest.param((304, {}, b""), id="not modified"),
        pytest.param(sized(206, PAGE, **{"Content-Range": "bytes 0-25/26"}), id="another part"),
        pytest.param(sized(206, PAGE, **{"Content-Range": "bytes 100000-100025/100026"}), id="of another file"),
        pytest.param(sized(206, PAGE), id="a part of something"),
    ],
)
@pytest.mark.parametrize("begun", [True, False])
def test_an_answer_that_is_not_the_file_takes_nothing_from_what_has_arrived(
    home: Path, repository: Path, server: HubServer, answer: Answer, begun: bool
) -> None:
    if begun:
        server.cuts = {WEIGHTS: [100_000, *[0] * 50]}
        with pytest.raises(Problem, match="unreachable"):
            fetch(server)
    server.answers = {WEIGHTS: answer}
    with pytest.raises(Problem, match=f"other_answer file='{WEIGHTS}'"):
        fetch(server)
    server.answers, server.cuts, server.requests = {}, {}, []
    fetch(server)
    assert_whole(home, repository)
    assert server.fetched(WEIGHTS) == [f"GET /cdn/{REPOSITORY}/{WEIGHTS}" + " bytes=100000-" * begun]


@pytest.mark.parametrize("begun", [True, False])
@pytest.mark.parametrize("coding", ["identity", "gzip"])
def test_a_whole_file_whose_length_is_not_told_is_taken(
    home: Path, repository: Path, server: HubServer, coding: str, begun: bool
) -> None:
    """Some mirrors send in chunks, some compress whatever they are asked."""
    if begun:
        server.cuts = {WEIGHTS: [100_000, *[0] * 50]}
        with pytest.raises(Problem, match="unreachable"):
            fetch(server)
    data = (repository / WEIGHTS).read_bytes()
    headers = {} if coding == "identity" else {"Content-Encoding": coding}
    server.answers = {WEIGHTS: (200, headers, data if coding == "identity" else gzip.compress(data))}
    fetch(server)
    assert_whole(home, repository)


# Something else than a description of the repository


def told(**change: object) -> bytes:
    file = {"rfilename": "config.json", "size": 1, "blobId": "0" * 40}
    return json.dumps({"id": REPOSITORY, "sha": COMMIT, "siblings": [file | change]}).encode()


@pytest.mark.parametrize(
    "body",
    [
        *(PAGE, b"\xff", b"{}", b'{"error": "x"}', b"[]", b"null", b'"hello"', b"1e400"),
        *(b'{"id": "x", "siblings": %s}' % siblings for siblings in (b'"x"', b"[1]", b'[{"size": 1}]', b"1")),
        pytest.param(b"[" * 100_000 + b"]" * 100_000, id="deep"),
        *(told(lfs="x"), told(lfs={"size": 1, "sha256": "0", "pointerSize": 1}), told(rfilename=1)),
        *(told(size="abc"), told(size=True), told(size=-1), told(size=1).replace(b'"size": 1', b'"size": 1e400')),
        *(told(blobId="a\0b"), told(blobId=7), told(blobId="0" * 39)),
        told().replace(f'"{COMMIT}"'.encode(), b"[1]"),
    ],
)
def test_json_that_no_hub_gives_is_one_sentence(server: HubServer, body: bytes) -> None:
    server.answers = {"/main": sized(200, body)}
    with pytest.raises(Problem, match=r"not_a_hub host='127[\d.:]+'"):
        hub.Hub(server.url).files(REPOSITORY, "main")
    assert len(server.requests) == 1


def test_a_revision_that_is_gone_is_not_taken_for_a_log_in(server: HubServer) -> None:
    server.answers = {"/main": sized(404, b"", **{"X-Error-Code": "RevisionNotFound"})}
    with pytest.raises(Problem, match="no_revision repository='tests/toy'"):
        fetch(server)


@pytest.mark.parametrize("name", ["HF_HUB_DOWNLOAD_TIMEOUT", "HF_HUB_ETAG_TIMEOUT"])
def test_a_variable_that_the_library_cannot_read_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "abc")
    with pytest.raises(Problem, match=f"variable name='{name}' value='abc'"):
        hub.Hub()


# Proxies


@pytest.fixture
def proxied(server: HubServer, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """For the variables of proxies, of which none is set."""
    for name in ("NO_PROXY", "no_proxy", "ALL_PROXY", "all_proxy", "http_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_dead_proxy_is_named_without_its_password(proxied: pytest.MonkeyPatch, scheme: str) -> None:
    proxied.setenv(f"{scheme.upper()}_PROXY", "http://me:secret@127.0.0.1:1")
    with pytest.raises(Problem) as caught:
        hub.Hub(f"{scheme}://models.invalid").files(REPOSITORY, "main")
    assert (caught.value.code, caught.value.values["proxy"]) == ("download.proxy_unreachable", "127.0.0.1:1")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_that_wants_a_password_says_so(proxied: pytest.MonkeyPatch, server: HubServer, scheme: str) -> None:
    proxied.setenv(f"{scheme.upper()}_PROXY", server.url)
    server.errors = [407]
    with pytest.raises(Problem, match=r"proxy_login proxy='127[\d.:]+'"):
        hub.Hub(f"{scheme}://models.invalid").files(REPOSITORY, "main")


def test_a_proxy_whose_address_cannot_be_read_is_said_without_its_password(proxied: pytest.MonkeyPatch) -> None:
    proxied.setenv("HTTPS_PROXY", "http://me:sec/ret@127.0.0.1:1")
    with pytest.raises(Problem, match="proxy_address") as caught:
        hub.Hub()
    assert "sec" not in str(caught.value)


# Addresses and other Galleys


def test_the_scheme_of_a_mirror_may_be_written_in_capitals(home: Path, repository: Path, server: HubServer) -> None:
    assert download.address_of("HTTPS://Mirror.example/Hub") == "https://Mirror.example/Hub"
    download.download(REPOSITORY, server.url.replace("http", "HTTP"), progress=lambda what, done, total: None)
    assert_whole(home, repository)


def test_a_model_that_another_galley_installed_meanwhile_is_not_fetched_again(
    home: Path, repository: Path, server: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    staging = installed.staging

    def late(name: str) -> contextlib.AbstractContextManager[Path]:
        shutil.copytree(repository, home / "data" / "models" / NAME)
        return staging(name)

    monkeypatch.setattr(installed, "staging", late)
    with pytest.raises(Problem, match=r"model.installed"):
        fetch(server)
    assert server.requests == []
