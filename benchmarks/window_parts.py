"""What benchmarks/window.py measures, in a process of its own: the real program, from its command line on."""

from __future__ import annotations

import json
import statistics
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NoReturn

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget

from desktop_app import __main__ as program
from desktop_app import resources
from desktop_app.app.recordings.entry import IN_WORK, WORKING
from desktop_app.ui.shell import app as shell
from desktop_app.ui.transcript.view import TranscriptView

Figures = dict[str, float]
_BEAT = 0.005  # seconds between two beats of the event loop
_RUNS = 9
_KEY_PAUSE = 0.07  # between two keys, as quick typing has
_QUERIES = {"found_100": "galley", "found_all": "the", "found_none": "nosuchword"}


class Measured(shell.Program):
    """The program. Attributes: app; first (the pictures of the card that stands on its first page)."""

    def __init__(self, part: str, begin: float, app: QApplication) -> None:
        super().__init__(app)
        self.app, self.first = app, Picture(self.window.idle.card)
        QTimer.singleShot(0, app, partial(_measure, self, part, begin))


def run(part: str, begin: float) -> NoReturn:
    """Start the program as the command line does, measure, print the figures as JSON, and end."""
    setattr(shell, "Program", partial(Measured, part, begin))  # noqa: B010  mypy knows it as a class
    sys.argv[1:] = []
    sys.exit(program.main())


def _measure(made: Measured, part: str, begin: float) -> None:
    """A slot: what goes wrong in it would end nothing."""
    try:
        figures = {"start": _start, "text": _text, "library": _library}[part](made, made.app, begin)
    except Exception:
        traceback.print_exc()
        made.app.exit(1)
    else:
        print(json.dumps(figures), flush=True)
        made.app.exit()


class Picture(QObject):
    """Attributes: count (how often a widget was painted); begin (when it was first)."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.count, self.begin = 0, 0.0
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802  Qt's name
        if event.type() == QEvent.Type.Paint:
            self.count += 1
            self.begin = self.begin or time.monotonic()
        return False


@dataclass
class Beats:
    """How late the beats of the event loop come, and what processor time the window's thread took between them."""

    late: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    @property
    def longest(self) -> float:
        """Milliseconds."""
        return max(self.late, default=0.0) * 1000

    @property
    def p99(self) -> float:
        """Milliseconds that ninety-nine of a hundred beats stay below."""
        return statistics.quantiles(self.late, n=100)[98] * 1000

    @property
    def dearest(self) -> float:
        """Milliseconds of processor time in one turn, at most."""
        return max(self.cpu, default=0.0) * 1000


@contextmanager
def _beating() -> Iterator[Beats]:
    beats = Beats()
    last = [time.monotonic(), time.thread_time()]

    def beat() -> None:
        now, cpu = time.monotonic(), time.thread_time()
        beats.late.append(max(now - last[0] - _BEAT, 0.0))
        beats.cpu.append(cpu - last[1])
        last[:] = now, cpu

    timer = QTimer(timerType=Qt.TimerType.PreciseTimer, interval=round(_BEAT * 1000))
    timer.timeout.connect(beat)
    timer.start()
    try:
        yield beats
    finally:
        timer.stop()
        beat()


def _until(app: QApplication, condition: Callable[[], object], seconds: float = 150.0) -> None:
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            raise RuntimeError("what was waited for did not come")
        app.processEvents()
        time.sleep(0.0005)


def _pause(app: QApplication, seconds: float) -> None:
    until = time.monotonic() + seconds
    _until(app, lambda: time.monotonic() > until)


def _ms(begin: float) -> float:
    return (time.monotonic() - begin) * 1000


def _memory(process: int | str = "self", peak: bool = False) -> float:
    """Resident megabytes of a process; 0 where the system does not say."""
    place = Path(f"/proc/{process}/status")
    lines = dict(line.split(":", 1) for line in place.read_text().splitlines()) if place.exists() else {}
    return float(lines.get("VmHWM" if peak else "VmRSS", "0 kB").split()[0]) / 1000


# A file is transcribed.


def _start(made: Measured, app: QApplication, begin: float) -> Figures:
    _until(app, lambda: made.first.count)
    figures = {"shown": (made.first.begin - begin) * 1000}
    _pause(app, 0.3)
    session, before = made.session, set(made.session.entries)
    words: list[float] = []
    session.text_changed.connect(
        lambda key: words.append(time.monotonic()) if session.entries[key].lines or session.entries[key].segments else 0
    )
    with _beating() as beats:
        dropped = time.monotonic()
        made.window.add([str(resources.path("resources", "sample", "conversation.flac"))])
        _until(app, lambda: set(session.entries) - before)
        (entry,) = (each for key, each in session.entries.items() if key not in before)
        _until(app, lambda: entry.state == WORKING)
        figures["ready"] = _ms(dropped)
        _until(app, lambda: entry.state not in IN_WORK)
        _pause(app, 0.5)
    figures["first_words"] = (words[0] - dropped) * 1000
    figures |= {"decode_stall": beats.longest, "decode_stall_cpu": beats.dearest, "decode_p99": beats.p99}
    engine = made.engine.pid
    return figures | {"window_memory": _memory(), "engine_memory": _memory(engine or "none", peak=True)}


# A long text.


