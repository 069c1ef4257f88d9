"""Install, use, upgrade and remove what `make installer` has put into dist, on a bare Debian.

`python -m tools.debian_installer`: each step says what it shows, and continues from the one before it. Root only;
everything lies below build/installer-test.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import virtual_microphone
from tests.chaos.cases import CLIPS
from tools.debian_installer.bare import Root, Screen, in_own_namespaces, little_memory, until

TOP = Path(__file__).resolve().parents[2]
PLACE = TOP / "build" / "installer-test"
SAMPLE = TOP / "resources" / "sample" / "conversation.flac"
INSTALLED = "/usr/lib/galley"
MOST_PACKED, MOST_INSTALLED = 335_000_000, 650_000_000  # bytes
SMALL_MEMORY = 3 << 30  # bytes: of a computer with 4 GB the rest is the system's
FIRST_TIME = "36x22+418+170"  # where the window shows the time of the first line, with its first word
LIBRARY = ".local/share/Galley/library/library.sqlite3"


def tokens(transcript: str) -> list[int]:
    """All tokens of a transcript as JSON."""
    return [token for segment in json.loads(transcript)["segments"] for token in segment["tokens"]]


def words(transcript: str) -> set[str]:
    """All words of a transcript as JSON."""
    return {word for segment in json.loads(transcript)["segments"] for word in segment["text"].split()}


def of_checkout() -> str:
    """The sample as the checkout transcribes it, as JSON."""
    home = PLACE / "checkout"
    environment = {**os.environ, "GALLEY_HOME": str(home), "PYTHONPATH": str(TOP)}
    command = [sys.executable, "-m", "desktop_app", "transcribe", "--format", "json", str(SAMPLE)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment, cwd=TOP)
    return done.stdout


def show(line: str) -> None:
    """One thing that was seen."""
    print(f"  {line}", flush=True)


class Journey:
    """The steps, and what they share: the system, its two people and its screen."""

    def __init__(self, package: Path, archive: Path) -> None:
        self.package, self.archive = package, archive
        self.root = Root(PLACE / "root")
        transcript = of_checkout()
        self.expected, self.words = tokens(transcript), words(transcript)

    def a_bare_system(self) -> None:
        """Debian without Python, build tools and a desktop; Anna and Ben use it."""
        self.root.make(PLACE / "bare.tar")
        for program in ("python3", "gcc", "make", "Xorg"):
            assert self.root.run("which", program, status=None).returncode != 0, program
        self.anna, self.ben = (self.root.add_person(name) for name in ("anna", "ben"))
        for home in (self.anna, self.ben):
            shutil.copy2(SAMPLE, home / "talk.flac")
            shutil.copy2(CLIPS / "04.flac", home / "short.flac")

    def install_the_package(self) -> None:
        """The package manager finds all that it depends on, and no Python comes along."""
        packed = self.package.stat().st_size
        assert packed <= MOST_PACKED, packed
        shutil.copy2(self.package, self.root.folder / "galley.deb")
        before = self.root.run("dpkg-query", "-f", "${Package}\n", "-W").stdout.count("\n")
        began = time.monotonic()
        self.root.install("install", "/galley.deb")
        seconds = time.monotonic() - began
        after = self.root.run("dpkg-query", "-f", "${Package}\n", "-W").stdout.count("\n")
        size = 1024 * int(self.root.run("dpkg-query", "-f", "${Installed-Size}", "-W", "galley").stdout)
        assert size <= MOST_INSTALLED, size
        assert not self.root.has("/usr/bin/python3")
        show(
            f"{packed / 1e6:.0f} MB packed, {size / 1e6:.0f} MB installed, "
            f"in {seconds:.0f} s with {after - before} packages"
        )
        self.files = self.root.state(INSTALLED)

    def check_the_computer(self) -> None:
        """`galley doctor` finds nothing wrong, and `galley --version` and the manual are there."""
        began = time.monotonic()
        version = self.root.run("galley", "--version", person="anna").stdout.splitlines()
        assert version[1].startswith("Built on "), version
        show(f"{version[0]}, said after {time.monotonic() - began:.1f} s")
        said = self.root.run("galley", "doctor", person="anna").stdout
        assert "The bundled model works" in said, said
        assert "problem " not in said, said
        assert self.root.has("/usr/share/man/man1/galley.1.gz")

    def transcribe(self) -> None:
        """The sample's tokens are those of the checkout, without a network; so they are with speakers."""
        began = time.monotonic()
        said = self.root.run("galley", "transcribe", "--format", "json", "talk.flac", person="anna").stdout
        assert tokens(said) == self.expected
        show(f"{len(self.expected)} tokens as in the checkout, after {time.monotonic() - began:.1f} s")
        said = self.root.run("galley", "transcribe", "--speakers", "auto", "talk.flac", person="anna").stdout
        assert said.startswith("Speaker 1: ") and "\nSpeaker 2: " in said, said

    def write_files(self) -> None:
        """Text, a document and a web page can be written: templates and data files of libraries are there."""
        for name in ("docx", "srt", "html"):
            to_file = ["--format", name, "--output", f"/people/anna/{name}"]
            self.root.run("galley", "transcribe", *to_file, "short.flac", person="anna")
            [written] = (self.anna / name).iterdir()
            assert written.stat().st_size, name

    def without_sound(self) -> None:
        """A computer without microphone gets one sentence."""
        done = self.root.run("galley", "record", "--seconds", "2", person="anna", status=None)
        assert done.returncode != 0 and len(done.stderr.strip().splitlines()) == 1, done
        show(done.stderr.strip())

    def with_little_memory(self) -> None:
        """A computer with 4 GB of memory transcribes the same."""
        with little_memory(SMALL_MEMORY) as group:
            if group is None:
                show("left out: no group of processes can be made here")
                return
            command = self.root.command("galley", "transcribe", "--format", "json", "talk.flac", person="anna")
            enter = ["sh", "-c", 'echo $$ > "$0"; exec "$@"', str(group / "cgroup.procs"), *command]
            done = subprocess.run(enter, check=True, stdout=subprocess.PIPE, text=True)
            assert tokens(done.stdout) == self.expected
            peak = int((group / "memory.max_usage_in_bytes").read_text())
            show(f"{peak / 1e6:.0f} MB at most, of {SMALL_MEMORY / 1e6:.0f}")

    def open_the_window(self) -> None:
        """The window opens and transcribes; the times are those of a second start. build/installer-test/window.png."""
        self.screen = Screen(self.root)
        for warm in (False, True):
            with self.root.running("galley", *(["talk.flac"] if warm else []), person="anna") as process:
                shown = until(self.screen.windows, 60)
                if warm:
                    word = until(lambda: self.screen.shows(FIRST_TIME), 60)
                    show(f"window after {shown:.1f} s, the first word {word:.1f} s later")
                    until(lambda: self.lines(self.anna), 60)
                    self.screen.picture(PLACE / "window.png")
                    os.killpg(process.pid, signal.SIGKILL)  # the computer is switched off in the middle of it
            until(lambda: not self.screen.windows(), 20)
        assert self.states(self.anna) != ["done"]

    def two_people(self) -> None:
        """Both have their window open at once; neither sees the other's recordings."""
        with self.root.running("galley", person="anna"), self.root.running("galley", "talk.flac", person="ben"):
            until(lambda: len(self.screen.windows()) >= 2, 60)
            until(lambda: self.lines(self.ben), 60)
        until(lambda: not self.screen.windows(), 20)
        assert (self.anna / ".local/share/Galley").stat().st_mode & 0o077 == 0
        self.root.run("ls", "/people/anna/.local/share/Galley", person="ben", status=2)

    def record(self) -> None:
        """A microphone is heard: what a sound server of this computer plays to the system."""
        if why := virtual_microphone.lacking():
            show(f"left out: {why}")
            return
        self.root.install("install", "libasound2-plugins")
        with pytest.MonkeyPatch.context() as patch, virtual_microphone.plugged(patch) as microphone:
            folder = Path(os.environ["XDG_RUNTIME_DIR"])
            folder.chmod(0o755)
            self.root.share(folder, str(folder).lstrip("/"))
            names = ("ALSA_CONFIG_PATH", "PULSE_SERVER", "PULSE_COOKIE")
            before = dict(self.root.environment)
            self.root.environment.update({name: os.environ[name] for name in names})
            player = microphone.play(SAMPLE)
            done = self.root.run("galley", "record", "--seconds", "12", "--output", "/people/anna/live", person="anna")
            player.kill()
            player.wait()
            self.root.environment = before
            subprocess.run(["umount", str(self.root.folder / str(folder).lstrip("/"))], check=True)
        assert len(self.words & set(done.stdout.split())) > 5, done
        assert any(file.suffix == ".flac" for file in (self.anna / "live").iterdir()), list(
            (self.anna / "live").iterdir()
        )
        show(" ".join(done.stdout.split())[:70])

    def upgrade(self) -> None:
        """Not while Galley runs; then over it, and the recording that was broken off is shown, to be resumed."""
        newer = self.newer()
        with self.root.running("galley", person="ben"):
            until(self.screen.windows, 60)
            refused = self.root.install("install", newer, status=100)
            assert "Galley is running." in refused.stderr + refused.stdout
            assert self.root.run("galley", "--version", person="anna").returncode == 0
        until(lambda: not self.screen.windows(), 20)
        before = self.states(self.anna)
        self.root.install("install", newer)
        assert self.states(self.anna) == before
        with self.root.running("galley", person="anna"):
            until(self.screen.windows, 60)
            time.sleep(3)
            self.screen.picture(PLACE / "upgraded.png")
        until(lambda: not self.screen.windows(), 20)
        show(f"Anna's library: {', '.join(self.states(self.anna))}")

    def newer(self) -> str:
        """The package once more, with a higher version."""
        tree = PLACE / "newer"
        shutil.rmtree(tree, ignore_errors=True)
        subprocess.run(["dpkg-deb", "--raw-extract", str(self.package), str(tree)], check=True)
        control = tree / "DEBIAN" / "control"
        text = control.read_text(encoding="utf-8")
        control.write_text(text.replace("\nVersion: ", "\nVersion: 1000:"), encoding="utf-8")
        command = [
            "dpkg-deb",
            "--root-owner-group",
            "-Znone",
            "--build",
            str(tree),
            str(self.root.folder / "newer.deb"),
        ]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        shutil.rmtree(tree)
        return "/newer.deb"

    def nothing_is_written(self) -> None:
        """Its folder is as the package manager made it, although root used it too."""
        self.root.run("galley", "transcribe", "/people/anna/talk.flac")
        assert self.root.state(INSTALLED) == self.files

    def remove(self) -> None:
        """Nothing of the program stays, removed or purged; everything of its people does."""
        kept = [sorted(str(file) for file in home.rglob("*")) for home in (self.anna, self.ben)]
        listed = self.root.run("dpkg", "-L", "galley").stdout.split("\n")
        own = [path for path in listed if "galley" in path.lower()]
        self.root.install("remove", "galley")
        assert own and not [path for path in own if self.root.has(path)]
        said = self.root.install("purge", "galley").stdout
        assert "stays in ~/.local/share/Galley" in said, said
        assert [sorted(str(file) for file in home.rglob("*")) for home in (self.anna, self.ben)] == kept

    def unpack_anywhere(self) -> None:
        """The archive runs from a folder with spaces and ñ, writes nothing there, and transcribes the same."""
        folder = self.ben / "Mis programas ñ"
        folder.mkdir()
        subprocess.run(["tar", "-C", str(folder), "-xzf", str(self.archive)], check=True)
        [unpacked] = folder.iterdir()
        self.root.run("chown", "-R", "ben:ben", "/people/ben/Mis programas ñ")
        inside = f"/people/ben/Mis programas ñ/{unpacked.name}"
        before = self.root.state(inside)
        said = self.root.run(f"{inside}/galley", "transcribe", "--format", "json", "talk.flac", person="ben").stdout
        assert tokens(said) == self.expected
        assert self.root.state(inside) == before

    def lines(self, home: Path) -> int:
        """How many lines somebody's library holds."""
        return self.ask(home, "SELECT count(*) FROM segment")[0][0] if (home / LIBRARY).exists() else 0

    def states(self, home: Path) -> list[str]:
        """The states of somebody's recordings."""
        return [state for (state,) in self.ask(home, "SELECT state FROM recording ORDER BY number")]

    def ask(self, home: Path, question: str) -> list[tuple]:
        """Something of somebody's library."""
        try:
            with sqlite3.connect(f"file:{home / LIBRARY}?mode=ro", uri=True) as connection:
                return connection.execute(question).fetchall()
        except sqlite3.OperationalError:  # it is being made
            return [(0,)]

    def end(self) -> None:
        """Switch the screen off."""
        if hasattr(self, "screen"):
            self.screen.close()


STEPS: tuple[Callable[[Journey], None], ...] = (
    Journey.a_bare_system,
    Journey.install_the_package,
    Journey.check_the_computer,
    Journey.transcribe,
    Journey.write_files,
    Journey.without_sound,
    Journey.with_little_memory,
    Journey.open_the_window,
    Journey.two_people,
    Journey.record,
    Journey.nothing_is_written,
    Journey.upgrade,
    Journey.remove,
    Journey.unpack_anywhere,
)


def main() -> None:
    """Take every step; exits with 1 at the first that fails."""
    in_own_namespaces()
    packages, archives = (sorted((TOP / "dist").glob(name)) for name in ("galley_*.deb", "galley-*.tar.gz"))
    if not packages or not archives:
        sys.exit("There is nothing in dist: run make installer first.")
    PLACE.mkdir(parents=True, exist_ok=True)
    journey = Journey(packages[-1], archives[-1])
    try:
        for step in STEPS:
            began = time.monotonic()
            print(f"{step.__name__.replace('_', ' ')}: {(step.__doc__ or '').splitlines()[0]}", flush=True)
            step(journey)
            show(f"done in {time.monotonic() - began:.0f} s")
    finally:
        journey.end()


if __name__ == "__main__":
    main()
