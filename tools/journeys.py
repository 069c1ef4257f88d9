"""What a user does, on a real screen: `make journeys`.

An X server of its own (Xvfb), a window manager (openbox), and the program as a user starts it, in a home of its own
with the bundled model. Keys and clicks go through the X server (xdotool); what comes of them is looked up in the
library and on the disk, from outside. Pictures of every step lie in build/journeys, numbered, to be looked at.
GALLEY_LANGUAGE chooses the language. Ends with status 1 at the first step that does not do what it should.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import soundfile

TOP = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TOP))

from desktop_app import folders, resources  # noqa: E402
from desktop_app.library.rows import Recording  # noqa: E402
from desktop_app.library.store import Library  # noqa: E402
from tests.command import GALLEY  # noqa: E402

PICTURES = TOP / "build" / "journeys"
SAMPLE = resources.path("resources", "sample", "conversation.flac")
CLIPS = TOP / "tests" / "data" / "clips"
WIDTH, HEIGHT = 1280, 800
_WAIT = 300.0  # seconds for what the engine does, on a busy computer
_SOON = 20.0
_TEXT, _RESUME = (700, 330), (1130, 37)  # where the text is in the window, and the button that resumes all


class Screen:
    """An X server with a window manager, the keys and the mouse on it, and pictures of it."""

    def __init__(self, stack: ExitStack) -> None:
        read, write = os.pipe()
        size = f"{WIDTH + 80}x{HEIGHT + 80}x24"
        server = ["Xvfb", "-displayfd", str(write), "-screen", "0", size, "-nolisten", "tcp"]
        stack.enter_context(_running(server, pass_fds=(write,)))
        os.close(write)
        with os.fdopen(read) as answer:
            self.display = f":{answer.readline().strip()}"
        self.variables = {**os.environ, "DISPLAY": self.display, "QT_QPA_PLATFORM": "xcb"}
        stack.enter_context(_running(["openbox"], env=self.variables))
        self._number = 0
        shutil.rmtree(PICTURES, ignore_errors=True)
        PICTURES.mkdir(parents=True)

    def do(self, *command: str) -> str:
        """One command of xdotool; what it answers, "" where it finds nothing."""
        done = subprocess.run(["xdotool", *command], env=self.variables, capture_output=True, text=True, check=False)
        return done.stdout.strip()

    def keys(self, *keys: str, pause: float = 0.25) -> None:
        """Press keys, named as X names them."""
        for key in keys:
            self.do("key", "--clearmodifiers", key)
            time.sleep(pause)

    def type(self, text: str) -> None:
        """Type, as quickly as a quick typist."""
        self.do("type", "--delay", "40", text)
        time.sleep(0.3)

    def click(self, x: int, y: int) -> None:
        """Click into the window in front."""
        self.do("mousemove", "--window", self.do("getactivewindow"), str(x), str(y))
        time.sleep(0.1)
        self.do("click", "1")
        time.sleep(0.4)

    def titles(self) -> list[str]:
        """Of all windows that are to be seen."""
        found = self.do("search", "--onlyvisible", "--name", ".").splitlines()
        return [self.do("getwindowname", window) for window in found]

    def take(self, name: str) -> None:
        """A picture of the whole screen, once the window has come to rest."""
        time.sleep(0.5)
        self._number += 1
        place = PICTURES / f"{self._number:02}-{name}.png"
        subprocess.run(["import", "-window", "root", str(place)], env=self.variables, check=True)


class User:
    """Somebody at the screen, and what lies in his home."""

    def __init__(self, screen: Screen, home: Path) -> None:
        self.screen, self.home = screen, home
        os.environ["GALLEY_HOME"] = screen.variables["GALLEY_HOME"] = str(home)
        self._program: subprocess.Popen[bytes] | None = None

    def start(self, *files: Path) -> None:
        """Start the program, and wait until its window is there. A second start hands its files to the first."""
        started = subprocess.Popen([*GALLEY, *map(str, files)], env=self.screen.variables)
        if self._program is not None and self._program.poll() is None:
            check("a second start hands its files over and ends", lambda: started.poll() == 0)
            return
        self._program = started
        check("the window is there", lambda: any("Galley" in title for title in self.screen.titles()))
        window = self.screen.do("search", "--onlyvisible", "--name", "Galley").splitlines()[0]
        self.screen.do("windowactivate", "--sync", window)
        self.screen.do("windowsize", "--sync", window, str(WIDTH), str(HEIGHT))
        time.sleep(0.8)

    def end(self) -> None:
        """Whatever it does."""
        if self._program is not None and self._program.poll() is None:
            self._program.terminate()
            self._program.wait(30)

    def has_ended(self) -> bool:
        """Whether the program is over."""
        return self._program is not None and self._program.poll() is not None

    def recordings(self) -> dict[str, Recording]:
        """What the library has, by file name."""
        library = Library(folders.data() / "library")
        try:
            return {each.name: each for each in library.recordings()}
        finally:
            library.close()

    def states(self) -> dict[str, str]:
        """The state of each recording, by file name."""
        return {name: each.state for name, each in self.recordings().items()}

    def text(self, name: str) -> list[str]:
        """The lines of a recording."""
        found, library = self.recordings()[name], Library(folders.data() / "library")
        try:
            return [segment.text.strip() for segment in library.transcript(found.id).segments]
        finally:
            library.close()


def check(what: str, condition: Callable[[], object], seconds: float = _SOON) -> None:
    """Wait until something is so; SystemExit if it does not come."""
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            raise SystemExit(f"journeys: not so: {what} (last picture: {max(PICTURES.iterdir(), default='none')})")
        time.sleep(0.2)
    print(f"ok  {what}", flush=True)


def first_run(user: User, files: list[Path]) -> None:
    """A program without a past; files are handed over, one of them no recording."""
    screen = user.screen
    user.start()
    screen.take("first-run")
    user.start(*files)
    check("all files are listed", lambda: len(user.states()) == len(files))
    screen.take("in-progress")
    good = [file.name for file in files if file.suffix == ".flac"]
    check("four are transcribed", lambda: [user.states()[name] for name in good] == ["done"] * 4, _WAIT)
    check("one has failed", lambda: user.states()["Shopping list.mp3"] == "failed", _WAIT)
    screen.take("done")


def edit(user: User, name: str) -> None:
    """Typed, split, merged, replaced, all undone, and typed again; closed and opened."""
    screen, heard = user.screen, user.text(name)
    screen.click(*_TEXT)
    screen.keys("ctrl+Home")
    screen.type("Listen, ")
    check("what is typed is in the library", lambda: user.text(name)[0] == f"Listen, {heard[0]}")
    screen.take("typed")
    screen.keys("Return")
    check("the line is split", lambda: len(user.text(name)) == len(heard) + 1)
    screen.keys("BackSpace")
    check("and merged", lambda: len(user.text(name)) == len(heard))
    word = max(heard[0].split(), key=len).strip(".,?!")
    screen.keys("ctrl+h")
    screen.type(word)
    screen.take("find-and-replace")
    screen.keys("Tab", "Escape")
    screen.click(*_TEXT)
    for _ in range(12):
        screen.keys("ctrl+z", pause=0.1)
    check("all is undone", lambda: user.text(name) == heard)
    screen.keys("ctrl+Home")
    screen.type("So, ")
    screen.keys("ctrl+q")  # and closed at once
    check("the program ends", user.has_ended)
    user.start()
    check("what was typed last is there", lambda: user.text(name)[0] == f"So, {heard[0]}")


def find(user: User, name: str) -> None:
    """Searched in all recordings, opened at the word, renamed; by keys alone."""
    screen = user.screen
    word = max((word for line in user.text(name) for word in line.split() if word.isalpha()), key=len)
    screen.keys("ctrl+k")
    screen.type(word.lower())
    time.sleep(1.0)
    screen.take("search")
    screen.keys("Down", "Down")
    screen.take("found")
    screen.keys("F2")
    screen.keys("ctrl+a")
    screen.type("Breakfast")
    screen.take("rename")
    screen.keys("Return")
    check("it has a title", lambda: "Breakfast" in [each.title for each in user.recordings().values()])
    screen.keys("ctrl+k", "ctrl+a", "BackSpace", "Down")


def export(user: User, place: Path) -> None:
    """Subtitles, by the sheet and the dialog of the system."""
    screen = user.screen
    screen.keys("ctrl+e")
    check("the sheet is open", lambda: len(screen.titles()) > 1)
    screen.keys("Down", "Down", pause=0.6)
    screen.take("export")
    screen.keys("Return", pause=1.5)
    screen.take("export-where")
    screen.keys("ctrl+a")
    screen.type(str(place))
    screen.keys("Return")
    check("the file is there", lambda: place.exists() and place.stat().st_size > 50)
    screen.take("exported")
    screen.keys("Escape")
    check("the sheet is closed", lambda: len(screen.titles()) == 1)


def look_around(user: User) -> None:
    """Every page and dialog that a key opens."""
    screen = user.screen
    for keys, name in (
        ("ctrl+comma", "settings"),
        ("ctrl+shift+m", "models"),
        ("ctrl+n", "new"),
        ("ctrl+slash", "shortcuts"),
    ):
        screen.keys(keys, pause=1.0)
        screen.take(name)
    screen.keys("Escape")
    check("the dialog is closed", lambda: len(screen.titles()) == 1)


def quit_and_resume(user: User, file: Path) -> None:
    """Quit in the middle of a long file, started again, resumed to its end."""
    screen = user.screen
    user.start(file)
    check("it is in work", lambda: user.states().get(file.name) == "working", _WAIT)
    time.sleep(4.0)
    screen.take("long-file")
    screen.keys("ctrl+q", pause=1.0)
    screen.take("question")
    screen.keys("Tab", "Return")
    check("the program ends", user.has_ended)
    check("the file is interrupted", lambda: user.states()[file.name] == "interrupted")
    user.start()
    screen.take("interrupted")
    screen.click(*_RESUME)
    check("it is transcribed to its end", lambda: user.states()[file.name] == "done", _WAIT)
    screen.take("resumed")


def main() -> int:
    """All journeys, one after the other, as one user makes them."""
    with tempfile.TemporaryDirectory(prefix="galley-journeys-", ignore_cleanup_errors=True) as folder:
        home, recordings = Path(folder, "home"), Path(folder, "Recordings")
        home.mkdir()
        recordings.mkdir()
        files = [recordings / name for name in ("Monday.flac", "Tuesday.flac", "Shopping list.mp3", "Wednesday.flac")]
        files.append(recordings / "Thursday.flac")
        sounds = sorted(CLIPS.glob("*.flac"))
        for number, file in enumerate(files):
            if file.suffix == ".flac":
                shutil.copy(sounds[number], file)
            else:
                file.write_text("bread, butter, jam\n")
        long = recordings / "Conversation.flac"
        sound, rate = soundfile.read(SAMPLE)
        soundfile.write(long, np.tile(sound, 5), rate)  # six minutes: quick computers have written one in five seconds
        with ExitStack() as stack:
            user = User(Screen(stack), home)
            stack.callback(user.end)
            first_run(user, files)
            edit(user, "Monday.flac")
            find(user, "Wednesday.flac")
            export(user, Path(folder, "out.srt"))
            look_around(user)
            quit_and_resume(user, long)
    print(f"{len(list(PICTURES.iterdir()))} pictures in {PICTURES}")
    return 0


@contextmanager
def _running(command: list[str], **options: object) -> Iterator[None]:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)  # type: ignore[call-overload]
    try:
        yield
    finally:
        process.terminate()
        process.wait(10)


if __name__ == "__main__":
    sys.exit(main())
