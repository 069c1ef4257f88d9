"""The pictures of a video, small and few: for somebody who corrects its text. Only the process that decodes a file
(decoder.py) runs this."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import av
import av.stream
import av.video.reformatter  # PyAV imports it when it scales the first picture, and then it is too late
import numpy as np
import numpy.typing as npt

from desktop_app.audio.decoder_process import PICTURE_HEIGHT, PICTURE_WIDTH, PICTURES_A_SECOND

_TICK = 0.001  # seconds: containers round the times of pictures to that

Picture = npt.NDArray[np.uint8]


def video_of(container: Any) -> Any:
    """The stream of an opened file that has moving pictures, or None; the cover of an album is none."""
    for stream in container.streams.video:
        if stream.codec_context is not None and not stream.disposition & av.stream.Disposition.attached_pic:
            return stream
    return None


def pictures(container: Any, start: float, alive: Callable[[], None]) -> Iterator[tuple[float, Picture]]:
    """Pictures with their times, from the one that is seen at `start` seconds on: RGB, [height, width, 3]. What cannot
    be decoded is left out. `alive` is called while there is none yet."""
    stream = video_of(container)
    if stream is None:
        return
    due, before = start, None
    for time, frame in _frames(container, stream, start):
        alive()
        if time < start:
            before = frame
            continue
        if before is not None and time > start:
            yield from _scaled(start, before, stream)
            due = start + 1 / PICTURES_A_SECOND
        before = None
        if time >= due - _TICK:
            yield from _scaled(time, frame, stream)
            due = time + 1 / PICTURES_A_SECOND
    if before is not None:
        yield from _scaled(start, before, stream)


def _frames(container: Any, stream: Any, start: float) -> Iterator[tuple[float, Any]]:
    origin = (container.start_time or 0) / av.time_base
    with suppress(av.FFmpegError, OSError):
        container.seek(max(int((start + origin) * av.time_base), 0))
    packets = container.demux(stream)
    while True:
        try:
            packet = next(packets, None)
        except (av.FFmpegError, OSError, IndexError):  # IndexError: of a stream that begins in the middle
            return
        if packet is None:
            return
        try:
            frames = packet.decode()
        except av.FFmpegError:
            continue
        for frame in frames:
            if frame.pts is not None and frame.time_base is not None and frame.width and frame.height:
                yield float(frame.pts * frame.time_base) - origin, frame


def _scaled(time: float, frame: Any, stream: Any) -> Iterator[tuple[float, Picture]]:
    """The picture as it is seen: with square pixels, upright, and no larger than what is shown."""
    turns = round(getattr(frame, "rotation", 0) / 90)
    ratio = float(stream.sample_aspect_ratio or 1)
    wide, high = (PICTURE_HEIGHT, PICTURE_WIDTH) if turns % 2 else (PICTURE_WIDTH, PICTURE_HEIGHT)
    factor = min(wide / (frame.width * ratio), high / frame.height, 1.0)
    size = (max(round(frame.width * ratio * factor), 2), max(round(frame.height * factor), 2))
    with suppress(av.FFmpegError, ValueError):
        made = frame.reformat(width=size[0], height=size[1], format="rgb24").to_ndarray()
        yield time, np.ascontiguousarray(np.rot90(made, turns))
