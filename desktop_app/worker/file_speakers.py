"""Speakers of a recording, found while it is transcribed: after each window, never before the first words. No failure
here affects the text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from desktop_app import log
from desktop_app.checkpoints import speaker_networks
from desktop_app.problems import Problem
from desktop_app.runtimes import speakers_openvino as runtime
from desktop_app.speakers.attribution import attribute
from desktop_app.speakers.diarisation import Diarisation
from desktop_app.speakers.networks import Networks, VoiceLimits
from desktop_app.transcript.model import Transcript

OFF, AUTO = "off", "auto"


class Attempts:
    """Runs work that may fail, and nothing more after the first failure.

    Attributes: problem (the failure, for the transcript's notices; None without one).
    """

    problem: Problem | None = None

    def do(self, work: Callable[[], None]) -> None:
        """Run `work`, unless something has failed before."""
        if self.problem:
            return
        try:
            work()
        except Problem as problem:
            self.problem = Problem("model.no_speakers", cause=problem)
        except Exception as error:  # the text is worth more than the names
            log.write(error)
            what = " ".join(str(error).split())[:120] or type(error).__name__
            mistake = Problem("engine.mistake", error=what, log=str(log.path()))
            self.problem = Problem("model.no_speakers", cause=mistake)

    def noted(self, transcript: Transcript) -> Transcript:
        """The transcript with the problem among its notices, if there is one."""
        if not self.problem:
            return transcript
        models = transcript.models
        return replace(transcript, models=replace(models, notices=(*models.notices, self.problem)))


class FileSpeakers:
    """Takes the audio that is transcribed, and runs the speaker networks on it after each window.

    `wanted` is "auto" or the number of speakers, as text.
    """

    def __init__(self, wanted: str, load: Callable[[], Networks] | None = None) -> None:
        self._count = None if wanted == AUTO else int(wanted)
        self._load = load or networks
        self._blocks: list[npt.NDArray[np.float32]] = []
        self._diarisation: Diarisation | None = None
        self._attempts = Attempts()

    def feed(self, block: npt.NDArray[np.float32]) -> None:
        """A block of the recording; nothing is done with it yet."""
        if not self._attempts.problem:
            self._blocks.append(block)

    def work(self) -> None:
        """Process the audio that has come since the last call."""
        self._attempts.do(self._take_in)
        self._let_go()

    def finish(self, transcript: Transcript) -> Transcript:
        """The transcript with its speakers, or as it is with a notice that says why there are none."""
        found = transcript

        def attributed() -> None:
            nonlocal found
            self._take_in()
            if self._diarisation is not None:
                found = attribute(transcript, self._diarisation.finish())

        self._attempts.do(attributed)
        self._let_go()
        return self._attempts.noted(found)

    def _take_in(self) -> None:
        self._diarisation = self._diarisation or Diarisation(self._load(), self._count)
        for block in self._blocks:
            self._diarisation.feed(block)
        self._blocks = []

    def _let_go(self) -> None:
        if self._attempts.problem:
            self._blocks, self._diarisation = [], None


def networks() -> Networks:
    """The networks that come with Galley. Raises Problem."""
    _, segmentation = speaker_networks.of(speaker_networks.SEGMENTATION)
    entry, embedding = speaker_networks.of(speaker_networks.EMBEDDING)
    features, embed = runtime.embedder(embedding)
    limits = VoiceLimits(entry.alike, entry.doubt, entry.same, entry.least)
    return Networks(entry.name, runtime.segmenter(segmentation), features, embed, limits)
