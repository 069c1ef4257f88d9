"""What is done with recordings and their files: opening, copying, removing."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QPoint, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from desktop_app import private
from desktop_app.app.library import media
from desktop_app.app.recordings.entry import DONE, IN_WORK, RECORDING, Entry
from desktop_app.problems import Problem
from desktop_app.texts import _
from desktop_app.ui.context import Context
from desktop_app.ui.shell.details import Details
from desktop_app.ui.transcript.page import again_words


class Files(QObject):
    """The actions on recordings, and the menu of each.

    Signals: added(paths) when the user has chosen some; entry_asked(id) when a recording is to be shown;
    export_asked(ids) when some are to be exported; located(id) when its file was found again; rename_asked(id) when its
    title is to be changed; again_asked(id) when a whole text is to be transcribed again; told(sentence) when something
    was done.
    """

    added = Signal(list)
    export_asked = Signal(list)
    entry_asked = Signal(str)
    rename_asked = Signal(str)
    located = Signal(str)
    told = Signal(str)
    again_asked = Signal(str)

    def __init__(self, window: QWidget, context: Context, text: Callable[[], str]) -> None:
        super().__init__(window)
        self._window, self._text = window, text
        actions, current, core = context.actions, context.current, context.core
        self._actions, self._current, self._preferences = actions, current, core.preferences
        self._session, self._checks, self._deletions = core.session, core.checks, core.deletions
        actions.on(
            open=self.browse,
            copy=self.copy,
            folder=self.show_folder,
            cancel=lambda: core.session.cancel(current.key),
            rename=lambda: self._rename(current.key),
            details=lambda: self.open_details([current.key]),
        )

    # Files.

    def browse(self) -> None:
        """Choose recordings to transcribe."""
        folder = self._preferences.folder("open")
        files, _filter = QFileDialog.getOpenFileNames(self._window, _("Choose recordings"), folder, media.file_filter())
        if files:
            self._preferences.remember_folder("open", str(Path(files[0]).parent))
            self.added.emit(files)

    def copy(self) -> None:
        """Copy the whole text that is looked at."""
        if self._current.entry is not None and self._current.entry.has_text:
            QGuiApplication.clipboard().setText(self._text())
            self.told.emit(_("Text copied"))

    def show_folder(self) -> None:
        """Open the folder that the recording lies in."""
        entry = self._current.entry
        if entry is not None:
            folder = Path(entry.path).parent
            if not folder.is_dir():
                self._session.tell(Problem("file.folder_gone", folder=str(folder)))
            else:
                _open(folder)

    # Recordings.

    def open_menu(self, keys: list[str], place: QPoint) -> None:
        """What can be done with recordings of the sidebar."""
        self.menu_for(*keys).popup(place)

    def menu_for(self, *keys: str) -> QMenu:
        """The menu of a recording, or of several."""
        menu = QMenu(self._window)
        menu.aboutToHide.connect(menu.deleteLater)
        if len(keys) == 1:
            self._fill_menu(menu, self._session.entries[keys[0]])
        else:
            self._fill_menu_of_several(menu, keys)
        return menu

    def _fill_menu(self, menu: QMenu, entry: Entry) -> None:
        item, key = self._actions.item, entry.id
        if entry.elsewhere:
            menu.addAction(entry.progress_words()).setEnabled(False)
            return
        if entry.state == RECORDING:
            menu.addAction(_("Stop recording"), self._actions["record"].trigger)
            return
        if entry.state in IN_WORK:
            self._fill_queued(menu, entry)
        else:
            item(menu, "again", partial(self._again, key), again_words(entry))
            if entry.spoken and entry.state == DONE:
                item(menu, "recheck", partial(self._check, key))
            item(menu, "open_elsewhere", partial(self._play, entry))
        menu.addSeparator()
        item(menu, "rename", partial(self._rename, key))
        item(menu, "details", partial(self.open_details, [key]))
        if entry.has_text or entry.state == DONE:
            item(menu, "export", partial(self.export_asked.emit, [key]))
        menu.addAction(_("Locate the audio file…"), partial(self.locate, key))
        menu.addSeparator()
        item(menu, "remove", partial(self.delete, [key]))

    def _fill_queued(self, menu: QMenu, entry: Entry) -> None:
        place = self._session.queue.place(entry.id)
        if place is not None:
            for text, wanted in (
                (_("Transcribe next"), 0),
                (_("Move up") + "\tAlt+↑", place - 1),
                (_("Move down") + "\tAlt+↓", place + 1),
            ):
                can = 0 <= wanted < len(self._session.queue.waiting) and wanted != place
                menu.addAction(text, partial(self._session.queue.move, entry.id, wanted)).setEnabled(can)
            menu.addSeparator()
        menu.addAction(self._actions["cancel"].text(), partial(self._session.cancel, entry.id))

    def _fill_menu_of_several(self, menu: QMenu, keys: tuple[str, ...]) -> None:
        menu.addAction(_("Tags…"), partial(self.open_details, list(keys)))
        self._actions.item(menu, "export", partial(self.export_asked.emit, list(keys)))
        menu.addSeparator()
        self._actions.item(menu, "remove", partial(self.delete, list(keys)))

    def _again(self, key: str) -> None:
        self.entry_asked.emit(key)
        entry = self._session.entries.get(key)
        if entry is not None and entry.state == DONE:
            self.again_asked.emit(key)
        else:
            self._session.transcribe_again(key)

    def _check(self, key: str) -> None:
        self.entry_asked.emit(key)
        self._checks.begin(key)

    def _play(self, entry: Entry) -> None:
        if not _open(Path(entry.path)):
            self._session.tell(Problem("file.no_app", name=entry.name))

    def _rename(self, key: str) -> None:
        if key in self._session.entries:
            self.rename_asked.emit(key)

    def open_details(self, keys: list[str]) -> None:
        """Title, tags and notes of recordings."""
        entries = [self._session.entries[key] for key in keys if key in self._session.entries]
        if entries:
            Details(self._window, self._session, entries).exec()

    def locate(self, key: str) -> None:
        """Let the user say where the audio file of a recording lies now."""
        entry = self._session.entries.get(key)
        if entry is None:
            return
        folder = Path(entry.path).parent
        start = str(folder) if folder.is_dir() else self._preferences.folder("open")
        title = _("Where is {name}?", name=entry.file_name)
        file, _filter = QFileDialog.getOpenFileName(self._window, title, start, media.file_filter())
        if file:
            self._session.locate(key, file)
            self.located.emit(key)

    def delete(self, keys: list[str]) -> None:
        """Delete recordings; for some time that can be undone."""
        entries = [self._session.entries[key] for key in keys if key in self._session.entries]
        stays = next((entry for entry in entries if entry.elsewhere or entry.state == RECORDING), None)
        if stays is not None:
            self.told.emit(stays.progress_words() if stays.elsewhere else _("Stop the recording first"))
        self._deletions.delete(keys)


def _open(path: Path) -> bool:
    """Let another program open a file or folder; gives whether one was found."""
    with private.as_user():  # which that program inherits
        return QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))
