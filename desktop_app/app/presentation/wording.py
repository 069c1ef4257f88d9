"""Times, dates and figures in the words and digits that people read, in the language in use."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from desktop_app.export.document import Document, ExportOptions
from desktop_app.export.document import clock as clock  # part of how times are worded
from desktop_app.export.formats import Format
from desktop_app.problems import Problem
from desktop_app.texts import N_, _, ngettext, pgettext
from desktop_app.transcript.guarded import missed
from desktop_app.transcript.model import GuardReport, Models, Speaker, Transcript
from desktop_app.transcript.speakers import called
from desktop_app.transcript.statistics import Speed

if TYPE_CHECKING:
    from desktop_app.audio.recording import Gap
    from desktop_app.engine.model_list import DownloadSource

_PLACES = 3  # that are named
MONTHS = (
    *(N_("January"), N_("February"), N_("March"), N_("April"), N_("May"), N_("June"), N_("July"), N_("August")),
    *(N_("September"), N_("October"), N_("November"), N_("December")),
)
_SHORT_MONTHS = (
    *(N_("Jan"), N_("Feb"), N_("Mar"), N_("Apr"), N_("May"), N_("Jun")),
    *(N_("Jul"), N_("Aug"), N_("Sep"), N_("Oct"), N_("Nov"), N_("Dec")),
)
_GUARDED = {
    "silence": N_("Hallucinated text removed ({places})."),
    "loop": N_("Repeated text removed ({places})."),
    "unwritten": N_("Possibly speech without text ({places})."),
}


def number(value: float, digits: int = 0) -> str:
    """A number with so many digits behind the decimal sign."""
    return f"{value:.{digits}f}".replace(".", pgettext("decimal sign", "."))


def missing(gaps: Sequence[Gap]) -> Problem | None:
    """Where no sound came to a recording."""
    if not gaps:
        return None
    return Problem(
        "microphone.gaps",
        seconds=number(sum(gap.seconds for gap in gaps), 1),
        places=_places([(gap.start, gap.start + gap.seconds) for gap in gaps]),
    )


def guard_report(guarded: Sequence[GuardReport]) -> str:
    """What the guard removed and found, a sentence for each kind with its first places; "" if there is nothing."""
    found = {kind: [(one.start, one.end) for one in guarded if one.kind == kind] for kind in _GUARDED}
    found["unwritten"] = missed(guarded)
    return " ".join(_(_GUARDED[kind], places=_places(spans)) for kind, spans in found.items() if spans)


def stretch(begin: float, end: float) -> str:
    """From when to when, as clock times."""
    return f"{clock(begin)}–{clock(end)}"


def _places(spans: Sequence[tuple[float, float]]) -> str:
    named = ", ".join(stretch(begin, end) for begin, end in spans[:_PLACES])
    more = len(spans) - _PLACES
    return ngettext("{places} and {n} more", "{places} and {n} more", more, places=named) if more > 0 else named


def named(speakers: Iterable[Speaker]) -> tuple[Speaker, ...]:
    """Speakers as they are shown: "Speaker" and a number, in the language in use, where a reader gave no name."""
    return tuple(
        replace(each, name=_("Speaker {number}", number=each.id[1:])) if each.name == called(each.id) else each
        for each in speakers
    )


def document(
    transcript: Transcript, title: str = "", created: datetime | None = None, marks: tuple[float, ...] = ()
) -> Document:
    """A recording to be exported, with a line about it; its title is without one that of its file."""
    about = [date(created)] if created is not None else []
    about += [clock(transcript.seconds)] if transcript.seconds else []
    about += [language(transcript.language)] if transcript.language else []
    return Document(transcript, title, created, " · ".join(about), marks=marks)


def named_in(document: Document, form: Format) -> Document:
    """The document with the speakers as a format names them. What people read names them in the language in use; what
    programs read never changes with it."""
    if form.for_programs:
        return document
    transcript = document.transcript
    return replace(document, transcript=replace(transcript, speakers=named(transcript.speakers)))


def rendered(document: Document, form: Format, options: ExportOptions | None = None) -> str | bytes:
    """The file of a document."""
    return form.render(named_in(document, form), options)


def models_in_use(models: Models) -> str:
    """Which models write, and where."""
    used = {"target": models.target, "device": models.device, "precision": models.precision}
    if models.draft:
        named = _("{target} with draft model {draft} on {device}, {precision}", draft=models.draft, **used)
    else:
        named = _("{target} on {device}, {precision}", **used)
    return _("{models}, in batches of {count}", models=named, count=models.batch) if models.batch > 1 else named


def live_title(when: datetime) -> str:
    """What a live recording is called in the window."""
    local = when.astimezone()
    month = _(_SHORT_MONTHS[local.month - 1])
    return _("Recording, {day} {month}, {time}", day=local.day, month=month, time=f"{local:%H:%M}")


def recording(time: str, paused: bool, deaf: bool) -> str:
    """How a live recording stands that is so long; `deaf`: no sound arrives because of the input."""
    if paused:
        return _("Paused · {time}", time=time)
    return _("Waiting for sound · {time}", time=time) if deaf else _("Recording · {time}", time=time)


def left(seconds: float) -> str:
    """How long something will take, as coarse as the guess is."""
    if seconds < 10:
        return _("a few seconds left")
    if seconds < 55:
        return _("about {seconds} s left", seconds=round(seconds / 10) * 10)
    minutes = round(seconds / 60)
    if minutes < 60:
        return _("about {minutes} min left", minutes=max(minutes, 1))
    hours, minutes = divmod(minutes, 60)
    if minutes:
        return _("about {hours} h {minutes} min left", hours=hours, minutes=minutes)
    return _("about {hours} h left", hours=hours)


def day(when: datetime, now: datetime) -> str:
    """When something was made, seen from `now`; both with a time zone, shown in the local one. The time of day is told
    of what was made today or yesterday."""
    local, today = when.astimezone(), now.astimezone()
    if local.date() == today.date():
        return _("Today {time}", time=f"{local:%H:%M}")
    if local.date() == today.date() - timedelta(days=1):
        return _("Yesterday {time}", time=f"{local:%H:%M}")
    if local.year == today.year:
        return _("{day} {month}", day=local.day, month=_(MONTHS[local.month - 1]))
    return date(when)


def date(when: datetime) -> str:
    """The day on which something was made, in the local time zone."""
    local = when.astimezone()
    return _("{day} {month} {year}", day=local.day, month=_(MONTHS[local.month - 1]), year=local.year)


def moment(when: datetime, now: datetime, seconds: bool = False) -> str:
    """A day and the time of day."""
    local, today = when.astimezone(), now.astimezone().date()
    time = f"{local:%H:%M:%S}" if seconds else f"{local:%H:%M}"
    if local.date() == today:
        return _("Today {time}", time=time)
    if local.date() == today - timedelta(days=1):
        return _("Yesterday {time}", time=time)
    return _("{day}, {time}", day=day(when, now), time=time)


def length(seconds: float) -> str:
    """How long a recording is: 40 s, 1 min 13 s, 1 h 20 min."""
    minutes, rest = divmod(round(seconds), 60)
    if not 0 < minutes < 60 or not rest:
        return span(seconds)
    return _("{minutes} min {seconds} s", minutes=minutes, seconds=rest)


def span(seconds: float) -> str:
    """How long something is, in as few figures as one would say: 40 s, 3 min, 1 h 20 min."""
    if seconds < 60:
        return _("{seconds} s", seconds=max(round(seconds), 1))
    hours, minutes = divmod(round(seconds / 60), 60)
    if hours and minutes:
        return _("{hours} h {minutes} min", hours=hours, minutes=minutes)
    return _("{hours} h", hours=hours) if hours else _("{minutes} min", minutes=minutes)


def percent(share: float) -> str:
    """A share of 0 to 1 as a whole percentage; "100%" and "0%" only when it is exactly that."""
    whole = round(share * 100)
    return _("{number}%", number=min(max(whole, 1), 99) if 0 < share < 1 else whole)


def busy(measured: Speed) -> str:
    """That the computer had other things to do meanwhile; "" where it had not."""
    if not measured.was_busy:
        return ""
    share = percent(measured.others)
    return _("Other work took {share} of the processor meanwhile. Measure again when it is quiet.", share=share)


def size(count: int) -> str:
    """Bytes as people say them: 3.1 GB, 967 MB, 0.4 MB."""
    if count >= 1e9:
        return _("{number} GB", number=number(count / 1e9, 1))
    return _("{number} MB", number=number(count / 1e6) if count >= 1e6 else number(max(count, 1e5) / 1e6, 1))


def memory(count: int) -> str:
    """Bytes of memory, as coarse as they are known: 0.7 GB, 17 GB."""
    return _("{number} GB", number=number(max(count / 1e9, 0.1), 1 if count < 9.95e9 else 0))


# All that Whisper knows; Cantonese came with large-v3. Others are shown by their code.
_LANGUAGES = {
    "af": N_("Afrikaans"), "am": N_("Amharic"), "ar": N_("Arabic"), "as": N_("Assamese"), "az": N_("Azerbaijani"),
    "ba": N_("Bashkir"), "be": N_("Belarusian"), "bg": N_("Bulgarian"), "bn": N_("Bengali"), "bo": N_("Tibetan"),
    "br": N_("Breton"), "bs": N_("Bosnian"), "ca": N_("Catalan"), "cs": N_("Czech"), "cy": N_("Welsh"),
    "da": N_("Danish"), "de": N_("German"), "el": N_("Greek"), "en": N_("English"), "es": N_("Spanish"),
    "et": N_("Estonian"), "eu": N_("Basque"), "fa": N_("Persian"), "fi": N_("Finnish"), "fo": N_("Faroese"),
    "fr": N_("French"), "gl": N_("Galician"), "gu": N_("Gujarati"), "ha": N_("Hausa"), "haw": N_("Hawaiian"),
    "he": N_("Hebrew"), "hi": N_("Hindi"), "hr": N_("Croatian"), "ht": N_("Haitian Creole"), "hu": N_("Hungarian"),
    "hy": N_("Armenian"), "id": N_("Indonesian"), "is": N_("Icelandic"), "it": N_("Italian"), "ja": N_("Japanese"),
    "jw": N_("Javanese"), "ka": N_("Georgian"), "kk": N_("Kazakh"), "km": N_("Khmer"), "kn": N_("Kannada"),
    "ko": N_("Korean"), "la": N_("Latin"), "lb": N_("Luxembourgish"), "ln": N_("Lingala"), "lo": N_("Lao"),
    "lt": N_("Lithuanian"), "lv": N_("Latvian"), "mg": N_("Malagasy"), "mi": N_("Maori"), "mk": N_("Macedonian"),
    "ml": N_("Malayalam"), "mn": N_("Mongolian"), "mr": N_("Marathi"), "ms": N_("Malay"), "mt": N_("Maltese"),
    "my": N_("Burmese"), "ne": N_("Nepali"), "nl": N_("Dutch"), "nn": N_("Nynorsk"), "no": N_("Norwegian"),
    "oc": N_("Occitan"), "pa": N_("Punjabi"), "pl": N_("Polish"), "ps": N_("Pashto"), "pt": N_("Portuguese"),
    "ro": N_("Romanian"), "ru": N_("Russian"), "sa": N_("Sanskrit"), "sd": N_("Sindhi"), "si": N_("Sinhala"),
    "sk": N_("Slovak"), "sl": N_("Slovenian"), "sn": N_("Shona"), "so": N_("Somali"), "sq": N_("Albanian"),
    "sr": N_("Serbian"), "su": N_("Sundanese"), "sv": N_("Swedish"), "sw": N_("Swahili"), "ta": N_("Tamil"),
    "te": N_("Telugu"), "tg": N_("Tajik"), "th": N_("Thai"), "tk": N_("Turkmen"), "tl": N_("Tagalog"),
    "tr": N_("Turkish"), "tt": N_("Tatar"), "uk": N_("Ukrainian"), "ur": N_("Urdu"), "uz": N_("Uzbek"),
    "vi": N_("Vietnamese"), "yi": N_("Yiddish"), "yo": N_("Yoruba"), "yue": N_("Cantonese"), "zh": N_("Chinese"),
}  # fmt: skip


def languages() -> list[tuple[str, str]]:
    """The languages that have a name here, code and name, in the order of their names."""
    return sorted(((code, _(name)) for code, name in _LANGUAGES.items()), key=lambda each: each[1].casefold())


def language(code: str) -> str:
    """The name of the language with this code, or the code itself."""
    return _(_LANGUAGES[code]) if code in _LANGUAGES else code


def servers(source: DownloadSource) -> str:
    """Which computers a download talks to."""
    values = {"host": source.host, "servers": ", ".join(f"*.{each}" for each in source.servers), "proxy": source.proxy}
    if source.proxy:
        return _("Downloads come from {host} and its file servers ({servers}), through the proxy {proxy}.", **values)
    return _("Downloads come from {host} and its file servers ({servers}).", **values)
