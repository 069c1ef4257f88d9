"""PyTorch for CUDA as an add-on: what is needed is found out and shown, what arrives is whole or not there, from an
index on loopback with tiny wheels. A real CUDA build was not run: no GPU was at hand.
"""

from __future__ import annotations

import importlib
import io
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from desktop_app import cli
from desktop_app.addons import cuda, wheels
from desktop_app.addons.index import PackageIndex
from desktop_app.app.presentation import problems
from desktop_app.app.presentation.wording import size
from desktop_app.app.system import about
from desktop_app.checkpoints import installed
from desktop_app.checkpoints.folder import read
from desktop_app.engine import probe, pytorch
from desktop_app.messages.model_work import AddTorch
from desktop_app.messages.questions import InferenceDevices
from desktop_app.messages.training import TrainDraft
from desktop_app.problems import Problem
from desktop_app.texts import _
from desktop_app.worker import model_tasks, runtime
from tests import random_models
from tests.hub_server import HubServer
from tests.wheel_index import WheelIndex, write
from tests.works import perform_here

LIBRARY = os.urandom(300_000)


@pytest.fixture
def index(package_server: HubServer, tmp_path: Path, home: Path) -> WheelIndex:
    """As the real one: libraries behind an extra, what is not for this system, versions that do not fit together."""
    made = WheelIndex(package_server, tmp_path / "index")
    made.add(
        "torch", cuda.TORCH, {"torch/__init__.py": b"from nvidia import cublas", "torch/lib/libtorch.so": LIBRARY},
        ["cuda-toolkit[cublas]==13.0.3; python_version >= '3'", "sympy>=1.13", "triton==3.7.1", "setuptools>=77",
         "nothing; sys_platform == 'amiga'", "other; extra == 'other'"],
    )  # fmt: skip
    made.add("torch", "99.0", {"torch/__init__.py": b""})
    made.add(
        "cuda-toolkit", "13.0.3.0", {}, ["nvidia-cublas==13.1.*; extra == 'cublas'", "nvidia-nvtx; extra == 'nvtx'"]
    )
    made.add(
        "nvidia-cublas", "13.1.1", {"nvidia/cublas/__init__.py": b"here = True", "nvidia/cublas/libcublas.so": LIBRARY}
    )
    made.add("nvidia-cublas", "13.2", {"nvidia/cublas/__init__.py": b""})
    made.add("nvidia-cublas", "13.1.9", {"nvidia/cublas/__init__.py": b""}, tag="cp39-cp39-win32")
    made.add(
        "sympy",
        "1.14",
        {"sympy-1.14.data/purelib/sympy.py": b"", "sympy-1.14.data/scripts/isympy": b"#!"},
        ["mpmath<1.4"],
    )
    made.add("sympy", "1.15", {"sympy.py": b"bad"}, yanked="broken")
    made.add("mpmath", "1.4", {"mpmath.py": b""})
    made.add("mpmath", "1.3", {"mpmath.py": b"good = True"})
    made.add("mpmath", "1.3.9", {"mpmath.py": b""}, **{"requires-python": "<3"})
    made.add("mpmath", "1.3.8rc1", {"mpmath.py": b""})
    return made


def planned(index: WheelIndex) -> cuda.DownloadPlan:
    return cuda.plan(index.url, lambda host: None)


def add(index: WheelIndex) -> None:
    cuda.install(planned(index), lambda what, done, total: None)


def test_what_fits_together_is_found_and_every_host_named_before(index: WheelIndex) -> None:
    named: list[str] = []
    asked = index.server.requests

    def contacting(host: str) -> None:
        assert not asked
        named.append(host)

    plan = cuda.plan(index.url, contacting)
    assert {(wheel.name, str(wheel.version)) for wheel in plan.wheels} == {
        *(("torch", cuda.TORCH), ("cuda-toolkit", "13.0.3.0"), ("nvidia-cublas", "13.1.1")),
        *(("sympy", "1.14"), ("mpmath", "1.3")),
    }
    assert named == plan.hosts == [index.server.url.removeprefix("http://")]
    assert plan.bytes == sum((index.folder / wheel.file).stat().st_size for wheel in plan.wheels)
    assert not [each for each in asked if each.endswith(".whl")], "nothing is downloaded yet"
    for headers in index.server.headers:
        assert headers["User-Agent"] == "galley" and not {"Authorization", "Cookie"} & set(headers)


