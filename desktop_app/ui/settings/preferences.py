"""What the user has chosen, kept in settings.ini beside the library."""

from __future__ import annotations

import json
from pathlib import Path

from PySide6.QtCore import QObject, QSettings, QStandardPaths, Signal

from desktop_app import folders
from desktop_app.engine import default
from desktop_app.engine.messages import Options

AUTO, OFF = "auto", "off"
PRECISIONS = (AUTO, "int8", "int4")
"""Full precision as the device has it, and weights of 8 or 4 bits."""


class Preferences(QObject):
    """Model, draft, precision, microphone and folders.

    Attributes: settings (the file itself). Signals: changed() when another model or draft is to be used.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        folders.data().mkdir(parents=True, exist_ok=True)
        self.settings = QSettings(str(folders.data() / "settings.ini"), QSettings.Format.IniFormat, self)

    @property
    def target(self) -> str:
        """The folder of the chosen model; "" for the best one installed."""
        return str(self.settings.value("target", ""))

    @target.setter
    def target(self, folder: str) -> None:
        self.settings.setValue("target", folder)
        self.changed.emit()

    @property
    def draft(self) -> str:
        """Which model writes ahead: AUTO for the one that fits best, OFF, or its folder."""
        return str(self.settings.value("draft", AUTO))

    @draft.setter
    def draft(self, wanted: str) -> None:
        self.settings.setValue("draft", wanted)
        self.changed.emit()

    @property
    def precision(self) -> str:
        """How finely the numbers of the models are kept: one of PRECISIONS."""
        kept = str(self.settings.value("precision", AUTO))
        return kept if kept in PRECISIONS else AUTO

    @precision.setter
    def precision(self, wanted: str) -> None:
        self.settings.setValue("precision", wanted)
        self.changed.emit()

    def options(self) -> Options:
        """How the next recording is to be transcribed."""
        named = self.speakers != "off"  # a word has one speaker
        return Options(
            self.target,
            self.draft,
            precision=self.precision,
            words=named,
            guard=self.guard,
            speakers=self.speakers,
        )

    @property
    def guard(self) -> bool:
        """Whether text that nobody said is left out."""
        return str(self.settings.value("guard", "on")) != "off"

    @guard.setter
    def guard(self, wanted: bool) -> None:
        self.settings.setValue("guard", "on" if wanted else "off")
        self.changed.emit()

    @property
    def mirror(self) -> str:
        """The address of the hub that models are fetched from; "" for the public one."""
        return str(self.settings.value("mirror", ""))

    @mirror.setter
    def mirror(self, address: str) -> None:
        self.settings.setValue("mirror", address)
        self.settings.sync()  # who fetches reads the file

    @property
    def speakers(self) -> str:
        """Whether speakers are looked for: "off", "auto", or how many there are."""
        kept = str(self.settings.value("speakers", "off"))
        return kept if kept == "auto" or kept.isdecimal() else "off"

    @speakers.setter
    def speakers(self, wanted: str) -> None:
        self.settings.setValue("speakers", wanted)
        self.changed.emit()

    @property
    def folder_in_use(self) -> Path:
        """The folder of the chosen model, or of the best one installed."""
        return Path(self.target) if self.target else default.target()

    @property
    def microphone(self) -> str:
        """The name of the input to record from; "" for the system's default."""
        return str(self.settings.value("microphone", ""))

    @microphone.setter
    def microphone(self, name: str) -> None:
        self.settings.setValue("microphone", name)

    @property
    def recordings(self) -> Path:
        """The folder that live recordings are kept in; nothing is made here."""
        kept = str(self.settings.value("recordings", ""))
        return Path(kept) if kept else folders.recordings()

    @recordings.setter
    def recordings(self, folder: Path) -> None:
        self.settings.setValue("recordings", str(folder))
        self.changed.emit()

    @property
    def models_in_words(self) -> str:
        """The models of the next recording: what writes, what writes ahead where that was chosen, how finely."""
        draft = {AUTO: "", OFF: ", without a draft"}.get(self.draft, f" with {name_of(Path(self.draft))}")
        return f"{name_of(self.folder_in_use)}{draft}{f', {self.precision}' if self.precision != AUTO else ''}"

    def folder(self, purpose: str) -> str:
        """Where files were last opened ("open") or saved ("save")."""
        home = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        kept = str(self.settings.value(f"folder_{purpose}", home))
        return kept if Path(kept).is_dir() else home

    def remember_folder(self, purpose: str, folder: str) -> None:
        """Open or save there the next time."""
        self.settings.setValue(f"folder_{purpose}", folder)


def name_of(folder: Path) -> str:
    """What a model folder calls its model: the name in its galley.json, else the folder's own."""
    try:
        named = json.loads((folder / "galley.json").read_text(encoding="utf-8"))
        return str(named["name"])
    except (OSError, ValueError, KeyError, TypeError):
        return folder.name
