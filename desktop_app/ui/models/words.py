"""What is said of a model on its row."""

from __future__ import annotations

from desktop_app.app.presentation.wording import language, memory, number, servers, size, span
from desktop_app.engine.model_list import DownloadSource, DraftOffer, ListedModel
from desktop_app.texts import _
from desktop_app.transcript.statistics import Speed


def facts(model: ListedModel, measured: Speed | None = None, estimated: float = 0.0, room: int | None = None) -> str:
    """Size, languages, memory, where it came from, the speed that was measured or else is `estimated`: what is known
    of them. `room` is the memory that this computer has, in bytes.
    """
    parts = [size(model.bytes) if model.folder else "", languages(model.languages)]
    if model.memory[0]:
        parts.append(_("about {size} of memory", size=memory(model.memory[0])))
    if room and model.memory[1] > room:
        parts.append(_("too large for this computer's memory"))
    elif room and model.memory[0] > room:
        parts.append(_("fits into this computer's memory only as 8-bit"))
    if model.speakers:
        parts.append(_("identifies speakers"))
    here = ""
    if measured and measured.used >= 1:
        here = _("{times} × real time here", times=times(measured.used))
    elif estimated >= 1 and not measured:
        here = _("about {times} × real time here", times=times(estimated))
    return " · ".join(filter(None, [*parts, _source(model), here]))


def too_slow(measured: Speed | None, estimated: float) -> str:
    """What a model costs that takes longer than the recording does; "" where it does not, or nobody knows."""
    used = measured.used if measured else estimated
    return _("Too slow here: an hour takes about {time}", time=span(3600 / used)) if 0 < used < 1 else ""


def about(model: ListedModel) -> str:
    """What few ask of a model, a line each: its licence, its makers, and the memory that 8-bit weights need."""
    lines = [_("Licence: {licence}", licence=model.licence)] if model.licence else []
    lines += [_("From: {origin}", origin=model.origin)] if model.origin else []
    lines += [_("With 8-bit weights: about {size} of memory", size=memory(model.memory[1]))] if model.memory[1] else []
    return "\n".join(lines)


def advice(model: ListedModel) -> str:
    """What would make it faster, or why nothing would."""
    if model.note:
        return _(model.note)
    named = [f"{each.name} ({_about(each)})" for each in model.drafts]
    return _("Faster with a draft model: {models}", models=", ".join(named)) if named else ""


def download(model: ListedModel) -> str:
    """How much is still to be downloaded, "" if that is not known."""
    if not model.bytes:
        return ""
    left = size(max(model.bytes - model.begun, 0))
    return left if model.exact else _("about {size}", size=left)


def where(source: DownloadSource) -> str:
    """Which computers a download talks to, and what they learn."""
    learnt = _(
        "Nothing is sent before you press Download; the server then learns your IP address and the model's name."
    )
    return f"{servers(source)} {learnt}"


def languages(codes: tuple[str, ...]) -> str:
    """What a model understands."""
    return _("Multilingual") if "*" in codes else ", ".join(language(code) for code in codes)


def speed(measured: Speed) -> str:
    """How fast it is here, and how long that means somebody waits."""
    parts = [_("{times} × real time", times=times(measured.used))]
    if measured.with_draft:
        parts.append(_("{times} × without the draft model", times=times(measured.alone)))
    parts.append(_("an hour of audio takes about {time}", time=span(max(60, 3600 / measured.used))))
    return " · ".join(parts)


def suggestion(model: ListedModel, estimated: float) -> str:
    """A better model that this computer should manage."""
    about = times(estimated)
    if model.folder:
        return _("{model} makes fewer mistakes, and would run at about {times} × here.", model=model.title, times=about)
    return _(
        "{model}, available to download, makes fewer mistakes and would run at about {times} × here.",
        model=model.title,
        times=about,
    )


def times(speed: float) -> str:
    """Seconds of audio a second: as exact as it is known."""
    return number(speed, 0 if speed >= 10 else 1)


def _about(draft: DraftOffer) -> str:
    return ", ".join([languages(draft.languages), *([size(draft.bytes)] if draft.bytes else [])])


def _source(model: ListedModel) -> str:
    if model.trained_for:
        return _("trained as a draft for {model}", model=model.trained_for)
    if model.folder and not model.removable:
        return _("included with Galley")
    return _("added from a folder") if model.from_folder else ""
