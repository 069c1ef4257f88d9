"""What the user has chosen is there at the next start."""

from __future__ import annotations

from pathlib import Path

from desktop_app import folders, settings
from desktop_app.app.settings.preferences import Preferences
from desktop_app.checkpoints import download
from desktop_app.messages.options import AUTO
from tests.staging import Stage


def test_choices_are_there_at_the_next_start_and_others_keep_theirs(stage: Stage) -> None:
    told: list[None] = []
    stage.preferences.changed.connect(lambda: told.append(None))
    stage.preferences.choose(target="/models/large", speakers="3", hot_words=("Ngozi", "Zugspitze"))
    stage.preferences.choose(guard=False)
    stage.preferences.recordings = Path("/sounds")
    assert len(told) == 3
    stage.settle()
    settings.write({"draft": "off"})  # another window
    stage.preferences.microphone = "Desk (ALSA)"
    stage.settle()
    later = Preferences(stage.keeper)
    kept = later.options()
    assert (kept.target, kept.speakers, kept.guard, kept.draft) == ("/models/large", "3", False, "off")
    assert kept.hot_words == ("Ngozi", "Zugspitze")
    assert (later.recordings, later.microphone) == (Path("/sounds"), "Desk (ALSA)")
    options = later.options()
    assert (options.target, options.draft, options.speakers, options.words) == ("/models/large", "off", "3", True)


def test_what_is_no_choice_counts_as_none(stage: Stage, home: Path) -> None:
    settings.write({"precision": "int3", "speakers": "51", "folder_open": str(home / "gone")})
    found = Preferences(stage.keeper)
    kept = found.options()
    assert (kept.precision, kept.speakers) == (AUTO, "off")
    assert found.options().words  # the player needs their times, with and without speakers
    assert found.folder("open") == str(folders.documents())


def test_who_fetches_reads_the_mirror_once_it_is_saved(stage: Stage) -> None:
    stage.preferences.mirror = "https://mirror.example"
    found: list[str] = []
    stage.preferences.when_saved(lambda: found.append(download.setting()))
    stage.until(lambda: found)
    assert found == ["https://mirror.example"]
