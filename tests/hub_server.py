"""A model hub on loopback: the few answers that a download asks of one, and everything that can go wrong with them."""

from __future__ import annotations

import hashlib
import json
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote, urlsplit

COMMIT = "c0ffee" + "0" * 34


class HubServer(ThreadingHTTPServer):
    """Serves the folders in `repositories` (OWNER/NAME -> folder), large files by a redirect as the real hub does.

    Attributes: requests ("GET /path", with the range that was asked for); headers (of every request); lies (file ->
    bytes that come instead of its own); cuts (file -> after how many bytes connection after connection breaks); stall
    (a file that stops after so many bytes until `go_on` is set); commits (revision -> the commit it means; else a
    full commit means itself, anything else COMMIT); errors (statuses of the next answers); answers (end of a path ->
    status, headers and body of what comes instead); raw (end of a path -> writes all that comes instead, headers
    too); ranges (whether a part of a file can be asked for); pace (bytes a
    second, 0 for as fast as it goes).
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.scheme = "http"
        self.repositories: dict[str, Path] = {}
        self.requests: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.lies: dict[str, bytes] = {}
        self.cuts: dict[str, list[int]] = {}
        self.stall: tuple[str, int] | None = None
        self.go_on = threading.Event()
        self.commits: dict[str, str] = {}
        self.errors: list[int] = []
        self.answers: dict[str, tuple[int, dict[str, str], bytes]] = {}
        self.raw: dict[str, Callable[[BinaryIO], None]] = {}
        self.ranges = True
        self.pace = 0

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.server_address[1]}"

    def fetched(self, file: str) -> list[str]:
        """The requests for the bytes of a file: of small ones directly, of large ones where the redirect leads."""
        return [each for each in self.requests if each.startswith("GET /cdn/") and f"/{file}" in each]

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes away is what many tests are about."""


@contextmanager
def serving(certificate: Path | None = None) -> Iterator[HubServer]:
    """A running server; with a certificate it speaks TLS."""
    server = HubServer()
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        server.scheme = "https"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield server
    finally:
        server.go_on.set()
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: HubServer

    def log_message(self, *arguments: object) -> None:
        """Silent."""

    def do_HEAD(self) -> None:
        self._answer(False)

    def do_GET(self) -> None:
        self._answer(True)

    def do_CONNECT(self) -> None:
        """It is no proxy for TLS, but can refuse as one."""
        self._answer(False)

    def _answer(self, body: bool) -> None:
        path = unquote(urlsplit(self.path).path)  # a proxy is asked for whole addresses
        asked = self.headers.get("Range", "")
        self.server.requests.append(" ".join(filter(None, [self.command, path, asked])))
        self.server.headers.append(dict(self.headers))
        if self.server.errors:
            self._send(self.server.errors.pop(0), {}, b"")
            return
        for end, write in self.server.raw.items():
            if path.endswith(end):
                self.close_connection = True
                write(self.wfile)
                return
        for end, (status, headers, data) in self.server.answers.items():
            if path.endswith(end):
                self._send(status, headers)
                self.wfile.write(data)
                return
        for repository, folder in self.server.repositories.items():
            if path.startswith(f"/api/models/{repository}/revision/"):
                revision = path.rpartition("/")[2]
                commit = self.server.commits.get(revision, revision if len(revision) == len(COMMIT) else COMMIT)
                answer = json.dumps(_info(repository, folder, commit)).encode()
                self._send(200, {"Content-Type": "application/json"}, answer)
                return
            name = path.partition(f"/{repository}/resolve/")[2].partition("/")[2]
            name = name or path.partition(f"/cdn/{repository}/")[2]
            file = folder / name
            if path.startswith(f"/{repository}/resolve/") and file.is_file():
                commit = path.removeprefix(f"/{repository}/resolve/").partition("/")[0]
                about = {"X-Repo-Commit": commit, "Location": f"{_origin(self.path)}/cdn/{repository}/{name}"}
                self._send(302, about, b"")
                return
            if path == f"/cdn/{repository}/{name}" and file.is_file():
                self._give(file, asked, body)
                return
        self._send(404, {"X-Error-Code": "RepoNotFound"}, b"")

    def _give(self, file: Path, asked: str, body: bool) -> None:
        data = self.server.lies.get(file.name, file.read_bytes())
        begin = int(asked.removeprefix("bytes=").rstrip("-") or 0) if self.server.ranges else 0
        headers = {"Content-Length": str(len(data) - begin)}
        if begin:
            headers["Content-Range"] = f"bytes {begin}-{len(data) - 1}/{len(data)}"
        self._send(206 if begin else 200, headers)
        cuts = self.server.cuts.get(file.name)
        end = begin + cuts.pop(0) if cuts else len(data)
        if self.server.stall and self.server.stall[0] == file.name:
            self.wfile.write(data[begin : self.server.stall[1]])
            self.wfile.flush()
            self.server.go_on.wait()
            return
        step = self.server.pace // 20 or len(data)
        for at in range(begin, end, step) if body else ():
            self.wfile.write(data[at : min(at + step, end)])
            time.sleep(0.05 if self.server.pace else 0)

    def _send(self, status: int, headers: dict[str, str], body: bytes | None = None) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if body is not None:
            self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        if body and self.command == "GET":
            self.wfile.write(body)


def _origin(address: str) -> str:
    """Scheme and host of what a proxy is asked for, "" of a path."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""


def _info(repository: str, folder: Path, commit: str) -> dict[str, object]:
    files = []
    for file in sorted(each for each in folder.rglob("*") if each.is_file()):
        data = file.read_bytes()
        git = hashlib.sha1(f"blob {len(data)}\0".encode() + data).hexdigest()
        each: dict[str, object] = {"rfilename": file.relative_to(folder).as_posix(), "size": len(data), "blobId": git}
        if file.suffix in (".safetensors", ".bin"):
            sha256 = hashlib.sha256(data).hexdigest()
            each["lfs"] = {"size": len(data), "sha256": sha256, "pointerSize": 134}
        files.append(each)
    return {"id": repository, "modelId": repository, "sha": commit, "siblings": files, "tags": [], "private": False}
