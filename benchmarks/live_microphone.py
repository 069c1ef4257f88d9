"""A live session by the clock on the wall: speech is played to a microphone, and comes back as text.

    python -m benchmarks.live_microphone FOLDER/speech.flac --seconds 120

The whole way is the real one: a sound server with a virtual microphone (tests/virtual_microphone.py), PortAudio, the
recorder and its file, the engine's process, its events. When each word is said stands in a file beside the speech, as
for `galley bench live --speech` (docs/design/live-text.md).

Delays count from the moment at which the end of a word comes out of PortAudio, as fast as it ever does. The sound
server and PortAudio have it some tenths of a second before, which no program sees.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from threading import Event as Flag
from typing import Any

import numpy as np
import pytest
import soundfile

from desktop_app.app.presentation import problems
from desktop_app.audio.files import Samples
from desktop_app.audio.recording import Recorded, Recorder
from desktop_app.engine.client import Engine
from desktop_app.measure.error_rates import normalised
from desktop_app.measure.in_process import Run, Shown
from desktop_app.measure.live_figures import SpokenWord, accuracy, erasure, latency
from desktop_app.measure.live_speech import known_words
from desktop_app.measure.recordings import audio_of
from desktop_app.messages.jobs import Event, Failed, Finished, LiveOptions, LiveUpdate, Started
from desktop_app.messages.options import Options
from desktop_app.transcript.constants import SAMPLE_RATE
from tests import virtual_microphone

SETTLE = 2.0  # seconds of silence before and behind the speech


class Desk:
    """Hears the recorder and the engine, and notes when: seconds of a monotonic clock."""

    def __init__(self, options: Options, path: Path) -> None:
        self.ready, self.over = Flag(), Flag()
        self.blocks: list[tuple[float, int]] = []  # when a block came, and the recording's samples up to its end
        self.updates: list[tuple[float, LiveUpdate]] = []
        self.problem = ""
        self.engine = Engine(self._event)
        self.engine.start_live("live", options, LiveOptions(str(path)))

    def _event(self, event: Event) -> None:
        if isinstance(event, LiveUpdate):
            self.updates.append((time.monotonic(), event))
        elif isinstance(event, Started):
            self.ready.set()
        elif isinstance(event, Finished | Failed):
            self.problem = "" if isinstance(event, Finished) else problems.sentence(event.problem)
            self.ready.set()
            self.over.set()

    def block(self, samples: Samples, start: int) -> None:
        self.blocks.append((time.monotonic(), start + samples.size))
        self.engine.live_audio("live", start, samples)

    def began(self) -> None: ...

    def level(self, peak: float, rms: float) -> None: ...

    def trouble(self, problems: object) -> None:
        self.problem = str(problems or "")

    def ended(self, recorded: Recorded) -> None: ...

    def run(self) -> Run:
        """What was on the screen, by the recording's clock."""
        origin = min(when - samples / SAMPLE_RATE for when, samples in self.blocks)
        final: list[str] = []
        found = Run()
        for when, update in self.updates:
            final += [word for segment in update.segments for word in normalised(segment.text)]
            texts = (update.final, update.provisional, update.draft)
            words = [(*final, *normalised("".join(texts[: count + 1]))) for count in range(3)]
            found.backlog = max(found.backlog, update.received - update.decoded)
            found.shown.append(
                Shown(when - origin, update.received, words[0], words[1][len(words[0]) :], words[2][len(words[1]) :])
            )
        return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("speech", type=Path)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--server", default=virtual_microphone.PULSEAUDIO, choices=virtual_microphone.SERVERS)
    parser.add_argument("--target", default="", metavar="NAME|FOLDER")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    if why := virtual_microphone.lacking(arguments.server):
        sys.exit(f"There is no virtual microphone here: {why}.")
    audio = audio_of(arguments.speech)[: round(arguments.seconds * SAMPLE_RATE)]
    spoken_words = [
        each for each in known_words(arguments.speech.with_suffix(".words.json")) if each.end < len(audio) / SAMPLE_RATE
    ]
    with pytest.MonkeyPatch.context() as patch, virtual_microphone.plugged(patch, arguments.server) as microphone:
        result = measure(microphone, audio, spoken_words, Options(target=arguments.target, language="en"))
    text = json.dumps({"seconds": len(audio) / SAMPLE_RATE, "words": len(spoken_words), **result}, indent=1)
    sys.stdout.write(text + "\n")
    if arguments.json:
        arguments.json.write_text(text + "\n", encoding="utf-8")
    return 0


def measure(
    microphone: virtual_microphone.VirtualMicrophone, audio: Samples, spoken_words: list[SpokenWord], options: Options
) -> dict[str, Any]:
    """Play, record and write; the figures."""
    with tempfile.TemporaryDirectory() as folder:
        clip, place = Path(folder, "speech.flac"), Path(folder, "recording.flac")
        soundfile.write(clip, audio, SAMPLE_RATE, subtype="PCM_16")
        desk = Desk(options, place)
        recorder = Recorder(place, None, desk)
        recorder.start()
        try:
            desk.ready.wait()
            time.sleep(SETTLE)
            before = processor_seconds(desk.engine.pid)
            if microphone.play(clip).wait():
                sys.exit("The speech could not be played.")
            time.sleep(SETTLE)
            busy = processor_seconds(desk.engine.pid) - before
            recorded = recorder.stop()
            desk.engine.stop_live("live")
            desk.over.wait()
        finally:
            desk.engine.close()
        if desk.problem:
            sys.exit(desk.problem)
        begin, likeness = found_at(audio_of(place), audio)
    run = desk.run()
    spoken = [replace(each, start=each.start + begin, end=each.end + begin) for each in spoken_words]
    return {
        "likeness": likeness,
        "gaps": len(recorded.gaps),
        **latency(run, spoken),
        "erasure": erasure(run),
        "wer_final": accuracy(run, spoken),
        "engine_share": busy / (len(audio) / SAMPLE_RATE + SETTLE),
        "largest_backlog": run.backlog,
        "updates_told": len(run.shown),
    }


def found_at(recording: Samples, clip: Samples) -> tuple[float, float]:
    """Where in the recording the clip begins, in seconds, and how alike the two are there; 1 is the same."""
    size = 1 << (recording.size + clip.size).bit_length()
    product = np.fft.rfft(recording, size) * np.conj(np.fft.rfft(clip, size))
    at = int(np.fft.irfft(product, size)[: recording.size].argmax())
    recorded = recording[at : at + clip.size]
    alike = float(recorded @ clip[: recorded.size] / np.sqrt((recorded @ recorded) * (clip @ clip) + 1e-9))
    return at / SAMPLE_RATE, alike


def processor_seconds(process: int | None) -> float:
    """What a process has used of the processor, on Linux."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    sys.exit(main())
