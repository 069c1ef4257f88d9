"""A pair writes the same text with its draft and without, token for token, at every precision that there is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from desktop_app.audio.files import AudioFile
from desktop_app.audio.spectrogram import Spectrogram
from desktop_app.decoding import longform
from desktop_app.decoding.drafter_names import HEAD, WAYS
from desktop_app.decoding.lookahead import HEAD_ALONE, Round
from desktop_app.messages.options import Options
from desktop_app.runtimes import openvino_int8
from desktop_app.runtimes.openvino import precisions
from desktop_app.transcript.settings import Settings
from desktop_app.worker import trial
from desktop_app.worker.loaded_models import ModelCache, Pair

CLIPS = [Path(__file__).parents[2] / "data" / "clips" / f"{number:02}.flac" for number in (3, 17)]


def tokens(pair: Pair, clip: Path, draft: bool) -> list[int]:
    collected = trial._Tokens()
    with AudioFile(str(clip)) as audio, AudioFile(str(clip)) as again:
        figures = longform.transcribe(
            iter(audio),
            Spectrogram(again, pair.mel_bins).features,
            pair.setup(draft=draft),
            collected,
            Settings(language="en"),
        )
    assert bool(figures.accepted) == draft
    assert pair.target.model.epsilon or not figures.near_ties
    return collected.found


@pytest.mark.parametrize("precision", ["f32", "bf16", "f16", "int8", "int4"])
def test_the_same_text_with_a_draft_and_without(precision: str) -> None:
    if precision not in precisions("CPU"):
        pytest.skip(f"this processor does not compute in {precision}")
    pair = ModelCache().pair(Options(precision=precision), lambda stage, **values: None)
    assert pair.described().precision.partition(",")[0] == precision  # the encoder's may follow
    guarded = precision == "f32" or (precision in ("int8", "int4") and not openvino_int8.rounds_activations())
    assert pair.target.model.epsilon == (0.01 if guarded else 0)
    for clip in CLIPS:
        alone = tokens(pair, clip, draft=False)
        assert alone
        assert tokens(pair, clip, draft=True) == alone


@pytest.mark.parametrize("precision", ["f32", "int8"])
@pytest.mark.parametrize("way", WAYS)
def test_the_same_text_with_each_way_of_the_draft(way: str, precision: str) -> None:
    pair = ModelCache().pair(Options("base", draft=way, precision=precision), lambda stage, **values: None)
    for clip in CLIPS:
        collected = trial._Tokens()
        with AudioFile(str(clip)) as audio, AudioFile(str(clip)) as again:
            figures = longform.transcribe(
                iter(audio),
                Spectrogram(again, pair.mel_bins).features,
                replace(pair.setup(), look_ahead=pair.look_ahead()),
                collected,
                Settings(language="en"),
            )
        assert collected.found == tokens(pair, clip, draft=False)
        assert figures.accepted and bool(figures.draft_passes) == (way != HEAD)


def test_a_loaded_draft_asks_its_head_where_its_passes_are_expensive() -> None:
    look_ahead = ModelCache().pair(Options("base"), lambda stage, **values: None).look_ahead()
    assert look_ahead is not None
    asked = []
    for _ in range(60):
        count = look_ahead.choose()
        asked.append(look_ahead.confidence)
        look_ahead.record(Round(count, count, count, count, count + 1, count, 0.5 * count, 1.0))
    assert asked[-1] == HEAD_ALONE
