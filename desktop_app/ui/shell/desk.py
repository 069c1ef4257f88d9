"""What the user can do, by menu, button or key: opening, saving, copying, removing, choosing a model."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication, QShortcut
from PySide6.QtWidgets import QFileDialog, QMenu

from desktop_app.app import media
from desktop_app.app.entry import DONE, IN_WORK, RECORDING, Entry
from desktop_app.app.models import ModelStore
from desktop_app.app.preferences import Preferences
from desktop_app.app.session import Session
from desktop_app.app.wording import size
from desktop_app.ui.shell import keys
from desktop_app.ui.transcript import saving
from desktop_app.ui.transcript.header import FORMAT_WORDS
from desktop_app.ui.transcript.page import again_words
from desktop_app.ui.widgets.confirm import confirm

if TYPE_CHECKING:
    from desktop_app.ui.shell.window import Window


class Desk(QObject):
    """The actions of a window, and the keys for them."""

    def __init__(self, window: Window, session: Session, models: ModelStore, preferences: Preferences) -> None:
        super().__init__(window)
        self._window, self._session, self._models, self._preferences = window, session, models, preferences
        for name, action in (
            ("open", self.browse),
            ("new", window.show_idle),
            ("save", partial(self.save, "txt")),
            ("export", self._export),
            ("find", window.page.open_find),
            ("find_next", partial(window.page.find_bar.step.emit, 1)),
            ("recordings", self._search_recordings),
            ("models", window.show_models),
            ("settings", window.show_settings),
            ("keys", self.show_keys),
            ("copy", self.copy),
            ("cancel", self._cancel),
            ("escape", self._escape),
            ("quit", window.close),
        ):
            QShortcut(keys.sequence(name), window).activated.connect(action)

    @property
    def _entry(self) -> Entry | None:
        """The recording that is looked at."""
        return self._session.entries.get(self._window.current)

    # Files.

    def browse(self) -> None:
        """Choose recordings to transcribe."""
        folder = self._preferences.folder("open")
        files, _ = QFileDialog.getOpenFileNames(self._window, "Choose recordings", folder, media.FILTER)
        if files:
            self._preferences.remember_folder("open", str(Path(files[0]).parent))
            self._window.add(files)

    def save(self, form: str) -> None:
        """Save the text that is looked at, as far as it is written."""
        entry = self._entry
        if entry is None or not entry.has_text:
            return
        transcript = entry.transcript()
        suggested = Path(self._preferences.folder("save"), saving.suggested_name(transcript, form))
        pattern = f"{FORMAT_WORDS[form]} (*.{form})"
        name, _ = QFileDialog.getSaveFileName(self._window, "Save the transcript", str(suggested), pattern)
        if name:
            self.write(entry, form, Path(name))

    def write(self, entry: Entry, form: str, place: Path) -> None:
        """Write a text to a file; say that it was done or why it was not."""
        if not place.suffix:
            place = place.with_suffix(f".{form}")
        try:
            saving.save(entry.transcript(), form, place)
        except OSError as error:
            reason = f"{place.name} was not saved ({(error.strerror or str(error)).lower()})"
            self._session.trouble.emit(reason, "choose another folder or make room, then save again")
            return
        self._preferences.remember_folder("save", str(place.parent))
        self._window.toast.say(f"Saved as {place.name}")

    def _export(self) -> None:
        if self._window.page.isVisible() and self._window.page.header.save.isEnabled():
            self._window.page.header.open_save_menu()

    def copy(self) -> None:
        """Copy the whole text that is looked at."""
        if self._entry is not None and self._entry.has_text:
            QGuiApplication.clipboard().setText(self._window.page.view.text())
            self._window.toast.say("Text copied")

    def show_folder(self) -> None:
        """Open the folder that the recording lies in."""
        entry = self._entry
        if entry is not None:
            folder = Path(entry.path).parent
            if not folder.is_dir():
                self._session.trouble.emit(
                    f"the folder {folder} is not there any more", "look for the recording elsewhere"
                )
            else:
                QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))

    # Recordings.

    def open_menu(self, key: str, place: QPoint) -> None:
        """What can be done with a recording of the sidebar."""
        self.menu_for(key).popup(place)

    def menu_for(self, key: str) -> QMenu:
        """The menu of a recording."""
        entry = self._session.entries[key]
        menu = QMenu(self._window)
        menu.aboutToHide.connect(menu.deleteLater)
        if entry.state == RECORDING:
            stop = menu.addAction("Stop recording", self._window.sidebar.record_asked.emit)
            stop.setEnabled(entry.live is not None)  # else another Galley records it
            return menu
        if entry.state in IN_WORK:
            menu.addAction("Cancel", partial(self._session.cancel, key))
        else:
            menu.addAction(again_words(entry), partial(self._again, key))
            if entry.spoken and entry.state == DONE:
                menu.addAction("Check against the file", partial(self._check, key))
            menu.addAction("Play in another program", partial(self._play, entry))
        menu.addSeparator()
        menu.addAction("Remove…", partial(self.remove, key))
        return menu

    def _again(self, key: str) -> None:
        self._window.show_entry(key)
        self._session.again(key)

    def _check(self, key: str) -> None:
        self._window.show_entry(key)
        self._window.live.checks.begin(key)

    def _play(self, entry: Entry) -> None:
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(entry.path)):
            self._session.trouble.emit(f"no program here plays {entry.name}", "open its folder instead")

    def remove(self, key: str) -> None:
        """Forget a recording, once the user has said yes."""
        entry = self._session.entries.get(key)
        if entry is not None and entry.state == RECORDING:
            self._window.toast.say("Stop the recording first")
        elif entry is not None and confirm(
            self._window,
            f"Remove “{entry.name}”?",
            "Its transcript is deleted from Galley. The audio file stays where it is.",
            "Remove",
        ):
            self._session.remove(key)

    def may_close(self, count: int) -> bool:
        """Ask whether to leave recordings, or a download, unfinished."""
        what = "A recording is" if count == 1 else f"{count} recordings are"
        text = "What is written so far is kept. You can transcribe the rest another time."
        fetching = self._models.fetching
        if not count and fetching is not None:
            what, text = "A download is", "What has arrived is kept. You can go on with it another time."
        return not (count or fetching) or confirm(self._window, f"{what} not done yet", text, "Close Galley")

    # The rest.

    def show_keys(self) -> None:
        """The list of keys."""
        keys.KeyList(self._window).exec()

    def choose_recordings_folder(self) -> None:
        """Choose where live recordings are kept from now on; those that are there stay where they are."""
        start = str(self._preferences.recordings)
        folder = QFileDialog.getExistingDirectory(self._window, "Choose a folder for recordings", start)
        if folder:
            self._preferences.recordings = Path(folder)

    # Models.

    def choose_model(self) -> None:
        """Choose a model's folder that is to be used where it lies."""
        folder = self._model_folder("Choose a model folder")
        if folder:
            self._models.choose_target(folder)

    def add_model(self) -> None:
        """Choose a model's folder that is to be copied."""
        folder = self._model_folder("Choose a model folder to add")
        if folder:
            self._models.add(folder)

    def remove_model(self, name: str) -> None:
        """Delete a model, once the user has said yes."""
        model = self._models.find(name)
        if model is None:
            return
        used = " It is the one in use; another one will write." if self._models.in_use == name else ""
        text = f"{size(model.bytes)} are deleted from this computer. You can fetch or add it again.{used}"
        if confirm(self._window, f"Remove “{model.title}”?", text, "Remove"):
            self._models.remove(name)

    def _model_folder(self, title: str) -> str:
        folder = QFileDialog.getExistingDirectory(self._window, title, self._preferences.folder("model"))
        if folder:
            self._preferences.remember_folder("model", str(Path(folder).parent))
        return folder

    def _search_recordings(self) -> None:
        self._window.sidebar.search.setFocus()
        self._window.sidebar.search.selectAll()

    def _escape(self) -> None:
        """Close what is open: the search, the settings. Work is never stopped by it."""
        window = self._window
        if window.page.find_bar.isVisible():
            window.page.close_find()
        elif window.sidebar.search.text():
            window.sidebar.search.clear()
        elif window.settings.isVisible() or window.models.isVisible():
            window.show_idle()

    def _cancel(self) -> None:
        """Stop the recording that is looked at."""
        self._session.cancel(self._window.current)
