"""What the user has chosen, kept in the settings file beside the library."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from desktop_app import folders, settings, texts
from desktop_app.app.background import BackgroundThread
from desktop_app.app.signals import Signal
from desktop_app.engine.model_list import default_folder, name_of
from desktop_app.messages.options import AUTO, OFF, ON, Options, from_settings, to_settings
from desktop_app.texts import _

PRECISIONS = (AUTO, "int8", "int4")
"""Those that the window offers: full precision as the device has it, and weights of 8 or 4 bits."""


class _Choice:
    """A setting as an attribute: a text, `default` where the file has nothing or what is not `allowed`."""

    def __init__(self, default: str, allowed: Callable[[str], bool] = lambda text: True, tell: bool = True) -> None:
        self._default, self._allowed, self._tell = default, allowed, tell

    def __set_name__(self, owner: type, name: str) -> None:
        self._key = name

    def __get__(self, preferences: Preferences, owner: type) -> str:
        kept = preferences.text(self._key, self._default)
        return kept if self._allowed(kept) else self._default

    def __set__(self, preferences: Preferences, wanted: str) -> None:
        preferences.set(self._key, wanted)
        if self._tell:
            preferences.changed.emit()


class Preferences:
    """The one owner of the settings file. It is read once, and written by `worker`; what a front end keeps of its own
    (sizes, places) goes through `text` and `set`.

    Attributes:
        mirror: the address of the hub that models are downloaded from; "" for the public one.
        microphone: the name of the input to record from; "" for the system's default.
        watched: the folder whose new recordings are transcribed; "" for none.
        notices: whether a notification tells what was transcribed while another window was in front: ON or OFF.
        tray: whether there is an icon in the system's tray: ON or OFF.
        conversations: whether finding the speakers is suggested where several people speak: ON or OFF.
        language: that of the texts, a code of `texts.languages()`; "" for the system's.
    Signals: changed() when the next recording is to be transcribed in another way, in another language of texts, or
        with a tray icon or without.
    """

    mirror = _Choice("", tell=False)
    microphone = _Choice("", tell=False)
    watched = _Choice("")
    notices = _Choice(ON, (ON, OFF).__contains__, tell=False)
    tray = _Choice(OFF, (ON, OFF).__contains__)
    conversations = _Choice(ON, (ON, OFF).__contains__, tell=False)
    language = _Choice("", lambda code: code in texts.languages())

    def __init__(self, worker: BackgroundThread) -> None:
        self.changed: Signal[[]] = Signal()
        self._worker = worker
        self._values = settings.read()
        self._unsaved: dict[str, str] = {}

    def text(self, key: str, default: str = "") -> str:
        """The text that is kept under a key."""
        return self._values.get(key, default)

    def set(self, key: str, value: str) -> None:
        """Keep it, now and for the next start."""
        self._values[key] = value
        self._unsaved = {**self._unsaved, key: value}
        self._worker.do(self._save)

    def when_saved(self, then: Callable[[], object]) -> None:
        """Call `then` when others that read the file find in it what was set."""
        self._worker.do(lambda: None, lambda _: then())

    def _save(self) -> None:
        """In the worker's thread."""
        unsaved = self._unsaved
        if unsaved:
            settings.write(unsaved)
            self._unsaved = {key: value for key, value in self._unsaved.items() if value is not unsaved.get(key)}

    def options(self) -> Options:
        """How the next recording is to be transcribed: with word times, which its player and its speakers need."""
        return replace(from_settings(self._values.get), words=True)

    def choose(self, **changed: Any) -> None:
        """Transcribe the next recordings with these values of fields of Options."""
        for key, text in to_settings(changed).items():
            self.set(key, text)
        self.changed.emit()

    @property
    def folder_in_use(self) -> Path:
        """The folder of the chosen model, or of the best one installed."""
        target = self.options().target
        return Path(target) if target else default_folder()

    @property
    def recordings(self) -> Path:
        """The folder that live recordings are kept in; nothing is made here."""
        kept = self.text("recordings")
        return Path(kept) if kept else folders.recordings()

    @recordings.setter
    def recordings(self, folder: Path) -> None:
        self.set("recordings", str(folder))
        self.changed.emit()

    @property
    def models_in_words(self) -> str:
        """The models of the next recording: the main model, and what was chosen of draft model and precision."""
        words, options = name_of(self.folder_in_use), self.options()
        if options.draft == OFF:
            words = _("{model} without a draft model", model=words)
        elif options.draft != AUTO:
            words = _("{model} with {draft}", model=words, draft=name_of(Path(options.draft)))
        return words if options.precision == AUTO else f"{words}, {options.precision}"

    def folder(self, purpose: str) -> str:
        """Where files were last opened ("open") or saved ("save")."""
        kept = self.text(f"folder_{purpose}")
        return kept if kept and Path(kept).is_dir() else str(folders.documents())

    def remember_folder(self, purpose: str, folder: str) -> None:
        """Open or save there the next time."""
        self.set(f"folder_{purpose}", folder)
