"""Filter banks as Kaldi makes them, which speaker networks are trained on (kaldi-native-fbank)."""

from __future__ import annotations

import kaldi_native_fbank as kaldi
import numpy as np

from desktop_app.speakers.networks import Array
from desktop_app.transcript.constants import SAMPLE_RATE

SHIFT = 160
"""Samples from one frame to the next."""

FRAME = 400
"""Samples in one frame."""

BINS = 80


def filterbanks(samples: Array) -> Array:
    """Samples -1..1 at 16 kHz -> natural logarithms of the power in 80 mel bands, [frames, 80]: a frame of 25 ms every
    10 ms, only whole ones.
    """
    maker = kaldi.OnlineFbank(_OPTIONS)
    maker.accept_waveform(SAMPLE_RATE, samples * np.float32(32768))
    maker.input_finished()
    frames = [maker.get_frame(at) for at in range(maker.num_frames_ready)]
    return np.stack(frames) if frames else np.zeros((0, BINS), np.float32)


def _options() -> kaldi.FbankOptions:
    options = kaldi.FbankOptions()
    options.frame_opts.samp_freq = SAMPLE_RATE
    options.frame_opts.dither = 0.0
    options.frame_opts.window_type = "hamming"
    options.frame_opts.snip_edges = True
    options.mel_opts.num_bins = BINS
    options.use_energy = False
    return options


_OPTIONS = _options()
