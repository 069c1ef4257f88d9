"""One server, as Galley speaks to any: through httpx2, and never without bounds.

No server is trusted: nothing of an answer is in memory but bounded blocks, redirects lead to the hosts that were named
alone, and a connection that gives next to nothing is cut. The proxies of the environment and the certificates of the
system are used, and nobody is logged in.
"""

from __future__ import annotations

import contextlib
import math
import re
import socket
import ssl
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.request import getproxies, proxy_bypass

from desktop_app.checkpoints.parts import BLOCK, BytesDone
from desktop_app.problems import Problem

if TYPE_CHECKING:
    import httpx2

TIMEOUT = 20.0
"""Seconds without a byte after which a connection counts as broken."""

TRIES = 5
"""How often in a row nothing may arrive before a download gives up."""

PAUSE = 1.0
"""Seconds before the second try; each later pause is twice as long."""

SPAN = 60.0
"""Seconds over which a download must be faster than SLOWEST, and which an answer that is read whole may take."""

SLOWEST = 1000
"""Bytes a second."""

LONGEST_ANSWER = 16_000_000
"""Bytes of an answer that is read whole; a description of a repository of ten thousand files has a fifth of that."""

_REDIRECTS = 5

_BUSY = (408, 429, 500, 502, 503, 504)

_UNEXPECTED = (AttributeError, LookupError, TypeError, ValueError)
"""What reading JSON raises that is of another shape, or none."""

_Result = TypeVar("_Result")


class _OtherAnswer(Exception):
    """An answer that is not the file that was asked for."""


class RefusedRequest(Exception):
    """The server refuses: its status, its reason as hubs name it ("RepoNotFound"), and the address that was asked."""

    def __init__(self, status: int, reason: str, url: httpx2.URL) -> None:
        super().__init__(status, reason)
        self.status, self.reason, self.url = status, reason, url


class _Watch:
    """Ends the connections made within the block when fewer than `least` bytes a second arrive over SPAN seconds.

    A timeout for each read is not enough: a byte now and then, of headers too, keeps it from running out.
    """

    def __init__(self, least: float) -> None:
        self.arrived = 0
        self._least, self._late = least, False
        self._sockets: list[socket.socket] = []
        self._over = Event()
        self._thread = Thread(target=self._look, name="download-watch", daemon=True)

    def __enter__(self) -> _Watch:
        self._thread.start()
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._over.set()
        self._thread.join()
        for each in self._sockets:
            each.close()
        if self._late and isinstance(error, Exception):
            raise _slow() from error

    def trace(self, event: str, about: dict[str, Any]) -> None:
        """Hears of each connection that the HTTP library makes (its extension `trace`)."""
        if event.endswith("connect_tcp.complete"):
            # A second handle: TLS takes the first one over.
            self._sockets.append(about["return_value"].get_extra_info("socket").dup())
            if self._late:
                self._cut()

    def _look(self) -> None:
        before = 0
        while not self._over.wait(SPAN):
            if self.arrived - before < self._least * SPAN:
                self._late = True
                self._cut()
                return
            before = self.arrived

    def _cut(self) -> None:
        for each in self._sockets:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)


