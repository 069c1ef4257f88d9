"""What is said of a model on its row."""

from __future__ import annotations

from desktop_app.app.wording import language, servers, size
from desktop_app.engine.model_list import Draft, Listed, Source
from desktop_app.texts import _


def facts(model: Listed) -> str:
    """Size, languages, licence, memory, origin: what is known of them."""
    parts = [size(model.bytes) if model.folder else "", languages(model.languages), model.licence]
    if model.memory[0]:
        full, quantised = (size(each) for each in model.memory)
        parts.append(_("about {full} of memory (8-bit: {quantised})", full=full, quantised=quantised))
    if model.speakers:
        parts.append(_("identifies speakers"))
    return " · ".join(filter(None, [*parts, *_origin(model)]))


def advice(model: Listed) -> str:
    """What would make it faster, or why nothing would."""
    if model.note:
        return _(model.note)
    named = [f"{each.name} ({_about(each)})" for each in model.drafts]
    return _("Faster with a draft model: {models}", models=", ".join(named)) if named else ""


def download(model: Listed) -> str:
    """How much is still to be downloaded, "" if that is not known."""
    if not model.bytes:
        return ""
    left = size(max(model.bytes - model.begun, 0))
    return left if model.exact else _("about {size}", size=left)


def where(source: Source) -> str:
    """Which computers a download talks to, and what they learn."""
    learnt = _(
        "Nothing is sent before you press Download; the server then learns your IP address and the model's name."
    )
    return f"{servers(source)} {learnt}"


def languages(codes: tuple[str, ...]) -> str:
    """What a model understands."""
    return _("Multilingual") if "*" in codes else ", ".join(language(code) for code in codes)


def _about(draft: Draft) -> str:
    return ", ".join([languages(draft.languages), *([size(draft.bytes)] if draft.bytes else [])])


def _origin(model: Listed) -> list[str]:
    bundled = _("included with Galley") if model.folder and not model.removable else ""
    if model.trained_for:
        return [_("trained as a draft for {model}", model=model.trained_for)]
    return [bundled, model.origin or (_("added from a folder") if model.from_folder else "")]
