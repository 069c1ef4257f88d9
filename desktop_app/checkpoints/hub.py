"""A model hub, or a mirror of it: what a repository holds, and the bytes of one file, by huggingface_hub.

The proxies of the environment and the certificates of the system are used, no log-in is sent, and everything by which
huggingface_hub tells its makers of its use is off. Nothing is imported before a Hub is made.
"""

from __future__ import annotations

import os
import re
import ssl
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar
from urllib.request import getproxies, proxy_bypass

from desktop_app import __version__
from desktop_app.checkpoints.parts import Heard, digest, git_digest
from desktop_app.problems import Problem

PUBLIC = "https://huggingface.co"
"""The hub that is asked where no mirror is named."""

TIMEOUT = 20.0
"""Seconds without a byte after which a connection counts as broken."""

TRIES = 5
"""How often in a row nothing may arrive before the download gives up."""

PAUSE = 1.0
"""Seconds before the second try; each later pause is twice as long."""

_BUSY = (408, 429, 500, 502, 503, 504)

_UNEXPECTED = (AttributeError, LookupError, TypeError, ValueError, RecursionError)
"""What reading JSON raises that is of another shape, or none."""

_Result = TypeVar("_Result")


@dataclass(frozen=True)
class RemoteFile:
    """A file as the hub describes it. A large one has a SHA-256, a small one the hash that git gives it."""

    name: str
    size: int
    sha256: str = ""
    git: str = ""

    @property
    def identity(self) -> str:
        """Tells these contents from all others."""
        return self.sha256 or self.git

    def is_in(self, path: Path, heard: Heard = lambda done: None) -> bool:
        """Whether a file on disk has these contents."""
        if path.stat().st_size != self.size:
            return False
        return digest(path, heard) == self.sha256 if self.sha256 else git_digest(path) == self.git


class _OtherAnswer(Exception):
    """An answer that is not the file that was asked for."""


class Hub:
    """The hub at `mirror`, or where HF_ENDPOINT points, or the public one."""

    def __init__(self, mirror: str = "") -> None:
        self._library = _library()
        self._mirror = mirror.rstrip("/") or None
        try:
            self._session = self._library.utils.get_session()
        except (ImportError, ValueError, ssl.SSLError, OSError) as error:
            raise Problem("download.settings", error=str(error)) from error
        except Exception as error:  # InvalidURL, which may quote the password
            raise Problem("download.proxy_address") from error
        # huggingface_hub 1 speaks through httpx, 2 through httpx2, whose errors have the same names.
        self._http = sys.modules[type(self._session).__module__.partition(".")[0]]

    def files(self, repository: str, revision: str) -> tuple[str, list[RemoteFile]]:
        """The commit that a revision means, and the files in it."""
        api = self._library.HfApi(
            endpoint=self._mirror, token=False, library_name="galley", library_version=__version__
        )

        def ask() -> tuple[str, list[RemoteFile]]:
            try:
                return _described(api.model_info(repository, revision=revision, files_metadata=True, timeout=TIMEOUT))
            except self._library.errors.HFValidationError:
                raise
            except _UNEXPECTED as error:
                host = _host(self._mirror or self._library.constants.ENDPOINT)
                raise Problem("download.not_a_hub", host=host) from error

        commit, found = self._patiently(ask, repository)
        if not commit or not found:
            raise Problem("download.no_hashes")
        return commit, found

    def fetch(self, repository: str, commit: str, file: RemoteFile, target: Path, heard: Heard) -> None:
        """Bring `target` to the size of a file, from where it ends. A connection that breaks is taken up again, and so
        is one that gives something else; what arrived stays in `target` when Problem is raised.
        """
        failures = 0
        while (have := _size(target)) < file.size:
            heard(have)
            broken: Exception | None = None
            try:
                self._take(repository, commit, file, target, heard)
            except Exception as error:
                if not self._passing(error):
                    raise self._said(error, repository, file.name) from error
                broken = error
            now = _size(target)
            failures = 0 if now > have else failures + 1
            if failures == TRIES:
                raise self._said(broken, repository, file.name) from broken
            if now < file.size:
                until = time.monotonic() + PAUSE * 2.0 ** max(0, failures - 1)
                while time.monotonic() < until:
                    heard(now)  # it may want to end the work
                    time.sleep(0.05)

    def _take(self, repository: str, commit: str, file: RemoteFile, target: Path, heard: Heard) -> None:
        """What one connection gives; _OtherAnswer, with `target` as it was, where that cannot be the file."""
        have = _size(target)
        url = self._library.hf_hub_url(repository, file.name, revision=commit, endpoint=self._mirror)
        headers = self._library.utils.build_hf_headers(token=False, library_name="galley", library_version=__version__)
        headers["Accept-Encoding"] = "identity"  # a part of a compressed file would be no part of the file
        if have:
            headers["Range"] = f"bytes={have}-"
        with self._session.stream("GET", url, headers=headers, timeout=TIMEOUT) as response:
            self._library.utils.hf_raise_for_status(response)
            known, sure = _place(response, have, file.size)
            with target.open("ab") as out:
                too_much = False
                for block in response.iter_bytes():
                    new = block[known:]  # a server without parts gives the beginning again; what is here stays
                    known -= len(block) - len(new)
                    if too_much := out.tell() + len(new) > file.size:
                        break
                    out.write(new)
                    heard(out.tell())
                if too_much or not (sure or out.tell() == file.size):
                    out.truncate(have)
                    raise _OtherAnswer

    def _patiently(self, ask: Callable[[], _Result], repository: str) -> _Result:
        """What a question to the hub gives; a server that is busy is asked again."""
        for attempt in range(TRIES):
            try:
                return ask()
            except Exception as error:
                unreachable = isinstance(error, self._http.ConnectError)
                if attempt + 1 == TRIES or unreachable or not self._passing(error):
                    raise self._said(error, repository) from error
            time.sleep(PAUSE * 2.0**attempt)
        raise AssertionError("the last attempt returns or raises")

    def _passing(self, error: Exception) -> bool:
        """Whether the next try may go well."""
        if _certificate(error) or isinstance(error, (self._http.ProxyError, self._http.UnsupportedProtocol)):
            return False
        status = _status(error)
        return status in _BUSY if status else isinstance(error, (self._http.TransportError, _OtherAnswer))

    def _said(self, error: Exception | None, repository: str, file: str = "") -> Problem:
        """What an error means."""
        errors = self._library.errors
        if isinstance(error, Problem):
            return error
        if isinstance(error, _OtherAnswer):
            return Problem("download.other_answer", file=file)
        if error is None:
            return Problem("download.broken_off")
        if isinstance(error, errors.OfflineModeIsEnabled):
            return Problem("download.offline")
        if isinstance(error, errors.RevisionNotFoundError):
            return Problem("download.no_revision", repository=repository)
        if isinstance(error, (errors.RepositoryNotFoundError, errors.EntryNotFoundError)):
            return Problem("download.not_found", repository=repository)
        if isinstance(error, errors.HFValidationError):
            return Problem("download.bad_name", repository=repository)
        status, refused = _status(error), isinstance(error, self._http.ProxyError)
        if status == 407 or (refused and str(error).startswith("407")):
            return Problem("download.proxy_login", proxy=_proxy(error) or "HTTPS_PROXY")
        if status:
            return Problem("download.busy" if status in _BUSY else "download.status", status=status)
        if _certificate(error):
            return Problem("download.certificate")
        if refused:
            return Problem("download.proxy_refused", proxy=_proxy(error) or "HTTPS_PROXY", error=str(error))
        if isinstance(error, self._http.TransportError):
            proxy, late = _proxy(error), isinstance(error, self._http.TimeoutException)
            if late:
                return Problem("download.proxy_timeout", proxy=proxy) if proxy else Problem("download.timeout")
            why = re.sub(r"\[Errno -?\d+\] ", "", str(error))
            if proxy:
                return Problem("download.proxy_unreachable", proxy=proxy, error=why)
            return Problem("download.unreachable", error=why)
        if isinstance(error, (self._http.HTTPError, self._http.InvalidURL, ValueError)):
            return Problem("download.no_sense", error=str(error))
        raise error


