"""Sound played faster or slower at the same pitch, by FFmpeg's filter atempo. Only in the decoding process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import ceil, log2

import av
import av.filter
import numpy as np

from desktop_app.audio.files import Samples
from desktop_app.transcript.constants import SAMPLE_RATE

_FORMAT, _LAYOUT = "flt", "mono"


def stretched(blocks: Iterable[Samples], speed: float) -> Iterator[Samples]:
    """The same 16 kHz mono sound, `speed` times as fast: that much shorter, its pitch kept."""
    if speed == 1.0:
        yield from blocks
        return
    graph = _graph(speed)
    place = 0
    for block in blocks:
        frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(block)[None], format=_FORMAT, layout=_LAYOUT)
        frame.sample_rate, frame.pts = SAMPLE_RATE, place
        place += block.size
        graph.push(frame)
        yield from _pulled(graph)
    graph.push(None)
    yield from _pulled(graph)


def _graph(speed: float) -> av.filter.Graph:
    """One filter a doubling: above 2 a single one leaves samples out instead of blending them."""
    graph = av.filter.Graph()
    last = graph.add_abuffer(sample_rate=SAMPLE_RATE, format=_FORMAT, layout=_LAYOUT)
    count = max(1, ceil(abs(log2(speed))))
    for _ in range(count):
        tempo = graph.add("atempo", f"{speed ** (1 / count):.6f}")
        last.link_to(tempo)
        last = tempo
    last.link_to(graph.add("abuffersink"))
    graph.configure()
    return graph


def _pulled(graph: av.filter.Graph) -> Iterator[Samples]:
    """What is ready."""
    while True:
        try:
            frame = graph.pull()
        except (av.error.BlockingIOError, av.error.EOFError):
            return
        if isinstance(frame, av.AudioFrame) and frame.samples:
            yield frame.to_ndarray()[0]
