"""Videos for tests: what is seen tells when it is seen."""

from __future__ import annotations

from pathlib import Path

import av
import numpy as np

RATE = 10
"""Pictures a second."""


def make_video(path: Path, seconds: float = 4.0, size: tuple[int, int] = (96, 64), begin: float = 0.0) -> Path:
    """A video with sound. Its pictures are grey, and 40 brighter in each of six seconds than in the one before."""
    with av.open(str(path), "w") as container:
        video = container.add_stream("mpeg4", RATE, bit_rate=400_000)
        video.width, video.height = size
        video.pix_fmt = "yuv420p"
        sound = container.add_stream("pcm_s16le", 16_000, layout="mono")
        for number in range(round(seconds * RATE)):
            grey = np.full((size[1], size[0], 3), 40 * (number // RATE % 6) + 20, np.uint8)
            frame = av.VideoFrame.from_ndarray(grey, "rgb24")
            frame.pts = number + round(begin * RATE)
            container.mux(video.encode(frame))
        container.mux(video.encode())
        noise = (np.random.default_rng(1).normal(0, 2000, (1, round(seconds * 16_000)))).astype(np.int16)
        block = av.AudioFrame.from_ndarray(noise, "s16", "mono")
        block.sample_rate = 16_000
        container.mux(sound.encode(block))
        container.mux(sound.encode())
    return path
