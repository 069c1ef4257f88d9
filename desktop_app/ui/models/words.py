"""What is said of a model on its row."""

from __future__ import annotations

from desktop_app.app.wording import language, size
from desktop_app.engine.model_list import Draft, Listed, Source


def facts(model: Listed) -> str:
    """Size, languages, licence, memory, origin: what is known of them."""
    parts = [size(model.bytes)] if model.folder else []
    parts += [languages(model.languages)] if model.languages else []
    parts += [model.licence] if model.licence else []
    if model.memory[0]:
        full, small = (size(each) for each in model.memory)
        parts.append(f"about {full} of memory, or {small} with 8 bits")
    parts += [model.origin] if model.origin else []
    if model.speakers:
        parts.insert(1, "tells speakers apart")
    text = " · ".join(parts)
    return text[:1].upper() + text[1:]


def advice(model: Listed) -> str:
    """What would make it faster, or why nothing would."""
    if model.note:
        return model.note
    named = [f"{each.name} ({_about(each)})" for each in model.drafts]
    return f"Faster with the draft {' or '.join(named)}" if named else ""


def download(model: Listed) -> str:
    """How much is still to be fetched, "" if nobody knows."""
    if not model.bytes:
        return ""
    return f"{'' if model.exact else 'about '}{size(max(model.bytes - model.begun, 0))}"


def where(source: Source) -> str:
    """Which computers a download talks to, and what they learn."""
    through = f", through the proxy {source.proxy}" if source.proxy else ""
    others = "" if source.mirror else " and the file servers that it names"
    return (
        f"From {source.host}{through}{others}. Nothing is asked there before you press Download; then it learns this "
        "computer's address and the model's name."
    )


def languages(codes: tuple[str, ...]) -> str:
    """What a model understands."""
    return "every language" if "*" in codes else ", ".join(language(code) for code in codes)


def _about(draft: Draft) -> str:
    return ", ".join([languages(draft.languages), *([size(draft.bytes)] if draft.bytes else [])])
