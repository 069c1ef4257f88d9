"""A trial of a device: the bundled model hears the beginning of the sample conversation there and on the processor,
and what both wrote is compared token for token. For `probe.ask`, because a driver may end the process.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np
import numpy.typing as npt

from desktop_app import resources
from desktop_app.audio.files import AudioFile
from desktop_app.audio.spectrogram import Spectrogram
from desktop_app.checkpoints import installed
from desktop_app.decoding import longform
from desktop_app.engine.messages import Options
from desktop_app.engine.models import Pair, Shelf
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.model import Segment
from desktop_app.transcript.statistics import Statistics

SECONDS = 45  # two windows, the second not full


@dataclass(frozen=True)
class Trial:
    """What was found, in sentences. `good` if the draft changes nothing and the text begins as the processor's does:
    in half precision a near tie may part them later.
    """

    good: bool
    lines: tuple[str, ...]


@dataclass(frozen=True)
class _Written:
    tokens: tuple[int, ...]
    statistics: Statistics


class _Tokens(longform.Listener):
    def __init__(self) -> None:
        self.found: list[int] = []

    def segments(self, segments: Sequence[Segment], done_seconds: float) -> None:
        self.found += [token for segment in segments for token in segment.tokens]


def on_device(device: str) -> Trial:
    """Try a device as --device has it. Raises Problem where it cannot run the bundled model at all."""
    began = perf_counter()
    bundled = str(installed.bundled())
    pair = Shelf().pair(Options(bundled, device=device), lambda stage, **values: None)
    ready = perf_counter() - began
    with_draft = _write(pair, draft=True) if pair.draft else None
    alone = _write(pair, draft=False)
    reference = _write(Shelf().pair(Options(bundled, "off", device="cpu"), lambda stage, **values: None), draft=False)
    models = pair.described()
    lines = [f"{models.target} was built and compiled for {models.device}, {models.precision}, in {ready:.1f} s"]
    for name, each in (("with the draft", with_draft), ("the target alone", alone)):
        if each is None:
            continue
        statistics = each.statistics
        passes = statistics.verify_seconds / max(statistics.target_passes, 1) * 1000
        lines.append(
            f"{name}: {SECONDS} s of sound, {len(each.tokens)} tokens; heard in {statistics.encode_seconds:.2f} s, "
            f"{statistics.target_passes} passes of {passes:.1f} ms, drafted in {statistics.draft_seconds:.2f} s"
        )
    same = with_draft is None or with_draft.tokens == alone.tokens
    if with_draft is not None:
        steady = "to the last bit" if pair.target.model.epsilon == 0 else f"{with_draft.statistics.near_ties} near ties"
        found = "nothing" if same else "THE TEXT"
        lines.append(f"the draft changes {found} (passes of one and of many tokens: {steady})")
    right = reference.tokens
    agreed = next((at for at, two in enumerate(zip(alone.tokens, right, strict=False)) if two[0] != two[1]), len(right))
    if alone.tokens == right:
        lines.append(f"all {len(right)} tokens are those of the CPU in f32")
    else:
        lines.append(f"token {agreed + 1} of {len(right)} is the first that is not the CPU's in f32")
    return Trial(same and agreed > len(right) / 10, tuple(lines))


def _write(pair: Pair, draft: bool) -> _Written:
    """The beginning of the sample conversation, written by a pair or its target alone."""
    heard = _Tokens()
    statistics = longform.transcribe(
        _beginning(),
        Spectrogram(_beginning(), pair.mel_bins).features,
        pair.setup(draft=draft),
        heard,
    )
    return _Written(tuple(heard.found), statistics)


def _beginning() -> Iterator[npt.NDArray[np.float32]]:
    left = SECONDS * SAMPLE_RATE
    with AudioFile(str(resources.path("resources", "sample", "conversation.flac"))) as audio:
        for block in audio:
            yield block[:left]
            left -= block.size
            if left <= 0:
                break
