"""A package index, asked for wheels by the simple repository API in JSON (PEPs 503, 691, 700, 714), and which wheels a
package needs here. Only what an index says by hashes is used, and no code of a package is run.

An index may be anybody's: what is asked for, kept and compared has bounds, several times what PyTorch takes.
"""

from __future__ import annotations

import email.parser
import hashlib
import math
import platform
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urljoin, urlsplit

from packaging.markers import UndefinedEnvironmentName
from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.tags import sys_tags
from packaging.utils import InvalidName, InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from packaging.version import InvalidVersion, Version

from desktop_app.bounded import DEEPEST, parse_json
from desktop_app.checkpoints.parts import BytesDone
from desktop_app.checkpoints.server import LONGEST_ANSWER, RefusedRequest, Server, host_of
from desktop_app.problems import Problem

_JSON = {"Accept": "application/vnd.pypi.simple.v1+json"}
_ROUNDS = 20
_LARGEST = 1 << 40  # bytes of a wheel
_LARGEST_DESCRIPTION = 2_000_000  # bytes
_LONGEST = 2000  # characters of an address, or of what a package requires
_MOST_TAGS = 100  # systems that a file name stands for: a product, of which a short name could make a million
_MOST_REQUESTS = 300
_MOST_WORK = 20_000_000  # characters that are read and compared
_EACH = 100  # what a text counts beside its characters
_WHEEL = re.compile(r"[\w.+!-]+\.whl", re.ASCII)
_HASH = re.compile("[0-9a-f]{64}")
_ADDRESS = re.compile("https?://[!-~]+")
_UNREADABLE = (InvalidName, InvalidVersion, InvalidWheelFilename, InvalidRequirement, InvalidSpecifier)

_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Wheel:
    """A wheel as the index describes it; `metadata` is the SHA-256 of its description, which lies beside it."""

    name: str
    version: Version
    file: str
    url: str
    size: int
    sha256: str
    metadata: str

    @property
    def host(self) -> str:
        """Where it lies."""
        return host_of(self.url)


class _Place(Server):
    """The index, or a server of its files."""

    def __init__(self, address: str) -> None:
        super().__init__(address, otherwise=Problem("addon.no_index", host=host_of(address)))

    def problem_of(self, error: Exception | None, file: str = "") -> Problem:
        if isinstance(error, RefusedRequest) and error.status in (404, 410):
            return Problem("addon.not_there", host=host_of(self._address), url=str(error.url.path))
        return super().problem_of(error, file)


