"""Renders every screen of Galley into build/screenshots, from a real run of the engine: `make screenshots`.

Nothing is painted for the picture: a real window is shown offscreen, a real engine transcribes the sample conversation,
and each screen is grabbed when the program is in that state. The pictures that the documentation shows lie in
docs/screenshots: a run in English replaces them. GALLEY_LANGUAGE and QT_SCALE_FACTOR render other languages and scales.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TOP))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QPoint  # noqa: E402
from PySide6.QtGui import QPixmap  # noqa: E402
from PySide6.QtWidgets import QApplication, QWidget  # noqa: E402

from desktop_app import folders, resources, texts  # noqa: E402
from desktop_app.app.recordings.entry import IN_WORK, WORKING, Entry  # noqa: E402
from desktop_app.ui.shell.app import Program  # noqa: E402
from desktop_app.ui.widgets.theme import CONTRAST, DARK, LIGHT  # noqa: E402
from tools.screenshots_live import Booth, interrupt, over, shoot  # noqa: E402
from tools.screenshots_models import hub  # noqa: E402
from tools.screenshots_models import shoot as shoot_models  # noqa: E402
from tools.screenshots_models import stage as stage_models  # noqa: E402
from tools.screenshots_pages import shoot as shoot_pages  # noqa: E402
from tools.screenshots_pages import stage as stage_pages  # noqa: E402
from tools.screenshots_speakers import shoot as shoot_speakers  # noqa: E402
from tools.screenshots_speakers import stage  # noqa: E402

SAMPLE = resources.path("resources", "sample", "conversation.flac")
TARGET = TOP / "build" / "screenshots"
SHOWN = TOP / "docs" / "screenshots"
PARTS = ("live", "files", "speakers", "models", "pages")
LOOKS = (LIGHT, DARK, CONTRAST)
USUAL = (1280, 800)
_TURNS = 20  # of the event loop, at least, before a picture
SIZES = ((1024, 700), (1366, 768), (1920, 1080), (2560, 1440))
NAMES = (
    "Breakfast with Rose.flac",
    "Interview, second part.flac",
    "Walk by the river.flac",
    "Morgenrunde 14. März.flac",
)


class Camera:
    """A program in a home of its own, and the pictures of it."""

    def __init__(self, app: QApplication, look: str, home: Path, target: str, booth: Booth) -> None:
        self._app, self._look, self._target, self._booth = app, look, target, booth
        os.environ["GALLEY_HOME"] = str(home / look)
        (home / look).mkdir()
        (home / "cache").mkdir(exist_ok=True)
        (home / look / "cache").symlink_to(home / "cache", target_is_directory=True)
        self.open()

    def open(self) -> None:
        """Start the program as the user left it."""
        self.program = Program(self._app, self._booth.inputs, self._booth.open_stream)
        self.program.theme.choose(self._look)
        self.program.window.all_actions["speed"].setChecked(True)
        if self._target:
            self.program.preferences.choose(target=self._target)
        self.window = self.program.window
        self.window.resize(*USUAL)
        self.window.show()
        self.pause()

    def close(self) -> None:
        """End the program whatever it does."""
        self.program.close()
        self.window.hide()

    def pause(self, seconds: float = 0.4) -> None:
        """Let animations end, and on a busy computer what was laid out last."""
        until, turns = time.monotonic() + seconds, 0
        while time.monotonic() < until or turns < _TURNS:
            self._app.processEvents()
            time.sleep(0.004)
            turns += 1

    def wait(self, ready: Callable[[], bool], seconds: float = 600.0) -> None:
        """Go on when something is so."""
        until = time.monotonic() + seconds
        while not ready():
            if time.monotonic() > until:
                raise SystemExit("screenshots: the engine took too long")
            self._app.processEvents()
            time.sleep(0.002)

    def take(self, name: str) -> None:
        """Grab the window."""
        self._save(name, self.window.grab())

    def take_in_sizes(self, name: str, part: QWidget | None = None) -> None:
        """Grab the window in each size of a screen, with a dialog in its middle if there is one."""
        for width, height in SIZES:
            self.window.resize(width, height)
            self.pause()
            if part is None:
                self.take(f"{name}-{width}")
            else:
                self.take_with(f"{name}-{width}", part, self.window.rect().center() - part.rect().center())
        self.window.resize(*USUAL)
        self.pause()

    def take_with(self, name: str, part: QWidget, place: QPoint) -> None:
        """Grab the window with a menu or a dialog over it."""
        self._save(name, over(self.window.grab(), part, place))

    def take_alone(self, name: str, part: QWidget) -> None:
        """Grab a window beside the main one."""
        self._save(name, part.grab())

    def _save(self, name: str, picture: QPixmap) -> None:
        scale = f"@{picture.devicePixelRatio():g}x" if picture.devicePixelRatio() != 1 else ""
        language = f"-{texts.current()}" if texts.current() != "en" else ""
        place = TARGET / f"{name}-{self._look}{language}{scale}.png"
        if not picture.save(str(place)):
            raise SystemExit(f"screenshots: {place} could not be written")
        shown = SHOWN / place.name
        if shown.exists() and texts.current() == "en" and picture.devicePixelRatio() == 1:
            shutil.copyfile(place, shown)

    def drop(self, *paths: Path) -> list[Entry]:
        """Add recordings; the new entries in their order."""
        before = set(self.program.session.entries)
        self.window.add([str(path) for path in paths])
        self.wait(lambda: len(self.program.session.entries) == len(before) + len(paths))
        return [entry for entry in reversed(self.program.session.entries.values()) if entry.id not in before]


class BestDraft:
    """Grabs the window in work whenever more can be seen than before: grey words, at the end of much text."""

    def __init__(self, camera: Camera, entry: Entry, name: str) -> None:
        self._camera, self._entry, self._name = camera, entry, name
        self._best = 0
        camera.program.session.text_changed.connect(self._look)

    def stop(self) -> None:
        """Grab no more."""
        self._camera.program.session.text_changed.disconnect(self._look)
        if not self._best:
            self._camera.take(self._name)

    def _look(self, key: str) -> None:
        entry = self._entry
        if key != entry.id or entry.state != WORKING or not entry.lines or not entry.stats.wall_seconds:
            return
        paragraphs = len(entry.segments) + len(entry.lines)
        score = min(len(entry.lines[-1].draft.split()), 8) ** 2 * min(paragraphs, 8)
        if score > self._best:
            self._best = score
            self._camera.take(self._name)


def _shoot_live(camera: Camera, booth: Booth, files: list[Path]) -> None:
    camera.take("idle")
    camera.window.show_settings()
    camera.pause(0.1)
    camera.take("settings")
    camera.window.show_idle()
    camera.pause(0.1)
    shoot(camera, booth, files[0])
    camera.close()
    interrupt(folders.data() / "library", files[1])
    camera.open()
    camera.wait(lambda: bool(camera.program.core.recovery.found))
    camera.pause(0.6)
    camera.take("interrupted-recording")
    camera.close()


def _shoot_speakers(camera: Camera, folder: Path) -> None:
    library = camera.program.library
    assert library is not None
    stage(library, folder)
    camera.close()
    camera.open()
    camera.wait(lambda: len(camera.program.session.entries) == 2)
    shoot_speakers(camera)
    camera.close()


def _shoot_pages(camera: Camera, folder: Path) -> None:
    library = camera.program.library
    assert library is not None
    camera.take_in_sizes("empty")
    stage_pages(library, folder)
    camera.close()
    camera.open()
    shoot_pages(camera, folder)
    camera.close()


def _shoot_models(camera: Camera, folder: Path) -> None:
    stage_models(folder)
    with hub(folder) as server:
        shoot_models(camera, server)
    camera.close()


def _shoot(camera: Camera, files: list[Path], broken: Path) -> None:
    window, session = camera.window, camera.program.session
    window.idle.card.set_dragged(True)
    camera.take("drop")
    window.idle.card.set_dragged(False)
    (first,) = camera.drop(files[0])
    camera.wait(lambda: first.state not in IN_WORK)
    entry, *_ = camera.drop(files[1], files[2], broken)
    best = BestDraft(camera, entry, "working")
    camera.wait(lambda: entry.state not in IN_WORK)
    best.stop()
    camera.wait(lambda: not session.in_work)
    window.show_entry(entry.id)
    camera.pause(2.2)  # the marks under replaced words fade
    camera.take("done")
    window.page.open_find()
    window.page.find_bar.field.setText("the")
    window.page.find_bar.step.emit(1)
    camera.pause(0.1)
    camera.take("search")
    window.page.close_find()
    window.show_entry(next(key for key, found in session.entries.items() if found.path == str(broken)))
    camera.pause(0.1)
    camera.take("failed")
    window.resize(760, 620)
    window.show_entry(entry.id)
    camera.pause(0.3)
    camera.take("narrow")
    window.resize(*USUAL)

    (killed,) = camera.drop(files[3])
    camera.wait(lambda: len(killed.segments) > 2)
    if hasattr(signal, "SIGKILL"):
        ended: set[int | None] = {None}

        def is_over() -> bool:
            if (pid := camera.program.engine.pid) not in ended:  # a new one resumes the file once
                os.kill(pid, signal.SIGKILL)
                ended.add(pid)
            return killed.state not in IN_WORK

        camera.wait(is_over)
        camera.pause(2.0)
        camera.take("engine-ended")
    session.transcribe_again(killed.id)
    camera.wait(lambda: len(killed.segments) > 2)
    camera.close()  # in the middle of it

    camera.open()
    camera.wait(lambda: bool(camera.program.session.entries))
    camera.window.show_entry(killed.id)
    camera.pause(0.6)
    camera.take("interrupted")
    camera.close()


def main() -> None:
    """Render all screens, light and dark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", default="", help="another model folder than the bundled one")
    parser.add_argument("--look", choices=LOOKS, help="render only this one")
    parser.add_argument("--only", choices=PARTS, help="render only these screens")
    arguments = parser.parse_args()
    target = arguments.target
    app = QApplication(["galley"])
    app.setStyle("Fusion")
    TARGET.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="galley-screenshots-", ignore_cleanup_errors=True) as name:
        home = Path(name)
        files = [home / "Recordings" / name for name in NAMES]
        files[0].parent.mkdir()
        for file in files:
            shutil.copy(SAMPLE, file)
        broken = files[0].parent / "Shopping list.mp3"
        broken.write_text("bread, butter, jam\n")
        for look in (arguments.look,) if arguments.look else LOOKS:
            for part in (arguments.only,) if arguments.only else PARTS if look != CONTRAST else ("live", "pages"):
                booth = Booth(SAMPLE)
                place = home / part
                place.mkdir(exist_ok=True)
                camera = Camera(app, look, place, target, booth)
                if part == "live":
                    _shoot_live(camera, booth, files)
                elif part == "speakers":
                    _shoot_speakers(camera, files[0].parent / "Conversations")
                elif part == "pages":
                    _shoot_pages(camera, files[0].parent / "Meetings")
                elif part == "models":
                    _shoot_models(camera, home / f"hub-{look}")
                else:
                    _shoot(camera, files, broken)
    print(f"{len(list(TARGET.glob('*.png')))} screens in {TARGET}")


if __name__ == "__main__":
    main()
