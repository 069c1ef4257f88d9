"""The sentences of long work's stages: loading models, converting, training."""

from __future__ import annotations

from typing import TYPE_CHECKING

from desktop_app.app.presentation import problems
from desktop_app.problems import Problem
from desktop_app.texts import N_, _

if TYPE_CHECKING:
    from desktop_app.messages.jobs import Preparing

_SENTENCES = {
    "loading": N_("Loading {name}…"),
    "loading_on": N_("Loading {name} on {device}…"),
    "loading_draft": N_("Loading the draft of {name}…"),
    "loading_first": N_("Preparing the model for this {device}, once. This can take a minute…"),
    "loading_first_draft": N_("Preparing the draft for this {device}, once. This can take a minute…"),
    "loudness": N_("Measuring the loudness…"),
    "restarting": N_("Transcription stopped and is being restarted; nothing is lost."),
    "converting": N_("Converting {name}…"),
    "skipped": N_("{name} is skipped. {cause}"),
    "labelled": N_("Labelled {done} of {total} hours."),
    "training_head": N_(
        "{minutes} of {total} min, {steps} steps of the CTC head: loss {loss},"
        " agreement with the target on held-out tokens {agreement}"
    ),
    "training": N_(
        "{minutes} of {total} min, {steps} steps: loss {loss}, agreement with the target on held-out tokens {agreement}"
    ),
    "labels_kept": N_(
        "The labels stay in {folder}, for another draft of {name}; delete that folder to free its space."
    ),
    "quantising": N_("Quantising the encoder to int8 with {count} recordings…"),
}


def describe(stage: str, **values: object) -> str:
    """The sentence of a stage in the language in use. A problem among the values is told by its reason."""
    told = {name: problems.describe(one)[0] if isinstance(one, Problem) else one for name, one in values.items()}
    return _(_SENTENCES[stage], **told)


def preparing(event: Preparing) -> str:
    """The sentence of an event of the engine's."""
    return describe(event.stage, **event.values)
