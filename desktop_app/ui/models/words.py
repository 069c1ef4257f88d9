"""What is said of a model on its row."""

from __future__ import annotations

from desktop_app.app.presentation.wording import language, number, servers, size, span
from desktop_app.engine.model_list import DownloadSource, DraftOffer, ListedModel
from desktop_app.texts import _
from desktop_app.transcript.statistics import Speed


def facts(model: ListedModel, measured: Speed | None = None, estimated: float = 0.0, memory: int | None = None) -> str:
    """Size, languages, licence, memory, origin, the speed that was measured or else is `estimated`: what is known of
    them. `memory` is what this computer has, in bytes.
    """
    parts = [size(model.bytes) if model.folder else "", languages(model.languages), model.licence]
    if model.memory[0]:
        full, quantised = (size(each) for each in model.memory)
        parts.append(_("about {full} of memory (8-bit: {quantised})", full=full, quantised=quantised))
    if memory and model.memory[1] > memory:
        parts.append(_("too large for this computer's memory"))
    elif memory and model.memory[0] > memory:
        parts.append(_("fits into this computer's memory only as 8-bit"))
    if model.speakers:
        parts.append(_("identifies speakers"))
    here = _("{times} × real time here", times=times(measured.used)) if measured else ""
    if estimated and not measured:
        here = _("about {times} × real time here", times=times(estimated))
    return " · ".join(filter(None, [*parts, *_origin(model), here]))


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


def _origin(model: ListedModel) -> list[str]:
    bundled = _("included with Galley") if model.folder and not model.removable else ""
    if model.trained_for:
        return [_("trained as a draft for {model}", model=model.trained_for)]
    return [bundled, model.origin or (_("added from a folder") if model.from_folder else "")]
