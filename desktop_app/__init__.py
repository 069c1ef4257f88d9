"""Galley: private transcription on a laptop, by speculative decoding that proves every word."""

import os

NAME = "Galley"
__version__ = "0.1.0"

# numpy's threads go on turning for tens of milliseconds after a matrix product, on the cores that the model's next pass
# needs. Its products here are small; only the first import of numpy reads this.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
