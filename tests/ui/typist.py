"""Somebody who types, clicks, splits, merges, undoes and searches at random, while files arrive.

Keys go where the focus is, as real ones do. After each step everything is compared with a `Sheet`: what is shown, what
Galley keeps, the caret, the paragraphs, and which recording is looked at.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QInputMethodEvent, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from desktop_app.app.library.watching import UNCHANGED
from desktop_app.app.recordings.entry import DONE, IN_WORK, Entry
from desktop_app.messages.jobs import Cancelled, Finished, SegmentReady, Started
from desktop_app.ui.shell.main_window import MainWindow
from tests import staging
from tests.event_loop import drain
from tests.talks import talk
from tests.ui.sheet import Line, Place, Sheet
from tests.unit.app.library.test_watching import Watcher

Key, Hold = Qt.Key, Qt.KeyboardModifier

_WORDS = ("so", "the", "Größe", "o'clock", "well,", "42", "café", "now.", "gutters", "Tuesday,")
_MOVES = (Key.Key_Left, Key.Key_Right, Key.Key_Up, Key.Key_Down, Key.Key_Home, Key.Key_End)


class Typist:
    """Attributes: stage, window (of the program that runs now), done (what was done, the last step last)."""

    def __init__(
        self, seed: int, stage: staging.Stage, make_window: Callable[[staging.Stage], MainWindow], folder: Path
    ) -> None:
        self._dice, self._make_window, self._folder = random.Random(seed), make_window, folder
        self.done: list[str] = []
        self._sheets: dict[str, Sheet] = {}
        self._key = ""
        self._files = 0
        QGuiApplication.clipboard().clear()  # what another test has left there would be pasted
        self._begin(stage)
        self._file_arrives()
        self._engine_works()
        self._look_at(self._dice.choice(list(self._sheets)))

    def _begin(self, stage: staging.Stage) -> None:
        self.stage, self.window = stage, self._make_window(stage)
        self._watcher = Watcher(stage, self._folder)
        self._watcher.check()
        stage.settle()
        self.window.activateWindow()
        self.stage.until(self.window.isActiveWindow)

    @property
    def _sheet(self) -> Sheet:
        return self._sheets[self._key]

    @property
    def _entry(self) -> Entry:
        return self.stage.session.entries[self._key]

    def step(self) -> None:
        """Do something, and look whether all is as it must be."""
        actions = {
            self._type: 30,
            self._delete: 16,
            self._split: 12,
            self._merge: 10,
            self._move: 14,
            self._click: 10,
            self._select: 8,
            self._undo: 8,
            self._redo: 5,
            self._compose: 3,
            self._cut_or_copy: 4,
            self._paste: 4,
            self._find: 4,
            self._search: 3,
            self._choose: 3,
            self._file_arrives: 3,
            self._engine_works: 6,
            self._wait: 6,
            self._save: 4,
            self._restart: 1,
        }
        action = self._dice.choices(list(actions), list(actions.values()))[0]
        self._note(action.__name__.lstrip("_"))
        action()
        self.check()

    def check(self) -> None:
        """All is as it must be."""
        view, sheet = self.window.page.view, self._sheet
        assert self.window.current.key == self._key, "another recording is looked at"
        assert QApplication.focusWidget() is view, "the focus went elsewhere"
        sheet.take_spaces([line.text for line in view.flow.lines], view.selection.caret)
        _compare("what is shown", [line.text for line in view.flow.lines], sheet.texts)
        _compare("what is kept", [segment.text.lstrip() for segment in self._entry.segments], sheet.texts)
        assert (view.selection.anchor, view.selection.caret) == (sheet.anchor, sheet.caret), "the caret"
        begins = [line.begins for line in view.flow.lines]
        wanted = [each if line.begins is None else line.begins for line, each in zip(sheet.lines, begins, strict=True)]
        _compare("where paragraphs begin", begins, wanted)
        sheet.lines = [replace(line, begins=each) for line, each in zip(sheet.lines, begins, strict=True)]

    def close(self) -> None:
        """At the end everything is on the disk."""
        self._save()
        self._watcher.watch.close()

    # Keys.

    def _note(self, what: str) -> None:
        self.done.append(f"{what} at {self._sheet.anchor}-{self._sheet.caret}" if self._key else what)

    def _press(self, key: Key, held: Hold = Hold.NoModifier) -> None:
        QTest.keyClick(_focus(), key, held)

    def _press_text(self, text: str) -> None:
        self.done[-1] += f" {text!r}"
        for letter in text:
            if letter.isascii():
                QTest.keyClick(_focus(), letter)
            else:  # which QTest spells as bytes
                QApplication.sendEvent(_focus(), QKeyEvent(QKeyEvent.Type.KeyPress, 0, Hold.NoModifier, letter))
            self._sheet.replace(*self._sheet.range, letter)

    def _type(self) -> None:
        character = self._sheet.range[0][1]
        text = self._dice.choice(("", " ") if character else ("",)) + self._dice.choice(_WORDS)
        self._press_text(text + self._dice.choice(("", " ")))

    def _compose(self) -> None:
        """What an input method writes."""
        event = QInputMethodEvent()
        event.setCommitString(text := self._dice.choice(("你好", "👍", "é")))
        QApplication.sendEvent(_focus(), event)
        self._sheet.replace(*self._sheet.range, text)

    def _delete(self) -> None:
        forwards, by_word = self._dice.random() < 0.3, self._dice.random() < 0.3
        for _time in range(self._dice.randint(1, 4)):
            begin, end = self._sheet.range
            if begin == end:
                selection = self.window.page.view.selection
                begin, end = sorted((self._sheet.caret, selection.beside(1 if forwards else -1, by_word)))
            self._press(Key.Key_Delete if forwards else Key.Key_Backspace, _held(by_word))
            self._sheet.replace(begin, end, "")

    def _split(self) -> None:
        place = self._dice.choice(("here", "begin", "end"))
        if place != "here" and self._sheet.anchor == self._sheet.caret:
            line = self._sheet.caret[0]
            self._click_at((line, 0 if place == "begin" else len(self._sheet.texts[line])))
        self._press(Key.Key_Return)
        self._sheet.replace(*self._sheet.range, "\n")

    def _merge(self) -> None:
        """Backspace at the beginning of a line, Delete at the end of one."""
        if len(self._sheet.lines) < 5:
            return
        line, backwards = self._dice.randrange(1, len(self._sheet.lines)), self._dice.random() < 0.7
        near = self._sheet.caret[0]
        if near > 0 and self._dice.random() < 0.6:
            line = near
        end = (line - 1, len(self._sheet.texts[line - 1]))
        self._click_at((line, 0) if backwards else end)
        if self._sheet.caret == ((line, 0) if backwards else end):
            self._press(Key.Key_Backspace if backwards else Key.Key_Delete)
            self._sheet.replace(end, (line, 0), "")

    def _move(self) -> None:
        held = _held(self._dice.random() < 0.3) | _held(self._dice.random() < 0.2, Hold.ShiftModifier)
        for _time in range(self._dice.randint(1, 5)):
            self._press(self._dice.choice(_MOVES), held)
        self._take_caret()

    def _select(self) -> None:
        for _time in range(self._dice.randint(1, 12)):
            self._press(self._dice.choice(_MOVES[:4]), Hold.ShiftModifier)
        self._take_caret()

    def _take_caret(self) -> None:
        """The caret is where the user sees it."""
        selection = self.window.page.view.selection
        self._sheet.put(selection.anchor, selection.caret)

    # The mouse.

    def _click(self) -> None:
        line = self._dice.randrange(len(self._sheet.lines))
        place = (line, self._dice.randint(0, len(self._sheet.texts[line])))
        self._click_at(place, _held(self._dice.random() < 0.2, Hold.ShiftModifier))

    def _click_at(self, place: Place, held: Hold = Hold.NoModifier) -> None:
        view = self.window.page.view
        view.reveal(*place)
        drain()
        rect = view.placement.caret_rect(place)
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, held, QPoint(rect.left(), rect.center().y()))
        caret = view.placement.caret_rect(view.selection.caret)
        assert abs(caret.center().y() - rect.center().y()) < rect.height(), "the caret is in another row"
        assert abs(caret.left() - rect.left()) <= rect.height(), "the caret is elsewhere in its row"
        self._take_caret()

    # Back and forth.

    def _undo(self) -> None:
        for _time in range(self._dice.randint(1, 6)):
            if self._sheet.can_undo:
                self._press(Key.Key_Z, Hold.ControlModifier)
                self._sheet.undo([line.text for line in self.window.page.view.flow.lines])
        self._take_caret()

    def _redo(self) -> None:
        for _time in range(self._dice.randint(1, 6)):
            if self._sheet.can_redo:
                self._press(Key.Key_Z, Hold.ControlModifier | Hold.ShiftModifier)
                self._sheet.redo()
        self._take_caret()

    # The clipboard.

    def _cut_or_copy(self) -> None:
        self._press(key := self._dice.choice((Key.Key_X, Key.Key_C)), Hold.ControlModifier)
        if key == Key.Key_X and self._sheet.anchor != self._sheet.caret:
            self._sheet.replace(*self._sheet.range, "")

    def _paste(self) -> None:
        if not (text := QGuiApplication.clipboard().text()) or self._dice.random() < 0.3:
            QGuiApplication.clipboard().setText(text := self._dice.choice(("one\ntwo", "a few words", "x")))
        self._press(Key.Key_V, Hold.ControlModifier)
        self._sheet.replace(*self._sheet.range, text)

    # Searching.

    def _find(self) -> None:
        """Found in this text, and typed where it was found."""
        words = [word for text in self._sheet.texts for word in text.split() if word.isascii() and len(word) > 2]
        if not words:
            return
        word = self._dice.choice(words)
        self._press(Key.Key_F, Hold.ControlModifier)
        assert _focus() is self.window.page.find_bar.field
        QTest.keyClicks(_focus(), word)
        for _time in range(self._dice.randint(1, 3)):
            self._press(self._dice.choice((Key.Key_Return, Key.Key_F3)))
        if self._dice.random() < 0.3:
            self._file_arrives()
        self._press(Key.Key_Escape)
        self._take_caret()
        line, character = self._sheet.caret
        assert self._sheet.texts[line][character:].lower().startswith(word.lower()), "the caret is where it was found"
        self._press_text(self._dice.choice(("x", "xy ")))

    def _search(self) -> None:
        """Found in all recordings, and opened by Enter."""
        self.stage.edits.save()
        self.stage.settle()
        self._press(Key.Key_K, Hold.ControlModifier)
        field, model, found = _focus(), self.window.sidebar.model, self.window.sidebar.list
        assert field is self.window.sidebar.search
        QTest.keyClicks(field, "gutters")
        self.stage.until(lambda: model.wanted == "gutters")
        self.stage.settle()
        if model.first_found.isValid():
            before = {key: sheet.texts for key, sheet in self._sheets.items()}
            for _time in range(self._dice.randint(1, 3)):
                self._press(Key.Key_Down)
                assert _focus() is found, "the focus stays in the results"
                self.stage.settle()
                if self._dice.random() < 0.3:
                    self._file_arrives()
            self._press(Key.Key_Return)
            self.stage.settle()
            self.stage.until(self.window.page.view.hasFocus)
            self._turn_to(self.window.current.key)
            entries = self.stage.session.entries
            texts = {key: [it.text.lstrip() for it in entries[key].segments] for key in before if entries[key].loaded}
            assert texts == {key: before[key] for key in texts}, "a search changes no text"
        self._press(Key.Key_K, Hold.ControlModifier)
        self._press(Key.Key_Delete)
        self.stage.until(lambda: model.wanted == "")
        self._focus_text()

    def _choose(self) -> None:
        """Another recording is chosen in the list."""
        self._look_at(self._dice.choice(list(self._sheets)))

    def _turn_to(self, key: str) -> None:
        """Another recording is looked at; its paragraphs are those that it has at first."""
        self._key = key
        self.stage.settle()
        found = zip(self._sheet.lines, self.window.page.view.flow.lines, strict=True)
        self._sheet.lines = [
            line if line.begins is not None else replace(line, begins=there.begins) for line, there in found
        ]

    def _look_at(self, key: str) -> None:
        sidebar = self.window.sidebar
        index = sidebar.model.row_of(key)
        sidebar.list.scrollTo(index)
        drain()
        QTest.mouseClick(
            sidebar.list.viewport(), Qt.MouseButton.LeftButton, pos=sidebar.list.visualRect(index).center()
        )
        self._turn_to(key)
        self._focus_text()

    def _focus_text(self) -> None:
        self._close_find()
        self._click_at((0, 0))
        self.stage.until(self.window.page.view.hasFocus)

    def _close_find(self) -> None:
        if self.window.page.find_bar.isVisible():
            self.window.page.close_find()

    # What happens meanwhile.

    def _file_arrives(self) -> None:
        """A file comes into the watched folder, or from a second start."""
        self._files += 1
        file = self._folder / f"file {self._files}.wav"
        file.write_bytes(b"sound")
        if self._files > 1 and self._dice.random() < 0.3:
            before = len(self.stage.session.entries)
            self.window.take([str(file)])
            self.stage.until(lambda: len(self.stage.session.entries) > before)
            return
        self._watcher.check(1.0)
        assert file.name in self._watcher.check(UNCHANGED)

    def _engine_works(self) -> None:
        """The file in work is transcribed: some lines of it, or to its end."""
        session = self.stage.session
        entry = session.entries.get(session.queue.running)
        if entry is None:
            return
        made = talk(self._dice.choice((1, 2, 3)), rounds=self._dice.choice((1, 2)))
        if self._dice.random() < 0.5:  # as Whisper writes lines
            made = replace(made, segments=tuple(replace(it, text=f" {it.text}") for it in made.segments))
        if self._dice.random() < 0.3:
            self.stage.say(Started(entry.id, made.seconds, made.models), SegmentReady(entry.id, made.segments[0]))
            if self._dice.random() < 0.5 and self._sheets:
                return
        self.stage.say(Started(entry.id, made.seconds, made.models))
        self.stage.say(Finished(entry.id, replace(made, path=entry.path)))
        assert entry.state == DONE
        self._sheets[entry.id] = _sheet_of(entry)

    def _wait(self) -> None:
        """Nothing is done for a moment, or for so long that what is typed then is another step."""
        self.stage.now += self._dice.choice((0.5, 5.0))
        drain()

    def _save(self) -> None:
        """What the disk has is what is shown, a second later."""
        self.stage.edits.save()
        self.stage.settle()
        for key, sheet in self._sheets.items():
            kept = [segment.text.lstrip() for segment in self.stage.library.transcript(key).segments]
            _compare("what is on the disk", kept, sheet.texts)

    def _restart(self) -> None:
        """Galley is closed and opened; the files in work are transcribed anew."""
        self._save()
        self._watcher.watch.close()
        for entry in list(self.stage.session.entries.values()):
            if entry.state in IN_WORK:
                self.stage.session.cancel(entry.id)
                self.stage.say(Cancelled(entry.id))
        self.stage.settle()
        self.window.connections.close()
        self.window.hide()
        self.window.deleteLater()
        self._begin(self.stage.restart())
        for sheet in self._sheets.values():
            sheet.forget()
        self._look_at(self._key)


def _focus() -> QWidget:
    found = QApplication.focusWidget()
    assert found is not None, "the focus is lost"
    return found


def _compare(what: str, found: Sequence[object], wanted: Sequence[object]) -> None:
    """Say at which line they differ."""
    for line, (one, other) in enumerate(zip_longest(found, wanted)):
        assert one == other, f"{what}, line {line}: {one!r}, not {other!r}"


def _held(wanted: bool, held: Hold = Hold.ControlModifier) -> Hold:
    return held if wanted else Hold.NoModifier


def _sheet_of(entry: Entry) -> Sheet:
    """A text as it was transcribed."""
    return Sheet([Line(it.text.lstrip(), None, it.speaker) for it in entry.segments])