class Server:
    """The server at `address`. Its redirects may lead to itself, and by https to the `domains` and what is below them.
    `otherwise` is the problem of an answer of another shape than expected.
    """

    def __init__(self, address: str, domains: Sequence[str] = (), *, otherwise: Problem) -> None:
        import httpx2  # takes a while, and the window, which imports this module, never makes a Server

        self._http = httpx2
        self._address, self._domains, self._otherwise = address, domains, otherwise
        self._headers = {"User-Agent": "galley"}
        try:
            self._client = httpx2.Client()
        except (ImportError, ValueError, ssl.SSLError, OSError) as error:
            raise Problem("download.settings", error=str(error)) from error
        except Exception as error:  # InvalidURL, which may quote the password
            raise Problem("download.proxy_address") from error

    def read(
        self,
        address: str,
        understood: Callable[[bytearray], _Result],
        headers: dict[str, str] | None = None,
        *,
        longest: int = LONGEST_ANSWER,
        tries: int = TRIES,
    ) -> _Result:
        """What `understood` makes of the answer at an address. One of more than `longest` bytes, or of another
        shape, which `understood` shows by one of _UNEXPECTED, is a Problem; a server that is busy is asked again.
        """

        def ask() -> _Result:
            with self._answer(address, math.inf, headers) as (response, watch):
                try:
                    text = bytearray()
                    for block in _blocks(response, watch):
                        text += block
                        if len(text) > longest:
                            raise _OtherAnswer
                    return understood(text)
                except (*_UNEXPECTED, _OtherAnswer) as error:
                    raise self._otherwise from error

        for attempt in range(tries):
            try:
                return ask()
            except Exception as error:
                unreachable = isinstance(error, self._http.ConnectError)
                if attempt + 1 == tries or unreachable or not self._passing(error):
                    raise self.problem_of(error) from error
            time.sleep(PAUSE * 2.0**attempt)
        raise AssertionError("the last attempt returns or raises")

    def fetch(self, address: str, name: str, size: int, target: Path, progress: BytesDone) -> None:
        """Download the file `name` of `size` bytes into `target`, from where that ends. A broken connection is resumed,
        and so is one that gives something else; what arrived stays in `target` when Problem is raised.
        """
        failures, since, begun = 0, time.monotonic(), _size(target)
        while (have := _size(target)) < size:
            progress(have)
            if time.monotonic() - since > SPAN:  # a few bytes and the end, connection after connection
                if 0 < have - begun < SLOWEST * SPAN:
                    raise _slow()
                since, begun = time.monotonic(), have
            broken: Exception | None = None
            try:
                self._take(address, size, target, progress)
            except Exception as error:
                if not self._passing(error):
                    raise self.problem_of(error, name) from error
                broken = error
            now = _size(target)
            failures = 0 if now > have else failures + 1
            if failures == TRIES:
                raise self.problem_of(broken, name) from broken
            if now < size:
                until = time.monotonic() + PAUSE * 2.0 ** max(0, failures - 1)
                while time.monotonic() < until:
                    progress(now)  # it may want to end the work
                    time.sleep(0.05)

    def _take(self, address: str, size: int, target: Path, progress: BytesDone) -> None:
        """What one connection gives; _OtherAnswer, with `target` as it was, where that cannot be the file."""
        have = _size(target)
        with self._answer(address, SLOWEST, {"Range": f"bytes={have}-"} if have else {}) as (response, watch):
            known, sure = _place(response, have, size)
            with target.open("ab") as out:
                try:
                    for block in _blocks(response, watch):
                        new = block[known:]  # a server without parts gives the beginning again; what is here stays
                        known -= len(block) - len(new)
                        if out.tell() + len(new) > size:
                            raise _OtherAnswer
                        out.write(new)
                        progress(out.tell())
                    if not (sure or out.tell() == size):
                        raise _OtherAnswer
                except _OtherAnswer:
                    out.truncate(have)
                    raise

    @contextlib.contextmanager
    def _answer(
        self, address: str, least: float, more: dict[str, str] | None = None
    ) -> Iterator[tuple[httpx2.Response, _Watch]]:
        """What is found at an address, redirects followed, its body still to be read; and what watches over it, which
        `least` is for. Status where the server refuses.
        """
        headers = self._headers | {
            "Accept-Encoding": "identity",  # a part of a compressed file would be no part of the file
            "Connection": "close",  # so that each request makes a connection, of which the watch hears
        }
        with _Watch(least) as watch:
            for _hop in range(_REDIRECTS + 1):
                request = self._client.build_request(
                    "GET", address, headers=headers | (more or {}), timeout=TIMEOUT, extensions={"trace": watch.trace}
                )
                response = self._client.send(request, stream=True, follow_redirects=False)
                with contextlib.closing(response):
                    if not response.has_redirect_location:
                        if response.status_code >= 400:
                            reason = response.headers.get("X-Error-Code", "")
                            raise RefusedRequest(response.status_code, reason, request.url)
                        yield response, watch
                        return
                    led = request.url.join(response.headers["Location"])
                    self._check_redirect(request.url, led)
                    address = str(led)
            raise self._otherwise

    def _check_redirect(self, before: httpx2.URL, led: httpx2.URL) -> None:
        """Raise Problem where a redirect leads to a host that was not named, or out of an encrypted connection."""
        home = self._http.URL(self._address)
        own = (led.host, led.port) == (home.host, home.port)
        domains = self._domains if led.scheme == "https" and led.port is None else ()
        if not own and not any(led.host == each or led.host.endswith(f".{each}") for each in domains):
            raise Problem("download.other_host", host=host_of(str(led)))
        if led.scheme != "https" and before.scheme == "https":
            raise Problem("download.not_encrypted", host=host_of(str(led)))

    def _passing(self, error: Exception) -> bool:
        """Whether the next try may go well."""
        if _certificate(error) or isinstance(error, (self._http.ProxyError, self._http.UnsupportedProtocol)):
            return False
        if isinstance(error, RefusedRequest):
            return error.status in _BUSY
        return isinstance(error, (self._http.TransportError, _OtherAnswer))

    def problem_of(self, error: Exception | None, file: str = "") -> Problem:
        """The Problem that an error means."""
        if isinstance(error, Problem):
            return error
        if isinstance(error, _OtherAnswer):
            return Problem("download.other_answer", file=file)
        if error is None:
            return Problem("download.broken_off")
        if isinstance(error, RefusedRequest):
            if error.status == 407:
                return Problem("download.proxy_login", proxy=_proxy(error.url) or "HTTPS_PROXY")
            return Problem("download.busy" if error.status in _BUSY else "download.status", status=error.status)
        if _certificate(error):
            return Problem("download.certificate")
        if isinstance(error, self._http.ProxyError):
            proxy = _proxy(error.request.url) or "HTTPS_PROXY"
            if str(error).startswith("407"):
                return Problem("download.proxy_login", proxy=proxy)
            return Problem("download.proxy_refused", proxy=proxy, error=str(error))
        if isinstance(error, self._http.TransportError):
            proxy, late = _proxy(error.request.url), isinstance(error, self._http.TimeoutException)
            if late:
                return Problem("download.proxy_timeout", proxy=proxy) if proxy else Problem("download.timeout")
            if proxy:
                why = re.sub(r"\[Errno -?\d+\] ", "", str(error))
                return Problem("download.proxy_unreachable", proxy=proxy, error=why)
            return Problem("download.unreachable", host=host_of(str(error.request.url)))
        if isinstance(error, (self._http.HTTPError, self._http.InvalidURL, ValueError)):
            return Problem("download.no_sense", error=str(error))
        raise error


