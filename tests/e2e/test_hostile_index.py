"""A package index that wants to keep Galley busy, fill its memory, or send it to other servers: on loopback, counted in
requests, files looked at and bytes read, never in seconds.
"""

from __future__ import annotations

import io
import json
import sys
import zipfile
from pathlib import Path

import pytest

from desktop_app import cli
from desktop_app.addons import cuda, index, wheels
from desktop_app.addons.index import PackageIndex
from desktop_app.app.system import about
from desktop_app.problems import Problem
from desktop_app.texts import _
from tests.hub_server import HubServer
from tests.wheel_index import WheelIndex, write

TORCH = f"torch=={cuda.TORCH}"
NAME = f"torch-{cuda.TORCH}"


@pytest.fixture
def hostile(package_server: HubServer, tmp_path: Path, home: Path) -> WheelIndex:
    return WheelIndex(package_server, tmp_path / "index")


def resolve(hostile: WheelIndex) -> list[index.Wheel]:
    return PackageIndex(hostile.url, lambda host: None).resolve(TORCH, frozenset())


def test_no_other_host_is_asked_before_the_user(
    hostile: WheelIndex, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not even for the descriptions of the files. Here the index is 127.0.0.1, and the files lie at localhost."""
    other = hostile.server.url.replace("127.0.0.1", "localhost")
    for name in ("torch", "nvidia-x"):
        version = cuda.TORCH if name == "torch" else "1"
        wheel = hostile.add(name, version, {f"{name}.py": b""}, ["nvidia-x"] if name == "torch" else [])
        hostile.pages[name][0]["url"] = f"{other}/cdn/packages/files/{wheel.name}"
    hostile.publish()
    monkeypatch.setattr(about, "build", lambda: about.Build("", "", {}, index=hostile.url))
    hosts = {"index": hostile.url.split("/")[2], "host": other.split("/")[2]}
    for answers, status, questions in (("n\n", 1, 1), ("\n", 1, 1), ("y\nn\n", 1, 2), ("y\ny\n", 0, 2)):
        terminal = io.StringIO(answers)
        terminal.isatty = lambda: True  # type: ignore[method-assign]
        monkeypatch.setattr(sys, "stdin", terminal)
        hostile.server.headers.clear()
        assert cli.main(["devices", "add", "cuda"]) == status
        asked = {headers["Host"] for headers in hostile.server.headers}
        assert asked == ({hosts["index"]} if questions == 1 else {*hosts.values()})
        said = capsys.readouterr().err
        assert _("The files of {index} are described by {host}. Ask it? [y/N]", **hosts) in said
        assert (_("Download? [y/N]") in said) is (questions == 2)


def test_a_short_name_for_a_million_systems_is_not_taken_apart(
    hostile: WheelIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = ".".join(f"p{number}" for number in range(30))
    hostile.pages["torch"] = [
        {"filename": f"{NAME}-{many}-{many}-{many}.whl", "url": "x", "hashes": {}} for _each in range(1000)
    ]
    hostile.publish()
    monkeypatch.setattr(index, "parse_wheel_filename", lambda name: pytest.fail("27,000 tags were made"))
    with pytest.raises(Problem, match=r"addon\.no_package"):
        resolve(hostile)


def test_packages_without_end_are_not_asked_for(hostile: WheelIndex) -> None:
    hostile.add("torch", cuda.TORCH, {}, [f"p{number}" for number in range(1000)])
    for number in range(400):
        hostile.pages[f"p{number}"] = [{**hostile.pages["torch"][0], "filename": f"p{number}-1-py3-none-any.whl"}]
    hostile.publish()
    described = hostile.server.answers[f"{NAME}-py3-none-any.whl.metadata"]
    hostile.server.answers["-1-py3-none-any.whl.metadata"] = described
    with pytest.raises(Problem, match=r"addon\.too_much host='127\.0\.0\.1"):
        resolve(hostile)
    assert len(hostile.server.requests) <= index._MOST_REQUESTS


@pytest.mark.parametrize("what", ["files", "versions that do not fit", "requirements", "conditions"])
def test_the_work_on_what_an_index_says_has_an_end(
    hostile: WheelIndex, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    monkeypatch.setattr(index, "_MOST_WORK", 200_000)
    match what:
        case "files":
            hostile.pages["torch"] = [{"filename": f"other-{number}.zip"} for number in range(5000)]
            hostile.publish()
        case "versions that do not fit":
            hostile.add("torch", cuda.TORCH, {}, [f"torch!={number}" for number in range(1000)])
        case "requirements":
            hostile.add("torch", cuda.TORCH, {}, ["torch"] * 5000)
        case "conditions":
            extras = ",".join(f"e{number}" for number in range(100))
            hostile.add("torch", cuda.TORCH, {}, [f"torch[{extras}]", *(["a; extra == 'b'"] * 500)])
    with pytest.raises(Problem, match=r"addon\.too_much"):
        resolve(hostile)


@pytest.mark.parametrize(
    "line",
    [
        f"a; {'(' * 3000}os_name == 'x'{')' * 3000}",
        f"a; {'(' * 400}os_name == 'x'{')' * 400}",
        f"a; {' or '.join(['os_name == 0'] * 5000)}",
        "a" * 100_000,
    ],
)
def test_a_requirement_that_is_nested_or_long_is_no_traceback(hostile: WheelIndex, line: str) -> None:
    hostile.add("torch", cuda.TORCH, {}, [line])
    with pytest.raises(Problem, match=r"addon\.no_index"):
        resolve(hostile)


def test_pages_that_are_nested_or_name_huge_numbers_are_no_traceback(hostile: WheelIndex) -> None:
    for body in (
        b"[" * 100_000,
        b'{"files": ' * 500 + b"1" + b"}" * 500,
        b'{"files": [{"size": ' + b"9" * 400 + b"}]}",
    ):
        hostile.server.answers["/simple/torch/"] = (200, {"Content-Length": str(len(body))}, body)
        with pytest.raises(Problem, match=r"addon\.no_index"):
            resolve(hostile)


def test_a_large_description_is_not_read(hostile: WheelIndex) -> None:
    wheel = hostile.add("torch", cuda.TORCH, {})
    hostile.pages["torch"].clear()
    hostile.list(wheel, "torch", b"x" * (index._LARGEST_DESCRIPTION + 1))
    with pytest.raises(Problem, match=r"addon\.no_index"):
        resolve(hostile)


def test_what_pytorch_needs_is_far_from_the_bounds(hostile: WheelIndex) -> None:
    """Of packages with as many files, requirements and extras as the real ones have."""
    names = [f"nvidia-p{number}" for number in range(26)]
    extra = ["nvidia-none>=1.0; extra == 'test'", "nvidia-other<9; python_version < '3' and os_name == 'nt'"] * 30
    for name in ("torch", *names):
        version = cuda.TORCH if name == "torch" else "1"
        hostile.add(name, version, {}, [*(f"{each}==1; os_name != 'a'" for each in names if name == "torch"), *extra])
        sound = hostile.pages[name][0]
        old = [f"{name.replace('-', '_')}-0.{number}-cp311-cp311-manylinux_2_28_x86_64.whl" for number in range(300)]
        hostile.pages[name] += [{**sound, "filename": each} for each in old]
    hostile.publish()
    asked = PackageIndex(hostile.url, lambda host: None)
    assert len(asked.resolve(TORCH, frozenset())) == 27
    assert asked._requests == 54 < index._MOST_REQUESTS / 5
    assert asked._work < index._MOST_WORK / 5


RECORD = f"{NAME}.dist-info/RECORD"


def unpack(wheel: Path, site: Path) -> None:
    wheels.unpack(wheel, site, lambda size: None, lambda: None)


def test_a_huge_list_of_files_is_not_unpacked(tmp_path: Path) -> None:
    wheel = tmp_path / f"{NAME}-py3-none-any.whl"
    write(wheel, NAME, {"torch.py": b""}, record=" " * (wheels._LONGEST_LIST + 1))
    with pytest.raises(Problem, match=r"addon\.damaged"):
        unpack(wheel, tmp_path / "site")
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize("lines", [b"\n" * 1_000_000, b"torch.py,,\n" * (wheels._MOST + 1), b"torch.py,,\n\n", b"\xff"])
def test_a_list_that_is_none_is_not_gone_through(tmp_path: Path, lines: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / RECORD).parent.mkdir()
    (tmp_path / RECORD).write_bytes(lines)
    (tmp_path / "torch.py").touch()
    looked: list[str] = []
    there = wheels._is_here
    monkeypatch.setattr(wheels, "_is_here", lambda folder, path, size: looked.append(path) or there(folder, path, size))
    assert not wheels.is_unpacked(f"{NAME}-py3-none-any.whl", tmp_path)
    assert len(looked) <= 1


def test_an_archive_of_millions_of_files_is_not_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wheels, "_LONGEST_LIST", 5000)
    wheel = tmp_path / f"{NAME}-py3-none-any.whl"
    write(wheel, NAME, {f"{number}.py": b"" for number in range(100)})
    made: list[object] = []
    known = zipfile.ZipInfo.__init__
    monkeypatch.setattr(zipfile.ZipInfo, "__init__", lambda *given, **more: made.append(1) or known(*given, **more))
    with pytest.raises(Problem, match=r"addon\.damaged"):
        unpack(wheel, tmp_path / "site")
    assert not made


def test_a_file_that_is_a_folder_too_is_damaged(tmp_path: Path) -> None:
    wheel = tmp_path / f"{NAME}-py3-none-any.whl"
    write(wheel, NAME, {"a": b"", "a/b": b""})
    with pytest.raises(Problem, match=r"addon\.damaged"):
        unpack(wheel, tmp_path / "site")


def test_any_folder_may_lie_in_a_wheel(hostile: WheelIndex) -> None:
    hostile.add("torch", cuda.TORCH, {"odd.dist-info/x": b"", "torch.py": b""}, ["nvidia-x"])
    hostile.add("nvidia-x", "1", {"x.py": b""})
    plan = cuda.plan(hostile.url, lambda host: None)

    def stop(what: str, done: int, total: int) -> None:
        if done == plan.wheels[0].size:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):  # so that it lies in the folder that the next command tidies
        cuda.install(plan, stop)
    cuda.install(plan, lambda what, done, total: None)
    assert cuda.found() is not None


def test_sizes_in_a_page_are_numbers_within_reason() -> None:
    page = {"files": [{"filename": f"{NAME}-py3-none-any.whl", "url": "http://a/" + "x" * 5000, "size": 1,
                       "hashes": {"sha256": "0" * 64}, "core-metadata": {"sha256": "0" * 64}}]}  # fmt: skip
    assert not PackageIndex("http://a/simple", lambda host: None)._described(
        "torch", "http://a/", json.dumps(page).encode()
    )
