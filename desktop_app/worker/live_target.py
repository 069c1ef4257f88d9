"""Chooses the target of a live session: the selected one, or a smaller one where that is too slow on this computer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from time import perf_counter

import numpy as np

from desktop_app.audio.logmel import features
from desktop_app.checkpoints import installed
from desktop_app.checkpoints.folder import Checkpoint, read_target
from desktop_app.checkpoints.shape import Shape
from desktop_app.decoding.vocabulary import ENGLISH
from desktop_app.messages.jobs import Announce, StartLive
from desktop_app.problems import Problem
from desktop_app.transcript.model import Models
from desktop_app.worker.loaded_models import ModelCache, Pair

TOO_SLOW = 1.0
"""Seconds for encoding one window, which every update does, above which a model is too slow."""


LAGS = 3.0
"""Seconds for one window from which the text comes so late that a user is told. Below it live text is a little slower,
and nothing is wrong."""


def pair_for_live(request: StartLive, model_cache: ModelCache, announce: Announce) -> tuple[Pair, Models]:
    """The pair for a live session, and its description. Raises Problem.

    Where the chosen target takes too long for a window, the largest installed one that is fast enough by its size
    writes instead, or else the smallest.
    """
    pair = model_cache.pair(request.options, announce)
    chosen = pair.target.checkpoint
    if not request.live.smaller:
        return pair, pair.described()
    seconds = encoding_seconds(pair)
    if seconds <= TOO_SLOW:
        return pair, pair.described()
    smaller = _smaller(chosen, seconds, request)
    behind = round(seconds)
    if smaller is None and seconds <= LAGS:
        return pair, pair.described()
    if smaller is None:
        return pair, _with(pair.described(), Problem("model.live_slow", seconds=behind))
    model_cache.clear()
    pair = model_cache.pair(replace(request.options, target=str(smaller), draft="auto"), announce)
    live = pair.target.checkpoint.name
    notice = Problem("model.live_smaller", model=live, chosen=chosen.name, seconds=behind)
    return pair, replace(_with(pair.described(), notice), final=chosen.name)


def encoding_seconds(pair: Pair) -> float:
    """How many seconds the target takes to encode a window. A slow first run does not count: a runtime may initialise
    itself in it."""
    model = pair.target.model
    silence = features(np.zeros(1, np.float32), model.mel_bins)
    best = np.inf
    for _ in range(3):
        began = perf_counter()
        model.encode(silence)
        best = min(best, perf_counter() - began)
        if best <= TOO_SLOW:
            break
    return float(best)


def _smaller(chosen: Checkpoint, seconds: float, request: StartLive) -> Path | None:
    """The largest installed target that is as much smaller as the chosen one is too slow. Where none is, the smallest
    helps still, if it is half the work."""
    options, known = request.options, tuple(chosen.vocabulary.languages) or (ENGLISH,)
    language = known[0] if len(known) == 1 else options.language
    whole = _work(chosen.shape)
    found: list[tuple[float, Path]] = []
    for folder in installed.names().values():
        try:
            checkpoint = read_target(folder)
        except Problem:
            continue
        vocabulary = checkpoint.vocabulary
        able = vocabulary.knows(language) if language != "auto" else len(vocabulary.languages) > 1
        if able and (options.task != "translate" or vocabulary.translates) and _work(checkpoint.shape) <= whole / 2:
            found.append((_work(checkpoint.shape), folder))
    fast = [one for one in found if one[0] <= whole * TOO_SLOW / seconds]
    return (max(fast) if fast else min(found))[1] if found else None


def _work(shape: Shape) -> float:
    """Multiplications of an encoder for each audio position: its matrices, and its attention over all positions."""
    width = shape.width
    return shape.encoder_layers * (4 * width**2 + 2 * width * shape.encoder_inner + 2 * width * shape.audio_positions)


def _with(models: Models, notice: Problem) -> Models:
    return replace(models, notices=(notice, *models.notices))
