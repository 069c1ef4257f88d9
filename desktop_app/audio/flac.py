"""A FLAC file that can be read up to its last whole frame at any moment, also when the program was killed.

FLAC is a header and then frames that stand for themselves, so this writes FFmpeg's frames to the file as they come, and
the length into the header at the end; without it players find the length by reading.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import av
import numpy as np
import numpy.typing as npt

_MARK = b"fLaC\x80\x00\x00\x22"  # one block of metadata follows, the stream's own: 34 bytes

av.logging.set_level(None)


class FlacWriter:
    """Writes 16-bit mono to a new file. `samples` of it can be read there now. Every method raises OSError."""

    def __init__(self, path: Path, rate: int) -> None:
        self._codec = av.CodecContext.create("flac", "w")
        self._codec.sample_rate = rate
        self._codec.layout = "mono"
        self._codec.format = "s16"
        self._codec.thread_count = 1  # each frame comes back at once
        self._codec.open()
        self._rate, self._given = rate, 0
        self._pending: list[npt.NDArray[np.int16]] = []
        self._waiting = 0
        self.samples = 0
        self._file = path.open("xb", buffering=0)
        self._end = 0
        try:
            self._append(_MARK + self._header())
        except BaseException:
            self._file.close()
            path.unlink(missing_ok=True)
            raise

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self._end

    def write(self, samples: npt.NDArray[np.int16]) -> None:
        """Add sound. Whole frames of it (1152 samples at 16 kHz) go to the file, the rest waits for more."""
        self._pending.append(samples)
        self._waiting += samples.size
        frame = self._codec.frame_size
        if self._waiting < frame:
            return
        sound = np.concatenate(self._pending)
        whole = sound.size - sound.size % frame
        self._pending, self._waiting = [sound[whole:]], sound.size - whole
        frames = b"".join(self._encoded(sound[at : at + frame]) for at in range(0, whole, frame))
        self._append(frames)
        self.samples += whole

    def sync(self) -> None:
        """Wait until the disk has it, so that a power cut takes nothing."""
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Write the rest and complete the header."""
        try:
            rest = np.concatenate(self._pending) if self._waiting else None
            if rest is not None:
                self._append(self._encoded(rest))
                self.samples += rest.size
            self._pending, self._waiting = [], 0
            for packet in self._codec.encode(None):
                self._append(bytes(packet))
            self._complete(self._header())
            self.sync()
        finally:
            self._file.close()

    def abandon(self) -> None:
        """Close the file as it is, complete as far as it was written; for a disk that takes no more. Never raises."""
        with contextlib.suppress(OSError):
            header = self._header()
            length = int.from_bytes(header[10:18], "big") >> 36 << 36 | self.samples
            self._complete(header[:10] + length.to_bytes(8, "big") + bytes(16))
            self.sync()
        with contextlib.suppress(OSError):
            self._file.close()

    def _header(self) -> bytes:
        """The stream's own description, 34 bytes: the encoder completes it at the end."""
        header = self._codec.extradata
        assert header is not None
        return bytes(header)

    def _encoded(self, sound: npt.NDArray[np.int16]) -> bytes:
        frame = av.AudioFrame.from_ndarray(sound[None], format="s16", layout="mono")
        frame.sample_rate, frame.pts = self._rate, self._given
        self._given += sound.size
        return b"".join(bytes(packet) for packet in self._codec.encode(frame))

    def _append(self, data: bytes) -> None:
        """Write whole frames or none: what a full disk took of them is cut off again."""
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError:
            with contextlib.suppress(OSError):
                self._file.truncate(self._end)
                self._file.seek(self._end)
            raise
        self._end += len(data)

    def _complete(self, header: bytes) -> None:
        self._file.seek(len(_MARK))
        self._file.write(header)
        self._file.seek(self._end)