def _slow() -> Problem:
    return Problem("download.slow", bytes=SLOWEST)


def _blocks(response: httpx2.Response, watch: _Watch) -> Iterator[bytes]:
    """The body of an answer, unpacked where it is compressed, in blocks of at most BLOCK bytes or as they arrive.
    _OtherAnswer where it is packed otherwise than by gzip. (The library would unpack any number of times, and as much
    as there is.)
    """
    coding = response.headers.get("Content-Encoding", "identity").strip().lower()
    if coding not in ("identity", "gzip"):
        raise _OtherAnswer
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
    for raw in response.iter_raw():
        watch.arrived += len(raw)
        if coding == "identity":
            yield raw
            continue
        while raw and not unpacker.eof:
            try:
                block = unpacker.decompress(raw, BLOCK)
            except zlib.error as error:
                raise _OtherAnswer from error
            raw = unpacker.unconsumed_tail
            yield block


def _place(response: httpx2.Response, have: int, size: int) -> tuple[int, bool]:
    """With how many bytes that have arrived an answer begins, and whether its headers tell the size of the file that is
    wanted; where they do not, only an answer of just that size is the file. _OtherAnswer where they tell of another.
    """
    headers = response.headers
    coded = headers.get("Content-Encoding", "identity") != "identity"
    length = None if coded else headers.get("Content-Length")
    if response.status_code == 200 and length in (None, str(size)):
        return have, length is not None
    asked = re.fullmatch(rf"bytes {have}-\d+/({size}|\*)", headers.get("Content-Range", ""))
    if response.status_code == 206 and asked and not coded:
        return 0, True
    raise _OtherAnswer


def host_of(address: str) -> str:
    """Host and port of an address, without the name and the password that may stand before them."""
    return re.sub("^[^/]*//", "", address).partition("/")[0].rpartition("@")[2]


def _proxy(url: httpx2.URL) -> str:
    """The proxy through which an address is asked, as host and port; "" where there is none."""
    proxies = {} if proxy_bypass(url.host) else getproxies()
    address = proxies.get(url.scheme) or proxies.get("all")
    return host_of(address) if address else ""


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _certificate(error: BaseException | None) -> bool:
    """Whether an error comes from a certificate that is not trusted."""
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError) or "CERTIFICATE_VERIFY_FAILED" in str(error):
            return True
        error = error.__cause__ or error.__context__
    return False
