"""Trials with the beginning of the sample conversation, each in a process of its own, because a driver may end it.

Of the installation: the bundled model runs on silence. Of a device: the bundled model transcribes it there and on the
CPU, and what both wrote is compared token for token. Of the speed: the models that are in use transcribe it, or a part
of another recording, with the draft and without.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from time import perf_counter

import numpy as np

from desktop_app import resources
from desktop_app.audio.files import AudioFile
from desktop_app.audio.logmel import features
from desktop_app.audio.spectrogram import Spectrogram
from desktop_app.checkpoints import installed
from desktop_app.decoding import longform
from desktop_app.decoding.audio_window import AudioWindow, Samples
from desktop_app.decoding.lookahead import LookAhead
from desktop_app.messages.options import Options
from desktop_app.messages.questions import Trial, TrialRun
from desktop_app.messages.training import Gain
from desktop_app.problems import Problem
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.model import Models, Segment
from desktop_app.transcript.settings import Settings
from desktop_app.transcript.statistics import Speed
from desktop_app.worker.file_job import settings_of
from desktop_app.worker.loaded_models import ModelCache, Pair
from desktop_app.worker.other_load import OtherLoad

SECONDS = 45  # two windows, the second not full
_LEAST = 8.0  # seconds of measuring, after which what else the computer does has shown
_FEWEST_ROUNDS, _MOST_ROUNDS = 2, 5


class _Tokens(longform.DecodingListener):
    def __init__(self) -> None:
        self.found: list[int] = []

    def segments(self, segments: Sequence[Segment], done_seconds: float) -> None:
        self.found += [token for segment in segments for token in segment.tokens]


def bundled() -> tuple[Models, float]:
    """Load the bundled model and its draft and run them on a second of silence; what they are, and how many seconds
    that took. Raises Problem."""
    began = perf_counter()
    pair = ModelCache().pair(Options(str(installed.bundled())), lambda stage, **values: None)
    silence = AudioWindow(np.zeros(SAMPLE_RATE, np.float32), features)
    tried = [(pair.target.checkpoint, pair.target.model, pair.target.model)]
    if pair.draft:
        draft = pair.draft.ready.rows[0]
        tried.append((pair.draft.checkpoint, draft, pair.target.model if pair.draft.shares_encoder else draft))
    for checkpoint, model, encoder in tried:
        scores = model.open(silence.encoded(encoder)).run([checkpoint.vocabulary.start])
        if not np.isfinite(scores).all():
            raise Problem("engine.not_finite")
    return pair.described(), perf_counter() - began


def on_device(device: str) -> Trial:
    """Try a device as --device has it. Raises Problem where it cannot run the bundled model at all."""
    began = perf_counter()
    bundled = str(installed.bundled())
    pair = ModelCache().pair(Options(bundled, device=device), lambda stage, **values: None)
    ready = perf_counter() - began
    reference = ModelCache().pair(Options(bundled, "off", device="cpu"), lambda stage, **values: None)
    audio = _beginning()
    return Trial(
        models=pair.described(),
        ready=ready,
        with_draft=_write(pair, audio, draft=True) if pair.draft else None,
        alone=_write(pair, audio, draft=False),
        reference=_write(reference, audio, draft=False),
        is_exact=pair.target.model.epsilon == 0,
    )


def speed(options: Options, progress: Callable[[str, float, float], None], file: str = "") -> Speed:
    """Measure the models of these options on the sample or on the middle of a file: with the draft and without it, in
    turn, each at its fastest, because what else the computer does can only delay them; and how much that is. Every
    second round goes the other way round, so that neither always comes first. Loading and reading are not counted.
    Raises Problem.
    """
    audio = _middle(file) if file else _beginning()
    pair = ModelCache().pair(options, lambda stage, **values: progress("Loading", 0, 0))
    settings = settings_of(options, pair.target.checkpoint)
    ways = [None, pair] if pair.draft else [None]
    load = OtherLoad()
    (alone, _), *rest = _fastest(audio, pair, settings, ways, progress)
    return Speed(alone, rest[0][0] if rest else 0.0, load.share())


def gain(options: Options, draft: str, audio: Samples, progress: Callable[[str, float, float], None]) -> Gain:
    """Measure on some audio what an installed draft brings to the target of these options, whose draft is what it
    takes without it. Raises Problem."""
    cache = ModelCache()

    def loading(stage: str, **values: object) -> None:
        progress("Loading", 0, 0)

    after = cache.pair(replace(options, draft=draft), loading)
    before = cache.pair(options, loading)
    settings = settings_of(options, after.target.checkpoint)
    known = before.draft is not None and after.draft is not None and before.draft.key != after.draft.key
    ways = [None, after, *([before] if known else [])]
    (alone, _), (with_it, tokens), *rest = _fastest(audio, after, settings, ways, progress)
    return Gain(len(audio) / SAMPLE_RATE, alone, rest[0][0] if rest else 0.0, with_it, tokens)


def _fastest(
    audio: Samples,
    pair: Pair,
    settings: Settings,
    ways: Sequence[Pair | None],
    progress: Callable[[str, float, float], None],
) -> list[tuple[float, float]]:
    """Seconds of audio that each of the pairs transcribes in a second, None being the target of `pair` alone, and the
    tokens that it writes per pass: in turn, every second round the other way round, each at its fastest."""
    found = [(0.0, 0.0)] * len(ways)
    began = perf_counter()
    for done in range(_MOST_ROUNDS):
        share = max(done / _MOST_ROUNDS, (perf_counter() - began) / _LEAST)
        if done < _FEWEST_ROUNDS:
            share = min(share, done / _FEWEST_ROUNDS)
        elif share >= 1:
            break
        progress("Measuring", share, 1)
        for number, way in [*enumerate(ways)][:: 1 if done % 2 == 0 else -1]:
            used = way or pair
            since = perf_counter()
            run = _write(used, audio, settings, draft=way is not None, look_ahead=used.look_ahead())
            speed = len(audio) / SAMPLE_RATE / (perf_counter() - since)
            found[number] = max(found[number], (speed, run.statistics.tokens_per_pass))
    return found


def _write(
    pair: Pair,
    audio: Samples,
    settings: Settings | None = None,
    *,
    draft: bool,
    look_ahead: LookAhead | None = None,
) -> TrialRun:
    """Transcribe a piece of audio with a pair or its target alone; without a `look_ahead` as if nothing were known of
    the pair."""
    collected = _Tokens()
    statistics = longform.transcribe(
        iter([audio]),
        Spectrogram([audio], pair.mel_bins).features,
        replace(pair.setup(draft=draft), look_ahead=look_ahead),
        collected,
        settings,
    )
    return TrialRun(tuple(collected.found), replace(statistics, audio_seconds=len(audio) / SAMPLE_RATE))


def _beginning() -> Samples:
    """The first SECONDS of the sample conversation."""
    return _piece(str(resources.path("resources", "sample", "conversation.flac")), 0.0)


def _middle(file: str) -> Samples:
    """SECONDS from the middle of a file, or the whole of a shorter one."""
    with AudioFile(file) as audio:
        seconds = audio.seconds
    return _piece(file, max(0.0, (seconds - SECONDS) / 2))


def _piece(file: str, start: float) -> Samples:
    blocks, left = [], SECONDS * SAMPLE_RATE
    with AudioFile(file, start) as audio:
        for block in audio:
            blocks.append(block[:left])
            left -= block.size
            if left <= 0:
                break
    return np.concatenate(blocks)
