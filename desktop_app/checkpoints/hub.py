"""A model hub, or a mirror of it: what a repository holds, and the bytes of one file.

The requests are Galley's own, by `server`; huggingface_hub knows what a hub calls things, and everything by which it
tells its makers of its use is off.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import quote, urlsplit

from desktop_app import __version__
from desktop_app.bounded import parse_json
from desktop_app.checkpoints.parts import BytesDone, digest, git_digest
from desktop_app.checkpoints.server import RefusedRequest, Server, host_of
from desktop_app.problems import Problem

PUBLIC = "https://huggingface.co"
"""The hub that is asked where no mirror is named."""

_LARGEST_FILE = 1 << 50
_FILE_SERVERS = "hf.co"
"""The domain of the file servers of the public hub, to which mirrors redirect, too
(https://huggingface.co/.well-known/meta.json)."""


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

    def is_in(self, path: Path, progress: BytesDone = lambda done: None) -> bool:
        """Whether a file on disk has these contents."""
        if path.stat().st_size != self.size:
            return False
        return digest(path, progress) == self.sha256 if self.sha256 else git_digest(path) == self.git


class Hub(Server):
    """The hub at `mirror`, or the public one."""

    def __init__(self, mirror: str = "") -> None:
        address = mirror.rstrip("/") or PUBLIC
        host = host_of(address)
        self._library = _library()
        super().__init__(address, file_servers(host), otherwise=Problem("download.not_a_hub", host=host))
        self._headers = self._library.utils.build_hf_headers(
            token=False, library_name="galley", library_version=__version__
        )
        self._repository = ""

    def files(self, repository: str, revision: str) -> tuple[str, list[RemoteFile]]:
        """The commit that a revision means, and the files in it."""
        self._ask_for(repository)
        address = f"{self._address}/api/models/{repository}/revision/{quote(revision, safe='')}?blobs=true"
        commit, found = self.read(address, lambda text: _described(parse_json(text)))
        if not commit or not found:
            raise Problem("download.no_hashes")
        return commit, found

    def fetch_file(self, repository: str, commit: str, file: RemoteFile, target: Path, progress: BytesDone) -> None:
        """Download a file, as `fetch` does."""
        self._ask_for(repository)
        url = self._library.hf_hub_url(repository, file.name, revision=commit, endpoint=self._address)
        self.fetch(url, file.name, file.size, target, progress)

    def _ask_for(self, repository: str) -> None:
        try:
            self._library.utils.validate_repo_id(repository)
        except self._library.errors.HFValidationError as error:
            raise Problem("download.bad_name", repository=repository) from error
        if self._library.constants.HF_HUB_OFFLINE:
            raise Problem("download.offline")
        self._repository = repository

    def problem_of(self, error: Exception | None, file: str = "") -> Problem:
        """The Problem that an error means, or the reason that a hub gives for it."""
        if isinstance(error, RefusedRequest):
            if error.reason == "RevisionNotFound":
                return Problem("download.no_revision", repository=self._repository)
            # Hubs answer 401 for what is not public and for what is not there.
            if error.reason in ("RepoNotFound", "EntryNotFound", "GatedRepo") or error.status == 401:
                return Problem("download.not_found", repository=self._repository)
        return super().problem_of(error, file)


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


def file_servers(host: str) -> list[str]:
    """The domains, besides the `host` of a hub, to whose computers it may redirect."""
    name = urlsplit(f"//{host}").hostname or ""
    own = [name] if "." in name and not re.fullmatch(r"[\d.]+|.*:.*", name) else []
    return [*own, _FILE_SERVERS]


def _described(info: Any) -> tuple[str, list[RemoteFile]]:
    """The commit, "" where it is not told, and the files whose sizes and hashes are told. Raises one of _UNEXPECTED
    where no hub would say that.
    """
    found = []
    for each in info["siblings"] or ():
        name, size, large = each["rfilename"], each.get("size"), each.get("lfs") or {}
        sha256 = large.get("sha256") or ""
        git = "" if sha256 else each.get("blobId") or ""
        if size is None or not (sha256 or git):
            continue
        whole = isinstance(name, str) and type(size) is int and 0 <= size <= _LARGEST_FILE
        if not whole or not re.fullmatch("[0-9a-f]{64}" if sha256 else "[0-9a-f]{40}", sha256 or git):
            raise ValueError(f"{name!r} is no file of a hub")
        found.append(RemoteFile(name, size, sha256, git))
    commit = info.get("sha") or ""
    if not isinstance(commit, str):
        raise TypeError(f"{commit} is no commit")
    return commit, found
