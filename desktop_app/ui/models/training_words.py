"""What is said of training a draft: before it begins, while it goes on, and what it has brought."""

from __future__ import annotations

from desktop_app.app.models.draft_training import ENOUGH, LEAST, Counted, DraftTraining, Training
from desktop_app.app.presentation.wording import left, number, percent, size, span
from desktop_app.engine.model_list import ListedModel
from desktop_app.messages.training import Gain
from desktop_app.texts import N_, _, ngettext
from desktop_app.transcript.statistics import Speed
from desktop_app.ui.models.words import times

_STAGES = {
    "": N_("Starting…"),
    "reading": N_("Reading the recordings…"),
    "loading": N_("Loading the model…"),
    "Loading": N_("Loading the model…"),
    "labelling": N_("Transcribing the recordings…"),
    "training": N_("Training…"),
    "Measuring": N_("Measuring what the draft brings…"),
}


def recordings(count: int, seconds: float) -> str:
    """How many recordings there are to learn from, and how long they are together."""
    files = ngettext("{n} recording", "{n} recordings", count)
    return _("{recordings}, {time}", recordings=files, time=span(seconds)) if seconds else files


def counting(counted: Counted) -> str:
    """How far looking up their length is."""
    time = span(counted.seconds) if counted.seconds else ""
    done = _("{done} of {total} looked at", done=counted.files, total=counted.total)
    return ", ".join(filter(None, [done, time]))


def advice(count: int, seconds: float) -> str:
    """Whether that is enough; "" where it is."""
    if not count:
        return _("Choose recordings of the kind that you transcribe most.")
    if seconds < LEAST:
        return _("This is too little: a draft learns nothing from less than a minute.")
    if seconds < ENOUGH:
        return _("At least an hour is recommended: from less, a draft is seldom right in what is new to it.")
    return ""


def costs(model: ListedModel, seconds: float, minutes: int, speed: Speed | None) -> str:
    """What a training takes of time and space."""
    first = _("First, {model} transcribes the recordings.", model=model.title)
    if speed is not None and seconds:
        about = span(max(60.0, seconds / speed.alone))
        first = _("First, {model} transcribes the recordings, in about {time}.", model=model.title, time=about)
    room = size(round(model.training * max(seconds, 60.0) / 3600))
    return " ".join(
        (
            first,
            _("Then the draft is trained for {time}.", time=span(60 * minutes)),
            _("Until you have decided about it, this takes about {size} of disk space.", size=room),
            _("You can stop at any time and continue later. Training waits while Galley records or transcribes."),
        )
    )


def expectation() -> str:
    """What is known before of what a draft brings."""
    return _(
        "Measured with Whisper small on read English: 60 minutes of training made it {times} times as fast, 30 minutes"
        " brought nothing. What yours brings is measured at the end, on parts of your recordings that it has not"
        " learnt from.",
        times=number(1.16, 2),
    )


def progress(training: DraftTraining) -> str:
    """Where the work stands, in one line."""
    job = training.job
    if job is None:
        return ""
    if job.stopping:
        return _("Stopping…")
    if training.held:
        return _("Paused while Galley records or transcribes")
    remaining = training.seconds_left
    parts = [_(_STAGES[job.what if job.what in _STAGES else ""])]
    if job.what == "reading" and job.total:
        parts[0] = f"{parts[0]} " + _("{done} of {total}", done=job.done, total=job.total)
    elif job.total and job.what not in ("loading", "Loading"):
        parts[0] = f"{parts[0]} {percent(job.share)}"
    return " · ".join([*parts, *([left(remaining)] if remaining is not None and remaining > 0 else [])])


def details(training: Training) -> str:
    """How well the draft does so far, and which recordings were left out."""
    lines = []
    if training.agreement and not training.made:
        share = percent(training.agreement)
        lines.append(_("So far the draft is right in {share} of the text that it has not learnt from.", share=share))
    if training.skipped:
        count = len(training.skipped)
        lines.append(ngettext("{n} file was skipped.", "{n} files were skipped.", count))
    return " ".join(lines)


def stopped(training: Training) -> str:
    """What there is of a training that does not run."""
    if training.made:
        return _("The draft is trained. What it brings is not measured yet.")
    if training.trained:
        return _(
            "Stopped after {done} of {total} of training. It resumes where it stopped.",
            done=span(60 * training.trained),
            total=span(60 * training.request.minutes),
        )
    return _("Stopped. It resumes where it stopped.")


def verdict(training: Training, gain: Gain) -> str:
    """Whether the draft is worth having."""
    if gain.pays:
        faster = number(gain.after / max(gain.alone, gain.before), 2)
        return _("This draft makes {model} {faster} times as fast.", model=training.model, faster=faster)
    return _("This draft does not make {model} faster, so Galley does not use it.", model=training.model)


def figures(gain: Gain) -> str:
    """What was measured of the draft."""
    speeds = [_("{times} × real time with it", times=times(gain.after))]
    if gain.before:
        speeds.append(_("{times} × with the present draft", times=times(gain.before)))
    speeds.append(_("{times} × without a draft", times=times(gain.alone)))
    lines = [
        _("Measured on {audio} of your recordings that it has not learnt from:", audio=span(gain.seconds)),
        " · ".join([*speeds, _("{count} tokens per pass", count=number(gain.tokens_per_pass, 1))]),
    ]
    return "\n".join([*lines, *([] if gain.pays else [_("More recordings help more than more minutes.")])])
