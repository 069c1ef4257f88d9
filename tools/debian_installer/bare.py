"""A bare Debian in a folder, as somebody's computer: people, a screen, memory of its own, and no network for Galley.

Made by debootstrap from the package archive that this computer uses. Everything that is started in it ends, and every
mount is gone, when the process that made it ends: `in_own_namespaces` sees to that.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
_MARK = "GALLEY_INSTALLER_NAMESPACES"
_MEMORY = Path("/sys/fs/cgroup/memory")

Text = subprocess.CompletedProcess[str]


def in_own_namespaces() -> None:
    """Go on in this program's own mount and process namespaces. Exits with a sentence where that is not allowed."""
    if os.environ.get(_MARK):
        return
    needed = [
        name for name in ("debootstrap", "unshare", "chroot", "Xvfb", "xdotool", "import") if not shutil.which(name)
    ]
    if needed or os.geteuid() != 0:
        print(
            f"This needs root, and on Debian the packages debootstrap, xvfb, xdotool, imagemagick: {needed}",
            file=sys.stderr,
        )
        sys.exit(2)
    os.environ[_MARK] = "1"
    own = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    os.execvp(own[0], [*own, sys.executable, "-m", "tools.debian_installer", *sys.argv[1:]])


@dataclass
class Root:
    """The folder, in which `make` puts the system."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)

    def make(self, kept: Path) -> None:
        """A fresh system; `kept` is an archive of it that saves time."""
        release, address = _archive()
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        if not kept.exists():
            command = ["debootstrap", "--variant=minbase", release, str(self.folder), address]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            subprocess.run(["tar", "-C", str(self.folder), "-cf", str(kept), "."], check=True)
        else:
            subprocess.run(["tar", "-C", str(self.folder), "-xf", str(kept)], check=True)
        for what, place in (("/proc", "proc"), ("/dev", "dev"), ("/tmp/.X11-unix", "tmp/.X11-unix")):
            self.share(Path(what), place)
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(self.folder / "dev" / "shm")], check=True)
        (self.folder / "dev" / "shm").chmod(0o1777)
        (self.folder / "people").mkdir()
        shutil.copy2("/etc/resolv.conf", self.folder / "etc" / "resolv.conf")
        for name in Path("/etc/apt/apt.conf.d").glob("99*"):  # how this computer reaches the archive
            shutil.copy2(name, self.folder / "etc" / "apt" / "apt.conf.d")
        self.run("apt-get", "update", "-q", network=True)

    def share(self, what: Path, place: str) -> None:
        """Let the system see a folder of this computer."""
        what.mkdir(parents=True, exist_ok=True)
        there = self.folder / place
        there.mkdir(parents=True, exist_ok=True)
        subprocess.run(["mount", "--bind", str(what), str(there)], check=True)

    def add_person(self, name: str) -> Path:
        """Somebody who uses the system; the home folder, as this computer sees it."""
        self.run("useradd", "--create-home", "--base-dir", "/people", name)
        return self.folder / "people" / name

    def command(self, *command: str, person: str = "root", network: bool = False) -> list[str]:
        """What runs a command in the system, without a network unless it is wanted."""
        home = "/root" if person == "root" else f"/people/{person}"
        variables = {
            "HOME": home,
            "PATH": _PATH,
            "LANG": "C.UTF-8",
            "DEBIAN_FRONTEND": "noninteractive",
            **self.environment,
        }
        apart = [] if network else ["unshare", "--net"]
        inside = ["chroot", f"--userspec={person}:{person}", str(self.folder), "/usr/bin/env", "-i", "-C", home]
        return [*apart, *inside, *(f"{name}={value}" for name, value in variables.items()), *command]

    def run(self, *command: str, person: str = "root", network: bool = False, status: int | None = 0) -> Text:
        """Run a command in the system. AssertionError where its exit status is not `status`, or where it shows a
        traceback."""
        whole = self.command(*command, person=person, network=network)
        done = subprocess.run(whole, capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL)
        said = f"{' '.join(command)}: {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
        assert status is None or done.returncode == status, said
        assert "Traceback" not in done.stdout + done.stderr, said
        return done

    def install(self, *what: str, status: int = 0) -> Text:
        """Let the package manager do something."""
        return self.run("apt-get", "-qy", "--no-install-recommends", *what, network=True, status=status)

    @contextlib.contextmanager
    def running(self, *command: str, person: str) -> Iterator[subprocess.Popen[bytes]]:
        """A command that goes on; killed in the end, if it has not ended by itself."""
        whole = self.command(*command, person=person)
        process = subprocess.Popen(whole, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def has(self, place: str) -> bool:
        """Whether there is something at an absolute path of the system."""
        return os.path.lexists(self.folder / place.lstrip("/"))

    def state(self, place: str) -> dict[str, tuple[int, int, int]]:
        """Size, permissions and time of every file below a folder of the system."""
        top = self.folder / place.lstrip("/")
        found = {}
        for file in top.rglob("*"):
            about = file.lstat()
            found[str(file.relative_to(top))] = (about.st_size, about.st_mode, about.st_mtime_ns)
        return found


def _archive() -> tuple[str, str]:
    """The release of Debian and the address of its packages, as this computer's package manager knows them."""
    command = ["apt-get", "indextargets", "--format", "$(RELEASE) $(REPO_URI)", "Created-By: Packages"]
    listed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    release, _, address = listed.splitlines()[0].partition(" ")
    return release, address


class Screen:
    """A screen of this computer that the system can draw on."""

    def __init__(self, root: Root) -> None:
        number = next(each for each in range(90, 200) if not Path(f"/tmp/.X11-unix/X{each}").exists())
        self.name = f":{number}"
        command = ["Xvfb", self.name, "-screen", "0", "1280x800x24", "-nolisten", "tcp", "-ac"]
        self._server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(lambda: Path(f"/tmp/.X11-unix/X{number}").exists(), 10)
        root.environment["DISPLAY"] = self.name

    def windows(self) -> Sequence[str]:
        """The numbers of the Galley windows that are shown."""
        command = ["xdotool", "search", "--onlyvisible", "--class", "galley"]
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "DISPLAY": self.name})
        return done.stdout.split()

    def shows(self, area: str) -> bool:
        """Whether there is anything but one colour in an area."""
        command = ["import", "-display", self.name, "-window", "root", "-crop", area, "-format", "%k", "info:"]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout not in ("", "1")

    def picture(self, file: Path) -> None:
        """Keep what it shows."""
        subprocess.run(["import", "-display", self.name, "-window", "root", str(file)], check=True)

    def close(self) -> None:
        """Switch it off."""
        self._server.terminate()
        self._server.wait()


@contextlib.contextmanager
def little_memory(size: int) -> Iterator[Path | None]:
    """A group of processes that gets `size` bytes of memory and no swap; None where no group can be made."""
    group = _MEMORY / f"galley-{os.getpid()}-{time.monotonic_ns()}"
    try:
        group.mkdir()
        (group / "memory.limit_in_bytes").write_text(str(size))
    except OSError:
        yield None
        return
    try:
        yield group
    finally:
        with contextlib.suppress(OSError):
            group.rmdir()


def until(true: object, seconds: float) -> float:
    """Wait until a function gives something; how long that took. AssertionError after `seconds`."""
    assert callable(true)
    began = time.monotonic()
    while not true():
        assert time.monotonic() - began < seconds, f"not within {seconds} s"
        time.sleep(0.05)
    return time.monotonic() - began
