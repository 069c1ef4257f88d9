"""Every action of the window. To add one, describe it here and say what it does by `Actions.on`."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QKeySequence

from desktop_app.texts import N_
from desktop_app.ui.widgets.actions import Description

_STANDARD = QKeySequence.StandardKey


@dataclass(frozen=True)
class Situation:
    """What decides which actions can be used: whether a recording is looked at, and whether it has text, is in the
    queue or in progress, may have its speakers corrected, and can be played.
    """

    shown: bool = False
    has_text: bool = False
    in_progress: bool = False
    editable: bool = False
    playable: bool = False


def _shown(now: Situation) -> bool:
    return now.shown


def _has_text(now: Situation) -> bool:
    return now.has_text


def _in_progress(now: Situation) -> bool:
    return now.in_progress


def _editable(now: Situation) -> bool:
    return now.editable


def _playable(now: Situation) -> bool:
    return now.playable


DESCRIPTIONS = (
    Description("record", N_("Record and transcribe live"), "Ctrl+R", "mic", N_("Record")),
    Description("pause", N_("Pause recording"), "Ctrl+Shift+R", label=N_("Pause")),
    Description("show_live", N_("Show the recording in progress"), icon="mic"),
    Description("mark", N_("Mark this moment of the recording"), "Ctrl+M", "mark", N_("Mark")),
    Description("captions", N_("Captions over other windows"), "Ctrl+L", "captions", N_("Captions"), checkable=True),
    Description("open", N_("Choose files to transcribe"), _STANDARD.Open),
    Description("recent", N_("Open a recent recording"), "Ctrl+Shift+O", label=N_("Recent…")),
    Description("new", N_("New transcription"), _STANDARD.New, "plus"),
    Description("cancel", N_("Stop transcribing and keep the text so far"), "Ctrl+.", label=N_("Cancel"),
                enabled=_in_progress),
    Description("again", N_("Transcribe again")),
    Description("redo_part", N_("Transcribe the selected lines again"), "Ctrl+Shift+T",
                label=N_("Transcribe this part again…"), in_text=True),
    Description("recheck", N_("Re-check the whole recording")),
    Description("open_elsewhere", N_("Open in another app")),
    Description("rename", N_("Rename the recording"), "F2", label=N_("Rename"), enabled=_shown),
    Description("details", N_("Title, tags and notes"), "Ctrl+I", label=N_("Details…"), enabled=_shown),
    Description("remove", N_("Delete the recording"), label=N_("Delete")),
    Description("save", N_("Save the text"), _STANDARD.Save, enabled=_has_text),
    Description("export", N_("Export as a document, subtitles or data"), "Ctrl+E", "save", N_("Export…"),
                enabled=_has_text),
    Description("copy", N_("Copy the whole text"), "Ctrl+Shift+C", "copy", short=N_("Copy"), enabled=_has_text),
    Description("copy_selection", N_("Copy the selection"), _STANDARD.Copy, label=N_("Copy"), in_text=True),
    Description("cut", N_("Cut the selection"), _STANDARD.Cut, label=N_("Cut"), in_text=True),
    Description("paste", N_("Paste into the text"), _STANDARD.Paste, label=N_("Paste"), in_text=True),
    Description("select_all", N_("Select all"), _STANDARD.SelectAll, in_text=True),
    Description("folder", N_("Show the recording in its folder"), icon="folder", short=N_("Folder")),
    Description("find", N_("Find in the text"), _STANDARD.Find, "search", short=N_("Find"), enabled=_has_text),
    Description("find_next", N_("Find the next match"), _STANDARD.FindNext),
    Description("replace", N_("Find and replace"), "Ctrl+H", enabled=_editable),
    Description("doubtful", N_("Mark doubtful words"), "Ctrl+Shift+D", enabled=_has_text, checkable=True),
    Description("next_doubtful", N_("Go to the next doubtful word"), "F4", enabled=_has_text),
    Description("larger", N_("Larger text"), ("Ctrl++", "Ctrl+=")),
    Description("smaller", N_("Smaller text"), "Ctrl+-"),
    Description("usual_size", N_("Usual size of text"), "Ctrl+0"),
    Description("play", N_("Play or pause (also Space, outside the text)"), ("F8", "Ctrl+Space"), "play", N_("Play"),
                enabled=_playable),
    Description("play_here", N_("Play from the cursor"), "Ctrl+Shift+Space", enabled=_playable),
    Description("back", N_("Back 5 seconds"), "F7", "back", enabled=_playable),
    Description("forward", N_("Forward 5 seconds"), "F9", "forward", enabled=_playable),
    Description("slower", N_("Play slower"), "Shift+F7", enabled=_playable),
    Description("faster", N_("Play faster"), "Shift+F9", enabled=_playable),
    Description("loop", N_("Repeat this line"), "Shift+F8", "loop", enabled=_playable, checkable=True),
    Description("zoom_in", N_("Zoom into the waveform (also Ctrl and the mouse wheel)"), ("Alt++", "Alt+="), "zoom-in",
                N_("Zoom in")),
    Description("zoom_out", N_("Zoom out of the waveform"), "Alt+-", "zoom-out", N_("Zoom out")),
    Description("zoom_off", N_("Show the whole waveform"), "Alt+0"),
    Description("video", N_("Show the picture of a video"), icon="video", label=N_("Picture"), checkable=True),
    Description("speakers", N_("Speakers"), icon="speakers", checkable=True),
    Description("speed", N_("Speed and acceptance"), "F12", "speed", N_("Speed"), checkable=True),
    Description("speaker_1", N_("Assign the line or the selection to speaker 1 to 9"), "Alt+1", in_text=True),
    *(Description(f"speaker_{number}", "", f"Alt+{number}", in_text=True) for number in range(2, 10)),
    Description("split", N_("Split the line at the cursor"), ("Ctrl+Enter", "Ctrl+Return"),
                label=N_("Split the line here"), in_text=True),  # to Qt, Enter is the number pad's
    Description("undo", N_("Undo"), "Ctrl+Z", enabled=_editable),
    Description("redo", N_("Redo"), "Ctrl+Shift+Z", enabled=_editable),
    Description("search", N_("Search all recordings"), "Ctrl+K"),
    Description("models", N_("Models"), "Ctrl+Shift+M", "model", checkable=True),
    Description("settings", N_("Settings"), "Ctrl+,", "settings", checkable=True),
    Description("report", N_("Save a report on Galley and this computer"), label=N_("Save a report…")),
    Description("shortcuts", N_("Keyboard shortcuts"), "Ctrl+/"),
    Description("about", N_("About Galley"), label=N_("About Galley…")),
    Description("close", N_("Close the search or the page"), "Esc"),
    Description("open_window", N_("Open Galley")),
    Description("quit", N_("Quit"), _STANDARD.Quit),
)  # fmt: skip
