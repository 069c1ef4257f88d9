"""What the user has chosen, kept in settings.ini beside the library."""

from __future__ import annotations

import json
from pathlib import Path

from PySide6.QtCore import QObject, QSettings, QStandardPaths, Signal

from desktop_app import folders
from desktop_app.engine import default
from desktop_app.engine.messages import Options


class Preferences(QObject):
    """Model, draft, microphone and folders.

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
    def drafts(self) -> bool:
        """Whether a draft model writes ahead."""
        return self.settings.value("draft", "auto") != "off"

    @drafts.setter
    def drafts(self, wanted: bool) -> None:
        self.settings.setValue("draft", "auto" if wanted else "off")
        self.changed.emit()

    def options(self) -> Options:
        """How the next recording is to be transcribed."""
        draft, named = "auto" if self.drafts else "off", self.speakers != "off"
        return Options(target=self.target, draft=draft, speakers=self.speakers, words=named)  # a word has one speaker

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
    def model_name(self) -> str:
        """The chosen model in a few words."""
        return name_of(self.folder_in_use)

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


def problem_with(folder: Path) -> str:
    """Why a folder cannot be a model, as a sentence, or "". Only a first look: the engine knows for sure."""
    if not (folder / "config.json").is_file():
        return f"“{folder.name}” has no config.json. Choose the folder that holds it and model.safetensors."
    if not any(folder.glob("*.safetensors")):
        return f"“{folder.name}” has no model.safetensors. Download the whole model, then choose its folder."
    return ""