class PackageIndex:
    """The index at `address`. `contacting` is called with the name of each host before it is spoken to."""

    def __init__(self, address: str, contacting: Callable[[str], object]) -> None:
        scheme, _, rest = address.partition("://")
        if scheme.lower() not in ("https", "http") or not host_of(address) or not rest:
            raise Problem("addon.bad_index", address=address)
        self._address, self._contacting = address.rstrip("/") + "/", contacting
        self._places: dict[str, _Place] = {}
        self._wheels: dict[str, list[Wheel]] = {}
        self._needs: dict[str, list[Requirement]] = {}
        self._tags = {tag: rank for rank, tag in enumerate(sys_tags())}
        self._requests = self._work = 0

    @property
    def host(self) -> str:
        """The index's own."""
        return host_of(self._address)

    def fetch(self, wheel: Wheel, target: Path, progress: BytesDone) -> None:
        """Download a wheel into `target`, from where that ends."""
        self._place(wheel.url).fetch(wheel.url, wheel.file, wheel.size, target, progress)

    def resolve(self, root: str, skipped: frozenset[str]) -> list[Wheel]:
        """The wheels that the requirement `root` needs here, its own first, the newest that fit together; `skipped` are
        left out, with what only they need. Problem where the index has none that fit.
        """
        fitting: dict[str, SpecifierSet] = {}
        chosen: dict[str, Wheel] = {}
        for _round in range(_ROUNDS):
            before, done = dict(chosen), set[tuple[str, str]]()
            found: dict[str, Wheel] = {}
            waiting = [Requirement(root)]
            while waiting:
                wanted = waiting.pop(0)
                name = canonicalize_name(wanted.name)
                if name in skipped:
                    continue
                fitting[name] = fitting.get(name, SpecifierSet()) & wanted.specifier
                wheel = found[name] = chosen[name] = self._newest(name, fitting[name])
                for extra in sorted({"", *wanted.extras}):
                    if (name, extra) not in done:
                        done.add((name, extra))
                        for each in self._requirements(wheel):
                            self._count(str(each.marker))
                            waiting += [each] if _holds(each, extra) else []
            if chosen == before:
                return list(found.values())
        raise Problem("addon.no_package", host=self.host, package=root, system=_system())

    def _newest(self, name: str, fitting: SpecifierSet) -> Wheel:
        for wheel in self._listed(name):
            self._count(str(fitting))
            if fitting.contains(wheel.version):
                return wheel
        package = f"{name} {fitting}".strip()
        raise Problem("addon.no_package", host=self.host, package=package, system=_system())

    def _listed(self, name: str) -> list[Wheel]:
        """The wheels of a package that fit this Python and system, the newest first."""
        if name not in self._wheels:
            page = f"{self._address}{name}/"
            self._wheels[name] = self._read(page, partial(self._described, name, page), _JSON)
        return self._wheels[name]

    def _described(self, name: str, page: str, text: bytes | bytearray) -> list[Wheel]:
        found = []
        for each in parse_json(text)["files"]:
            self._count(each["filename"], str(each.get("requires-python") or ""))
            if not _WHEEL.fullmatch(each["filename"]) or each.get("yanked") or _tags_of(each["filename"]) > _MOST_TAGS:
                continue
            try:
                itself, version, _build, tags = parse_wheel_filename(each["filename"])
                fits = _python_fits(each.get("requires-python"))
            except _UNREADABLE:  # made long ago, or by other rules
                continue
            ranks = [self._tags[tag] for tag in tags if tag in self._tags]
            if itself == name and ranks and fits and not version.is_prerelease:
                wheel = _wheel(name, version, page, each)
                found += [(version, -min(ranks), wheel)] if wheel else []
        return [wheel for _version, _rank, wheel in sorted(found, key=lambda each: each[:2], reverse=True)]

    def _requirements(self, wheel: Wheel) -> list[Requirement]:
        if wheel.file not in self._needs:
            address = f"{wheel.url}.metadata"
            understood = partial(self._required, wheel)
            self._needs[wheel.file] = self._read(address, understood, longest=_LARGEST_DESCRIPTION)
        return self._needs[wheel.file]

    def _required(self, wheel: Wheel, text: bytes | bytearray) -> list[Requirement]:
        if hashlib.sha256(text).hexdigest() != wheel.metadata:
            raise Problem("download.hash", file=f"{wheel.file}.metadata")
        lines = email.parser.BytesHeaderParser().parsebytes(bytes(text)).get_all("Requires-Dist", [])
        self._count(*map(str, lines))
        try:
            return [_requirement(str(each)) for each in lines]
        except InvalidRequirement as error:
            raise ValueError(wheel.file) from error

    def _read(
        self,
        address: str,
        understood: Callable[[bytearray], _Result],
        headers: dict[str, str] | None = None,
        longest: int = LONGEST_ANSWER,
    ) -> _Result:
        self._requests += 1
        if self._requests > _MOST_REQUESTS:
            raise self._too_much()
        return self._place(address).read(address, understood, headers, longest=longest)

    def _count(self, *texts: str) -> None:
        """Count the work on some texts before it is done; Problem where it becomes too much."""
        self._work += sum(len(text) + _EACH for text in texts)
        if self._work > _MOST_WORK:
            raise self._too_much()

    def _too_much(self) -> Problem:
        return Problem("addon.too_much", host=self.host)

    def _place(self, address: str) -> _Place:
        host = host_of(address)
        if host not in self._places:
            self._contacting(host)
            self._places[host] = _Place(address)
        return self._places[host]


def _wheel(name: str, version: Version, page: str, each: dict[str, Any]) -> Wheel | None:
    """The wheel that an index describes; None where it does not tell size, hash and the hash of its description."""
    url, size, sha256 = urljoin(page, each["url"]).partition("#")[0], each.get("size"), each["hashes"].get("sha256", "")
    told = each.get("core-metadata") or each.get("dist-info-metadata")
    metadata = told.get("sha256", "") if isinstance(told, dict) else ""
    if urlsplit(url).scheme != "https" and urlsplit(page).scheme == "https":
        raise Problem("download.not_encrypted", host=host_of(url))
    hashes = all(_HASH.fullmatch(each) for each in (sha256, metadata))
    if not isinstance(size, int) or not 0 < size <= _LARGEST or not hashes:
        return None
    if len(url) > _LONGEST or not _ADDRESS.fullmatch(url):
        return None
    return Wheel(name, version, each["filename"], url, size, sha256, metadata)


def _tags_of(file: str) -> int:
    """How many systems, at most, the name of a wheel stands for: each of its last three parts may list several."""
    return math.prod(part.count(".") + 1 for part in file.removesuffix(".whl").split("-")[-3:])


def _requirement(line: str) -> Requirement:
    """Raises InvalidRequirement, also where it is too long or nested too deeply for `packaging`, which calls itself."""
    if len(line) > _LONGEST or line.count("(") > DEEPEST:
        raise InvalidRequirement(line[:_LONGEST])
    return Requirement(line)


def _holds(requirement: Requirement, extra: str) -> bool:
    """Whether something is required here, because of an extra or, "", in any case."""
    marker = requirement.marker
    try:
        return not extra if marker is None else marker.evaluate({"extra": extra})
    except UndefinedEnvironmentName:
        return False


def _python_fits(wanted: Any) -> bool:
    return not wanted or SpecifierSet(str(wanted)).contains(platform.python_version())


def _system() -> str:
    return f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
