"""Downloads: every byte or nothing, from a hub on loopback, whatever happens on the way."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import huggingface_hub.constants
import pytest

from desktop_app.app.presentation.problems import sentence
from desktop_app.app.presentation.wording import servers, size
from desktop_app.checkpoints import download, installed
from desktop_app.checkpoints import server as transfer
from desktop_app.engine import model_list
from desktop_app.problems import Problem
from desktop_app.texts import _
from tests import random_models
from tests.command import GALLEY
from tests.hub_server import COMMIT, HubServer, serving
from tests.waiting import wait_until

if sys.platform != "win32":
    import resource

NAME, REPOSITORY = "toy", "tests/toy"
WEIGHTS = "model.safetensors"


def fetch(server: HubServer, **options: Callable[[], bool]) -> installed.Installed:
    return download.download(REPOSITORY, server.url, progress=lambda what, done, total: None, **options)


def galley(*arguments: str, **environment: str) -> subprocess.Popen[str]:
    """The command line in a process of its own, which may reach the hub."""
    command = [*GALLEY, "models", *arguments]
    own = {**os.environ, "HF_HUB_OFFLINE": "0", **environment}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=own)


def finish(child: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = child.communicate()
    return child.returncode, out, err


def servers_of(mirror: str) -> str:
    """What is said before a download."""
    return servers(model_list.source(mirror))


def installed_as_toy() -> str:
    """What is said when the toy model is here."""
    said = "{name} is installed ({size}). Use it: galley transcribe FILE --target {name}"
    return _(said, name=NAME, size=size(600_000)) + "\n"


def assert_whole(home: Path, repository: Path) -> None:
    """The model is there byte for byte, with nothing beside it."""
    folder = home / "data" / "models" / NAME
    there = {file.name for file in folder.iterdir()}
    assert there == {
        *("config.json", "generation_config.json", "preprocessor_config.json", "tokenizer.json"),
        *(WEIGHTS, "galley.json"),
    }
    for file in there - {"galley.json"}:
        assert (folder / file).read_bytes() == (repository / file).read_bytes()
    assert [entry.name for entry in folder.parent.iterdir()] == [NAME]


def test_a_model_is_fetched_whole_and_told_to_nobody_else(home: Path, repository: Path, server: HubServer) -> None:
    status, out, err = finish(galley("download", REPOSITORY, "--mirror", server.url, HF_TOKEN="hf_secret"))
    assert (status, out) == (0, "")
    assert err == f"{servers_of(server.url)}\n{installed_as_toy()}"
    assert_whole(home, repository)
    about = json.loads((home / "data" / "models" / NAME / "galley.json").read_text())
    assert (about["name"], about["repository"], about["revision"]) == (NAME, REPOSITORY, COMMIT)
    assert {part["name"]: part["sha256"] for part in about["files"]}[WEIGHTS] == sha256(repository / WEIGHTS)
    asked = {each.split()[1].rpartition("/")[2] for each in server.requests}
    assert not asked & {"pytorch_model.bin", "model.fp32.safetensors", "README.md", "kotoba.py", "agent-harnesses"}
    for headers in server.headers:
        assert headers["user-agent"].startswith("galley/") and "torch" not in headers["user-agent"]
        known = {"accept", "accept-encoding", "connection", "host", "range", "user-agent"}
        assert {name.lower() for name in headers} <= known, "no log-in, and nothing that tells one user from another"
    assert installed.verify(NAME, lambda what, done, total: None)


def sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def in_parts(folder: Path) -> Path:
    """A toy model whose weights an index names."""
    random_models.toy(folder)
    (folder / WEIGHTS).rename(folder / "model-00001-of-00001.safetensors")
    index = {"weight_map": {"model.encoder.conv1.weight": "model-00001-of-00001.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    return folder


def test_broken_connections_are_taken_up_again(home: Path, repository: Path, server: HubServer) -> None:
    server.cuts = {WEIGHTS: [100_000, 50_000, 1, 0, 0, 0, 0, 30_000], "config.json": [10]}
    server.errors = [503, 429]
    fetch(server)
    assert_whole(home, repository)
    begins = [each.rpartition("=")[2] for each in server.fetched(WEIGHTS) if "bytes=" in each]
    assert begins == ["100000-", "150000-", *["150001-"] * 5, "180001-"]


def test_a_server_without_ranges_is_asked_for_everything_again(home: Path, repository: Path, server: HubServer) -> None:
    server.ranges, server.cuts = False, {WEIGHTS: [100_000, 50_000]}
    fetch(server)
    assert_whole(home, repository)


def test_a_connection_that_gives_nothing_is_given_up_and_what_came_is_kept(
    home: Path, repository: Path, server: HubServer
) -> None:
    server.cuts = {WEIGHTS: [100_000, *[0] * 50]}
    with pytest.raises(Problem, match="unreachable"):
        fetch(server)
    assert installed.unfinished()[NAME] > 100_000
    assert list(installed.names()) == ["base"]
    server.cuts, server.requests = {}, []
    fetch(server)
    assert_whole(home, repository)
    assert server.fetched(WEIGHTS) == [f"GET /cdn/{REPOSITORY}/{WEIGHTS} bytes=100000-"]
    assert not server.fetched("tokenizer.json")


@pytest.mark.skipif(sys.platform == "win32", reason="sends signals")
@pytest.mark.parametrize(("end", "status"), [(signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130)])
def test_a_killed_download_goes_on_where_it_stopped(
    home: Path, repository: Path, server: HubServer, end: signal.Signals, status: int
) -> None:
    server.stall = (WEIGHTS, 200_000)
    child = galley("download", REPOSITORY, HF_ENDPOINT=server.url)
    partial = home / "data" / "models" / ".partial" / NAME
    wait_until(lambda: any(part.stat().st_size == 200_000 for part in partial.glob(f"{WEIGHTS}.*.part")))
    child.send_signal(end)
    found, _out, err = finish(child)
    assert found == status
    said = "" if end == signal.SIGKILL else _("Interrupted. Repeat the command to resume the download.") + "\n"
    assert err == f"{servers_of(server.url)}\n{said}"
    assert list(installed.names()) == ["base"]
    server.stall = None
    assert finish(galley("download", REPOSITORY, HF_ENDPOINT=server.url))[0] == 0
    assert_whole(home, repository)
    assert server.fetched(WEIGHTS)[-1].endswith("bytes=200000-")


@pytest.mark.parametrize("file", [WEIGHTS, "config.json"])
def test_a_wrong_hash_leaves_nothing_behind(home: Path, repository: Path, server: HubServer, file: str) -> None:
    data = bytearray((repository / file).read_bytes())
    data[len(data) // 2] ^= 1
    server.lies = {file: bytes(data)}
    with pytest.raises(Problem, match=f"download.hash file='{file}'"):
        fetch(server)
    assert list((home / "data" / "models").iterdir()) == []


@pytest.mark.parametrize("change", [-1000, 1000])
def test_a_file_of_another_length_is_not_taken(home: Path, repository: Path, server: HubServer, change: int) -> None:
    data = (repository / WEIGHTS).read_bytes()
    server.lies = {WEIGHTS: data[:change] if change < 0 else b"x" * change + data}
    with pytest.raises(Problem, match=f"other_answer file='{WEIGHTS}'"):
        fetch(server)
    assert list(installed.names()) == ["base"]
    server.lies = {}
    fetch(server)
    assert_whole(home, repository)


def test_only_a_pickle_is_refused_by_name(home: Path, tmp_path: Path, server: HubServer) -> None:
    folder = random_models.toy(tmp_path / NAME)
    (folder / WEIGHTS).rename(folder / "pytorch_model.bin")
    server.repositories[REPOSITORY] = folder
    with pytest.raises(Problem, match="pickle file='pytorch_model"):
        fetch(server)
    assert len(server.requests) == 1
    assert list((home / "data" / "models").iterdir()) == []


def test_parts_of_a_model_are_those_that_its_index_names(home: Path, tmp_path: Path, server: HubServer) -> None:
    server.repositories[REPOSITORY] = in_parts(tmp_path / NAME)
    (tmp_path / NAME / "model-00001-of-00009.safetensors").write_bytes(b"of another model")
    found = {file.name for file in fetch(server).folder.glob("model*")}
    assert found == {"model-00001-of-00001.safetensors", "model.safetensors.index.json"}


def test_a_download_that_is_cancelled_keeps_what_came(home: Path, repository: Path, server: HubServer) -> None:
    server.stall = (WEIGHTS, 200_000)
    server.go_on.set()
    with pytest.raises(download.DownloadCancelled):
        fetch(server, cancelled=lambda: installed.unfinished().get(NAME, 0) > 200_000)
    server.stall = None
    fetch(server)
    assert_whole(home, repository)


def test_what_a_killed_copy_of_a_model_with_a_draft_left_is_in_nobodys_way(
    home: Path, repository: Path, server: HubServer
) -> None:
    left = home / "data" / "models" / ".partial" / NAME / "draft"
    left.mkdir(parents=True)
    (left / "config.json").write_text("{}")
    fetch(server)
    assert_whole(home, repository)


def test_two_at_once_do_not_meet(server: HubServer) -> None:
    with installed.staging(NAME), pytest.raises(Problem, match="busy name='toy'"):
        fetch(server)


# A full disk


@pytest.fixture
def small_disk(home: Path) -> Iterator[Callable[[int], None]]:
    """Lets the disk of the models hold that many bytes: a file system of its own where the tests may mount one, else a
    limit on the size of files.
    """
    folder = home / "data" / "models"
    folder.mkdir(parents=True)
    mounted = False
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE) if sys.platform != "win32" else (0, 0)

    def resize(size: int) -> None:
        nonlocal mounted
        again = "remount," if mounted else ""
        command = ["mount", "-t", "tmpfs", "-o", f"{again}size={size}", "galley-tests", str(folder)]
        if mounted or shutil.which("mount"):
            mounted = subprocess.run(command, capture_output=True, check=mounted).returncode == 0
        if not mounted:
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))

    yield resize
    if mounted:
        subprocess.run(["umount", str(folder)], check=True)
    else:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.skipif(sys.platform == "win32", reason="neither mounts a file system nor limits the size of files")
def test_a_full_disk_is_said_and_the_download_goes_on_when_there_is_room(
    home: Path, repository: Path, server: HubServer, small_disk: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    small_disk(300 * 1024)
    monkeypatch.setattr(installed, "check_room", lambda folder, size: None)  # the room went away afterwards
    with pytest.raises(OSError) as caught:  # noqa: PT011
        fetch(server)
    assert installed.disk_problem(caught.value).code == "disk.full"
    assert list(installed.names()) == ["base"]
    small_disk(100 << 20)
    server.requests.clear()
    fetch(server)
    assert_whole(home, repository)
    assert "bytes=" in server.fetched(WEIGHTS)[0]


def test_too_little_room_is_said_before_anything_is_fetched(
    home: Path, server: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(home)._replace(free=30_000_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: usage)
    with pytest.raises(Problem, match=r"no_room needed='0.05' free='0.03'"):
        fetch(server)
    assert len(server.requests) == 1
    assert list((home / "data" / "models").iterdir()) == []


# The way to the hub


def test_nothing_is_contacted_that_was_not_asked_for(home: Path, repository: Path, server: HubServer) -> None:
    own = Path(shutil.copytree(repository, home / "from elsewhere" / NAME))
    actions = (["list"], ["list", "--json"], ["add", str(own)], ["verify", NAME], ["remove", NAME])
    program = f"from desktop_app import cli; print([cli.main(['models', *each]) for each in {actions}])"
    environment = {**os.environ, "HF_HUB_OFFLINE": "0", "HF_ENDPOINT": server.url}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    assert done.stdout.endswith("[0, 0, 0, 0, 0]\n"), done.stderr
    assert server.requests == []


def test_the_mirror_of_the_settings_is_used(home: Path, repository: Path, server: HubServer) -> None:
    (home / "data").mkdir()
    (home / "data" / "settings.ini").write_text(f"[General]\ndraft=auto\nmirror={server.url}/\n")
    assert finish(galley("download", REPOSITORY))[0] == 0
    assert_whole(home, repository)


def test_the_proxy_of_the_environment_is_used(home: Path, repository: Path, server: HubServer) -> None:
    child = galley("download", REPOSITORY, "--mirror", "http://models.invalid", HTTP_PROXY=server.url, NO_PROXY="")
    status, _out, err = finish(child)
    line, _, rest = err.partition("\n")
    assert (status, rest) == (0, installed_as_toy())
    assert f" {server.url.removeprefix('http://')}." in line
    assert_whole(home, repository)


def test_certificates_that_the_system_trusts_are_trusted(home: Path, repository: Path) -> None:
    certificate = Path(__file__).with_name("loopback.pem")
    with serving(certificate) as server:
        server.repositories[REPOSITORY] = repository
        status, _out, err = finish(galley("download", REPOSITORY, "--mirror", server.url))
        assert (status, err) == (1, f"{servers_of(server.url)}\ntoy: {sentence(Problem('download.certificate'))}\n")
        child = galley("download", REPOSITORY, "--mirror", server.url, SSL_CERT_FILE=str(certificate))
        assert finish(child)[0] == 0
    assert_whole(home, repository)


def test_where_no_hub_is_the_sentence_says_so(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving() as gone:
        pass
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    with pytest.raises(Problem, match="unreachable"):
        fetch(gone)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(Problem, match="offline"):
        fetch(gone)


def test_a_model_that_is_not_there_is_said(home: Path, server: HubServer) -> None:
    with pytest.raises(Problem, match="not_found repository='tests/other'"):
        download.download("tests/other", server.url, progress=lambda what, done, total: None)
    server.errors = [500] * transfer.TRIES
    with pytest.raises(Problem, match="busy status=500"):
        fetch(server)
    server.requests, server.errors = [], [404]
    with pytest.raises(Problem, match="status status=404"):
        fetch(server)
    assert len(server.requests) == 1
    server.errors = [200]  # a page of some other server
    with pytest.raises(Problem, match=r"not_a_hub host='127[\d.:]+'"):
        fetch(server)
    assert list((home / "data" / "models").iterdir()) == []
