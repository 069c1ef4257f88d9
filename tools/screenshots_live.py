"""The screens of live recording, for tools/screenshots.py.

A real recorder and a real engine hear the sample conversation in real time, through an input that the script plays.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPixmap
from PySide6.QtWidgets import QWidget

from desktop_app.app.live.live_recording import OFF, RUNNING
from desktop_app.app.recordings.entry import Entry, LiveLine
from desktop_app.audio.files import AudioFile
from desktop_app.audio.microphone import Input
from desktop_app.library.store import Library
from desktop_app.problems import Problem
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.ui.recording.difference_dialog import DifferenceDialog
from tests.fake_input import FakeInput

if TYPE_CHECKING:
    from tools.screenshots import Camera

INPUTS = [
    Input("desk", "Built-in microphone", "PulseAudio", 1, SAMPLE_RATE, True, False),
    Input("headset", "Jabra Evolve 65", "PulseAudio", 1, SAMPLE_RATE, False, False),
    Input("card", "HDA Intel PCH: ALC257 Analog (hw:0,0)", "ALSA", 2, SAMPLE_RATE, False, False),
    Input("monitor", "Monitor of Built-in speakers", "PulseAudio", 1, SAMPLE_RATE, False, True),
]
_BLOCK = SAMPLE_RATE // 20


class Booth:
    """Plays a recording to whoever opens an input. Attributes: unplugged (whether nothing can be opened)."""

    def __init__(self, clip: Path) -> None:
        with AudioFile(clip) as audio:
            self._sound = np.concatenate(list(audio))
        self.unplugged = False
        self._open: list[FakeInput] = []

    def inputs(self) -> list[Input]:
        """What there is."""
        return INPUTS[1:] if self.unplugged else INPUTS

    def open_stream(self, input_id: str | None) -> FakeInput:
        """An input that begins to speak at once."""
        if self.unplugged:
            raise Problem("microphone.not_connected", name="Desk microphone")
        made = FakeInput(next(it.name for it in INPUTS if it.id == (input_id or "desk")))
        self._open.append(made)
        Thread(target=self._speak, args=(made,), daemon=True).start()
        return made

    def unplug(self) -> None:
        """Take it away."""
        self.unplugged = True
        for stream in self._open:
            stream.lost = True

    def _speak(self, stream: FakeInput) -> None:
        began = time.monotonic()
        for number in range(len(self._sound) // _BLOCK):
            time.sleep(max(0.0, began + number / 20 - time.monotonic()))
            if stream.closed or stream.lost:
                return
            stream.say(self._sound[number * _BLOCK : (number + 1) * _BLOCK])


class BestLine:
    """Grabs whenever more of the line that is spoken can be seen in all its colours than before."""

    def __init__(self, camera: Camera, entry: Entry, take: Callable[[], None]) -> None:
        self._camera, self._entry, self._take = camera, entry, take
        self._best = 0
        self._wanted = False
        camera.program.session.text_changed.connect(self._look)

    def grab(self) -> None:
        """Grab what was seen to be better, once everything has its place."""
        if self._wanted:
            self._wanted = False
            self._camera.pause(0.02)
            self._take()

    def stop(self) -> None:
        """Look no more."""
        self._camera.program.session.text_changed.disconnect(self._look)
        if not self._best:
            self._take()

    def _look(self, key: str) -> None:
        entry = self._entry
        line = entry.lines[-1] if entry.lines else None
        if key != entry.id or not isinstance(line, LiveLine):
            return
        parts = (line.verified[: line.final], line.verified[line.final :], line.draft)
        colours = sum(min(len(part.split()), 4) for part in parts) * sum(bool(part.strip()) for part in parts)
        score = colours * min(len(entry.segments), 8)
        if score > self._best:
            self._best, self._wanted = score, True


def shoot(camera: Camera, booth: Booth, waiting: Path) -> None:
    """All screens of a recording, from the choice of the input to the check."""
    window, live = camera.window, camera.program.live
    live.inputs.refresh()
    camera.wait(lambda: bool(live.inputs.found))
    menu = window.live.input_menu()
    place = window.idle.record.inputs.mapTo(window, QPoint(-180, window.idle.record.inputs.height()))
    menu.popup(window.mapToGlobal(place))
    camera.wait(lambda: menu.meter.share > 0.5, 20)
    camera.take_with("inputs", menu, place)
    menu.close()

    live.start()
    camera.wait(lambda: live.phase == RUNNING)
    entry = live.entry
    if entry is None:
        raise SystemExit("screenshots: nothing is recorded")
    camera.drop(waiting)
    window.live.captions.show()
    best = BestLine(camera, entry, lambda: _take_both(camera))

    def enough() -> bool:
        best.grab()
        return live.seconds > 34 and len(entry.segments) > 5

    camera.wait(enough, 150)
    best.stop()
    window.live.captions.hide()
    camera.take_in_sizes("live")
    booth.unplug()
    camera.wait(lambda: bool(live.problems) and window.live.lost.buttons[0].isVisible())
    camera.pause(0.8)
    camera.take("input-lost")

    live.stop()
    camera.wait(lambda: live.phase == OFF and not camera.program.session.in_work)
    booth.unplugged = False
    window.show_entry(entry.id)
    window.live.check.start.click()
    checks = camera.program.core.checks
    camera.wait(lambda: checks.running[entry.id].transcript is not None)
    camera.pause(1.8)
    dialog = DifferenceDialog(camera.program.theme, checks, entry.id, window)
    dialog.show()
    camera.pause(0.2)
    middle = window.rect().center() - dialog.rect().center()
    camera.take_with("check", dialog, middle)
    dialog.close()
    checks.forget(entry.id)


def interrupt(folder: Path, recording: Path) -> None:
    """Leave behind what a program leaves that is killed while it records."""
    library = Library(folder)
    library.add_live(str(recording))
    library.close()


def _take_both(camera: Camera) -> None:
    camera.take("live")
    camera.take_alone("captions", camera.window.live.captions)


def over(page: QPixmap, part: QWidget, place: QPoint) -> QPixmap:
    """A window or a menu as it stands over the page. The line around a dialog is the system's: this screen has none."""
    painter = QPainter(page)
    painter.drawPixmap(place, part.grab())
    if part.windowType() == Qt.WindowType.Dialog:
        painter.setPen(QColor("#8d8982"))
        painter.drawRect(QRect(place, part.size()))
    painter.end()
    return page
