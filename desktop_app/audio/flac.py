"""A FLAC file that can be read up to its last whole frame at any moment, also when the program was killed.

FLAC is a header and then frames that stand for themselves, so this writes FFmpeg's frames to the file as they come, and
the length into the header at the end; without it players find the length by reading.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import av
import numpy as np
import numpy.typing as npt

_MARK = b"fLaC\x80\x00\x00\x22"
"""Before the one block of metadata that must be, 34 bytes: 4 to 9 are the lengths of the shortest and the longest
frame, 10 to 17 end in 36 bits for the length in samples, the last 16 are the MD5 of the sound; each 0 if unknown."""

av.logging.set_level(None)


class FlacWriter:
    """Writes 16-bit mono to a new file. Every method raises OSError.

    Attributes:
        samples: how many can be read in the file now.
        size: its bytes.
    """

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
        self._fingerprint = hashlib.md5(usedforsecurity=False)
        self._header = bytes(self._codec.extradata or b"")
        self._lengths: tuple[int, ...] = ()  # the shortest and the longest frame
        self.samples = self.size = 0
        self._syncer = ThreadPoolExecutor(1, "sync")
        self._syncing: Future[None] | None = None
        self._file = path.open("xb", buffering=0)
        try:
            self._append(_MARK + self._header)
        except BaseException:
            self._file.close()
            path.unlink(missing_ok=True)
            raise

    def write(self, samples: npt.NDArray[np.int16]) -> None:
        """Add sound. Whole frames of it (1152 samples at 16 kHz) go to the file, the rest waits for more."""
        self._pending.append(samples)
        self._waiting += samples.size
        if self._waiting >= self._codec.frame_size:
            sound = np.concatenate(self._pending)
            whole = sound.size - sound.size % self._codec.frame_size
            self._pending, self._waiting = [sound[whole:]], sound.size - whole
            self._append_frames(sound[:whole])

    def sync(self) -> None:
        """Let the disk take what was written, so that a power cut takes nothing. Raises what the sync before it raised.

        A busy disk needs seconds for that. Sound is written meanwhile, so that a kill takes none of it; the next sync
        begins after this one has ended.
        """
        if self._syncing is None or self._syncing.done():
            self._raise_failed_sync()
            self._syncing = self._syncer.submit(os.fsync, self._file.fileno())

    def close(self) -> None:
        """Write the rest and complete the header."""
        try:
            if self._waiting:
                self._append_frames(np.concatenate(self._pending))
            self._complete()
            self._raise_failed_sync()
        finally:
            self._syncer.shutdown()
            self._file.close()

    def abandon(self) -> None:
        """Close the file as it is, complete as far as it was written; for a disk that takes no more. Never raises."""
        with contextlib.suppress(OSError):
            self._complete()
        self._syncer.shutdown()
        with contextlib.suppress(OSError):
            self._file.close()

    def _append_frames(self, sound: npt.NDArray[np.int16]) -> None:
        size = self._codec.frame_size
        frames = [self._encoded(sound[at : at + size]) for at in range(0, sound.size, size)]
        self._append(b"".join(frames))
        lengths = [*map(len, frames), *self._lengths]
        self._lengths = (min(lengths), max(lengths))
        self._fingerprint.update(sound.astype("<i2").tobytes())
        self.samples += sound.size

    def _encoded(self, sound: npt.NDArray[np.int16]) -> bytes:
        frame = av.AudioFrame.from_ndarray(sound[None], format="s16", layout="mono")
        frame.sample_rate, frame.pts = self._rate, self._given
        self._given += sound.size
        packets = self._codec.encode(frame)
        if sound.size < self._codec.frame_size:  # the last one
            packets += self._codec.encode(None)
        return b"".join(map(bytes, packets))

    def _append(self, data: bytes) -> None:
        """Write all or nothing: what a full disk took of it is cut off again."""
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError:
            with contextlib.suppress(OSError):
                self._file.truncate(self.size)
                self._file.seek(self.size)
            raise
        self.size += len(data)

    def _complete(self) -> None:
        """Write into the header what is known only now; it takes no more room than before."""
        frames = b"".join(length.to_bytes(3, "big") for length in self._lengths or (0, 0))
        samples = int.from_bytes(self._header[10:18], "big") | self.samples
        self._file.seek(len(_MARK) + 4)
        self._file.write(frames + samples.to_bytes(8, "big") + self._fingerprint.digest())
        os.fsync(self._file.fileno())

    def _raise_failed_sync(self) -> None:
        if self._syncing is not None:
            self._syncing.result()
