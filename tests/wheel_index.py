"""A package index on loopback, with tiny wheels: what `galley devices add cuda` asks of one, and what can be wrong."""

from __future__ import annotations

import base64
import hashlib
import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.hub_server import HubServer

REPOSITORY = "packages/files"


class WheelIndex:
    """The wheels in `folder`, which `server` gives.

    Attributes: url (of the index); pages (what it says of each package, sent by `publish`).
    """

    def __init__(self, server: HubServer, folder: Path) -> None:
        self.server, self.folder, self.url = server, folder, f"{server.url}/simple"
        folder.mkdir()
        server.repositories[REPOSITORY] = folder
        self.pages: dict[str, list[dict[str, Any]]] = {}

    def add(
        self,
        name: str,
        version: str,
        files: dict[str, bytes],
        requires: Sequence[str] = (),
        tag: str = "py3-none-any",
        **more: Any,
    ) -> Path:
        """Make a wheel of these files, and list it."""
        stem = f"{name.replace('-', '_')}-{version}"
        described = "\n".join(
            [
                "Metadata-Version: 2.1",
                f"Name: {name}",
                f"Version: {version}",
                *(f"Requires-Dist: {each}" for each in requires),
            ]
        ).encode()
        wheel = self.folder / f"{stem}-{tag}.whl"
        write(wheel, stem, {**files, f"{stem}.dist-info/METADATA": described})
        self.list(wheel, name, described, **more)
        return wheel

    def list(self, wheel: Path, name: str, described: bytes, **more: Any) -> None:
        """List a wheel under the name of its package."""
        data = wheel.read_bytes()
        self.server.answers[f"{wheel.name}.metadata"] = (200, {"Content-Length": str(len(described))}, described)
        self.pages.setdefault(name, []).append(
            {
                "filename": wheel.name,
                "url": f"{self.server.url}/cdn/{REPOSITORY}/{wheel.name}",
                "hashes": {"sha256": hashlib.sha256(data).hexdigest()},
                "size": len(data),
                "core-metadata": {"sha256": hashlib.sha256(described).hexdigest()},
                "yanked": False,
                **more,
            }
        )
        self.publish()

    def publish(self) -> None:
        """Let the server send the pages."""
        for name, files in self.pages.items():
            body = json.dumps({"meta": {"api-version": "1.1"}, "name": name, "files": files}).encode()
            self.server.answers[f"/simple/{name}/"] = (200, {"Content-Length": str(len(body))}, body)


def write(wheel: Path, stem: str, files: dict[str, bytes], record: str | None = None) -> None:
    """Write a wheel, with the list of its files."""
    rows = [f"{path},sha256={_digest(data)},{len(data)}" for path, data in files.items()]
    listed = "\n".join([*rows, f"{stem}.dist-info/RECORD,,", ""]) if record is None else record
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in {f"{stem}.dist-info/RECORD": listed.encode(), **files}.items():
            archive.writestr(path, data)


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
