"""What the user has chosen, kept in the settings file beside the library."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from desktop_app import folders, settings, texts
from desktop_app.app.signals import Signal
from desktop_app.app.worker import Worker
from desktop_app.engine import default
from desktop_app.engine.messages import Options, is_speakers
from desktop_app.engine.model_list import name_of
from desktop_app.texts import _

AUTO, ON, OFF = "auto", "on", "off"
PRECISIONS = (AUTO, "int8", "int4")
"""Full precision as the device has it, and weights of 8 or 4 bits."""
TASKS = ("transcribe", "translate")


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
        target: the folder of the chosen model; "" for the best one installed.
        draft: the draft model: AUTO for the best compatible one, OFF, or its folder.
        precision: that of the models' weights: one of PRECISIONS.
        speakers: whether speakers are identified: "off", "auto", or how many there are.
        spoken: the language of recordings, a code; AUTO to have it detected.
        task: "transcribe", or "translate" (into English).
        vocabulary: names and terms that may occur in recordings, with commas between them.
        mirror: the address of the hub that models are downloaded from; "" for the public one.
        microphone: the name of the input to record from; "" for the system's default.
        watched: the folder whose new recordings are transcribed; "" for none.
        notices: whether a notification tells what was transcribed while another window was in front: ON or OFF.
        tray: whether there is an icon in the system's tray: ON or OFF.
        language: that of the texts, a code of `texts.languages()`; "" for the system's.
    Signals: changed() when the next recording is to be transcribed in another way, in another language of texts, or
        with a tray icon or without.
    """

    target = _Choice("")
    draft = _Choice(AUTO)
    precision = _Choice(AUTO, PRECISIONS.__contains__)
    speakers = _Choice(OFF, is_speakers)
    spoken = _Choice(AUTO, lambda code: code == AUTO or (code.isalpha() and code.islower()))
    task = _Choice("transcribe", TASKS.__contains__)
    vocabulary = _Choice("")
    mirror = _Choice("", tell=False)
    microphone = _Choice("", tell=False)
    watched = _Choice("")
    notices = _Choice(ON, (ON, OFF).__contains__, tell=False)
    tray = _Choice(OFF, (ON, OFF).__contains__)
    language = _Choice("", lambda code: code in texts.languages())

    def __init__(self, worker: Worker) -> None:
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
        return Options(
            self.target,
            self.draft,
            precision=self.precision,
            language=self.spoken,
            task=self.task,
            words=True,
            hot_words=terms(self.vocabulary),
            guard=self.guard,
            speakers=self.speakers,
        )

    @property
    def guard(self) -> bool:
        """Whether hallucinated text is removed."""
        return self.text("guard") != OFF

    @guard.setter
    def guard(self, wanted: bool) -> None:
        self.set("guard", ON if wanted else OFF)
        self.changed.emit()

    @property
    def folder_in_use(self) -> Path:
        """The folder of the chosen model, or of the best one installed."""
        return Path(self.target) if self.target else default.target()

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
        words = name_of(self.folder_in_use)
        if self.draft == OFF:
            words = _("{model} without a draft model", model=words)
        elif self.draft != AUTO:
            words = _("{model} with {draft}", model=words, draft=name_of(Path(self.draft)))
        return words if self.precision == AUTO else f"{words}, {self.precision}"

    def folder(self, purpose: str) -> str:
        """Where files were last opened ("open") or saved ("save")."""
        kept = self.text(f"folder_{purpose}")
        return kept if kept and Path(kept).is_dir() else str(folders.documents())

    def remember_folder(self, purpose: str, folder: str) -> None:
        """Open or save there the next time."""
        self.set(f"folder_{purpose}", folder)


def terms(text: str) -> tuple[str, ...]:
    """Names and terms that were typed with commas between them."""
    return tuple(term for part in text.split(",") if (term := " ".join(part.split())))