def test_it_is_asked_for_downloaded_listed_used_and_removed(
    index: WheelIndex, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The whole way on the command line: size and hosts first, a question, then the add-on, which another process
    imports torch from."""
    host = index.server.url.removeprefix("http://")
    monkeypatch.setattr(about, "build", lambda: about.Build("", "", {}, index=index.url))
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    assert cli.main(["devices", "add", "cuda"]) == 2  # nobody is at the terminal
    assert not index.server.requests and not cuda.folder().exists()
    for answer, status in (("\n", 1), ("n\n", 1), (_("yes") + "\n", 0)):
        terminal = io.StringIO(answer)
        terminal.isatty = lambda: True  # type: ignore[method-assign]
        monkeypatch.setattr(sys, "stdin", terminal)
        capsys.readouterr()
        assert cli.main(["devices", "add", "cuda"]) == status
        said = capsys.readouterr().err
        assert said.startswith(_("Asking {host}…", host=host)) and size(planned_bytes(index)) in said
        assert said.count(host) == 2
        assert cuda.folder().exists() is (status == 0)
    assert [each.name for each in cuda.folder().parent.iterdir()] == ["cuda"]
    assert not (cuda.folder() / "isympy").exists() and (cuda.folder() / "sympy.py").exists()
    assert cli.main(["devices", "add", "cuda", "--yes"]) == 1
    assert problems.sentence(Problem("addon.installed", version=cuda.TORCH)) in capsys.readouterr().err
    here = cuda.found()
    assert here is not None and here.fits and here.bytes > 2 * len(LIBRARY)
    assert imports_torch() == "True"
    assert cli.main(["devices", "remove", "cuda"]) == 0
    assert not any(cuda.folder().parent.iterdir()) and cuda.found() is None
    assert cli.main(["devices", "remove", "cuda"]) == 1


def planned_bytes(index: WheelIndex) -> int:
    chosen = ("torch-2", "cuda_toolkit", "nvidia_cublas-13.1.1", "sympy-1.14", "mpmath-1.3-")
    return sum(file.stat().st_size for file in index.folder.iterdir() if file.name.startswith(chosen))


def imports_torch() -> str:
    """What a process that has no torch of its own says after `use`: whether it got the add-on's, libraries and all."""
    program = (
        "import importlib.util as u, sys; find = u.find_spec; u.find_spec = lambda name: None;"
        "from desktop_app.addons import cuda; cuda.use(); u.find_spec = find;"
        "import torch; print(torch.__file__.startswith(str(cuda.folder())) and torch.cublas.here)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    return done.stdout.strip() or done.stderr


def test_a_broken_connection_is_resumed_and_so_is_a_broken_command(index: WheelIndex) -> None:
    torch = next(file.name for file in index.folder.iterdir() if file.name.startswith(f"torch-{cuda.TORCH}"))
    cublas = next(file.name for file in index.folder.iterdir() if file.name.startswith("nvidia_cublas-13.1.1"))
    index.server.cuts = {torch: [100_000, 0, 50_000]}

    def stop(what: str, done: int, total: int) -> None:
        if (what, done > 350_000) == ("Downloading", True):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cuda.install(planned(index), stop)
    assert not cuda.folder().exists()
    assert len(fetched(index, torch)) == 4, "three connections broke off"
    index.server.requests.clear()
    add(index)
    assert not fetched(index, torch), "it was unpacked already"
    assert "bytes=" in fetched(index, cublas)[0]
    assert (cuda.folder() / "nvidia" / "cublas" / "libcublas.so").read_bytes() == LIBRARY


def fetched(index: WheelIndex, wheel: str) -> list[str]:
    """The requests for the bytes of a wheel, without those for its description."""
    return [each for each in index.server.fetched(wheel) if not each.endswith(".metadata")]


def test_a_wheel_with_another_hash_is_thrown_away(index: WheelIndex) -> None:
    wheel = next(file for file in index.folder.iterdir() if file.name.startswith("nvidia_cublas-13.1.1"))
    index.server.lies = {wheel.name: wheel.read_bytes()[:-1] + b"x"}
    with pytest.raises(Problem, match=r"download\.hash"):
        add(index)
    assert not cuda.folder().exists()
    index.server.lies = {}
    add(index)
    assert cuda.found() is not None


def broken(name: str) -> Callable[[Path], None]:
    """What makes a wheel of mpmath that is not sound, though its hash is what the index says."""
    stem = "mpmath-1.3"

    def link(wheel: Path) -> None:
        write(wheel, stem, {"mpmath.py": b""})
        with zipfile.ZipFile(wheel, "a") as archive:
            info = zipfile.ZipInfo("mpmath_link")
            info.external_attr = 0o120777 << 16
            archive.writestr(info, "/etc/passwd")

    return {
        "nothing": lambda wheel: wheel.write_bytes(b"x" * 100),
        "cut": lambda wheel: (write(wheel, stem, {"a.py": LIBRARY}), wheel.write_bytes(wheel.read_bytes()[:50_000])),
        "flipped": lambda wheel: (write(wheel, stem, {"a.py": LIBRARY}), _flip(wheel)),
        "outside": partial(write, stem=stem, files={"../../evil.py": b""}),
        "absolute": partial(write, stem=stem, files={"/evil.py": b""}),
        "backslash": partial(write, stem=stem, files={"..\\evil.py": b""}),
        "link": link,
        "no list": partial(write, stem=stem, files={"a.py": b""}, record=""),
        "list of more": partial(write, stem=stem, files={"a.py": b""}, record="gone.py,,3\n"),
    }[name]  # type: ignore[return-value]


def _flip(wheel: Path) -> None:
    data = bytearray(wheel.read_bytes())
    data[100_000] ^= 1
    wheel.write_bytes(data)


@pytest.mark.parametrize("name", ["nothing", "cut", "flipped", "outside", "absolute", "backslash", "link"])
def test_a_wheel_that_is_not_sound_is_one_sentence(tmp_path: Path, name: str) -> None:
    """And nothing of it is written outside its folder."""
    wheel, site = tmp_path / "mpmath-1.3-py3-none-any.whl", tmp_path / "room" / "deep" / "site"
    broken(name)(wheel)
    with pytest.raises(Problem, match=r"addon\.damaged"):
        wheels.unpack(wheel, site, lambda size: None, lambda: None)
    assert not list(tmp_path.rglob("evil.py")) and not wheels.is_unpacked(wheel.name, site)


@pytest.mark.parametrize("name", ["no list", "list of more"])
def test_a_wheel_whose_list_of_files_is_wrong_is_not_installed(index: WheelIndex, name: str) -> None:
    wheel = index.folder / "mpmath-1.3-py3-none-any.whl"
    broken(name)(wheel)
    index.pages["mpmath"].clear()
    index.list(wheel, "mpmath", b"Metadata-Version: 2.1\nName: mpmath\nVersion: 1.3\n")
    with pytest.raises(Problem, match=r"addon\.damaged"):
        add(index)
    assert not cuda.folder().exists()


def test_a_full_disk_is_said_before_and_while(index: WheelIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned(index)
    room = [10_000]
    usage = type("Usage", (), {"free": property(lambda self: room[0])})
    monkeypatch.setattr(installed.shutil, "disk_usage", lambda path: usage())
    index.server.requests.clear()
    with pytest.raises(Problem, match=r"disk\.no_room") as refused:
        cuda.install(plan, lambda *step: None)
    assert str(cuda.folder()) in problems.sentence(refused.value) and not index.server.requests
    room[0] = installed._ROOM + plan.bytes + max(wheel.size for wheel in plan.wheels)

    def fill(what: str, done: int, total: int) -> None:
        room[0] = installed._ROOM + 1000

    with pytest.raises(Problem, match=r"disk\.no_room"):
        cuda.install(plan, fill)
    monkeypatch.undo()
    assert not cuda.folder().exists()


@pytest.mark.parametrize(
    ("page", "code"),
    [
        ([], "addon.no_index"),
        ({"files": [1]}, "addon.no_index"),
        ({"files": [{"filename": f"torch-{cuda.TORCH}-py3-none-any.whl"}]}, "addon.no_index"),
        ({"files": []}, "addon.no_package"),
        (None, "addon.not_there"),
    ],
)
def test_an_index_that_is_none_or_has_no_torch_is_one_sentence(index: WheelIndex, page: object, code: str) -> None:
    del index.server.answers["/simple/torch/"]
    if page is not None:
        body = json.dumps(page).encode()
        index.server.answers["/simple/torch/"] = (200, {"Content-Length": str(len(body))}, body)
    with pytest.raises(Problem, match=code):
        planned(index)


@pytest.mark.parametrize(
    "lie",
    [
        {"hashes": {}}, {"size": None}, {"size": -1}, {"size": 1 << 60}, {"core-metadata": True},
        {"hashes": {"sha256": "0" * 63}}, {"url": "file:///etc/passwd"},
        {"filename": "../torch-2.13.0-py3-none-any.whl"},
        {"filename": f"torch-{cuda.TORCH}-py3-none-any./x.whl"},
    ],
)  # fmt: skip
def test_a_wheel_without_hash_or_size_or_with_another_name_is_not_taken(lie: dict[str, object]) -> None:
    page = "http://example.org/simple/torch/"
    sound = {
        "filename": f"torch-{cuda.TORCH}-py3-none-any.whl",
        "url": "http://example.org/torch.whl",
        "size": 1,
        "hashes": {"sha256": "0" * 64},
        "core-metadata": {"sha256": "0" * 64},
    }
    asked = PackageIndex("http://example.org/simple", lambda host: None)
    for files, count in (([sound], 1), ([sound | lie], 0)):
        assert len(asked._described("torch", page, json.dumps({"files": files}).encode())) == count


def test_a_description_with_another_hash_is_refused(index: WheelIndex) -> None:
    end = f"torch-{cuda.TORCH}-py3-none-any.whl.metadata"
    index.server.answers[end] = (200, {"Content-Length": "3"}, b"No:")
    with pytest.raises(Problem, match=r"download\.hash"):
        planned(index)


def test_torch_without_cuda_is_refused_before_it_is_downloaded(index: WheelIndex) -> None:
    """As the ordinary index has it for Windows."""
    index.pages["torch"].clear()
    index.add("torch", cuda.TORCH, {"torch.py": b""}, ["sympy"])
    with pytest.raises(Problem, match=r"addon\.no_cuda"):
        planned(index)


def test_for_training_the_window_takes_one_without_cuda_too(index: WheelIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is none for a Mac."""
    index.pages["torch"].clear()
    index.add("torch", cuda.TORCH, {"torch.py": b""}, ["sympy"])
    monkeypatch.setattr(cuda.importlib.util, "find_spec", lambda name: None)
    assert not pytorch.is_here()
    steps: list[str] = []
    perform_here(AddTorch(index.url), lambda what, done, total: steps.append(what))
    assert steps[0] == "Asking" and "Downloading" in steps and "Unpacking" in steps
    assert pytorch.is_here()
    with pytest.raises(Problem, match=r"addon\.installed"):
        perform_here(AddTorch(index.url), lambda *step: None)


def test_files_leave_an_encrypted_index_only_encrypted() -> None:
    page = {"files": [{"filename": "torch-1-py3-none-any.whl", "url": "http://example.org/torch.whl",
                       "hashes": {"sha256": "0" * 64}, "size": 1, "core-metadata": {"sha256": "0" * 64}}]}  # fmt: skip
    asked = PackageIndex("https://example.org/simple", lambda host: None)
    with pytest.raises(Problem, match=r"not_encrypted host='example.org'"):
        asked._described("torch", "https://example.org/simple/torch/", json.dumps(page).encode())


def test_one_for_another_galley_is_not_loaded_and_is_replaced(
    index: WheelIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(index)
    about_file = cuda.folder() / "galley-addon.json"
    about_file.write_text(json.dumps(json.loads(about_file.read_text()) | {"torch": "2.1"}))
    monkeypatch.setattr(cuda.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(Problem, match=r"addon\.outdated"), cuda.importing_torch():
        pytest.fail("it was used")
    assert str(cuda.folder()) not in sys.path
    add(index)
    here = cuda.found()
    assert here is not None and here.fits
    assert [each.name for each in cuda.folder().parent.iterdir()] == ["cuda"]


def transcribe(folder: Path) -> None:
    runtime.load(read(folder), "cuda", "auto", None, None)


def train(folder: Path) -> None:
    model_tasks._done(TrainDraft(folder, folder, "own"), lambda what, done, total: None, lambda stage, **values: None)


USES = {"desktop_app.runtimes.torch": transcribe, "desktop_app.training.draft": train}


@pytest.fixture(params=USES)
def use(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Something that wants PyTorch, and has not imported it yet."""
    package, _, module = request.param.rpartition(".")
    importlib.import_module(request.param)  # else there is nothing to take away
    monkeypatch.delitem(sys.modules, request.param)
    monkeypatch.delattr(sys.modules[package], module)
    return USES[request.param]


@pytest.mark.parametrize(("offered", "code"), [(True, "addon.missing"), (False, "model.no_torch")])
def test_without_it_the_installed_program_says_how_to_get_it(
    use: Callable[[Path], None], offered: bool, code: str, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And one that runs from source says what to install."""
    monkeypatch.setattr(cuda, "is_offered", lambda: offered)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(Problem, match=code):
        use(random_models.toy(tmp_path / "toy"))


@pytest.mark.parametrize(("offered", "code"), [(True, "addon.broken"), (False, "model.torch_broken")])
def test_one_that_cannot_be_loaded_is_one_sentence(offered: bool, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda, "is_offered", lambda: offered)
    with pytest.raises(Problem, match=code) as caught, cuda.importing_torch():
        raise ImportError("libcudart.so.13: no such file")
    assert caught.value.values == {"error": "libcudart.so.13: no such file"}


def test_another_missing_module_is_a_fault_of_galley() -> None:
    with pytest.raises(ModuleNotFoundError), cuda.importing_torch():
        importlib.import_module("desktop_app.nothing")


def test_source_has_no_add_on(home: Path) -> None:
    assert cli.main(["devices", "add", "cuda", "--yes"]) == 1
    assert cli.main(["devices", "remove", "cuda"]) == 1


def test_the_list_of_devices_names_the_add_on_where_there_can_be_one(
    index: WheelIndex, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        probe, "ask", lambda question, seconds=0.0: ([], None) if question != InferenceDevices() else [("CPU", "x")]
    )
    cli.main(["devices"])
    assert _("not installed; galley devices add cuda downloads it") in capsys.readouterr().out
    add(index)
    cli.main(["devices"])
    assert f"  cuda  PyTorch {cuda.TORCH}, " in capsys.readouterr().out
    monkeypatch.setattr(cuda, "is_offered", lambda: False)
    cli.main(["devices"])
    assert "cuda" not in capsys.readouterr().out


def test_the_release_is_the_one_that_is_tested() -> None:
    pins = (Path(__file__).resolve().parents[2] / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert f"torch=={cuda.TORCH}" in pins


def test_names_of_wheels_and_of_their_descriptions_are_compared_as_one(tmp_path: Path) -> None:
    assert wheels.release("Jinja2-3.1.6.dist-info") == wheels.release("jinja2-3.1.6-py3-none-any.whl")
