"""Every action of the window. To add one, describe it here and say what it does by `Actions.on`."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QKeySequence

from desktop_app.ui.widgets.actions import Description

_STANDARD = QKeySequence.StandardKey


@dataclass(frozen=True)
class Situation:
    """What decides which actions can be used: whether the recording that is looked at has text, is in the queue or in
    progress, and may have its speakers corrected.
    """

    has_text: bool = False
    in_progress: bool = False
    editable: bool = False


def _has_text(now: Situation) -> bool:
    return now.has_text


def _in_progress(now: Situation) -> bool:
    return now.in_progress


def _editable(now: Situation) -> bool:
    return now.editable


DESCRIPTIONS = (
    Description("record", "Record and transcribe live", "Ctrl+R", "mic", "Record"),
    Description("pause", "Pause recording", "Ctrl+Shift+R", label="Pause"),
    Description("captions", "Captions over other windows", "Ctrl+L", "captions", "Captions", checkable=True),
    Description("open", "Choose files to transcribe", _STANDARD.Open),
    Description("new", "New transcription", _STANDARD.New, "plus"),
    Description("cancel", "Stop transcribing and keep the text so far", "Ctrl+.", label="Cancel", enabled=_in_progress),
    Description("again", "Transcribe again"),
    Description("recheck", "Re-check the whole recording"),
    Description("open_elsewhere", "Open in another app"),
    Description("remove", "Remove the recording", label="Remove…"),
    Description("save", "Save the text", _STANDARD.Save, enabled=_has_text),
    Description("export", "Save in another format", "Ctrl+E", "chevron-down", "Save as", enabled=_has_text),
    Description("copy", "Copy the whole text", "Ctrl+Shift+C", "copy", enabled=_has_text),
    Description("copy_selection", "Copy the selection", _STANDARD.Copy, label="Copy", in_text=True),
    Description("select_all", "Select all", _STANDARD.SelectAll, in_text=True),
    Description("folder", "Show the recording in its folder", icon="folder"),
    Description("find", "Find in the text", _STANDARD.Find, "search", enabled=_has_text),
    Description("find_next", "Find the next one", _STANDARD.FindNext),
    Description("play", "Play from the line, or stop", "Ctrl+Space", "play", "Play", enabled=_has_text),
    Description("speakers", "Speakers", icon="speakers", checkable=True),
    Description("speed", "Speed", icon="speed", checkable=True),
    Description("speaker_1", "Assign the line or the selection to speaker 1 to 9", "Alt+1", in_text=True),
    *(Description(f"speaker_{number}", "", f"Alt+{number}", in_text=True) for number in range(2, 10)),
    Description("split", "Split the line at the caret", ("Ctrl+Enter", "Ctrl+Return"), label="Split the line here",
                in_text=True),  # to Qt, Enter is the number pad's
    Description("undo", "Undo", "Ctrl+Z", enabled=_editable),
    Description("redo", "Redo", "Ctrl+Shift+Z", enabled=_editable),
    Description("search", "Search all recordings", "Ctrl+K"),
    Description("models", "Models", "Ctrl+Shift+M", "model", checkable=True),
    Description("settings", "Settings", "Ctrl+,", "settings", checkable=True),
    Description("shortcuts", "Keyboard shortcuts", "Ctrl+/"),
    Description("close", "Close what is open", "Esc"),
    Description("open_window", "Open Galley"),
    Description("quit", "Quit", _STANDARD.Quit),
)  # fmt: skip
