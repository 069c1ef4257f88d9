"""What a training has held back of its recordings, as sound: what it brings is measured on that."""

from __future__ import annotations

from typing import Any

import numpy as np

from desktop_app.checkpoints.folder import read_target
from desktop_app.decoding.audio_window import Samples
from desktop_app.messages.training import TrainDraft
from desktop_app.problems import Problem
from desktop_app.training import draft, loop, windows
from desktop_app.training.loop import Progress

SECONDS = 120.0
"""So much is enough: measuring takes several times as long as transcribing it."""


def samples(request: TrainDraft, progress: Progress) -> Samples:
    """At most SECONDS of what the training held back. Raises Problem where its labels are gone."""
    target = read_target(request.target)
    labels = draft.labels_folder(target, request)
    lengths = draft.readable(draft.find(request.audio), progress, _ignore)
    cut = {window.key: window for window in windows.cut(lengths)}
    files = [file for key in cut if (file := labels / f"{key}.npz").exists()]
    if not files:
        raise Problem("file.no_speech", model=target.name)
    found: list[Samples] = []
    seconds = 0.0
    for file in loop.split(files)[1]:
        if seconds >= SECONDS:
            break
        found.append(cut[file.stem].samples())
        seconds += cut[file.stem].seconds
    return np.concatenate(found)


def _ignore(stage: str, **values: Any) -> None:
    """The training has told before which files it skips."""
