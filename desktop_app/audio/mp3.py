"""The sound of a recording, small enough to stand in a web page, in a form that every browser plays."""

from __future__ import annotations

import os
from collections.abc import Iterator

import av
import numpy as np

from desktop_app.audio.files import AudioFile
from desktop_app.transcript.constants import SAMPLE_RATE

BYTES_A_SECOND = 6_000
"""Of the sound that is made: 48 kbit/s, enough for speech."""


def encoded(path: str | os.PathLike[str]) -> bytes:
    """A file as MP3, 16 kHz mono. Raises Problem for one that cannot be read."""
    codec = av.CodecContext.create("libmp3lame", "w")
    codec.sample_rate, codec.layout, codec.format = SAMPLE_RATE, "mono", "fltp"
    codec.bit_rate = BYTES_A_SECOND * 8
    codec.open()
    packets, given = list[bytes](), 0
    with AudioFile(path) as blocks:
        for sound in _frames(blocks, codec.frame_size):
            frame = av.AudioFrame.from_ndarray(sound[None], format="fltp", layout="mono")
            frame.sample_rate, frame.pts = SAMPLE_RATE, given
            given += sound.size
            packets += map(bytes, codec.encode(frame))
    packets += map(bytes, codec.encode(None))
    return b"".join(packets)


def _frames(blocks: AudioFile, size: int) -> Iterator[np.ndarray]:
    """The sound in pieces of this many samples; the last one may be shorter."""
    rest = np.zeros(0, np.float32)
    for block in blocks:
        sound = np.concatenate((rest, block))
        whole = sound.size - sound.size % size
        yield from sound[:whole].reshape(-1, size)
        rest = sound[whole:]
    if rest.size:
        yield rest