def _library() -> ModuleType:
    """huggingface_hub, silent."""
    for name in ("HF_HUB_DISABLE_TELEMETRY", "HF_HUB_DISABLE_UPDATE_CHECK", "HF_HUB_DISABLE_IMPLICIT_TOKEN"):
        os.environ[name] = "1"
    for name in ("HF_HUB_DOWNLOAD_TIMEOUT", "HF_HUB_ETAG_TIMEOUT"):
        value = os.environ.get(name, "0")
        try:
            int(value)  # else the import fails
        except ValueError:
            raise Problem("download.variable", name=name, value=value) from None
    import huggingface_hub
    import huggingface_hub.errors
    import huggingface_hub.utils
    from huggingface_hub import constants

    constants.HF_HUB_DISABLE_TELEMETRY = True  # somebody may have imported it before
    constants.HF_HUB_DISABLE_IMPLICIT_TOKEN = True
    return huggingface_hub


def _described(info: Any) -> tuple[str, list[RemoteFile]]:
    """The commit, "" where it is not told, and the files whose sizes and hashes are told. Raises one of _UNEXPECTED
    where no hub would say that.
    """
    found = []
    for each in info.siblings or ():
        sha256 = (each.lfs.sha256 if each.lfs else "") or ""
        git = "" if sha256 else each.blob_id or ""
        if each.size is None or not (sha256 or git):
            continue
        whole = isinstance(each.rfilename, str) and type(each.size) is int and each.size >= 0
        if not whole or not re.fullmatch("[0-9a-f]{64}" if sha256 else "[0-9a-f]{40}", sha256 or git):
            raise ValueError(f"{each} is no file of a hub")
        found.append(RemoteFile(each.rfilename, each.size, sha256, git))
    if not isinstance(info.sha, (str, type(None))):
        raise TypeError(f"{info.sha} is no commit")
    return info.sha or "", found


def _place(response: Any, have: int, size: int) -> tuple[int, bool]:
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


def _host(address: str) -> str:
    """Host and port of an address, without the name and the password that may stand before them."""
    return re.sub("^[^/]*//", "", address).partition("/")[0].rpartition("@")[2]


def _proxy(error: Any) -> str:
    """The proxy through which a request went, as host and port; "" where there was none."""
    url = (error.response if _status(error) else error).request.url
    proxies = {} if proxy_bypass(url.host) else getproxies()
    address = proxies.get(url.scheme) or proxies.get("all")
    return _host(address) if address else ""


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _status(error: Exception) -> int:
    response: Any = getattr(error, "response", None)
    return int(response.status_code) if response is not None else 0


def _certificate(error: BaseException | None) -> bool:
    """Whether an error comes from a certificate that is not trusted."""
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError) or "CERTIFICATE_VERIFY_FAILED" in str(error):
            return True
        error = error.__cause__ or error.__context__
    return False