def _text(made: Measured, app: QApplication, begin: float) -> Figures:
    _until(app, lambda: made.session.entries)
    (key,) = made.session.entries
    entry, window = made.session.entries[key], made.window
    _pause(app, 0.3)
    figures: Figures = {}
    with _beating() as beats:
        chosen = time.monotonic()
        window.show_entry(key)
        view = window.page.view
        picture = Picture(view.viewport())
        _until(app, lambda: entry.segments)
        count = picture.count
        _until(app, lambda: view.flow.lines and picture.count > count)
        figures["opened"] = _ms(chosen)
        frames = _scrolled(app, view, picture)
        _until(app, lambda: view.flow.is_measured)
        _pause(app, 0.3)
    figures["opened_stall"] = beats.longest
    figures["frame"], figures["frame_p95"] = statistics.median(frames), statistics.quantiles(frames, n=20)[18]
    figures["frames"] = 1000 * len(frames) / sum(frames)
    window.activateWindow()
    view.setFocus()
    figures |= _typed(app, made, view, picture)
    return figures | {"text_memory": _memory()}


def _scrolled(app: QApplication, view: TranscriptView, picture: Picture) -> list[float]:
    """Milliseconds of each step of the wheel while the text is laid out."""
    taken = []
    middle = QPointF(view.viewport().rect().center())
    on_screen, down = view.viewport().mapToGlobal(middle), QPoint(0, -120)
    plain = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False
    for _step in range(300):
        turned = QWheelEvent(middle, on_screen, QPoint(), down, *plain)
        taken.append(_painted(app, picture, partial(QApplication.sendEvent, view.viewport(), turned))[0])
    return taken


def _painted(app: QApplication, picture: Picture, act: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds from what a user does to its picture, and of these the processor's."""
    app.processEvents()
    begin, cpu, count = time.monotonic(), time.thread_time(), picture.count
    act()
    while picture.count == count:
        app.processEvents()
        if time.monotonic() - begin > 30:
            raise SystemExit("bench-window: nothing was painted")
    return _ms(begin), (time.thread_time() - cpu) * 1000


def _press(view: QWidget, key: Qt.Key, text: str, modifiers: Qt.KeyboardModifier) -> None:
    for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
        QApplication.sendEvent(view, QKeyEvent(kind, key, modifiers, text))


def _typed(app: QApplication, made: Measured, view: TranscriptView, picture: Picture) -> Figures:
    """Keys at the beginning, in the middle and at the end, as quickly as one types, with what saves them beside it."""
    plain = Qt.KeyboardModifier.NoModifier
    undo = made.window.all_actions["undo"]
    count = len(view.flow.lines)
    keys, cpu = [], []
    rest: dict[str, list[float]] = {"split": [], "merge": [], "undo": []}
    for line in (0, count // 2, count - 1):
        view.place_caret((line, 5))
        _pause(app, 0.2)
        for letter in "hello window and all the rest":
            taken = _painted(app, picture, lambda letter=letter: _press(view, Qt.Key.Key_A, letter, plain))  # type: ignore[misc]
            keys.append(taken[0])
            cpu.append(taken[1])
            _pause(app, _KEY_PAUSE)
        for _round in range(3):
            for name, act in (
                ("split", lambda: _press(view, Qt.Key.Key_Return, "\r", plain)),
                ("merge", lambda: _press(view, Qt.Key.Key_Backspace, "\b", plain)),
                ("undo", undo.trigger),
                ("undo", undo.trigger),
            ):
                rest[name].append(_painted(app, picture, act)[0])
                _pause(app, 0.2)
    figures = {name: statistics.median(times) for name, times in rest.items()}
    key_p95 = statistics.quantiles(keys, n=20)[18]
    return figures | {"key": statistics.median(keys), "key_p95": key_p95, "key_cpu": statistics.median(cpu)}


# Many recordings.


def _library(made: Measured, app: QApplication, begin: float) -> Figures:
    sidebar, session = made.window.sidebar, made.session
    model, picture = sidebar.model, Picture(sidebar.list.viewport())
    _until(app, lambda: model.rowCount() > 0 and picture.count)
    figures = {"library_shown": _ms(begin)}
    done: list[None] = []
    session.worker.do(lambda: None, done.append)  # what was asked of the library at the start
    _until(app, lambda: done)
    _pause(app, 1.0)

    def relist() -> None:
        session.keep(lambda library: {each.id: each for each in library.recordings()}, listed)

    def listed(found: object) -> None:
        session._show_changes(found)  # type: ignore[arg-type]  what `look` does when another Galley has written
        model.arrange(again=True)

    with _beating() as beats:
        times = []
        for _run in range(_RUNS):
            times.append(_answered(app, picture, relist, model.modelReset))
            _pause(app, 0.2)
    figures |= {"listed": statistics.median(times), "listed_stall": beats.longest, "listed_cpu": beats.dearest}
    with _beating() as beats:
        for name, query in _QUERIES.items():
            times = []
            for _run in range(_RUNS):
                times.append(
                    _answered(
                        app, picture, lambda query=query: session.search(query, sidebar._show_found), model.modelReset
                    )  # type: ignore[misc]
                )
                _pause(app, 0.2)
            figures[name] = statistics.median(times)
        times = []
        for _run in range(_RUNS):
            sidebar.search.setText("galle")
            _pause(app, 1.0)
            times.append(_answered(app, picture, lambda: sidebar.search.setText("galley"), model.modelReset))
        figures["search_typed"] = statistics.median(times)
    figures |= {"search_stall": beats.longest, "search_cpu": beats.dearest}
    return figures | {"library_memory": _memory()}


def _answered(app: QApplication, picture: Picture, ask: Callable[[], object], answer: object) -> float:
    """Milliseconds from a question to the picture of its answer."""
    answers: list[int] = []
    connection = answer.connect(lambda: answers.append(picture.count))  # type: ignore[attr-defined]
    begin = time.monotonic()
    ask()
    _until(app, lambda: answers and picture.count > answers[-1])
    taken = _ms(begin)
    QObject.disconnect(connection)
    return taken
