"""Times, dates and figures in the words and digits that people read."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from desktop_app.texts import _, ngettext

if TYPE_CHECKING:
    from desktop_app.audio.recording import Gap

_PLACES = 3  # that are named


def clock(seconds: float) -> str:
    """A place in a recording: m:ss, or h:mm:ss from one hour on."""
    minutes, rest = divmod(int(max(seconds, 0)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def missing(gaps: Sequence[Gap]) -> str:
    """Where no sound came to a recording, one sentence, or ""."""
    if not gaps:
        return ""
    places = [f"{clock(gap.start)}–{clock(gap.start + gap.seconds)}" for gap in gaps[:_PLACES]]
    values = {"seconds": f"{sum(gap.seconds for gap in gaps):.1f}", "places": ", ".join(places)}
    if len(gaps) <= _PLACES:
        return _("No audio arrived for {seconds} s ({places}); the recording is silent there.", **values)
    return ngettext(
        "No audio arrived for {seconds} s ({places} and {n} more place); the recording is silent there.",
        "No audio arrived for {seconds} s ({places} and {n} more places); the recording is silent there.",
        len(gaps) - _PLACES,
        **values,
    )


def live_title(when: datetime) -> str:
    """What a live recording is called in the window, where the day stands beside it."""
    return f"Recording {when.astimezone():%H:%M}"


def left(seconds: float) -> str:
    """How long something will take, as coarse as the guess is."""
    if seconds < 10:
        return "a few seconds left"
    if seconds < 55:
        return f"about {round(seconds / 10) * 10} s left"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"about {max(minutes, 1)} min left"
    hours, minutes = divmod(minutes, 60)
    return f"about {hours} h {minutes} min left" if minutes else f"about {hours} h left"


def day(when: datetime, now: datetime) -> str:
    """When something was made, seen from `now`; both with a time zone, shown in the local one."""
    local, today = when.astimezone(), now.astimezone()
    if timedelta(0) <= today - local < timedelta(minutes=1):
        return "just now"
    if local.date() == today.date():
        return f"{local:%H:%M}"
    if local.date() == today.date() - timedelta(days=1):
        return "yesterday"
    month = f"{local.day} {local:%b}"
    return month if local.year == today.year else f"{month} {local.year}"


def moment(when: datetime, now: datetime) -> str:
    """A time of day, with its day unless that is today."""
    local = when.astimezone()
    time = f"{local:%H:%M}"
    return time if local.date() == now.astimezone().date() else f"{day(when, now)}, {time}"


def span(seconds: float) -> str:
    """How long something is, in as few figures as one would say: 40 s, 3 min, 1 h 20 min."""
    if seconds < 60:
        return f"{max(round(seconds), 1)} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours and minutes else f"{hours} h" if hours else f"{minutes} min"


def percent(share: float) -> str:
    """A share of 0 to 1 as a whole percentage; "100%" and "0%" only when it is exactly that."""
    if 0 < share < 1:
        return f"{min(max(round(share * 100), 1), 99)}%"
    return f"{round(share * 100)}%"


def size(count: int) -> str:
    """Bytes as people say them: 3.1 GB, 967 MB, 0.4 MB."""
    if count >= 1e9:
        return f"{count / 1e9:.1f} GB"
    return f"{count / 1e6:.0f} MB" if count >= 1e6 else f"{max(count, 1e5) / 1e6:.1f} MB"


def sentence(reason: str, remedy: str = "") -> str:
    """A reason and a remedy as one text: whole sentences follow each other, clauses are joined."""
    if reason.endswith((".", "!", "?", "…")):
        return f"{reason} {remedy}".strip()
    text = f"{reason}: {remedy}" if remedy else reason
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?", "…")) else ".")


# What Whisper calls its languages, for the ones that are met most; others are shown by their code.
_LANGUAGES = {
    "ar": "Arabic", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "en": "English", "es": "Spanish",
    "fa": "Persian", "fi": "Finnish", "fr": "French", "he": "Hebrew", "hi": "Hindi", "hu": "Hungarian",
    "id": "Indonesian", "it": "Italian", "ja": "Japanese", "ko": "Korean", "nl": "Dutch", "no": "Norwegian",
    "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sv": "Swedish", "th": "Thai",
    "tr": "Turkish", "uk": "Ukrainian", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip


def language(code: str) -> str:
    """The English name of a language code, or the code itself."""
    return _LANGUAGES.get(code, code)
